//! The best test of a node whose two sides are kept: every row's leaf on either side is known, and
//! rows are moved from the upper side to the lower in the order of each column.

use crate::trees::Loss;
use crate::trees::matrix::Matrix;
use crate::trees::node::{Branch, Node, Price};
use crate::trees::scan::Sorter;

// With more rows than this, tests are proposed by a sample of this size; all rows decide.
const SAMPLE: usize = 1 << 17;
// When proposing from a sample, nodes with fewer sampled rows are skipped.
const SAMPLED_LEAF: usize = 64;
// From this number of rows on, a cut is evaluated only when half as many rows were moved as there
// are leaves, so that evaluating does not take longer than moving.
const SPACED: usize = 1 << 14;
// From this number of rows on, columns are scanned in parallel.
const PARALLEL: usize = 1 << 13;

/// A change of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Change {
    /// Replaces the test.
    Cut { column: usize, cut: u16 },
    /// Replaces the node by its lower side.
    Lower,
    /// Replaces the node by its upper side.
    Upper,
}

/// The rows of a node with their leaves on both sides.
pub(super) struct Scan<'a, const W: usize> {
    matrix: &'a Matrix<W>,
    // The codes, column by column.
    codes: Vec<u16>,
    labels: Vec<[f32; W]>,
    low: Vec<u32>,
    high: Vec<u32>,
    // The number of leaves of both sides together.
    leaves: usize,
    weigh: Weigh,
}

// The cost of a leaf, as far as known while rows are moved.
#[derive(Debug, Clone, Copy)]
struct Weigh {
    loss: Loss,
    branch: f32,
    min_rows: u32,
    min_weight: f32,
    // The largest cost of a row of weight one.
    worst: f32,
}

impl Weigh {
    // `fraction` is the share of the rows that is scanned.
    fn new(price: &Price, fraction: f64, classes: usize) -> Weigh {
        Weigh {
            loss: price.loss,
            branch: (price.branch * fraction) as f32,
            min_rows: (price.min_rows as f64 * fraction).ceil().min(f64::from(u32::MAX)) as u32,
            min_weight: (price.min_weight * fraction) as f32,
            worst: price.loss.worst(classes),
        }
    }

    // A leaf without rows would be removed with its branch. One with too few would be merged with
    // others, which are not known here: it costs as much as if nothing were known about its rows.
    #[inline]
    fn leaf<const W: usize>(&self, tally: &Tally<W>) -> f32 {
        if tally.rows == 0 {
            return 0.0;
        }
        let short = tally.rows < self.min_rows
            || (self.min_weight > 0.0 && tally.sums.iter().sum::<f32>() < self.min_weight);
        if short {
            return self.branch + self.worst * tally.sums.iter().sum::<f32>();
        }
        self.branch + self.loss.roughly(&tally.sums).max(0.0)
    }
}

#[derive(Debug, Clone, Copy)]
struct Tally<const W: usize> {
    sums: [f32; W],
    cost: f32,
    rows: u32,
    stamp: u32,
}

// The tests of a side, and the number of its rows in each leaf.
struct Side {
    nodes: Vec<Step>,
    held: Vec<usize>,
    first: u32,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    // `LEAF` for a leaf, whose number is `next`.
    column: u16,
    cut: u16,
    next: u32,
}

const LEAF: u16 = u16::MAX;

impl Side {
    fn new(node: &Node, first: u32, least: usize) -> Side {
        let mut side = Side { nodes: Vec::new(), held: Vec::new(), first };
        side.add(node, least);
        side
    }

    fn add(&mut self, node: &Node, least: usize) {
        match &node.branch {
            Some(branch) if node.rows >= least => {
                let at = self.nodes.len();
                self.nodes.push(Step { column: branch.column as u16, cut: branch.cut, next: 0 });
                self.add(&branch.left, least);
                self.nodes[at].next = self.nodes.len() as u32;
                self.add(&branch.right, least);
            }
            _ => {
                let next = self.first + self.held.len() as u32;
                self.nodes.push(Step { column: LEAF, cut: 0, next });
                self.held.push(node.rows);
            }
        }
    }

    fn leaf(&self, codes: &[u16]) -> u32 {
        let mut at = 0;
        loop {
            let step = self.nodes[at];
            if step.column == LEAF {
                return step.next;
            }
            let left = codes[usize::from(step.column)] <= step.cut;
            at = if left { at + 1 } else { step.next as usize };
        }
    }
}

impl<'a, const W: usize> Scan<'a, W> {
    /// Prepares the rows of a branch, which are sorted by leaf.
    pub(super) fn new(
        matrix: &'a Matrix<W>,
        price: Price,
        branch: &Branch,
        rows: &[u32],
    ) -> Scan<'a, W> {
        let taken: Vec<usize> = if rows.len() > SAMPLE {
            (0..SAMPLE).map(|at| at * rows.len() / SAMPLE).collect()
        } else {
            (0..rows.len()).collect()
        };
        let fraction = taken.len() as f64 / rows.len() as f64;
        let least = if fraction < 1.0 { (SAMPLED_LEAF as f64 / fraction) as usize } else { 0 };
        let lower = Side::new(&branch.left, 0, least);
        let upper = Side::new(&branch.right, lower.held.len() as u32, least);
        let (mut low, mut high) =
            (Vec::with_capacity(taken.len()), Vec::with_capacity(taken.len()));
        // The leaf of the present row, and where its rows end.
        let held = lower.held.iter().chain(&upper.held);
        let mut ends = held
            .scan(0, |sum, rows| {
                *sum += rows;
                Some(*sum)
            })
            .zip(0u32..);
        let (mut end, mut leaf) = ends.next().expect("a side has a leaf");
        let mut labels = Vec::with_capacity(taken.len());
        for &at in &taken {
            while at >= end {
                (end, leaf) = ends.next().expect("leaves hold all rows");
            }
            let codes = matrix.row(rows[at]);
            let in_lower = at < branch.left.rows;
            low.push(if in_lower { leaf } else { lower.leaf(codes) });
            high.push(if in_lower { upper.leaf(codes) } else { leaf });
            labels.push(*matrix.label(rows[at]));
        }
        let leaves = lower.held.len() + upper.held.len();
        let codes = by_column(matrix, rows, &taken);
        let weigh = Weigh::new(&price, fraction, matrix.classes());
        Scan { matrix, codes, labels, low, high, leaves, weigh }
    }

    /// The changes that would cost less over the rows scanned, least cost first.
    pub(super) fn changes(&self, branch: &Branch, from: usize) -> Vec<Change> {
        let lower = self.tallies(|_| true);
        let upper = self.tallies(|_| false);
        let column = &self.codes[branch.column * self.labels.len()..][..self.labels.len()];
        let now = self.cost(&self.tallies(|at| column[at] <= branch.cut));
        let columns = self.matrix.columns();
        let scan = |(sorter, tallies): &mut (Sorter, Vec<Tally<W>>), turn: usize| {
            let column = (turn + from) % columns;
            tallies.clone_from(&upper);
            let (cut, cost) = self.column(column, self.cost(&upper), tallies, sorter)?;
            Some((Change::Cut { column, cut }, cost))
        };
        let scratch = || (Sorter::default(), Vec::new());
        let cuts: Vec<Option<(Change, f64)>> = if self.labels.len() >= PARALLEL {
            parallel::map_with(0..columns, scratch, scan)
        } else {
            let mut scratch = scratch();
            (0..columns).map(|turn| scan(&mut scratch, turn)).collect()
        };
        let sides = [(Change::Lower, self.cost(&lower)), (Change::Upper, self.cost(&upper))];
        let mut changes: Vec<(Change, f64)> = cuts.into_iter().flatten().chain(sides).collect();
        changes.retain(|(_, cost)| *cost < now - 1e-6 * now);
        changes.sort_by(|a, b| a.1.total_cmp(&b.1));
        changes.into_iter().map(|(change, _)| change).collect()
    }

    // The counts of the leaves with some rows on the lower side and the others on the upper.
    fn tallies(&self, lower: impl Fn(usize) -> bool) -> Vec<Tally<W>> {
        let mut tallies = vec![Tally { sums: [0.0; W], cost: 0.0, rows: 0, stamp: 0 }; self.leaves];
        for (at, label) in self.labels.iter().enumerate() {
            let leaf = if lower(at) { self.low[at] } else { self.high[at] };
            let tally = &mut tallies[leaf as usize];
            tally.rows += 1;
            tally.sums.iter_mut().zip(label).for_each(|(sum, share)| *sum += share);
        }
        for tally in &mut tallies {
            tally.cost = self.weigh.leaf(tally);
        }
        tallies
    }

    fn cost(&self, tallies: &[Tally<W>]) -> f64 {
        tallies.iter().map(|tally| f64::from(tally.cost)).sum()
    }

    // The best cut of a column, and its cost.
    fn column(
        &self,
        column: usize,
        start: f64,
        tallies: &mut [Tally<W>],
        sorter: &mut Sorter,
    ) -> Option<(u16, f64)> {
        let rows = self.labels.len();
        let codes = &self.codes[column * rows..][..rows];
        let order = sorter.sort(rows, self.matrix.intervals(column), |at| codes[at]);
        let mut last = codes[order[0] as usize];
        let (mut cost, mut stamp) = (start, 1);
        let mut best: Option<(u16, f64)> = None;
        let mut touched: Vec<u32> = Vec::new();
        let spacing = if rows >= SPACED { self.leaves / 2 } else { 0 };
        let mut next = spacing;
        for (moved, &at) in order.iter().enumerate() {
            let at = at as usize;
            let code = codes[at];
            if code != last && moved >= next {
                for leaf in touched.drain(..) {
                    let tally = &mut tallies[leaf as usize];
                    let new = self.weigh.leaf(tally);
                    cost += f64::from(new) - f64::from(tally.cost);
                    tally.cost = new;
                }
                if best.is_none_or(|(_, best)| cost < best) {
                    best = Some((last + (code - 1 - last) / 2, cost));
                }
                (stamp, next) = (stamp + 1, moved + spacing);
            }
            last = code;
            let label = &self.labels[at];
            let high = &mut tallies[self.high[at] as usize];
            high.rows -= 1;
            high.sums.iter_mut().zip(label).for_each(|(sum, share)| *sum -= share);
            if high.stamp != stamp {
                high.stamp = stamp;
                touched.push(self.high[at]);
            }
            let low = &mut tallies[self.low[at] as usize];
            low.rows += 1;
            low.sums.iter_mut().zip(label).for_each(|(sum, share)| *sum += share);
            if low.stamp != stamp {
                low.stamp = stamp;
                touched.push(self.low[at]);
            }
        }
        best
    }
}

// The codes of the sampled rows, column by column.
fn by_column<const W: usize>(matrix: &Matrix<W>, rows: &[u32], taken: &[usize]) -> Vec<u16> {
    const BLOCK: usize = 64;
    let count = taken.len();
    let mut codes = vec![0; count * matrix.columns()];
    for (block, sampled) in taken.chunks(BLOCK).enumerate() {
        for (inside, &at) in sampled.iter().enumerate() {
            for (column, &code) in matrix.row(rows[at]).iter().enumerate() {
                codes[column * count + block * BLOCK + inside] = code;
            }
        }
    }
    codes
}
