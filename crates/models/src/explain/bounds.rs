//! Bounds that hold for every row of a node.

use abstraction::features::Feature;
use game::Street;

use crate::tree::{Node, SplitTest, Tree};

/// Number of deciles of a street.
const DECILES: usize = 10;

/// The intervals of each column's values along a path of a tree.
pub(super) struct Bounds {
    /// Each column's inclusive lower and exclusive upper bound.
    pub(super) columns: Vec<(f32, f32)>,
    /// The tested columns, in the order of their first test.
    pub(super) order: Vec<usize>,
    /// The branches on weighted sums, and whether the path goes right there.
    pub(super) sums: Vec<(usize, bool)>,
}

impl Bounds {
    /// The bounds along these nodes, from the root on.
    pub(super) fn of(tree: &Tree, way: &[usize]) -> Bounds {
        let any = (f32::NEG_INFINITY, f32::INFINITY);
        let mut bounds = Bounds {
            columns: vec![any; tree.column_names().len()],
            order: Vec::new(),
            sums: Vec::new(),
        };
        for step in way.windows(2) {
            let Node::Branch { test, below, right, .. } = tree.node(step[0]) else { continue };
            let went_right = step[1] == right;
            let SplitTest::Column(column) = test else {
                bounds.sums.push((step[0], went_right));
                continue;
            };
            if !bounds.order.contains(&column) {
                bounds.order.push(column);
            }
            let (from, to) = &mut bounds.columns[column];
            if went_right { *from = from.max(below) } else { *to = to.min(below) }
        }
        bounds
    }

    /// An exclusive upper bound of the win-rate; infinite without any.
    ///
    /// The win-rate is the mean of the win-rates of a later street, and a tenth of the boards is at
    /// or below each decile, so it is also below the mean of the deciles' bounds. With deciles that
    /// are interpolated between two boards up to one board fewer is at or below one, but the lower
    /// of the two is below it by as much: the bound is the same, as a test counts.
    pub(super) fn win_rate_below(&self, features: &[Option<Feature>]) -> f64 {
        let below = |wanted: Feature| {
            let column = features.iter().position(|&feature| feature == Some(wanted));
            column.map_or(f64::INFINITY, |column| f64::from(self.columns[column].1))
        };
        let later = Street::ALL[1..].iter().map(|&street| {
            let mut bound = 1.0_f64;
            let deciles = (1..=DECILES).rev().map(|decile| {
                // A decile's upper bound also holds for the deciles before it.
                bound =
                    bound.min(below(Feature::Percentile { street, percent: 10 * decile as u8 }));
                bound
            });
            let mean = deciles.sum::<f64>() / DECILES as f64;
            if mean < 1.0 { mean } else { f64::INFINITY }
        });
        later.fold(below(Feature::WinRate), f64::min)
    }

    /// A lower bound of the win-rate; 0 without any.
    ///
    /// A tenth of the boards of a later street is at or above each decile and below the next, so
    /// the win-rate, their mean, is at least the mean of the bounds of all deciles but the last,
    /// and of 0 for the boards below the first; with interpolated deciles, too.
    pub(super) fn win_rate_from(&self, features: &[Option<Feature>]) -> f64 {
        let from = |wanted: Feature| {
            let column = features.iter().position(|&feature| feature == Some(wanted));
            column.map_or(0.0, |column| f64::from(self.columns[column].0).max(0.0))
        };
        let later = Street::ALL[1..].iter().map(|&street| {
            let mut bound = 0.0_f64;
            let deciles = (1..DECILES).map(|decile| {
                // A decile's lower bound also holds for the deciles after it.
                bound = bound.max(from(Feature::Percentile { street, percent: 10 * decile as u8 }));
                bound
            });
            deciles.sum::<f64>() / DECILES as f64
        });
        later.fold(from(Feature::WinRate), f64::max)
    }
}
