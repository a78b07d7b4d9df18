//! What is computed at a decision, for all hands at once.
//!
//! Numbers of a decision stand in rows, one an action, each with one number a hand, and zeros up to
//! a multiple of [`WIDTH`]. Every function works on so many hands at a time, which vector registers
//! hold, action by action. No sum runs across hands, so results are the same to the bit whatever
//! the registers' width.

use super::terminal::{LANES, Lanes, Real};

/// Rows are padded to a multiple of so many numbers.
pub(super) const WIDTH: usize = 16;

/// Numbers of neighbouring hands.
type Chunk<R> = [R; WIDTH];

/// Sums that are less count as nothing: there is no dividing by them.
const LEAST: f32 = 1e-30;

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

/// How an action's share is made from its weight: `weight * scale + base`, so that the shares of
/// all actions add up to `reach`.
struct Shares<R> {
    scale: Chunk<R>,
    base: Chunk<R>,
}

impl<R: Real> Shares<R> {
    /// From the weights of `count` actions, of which only what is positive counts: rows of so many
    /// chunks, of which number `at` is meant.
    #[inline(always)]
    fn new(weights: &[Chunk<f32>], count: usize, row: usize, at: usize, reach: &Chunk<R>) -> Self {
        let mut sums = [R::default(); WIDTH];
        for action in 0..count {
            for (sum, &weight) in sums.iter_mut().zip(&weights[action * row + at]) {
                *sum += R::from(positive(weight));
            }
        }
        let least = R::from(LEAST);
        let even = R::of(1.0 / count as f64);
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
    fn of(&self, weights: &Chunk<f32>) -> Chunk<R> {
        let mut shares = [R::default(); WIDTH];
        for hand in 0..WIDTH {
            shares[hand] = R::from(positive(weights[hand])) * self.scale[hand] + self.base[hand];
        }
        shares
    }
}

/// Splits the opponent's hands among the actions by the strategy that these weights give, and adds
/// them to its average.
#[inline(always)]
pub(super) fn split(
    weights: &[f32],
    reach: &[f32],
    children: &mut [f32],
    averages: &mut [f32],
    factor: f32,
) {
    let (weights, reach) = (chunks(weights), chunks(reach));
    let (children, averages) = (chunks_mut(children), chunks_mut(averages));
    let row = reach.len();
    let count = children.len() / row;
    for (at, reach) in reach.iter().enumerate() {
        let shares = Shares::new(weights, count, row, at, reach);
        for action in 0..count {
            let place = action * row + at;
            let share = shares.of(&weights[place]);
            children[place] = share;
            for (average, share) in averages[place].iter_mut().zip(share) {
                *average = *average * factor + share;
            }
        }
    }
}

/// What becomes of old regrets when new ones are added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Discount {
    positive: f32,
    negative: f32,
    least: f32,
}

impl From<crate::variant::Discount> for Discount {
    fn from(discount: crate::variant::Discount) -> Discount {
        let crate::variant::Discount { positive, negative, least } = discount;
        Discount { positive: positive as f32, negative: negative as f32, least: least as f32 }
    }
}

impl Discount {
    /// What is kept of an old regret and a new one.
    #[inline(always)]
    fn add(self, old: f32, new: f32) -> f32 {
        // Two products, because a choice of the factor would become one of where to load it from.
        let positive = positive(old);
        let sum = positive * self.positive + (old - positive) * self.negative + new;
        if sum > self.least { sum } else { self.least }
    }
}

/// The learner's value of a decision, from each action's values and the strategy that these weights
/// give; and what each action brings beyond it.
#[inline(always)]
fn look(weights: &[Chunk<f32>], values: &[Chunk<f32>], [count, row, at]: [usize; 3]) -> Chunk<f32> {
    let shares = Shares::new(weights, count, row, at, &[1.0; WIDTH]);
    let mut mean = [0.0; WIDTH];
    for action in 0..count {
        let place = action * row + at;
        let share = shares.of(&weights[place]);
        for ((mean, share), of_action) in mean.iter_mut().zip(share).zip(&values[place]) {
            *mean += share * of_action;
        }
    }
    mean
}

/// The learner's value of a decision, from each action's values and the strategy that its regrets
/// give; then the regrets learn from them.
#[inline(always)]
pub(super) fn learn(regrets: &mut [f32], values: &[f32], value: &mut [f32], discount: Discount) {
    let (regrets, values, value) = (chunks_mut(regrets), chunks(values), chunks_mut(value));
    let row = value.len();
    let count = values.len() / row;
    for (at, value) in value.iter_mut().enumerate() {
        let mean = look(regrets, values, [count, row, at]);
        for action in 0..count {
            let place = action * row + at;
            let rows = regrets[place].iter_mut().zip(&values[place]);
            for ((regret, of_action), mean) in rows.zip(&mean) {
                *regret = discount.add(*regret, of_action - mean);
            }
        }
        *value = mean;
    }
}

/// The same with a strategy that is made from predictions: from the regrets with the last
/// iteration's counted once more.
#[inline(always)]
pub(super) fn learn_ahead(
    regrets: &mut [f32],
    predicted: &mut [f32],
    values: &[f32],
    value: &mut [f32],
    discount: Discount,
) {
    let (regrets, predicted) = (chunks_mut(regrets), chunks_mut(predicted));
    let (values, value) = (chunks(values), chunks_mut(value));
    let row = value.len();
    let count = values.len() / row;
    for (at, value) in value.iter_mut().enumerate() {
        let mean = look(predicted, values, [count, row, at]);
        for action in 0..count {
            let place = action * row + at;
            let rows = regrets[place].iter_mut().zip(&mut predicted[place]).zip(&values[place]);
            for (((regret, predicted), of_action), mean) in rows.zip(&mean) {
                *regret = discount.add(*regret, of_action - mean);
                *predicted = *regret + (of_action - mean);
            }
        }
        *value = mean;
    }
}

/// Splits the opponent's hands among the actions by the strategy that these weights give: its
/// average where they are its averages.
#[inline(always)]
pub(super) fn split_by<R: Real>(weights: &[f32], reach: &[R], children: &mut [R]) {
    let (weights, reach, children) = (chunks(weights), chunks(reach), chunks_mut(children));
    let row = reach.len();
    let count = children.len() / row;
    for (at, reach) in reach.iter().enumerate() {
        let shares = Shares::new(weights, count, row, at, reach);
        for action in 0..count {
            children[action * row + at] = shares.of(&weights[action * row + at]);
        }
    }
}

/// Splits the opponent's hands among the actions by given shares.
#[inline(always)]
pub(super) fn portion<R: Real>(shares: &[f32], reach: &[R], children: &mut [R]) {
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

/// The value of a decision to a player who plays the average strategy.
#[inline(always)]
pub(super) fn mean<R: Real>(averages: &[f32], values: &[R], value: &mut [R]) {
    let (averages, values, value) = (chunks(averages), chunks(values), chunks_mut(value));
    let row = value.len();
    let count = values.len() / row;
    for (at, value) in value.iter_mut().enumerate() {
        let shares = Shares::new(averages, count, row, at, &[R::from(1.0); WIDTH]);
        *value = [R::default(); WIDTH];
        for action in 0..count {
            let place = action * row + at;
            let share = shares.of(&averages[place]);
            for ((value, share), &of_action) in value.iter_mut().zip(share).zip(&values[place]) {
                *value += share * of_action;
            }
        }
    }
}

/// The average strategy of a hand at a decision with `count` actions.
pub(super) fn average_share(
    averages: &[f32],
    hand: usize,
    row: usize,
    count: usize,
) -> impl Fn(usize) -> f64 {
    let weight = move |action: usize| f64::from(averages[action * row + hand]);
    let sum: f64 = (0..count).map(weight).sum();
    let known = sum > f64::from(LEAST);
    move |action| if known { weight(action) / sum } else { 1.0 / count as f64 }
}

/// The value of a decision to a player who chooses the best action with each hand.
#[inline(always)]
pub(super) fn best<R: Real>(values: &[R], value: &mut [R]) {
    let hands = value.len();
    value.copy_from_slice(&values[..hands]);
    for row in values.chunks_exact(hands).skip(1) {
        for (value, row) in chunks_mut(value).iter_mut().zip(chunks(row)) {
            for (value, &of_action) in value.iter_mut().zip(row) {
                *value = if of_action > *value { of_action } else { *value };
            }
        }
    }
}

/// The value of a decision of the opponent: what its actions bring together.
#[inline(always)]
pub(super) fn sum<R: Real>(values: &[R], value: &mut [R]) {
    let (values, value) = (chunks(values), chunks_mut(value));
    let row = value.len();
    let count = values.len() / row;
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

/// Puts rows side by side: the number of lane `l` and hand `h` is that of hand `h` in row
/// `rows[l]`.
#[inline(always)]
pub(super) fn into_lanes<R: Real>(numbers: &[R], rows: [usize; LANES], lanes: &mut [Lanes<R>]) {
    let row = lanes.len();
    let mut chunked = [&[][..]; LANES];
    for (chunked, number) in chunked.iter_mut().zip(rows) {
        *chunked = chunks(&numbers[number * row..][..row]);
    }
    for (at, lanes) in chunks_mut(lanes).iter_mut().enumerate() {
        for (lane, row) in chunked.iter().enumerate() {
            for (lanes, &number) in lanes.iter_mut().zip(&row[at]) {
                lanes[lane] = number;
            }
        }
    }
}

/// Takes lanes out, each times a factor, to the places in `numbers` at which their rows begin.
#[inline(always)]
pub(super) fn from_lanes<R: Real>(
    lanes: &[Lanes<R>],
    rows: &[(usize, usize, R)],
    numbers: &mut [R],
) {
    // Few hands at a time, so that their lanes are read from the nearest memory.
    for (at, lanes) in chunks(lanes).iter().enumerate() {
        for &(lane, start, factor) in rows {
            let row = &mut numbers[start + at * WIDTH..][..WIDTH];
            for (number, lanes) in row.iter_mut().zip(lanes) {
                *number = lanes[lane % LANES] * factor;
            }
        }
    }
}
