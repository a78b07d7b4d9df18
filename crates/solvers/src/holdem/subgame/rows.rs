//! Operations at a decision, for all hands at once.
//!
//! Reach probabilities and values are rows, one per action, with one number per hand, padded with
//! zeros to a multiple of [`WIDTH`]. The numbers that a decision keeps between iterations, its
//! *weights*, are interleaved: those of `WIDTH` hands for the first action, then for the second,
//! and so on, then those of the next hands ([`weight`]), so that memory is read sequentially. Every
//! function works on `WIDTH` hands at a time, which vector registers hold, action by action. No sum
//! runs across hands, so results are bitwise identical whatever the registers' width.

use super::terminal::{LANES, Lanes, Real};
use crate::regret::Weight;

/// Rows are padded to a multiple of this many numbers.
pub(crate) const WIDTH: usize = 16;

/// Numbers of `WIDTH` neighbouring hands.
type Chunk<R> = [R; WIDTH];

/// Smaller sums count as zero, to avoid dividing by them.
const MIN_SUM: f32 = 1e-30;

#[inline(always)]
fn chunks<R>(row: &[R]) -> &[Chunk<R>] {
    row.as_chunks().0
}

#[inline(always)]
fn chunks_mut<R>(row: &mut [R]) -> &mut [Chunk<R>] {
    row.as_chunks_mut().0
}

#[inline(always)]
fn positive(regret: f32) -> f32 {
    if regret > 0.0 { regret } else { 0.0 }
}

/// Maps an action's weight to its share, `weight * scale + base`, so that the shares of all actions
/// add up to `reach`.
struct Shares<R> {
    scale: Chunk<R>,
    base: Chunk<R>,
}

impl<R: Real> Shares<R> {
    /// From the weights of all actions; negative weights count as zero. Without a positive weight
    /// all shares are equal.
    #[inline(always)]
    fn new(weights: &[Chunk<f32>], reach: &Chunk<R>) -> Self {
        let mut sums = [R::default(); WIDTH];
        for weights in weights {
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum += R::from(positive(weight));
            }
        }
        let least = R::from(MIN_SUM);
        let even = R::from_f64(1.0 / weights.len() as f64);
        let mut shares = Shares { scale: [R::default(); WIDTH], base: [R::default(); WIDTH] };
        for hand in 0..WIDTH {
            let known = sums[hand] > least;
            let divisor = if known { sums[hand] } else { R::from(1.0) };
            let scale = reach[hand] / divisor;
            shares.scale[hand] = if known { scale } else { R::default() };
            shares.base[hand] = if known { R::default() } else { reach[hand] * even };
        }
        shares
    }

    #[inline(always)]
    fn apply(&self, weights: &Chunk<f32>) -> Chunk<R> {
        let mut shares = [R::default(); WIDTH];
        for hand in 0..WIDTH {
            shares[hand] = R::from(positive(weights[hand])) * self.scale[hand] + self.base[hand];
        }
        shares
    }
}

/// Splits the opponent's reach among the actions by the strategy of these weights, and adds the
/// result to the averages with this weight.
#[inline(always)]
pub(crate) fn split(
    weights: &[f32],
    reach: &[f32],
    children: &mut [f32],
    averages: &mut [f32],
    of: Weight,
    row: usize,
) {
    let (weights, reach) = (chunks(weights), chunks(reach));
    let (children, averages) = (chunks_mut(children), chunks_mut(averages));
    let (row, count) = (row / WIDTH, weights.len() / reach.len());
    let pairs = weights.chunks_exact(count).zip(averages.chunks_exact_mut(count));
    for ((at, reach), (weights, averages)) in reach.iter().enumerate().zip(pairs) {
        let shares = Shares::new(weights, reach);
        for (action, (weights, averages)) in weights.iter().zip(averages).enumerate() {
            let share = shares.apply(weights);
            children[action * row + at] = share;
            for (average, share) in averages.iter_mut().zip(share) {
                *average = *average * of.factor + share * of.weight;
            }
        }
    }
}

/// Factors for old regrets when new ones are added, and the least regret kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Discount {
    positive: f32,
    negative: f32,
    least: f32,
}

impl From<crate::regret::Discount> for Discount {
    fn from(discount: crate::regret::Discount) -> Discount {
        let crate::regret::Discount { positive, negative, least } = discount;
        Discount { positive: positive as f32, negative: negative as f32, least: least as f32 }
    }
}

impl Discount {
    /// The sum of a discounted old regret and a new one, bounded from below.
    #[inline(always)]
    pub(crate) fn add(self, old: f32, new: f32) -> f32 {
        // Two products, because the compiler would turn a choice of the factor into a choice of its
        // address.
        let positive = positive(old);
        let sum = positive * self.positive + (old - positive) * self.negative + new;
        if sum > self.least { sum } else { self.least }
    }
}

/// The learner's value of a decision with the strategy of these weights: the mean of the actions'
/// values. The values are rows of `row` chunks, of which chunk `at` is used.
#[inline(always)]
fn mean_value(weights: &[Chunk<f32>], values: &[Chunk<f32>], [row, at]: [usize; 2]) -> Chunk<f32> {
    let shares = Shares::new(weights, &[1.0; WIDTH]);
    let mut mean = [0.0; WIDTH];
    for (action, weights) in weights.iter().enumerate() {
        let share = shares.apply(weights);
        for ((mean, share), of_action) in mean.iter_mut().zip(share).zip(&values[action * row + at])
        {
            *mean += share * of_action;
        }
    }
    mean
}

/// Computes the learner's value of a decision from the actions' values and the strategy of its
/// regrets, then updates the regrets.
#[inline(always)]
pub(crate) fn learn(
    regrets: &mut [f32],
    values: &[f32],
    value: &mut [f32],
    discount: Discount,
    row: usize,
) {
    let (regrets, values, value) = (chunks_mut(regrets), chunks(values), chunks_mut(value));
    let (row, count) = (row / WIDTH, regrets.len() / value.len());
    for ((at, value), regrets) in
        value.iter_mut().enumerate().zip(regrets.chunks_exact_mut(count)).rev()
    {
        let mean = mean_value(regrets, values, [row, at]);
        for (action, regrets) in regrets.iter_mut().enumerate() {
            let rows = regrets.iter_mut().zip(&values[action * row + at]);
            for ((regret, of_action), mean) in rows.zip(&mean) {
                *regret = discount.add(*regret, of_action - mean);
            }
        }
        *value = mean;
    }
}

/// The same as [`learn`], with a strategy computed from predictions: the regrets with those of the
/// last iteration counted once more.
#[inline(always)]
pub(crate) fn learn_ahead(
    regrets: &mut [f32],
    predicted: &mut [f32],
    values: &[f32],
    value: &mut [f32],
    discount: Discount,
    row: usize,
) {
    let (regrets, predicted) = (chunks_mut(regrets), chunks_mut(predicted));
    let (values, value) = (chunks(values), chunks_mut(value));
    let (row, count) = (row / WIDTH, regrets.len() / value.len());
    let pairs = regrets.chunks_exact_mut(count).zip(predicted.chunks_exact_mut(count));
    for ((at, value), (regrets, predicted)) in value.iter_mut().enumerate().zip(pairs) {
        let mean = mean_value(predicted, values, [row, at]);
        for (action, (regrets, predicted)) in regrets.iter_mut().zip(predicted).enumerate() {
            let rows = regrets.iter_mut().zip(predicted).zip(&values[action * row + at]);
            for (((regret, predicted), of_action), mean) in rows.zip(&mean) {
                *regret = discount.add(*regret, of_action - mean);
                *predicted = *regret + (of_action - mean);
            }
        }
        *value = mean;
    }
}

/// Splits the opponent's reach among the actions by the strategy of these weights: its average
/// strategy if they are averages.
#[inline(always)]
pub(crate) fn split_by<R: Real>(weights: &[f32], reach: &[R], children: &mut [R], row: usize) {
    let (weights, reach, children) = (chunks(weights), chunks(reach), chunks_mut(children));
    let (row, count) = (row / WIDTH, weights.len() / reach.len());
    for ((at, reach), weights) in reach.iter().enumerate().zip(weights.chunks_exact(count)) {
        let shares = Shares::new(weights, reach);
        for (action, weights) in weights.iter().enumerate() {
            children[action * row + at] = shares.apply(weights);
        }
    }
}

/// Splits the opponent's reach among the actions by given shares.
#[inline(always)]
pub(crate) fn portion<R: Real>(shares: &[f32], reach: &[R], children: &mut [R]) {
    let (shares, reach, children) = (chunks(shares), chunks(reach), chunks_mut(children));
    let row = reach.len();
    let rows = shares.chunks_exact(row).zip(children.chunks_exact_mut(row));
    for (shares, children) in rows {
        for ((child, share), reach) in children.iter_mut().zip(shares).zip(reach) {
            for hand in 0..WIDTH {
                child[hand] = reach[hand] * R::from(share[hand]);
            }
        }
    }
}

/// Computes the value of a decision to a player who plays the average strategy.
#[inline(always)]
pub(crate) fn mean<R: Real>(averages: &[f32], values: &[R], value: &mut [R], row: usize) {
    let (averages, values, value) = (chunks(averages), chunks(values), chunks_mut(value));
    let (row, count) = (row / WIDTH, averages.len() / value.len());
    for ((at, value), averages) in value.iter_mut().enumerate().zip(averages.chunks_exact(count)) {
        let shares = Shares::new(averages, &[R::from(1.0); WIDTH]);
        *value = [R::default(); WIDTH];
        for (action, averages) in averages.iter().enumerate() {
            let share = shares.apply(averages);
            let rows = value.iter_mut().zip(share);
            for ((value, share), &of_action) in rows.zip(&values[action * row + at]) {
                *value += share * of_action;
            }
        }
    }
}

/// Index of the weight of a hand and an action at a decision with `count` actions.
#[inline]
pub(crate) fn weight(hand: usize, action: usize, count: usize) -> usize {
    (hand / WIDTH * count + action) * WIDTH + hand % WIDTH
}

/// The average strategy of a hand at a decision with `count` actions, as a function of the action.
pub(crate) fn average_share(averages: &[f32], hand: usize, count: usize) -> impl Fn(usize) -> f64 {
    let of = move |action: usize| f64::from(averages[weight(hand, action, count)]);
    let sum: f64 = (0..count).map(of).sum();
    let known = sum > f64::from(MIN_SUM);
    move |action| if known { of(action) / sum } else { 1.0 / count as f64 }
}

/// Computes the value of a decision with `count` actions to a player who plays the best action with
/// each hand.
#[inline(always)]
pub(crate) fn best<R: Real>(values: &[R], value: &mut [R], count: usize, row: usize) {
    let (values, value, row) = (chunks(values), chunks_mut(value), row / WIDTH);
    for (at, value) in value.iter_mut().enumerate() {
        let mut best = values[at];
        for action in 1..count {
            for (best, &of_action) in best.iter_mut().zip(&values[action * row + at]) {
                *best = if of_action > *best { of_action } else { *best };
            }
        }
        *value = best;
    }
}

/// Computes the value of an opponent's decision with `count` actions: the sum of their values,
/// which are already weighted by the opponent's reach.
#[inline(always)]
pub(crate) fn sum<R: Real>(values: &[R], value: &mut [R], count: usize, row: usize) {
    let (values, value, row) = (chunks(values), chunks_mut(value), row / WIDTH);
    for (at, value) in value.iter_mut().enumerate() {
        let mut sum = values[at];
        for action in 1..count {
            for (sum, &of_action) in sum.iter_mut().zip(&values[action * row + at]) {
                *sum += of_action;
            }
        }
        *value = sum;
    }
}

/// Transposes rows to lanes: lane `l` of hand `h` is the number of hand `h` in the row that starts
/// at `rows[l]`.
#[inline(always)]
pub(crate) fn into_lanes<R: Real>(numbers: &[R], rows: [usize; LANES], lanes: &mut [Lanes<R>]) {
    let row = lanes.len();
    let mut chunked = [&[][..]; LANES];
    for (chunked, begin) in chunked.iter_mut().zip(rows) {
        *chunked = chunks(&numbers[begin..][..row]);
    }
    for (at, lanes) in chunks_mut(lanes).iter_mut().enumerate() {
        for (lane, row) in chunked.iter().enumerate() {
            for (lanes, &number) in lanes.iter_mut().zip(&row[at]) {
                lanes[lane] = number;
            }
        }
    }
}

/// Transposes lanes to rows: each entry of `rows` is a lane, the index in `numbers` at which its
/// row starts, and a factor.
#[inline(always)]
pub(crate) fn from_lanes<R: Real>(
    lanes: &[Lanes<R>],
    rows: &[(usize, usize, R)],
    numbers: &mut [R],
) {
    // A few hands at a time, so that their lanes are read from the nearest cache.
    for (at, lanes) in chunks(lanes).iter().enumerate() {
        for &(lane, start, factor) in rows {
            let row = &mut numbers[start + at * WIDTH..][..WIDTH];
            for (number, lanes) in row.iter_mut().zip(lanes) {
                *number = lanes[lane % LANES] * factor;
            }
        }
    }
}
