//! k nearest neighbours among solved endgames, and the mean of their strategies, under Algorithm 1
//! of Ganzfried & Yusuf, "Computing human-understandable strategies", Games 2017.
//!
//! The distance of two games is the sum of the differences of their cdfs over the cards but the
//! last, where both are one. The search is exhaustive: the cdfs of [`LANES`] games are interleaved,
//! so that as many distances are computed at a time.

use std::ops::Range;

use solvers::endgame::EndgameError;

use super::database::{Database, Solved};
use super::score::{Score, scores};

/// The number of games whose distances are computed together.
const LANES: usize = 16;

/// A set of solved games to search.
#[derive(Debug)]
pub struct Neighbours<'a> {
    database: &'a Database,
    games: Range<usize>,
    /// The cdfs in blocks of [`LANES`] games: each number of a game for all of the block.
    blocks: Vec<[f32; LANES]>,
    /// The number of floats for each game.
    width: usize,
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
        Neighbours { database, games, blocks, width }
    }

    /// The indices of the `k` nearest games in order, with their distances, 0 to 1; of equally near
    /// ones the first. All games if there are fewer.
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
        let indexed = |(sum, at): (f32, usize)| (self.games.start + at, f64::from(sum));
        let most = self.width as f64;
        nearest.into_iter().map(indexed).map(|(index, sum)| (index, sum / most)).collect()
    }

    /// The scores of the mean strategy of the nearest games over other games, for each of some
    /// increasing numbers of neighbours.
    pub fn scores(
        &self,
        games: Range<usize>,
        numbers: &[usize],
    ) -> Result<Vec<Score>, EndgameError> {
        let most = numbers.last().copied().unwrap_or(0);
        scores(self.database, games, numbers.len(), |index, strategies| {
            let nearest = self.nearest(&self.database.game(index), most);
            for (strategy, &k) in strategies.iter_mut().zip(numbers) {
                let nearest = &nearest[..k.min(nearest.len())];
                strategy.fill(0.0);
                let ratio = 1.0 / nearest.len() as f32;
                for &(index, _) in nearest {
                    let other = self.database.game(index).strategy;
                    strategy
                        .iter_mut()
                        .zip(other)
                        .for_each(|(share, &more)| *share += ratio * more);
                }
            }
        })
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
