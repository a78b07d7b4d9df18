//! A hand's strength in two parts: by ranks without a flush, and of the flush alone.

use super::{HandRank, tables};
use crate::CardSet;

/// The key of the ranks of up to seven cards, without suits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RankSum(u32);

impl RankSum {
    /// The ranks of these cards.
    pub(crate) fn of(cards: CardSet) -> RankSum {
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
