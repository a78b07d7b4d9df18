//! Random endgames with their equilibria.
//!
//! The numbers of a game in a [`Database`](crate::database::Database): the distribution of the
//! first player's cards, that of the second's, the value to the first player, and the first
//! player's central equilibrium strategy, a row of bet sizes for each card. Both distributions are
//! drawn with the game's own random numbers (Algorithm 4) and rounded to 32 bits before the game is
//! solved.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use solvers::endgame::{Bets, Endgame, EndgameError};

use crate::database::{self, Content};
use crate::trees::mixed;

/// A database of endgames.
pub type Database = database::Database<Deck>;

/// The size of the deck and the bets of the endgames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deck {
    /// The number of cards.
    pub cards: usize,
    /// The sizes of bets in pots, in increasing order from 0.
    pub sizes: Vec<f64>,
}

/// An endgame of a database with its equilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved<'a> {
    /// The distribution of the first player's cards, from the worst card.
    pub first: &'a [f32],
    /// The distribution of the second player's cards.
    pub second: &'a [f32],
    /// The value of the game to the first player, in pots.
    pub value: f32,
    /// The first player's probability of each bet size, a row for each card.
    pub strategy: &'a [f32],
}

impl Deck {
    /// A deck of this many cards, with these bets.
    pub fn new(cards: usize, bets: &Bets) -> Deck {
        Deck { cards, sizes: bets.sizes().to_vec() }
    }

    /// The bet sizes.
    ///
    /// # Errors
    /// When they are not valid.
    pub fn bets(&self) -> Result<Bets, EndgameError> {
        Bets::new(self.sizes.get(1..).unwrap_or_default())
    }

    /// The distributions of both players' cards in a game, rounded to 32 bits.
    pub fn distributions(&self, seed: u64, game: u64) -> [Vec<f32>; 2] {
        let mut rng = Pcg64Mcg::seed_from_u64(mixed(seed, game));
        std::array::from_fn(|_| {
            random_shares(self.cards, &mut rng).into_iter().map(|share| share as f32).collect()
        })
    }
}

/// A uniform point of the simplex: exponential variables divided by their sum (Algorithm 4 of
/// Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017). Each share is
/// distributed as the minimum of `cards − 1` uniform numbers: it is above `t` with probability
/// `(1 − t)^(cards − 1)`.
pub fn random_shares(cards: usize, rng: &mut impl Rng) -> Vec<f64> {
    // For a number in [0, 1), one minus it is in (0, 1], where the logarithm is finite.
    let mut shares: Vec<f64> = (0..cards).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

impl Content for Deck {
    const MAGIC: &'static [u8; 8] = b"cardends";
    const COMMAND: &'static str = "cardroom endgame database";
    const CHUNK: u64 = 512;
    const GAMES: &'static str = "games";
    type Error = EndgameError;

    fn check(&self) -> Result<(), EndgameError> {
        if !(2..=Endgame::MAX_CARDS).contains(&self.cards) {
            return Err(EndgameError::Cards(self.cards));
        }
        match self.sizes.first() {
            Some(&size) if size != 0.0 => Err(EndgameError::Size(size)),
            _ => self.bets().map(drop),
        }
    }

    fn numbers(&self) -> usize {
        2 * self.cards + 1 + self.cards * self.sizes.len()
    }

    fn solve(&self, seed: u64, game: u64) -> Result<Vec<f32>, EndgameError> {
        let [first, second] = self.distributions(seed, game);
        let solution = endgame(&first, &second, &self.bets()?)?.solve();
        let mut row = first;
        row.extend(second);
        row.push(solution.value as f32);
        row.extend(solution.strategy.iter().map(|&share| share as f32));
        Ok(row)
    }
}

/// The endgame with these two distributions.
pub fn endgame(first: &[f32], second: &[f32], bets: &Bets) -> Result<Endgame, EndgameError> {
    let [first, second] =
        [first, second].map(|shares| shares.iter().map(|&share| f64::from(share)));
    Endgame::new(&first.collect::<Vec<_>>(), &second.collect::<Vec<_>>(), bets.clone())
}

impl Database {
    /// The bet sizes of all games.
    pub fn bets(&self) -> Bets {
        self.card().content.bets().expect("they were checked when it was opened")
    }

    /// The game at an index. Panics beyond the last.
    pub fn game(&self, index: usize) -> Solved<'_> {
        let cards = self.card().content.cards;
        let (first, rest) = self.numbers(index).split_at(cards);
        let (second, rest) = rest.split_at(cards);
        Solved { first, second, value: rest[0], strategy: &rest[1..] }
    }
}
