//! The solved endgames most like another, and the mean of their strategies: k nearest neighbours
//! under Algorithm 1 of Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017.
//!
//! The distance of two games is the sum of what their cdfs differ by, card by card, but for the
//! last, where both are one. Every game is looked at: cdfs stand side by side for [`LANES`] games,
//! so that as many distances are added up at a time.

use std::ops::Range;

use solvers::endgame::EndgameError;

use super::database::{Database, Solved};
use super::score::{Score, scores};

/// Games whose distances are added up together.
const LANES: usize = 16;

/// Solved games to look among.
#[derive(Debug)]
pub struct Neighbours<'a> {
    database: &'a Database,
    games: Range<usize>,
    /// The cdfs of [`LANES`] games at a time: for each number of a game that of all of them.
    blocks: Vec<[f32; LANES]>,
    /// Numbers of a game.
    width: usize,
}

impl<'a> Neighbours<'a> {
    /// Looks among games of a database, by their places.
    pub fn new(database: &'a Database, games: Range<usize>) -> Neighbours<'a> {
        let width = 2 * (database.card().content.cards - 1);
        let mut blocks = vec![[0.0; LANES]; games.len().div_ceil(LANES) * width];
        for (at, place) in games.clone().enumerate() {
            let block = &mut blocks[at / LANES * width..][..width];
            for (lanes, number) in block.iter_mut().zip(numbers(&database.game(place))) {
                lanes[at % LANES] = number;
            }
        }
        Neighbours { database, games, blocks, width }
    }

    /// The places of the `k` nearest games, the nearest first, with their distances, 0 to 1; of
    /// equally near ones the first. All there are where they are fewer.
    ///
    /// O(games × cards).
    pub fn nearest(&self, game: &Solved<'_>, k: usize) -> Vec<(usize, f64)> {
        let asked: Vec<f32> = numbers(game).collect();
        let mut nearest: Vec<(f32, usize)> = Vec::with_capacity(k + 1);
        for (block, first) in self.blocks.chunks_exact(self.width).zip((0..).step_by(LANES)) {
            let mut sums = [0.0f32; LANES];
            for (lanes, &number) in block.iter().zip(&asked) {
                for (sum, &other) in sums.iter_mut().zip(lanes) {
                    *sum += (other - number).abs();
                }
            }
            for (lane, &sum) in sums.iter().enumerate().take(self.games.len() - first) {
                let last = nearest.last().map_or(f32::INFINITY, |&(most, _)| most);
                if nearest.len() < k || sum < last {
                    let at = nearest.partition_point(|&(other, _)| other <= sum);
                    nearest.insert(at, (sum, first + lane));
                    nearest.truncate(k);
                }
            }
        }
        let place = |(sum, at): (f32, usize)| (self.games.start + at, f64::from(sum));
        let most = self.width as f64;
        nearest.into_iter().map(place).map(|(place, sum)| (place, sum / most)).collect()
    }

    /// What the mean strategy of the nearest games is worth, for each number of them, over other
    /// games by their places. The numbers rise.
    pub fn scores(
        &self,
        games: Range<usize>,
        numbers: &[usize],
    ) -> Result<Vec<Score>, EndgameError> {
        let most = numbers.last().copied().unwrap_or(0);
        scores(self.database, games, numbers.len(), |place, strategies| {
            let nearest = self.nearest(&self.database.game(place), most);
            for (strategy, &k) in strategies.iter_mut().zip(numbers) {
                let nearest = &nearest[..k.min(nearest.len())];
                strategy.fill(0.0);
                let part = 1.0 / nearest.len() as f32;
                for &(place, _) in nearest {
                    let other = self.database.game(place).strategy;
                    strategy.iter_mut().zip(other).for_each(|(share, &more)| *share += part * more);
                }
            }
        })
    }
}

/// The cdfs of both players' cards without the last, which is one.
fn numbers(game: &Solved<'_>) -> impl Iterator<Item = f32> {
    [game.first, game.second].into_iter().flat_map(|shares| {
        let mut sum = 0.0;
        shares[..shares.len() - 1].iter().map(move |&share| {
            sum += f64::from(share);
            sum as f32
        })
    })
}
