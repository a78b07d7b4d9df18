//! Nested buckets: classes of boards, and percentiles of `E[HS²]` within each class.
//!
//! After the *public nested* abstraction of "Deep counterfactual value networks" studies: boards
//! are clustered by two features. The *draw value* is the number of possible straights and flushes:
//! pairs of hole cards that make one, summed over all next cards (on the river, with the board as
//! it is). The *high-card value* is the sum of the board's ranks, from 0 for a deuce to 12 for an
//! ace. Both are scaled to unit variance over all boards before k-means.

use cards::{CanonicalIndex, CardSet, Category, Combo, PartialHand};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Number of k-means steps: with some thousand points in the plane it converges long before.
const ROUNDS: usize = 60;

/// The classes of the boards of a street.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Classes {
    /// The scale factors of draw value and high-card value.
    pub(super) scale: [f64; 2],
    /// The centre of each class, scaled, in the order of their draw values.
    pub(super) centres: Vec<[f64; 2]>,
}

/// The draw value and the high-card value of a board of three to five cards.
pub(super) fn features(board: CardSet) -> [u32; 2] {
    let high = board.iter().map(|card| u32::from(card.rank().index())).sum();
    let draws = if board.len() == 5 {
        made(board)
    } else {
        (CardSet::FULL - board).iter().map(|card| made(board.with(card))).sum()
    };
    [draws, high]
}

/// Number of pairs of hole cards that make a straight or a flush.
fn made(board: CardSet) -> u32 {
    let on_board = PartialHand::from(board);
    let makes = |hole: &Combo| {
        !hole.set().intersects(board)
            && matches!(
                on_board.and(hole.set().into()).rank().category(),
                Category::Straight | Category::Flush | Category::StraightFlush
            )
    };
    Combo::all().filter(makes).count() as u32
}

impl Classes {
    /// Clusters the boards of `cards` cards. `None` when there are fewer different ones than
    /// classes.
    pub(super) fn make(cards: usize, count: u32, seed: u64) -> Option<Classes> {
        let index = CanonicalIndex::new([cards]).expect("three to five cards have an index");
        let boards: Vec<([u32; 2], f64)> = parallel::map(0..index.size(), |number| {
            let board = index.representative(number).zip(index.orbit(number));
            let ([board], orbit) = board.expect("numbers below the size have both");
            (features(board), f64::from(orbit))
        });
        let scale = [0, 1].map(|at| 1.0 / deviation(&boards, at).max(1e-9));
        let points: Vec<([f64; 2], f64)> =
            boards.iter().map(|(features, weight)| (scaled(*features, scale), *weight)).collect();
        let mut centres = first_centres(&points, count as usize, seed)?;
        for _ in 0..ROUNDS {
            let new = means(&points, &centres);
            if new == centres {
                break;
            }
            centres = new;
        }
        centres.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        Some(Classes { scale, centres })
    }

    /// The class of a board.
    pub(super) fn of(&self, board: CardSet) -> u32 {
        nearest(&self.centres, scaled(features(board), self.scale)).0 as u32
    }
}

fn scaled(features: [u32; 2], scale: [f64; 2]) -> [f64; 2] {
    [f64::from(features[0]) * scale[0], f64::from(features[1]) * scale[1]]
}

fn deviation(boards: &[([u32; 2], f64)], at: usize) -> f64 {
    let weight: f64 = boards.iter().map(|(_, weight)| weight).sum();
    let mean = boards.iter().map(|(own, weight)| f64::from(own[at]) * weight).sum::<f64>() / weight;
    let square = |(own, weight): &([u32; 2], f64)| (f64::from(own[at]) - mean).powi(2) * weight;
    (boards.iter().map(square).sum::<f64>() / weight).sqrt()
}

/// The nearest of some centres, the first among equally near ones, and its squared distance.
fn nearest(centres: &[[f64; 2]], point: [f64; 2]) -> (usize, f64) {
    let apart = |centre: &[f64; 2]| (centre[0] - point[0]).powi(2) + (centre[1] - point[1]).powi(2);
    let mut best = (0, f64::INFINITY);
    for (at, centre) in centres.iter().enumerate() {
        let apart = apart(centre);
        if apart < best.1 {
            best = (at, apart);
        }
    }
    best
}

/// Initial centres by k-means++.
fn first_centres(points: &[([f64; 2], f64)], count: usize, seed: u64) -> Option<Vec<[f64; 2]>> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut centres: Vec<[f64; 2]> = Vec::with_capacity(count);
    for _ in 0..count {
        let share = |(point, weight): &([f64; 2], f64)| match centres.as_slice() {
            [] => *weight,
            centres => nearest(centres, *point).1 * weight,
        };
        let total: f64 = points.iter().map(share).sum();
        if total <= 0.0 {
            return None;
        }
        let mut at = rng.random::<f64>() * total;
        let reached = |point: &&([f64; 2], f64)| {
            at -= share(point);
            at < 0.0
        };
        let drawn = points.iter().find(reached).or_else(|| points.iter().rfind(|p| share(p) > 0.0));
        let drawn = drawn?.0;
        centres.push(drawn);
    }
    Some(centres)
}

/// The mean of the points nearest to each centre; a centre without points is unchanged.
fn means(points: &[([f64; 2], f64)], centres: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sums = vec![[0.0; 3]; centres.len()];
    for ([x, y], weight) in points {
        let sum = &mut sums[nearest(centres, [*x, *y]).0];
        *sum = [sum[0] + x * weight, sum[1] + y * weight, sum[2] + weight];
    }
    let mean = |([x, y, weight], old): (&[f64; 3], &[f64; 2])| {
        if *weight > 0.0 { [x / weight, y / weight] } else { *old }
    };
    sums.iter().zip(centres).map(mean).collect()
}
