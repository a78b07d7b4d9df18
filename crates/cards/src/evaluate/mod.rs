//! The hand evaluator: the best five of up to seven cards, as one comparable number.
//!
//! With fewer than five cards there are no straights and no flushes; pairs, trips and kickers count
//! as usual. Several ways in, for several kinds of work, all with the same result:
//!
//! - [`evaluate`]: one [`CardSet`].
//! - [`PartialHand`]: hands that share cards, or cards that come one by one; with
//!   [`ranks_with`](PartialHand::ranks_with) a last card from many.
//! - [`OnBoard`]: one board with many pairs of hole cards.
//! - [`evaluate_hands`], [`evaluate_all`]: many hands or sets at once, in vector registers.
//!
//! All but the last look strengths up. Without a flush only ranks count: each rank has a key, the
//! sum of a hand's keys names its ranks, and an offset for the sum's upper bits turns the sum into
//! a place in a table of 76,155 strengths (all of zero to seven cards). A second table has, for all
//! of zero to six cards, the strengths with one more card of each rank side by side. With a flush,
//! the rank mask of its suit is the place in a third table. The tables take 2 MB, of which one way
//! in uses 0.4 MB or 1.4 MB, and are made when the crate is compiled, by the build script, so that
//! no call has to ask whether they are there.
//!
//! Flushes are evaluated out of line: where there is AVX-512 the compiler would otherwise turn a
//! loop of look-ups into gathers, at half the speed. The four suits are written out because a `map`
//! over an array may stay a call, which passes the array in memory and costs several evaluations
//! (`.ci/check_calls.py` looks for such calls in the program).

use crate::CardSet;

mod batch;
mod lanes;
mod on_board;
mod partial;
mod rank;
mod tables;

pub use batch::{evaluate_all, evaluate_hands};
pub use on_board::OnBoard;
pub use partial::PartialHand;
pub use rank::{Category, HandRank};

/// The strength of the best hand of at most five cards among these cards.
///
/// Correct for zero to seven cards (with eight or more, two flushes could meet and the result is
/// not meaningful). The order is the standard one for high hands; strengths of hands with fewer
/// than five cards compare with those of hands of as many cards.
#[inline]
pub fn evaluate(cards: CardSet) -> HandRank {
    let key = tables::key(cards);
    if key & tables::FLUSH_BIT != 0 {
        return flush(cards);
    }
    HandRank(tables::strength(key))
}

/// The strength of the best five of any number of cards; [`evaluate`] is faster for up to seven.
pub fn evaluate_any(cards: CardSet) -> HandRank {
    if cards.len() <= 7 {
        return evaluate(cards);
    }
    // The best five of eight leave three, so that they are among seven.
    let without = cards.iter().map(|left| evaluate_any(cards - CardSet::single(left)));
    without.max().unwrap_or_default()
}

/// The strength of a hand with five or more cards of one suit.
#[cold]
#[inline(never)]
fn flush(cards: CardSet) -> HandRank {
    // Suits with fewer cards have an entry of 0: no unpredictable branch on which suit it is.
    let [clubs, diamonds, hearts, spades] = cards.by_suit();
    HandRank(
        tables::flush(clubs)
            | tables::flush(diamonds)
            | tables::flush(hearts)
            | tables::flush(spades),
    )
}

/// The key of the ranks of up to seven cards, without suits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RankSum(u32);

impl RankSum {
    /// The ranks of these cards.
    pub(crate) fn from_cards(cards: CardSet) -> RankSum {
        cards.iter().fold(RankSum(0), |sum, card| sum.with(usize::from(card.rank().index())))
    }

    /// The key with one more card of this rank.
    #[inline]
    pub(crate) fn with(self, rank: usize) -> RankSum {
        RankSum(self.0.wrapping_add(tables::RANK_KEYS[rank]))
    }

    /// The strength of cards with these ranks of which no five share a suit.
    #[inline]
    pub(crate) fn strength(self) -> HandRank {
        HandRank(tables::strength(self.0))
    }
}

/// The strength of five to seven cards of one suit, given as a mask of ranks; for fewer cards the
/// default, which is below every hand.
#[inline]
pub(crate) fn flush_of(ranks: u16) -> HandRank {
    HandRank(tables::flush(ranks))
}
