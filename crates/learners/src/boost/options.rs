//! The options of boosting, and errors in them.

use models::forest::ForestError;

use crate::{Bins, Codes, Table};

/// The options of boosting. The names and their meaning are XGBoost's; `..Options::default()` fills
/// in the rest.
///
/// A round costs about `rows x columns x subsample x colsample x depth x classes` steps, so the two
/// shares and the depth are what to turn where time is short; `max_depth`, `gamma` and
/// `min_child_weight` bound the size of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Most rounds; each adds one tree for each class. 100.
    pub rounds: u32,
    /// Most tests between the root and a leaf, 1 to 32. 12.
    pub max_depth: u32,
    /// The learning rate, which scales each tree; above 0 and at most 1. 0.1.
    pub eta: f32,
    /// The L2 penalty on a leaf's value. 1.
    pub lambda: f32,
    /// The smallest decrease of the loss for which a node is split. 0.
    pub gamma: f32,
    /// The least sum of second derivatives in a leaf. 1.
    pub min_child_weight: f32,
    /// The share of rows sampled for each tree, above 0 and at most 1. 1.
    pub subsample: f32,
    /// The share of columns sampled for each tree, above 0 and at most 1. 1.
    pub colsample: f32,
    /// Stop after this many rounds without a better loss on the validation rows; `None` for never.
    pub patience: Option<u32>,
    /// The seed of the samples of rows and columns. 0.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rounds: 100,
            max_depth: 12,
            eta: 0.1,
            lambda: 1.0,
            gamma: 0.0,
            min_child_weight: 1.0,
            subsample: 1.0,
            colsample: 1.0,
            patience: None,
            seed: 0,
        }
    }
}

/// The reason a run cannot begin or resume.
#[derive(Debug, thiserror::Error)]
pub enum BoostError {
    /// An option's value is out of range.
    #[error("{name} is {value}, and must be {must}")]
    Option {
        /// The option's name.
        name: &'static str,
        /// The value given for it.
        value: f64,
        /// The allowed range.
        must: &'static str,
    },
    /// A column has more than 256 intervals.
    #[error(
        "column {column} is cut into {intervals} intervals, and boosting takes at most 256: make \
         the bins with 256"
    )]
    Intervals {
        /// The column's name.
        column: String,
        /// The number of intervals.
        intervals: usize,
    },
    /// The bins are of a different table.
    #[error("the bins have {bins} {what} and the rows {table}: make them from the same table")]
    Bins {
        /// The difference: `rows` or `columns`.
        what: &'static str,
        /// The number in the bins.
        bins: usize,
        /// The number in the table.
        table: usize,
    },
    /// The validation rows have other columns or classes.
    #[error(
        "the validation rows have other {what} than the rows to learn from: make both from the \
         same export"
    )]
    Validation {
        /// The difference: `columns` or `classes`.
        what: &'static str,
    },
    /// Early stopping needs validation rows.
    #[error(
        "patience is {0}, but there are no validation rows to stop by: give some, or no patience"
    )]
    Patience(u32),
    /// All rows are of one class.
    #[error("all rows are of class {class}: there is nothing to distinguish; take more rows")]
    OneClass {
        /// The class's name.
        class: String,
    },
    /// There are more rows than the sums can hold.
    #[error(
        "{rows} rows are more than the {most} that one run can learn from: take fewer, with weights"
    )]
    Rows {
        /// The number of rows.
        rows: usize,
        /// The largest allowed number.
        most: usize,
    },
    /// The forest is not valid.
    #[error(transparent)]
    Forest(#[from] ForestError),
    /// The saved bytes are not a run of boosting that fits.
    #[error("the saved run of boosting cannot be resumed: {0}; start again")]
    Saved(&'static str),
}

/// The limit for sums of rounded gradients in 31 bits, with one unit of rounding for each row.
const MAX_ROWS: usize = 1 << 28;

pub(super) fn check(
    options: &Options,
    table: &Table,
    bins: &Bins,
    validation: Option<&Table>,
) -> Result<(), BoostError> {
    check_values(options)?;
    let shape = [
        ("rows", bins.codes(0).len(), table.rows()),
        ("columns", bins.columns(), table.columns().len()),
    ];
    for (what, bins, table) in shape {
        if bins != table {
            return Err(BoostError::Bins { what, bins, table });
        }
    }
    for column in 0..bins.columns() {
        if let Codes::Word(_) = bins.codes(column) {
            let (column, intervals) =
                (table.columns()[column].clone(), bins.cuts(column).len() + 1);
            return Err(BoostError::Intervals { column, intervals });
        }
    }
    if table.rows() > MAX_ROWS {
        return Err(BoostError::Rows { rows: table.rows(), most: MAX_ROWS });
    }
    match (validation, options.patience) {
        (Some(rows), _) if rows.columns() != table.columns() => {
            return Err(BoostError::Validation { what: "columns" });
        }
        (Some(rows), _) if rows.classes() != table.classes() => {
            return Err(BoostError::Validation { what: "classes" });
        }
        (None, Some(patience)) => return Err(BoostError::Patience(patience)),
        _ => {}
    }
    let classes = table.classes().len();
    let seen = |class: usize| table.labels().iter().skip(class).step_by(classes).any(|&y| y > 0.0);
    let mut seen = (0..classes).filter(|&class| seen(class));
    if let (Some(only), None) = (seen.next(), seen.next()) {
        return Err(BoostError::OneClass { class: table.classes()[only].clone() });
    }
    Ok(())
}

fn check_values(options: &Options) -> Result<(), BoostError> {
    let share = |value: f32| value > 0.0 && value <= 1.0;
    let penalty = |value: f32| value >= 0.0 && value.is_finite();
    let (of_share, of_penalty) = ("above 0 and at most 1", "at least 0");
    let depth = options.max_depth;
    let checks = [
        ("rounds", f64::from(options.rounds), options.rounds > 0, "at least 1"),
        ("max_depth", f64::from(depth), (1..=32).contains(&depth), "from 1 to 32"),
        ("eta", options.eta.into(), share(options.eta), of_share),
        ("lambda", options.lambda.into(), penalty(options.lambda), of_penalty),
        ("gamma", options.gamma.into(), penalty(options.gamma), of_penalty),
        (
            "min_child_weight",
            options.min_child_weight.into(),
            penalty(options.min_child_weight),
            of_penalty,
        ),
        ("subsample", options.subsample.into(), share(options.subsample), of_share),
        ("colsample", options.colsample.into(), share(options.colsample), of_share),
    ];
    match checks.into_iter().find(|(_, _, right, _)| !right) {
        Some((name, value, _, must)) => Err(BoostError::Option { name, value, must }),
        None => Ok(()),
    }
}
