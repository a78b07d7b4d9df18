//! Greedy trees of medians, for classes that are in an order, such as bet sizes.
//!
//! The earth mover's distance of two distributions over such classes is the sum of the absolute
//! differences of their cumulated shares. So the best answer of a leaf is the weighted median of
//! each cumulated share, and the loss that splits reduce is the absolute error of all of them.
//!
//! The absolute error of a number is the sum over the thresholds between its levels of the
//! threshold's width times the weight of the smaller side, because a median is on the larger side
//! of every threshold. So the loss of any rows follows from their weights at or below each
//! threshold, and these add up: a scan over the rows of a leaf keeps them for the left side and has
//! the right side as the rest.
//!
//! For splits every cumulated share is rounded to one of at most [`LEVELS`] levels, which hold
//! about the same weight of rows; with fewer different numbers nothing is lost. Answers are exact
//! medians.
//!
//! A leaf that is split needs a byte for each of its rows and thresholds: at most 15 for each
//! cumulated share, or 31 if there are few.

use super::grow::{Matrix, Sorter, in_turn};
use super::{Branch, Node, both, mixed, partition};
use crate::data::cuts;
use crate::{Bins, Table};

/// The most levels of a cumulated share in the search for splits.
const LEVELS: usize = 32;

/// The most if a row has more than [`FEW`] cumulated shares.
const LEVELS_OF_MANY: usize = 16;
const FEW: usize = 8;

/// The steps that cumulated shares are rounded to, so that the rounding errors of labels do not
/// count as different numbers.
const STEPS: f64 = 131_072.0;

/// Thresholds are handled in groups of this many numbers, the last one filled up.
const LANES: usize = 8;

/// Rows from which on the columns of a leaf are searched on all threads.
const MANY: usize = 4096;

/// The settings for growing trees of medians.
pub(super) struct MedianGrower<'a> {
    table: &'a Table,
    matrix: &'a Matrix<0>,
    levels: Levels,
    min_rows: usize,
    min_weight: f64,
    /// The price of a branch, in the unit of the loss; 0 for none.
    branch: f64,
}

/// The cumulated shares of all rows as the numbers of their levels.
struct Levels {
    /// The number of cumulated shares of a row: one less than classes.
    outputs: usize,
    /// The level of each cumulated share, row by row.
    codes: Vec<u8>,
    /// The mean cumulated share of each level, [`LEVELS`] for each output.
    means: Vec<f64>,
}

/// A split of a leaf, with the total loss of both sides.
#[derive(Clone, Copy)]
struct Split {
    column: usize,
    cut: u16,
    loss: f64,
}

/// Grows a tree over all rows; `alpha` is the price of a branch as a share of the loss of a tree
/// without branches.
pub(super) fn grow(
    table: &Table,
    bins: &Bins,
    depth: usize,
    (min_rows, min_weight): (usize, f64),
    alpha: f64,
) -> (Node, Matrix<0>) {
    let matrix = Matrix::<0>::new(table, bins);
    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
    let levels = Levels::new(table);
    let mut grower =
        MedianGrower { table, matrix: &matrix, levels, min_rows, min_weight, branch: 0.0 };
    if alpha > 0.0 {
        grower.branch = alpha * grower.thresholds(&rows).loss();
    }
    let (node, _) = grower.node(&mut rows, depth, 0);
    (node, matrix)
}

/// The distribution whose cumulated shares are the weighted medians of those of some rows of a
/// table: the one with the least total earth mover's distance to their labels. Where two numbers
/// are medians it is half-way.
pub fn median_shares(table: &Table, rows: &[u32]) -> Vec<f32> {
    let classes = table.classes().len();
    let weights = table.weights();
    let alike = rows.windows(2).all(|pair| weights[pair[0] as usize] == weights[pair[1] as usize]);
    let mut sums = vec![0.0f64; rows.len()];
    let mut numbers: Vec<(u32, f32)> = Vec::with_capacity(rows.len());
    let mut shares = Vec::with_capacity(classes);
    let mut below = 0.0;
    for class in 0..classes - 1 {
        numbers.clear();
        for (sum, &row) in sums.iter_mut().zip(rows) {
            *sum += f64::from(table.label(row as usize)[class]);
            numbers.push(((sum.min(1.0) * STEPS).round() as u32, weights[row as usize]));
        }
        let median = if alike { middle(&mut numbers) } else { weighted_middle(&mut numbers) };
        let median = (median / STEPS).max(below);
        shares.push((median - below) as f32);
        below = median;
    }
    shares.push((1.0 - below) as f32);
    shares
}

/// The median of numbers of equal weight.
fn middle(numbers: &mut [(u32, f32)]) -> f64 {
    let Some(last) = numbers.len().checked_sub(1) else { return STEPS };
    let (first, half) = (numbers[0].0, numbers.len() / 2);
    if numbers.iter().all(|&(number, _)| number == first) {
        return f64::from(first);
    }
    let (low, &mut (high, _), _) = numbers.select_nth_unstable_by_key(half, |&(number, _)| number);
    if last % 2 == 0 {
        return f64::from(high);
    }
    let low = low.iter().map(|&(number, _)| number).max().unwrap_or(high);
    0.5 * (f64::from(low) + f64::from(high))
}

/// The median of numbers with weights.
fn weighted_middle(numbers: &mut [(u32, f32)]) -> f64 {
    numbers.sort_unstable_by_key(|&(number, _)| number);
    let half = 0.5 * numbers.iter().map(|&(_, weight)| f64::from(weight)).sum::<f64>();
    let mut sum = 0.0;
    for (at, &(number, weight)) in numbers.iter().enumerate() {
        sum += f64::from(weight);
        if sum > half * (1.0 + 1e-12) {
            return f64::from(number);
        }
        if sum >= half * (1.0 - 1e-12) {
            let next = numbers.get(at + 1).map_or(number, |&(number, _)| number);
            return 0.5 * (f64::from(number) + f64::from(next));
        }
    }
    STEPS
}

impl Levels {
    fn new(table: &Table) -> Levels {
        let (rows, outputs) = (table.rows(), table.classes().len() - 1);
        let mut cumulated = vec![0.0f32; rows * outputs];
        for (row, numbers) in cumulated.chunks_exact_mut(outputs).enumerate() {
            let mut sum = 0.0f64;
            for (number, &share) in numbers.iter_mut().zip(table.label(row)) {
                sum += f64::from(share);
                *number = (sum.min(1.0) * STEPS).round() as f32;
            }
        }
        let columns = parallel::map(0..outputs, |output| {
            let numbers: Vec<f32> = cumulated[output..].iter().step_by(outputs).copied().collect();
            let most = if outputs > FEW { LEVELS_OF_MANY } else { LEVELS };
            let cuts = cuts(&numbers, table.weights(), most);
            let mut sums = [[0.0; 2]; LEVELS];
            let codes = numbers.iter().zip(table.weights()).map(|(&number, &weight)| {
                let code = cuts.partition_point(|&cut| cut <= number);
                sums[code][0] += f64::from(weight);
                sums[code][1] += f64::from(weight) * f64::from(number) / STEPS;
                code as u8
            });
            let codes: Vec<u8> = codes.collect();
            (codes, sums.map(|[weight, sum]| if weight > 0.0 { sum / weight } else { 0.0 }))
        });
        let mut codes = vec![0; rows * outputs];
        for (output, (column, _)) in columns.iter().enumerate() {
            let cells = codes.iter_mut().skip(output).step_by(outputs);
            cells.zip(column).for_each(|(cell, &code)| *cell = code);
        }
        let means = columns.iter().flat_map(|(_, means)| *means).collect();
        Levels { outputs, codes, means }
    }

    fn row(&self, row: u32) -> &[u8] {
        &self.codes[row as usize * self.outputs..][..self.outputs]
    }
}

/// The thresholds that tell rows of a leaf apart, each a lane. Cumulated shares with one level have
/// none, and those that rank all rows alike have the same.
struct Thresholds {
    /// The number of groups of [`LANES`] thresholds, the last one filled up.
    groups: usize,
    /// Whether a row is at or below each threshold, 1 or 0, row by row.
    below: Vec<[u8; LANES]>,
    /// The weight of each row.
    weights: Vec<f32>,
    /// The width of each threshold.
    widths: Vec<[f32; LANES]>,
    /// The weight of the rows at or below each threshold.
    sums: Vec<[f32; LANES]>,
    /// The weight of all rows.
    weight: f32,
}

impl Thresholds {
    /// Whether all rows are alike.
    fn is_empty(&self) -> bool {
        self.groups == 0
    }

    /// The absolute error of the rows.
    fn loss(&self) -> f64 {
        self.both_sides(&vec![[0.0; LANES]; self.groups], 0.0)
    }

    /// Adds a row to the weights at or below each threshold.
    #[inline]
    fn add(&self, at: usize, left: &mut [[f32; LANES]]) {
        let weight = self.weights[at];
        let row = &self.below[at * self.groups..][..self.groups];
        for (lanes, below) in left.iter_mut().zip(row) {
            for (lane, &below) in lanes.iter_mut().zip(below) {
                *lane += f32::from(below) * weight;
            }
        }
    }

    /// The absolute error of both sides of a split, where the left one has these weights at or
    /// below each threshold, and this weight in all.
    #[inline]
    fn both_sides(&self, left: &[[f32; LANES]], weight: f32) -> f64 {
        let rest = self.weight - weight;
        let mut errors = [0.0f32; LANES];
        for ((left, sums), widths) in left.iter().zip(&self.sums).zip(&self.widths) {
            for (lane, error) in errors.iter_mut().enumerate() {
                let low = smaller(left[lane], weight - left[lane]);
                let right = sums[lane] - left[lane];
                *error += widths[lane] * (low + smaller(right, rest - right));
            }
        }
        errors.into_iter().map(f64::from).sum()
    }
}

/// The smaller of two numbers, in one instruction.
#[inline]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

impl MedianGrower<'_> {
    /// Grows the tree of a leaf up to this depth; also returns its loss with the prices of its
    /// branches.
    fn node(&self, rows: &mut [u32], depth: usize, seed: u64) -> (Node, f64) {
        let leaf = |rows: &[u32]| {
            let weight: f64 = self.weight(rows);
            let shares = median_shares(self.table, rows);
            let sums = shares.into_iter().map(|share| weight * f64::from(share)).collect();
            Node::leaf(sums, rows.len())
        };
        // The loss of a leaf counts only where branches have a price.
        let priced = self.branch > 0.0;
        if !priced && (depth == 0 || rows.len() < 2 * self.min_rows.max(1)) {
            return (leaf(rows), 0.0);
        }
        let thresholds = self.thresholds(rows);
        let own = if priced { thresholds.loss() } else { 0.0 };
        if depth == 0 || thresholds.is_empty() {
            return (leaf(rows), own);
        }
        let Some(split) = self.best(rows, &thresholds, seed) else { return (leaf(rows), own) };
        drop(thresholds);
        let Split { column, cut, .. } = split;
        let middle = partition(rows, |row| self.matrix.code(row, column) <= cut);
        let (low, high) = rows.split_at_mut(middle);
        let seeds = [mixed(seed, 1), mixed(seed, 2)];
        let ((left, less), (right, more)) = both(
            low.len() + high.len(),
            || self.node(low, depth - 1, seeds[0]),
            || self.node(high, depth - 1, seeds[1]),
        );
        let under = less + more + self.branch;
        // Rounding errors are no saving.
        if priced && under >= own - 1e-9 * own {
            return (leaf(rows), own);
        }
        let mut node = Node::leaf(Vec::new(), rows.len());
        node.branch = Some(Box::new(Branch { column, cut, left, right }));
        (node, under)
    }

    fn weight(&self, rows: &[u32]) -> f64 {
        rows.iter().map(|&row| f64::from(self.table.weights()[row as usize])).sum()
    }

    /// The best split of a leaf with these rows, if any is allowed.
    fn best(&self, rows: &[u32], thresholds: &Thresholds, seed: u64) -> Option<Split> {
        let columns = in_turn(self.matrix.columns(), seed);
        let search = |sorter: &mut Sorter, column| self.best_in(rows, thresholds, column, sorter);
        let found = if rows.len() >= MANY {
            parallel::map_with(columns, Sorter::default, search)
        } else {
            let mut sorter = Sorter::default();
            columns.into_iter().map(|column| search(&mut sorter, column)).collect()
        };
        let better = |best: Split, next: Split| if next.loss < best.loss { next } else { best };
        found.into_iter().flatten().reduce(better)
    }

    /// The best split of a leaf by a column.
    fn best_in(
        &self,
        rows: &[u32],
        thresholds: &Thresholds,
        column: usize,
        sorter: &mut Sorter,
    ) -> Option<Split> {
        let codes: Vec<u16> = rows.iter().map(|&row| self.matrix.code(row, column)).collect();
        let order = sorter.sort(rows.len(), self.matrix.intervals(column), |at| codes[at]);
        let mut left = vec![[0.0; LANES]; thresholds.groups];
        let (mut weight, mut last) = (0.0f32, None);
        let mut best: Option<Split> = None;
        for (passed, &at) in order.iter().enumerate() {
            let at = at as usize;
            let code = codes[at];
            if let Some(last) = last.filter(|&last| last != code) {
                let counts = [passed, rows.len() - passed];
                let weights = [weight, thresholds.weight - weight].map(f64::from);
                if counts.into_iter().zip(weights).all(|(rows, weight)| self.allows(rows, weight)) {
                    let loss = thresholds.both_sides(&left, weight);
                    if best.is_none_or(|best| loss < best.loss) {
                        // A cut between two codes lies half-way: no row here has a code between.
                        let cut = last + (code - 1 - last) / 2;
                        best = Some(Split { column, cut, loss });
                    }
                }
            }
            last = Some(code);
            weight += thresholds.weights[at];
            thresholds.add(at, &mut left);
        }
        best
    }

    fn allows(&self, rows: usize, weight: f64) -> bool {
        rows >= self.min_rows.max(1) && (self.min_weight <= 0.0 || weight >= self.min_weight)
    }

    /// The thresholds that tell these rows apart.
    fn thresholds(&self, rows: &[u32]) -> Thresholds {
        let Levels { outputs, means, .. } = &self.levels;
        let mut present = vec![0u32; *outputs];
        for &row in rows {
            let codes = self.levels.row(row);
            present.iter_mut().zip(codes).for_each(|(mask, &code)| *mask |= 1 << code);
        }
        let rank = |mask: u32, code: u8| (mask & ((1u32 << code) - 1)).count_ones() as u8;
        // The outputs with their widths, of which those after another that ranks alike are part.
        let mut kept: Vec<(usize, Vec<f64>)> = Vec::new();
        for (output, &mask) in present.iter().enumerate() {
            if mask.count_ones() < 2 {
                continue;
            }
            let levels = (0..LEVELS).filter(|level| mask >> level & 1 == 1);
            let means: Vec<f64> = levels.map(|level| means[output * LEVELS + level]).collect();
            let widths = means.windows(2).map(|pair| pair[1] - pair[0]);
            if let Some((other, sums)) = kept.last_mut()
                && sums.len() + 1 == means.len()
                && rows.iter().all(|&row| {
                    let codes = self.levels.row(row);
                    rank(mask, codes[output]) == rank(present[*other], codes[*other])
                })
            {
                sums.iter_mut().zip(widths).for_each(|(sum, width)| *sum += width);
            } else {
                kept.push((output, widths.collect()));
            }
        }
        // The output and the rank of each threshold.
        let (mut places, mut all_widths) = (Vec::new(), Vec::new());
        for &(output, ref widths) in &kept {
            places.extend((0..widths.len() as u8).map(|threshold| (output, threshold)));
            all_widths.extend(widths.iter().map(|&width| width as f32));
        }
        let groups = places.len().div_ceil(LANES);
        all_widths.resize(groups * LANES, 0.0);
        let mut below = vec![[0u8; LANES]; rows.len() * groups];
        for (row, lanes) in rows.iter().zip(below.chunks_exact_mut(groups.max(1))) {
            let codes = self.levels.row(*row);
            let lanes = lanes.as_flattened_mut().iter_mut();
            for (lane, &(output, threshold)) in lanes.zip(&places) {
                *lane = u8::from(rank(present[output], codes[output]) <= threshold);
            }
        }
        let weights = rows.iter().map(|&row| self.table.weights()[row as usize]).collect();
        let widths = all_widths.as_chunks().0.to_vec();
        let sums = vec![[0.0; LANES]; groups];
        let mut thresholds = Thresholds { groups, below, weights, widths, sums, weight: 0.0 };
        let mut sums = std::mem::take(&mut thresholds.sums);
        for at in 0..rows.len() {
            thresholds.add(at, &mut sums);
            thresholds.weight += thresholds.weights[at];
        }
        thresholds.sums = sums;
        thresholds
    }
}
