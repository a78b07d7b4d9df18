//! Exact best responses to a strategy within its abstract game.
//!
//! The responder sees what the strategy sees, the betting and its own bucket on each street, but
//! has perfect recall: it decides by its *path*, the buckets that it has held so far. It knows the
//! strategy and may make the bets of the tree. Its winnings are exact, over all deals of nine
//! cards:
//!
//! 1. [`PairCounts`] counts, board by board, how often each two paths meet and which of them wins.
//!    These are whole numbers; over all 22,100 flops they add up to [`DEALS`].
//! 2. [`Chances`] are the same as probabilities, for paths up to each street.
//! 3. [`Chances::best_response`] traverses the betting tree once: down with the strategy's reach
//!    probability for each path, up with the responder's value for each of its own.
//!
//! The first step depends on the buckets only and takes a minute or so, the rest takes a second.
//! The enumeration only assumes that suit-isomorphic hands share a bucket.
//!
//! An imperfect-recall strategy is a strategy of the game with perfect recall, but an optimal one
//! with imperfect recall need not be an equilibrium there: the response may win something from such
//! a strategy however long it was trained.

mod boards;
mod chances;
mod count;
mod pair_counts;
mod pass;

use cards::Board;
use game::Street;

pub use boards::check;
pub(crate) use boards::next;
pub use chances::Chances;
pub use pair_counts::{Cell, PairCounts, Path};
pub use pass::Response;

/// Maximum number of paths of a player: 256 MB for all pairs, and as much again for each thread in
/// the worst case.
pub const MAX_PATHS: usize = 4_000;

/// Number of deals of two hands, a flop, a turn and a river.
pub const DEALS: u64 = 1_326 * 1_225 * 17_296 * 45 * 44;

/// Error of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExactError {
    /// A street has too many buckets.
    #[error(
        "the {street} has {found} buckets, so a player has at least as many paths of them, and \
         only {MAX_PATHS} are possible: all pairs of {found} take {}; take fewer \
         buckets", bytes(*.found)
    )]
    Buckets {
        /// The street with too many buckets.
        street: Street,
        /// The number of buckets.
        found: usize,
    },
    /// There are too many paths.
    #[error(
        "a player has at least {found} paths of buckets from preflop to river, so many were found \
         up to the board {board}, and only {MAX_PATHS} are possible: all pairs of {found} take {}; \
         take fewer buckets",
        bytes(*.found)
    )]
    Paths {
        /// Number of paths found, more than [`MAX_PATHS`].
        found: usize,
        /// The board where the last were found.
        board: Board,
    },
    /// The board is not a flop, turn or river.
    #[error("pairs are counted on boards of three, four or five different cards, not on '{0}'")]
    Board(Board),
}

/// The size of the table for this many paths, in readable form.
fn bytes(paths: usize) -> String {
    let bytes = (paths * paths * size_of::<Cell>()) as f64;
    if bytes < 1e9 { format!("{:.0} MB", bytes / 1e6) } else { format!("{:.1} GB", bytes / 1e9) }
}
