//! Random deals and actions for playing an endgame.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Endgame;

/// A seeded random source of deals and actions.
#[derive(Debug, Clone)]
pub struct Dealer(Pcg64Mcg);

impl Dealer {
    /// The seed determines all deals and draws.
    pub fn new(seed: u64) -> Dealer {
        Dealer(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Draws the first player's card and the second's, counted from 0, with the game's
    /// probabilities.
    pub fn cards(&mut self, game: &Endgame) -> [usize; 2] {
        let cards = game.cards();
        let deals: Vec<f64> =
            (0..cards * cards).map(|at| game.deal(at / cards, at % cards)).collect();
        let at = self.draw(&deals);
        [at / cards, at % cards]
    }

    /// Draws an index of a row of probabilities, which sum to one up to rounding. An entry of
    /// probability 0 is never drawn, unless all are 0.
    pub fn draw(&mut self, row: &[f64]) -> usize {
        let mut left: f64 = self.0.random();
        for (at, &share) in row.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            left -= share;
            if left < 0.0 {
                return at;
            }
        }
        row.iter().rposition(|&share| share > 0.0).unwrap_or(0)
    }
}
