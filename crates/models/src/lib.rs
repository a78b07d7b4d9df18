//! Trained models as values, written by training and read in play.
//!
//! - [`blueprint`]: the average strategy of an abstract game, memory-mapped.
//! - [`chart`]: charts of a strategy with the 169 starting hands.
//! - [`tree`]: decision trees.
//! - [`equity`]: how often hands win, as documents, texts and pictures.
//! - [`explain`]: explanation of decision trees in the words of poker.
//! - [`forest`]: boosted forests, XGBoost's model files.
//! - [`network`]: networks of dense layers, safetensors files.
//! - [`tree_report`]: decision trees as text, as pictures and on a page.
//! - [`student`]: models that imitate a teacher's decisions, one for each street.
//! - [`restrict`]: models cut down to some of their columns and classes.
//! - [`values`]: input rows and outputs of networks for counterfactual values.
//! - [`file`](mod@file): files mapped into memory, sealed with a checksum, read number by number.
//! - [`Classifier`]: the common interface of trees, forests and networks.

pub mod blueprint;
pub mod chart;
pub mod equity;
pub mod explain;
pub mod file;
pub mod forest;
pub mod network;
pub mod restrict;
pub mod student;
pub mod tree;
pub mod tree_report;
pub mod values;

/// What is wrong with a model or its file, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    text: String,
    names_file: bool,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Error {
        Error { text: text.into(), names_file: false }
    }

    /// The error for a file that cannot be read, which `text` names.
    pub(crate) fn file(text: impl Into<String>) -> Error {
        Error { text: text.into(), names_file: true }
    }

    /// Whether the file cannot be read at all; then the text names it.
    pub fn is_unreadable(&self) -> bool {
        self.names_file
    }
}

impl From<cards::Error> for Error {
    fn from(error: cards::Error) -> Error {
        Error::new(error.to_string())
    }
}

impl From<abstraction::Error> for Error {
    fn from(error: abstraction::Error) -> Error {
        Error::new(error.to_string())
    }
}

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

/// The softmax of margins, in place: their exponentials, divided by `sum` of them. Even where that
/// is not finite: overflowing margins say nothing about the classes.
fn softmax(margins: &mut [f32], sum: impl Fn(&[f32]) -> f32) {
    let most = margins.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    margins.iter_mut().for_each(|margin| *margin = (*margin - most).exp());
    let total = sum(margins);
    if total.is_finite() {
        margins.iter_mut().for_each(|share| *share /= total);
    } else {
        let even = 1.0 / margins.len() as f32;
        margins.fill(even);
    }
}

/// Rounds parts, not negative, to whole units that sum to `whole` as the parts do: down, and the
/// rest goes to the largest remainders, the first of equal ones.
pub fn whole_units(parts: &[f64], whole: u32) -> Vec<u32> {
    let mut units: Vec<u32> = parts.iter().map(|part| part.floor() as u32).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| parts[b].fract().total_cmp(&parts[a].fract()).then(a.cmp(&b)));
    let missing = whole.saturating_sub(units.iter().sum());
    order.iter().cycle().take(missing as usize).for_each(|&part| units[part] += 1);
    units
}
