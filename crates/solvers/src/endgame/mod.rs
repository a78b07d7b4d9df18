//! Endgames of one bet: both players hold a card, the first bets one of many sizes or checks, the
//! second calls or folds.
//!
//! Ganzfried & Yusuf, "Computing human-understandable strategies: deducing fundamental rules of
//! poker strategy", Games 2017, sections 1 and 3. The pot is 1, made of two equal antes; winnings
//! here are what the first player takes of the pot and of the second player's calls, minus the own
//! bets lost. Net of the ante they are half a pot less.

use crate::Player;

mod centre;
mod dealer;
mod pairs;
mod solution;

pub use dealer::Dealer;
pub use pairs::Pivots;
pub use solution::{Size, Solution, mean_size};

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
    pub fn steps(step: f64, stack: f64) -> Result<Bets, EndgameError> {
        if !(step > 0.0 && stack.is_finite() && step <= stack) {
            return Err(EndgameError::Step { step, stack });
        }
        let whole = (stack / step + 1e-9).floor();
        if whole >= Bets::MAX as f64 {
            return Err(EndgameError::Sizes(whole as usize));
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
    pub fn new(sizes: &[f64]) -> Result<Bets, EndgameError> {
        if sizes.len() >= Bets::MAX {
            return Err(EndgameError::Sizes(sizes.len()));
        }
        if let Some(&size) = sizes.iter().find(|&&size| !(size > 0.0 && size.is_finite())) {
            return Err(EndgameError::Size(size));
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

/// An endgame: each player's card distribution, and the bet sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Endgame {
    pub(crate) bets: Bets,
    /// Normalised weights of the first player's cards, from the worst.
    pub(crate) first: Vec<f64>,
    /// Normalised weights of the second player's cards.
    pub(crate) second: Vec<f64>,
    /// The sum of the products of both weights over deals of two different cards.
    pub(crate) deals: f64,
    /// For each card the total weight of the second player's worse cards; at the end, that of all.
    pub(crate) below: Vec<f64>,
}

/// Error for numbers that do not form an endgame.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EndgameError {
    /// The number of cards is out of range.
    #[error("a deck of {0} cards: it has 2 to {most}", most = Endgame::MAX_CARDS)]
    Cards(usize),
    /// The players have different numbers of cards.
    #[error("{first} weights of the first player and {second} of the second: give one a card")]
    Decks {
        /// Number of weights of the first player.
        first: usize,
        /// Number of weights of the second player.
        second: usize,
    },
    /// A weight is negative or not finite.
    #[error(
        "the {player} player's card {card} weighs {weight}: a weight is a number of at least 0"
    )]
    Weight {
        /// `first` or `second`.
        player: &'static str,
        /// The card, from 1.
        card: usize,
        /// The refused weight.
        weight: f64,
    },
    /// No deal of two different cards is possible.
    #[error(
        "the weights leave no deal possible: each player needs a card with a weight above 0 that \
         the other need not hold"
    )]
    NoDeal,
    /// A size is not positive.
    #[error("a bet of {0} pots: a size is a number above 0")]
    Size(f64),
    /// Steps that give no valid sizes.
    #[error("bets in steps of {step} up to {stack}: the step is above 0 and at most the stack")]
    Step {
        /// The difference of neighbouring sizes, in pots.
        step: f64,
        /// The largest size, in pots.
        stack: f64,
    },
    /// Too many sizes.
    #[error("{0} sizes are more than {most}", most = Bets::MAX - 1)]
    Sizes(usize),
}

impl Endgame {
    /// Maximum number of cards.
    pub const MAX_CARDS: usize = 100;

    /// An endgame with these card weights, which are independent except that both players cannot
    /// hold the same card: the first has `i` and the second `j` with a probability proportional to
    /// `first[i] * second[j]` where they differ (Algorithm 5).
    pub fn new(first: &[f64], second: &[f64], bets: Bets) -> Result<Endgame, EndgameError> {
        if first.len() != second.len() {
            let (first, second) = (first.len(), second.len());
            return Err(EndgameError::Decks { first, second });
        }
        if !(2..=Endgame::MAX_CARDS).contains(&first.len()) {
            return Err(EndgameError::Cards(first.len()));
        }
        let first = shares("first", first)?;
        let second = shares("second", second)?;
        let deals = (0..first.len()).map(|i| {
            let others = second.iter().enumerate().filter(|(j, _)| *j != i);
            first[i] * others.map(|(_, share)| share).sum::<f64>()
        });
        let deals: f64 = deals.sum();
        if deals <= 0.0 {
            return Err(EndgameError::NoDeal);
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

/// Normalises weights to a sum of one.
fn shares(player: &'static str, weights: &[f64]) -> Result<Vec<f64>, EndgameError> {
    let wrong = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
    if let Some(card) = weights.iter().position(wrong) {
        return Err(EndgameError::Weight { player, card: card + 1, weight: weights[card] });
    }
    // Scaled by the largest first, so that the sum cannot overflow.
    let most = weights.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return Err(EndgameError::NoDeal);
    }
    let sum: f64 = weights.iter().map(|weight| weight / most).sum();
    Ok(weights.iter().map(|weight| weight / most / sum).collect())
}
