//! Growing one tree: each node is split by its best test.

use models::forest::{Node, Tree};

use super::Options;
use super::gradient::Gradients;
use super::histogram::{self, Histogram, SplitScorer, Test};
use super::matrix::Matrix;

/// The inputs for growing a tree.
pub(super) struct GrowInputs<'a> {
    pub(super) matrix: &'a Matrix,
    /// The number of cuts of each column of the matrix.
    pub(super) cuts: &'a [usize],
    pub(super) gradients: &'a Gradients,
    pub(super) options: &'a Options,
}

/// A grown tree, with tests on codes.
#[derive(Debug)]
pub(super) struct GrownTree {
    root: Branch,
    /// The rows of the matrix, ordered by leaf.
    pub(super) rows: Vec<u32>,
    /// For each of [`GrownTree::rows`] the value of its leaf.
    pub(super) values: Vec<f32>,
}

#[derive(Debug)]
enum Branch {
    Leaf { value: f32, cover: f32 },
    Split { test: Test, value: f32, cover: f32, children: Box<[Branch; 2]> },
}

/// The rows of a node.
struct NodeRows<'a> {
    rows: &'a mut [u32],
    /// Scratch space for partitioning, and in the end the values of leaves.
    values: &'a mut [f32],
    /// The sum of the rows' gradients, packed.
    sum: u64,
    depth: u32,
}

/// The number of rows above which the children are grown in parallel.
const MANY: usize = 1 << 12;

/// The number of rows that fit the processor's cache together.
const NEAR: usize = 1 << 13;

/// A node's rows are copied when they are at most one in this many of the matrix's rows.
const SPARSE: usize = 4;

impl GrowInputs<'_> {
    pub(super) fn grow(&self) -> GrownTree {
        let mut rows: Vec<u32> = (0..self.matrix.rows() as u32).collect();
        let mut values = vec![0.0; rows.len()];
        let mut root = vec![[0; 256]; self.matrix.columns()];
        histogram::add(&mut root, self.matrix, &self.gradients.whole, &rows);
        let sum = root[0].iter().fold(0, |sum: u64, &bin| sum.wrapping_add(bin));
        let node = NodeRows { rows: &mut rows, values: &mut values, sum, depth: 0 };
        let root = self.branch(node, Some(root), &mut Vec::new());
        GrownTree { root, rows, values }
    }

    fn scorer(&self) -> SplitScorer {
        SplitScorer {
            units: self.gradients.units,
            lambda: self.options.lambda.into(),
            gamma: self.options.gamma.into(),
            min_child_weight: self.options.min_child_weight.into(),
        }
    }

    /// Grows a node with its subtree. Without a histogram it is a leaf.
    fn branch(
        &self,
        node: NodeRows<'_>,
        histogram: Option<Histogram>,
        pool: &mut Vec<Histogram>,
    ) -> Branch {
        let Some(histogram) = histogram else { return self.leaf(node) };
        let lying = self.matrix.rows();
        if lying > NEAR && node.rows.len() * SPARSE <= lying {
            return self.near_branch(node, histogram, pool);
        }
        let scorer = self.scorer();
        let Some(test) = scorer.best(&histogram, node.sum, self.cuts) else {
            pool.push(histogram);
            return self.leaf(node);
        };
        let [first, second] = scorer.real(node.sum);
        let value = self.value(first, second);
        let (sum, depth) = (node.sum, node.depth + 1);
        let count = self.partition_rows(node.rows, node.values, &test);
        let (left_rows, right_rows) = node.rows.split_at_mut(count);
        let (left_values, right_values) = node.values.split_at_mut(count);
        let left = NodeRows { rows: left_rows, values: left_values, sum: test.left, depth };
        let rest = sum.wrapping_sub(test.left);
        let right = NodeRows { rows: right_rows, values: right_values, sum: rest, depth };
        let [ours, theirs] = self.histograms(&left, &right, histogram, pool);
        let children = if left.rows.len() + right.rows.len() > MANY {
            let (left, right) = parallel::join(
                || self.branch(left, ours, pool),
                || self.branch(right, theirs, &mut Vec::new()),
            );
            [left, right]
        } else {
            [self.branch(left, ours, pool), self.branch(right, theirs, pool)]
        };
        Branch::Split { test, value, cover: second as f32, children: Box::new(children) }
    }

    /// Grows a subtree from a copy of its rows, since reading scattered rows is the main cost of
    /// growing.
    fn near_branch(
        &self,
        node: NodeRows<'_>,
        histogram: Histogram,
        pool: &mut Vec<Histogram>,
    ) -> Branch {
        let NodeRows { rows, values, sum, depth } = node;
        let matrix = self.matrix.pick_rows(rows);
        let gradients = self.gradients.pick(rows);
        let inputs = GrowInputs { matrix: &matrix, gradients: &gradients, ..*self };
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        let near = NodeRows { rows: &mut order, values, sum, depth };
        let branch = inputs.branch(near, Some(histogram), pool);
        let before = rows.to_vec();
        rows.iter_mut().zip(order).for_each(|(row, at)| *row = before[at as usize]);
        branch
    }

    /// The histograms of the children that may be split: the smaller child's is summed, the other's
    /// is the difference to the parent's.
    fn histograms(
        &self,
        left: &NodeRows<'_>,
        right: &NodeRows<'_>,
        mut parent: Histogram,
        pool: &mut Vec<Histogram>,
    ) -> [Option<Histogram>; 2] {
        let scorer = self.scorer();
        let wanted = [left, right]
            .map(|node| node.depth < self.options.max_depth && scorer.splittable(node.sum));
        if wanted == [false; 2] {
            pool.push(parent);
            return [None, None];
        }
        let left_smaller = left.rows.len() <= right.rows.len();
        let smaller = if left_smaller { &left.rows } else { &right.rows };
        let mut summed = histogram::empty(pool, self.cuts);
        histogram::add(&mut summed, self.matrix, &self.gradients.whole, smaller);
        if wanted[usize::from(left_smaller)] {
            histogram::subtract(&mut parent, &summed, self.cuts);
        }
        let pair = if left_smaller { [summed, parent] } else { [parent, summed] };
        let mut pair = pair.into_iter().zip(wanted).map(|(histogram, wanted)| {
            if wanted {
                Some(histogram)
            } else {
                pool.push(histogram);
                None
            }
        });
        [pair.next().flatten(), pair.next().flatten()]
    }

    /// Partitions the rows by a test, keeping their order; returns the number on the left.
    fn partition_rows(&self, rows: &mut [u32], scratch: &mut [f32], test: &Test) -> usize {
        let (mut left, mut right) = (0, 0);
        for at in 0..rows.len() {
            let row = rows[at];
            let goes_right = self.matrix.code(row as usize, test.column) > test.cut;
            rows[left] = row;
            scratch[right] = f32::from_bits(row);
            left += usize::from(!goes_right);
            right += usize::from(goes_right);
        }
        for (row, bits) in rows[left..].iter_mut().zip(&*scratch) {
            *row = bits.to_bits();
        }
        left
    }

    fn leaf(&self, node: NodeRows<'_>) -> Branch {
        let NodeRows { rows, values, .. } = node;
        let sums = rows.iter().fold([0.0f64; 2], |[first, second], &row| {
            let exact = self.gradients.exact[row as usize];
            [first + f64::from(exact[0]), second + f64::from(exact[1])]
        });
        let value = self.value(sums[0], sums[1]);
        values.fill(value);
        Branch::Leaf { value, cover: sums[1] as f32 }
    }

    /// The value of a leaf with these sums of derivatives.
    fn value(&self, first: f64, second: f64) -> f32 {
        let curvature = second + f64::from(self.options.lambda);
        if curvature <= 0.0 {
            return 0.0;
        }
        (-first / curvature * f64::from(self.options.eta)) as f32
    }
}

impl GrownTree {
    /// The tree with tests on numbers. `columns` are the table's indices of the matrix's columns,
    /// `cuts` those of the table.
    pub(super) fn tree(&self, columns: &[u32], cuts: &[Vec<f32>]) -> Tree {
        let mut branches = vec![&self.root];
        let mut nodes = Vec::new();
        while let Some(&branch) = branches.get(nodes.len()) {
            nodes.push(match *branch {
                Branch::Leaf { value, cover } => Node::Leaf { value, cover },
                Branch::Split { test, value, cover, ref children } => {
                    let column = columns[test.column] as usize;
                    let left = branches.len();
                    branches.extend(children.iter());
                    Node::Split {
                        column,
                        below: cuts[column][usize::from(test.cut)],
                        left,
                        right: left + 1,
                        missing_left: false,
                        gain: test.gain as f32,
                        cover,
                        value,
                    }
                }
            });
        }
        Tree { nodes }
    }
}
