//! What a strategy is worth against the player who answers it best: Algorithm 3, for both seats.

use super::Endgame;
use crate::Player;

impl Endgame {
    /// How much less than the game's value a strategy is sure to get, in pots.
    ///
    /// A strategy has a row for each card: of the first player the probability of each size, of the
    /// second that of calling each. Panics where it has another shape.
    pub fn exploitability(&self, player: Player, strategy: &[f64], value: f64) -> f64 {
        match player {
            Player::First => value - self.against(player, strategy),
            Player::Second => self.against(player, strategy) - value,
        }
    }

    /// What the first player gets where one player has this strategy and the other answers it best,
    /// in pots. O(cards × sizes).
    pub fn against(&self, player: Player, strategy: &[f64]) -> f64 {
        assert_eq!(strategy.len(), self.cards() * self.bets.len(), "a row for each card");
        match player {
            Player::First => self.against_first(strategy),
            Player::Second => self.against_second(strategy),
        }
    }

    /// The second player calls a size with a card where the mass of worse cards that bet it pays
    /// for that of better ones: worse · (1 + size) > better · size.
    fn against_first(&self, strategy: &[f64]) -> f64 {
        let sizes = self.bets.len();
        let mut won = 0.0;
        for (bet, &size) in self.bets.sizes().iter().enumerate() {
            let mass = |card: usize| self.first[card] * strategy[card * sizes + bet];
            let mut better: f64 = (0..self.cards()).map(mass).sum();
            let mut worse = 0.0;
            for card in 0..self.cards() {
                let own = mass(card);
                better -= own;
                won += self.second[card] * ((1.0 + size) * worse - size * better).max(0.0);
                worse += own;
            }
        }
        1.0 - won / self.deals
    }

    /// The first player bets each card the size that wins most.
    fn against_second(&self, strategy: &[f64]) -> f64 {
        let sizes = self.bets.len();
        let mut most = vec![f64::NEG_INFINITY; self.cards()];
        for (bet, &size) in self.bets.sizes().iter().enumerate() {
            let mass = |card: usize| self.second[card] * strategy[card * sizes + bet];
            let mut above: f64 = (0..self.cards()).map(mass).sum();
            let mut below = 0.0;
            for (card, most) in most.iter_mut().enumerate() {
                let own = mass(card);
                above -= own;
                let unheld = self.below[self.cards()] - self.second[card];
                // Where it is the second player's own card the deal does not occur.
                *most = most.max(unheld + size * below - (1.0 + size) * above);
                below += own;
            }
        }
        let won = self.first.iter().zip(&most).filter(|(share, _)| **share > 0.0);
        won.map(|(share, most)| share * most).sum::<f64>() / self.deals
    }
}
