//! Values of strategies against a best response: Algorithm 3, for both seats.

use crate::Player;
use crate::endgame::Endgame;

impl Endgame {
    /// A strategy's exploitability: the game's value minus what it is sure to get, in pots.
    ///
    /// A strategy has a row for each card: for the first player the probability of each size, for
    /// the second that of calling each. Panics where it has another shape.
    pub fn exploitability(&self, player: Player, strategy: &[f64], value: f64) -> f64 {
        match player {
            Player::First => value - self.against(player, strategy),
            Player::Second => self.against(player, strategy) - value,
        }
    }

    /// The first player's winnings when one player has this strategy and the other plays a best
    /// response, in pots. O(cards × sizes).
    pub fn against(&self, player: Player, strategy: &[f64]) -> f64 {
        assert_eq!(strategy.len(), self.cards() * self.bets.len(), "a row for each card");
        match player {
            Player::First => self.against_first(strategy),
            Player::Second => self.against_second(strategy),
        }
    }

    /// The best response calls a size with a card where the worse cards that bet it outweigh the
    /// better ones: worse · (1 + size) > better · size.
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

    /// The best response bets each card the size that wins most.
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

    /// The first player's winnings with a card for each size, in pots, against these calling
    /// probabilities: a row for each card with the probability of calling each size. `None` where
    /// the second player can hold no other card. Panics where the strategy has another shape.
    pub fn size_values(&self, card: usize, calls: &[f64]) -> Option<Vec<f64>> {
        let sizes = self.bets.len();
        assert_eq!(calls.len(), self.cards() * sizes, "a row for each card");
        let others = || (0..self.cards()).filter(move |&other| other != card);
        let dealt: f64 = others().map(|other| self.second[other]).sum();
        let worth = |(bet, &size): (usize, &f64)| {
            let won = others().map(|other| {
                let call = calls[other * sizes + bet];
                let called = if card > other { 1.0 + size } else { -size };
                self.second[other] * (1.0 - call + call * called)
            });
            won.sum::<f64>() / dealt
        };
        (dealt > 0.0).then(|| self.bets.sizes().iter().enumerate().map(worth).collect())
    }

    /// The second player's winnings from calling a size with a card, in pots, against these betting
    /// probabilities: a row for each card with the probability of each size. A fold wins 0. `None`
    /// where no other card bets that size. Panics where the strategy has another shape.
    pub fn call_value(&self, card: usize, bet: usize, strategy: &[f64]) -> Option<f64> {
        let sizes = self.bets.len();
        assert_eq!(strategy.len(), self.cards() * sizes, "a row for each card");
        let size = self.bets.sizes()[bet];
        let [mut total, mut won] = [0.0; 2];
        for other in (0..self.cards()).filter(|&other| other != card) {
            let mass = self.first[other] * strategy[other * sizes + bet];
            total += mass;
            won += mass * if card > other { 1.0 + size } else { -size };
        }
        (total > 0.0).then(|| won / total)
    }
}
