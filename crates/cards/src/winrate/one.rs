//! The outlook of one hand: one table look-up for each class of run-outs, not for each run-out.
//!
//! Run-outs whose cards have the same ranks, and the same part in a flush, lead to the same row of
//! the table. From a flop there are some 300 such classes among 1,081 run-outs.

use super::counter::Counter;
use super::outlook::{FLOP, RIVER, TURN};
use super::{Distribution, Outlook, check};
use crate::river::{RunOuts, Unfinished, ranks};
use crate::{CardSet, Combo, RiverBoard, RiverTable, WinRateError};

impl RiverTable {
    /// The outlook of a hand on any street: about 1 µs from a turn, 8 µs from a flop, 0.2 s before
    /// it.
    ///
    /// # Errors
    /// When the board has not 0, 3, 4 or 5 cards, or shares one with the hand.
    pub fn outlook(&self, hole: Combo, board: CardSet) -> Result<Outlook, WinRateError> {
        let mut outlook = Outlook::default();
        self.outlook_into(hole, board, &mut outlook)?;
        Ok(outlook)
    }

    /// The same as [`RiverTable::outlook`], written into an existing outlook. Allocates nothing
    /// from a flop on when that was of the same street.
    ///
    /// # Errors
    /// As [`RiverTable::outlook`]; `outlook` is then unchanged.
    pub fn outlook_into(
        &self,
        hole: Combo,
        board: CardSet,
        outlook: &mut Outlook,
    ) -> Result<(), WinRateError> {
        check(hole, board, &[0, 3, 4, 5])?;
        match board.len() {
            0 => *outlook = self.starting_hands(&[hole.starting_hand()]).remove(0),
            3 => self.after_flop(hole, board, outlook),
            4 => self.after_turn(hole, board, outlook),
            _ => {
                let value = self.at(RiverBoard::of(board).state(hole));
                (outlook.numerator, outlook.denominator) = (u64::from(value), u64::from(RIVER));
                outlook.later.clear();
            }
        }
        Ok(())
    }

    fn after_turn(&self, hole: Combo, board: CardSet, outlook: &mut Outlook) {
        let rivers = Unfinished::new(board).rivers();
        let mut values = [0u16; 46];
        for (value, card) in values.iter_mut().zip((CardSet::FULL - board - hole.set()).iter()) {
            *value = self.at(rivers[card.index() as usize].state(hole));
        }
        values.sort_unstable();
        let sum: u32 = values.iter().copied().map(u32::from).sum();
        (outlook.numerator, outlook.denominator) = (u64::from(sum), u64::from(TURN));
        outlook.later.resize_with(1, Distribution::default);
        outlook.later[0].fill(RIVER, values.into_iter().map(u32::from));
    }

    fn after_flop(&self, hole: Combo, board: CardSet, outlook: &mut Outlook) {
        let free = (CardSet::FULL - board - hole.set()).by_suit();
        let mut sums = Sums { rivers: Counter::new(), turns: [[0; 16]; 4] };
        let run_outs = RunOuts::new(&Unfinished::new(board), free, |river| {
            let value = self.at(river.state(hole));
            sums.rivers.expect(value);
            value
        });
        run_outs.each(|values, first, second, others| sums.add(values, first, second, others));

        let mut turns = [0; 47];
        let cards = (0..4).flat_map(|suit| ranks(free[suit]).map(move |rank| [suit, rank]));
        for (turn, [suit, rank]) in turns.iter_mut().zip(cards) {
            *turn = sums.turns[suit][rank];
        }
        turns.sort_unstable();
        // Each run-out was counted for both of its cards.
        let sum: u64 = turns.iter().copied().map(u64::from).sum();
        (outlook.numerator, outlook.denominator) = (sum / 2, u64::from(FLOP));
        outlook.later.resize_with(2, Distribution::default);
        outlook.later[0].fill(TURN, turns.into_iter());
        sums.rivers.drain(&mut outlook.later[1]);
    }
}

/// The sums of one hand over the run-outs of a flop.
struct Sums {
    rivers: Counter,
    /// The sum over the rivers after each turn card, indexed by suit and rank.
    turns: [[u32; 16]; 4],
}

impl Sums {
    /// Adds the run-outs of one card with each card of these ranks of a suit.
    #[inline]
    fn add(&mut self, values: &[u16; 16], [first, x]: [usize; 2], second: usize, others: u16) {
        let mut sum = 0;
        for y in ranks(others) {
            let value = values[y];
            self.rivers.add(value, 1);
            self.turns[second][y] += u32::from(value);
            sum += u32::from(value);
        }
        self.turns[first][x] += sum;
    }
}
