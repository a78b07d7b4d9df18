//! An equilibrium of an endgame, as probabilities and as pairs of bluffs and value bets.

use super::centre::{Masses, Role, centre, vertex};
use super::pairs::{Pairs, Pivots};
use super::{Bets, Endgame};
use crate::Player;

/// An equilibrium of an endgame.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The first player's expected winnings, in pots.
    pub value: f64,
    /// The probability of each size, a row for each card of the first player. A card that is never
    /// dealt checks.
    pub strategy: Vec<f64>,
    /// The probability of calling each size, a row for each card of the second player.
    pub calls: Vec<f64>,
    /// The sizes in use, in increasing order.
    pub sizes: Vec<Size>,
}

/// A size in use, with its value bets and bluffs: bluffs are to value bets as the size to the size
/// plus one.
#[derive(Debug, Clone, PartialEq)]
pub struct Size {
    /// The index of the size.
    pub bet: usize,
    /// Cards that bet it for value, with the joint probability of card and bet.
    pub value: Vec<(usize, f64)>,
    /// Cards that bet it as bluffs, with the joint probability of card and bet.
    pub bluffs: Vec<(usize, f64)>,
    /// The share of all cards that calls it, the best ones, before card removal.
    pub called: f64,
}

impl Endgame {
    /// The central equilibrium: the analytic centre of the first player's optimal strategies, and
    /// the midpoints of the second player's optimal thresholds.
    ///
    /// The simplex method takes some ten pivots for ten cards; its cost grows with
    /// pivots × (cards² + cards × sizes).
    pub fn solve(&self) -> Solution {
        self.solve_by(Pivots::Best)
    }

    /// The same as [`solve`](Endgame::solve), with this pivoting rule.
    pub fn solve_by(&self, pivots: Pivots) -> Solution {
        let mut pairs = Pairs::solve(self, pivots);
        let (value, called) = (pairs.total(), middles(&pairs));
        let masses = centre(&mut pairs);
        self.solution(value, &masses, &pairs.cards, &called)
    }

    /// The equilibrium at which the simplex method ends: an extreme point, which depends on the
    /// order of pivots.
    pub fn extreme(&self, pivots: Pivots) -> Solution {
        let pairs = Pairs::solve(self, pivots);
        self.solution(pairs.total(), &vertex(&pairs), &pairs.cards, &middles(&pairs))
    }

    fn solution(&self, value: f64, masses: &Masses, cards: &[usize], called: &[f64]) -> Solution {
        let sizes = self.bets.len();
        let mut strategy = vec![0.0; self.cards() * sizes];
        let mut bet: Vec<Size> = Vec::new();
        for (&(row, role), &mass) in masses {
            let card = cards[row];
            let number = match role {
                Role::Check => 0,
                Role::Bluff(bet) | Role::Value(bet) => bet,
            };
            strategy[card * sizes + number] += mass;
            // The probability that it is dealt, given that the second player holds another card.
            let others = self.below[self.cards()] - self.second[card];
            let mass = mass * others / self.deals;
            let (Role::Bluff(number) | Role::Value(number)) = role else { continue };
            let at = bet.iter().position(|size| size.bet == number).unwrap_or_else(|| {
                let (value, bluffs) = (Vec::new(), Vec::new());
                bet.push(Size { bet: number, value, bluffs, called: called[number] });
                bet.len() - 1
            });
            match role {
                Role::Value(_) => bet[at].value.push((card, mass)),
                _ => bet[at].bluffs.push((card, mass)),
            }
        }
        bet.sort_by_key(|size| size.bet);
        for (row, &share) in strategy.chunks_exact_mut(sizes).zip(&self.first) {
            let sum: f64 = row.iter().sum();
            match share > 0.0 && sum > 0.0 {
                true => row.iter_mut().for_each(|mass| *mass /= sum),
                false => row[0] = 1.0,
            }
        }
        Solution { value, strategy, calls: self.thresholds(called), sizes: bet }
    }

    /// The strategy that calls each size with the best cards of a total weight of `called`: a row
    /// for each card.
    pub fn thresholds(&self, called: &[f64]) -> Vec<f64> {
        let all = self.below[self.cards()];
        let mut calls = vec![0.0; self.cards() * self.bets.len()];
        for (card, row) in calls.chunks_exact_mut(self.bets.len()).enumerate() {
            let (above, share) = (all - self.below[card + 1], self.second[card]);
            for (call, &called) in row.iter_mut().zip(called) {
                let rest = called - above;
                *call = if share > 0.0 {
                    (rest / share).clamp(0.0, 1.0)
                } else {
                    f64::from(u8::from(rest > 0.0))
                };
            }
        }
        calls
    }

    /// Each player's exploitability in a solution, in pots.
    pub fn exploitabilities(&self, solution: &Solution) -> [f64; 2] {
        let of = |player, strategy: &[f64]| self.exploitability(player, strategy, solution.value);
        [of(Player::First, &solution.strategy), of(Player::Second, &solution.calls)]
    }
}

/// The midpoints of the optimal calling ranges.
fn middles(pairs: &Pairs<'_>) -> Vec<f64> {
    pairs.called().into_iter().map(|[least, most]| (least + most) / 2.0).collect()
}

/// The mean bet size of a row of probabilities, in pots.
pub fn mean_size(row: &[f64], bets: &Bets) -> f64 {
    row.iter().zip(bets.sizes()).map(|(share, size)| share * size).sum()
}
