//! The hand evaluator: the best five of up to seven cards, as one comparable number.
//!
//! With fewer than five cards there are no straights and no flushes; pairs, trips and kickers count as
//! usual. Four ways in, for four kinds of work, all with the same result:
//!
//! - [`evaluate`]: one [`CardSet`].
//! - [`PartialHand`]: hands that share cards, or cards that come one by one.
//! - [`OnBoard`]: one board with many pairs of hole cards.
//! - [`evaluate_all`]: many sets at once, in vector registers.
//!
//! All but the last look strengths up. Without a flush only ranks count: each rank has a key, the sum of
//! a hand's keys names its ranks, and an offset for the sum's upper bits turns the sum into a place
//! in a table of 76,155 strengths (all of zero to seven cards). With a flush, the rank mask of its suit
//! is the place in another table. The tables take 0.5 MB and are made when the crate is compiled, by
//! the build script, so that no call has to ask whether they are there.
//!
//! The way of flushes is out of line and the look-ups check their bounds: where there is AVX-512 the
//! compiler would otherwise make gathers out of a loop of look-ups, at half the speed.

use crate::CardSet;

mod batch;
mod lanes;
mod of_ranks;
mod on_board;
mod partial;
mod rank;
mod tables;

pub use batch::evaluate_all;
pub(crate) use of_ranks::{RankSum, flush_of};
pub use on_board::OnBoard;
pub use partial::PartialHand;
pub use rank::{Category, HandRank};

/// The strength of the best hand of at most five cards among these cards.
///
/// Correct for zero to seven cards (with eight or more, two flushes could meet and the result is
/// not meaningful). The order is the standard one for high hands; strengths of hands with fewer than
/// five cards compare with those of hands of as many cards.
#[inline]
pub fn evaluate(cards: CardSet) -> HandRank {
    let [clubs, diamonds, hearts, spades] =
        cards.by_suit().map(|ranks| tables::SUIT_KEYS[ranks as usize]);
    let key = clubs.wrapping_add(diamonds).wrapping_add(hearts).wrapping_add(spades);
    if key & tables::FLUSH_BIT != 0 {
        return flush(cards);
    }
    HandRank(tables::strength(key))
}

/// The strength of a hand with five or more cards of one suit.
#[cold]
#[inline(never)]
fn flush(cards: CardSet) -> HandRank {
    // Suits of fewer cards count zero: no need to ask, at random, which of them it is.
    let suits = cards.by_suit().map(|ranks| tables::FLUSHES[(ranks & 0x1FFF) as usize]);
    HandRank(suits[0] | suits[1] | suits[2] | suits[3])
}
