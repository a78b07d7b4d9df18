//! Nearest neighbours among solved endgames, and the mean of their strategies, under Algorithm 1 of
//! Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017.
//!
//! The distance of two games is the mean of the earth mover's distances of both players' cards. A
//! game is predicted as a whole, by the games nearest to it, or card by card: then every card of
//! every remembered game is an example, and the difference of the cards' input counts as much as a
//! player's distribution.
//!
//! The search is exhaustive: the cdfs of several games are interleaved, so that as many distances
//! are computed at a time.

use std::ops::Range;

use serde::Serialize;

use super::database::{CardInput, Database, Representation, Share, Solved};
use super::rules::{Score, scores};
use crate::Error;

/// The number of games whose distances are computed together.
const LANES: usize = 16;

/// The nearest games that are put in order at first; if they do not suffice, all are.
const ORDERED: usize = 1024;

/// What is predicted at once, and so what is near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Prediction {
    /// A whole game, by the nearest games.
    Game,
    /// A card, by the nearest cards of all games, told apart by their numbers.
    Number,
    /// The same, told apart by the share of the other's cards that they beat.
    Share,
}

impl Prediction {
    /// All.
    pub const ALL: [Prediction; 3] = [Prediction::Game, Prediction::Number, Prediction::Share];

    /// The input of each card of a game, 0 to 1; none for whole games.
    fn inputs(self, game: &Solved<'_>) -> Vec<f32> {
        let cards = game.first.len();
        match self {
            Prediction::Game => Vec::new(),
            Prediction::Number => (0..cards).map(|card| card as f32 / (cards - 1) as f32).collect(),
            Prediction::Share => {
                let five = Representation::published(5).expect("there are ten");
                debug_assert_eq!(five.card_input, CardInput::Share);
                five.row(game, Share::Beaten).1
            }
        }
    }
}

/// A set of solved games to search.
#[derive(Debug)]
pub struct Neighbours<'a> {
    database: &'a Database,
    games: Range<usize>,
    /// The cdfs in blocks of [`LANES`] games: each number of a game for all of the block.
    blocks: Vec<[f32; LANES]>,
    /// The number of floats for each game.
    width: usize,
    /// The inputs of the cards of each game, for each [`Prediction`].
    inputs: [Vec<Vec<f32>>; 3],
}

impl<'a> Neighbours<'a> {
    /// Indexes the games of a database with these indices.
    pub fn new(database: &'a Database, games: Range<usize>) -> Neighbours<'a> {
        let width = 2 * (database.card().content.cards - 1);
        let mut blocks = vec![[0.0; LANES]; games.len().div_ceil(LANES) * width];
        for (at, index) in games.clone().enumerate() {
            let block = &mut blocks[at / LANES * width..][..width];
            for (lanes, number) in block.iter_mut().zip(numbers(&database.game(index))) {
                lanes[at % LANES] = number;
            }
        }
        let inputs = Prediction::ALL.map(|prediction| {
            let input = |index: usize| prediction.inputs(&database.game(index));
            match prediction {
                Prediction::Game => Vec::new(),
                _ => games.clone().map(input).collect(),
            }
        });
        Neighbours { database, games, blocks, width, inputs }
    }

    /// The indices of the `k` nearest games in order, with their distances, 0 to 1; of equally near
    /// ones the first. All games if there are fewer.
    ///
    /// O(games × cards).
    pub fn nearest(&self, game: &Solved<'_>, k: usize) -> Vec<(usize, f64)> {
        let most = self.width as f64;
        let indexed = |(sum, at): (f32, u32)| (self.games.start + at as usize, sum);
        let mut sums = self.sums(game);
        let nearest = sums.first(k).iter().copied().map(indexed);
        nearest.map(|(index, sum)| (index, f64::from(sum) / most)).collect()
    }

    /// The cards nearest to each card of a game: for each card the `k` nearest in order, as the
    /// index of a game and a card of it.
    pub fn nearest_cards(
        &self,
        game: &Solved<'_>,
        prediction: Prediction,
        k: usize,
    ) -> Vec<Vec<(usize, usize)>> {
        self.cards_among(&mut self.sums(game), game, prediction, k)
    }

    /// The sum of the differences of the cdfs of each game to this one's.
    fn sums(&self, game: &Solved<'_>) -> Sums {
        let asked: Vec<f32> = numbers(game).collect();
        let mut all = Vec::with_capacity(self.games.len());
        for block in self.blocks.chunks_exact(self.width) {
            let mut sums = [0.0f32; LANES];
            for (lanes, &number) in block.iter().zip(&asked) {
                for (sum, &other) in sums.iter_mut().zip(lanes) {
                    *sum += (other - number).abs();
                }
            }
            let count = LANES.min(self.games.len() - all.len());
            let first = all.len() as u32;
            all.extend(sums.into_iter().zip(first..).take(count));
        }
        Sums { all, ordered: 0 }
    }

    fn cards_among(
        &self,
        sums: &mut Sums,
        game: &Solved<'_>,
        prediction: Prediction,
        k: usize,
    ) -> Vec<Vec<(usize, usize)>> {
        // A player's distance is the sum of differences over this.
        let scale = (game.first.len() - 1) as f32;
        let others = &self.inputs[prediction as usize];
        let asked = prediction.inputs(game);
        let card = |&own: &f32| {
            let mut nearest: Vec<(f32, u32, usize)> = Vec::with_capacity(k + 1);
            let mut at = 0;
            while let Some((sum, other)) = sums.get(at) {
                let game = sum / scale;
                if nearest.len() == k && nearest[k - 1].0 <= game {
                    break;
                }
                for (card, &input) in others[other as usize].iter().enumerate() {
                    let distance = game + (input - own).abs();
                    if nearest.len() < k || distance < nearest[k - 1].0 {
                        let place = nearest.partition_point(|&(other, ..)| other <= distance);
                        nearest.insert(place, (distance, other, card));
                        nearest.truncate(k);
                    }
                }
                at += 1;
            }
            let found = nearest.into_iter();
            found.map(|(_, other, card)| (self.games.start + other as usize, card)).collect()
        };
        asked.iter().map(card).collect()
    }

    /// The scores of the mean strategy of the nearest examples over other games, for each
    /// prediction and each of some increasing numbers of neighbours.
    pub fn scores(
        &self,
        games: Range<usize>,
        predictions: &[Prediction],
        numbers: &[usize],
    ) -> Result<Vec<Score>, Error> {
        let most = numbers.last().copied().unwrap_or(0);
        let sizes = self.database.card().content.sizes.len();
        scores(self.database, games, predictions.len() * numbers.len(), |index, strategies| {
            let game = self.database.game(index);
            let mut sums = self.sums(&game);
            strategies.iter_mut().for_each(|strategy| strategy.fill(0.0));
            let ways = predictions.iter().zip(strategies.chunks_mut(numbers.len().max(1)));
            for (&prediction, strategies) in ways {
                if prediction == Prediction::Game {
                    let nearest = sums.first(most);
                    for (strategy, &k) in strategies.iter_mut().zip(numbers) {
                        let nearest = &nearest[..k.min(nearest.len())];
                        for &(_, at) in nearest {
                            let other = self.database.game(self.games.start + at as usize);
                            add(strategy, other.strategy, nearest.len());
                        }
                    }
                    continue;
                }
                let cards = self.cards_among(&mut sums, &game, prediction, most);
                for (card, nearest) in cards.iter().enumerate() {
                    for (strategy, &k) in strategies.iter_mut().zip(numbers) {
                        let nearest = &nearest[..k.min(nearest.len())];
                        for &(index, other) in nearest {
                            let row = &self.database.game(index).strategy[other * sizes..];
                            let own = &mut strategy[card * sizes..][..sizes];
                            add(own, &row[..sizes], nearest.len());
                        }
                    }
                }
            }
        })
    }
}

/// Adds one of `count` strategies to their mean.
fn add(mean: &mut [f32], strategy: &[f32], count: usize) {
    let ratio = 1.0 / count as f32;
    mean.iter_mut().zip(strategy).for_each(|(share, &more)| *share += ratio * more);
}

/// The sums of differences of all games with their places, the first of them in order.
struct Sums {
    all: Vec<(f32, u32)>,
    ordered: usize,
}

impl Sums {
    /// The nearest games in order.
    fn first(&mut self, count: usize) -> &[(f32, u32)] {
        self.order(count);
        &self.all[..count.min(self.all.len())]
    }

    /// The game at a place in the order.
    fn get(&mut self, place: usize) -> Option<(f32, u32)> {
        if place >= self.ordered {
            self.order(place + 1);
        }
        self.all.get(place).copied()
    }

    /// Puts at least as many in order.
    fn order(&mut self, count: usize) {
        if count <= self.ordered || self.ordered == self.all.len() {
            return;
        }
        let compare = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let count = if self.ordered == 0 { count.max(ORDERED) } else { self.all.len() };
        if count < self.all.len() {
            self.all.select_nth_unstable_by(count, compare);
        }
        self.ordered = count.min(self.all.len());
        self.all[..self.ordered].sort_unstable_by(compare);
    }
}

/// The cdfs of both players' cards, each without the last number, which is one.
fn numbers(game: &Solved<'_>) -> impl Iterator<Item = f32> {
    [game.first, game.second].into_iter().flat_map(|shares| {
        let mut sum = 0.0;
        shares[..shares.len() - 1].iter().map(move |&share| {
            sum += f64::from(share);
            sum as f32
        })
    })
}
