//! The interface of trained classifiers.

/// A trained classifier: maps a row of features to a probability distribution over classes.
///
/// Rows have [`Classifier::columns`] numbers in the order of the training data, none of them NaN.
pub trait Classifier: Send + Sync {
    /// Number of columns of a row.
    fn columns(&self) -> usize;

    /// Number of classes.
    fn classes(&self) -> usize;

    /// Computes the class probabilities of one row.
    ///
    /// `row` has [`Classifier::columns`] numbers, `shares` takes [`Classifier::classes`]: none
    /// negative, with a sum of one up to rounding. Panics on other lengths.
    fn predict(&self, row: &[f32], shares: &mut [f32]);

    /// Computes the class probabilities of many rows, stored one after the other like their shares.
    /// Implementations may batch; shares may then differ by rounding.
    fn predict_all(&self, rows: &[f32], shares: &mut [f32]) {
        let rows = rows.chunks_exact(self.columns());
        for (row, shares) in rows.zip(shares.chunks_exact_mut(self.classes())) {
            self.predict(row, shares);
        }
    }
}
