//! Endgames of one bet: both players hold a card, the first bets one of many sizes or checks, the
//! second calls or folds.
//!
//! Ganzfried & Yusuf, "Computing human-understandable strategies: deducing fundamental rules of
//! poker strategy", Games 2017, sections 1 and 3. The pot is 1, made of two equal antes; winnings
//! here are what the first player takes of the pot and of the second player's calls, minus the own
//! bets lost. Net of the ante they are half a pot less.
//!
//! [`Endgame::solve`] gives an equilibrium, from a small linear program (`program.rs`);
//! [`Endgame::against`] and [`Endgame::exploitability`] what strategies get against a best response
//! (Algorithm 3, for both seats). [`database`] has random games with their equilibria, [`rules`]
//! short rules found in them, [`trees`] decision trees learned from them (sections 3 and 4) and
//! [`neighbours`] those nearest to a game, which [`comparison`] compares and [`size_tree`] shows;
//! [`play()`] lets a person play against the equilibrium.

pub mod comparison;
pub mod database;
pub mod neighbours;
mod play;
mod program;
mod report;
pub mod rules;
pub mod size_tree;
mod strategy_text;
pub mod trees;

use program::{Masses, Pairs, Role, centre, vertex};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::{Player, drawn};

use crate::Error;

pub use play::{Talk, play};
pub use program::Pivots;
pub use report::{EndgameReport, picture};
pub use strategy_text::{parse_strategy, print_strategy};

/// The bet sizes of the first player, in pots: 0, which is a check, and others in increasing order.
#[derive(Debug, Clone, PartialEq)]
pub struct Bets(Vec<f64>);

impl Bets {
    /// Maximum number of sizes, including the check.
    pub const MAX: usize = 1001;

    /// The published sizes: 0, 0.1, … 3.0.
    pub fn published() -> Bets {
        Bets::steps(0.1, 3.0).expect("30 steps")
    }

    /// A check and every multiple of `step` up to `stack`, the stack itself being the last.
    pub fn steps(step: f64, stack: f64) -> Result<Bets, Error> {
        if !(step > 0.0 && stack.is_finite() && step <= stack) {
            return Err(Error::new(format!(
                "bets in steps of {step} up to {stack}: the step is above 0 and at most the stack"
            )));
        }
        let whole = (stack / step + 1e-9).floor();
        if whole >= Bets::MAX as f64 {
            return Err(too_many_sizes(whole as usize));
        }
        // Tenths are written as tenths: 3 * 0.1 is not 0.3.
        let per_unit = (1.0 / step).round();
        let exact = (per_unit * step - 1.0).abs() < 1e-12;
        let size = |k: usize| if exact { k as f64 / per_unit } else { k as f64 * step };
        let mut sizes: Vec<f64> = (1..=whole as usize).map(size).collect();
        if sizes.last().is_none_or(|last| stack - last > 1e-9) {
            sizes.push(stack);
        }
        Bets::new(&sizes)
    }

    /// A check and these sizes, in pots.
    pub fn new(sizes: &[f64]) -> Result<Bets, Error> {
        if sizes.len() >= Bets::MAX {
            return Err(too_many_sizes(sizes.len()));
        }
        if let Some(&size) = sizes.iter().find(|&&size| !(size > 0.0 && size.is_finite())) {
            return Err(not_a_size(size));
        }
        let mut all = vec![0.0];
        all.extend(sizes);
        all.sort_by(f64::total_cmp);
        all.dedup();
        Ok(Bets(all))
    }

    /// The sizes in increasing order, from 0.
    pub fn sizes(&self) -> &[f64] {
        &self.0
    }

    /// Number of sizes, including the check.
    #[allow(clippy::len_without_is_empty, reason = "there is always a check")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The index of the size nearest to `size`; of two equally near ones the smaller.
    pub fn nearest(&self, size: f64) -> usize {
        let after = self.0.partition_point(|&bet| bet < size).min(self.len() - 1);
        let before = after.saturating_sub(1);
        if size - self.0[before] <= self.0[after] - size { before } else { after }
    }
}

fn too_many_sizes(count: usize) -> Error {
    Error::new(format!("{count} sizes are more than {}", Bets::MAX - 1))
}

fn not_a_size(size: f64) -> Error {
    Error::new(format!("a bet of {size} pots: a size is a number above 0"))
}

/// An endgame: each player's card distribution, and the bet sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Endgame {
    bets: Bets,
    /// Normalised weights of the first player's cards, from the worst.
    first: Vec<f64>,
    /// Normalised weights of the second player's cards.
    second: Vec<f64>,
    /// The sum of the products of both weights over deals of two different cards.
    deals: f64,
    /// For each card the total weight of the second player's worse cards; at the end, that of all.
    below: Vec<f64>,
}

impl Endgame {
    /// Maximum number of cards.
    pub const MAX_CARDS: usize = 100;

    /// Checks a number of cards.
    ///
    /// # Errors
    /// When no endgame has so many, or so few.
    pub fn check_cards(cards: usize) -> Result<(), Error> {
        let most = Endgame::MAX_CARDS;
        let fits = (2..=most).contains(&cards);
        fits.then_some(())
            .ok_or_else(|| Error::new(format!("a deck of {cards} cards: it has 2 to {most}")))
    }

    /// An endgame with these card weights, which are independent except that both players cannot
    /// hold the same card: the first has `i` and the second `j` with a probability proportional to
    /// `first[i] * second[j]` where they differ (Algorithm 5).
    pub fn new(first: &[f64], second: &[f64], bets: Bets) -> Result<Endgame, Error> {
        if first.len() != second.len() {
            let (first, second) = (first.len(), second.len());
            return Err(Error::new(format!(
                "{first} weights of the first player and {second} of the second: give one a card"
            )));
        }
        Endgame::check_cards(first.len())?;
        let first = shares("first", first)?;
        let second = shares("second", second)?;
        let deals = (0..first.len()).map(|i| {
            let others = second.iter().enumerate().filter(|(j, _)| *j != i);
            first[i] * others.map(|(_, share)| share).sum::<f64>()
        });
        let deals: f64 = deals.sum();
        if deals <= 0.0 {
            return Err(no_deal());
        }
        let mut below = vec![0.0];
        for share in &second {
            below.push(below[below.len() - 1] + share);
        }
        Ok(Endgame { bets, first, second, deals, below })
    }

    /// The bet sizes.
    pub fn bets(&self) -> &Bets {
        &self.bets
    }

    /// Number of cards of the deck.
    pub fn cards(&self) -> usize {
        self.first.len()
    }

    /// The normalised weights of a player's cards, from the worst, before the other's card is
    /// known.
    pub fn shares(&self, player: Player) -> &[f64] {
        match player {
            Player::First => &self.first,
            Player::Second => &self.second,
        }
    }

    /// The probability that the first player holds card `i` and the second `j`, counted from 0.
    pub fn deal(&self, i: usize, j: usize) -> f64 {
        if i == j { 0.0 } else { self.first[i] * self.second[j] / self.deals }
    }

    /// The share of the second player's cards, other than `i`, that card `i` beats; `None` where
    /// there are none.
    pub fn beats(&self, i: usize) -> Option<f64> {
        let others = self.below[self.cards()] - self.second[i];
        (others > 0.0).then(|| self.below[i] / others)
    }
}

fn no_deal() -> Error {
    Error::new(
        "the weights leave no deal possible: each player needs a card with a weight above 0 that \
         the other need not hold",
    )
}

/// Normalises weights to a sum of one.
fn shares(player: &'static str, weights: &[f64]) -> Result<Vec<f64>, Error> {
    let wrong = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
    if let Some(card) = weights.iter().position(wrong) {
        let (card, weight) = (card + 1, weights[card]);
        return Err(Error::new(format!(
            "the {player} player's card {card} weighs {weight}: a weight is a number of at least 0"
        )));
    }
    // Scaled by the largest first, so that the sum cannot overflow.
    let most = weights.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return Err(no_deal());
    }
    let sum: f64 = weights.iter().map(|weight| weight / most).sum();
    Ok(weights.iter().map(|weight| weight / most / sum).collect())
}

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
            if share > 0.0 && sum > 0.0 {
                row.iter_mut().for_each(|mass| *mass /= sum);
            } else {
                row[0] = 1.0;
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
        let index = drawn(self.0.random(), row.iter().copied());
        index.or_else(|| row.iter().rposition(|&share| share > 0.0)).unwrap_or(0)
    }
}
