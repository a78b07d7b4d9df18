//! Exact best responses and exploitability.

use crate::{Player, Sequences};

/// Both players' behaviour strategies: the probability of every sequence's last action, indexed as
/// the [`Sequences`] of the game; entry 0 is unused (1).
#[derive(Debug, Clone, PartialEq)]
pub struct Profile(pub [Vec<f64>; 2]);

impl Profile {
    /// Uniform strategies of both players.
    pub fn uniform(game: &Sequences) -> Profile {
        Profile(Player::BOTH.map(|player| game.uniform(player)))
    }

    /// The first player's expected winnings.
    pub fn value(&self, game: &Sequences) -> f64 {
        let [first, second] = Player::BOTH.map(|player| realized(game, player, self));
        game.payoffs().map(|(row, column, value)| first[row] * value * second[column]).sum()
    }

    /// The value of this player's best response to the other's strategy.
    pub fn best_response_value(&self, game: &Sequences, player: Player) -> f64 {
        self.best_response(game, player).0
    }

    /// A best response to the other's strategy: its value, and the response as a pure behaviour
    /// strategy (the first among equal actions).
    ///
    /// One product with the payoff matrix and one sweep over the information sets.
    pub fn best_response(&self, game: &Sequences, player: Player) -> (f64, Vec<f64>) {
        let others = realized(game, player.other(), self);
        let mut gains = vec![0.0; game.len(player)];
        game.gains(player, &others, &mut gains);
        let mut response = vec![0.0; game.len(player)];
        response[0] = 1.0;
        for choice in game.choices(player).iter().rev() {
            let mut best = choice.first as usize;
            for sequence in choice.sequences() {
                if gains[sequence] > gains[best] {
                    best = sequence;
                }
            }
            response[best] = 1.0;
            gains[choice.parent as usize] += gains[best];
        }
        (gains[0], response)
    }

    /// The exploitability: a best responder's winnings beyond the value of the game, averaged over
    /// both players (half of "NashConv"). Zero exactly in an equilibrium.
    pub fn exploitability(&self, game: &Sequences) -> f64 {
        let sum: f64 =
            Player::BOTH.iter().map(|&player| self.best_response_value(game, player)).sum();
        sum / 2.0
    }
}

fn realized(game: &Sequences, player: Player, profile: &Profile) -> Vec<f64> {
    let mut reach = vec![0.0; game.len(player)];
    game.realize(player, &profile.0[player.index()], &mut reach);
    reach
}
