//! Histograms of gradients, and the best split they show.

use super::gradient::parts;
use super::matrix::Matrix;

/// For each column, the sum of gradients in each interval, packed as in
/// [`super::gradient::Gradients::whole`].
pub(super) type Histogram = Vec<[u64; 256]>;

/// The number of rows above which histograms are summed in parallel.
const MANY: usize = 1 << 16;

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
    if rows.len() > MANY {
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
pub(super) fn subtract(from: &mut Histogram, taken: &Histogram, cuts: &[usize]) {
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
pub(super) struct SplitScorer {
    pub(super) units: [f64; 2],
    pub(super) lambda: f64,
    pub(super) gamma: f64,
    pub(super) min_child_weight: f64,
}

/// XGBoost's smallest gain of a split.
const MIN_GAIN: f64 = 1e-6;

impl SplitScorer {
    /// The first and second derivative of a packed sum, as numbers.
    pub(super) fn real(&self, sum: u64) -> [f64; 2] {
        let [first, second] = parts(sum);
        [f64::from(first) * self.units[0], f64::from(second) * self.units[1]]
    }

    fn score(&self, sum: u64) -> f64 {
        let [first, second] = self.real(sum);
        if second + self.lambda > 0.0 { first * first / (second + self.lambda) } else { 0.0 }
    }

    /// Whether rows with this sum are heavy enough to be split.
    pub(super) fn splittable(&self, sum: u64) -> bool {
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
