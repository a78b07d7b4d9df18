//! Growing one tree: each node is split by its best test.

use models::forest::{Node, Tree};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Gradients, Options, parts};
use crate::{Bins, Codes};

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
        add(&mut root, self.matrix, &self.gradients.whole, &rows);
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
        let mut summed = empty(pool, self.cuts);
        add(&mut summed, self.matrix, &self.gradients.whole, smaller);
        if wanted[usize::from(left_smaller)] {
            subtract(&mut parent, &summed, self.cuts);
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

/// A matrix of codes, one byte for each row and column.
#[derive(Debug)]
pub(super) struct Matrix {
    codes: Vec<u8>,
    columns: usize,
}

impl Matrix {
    /// All rows and columns of `bins`, which have at most 256 intervals.
    pub(super) fn new(bins: &Bins) -> Matrix {
        const BLOCK: usize = 4096;
        let columns = bins.columns();
        let mut codes = vec![0; bins.codes(0).len() * columns];
        let blocks = codes.chunks_mut(BLOCK * columns).enumerate();
        parallel::for_each(blocks, |(block, out)| {
            for column in 0..columns {
                let Codes::Byte(from) = bins.codes(column) else {
                    unreachable!("bins of at most 256 intervals were demanded")
                };
                let from = &from[block * BLOCK..];
                for (out, &code) in out[column..].iter_mut().step_by(columns).zip(from) {
                    *out = code;
                }
            }
        });
        Matrix { codes, columns }
    }

    /// A copy of some rows and columns.
    fn pick(&self, rows: Option<&[u32]>, columns: &[u32]) -> Matrix {
        const BLOCK: usize = 4096;
        let count = rows.map_or(self.rows(), <[u32]>::len);
        let mut codes = vec![0; count * columns.len()];
        let blocks = codes.chunks_mut(BLOCK * columns.len()).enumerate();
        parallel::for_each(blocks, |(block, out)| {
            for (at, out) in out.chunks_exact_mut(columns.len()).enumerate() {
                let at = block * BLOCK + at;
                let from = self.row(rows.map_or(at, |rows| rows[at] as usize));
                out.iter_mut().zip(columns).for_each(|(out, &column)| *out = from[column as usize]);
            }
        });
        Matrix { codes, columns: columns.len() }
    }

    /// A copy of some rows.
    fn pick_rows(&self, rows: &[u32]) -> Matrix {
        let mut codes = Vec::with_capacity(rows.len() * self.columns);
        rows.iter().for_each(|&row| codes.extend_from_slice(self.row(row as usize)));
        Matrix { codes, columns: self.columns }
    }

    pub(super) fn rows(&self) -> usize {
        self.codes.len() / self.columns
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn row(&self, row: usize) -> &[u8] {
        &self.codes[row * self.columns..][..self.columns]
    }

    pub(super) fn code(&self, row: usize, column: usize) -> u8 {
        self.codes[row * self.columns + column]
    }
}

/// The sample of rows and columns that one tree is grown from.
#[derive(Debug)]
pub(super) struct Sample {
    /// The codes; `None` if all rows and columns are in the sample.
    pub(super) matrix: Option<Matrix>,
    /// The sampled rows and the others, as indices into the table; `None` if all are sampled.
    pub(super) rows: Option<(Vec<u32>, Vec<u32>)>,
    /// The sampled columns, as indices into the table.
    pub(super) columns: Vec<u32>,
}

impl Sample {
    /// Draws the sample of a tree. It depends only on the options, the tree's number and the shape.
    pub(super) fn draw(all: &Matrix, options: &Options, tree: u64) -> Sample {
        let mut random =
            Pcg64Mcg::seed_from_u64(options.seed ^ (tree + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut columns: Vec<u32> = (0..all.columns() as u32).collect();
        let wanted = (columns.len() as f32 * options.colsample) as usize;
        for at in 0..wanted.clamp(1, columns.len()) {
            let other = random.random_range(at..columns.len());
            columns.swap(at, other);
        }
        columns.truncate(wanted.max(1));
        columns.sort_unstable();
        let rows = (options.subsample < 1.0).then(|| {
            let drawn = |_: &u32| random.random::<f32>() < options.subsample;
            (0..all.rows() as u32).partition::<Vec<u32>, _>(drawn)
        });
        let whole = rows.is_none() && columns.len() == all.columns();
        let matrix =
            (!whole).then(|| all.pick(rows.as_ref().map(|(seen, _)| seen.as_slice()), &columns));
        Sample { matrix, rows, columns }
    }
}

/// A tree whose tests compare codes.
#[derive(Debug)]
pub(super) struct Coded {
    nodes: Vec<CodedNode>,
}

#[derive(Debug, Clone, Copy)]
struct CodedNode {
    /// The index of the left child, followed by the right one; 0 for a leaf.
    left: u32,
    column: u16,
    cut: u8,
    value: f32,
}

impl Coded {
    /// Converts a tree stored level by level; `None` if it tests numbers that are not cuts.
    pub(super) fn new(tree: &Tree, cuts: &[Vec<f32>]) -> Option<Coded> {
        let coded = |node: &Node| match *node {
            Node::Leaf { value, .. } => Some(CodedNode { left: 0, column: 0, cut: 0, value }),
            Node::Split { column, below, left, .. } => {
                let cut = cuts.get(column)?.binary_search_by(|cut| cut.total_cmp(&below)).ok()?;
                let (left, cut) = (left as u32, u8::try_from(cut).ok()?);
                Some(CodedNode { left, column: column as u16, cut, value: 0.0 })
            }
        };
        Some(Coded { nodes: tree.nodes.iter().map(coded).collect::<Option<Vec<_>>>()? })
    }

    /// Converts a tree that was grown from these cuts.
    pub(super) fn grown(tree: &Tree, cuts: &[Vec<f32>]) -> Coded {
        Coded::new(tree, cuts).expect("a tree grown from cuts tests cuts only")
    }

    /// The value of the leaf that a row reaches.
    pub(super) fn value(&self, row: &[u8]) -> f32 {
        let mut node = self.nodes[0];
        while node.left != 0 {
            let right = row[usize::from(node.column)] > node.cut;
            node = self.nodes[node.left as usize + usize::from(right)];
        }
        node.value
    }

    /// Adds to each row's margin the value of its leaf.
    pub(super) fn add(&self, matrix: &Matrix, margins: &mut [f32]) {
        const BLOCK: usize = 4096;
        parallel::for_each(margins.chunks_mut(BLOCK).enumerate(), |(block, margins)| {
            for (at, margin) in margins.iter_mut().enumerate() {
                *margin += self.value(matrix.row(block * BLOCK + at));
            }
        });
    }
}

/// For each column, the sum of gradients in each interval, packed as in
/// [`super::Gradients::whole`].
pub(super) type Histogram = Vec<[u64; 256]>;

/// The number of rows above which histograms are summed in parallel.
const PARALLEL_ROWS: usize = 1 << 16;

/// A zeroed histogram, reused from the pool if there is one. `cuts` has the number of cuts of each
/// column.
pub(super) fn empty(pool: &mut Vec<Histogram>, cuts: &[usize]) -> Histogram {
    match pool.pop() {
        Some(mut used) => {
            used.iter_mut().zip(cuts).for_each(|(bins, &cuts)| bins[..=cuts].fill(0));
            used
        }
        None => vec![[0; 256]; cuts.len()],
    }
}

/// Adds the gradients of some rows.
pub(super) fn add(histogram: &mut Histogram, matrix: &Matrix, whole: &[u64], rows: &[u32]) {
    if rows.len() > PARALLEL_ROWS {
        let (first, second) = rows.split_at(rows.len() / 2);
        let mut other = vec![[0; 256]; histogram.len()];
        parallel::join(
            || add(histogram, matrix, whole, first),
            || add(&mut other, matrix, whole, second),
        );
        for (into, other) in histogram.iter_mut().zip(&other) {
            into.iter_mut().zip(other).for_each(|(into, &other)| *into = into.wrapping_add(other));
        }
        return;
    }
    for &row in rows {
        let gradient = whole[row as usize];
        for (bins, &code) in histogram.iter_mut().zip(matrix.row(row as usize)) {
            let bin = &mut bins[usize::from(code)];
            *bin = bin.wrapping_add(gradient);
        }
    }
}

/// Subtracts one histogram from another.
fn subtract(from: &mut Histogram, taken: &Histogram, cuts: &[usize]) {
    for ((from, taken), &cuts) in from.iter_mut().zip(taken).zip(cuts) {
        let pairs = from[..=cuts].iter_mut().zip(&taken[..=cuts]);
        pairs.for_each(|(from, &taken)| *from = from.wrapping_sub(taken));
    }
}

/// A test on a column: rows whose code is at most `cut` go left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Test {
    pub(super) column: usize,
    pub(super) cut: u8,
    /// The decrease of the loss.
    pub(super) gain: f64,
    /// The sum of gradients of the rows that go left, packed.
    pub(super) left: u64,
}

/// The parameters by which splits are scored.
#[derive(Debug, Clone, Copy)]
struct SplitScorer {
    pub(super) units: [f64; 2],
    pub(super) lambda: f64,
    pub(super) gamma: f64,
    pub(super) min_child_weight: f64,
}

/// XGBoost's smallest gain of a split.
const MIN_GAIN: f64 = 1e-6;

impl SplitScorer {
    /// The first and second derivative of a packed sum, as numbers.
    fn real(&self, sum: u64) -> [f64; 2] {
        let [first, second] = parts(sum);
        [f64::from(first) * self.units[0], f64::from(second) * self.units[1]]
    }

    fn score(&self, sum: u64) -> f64 {
        let [first, second] = self.real(sum);
        if second + self.lambda > 0.0 { first * first / (second + self.lambda) } else { 0.0 }
    }

    /// Whether rows with this sum are heavy enough to be split.
    fn splittable(&self, sum: u64) -> bool {
        self.real(sum)[1] >= 2.0 * self.min_child_weight
    }

    /// The best test over all columns, the first of equal ones. `cuts` has the number of cuts of
    /// each column.
    pub(super) fn best(&self, histogram: &Histogram, sum: u64, cuts: &[usize]) -> Option<Test> {
        let mut found: Option<(f32, Test)> = None;
        for (column, (bins, &cuts)) in histogram.iter().zip(cuts).enumerate() {
            let Some((score, cut, left)) = self.best_cut(&bins[..cuts], sum) else { continue };
            if found.is_none_or(|(best, _)| score > best) {
                found = Some((score, Test { column, cut, gain: 0.0, left }));
            }
        }
        let (_, test) = found?;
        let right = sum.wrapping_sub(test.left);
        let gain = self.score(test.left) + self.score(right) - self.score(sum);
        let enough = gain > MIN_GAIN && gain >= self.gamma;
        enough.then_some(Test { gain, ..test })
    }

    /// The best cut of a column: its score, its index, and the sum left of it.
    fn best_cut(&self, bins: &[u64], sum: u64) -> Option<(f32, u8, u64)> {
        // Only cuts right of a non-empty interval, so that small nodes have few.
        let mut lefts = [0u64; 256];
        let mut numbers = [0u8; 256];
        let (mut left, mut count) = (0u64, 0usize);
        for (number, &bin) in bins.iter().enumerate() {
            left = left.wrapping_add(bin);
            lefts[count & 255] = left;
            numbers[count & 255] = number as u8;
            count += usize::from(bin != 0);
        }
        let scores = self.scores(&lefts, count.next_multiple_of(LANES), sum);
        let (mut best, mut at) = (f32::NEG_INFINITY, 0);
        for (number, &score) in scores[..count].iter().enumerate() {
            if score > best {
                (best, at) = (score, number);
            }
        }
        (best > f32::NEG_INFINITY).then(|| (best, numbers[at], lefts[at]))
    }

    /// The score of each cut, in 32 bits, which suffice for ranking; minus infinity where a side is
    /// too light.
    fn scores(&self, lefts: &[u64; 256], count: usize, sum: u64) -> [f32; 256] {
        let [first_unit, second_unit] = self.units.map(|unit| unit as f32);
        let lambda = self.lambda as f32;
        let light = (self.min_child_weight as f32).max(f32::MIN_POSITIVE);
        let [first_sum, second_sum] = parts(sum);
        let mut scores = [0.0; 256];
        for (score, &left) in scores[..count].iter_mut().zip(lefts) {
            let [first, second] = parts(left);
            let (left_first, left_second) =
                (first as f32 * first_unit, second as f32 * second_unit);
            let right_first = first_sum.wrapping_sub(first) as f32 * first_unit;
            let right_second = second_sum.wrapping_sub(second) as f32 * second_unit;
            let value = left_first * left_first / (left_second + lambda)
                + right_first * right_first / (right_second + lambda);
            let heavy = left_second >= light && right_second >= light;
            *score = if heavy { value } else { f32::NEG_INFINITY };
        }
        scores
    }
}

const LANES: usize = 8;
