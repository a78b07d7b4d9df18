//! What CART and optimal trees have in common: rows ready for counting, nodes that are still being
//! made, the search for the best split of a leaf, pruning.

pub(crate) mod grow;
mod histogram;
pub(crate) mod least;
mod loss;
pub(crate) mod matrix;
pub(crate) mod node;
pub(crate) mod prune;
pub(crate) mod scan;

pub use loss::Loss;

/// The most classes of a tree that is learned: the most lanes of `with_lanes`.
pub(crate) const MOST_CLASSES: usize = 320;

/// Why trees cannot be made as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TreesError {
    /// More classes than are counted.
    #[error("{0} classes are more than the {MOST_CLASSES} that trees can tell apart")]
    Classes(usize),
    /// Deeper than trees are.
    #[error("a depth of {0}: trees have at most {most}", most = models::tree::DEEPEST)]
    Depth(usize),
    /// A number that must not be negative, or is none.
    #[error("{name} is {value}: it must be a number of at least 0")]
    Negative {
        /// What it is.
        name: &'static str,
        /// The value.
        value: f64,
    },
    /// Two tables whose columns or classes differ.
    #[error("the held-out rows have other columns or classes than those to learn from")]
    Others,
    /// Bins of another table.
    #[error("the bins are of {bins} columns, the table has {table}")]
    Bins {
        /// Columns of the bins.
        bins: usize,
        /// Columns of the table.
        table: usize,
    },
    /// Saved bytes that do not continue this run.
    #[error("the saved run cannot be taken up: {0}")]
    Saved(String),
}

/// Calls a function that is generic over the number of lanes for the classes with the least number
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

/// A number that nothing can be told from, made of two.
pub(crate) fn mixed(a: u64, b: u64) -> u64 {
    let mut z = (a ^ b.rotate_left(32)).wrapping_add(b.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Checks what every tree learner is given.
pub(crate) fn check(
    table: &crate::Table,
    bins: &crate::Bins,
    depth: usize,
    numbers: &[(&'static str, f64)],
) -> Result<(), TreesError> {
    if table.classes().len() > MOST_CLASSES {
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
