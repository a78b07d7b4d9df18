//! The common parts of CART and optimal trees: rows in the layout for counting, nodes of unfinished
//! trees, the search for the best split of a leaf, pruning.

pub(crate) mod grow;
mod histogram;
pub(crate) mod least;
mod loss;
pub(crate) mod matrix;
pub(crate) mod node;
pub(crate) mod prune;
pub(crate) mod scan;

pub use loss::Loss;

/// The most classes a tree can learn: the most lanes of `with_lanes`.
pub(crate) const MAX_CLASSES: usize = 320;

/// The reason a tree cannot be learned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TreesError {
    /// There are too many classes.
    #[error("{0} classes are more than the {MAX_CLASSES} that trees can distinguish")]
    Classes(usize),
    /// The depth is too large.
    #[error("a depth of {0}: trees have at most {most}", most = models::tree::DEEPEST)]
    Depth(usize),
    /// A number is negative or not a number.
    #[error("{name} is {value}: it must be a number of at least 0")]
    Negative {
        /// The option's name.
        name: &'static str,
        /// The value given for it.
        value: f64,
    },
    /// The columns or classes of two tables differ.
    #[error("the held-out rows have other columns or classes than those to learn from")]
    Others,
    /// The bins are of another table.
    #[error("the bins are of {bins} columns, the table has {table}")]
    Bins {
        /// The number of columns of the bins.
        bins: usize,
        /// The number of columns of the table.
        table: usize,
    },
    /// The saved bytes do not continue this run.
    #[error("the saved run cannot be resumed: {0}")]
    Saved(String),
}

/// Calls a function that is generic over the number of lanes for classes, with the smallest number
/// that holds them.
macro_rules! with_lanes {
    ($classes:expr, $lanes:ident => $made:expr) => {{
        macro_rules! made {
            ($number:literal) => {{
                const $lanes: usize = $number;
                $made
            }};
        }
        match $classes {
            ..=2 => made!(2),
            ..=4 => made!(4),
            ..=8 => made!(8),
            ..=12 => made!(12),
            ..=16 => made!(16),
            ..=32 => made!(32),
            _ => made!(320),
        }
    }};
}
pub(crate) use with_lanes;

/// A hash of two numbers.
pub(crate) fn mixed(a: u64, b: u64) -> u64 {
    let mut z = (a ^ b.rotate_left(32)).wrapping_add(b.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Checks the inputs of a tree learner.
pub(crate) fn check(
    table: &crate::Table,
    bins: &crate::Bins,
    depth: usize,
    numbers: &[(&'static str, f64)],
) -> Result<(), TreesError> {
    if table.classes().len() > MAX_CLASSES {
        return Err(TreesError::Classes(table.classes().len()));
    }
    if depth > models::tree::DEEPEST {
        return Err(TreesError::Depth(depth));
    }
    if bins.columns() != table.columns().len() {
        return Err(TreesError::Bins { bins: bins.columns(), table: table.columns().len() });
    }
    match numbers.iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
        Some(&(name, value)) => Err(TreesError::Negative { name, value }),
        None => Ok(()),
    }
}
