//! What every trained classifier can do.

/// A trained thing that turns a row of numbers into a distribution over classes.
///
/// Rows have [`Classifier::columns`] numbers in the order of the training data, none of them NaN.
pub trait Classifier: Send + Sync {
    /// How many numbers a row has.
    fn columns(&self) -> usize;

    /// How many classes there are.
    fn classes(&self) -> usize;

    /// The share of each class for one row.
    ///
    /// `row` has [`Classifier::columns`] numbers, `shares` takes [`Classifier::classes`]: none
    /// negative, summing to one but for rounding. Panics on other lengths.
    fn predict(&self, row: &[f32], shares: &mut [f32]);

    /// The same for many rows that stand one behind the other, as their shares do. What is faster
    /// for many rows than row by row does that here; shares may then differ by rounding.
    fn predict_all(&self, rows: &[f32], shares: &mut [f32]) {
        let rows = rows.chunks_exact(self.columns());
        for (row, shares) in rows.zip(shares.chunks_exact_mut(self.classes())) {
            self.predict(row, shares);
        }
    }
}
