//! Scores of predicted strategies of unseen endgames: distance to the equilibrium, and
//! exploitability; and the distance of games. Algorithms 1 to 3 of Ganzfried & Yusuf, "Computing
//! human-understandable strategies", Games 2017.

use std::ops::Range;

use serde::Serialize;
use solvers::Player;
use solvers::endgame::EndgameError;

use super::database::{Database, endgame};

/// Games that a thread scores at a time; sums are made by block, so that they do not depend on the
/// number of threads.
const BLOCK: usize = 64;

/// A mean over games, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean over the games.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval.
    pub half_width: f64,
}

/// The scores of a prediction method over some games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// The distance to the database's equilibrium, 0 to 1.
    pub distance: Mean,
    /// The exploitability in pots: the game's value minus the strategy's worst case.
    pub exploitability: Mean,
}

/// The count, sum and sum of squares of a number.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, number: f64) {
        self.sum += number;
        self.squares += number * number;
    }

    fn mean(self, games: usize) -> Mean {
        let n = games.max(1) as f64;
        let mean = self.sum / n;
        let variance = (self.squares / n - mean * mean).max(0.0) * n / (n - 1.0).max(1.0);
        Mean { mean, half_width: 1.96 * (variance / n).sqrt() }
    }
}

/// Scores `ways` prediction methods over the games with these indices. `predict` is called with a
/// game's index and writes one strategy for each method: a row of bet sizes for each card.
pub fn scores(
    database: &Database,
    games: Range<usize>,
    ways: usize,
    predict: impl Fn(usize, &mut [Vec<f32>]) + Sync,
) -> Result<Vec<Score>, EndgameError> {
    let bets = database.bets();
    let size = database.card().content.cards * bets.len();
    let indices: Vec<usize> = games.collect();
    let blocks = parallel::map(indices.chunks(BLOCK), |block| {
        let mut sums = vec![[Sums::default(); 2]; ways];
        let mut strategies = vec![vec![0.0f32; size]; ways];
        for &index in block {
            let game = database.game(index);
            let played = endgame(game.first, game.second, &bets)?;
            predict(index, &mut strategies);
            let mut last: Option<(&[f32], [f64; 2])> = None;
            for (sums, strategy) in sums.iter_mut().zip(&strategies) {
                let numbers = match last {
                    Some((before, numbers)) if before == strategy => numbers,
                    _ => {
                        let long: Vec<f64> = strategy.iter().map(|&x| f64::from(x)).collect();
                        let value = f64::from(game.value);
                        let lost = played.exploitability(Player::First, &long, value);
                        [distance_of_strategies(strategy, game.strategy, bets.len()), lost]
                    }
                };
                last = Some((strategy, numbers));
                sums.iter_mut().zip(numbers).for_each(|(sum, number)| sum.add(number));
            }
        }
        Ok(sums)
    });
    let blocks = blocks.into_iter().collect::<Result<Vec<_>, EndgameError>>()?;
    let score = |way: usize| {
        let of = |number: usize| {
            let mut all = Sums::default();
            for block in &blocks {
                all.sum += block[way][number].sum;
                all.squares += block[way][number].squares;
            }
            all.mean(indices.len())
        };
        Score { distance: of(0), exploitability: of(1) }
    };
    Ok((0..ways).map(score).collect())
}

/// The scores of two baselines, with their names: always checking, and uniform sizes.
pub fn baselines(
    database: &Database,
    games: Range<usize>,
) -> Result<[(&'static str, Score); 2], EndgameError> {
    let sizes = database.bets().len();
    let scores = scores(database, games, 2, |_, strategies| {
        for row in strategies[0].chunks_exact_mut(sizes) {
            row[0] = 1.0;
        }
        strategies[1].fill(1.0 / sizes as f32);
    })?;
    Ok([("always check", scores[0]), ("every size alike", scores[1])])
}

/// The distance of two games, 0 to 1: the mean over both players of the earth mover's distance
/// between their card distributions, divided by the largest possible (Algorithm 1).
///
/// Each game is given by the distributions of the first and the second player's cards.
pub fn distance_of_games(a: [&[f32]; 2], b: [&[f32]; 2]) -> f64 {
    let of = |player: usize| moved(a[player], b[player]) / (a[player].len() - 1) as f64;
    (of(0) + of(1)) / 2.0
}

/// The distance of two strategies, 0 to 1: the mean over the cards of the earth mover's distance
/// between the probabilities of `sizes` bet sizes, divided by the largest possible (Algorithm 2).
pub fn distance_of_strategies(a: &[f32], b: &[f32], sizes: usize) -> f64 {
    let rows = a.chunks_exact(sizes).zip(b.chunks_exact(sizes));
    let cards = (a.len() / sizes) as f64;
    rows.map(|(a, b)| moved(a, b)).sum::<f64>() / (sizes - 1).max(1) as f64 / cards
}

/// The earth mover's distance of two histograms: mass times the number of columns it moves.
fn moved(a: &[f32], b: &[f32]) -> f64 {
    let mut carried = 0.0;
    let columns = a.iter().zip(b).map(|(a, b)| {
        carried += f64::from(*a) - f64::from(*b);
        carried.abs()
    });
    columns.sum()
}
