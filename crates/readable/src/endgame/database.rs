//! Random endgames with their equilibria, and the representations of them that models see.
//!
//! The numbers of a game in a [`Database`](learners::database::Database): the distribution of the
//! first player's cards, that of the second's, the value to the first player, and the first
//! player's central equilibrium strategy, a row of bet sizes for each card. Both distributions are
//! drawn with the game's own random numbers (Algorithm 4) and rounded to 32 bits before the game is
//! solved.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use learners::database::{self, Content};
use learners::{Table, mixed};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use show::number::whole;

use super::{Bets, Endgame, Pivots, not_a_size};
use crate::Error;

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
    pub fn bets(&self) -> Result<Bets, Error> {
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
    const COMMAND: &'static str = "cardroom solve endgame database";
    const CHUNK: u64 = 512;
    const GAMES: &'static str = "games";
    type Solved<'a> = Solved<'a>;
    type Error = Error;

    fn check(&self) -> Result<(), Error> {
        Endgame::check_cards(self.cards)?;
        match self.sizes.first() {
            Some(&size) if size != 0.0 => Err(not_a_size(size)),
            _ => self.bets().map(drop),
        }
    }

    fn numbers(&self) -> usize {
        2 * self.cards + 1 + self.cards * self.sizes.len()
    }

    fn solve(&self, seed: u64, game: u64) -> Result<Vec<f32>, Error> {
        let [first, second] = self.distributions(seed, game);
        let solution = endgame(&first, &second, &self.bets()?)?.solve();
        let mut row = first;
        row.extend(second);
        row.push(solution.value as f32);
        row.extend(solution.strategy.iter().map(|&share| share as f32));
        Ok(row)
    }

    fn solved<'a>(&self, numbers: &'a [f32]) -> Solved<'a> {
        let (first, rest) = numbers.split_at(self.cards);
        let (second, rest) = rest.split_at(self.cards);
        Solved { first, second, value: rest[0], strategy: &rest[1..] }
    }
}

/// The endgame with these two distributions.
pub fn endgame(first: &[f32], second: &[f32], bets: &Bets) -> Result<Endgame, Error> {
    let [first, second] =
        [first, second].map(|shares| shares.iter().map(|&share| f64::from(share)));
    Endgame::new(&first.collect::<Vec<_>>(), &second.collect::<Vec<_>>(), bets.clone())
}

/// The bet sizes of all games.
pub fn bets(database: &Database) -> Bets {
    database.card().content.bets().expect("they were checked when it was opened")
}

// Solved endgames as rows to learn from: the ten representations of Ganzfried & Yusuf, "Computing
// human-understandable strategies", Games 2017, section 4.
//
// | number | inputs | output |
// |---|---|---|
// | 1, 2 | the cdfs of both players' cards; their shares (pdf) | all sizes of all cards |
// | 3, 4 | the same and the card's number | all sizes of that card |
// | 5, 6 | the same and the card's share | the same |
// | 7–10 | as 3–6 | one size, drawn by its probability |
//
// "All sizes" are the probabilities of the 31 sizes of a card.
//
// All outputs are distributions over classes, so that greedy trees that minimise Gini impurity are
// regression trees here: a leaf's loss is the squared error of the distributions from their mean,
// up to a term that no split changes. All cards of a game become one distribution when each card's
// is divided by their number. One size `s` of at most `m` becomes two classes, `s/m` and `1 −
// s/m`: both have the squared error of `s` from its mean, divided by `m²`, so the loss is twice
// that of least squares over `m²`, and the splits are the same.

/// A constant mixed into the seeds of the draws of sizes, with the game and the card.
const DRAWS: u64 = 0x0073_697a_6573;

/// The form of the players' distributions in the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// For each card the total share of it and all worse cards.
    Cdf,
    /// For each card its share.
    Pdf,
}

/// The input that identifies the card whose strategy is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardInput {
    /// None: a row is for all cards.
    All,
    /// The card's number, from 1.
    Number,
    /// A share of the cards, see [`Share`].
    Share,
}

/// The share that stands for a card; the paper has both wordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// The share of the second player's cards that it beats, as the paper's rules are worded.
    Beaten,
    /// The first player's own cdf at the card, as its "cdf value of the card" may be read.
    Own,
}

/// A representation of solved games as rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Representation {
    /// The number in the paper, from 1.
    pub number: usize,
    /// The form of the distributions.
    pub inputs: Inputs,
    /// The input for the card.
    pub card_input: CardInput,
    /// Whether the output is one sampled size instead of all probabilities.
    pub drawn: bool,
}

impl Representation {
    /// The number of representations.
    pub const COUNT: usize = 10;

    /// The representation with a number in the paper, 1 to 10.
    pub fn published(number: usize) -> Option<Representation> {
        let card_input = match number {
            1 | 2 => CardInput::All,
            3 | 4 | 7 | 8 => CardInput::Number,
            5 | 6 | 9 | 10 => CardInput::Share,
            _ => return None,
        };
        let inputs = if number % 2 == 1 { Inputs::Cdf } else { Inputs::Pdf };
        Some(Representation { number, inputs, card_input, drawn: number > 6 })
    }

    /// A short description of inputs and output.
    pub fn name(&self) -> String {
        let inputs = match self.inputs {
            Inputs::Cdf => "cdf",
            Inputs::Pdf => "pdf",
        };
        let (card_input, output) = match self.card_input {
            CardInput::All => ("", "all cards"),
            CardInput::Number => (" + card", "one card"),
            CardInput::Share => (" + card's share", "one card"),
        };
        format!("{inputs}{card_input} → {}", if self.drawn { "one size" } else { output })
    }

    /// The names of the columns for a deck.
    pub fn columns(&self, cards: usize) -> Vec<String> {
        let players = ["first", "second"].into_iter();
        let shares = players.flat_map(|player| {
            (1..=cards).map(move |card| match self.inputs {
                Inputs::Cdf => format!("{player} up to {card}"),
                Inputs::Pdf => format!("{player} {card}"),
            })
        });
        let card = match self.card_input {
            CardInput::All => None,
            CardInput::Number => Some("card".to_owned()),
            CardInput::Share => Some("card's share".to_owned()),
        };
        shares.chain(card).collect()
    }

    /// The number of classes, which is that of an answer's numbers.
    pub fn classes(&self, cards: usize, sizes: usize) -> usize {
        match (self.drawn, self.card_input) {
            (true, _) => 2,
            (false, CardInput::All) => cards * sizes,
            (false, _) => sizes,
        }
    }

    /// The inputs of a game: those common to all its rows, and the additional one of each card.
    pub fn row(&self, game: &Solved<'_>, share: Share) -> (Vec<f32>, Vec<f32>) {
        let [first, second] = [game.first, game.second].map(cumulated);
        let cards = 0..game.first.len();
        let common = match self.inputs {
            Inputs::Cdf => first.iter().chain(&second).map(|&sum| sum as f32).collect(),
            Inputs::Pdf => game.first.iter().chain(game.second).copied().collect(),
        };
        let below = |card: usize| if card == 0 { 0.0 } else { second[card - 1] };
        // The second player holds a different card.
        let beaten = |card: usize| below(card) / (1.0 - f64::from(game.second[card])).max(1e-9);
        let card_input = match (self.card_input, share) {
            (CardInput::All, _) => Vec::new(),
            (CardInput::Number, _) => cards.map(|card| (card + 1) as f32).collect(),
            (CardInput::Share, Share::Own) => cards.map(|card| first[card] as f32).collect(),
            // The best card beats all others, however the sum is rounded.
            (CardInput::Share, Share::Beaten) => cards
                .map(|card| {
                    let best = card + 1 == game.first.len();
                    if best { 1.0 } else { beaten(card).min(1.0) as f32 }
                })
                .collect(),
        };
        (common, card_input)
    }

    /// The rows of the games with these indices: one for each game, or one for each of its cards.
    pub fn table(
        &self,
        database: &Database,
        games: Range<usize>,
        share: Share,
    ) -> Result<Table, learners::Error> {
        let (cards, bets) = (database.card().content.cards, bets(database));
        let sizes = bets.len();
        let names = self.columns(cards);
        let rows_a_game = if self.card_input == CardInput::All { 1 } else { cards };
        let rows = games.len() * rows_a_game;
        let classes = self.classes(cards, sizes);
        let mut values = vec![0.0; names.len() * rows];
        let mut labels = Vec::with_capacity(rows * classes);
        let most = bets.sizes()[sizes - 1];
        for (at, index) in games.enumerate() {
            let game = database.game(index);
            let (common, card_input) = self.row(&game, share);
            for row in 0..rows_a_game {
                let own = card_input.get(row);
                for (column, &value) in common.iter().chain(own).enumerate() {
                    values[column * rows + at * rows_a_game + row] = value;
                }
            }
            if self.drawn {
                let number = database.card().first + index as u64;
                for (card, shares) in game.strategy.chunks_exact(sizes).enumerate() {
                    let size = bets.sizes()[drawn(shares, number, card)];
                    labels.extend([(size / most) as f32, (1.0 - size / most) as f32]);
                }
            } else {
                let ratio = 1.0 / (cards / rows_a_game) as f32;
                labels.extend(game.strategy.iter().map(|share| share * ratio));
            }
        }
        let classes = self.class_names(cards, bets.sizes());
        Table::new(names, classes, values, labels, vec![1.0; rows])
    }

    fn class_names(&self, cards: usize, sizes: &[f64]) -> Vec<String> {
        let all = || sizes.iter().map(|size| format!("{size}"));
        match (self.drawn, self.card_input) {
            (true, _) => vec!["bet".to_owned(), "kept".to_owned()],
            (false, CardInput::All) => {
                let card = |card| all().map(move |size| format!("{card}: {size}"));
                (1..=cards).flat_map(card).collect()
            }
            (false, _) => all().collect(),
        }
    }
}

/// Cumulative sums from the worst card; the last is one.
fn cumulated(shares: &[f32]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = shares
        .iter()
        .map(|&share| {
            sum += f64::from(share);
            sum.min(1.0)
        })
        .collect();
    if let Some(last) = sums.last_mut() {
        *last = 1.0;
    }
    sums
}

/// A bet size sampled from its probabilities, as an index; it depends only on the game and the
/// card.
fn drawn(shares: &[f32], game: u64, card: usize) -> usize {
    let mut rng = Pcg64Mcg::seed_from_u64(mixed(mixed(DRAWS, game), card as u64));
    let mut left = rng.random::<f32>() * shares.iter().sum::<f32>();
    for (size, &share) in shares.iter().enumerate() {
        if left < share {
            return size;
        }
        left -= share;
    }
    shares.iter().rposition(|&share| share > 0.0).unwrap_or(0)
}

/// Totals over the games.
#[derive(Default)]
struct Sums {
    values: Vec<f64>,
    /// The largest exploitability of either player.
    worst: f64,
    /// The largest difference between a probability and the file's.
    differs: f64,
    /// Number of games in which the simplex method ends at another strategy than the central one.
    many: u64,
}

/// Number of games between updates of the progress display.
const CHUNK: usize = 2048;

/// The games of a database solved again: their values and exploitabilities, and how far the stored
/// strategies are from the solutions.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    file: &'a Path,
    games: usize,
    seed: u64,
    sha256: &'a str,
    value: Spread,
    worst_exploitability: f64,
    largest_difference: f64,
    several_equilibria: u64,
}

impl<'a> Summary<'a> {
    /// Solves every game of a database, read from this file, again. `seen` is called with the
    /// number of games done.
    ///
    /// # Errors
    /// When a game is not an endgame.
    pub fn new(
        path: &'a Path,
        database: &'a Database,
        seen: &mut dyn FnMut(u64),
    ) -> Result<Summary<'a>, Error> {
        let bets = bets(database);
        let of = |place: usize| {
            let stored = database.game(place);
            let game = endgame(stored.first, stored.second, &bets)?;
            let solution = game.solve();
            let worst = game.exploitabilities(&solution).into_iter().fold(0.0, f64::max);
            let pairs = solution.strategy.iter().zip(stored.strategy);
            let differs = pairs.map(|(a, b)| (a - f64::from(*b)).abs()).fold(0.0, f64::max);
            let extreme = game.extreme(Pivots::Best);
            let pairs = solution.strategy.iter().zip(&extreme.strategy);
            let many = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) > 1e-6;
            Ok((solution.value, worst, differs, many))
        };
        let mut sums = Sums::default();
        for start in (0..database.games()).step_by(CHUNK) {
            let end = (start + CHUNK).min(database.games());
            let games = parallel::map(start..end, of);
            let games: Vec<_> = games.into_iter().collect::<Result<_, Error>>()?;
            for (value, worst, differs, many) in games {
                sums.values.push(value);
                sums.worst = sums.worst.max(worst);
                sums.differs = sums.differs.max(differs);
                sums.many += u64::from(many);
            }
            seen(end as u64);
        }
        let card = database.card();
        Ok(Summary {
            file: path,
            games: database.games(),
            seed: card.seed,
            sha256: &card.sha256,
            value: Spread::new(&sums.values),
            worst_exploitability: sums.worst,
            largest_difference: sums.differs,
            several_equilibria: sums.many,
        })
    }
}

/// The mean with the half-width of its 95 % interval, and the standard deviation.
#[derive(Debug, Serialize)]
struct Spread {
    mean: f64,
    half_width: f64,
    deviation: f64,
}

impl Spread {
    fn new(values: &[f64]) -> Spread {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let deviation = (spread / (count - 1.0).max(1.0)).sqrt();
        Spread { mean, half_width: 1.96 * deviation / count.sqrt(), deviation }
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { mean, half_width, deviation } = self.value;
        writeln!(
            f,
            "{}: {} games\n\
             value to the first player     {mean:.5} ± {half_width:.5} of the pot, standard \
             deviation {deviation:.5}\n\
             exploitability                {:.1e} of the pot at most, solved again\n\
             difference to the file        {:.1e} at most, in one probability\n\
             more than one equilibrium     in {} games at least",
            self.file.display(),
            whole(self.games as u64),
            self.worst_exploitability,
            self.largest_difference,
            whole(self.several_equilibria),
        )
    }
}
