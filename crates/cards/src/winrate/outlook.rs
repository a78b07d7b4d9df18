//! A hand's win-rate now and on every later street.

use super::{Distribution, check, each_river};
use crate::river::classes::Classes;
use crate::{Card, CardSet, Combo, RiverTable, Ties, WinRateError};

/// Denominators of the win-rate on one board of each street: twice the number of endings.
pub(crate) const RIVER: u32 = RiverTable::DENOMINATOR as u32;
pub(crate) const TURN: u32 = 46 * RIVER;
pub(crate) const FLOP: u32 = 1081 * RIVER;

/// A hand's win-rate against a uniform opponent now, and its distribution on every later street.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outlook {
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
    pub(crate) later: Vec<Distribution>,
}

impl Outlook {
    /// The outlook of a hand on a flop, turn or river without a table: about 1 ms from a flop. For
    /// many hands, and before the flop, take [`RiverTable::outlook`], which is a hundred times
    /// faster.
    ///
    /// # Errors
    /// When the board has not 3, 4 or 5 cards, or shares one with the hand.
    pub fn new(hole: Combo, board: CardSet, ties: Ties) -> Result<Outlook, WinRateError> {
        check(hole, board, &[3, 4, 5])?;
        let (mut rivers, mut turns) = (Vec::new(), [0u32; Card::COUNT as usize]);
        each_river(board, hole.set(), &mut |river| {
            let value = u32::from(Classes::one(river, hole.set()).value(ties));
            rivers.push(value);
            (river - board).iter().for_each(|card| turns[card.index() as usize] += value);
        });
        let mut outlook = Outlook {
            numerator: rivers.iter().copied().map(u64::from).sum(),
            denominator: u64::from(RIVER) * rivers.len() as u64,
            later: Vec::new(),
        };
        if board.len() == 3 {
            let next = CardSet::FULL - board - hole.set();
            let turns = next.iter().map(|card| turns[card.index() as usize]).collect();
            outlook.later.push(sorted(TURN, turns));
        }
        if board.len() < 5 {
            outlook.later.push(sorted(RIVER, rivers));
        }
        Ok(outlook)
    }

    /// The outlook of a hand on a river, given its win-rate in 1,980ths.
    pub fn on_river(value: u16) -> Outlook {
        Outlook { numerator: value.into(), denominator: RIVER.into(), later: Vec::new() }
    }

    /// The win-rate now, from 0 to 1.
    pub fn win_rate(&self) -> f64 {
        self.numerator as f64 / self.denominator.max(1) as f64
    }

    /// The win-rate now as numerator and denominator; the denominator is twice the number of
    /// equally likely endings.
    pub fn ratio(&self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    /// The distribution on each later street, the next street first: 47 boards and 1,081 boards
    /// from a flop; 46 from a turn; none from a river; 19,600, 230,300 and 2,118,760 before the
    /// flop.
    pub fn later(&self) -> &[Distribution] {
        &self.later
    }
}

fn sorted(denominator: u32, mut numerators: Vec<u32>) -> Distribution {
    numerators.sort_unstable();
    let mut distribution = Distribution::default();
    distribution.fill(denominator, numerators.into_iter());
    distribution
}
