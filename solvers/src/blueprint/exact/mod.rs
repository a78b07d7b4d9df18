//! The best response to a strategy within its abstract game, exactly.
//!
//! The responder sees what the strategy sees, the betting and its own bucket on each street, but
//! forgets nothing: it decides by its *path*, the buckets that it has held so far. It knows the
//! strategy and may make the bets of the tree. What it wins is exact, over all deals of nine cards:
//!
//! 1. [`PairCounts`] counts, board by board, how often each two paths meet and which of them has
//!    the better hand. These are whole numbers; counted on all 22,100 flops they add up to
//!    [`DEALS`].
//! 2. [`Chances`] are the same as probabilities, for paths up to each street.
//! 3. [`Chances::best_response`] goes through the betting tree once: down with how likely the
//!    strategy gets there with each path, up with what the responder wins with each of its own.
//!
//! The first depends on the buckets alone and takes a minute or so, the rest takes a second.
//! Nothing is known about the deck but what buckets promise: hands that differ only in the names of
//! suits share one.
//!
//! A strategy that forgets earlier buckets is a strategy of the game of those who remember them,
//! but a best one among those that forget need not be an equilibrium there: against such strategies
//! the response may win something however long they were trained.

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

/// The paths that a player may have, at most: 256 MB for all pairs, and as much again for each
/// thread at the worst.
pub const MOST_PATHS: usize = 4_000;

/// All deals of two hands, a flop, a turn and a river.
pub const DEALS: u64 = 1_326 * 1_225 * 17_296 * 45 * 44;

/// Why there are no counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExactError {
    /// A street has too many buckets.
    #[error(
        "the {street} has {found} buckets, so that a player has at least as many paths of them, and only \
         {MOST_PATHS} are possible: all pairs of {found} take {}; take fewer buckets", bytes(*.found)
    )]
    Buckets {
        /// The street.
        street: Street,
        /// Its buckets.
        found: usize,
    },
    /// There are too many paths.
    #[error(
        "a player has at least {found} paths of buckets from preflop to river, so many were found up to \
         the board {board}, and only {MOST_PATHS} are possible: all pairs of {found} take {}; take fewer buckets",
        bytes(*.found)
    )]
    Paths {
        /// Paths found, more than [`MOST_PATHS`].
        found: usize,
        /// Where the last were found.
        board: Board,
    },
    /// The board is none of flop, turn or river.
    #[error(
        "pair_counts are counted on boards of three, four or five different cards, not on '{0}'"
    )]
    Board(Board),
}

/// What the table for so many paths takes, for a person.
fn bytes(paths: usize) -> String {
    let bytes = (paths * paths * size_of::<Cell>()) as f64;
    if bytes < 1e9 { format!("{:.0} MB", bytes / 1e6) } else { format!("{:.1} GB", bytes / 1e9) }
}
