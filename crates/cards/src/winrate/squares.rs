//! `E[HS²]`: sums of squared river win-rates over all rivers, without distributions.

use super::board_of;
use super::hands::TurnSums;
use crate::{CardSet, Combo, RiverBoard, RiverTable, WinRateError};

impl RiverTable {
    /// Calls `visit` with every hand that can be held on a board of 3, 4 or 5 cards, and with the
    /// sum of its squared win-rates, each in 1,980ths, over the 1,081, 46 or 1 rivers that may
    /// come.
    ///
    /// Rows of the table are added up for all hands together: 0.5 ms for a flop, 20 µs for a turn.
    /// The order of the hands is not specified.
    ///
    /// # Errors
    /// When the board has not 3, 4 or 5 cards.
    pub fn each_sum_of_squares(
        &self,
        board: CardSet,
        mut visit: impl FnMut(Combo, u64),
    ) -> Result<(), WinRateError> {
        board_of(board, &[3, 4, 5])?;
        let free = Combo::all().filter(|combo| !combo.set().intersects(board));
        match board.len() {
            3 => {
                let turns = TurnSums::all(self, board, square);
                for combo in free {
                    let next = turns.iter().filter(|(card, _)| !combo.set().contains(*card));
                    let sum: u64 = next.map(|(_, sums)| u64::from(sums.sum(self, combo))).sum();
                    // Each run-out was counted for both of its cards.
                    visit(combo, sum / 2);
                }
            }
            4 => {
                let sums = TurnSums::new(self, board, square);
                free.for_each(|combo| visit(combo, sums.sum(self, combo).into()));
            }
            _ => {
                let river = RiverBoard::of(board);
                free.for_each(|combo| visit(combo, square(self.at(river.state(combo))).into()));
            }
        }
        Ok(())
    }
}

/// The square of a win-rate, at most 3,920,400, so that the sum over 48 rivers fits.
fn square(value: u16) -> u32 {
    u32::from(value) * u32::from(value)
}
