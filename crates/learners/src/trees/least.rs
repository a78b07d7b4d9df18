//! Choosing the smallest leaf on held-out rows.

use super::Loss;
use super::grow::Grower;
use super::matrix::Matrix;
use super::node::{Node, Price};
use super::prune::best_price;
use crate::Table;

// The factors of the required leaf size that are tried.
const TIMES: [usize; 4] = [1, 3, 10, 30];

/// The greedy tree, not yet pruned, that is best on held-out rows when pruned at its price.
pub(crate) struct Greedy {
    pub(crate) node: Node,
    /// The settings it was grown with, including the chosen least leaf.
    pub(crate) price: Price,
    /// The price of a branch at which to prune.
    pub(crate) branch: f64,
}

/// Grows a tree for each least leaf and returns the best; of equally good ones that with the
/// smallest leaves. `loss` is used for pruning and, if labels are distributions, on the held-out
/// rows; `price.loss` is used for splits.
pub(crate) fn best<const W: usize>(
    matrix: &Matrix<W>,
    price: &Price,
    depth: usize,
    loss: Loss,
    held_out: (&Table, &Matrix<W>),
) -> Greedy {
    let mut best: Option<(f64, Greedy)> = None;
    for times in TIMES {
        let price = Price {
            min_rows: price.min_rows.max(1).saturating_mul(times),
            min_weight: price.min_weight * times as f64,
            ..*price
        };
        let mut rows: Vec<u32> = (0..matrix.rows() as u32).collect();
        let node = Grower { matrix, price, picked: None, seed: 0 }.grow(&mut rows, depth);
        let (branch, held_out_loss) = best_price(&node, loss, held_out.0, held_out.1);
        if best.as_ref().is_none_or(|(least, _)| held_out_loss < *least) {
            best = Some((held_out_loss, Greedy { node, price, branch }));
        }
    }
    best.expect("there is a size").1
}
