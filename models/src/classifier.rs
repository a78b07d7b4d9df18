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
    /// `row` has [`Classifier::columns`] numbers, `shares` takes [`Classifier::classes`]: none negative,
    /// summing to one but for rounding. Panics on other lengths.
    fn predict(&self, row: &[f32], shares: &mut [f32]);
}
