//! Chance in an endgame that is played: cards, and what a strategy does.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Endgame;

/// Deals cards and draws actions.
#[derive(Debug, Clone)]
pub struct Dealer(Pcg64Mcg);

impl Dealer {
    /// The seed determines all that it deals and draws.
    pub fn new(seed: u64) -> Dealer {
        Dealer(Pcg64Mcg::seed_from_u64(seed))
    }

    /// The first player's card and the second's, counted from 0, as likely as the game says.
    pub fn cards(&mut self, game: &Endgame) -> [usize; 2] {
        let cards = game.cards();
        let deals: Vec<f64> =
            (0..cards * cards).map(|at| game.deal(at / cards, at % cards)).collect();
        let at = self.draw(&deals);
        [at / cards, at % cards]
    }

    /// A place of a row, each with its probability; these sum to one but for rounding. A place of
    /// probability 0 never comes out, unless all are.
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
