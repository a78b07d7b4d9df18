//! What is computed at a decision, for all hands at once.
//!
//! Numbers of a decision stand in rows, one an action, each with one number a hand. Every function works on
//! a block of hands at a time, action by action, so that a block stays in the fastest memory and the
//! compiler can use vector registers. No sum runs across hands, so results are the same to the bit
//! whatever the registers' width.

use super::terminal::Real;
use crate::variant::Factors;

/// Hands of a block.
const BLOCK: usize = 128;

/// Sums that are less count as nothing: there is no dividing by them.
const LEAST: f32 = 1e-30;

/// Calls `work` with the bounds of each block of `hands`.
#[inline(always)]
fn blocks(hands: usize, mut work: impl FnMut(usize, usize)) {
    let mut from = 0;
    while from < hands {
        let to = hands.min(from + BLOCK);
        work(from, to);
        from = to;
    }
}

#[inline(always)]
fn positive(regret: f32) -> f32 {
    if regret > 0.0 { regret } else { 0.0 }
}

/// How an action's share is made from its weight: `weight * scale + base`, so that the shares of all actions
/// add up to `reach`.
struct Shares {
    scale: [f32; BLOCK],
    base: [f32; BLOCK],
}

impl Shares {
    /// From each action's weight, of which only what is positive counts.
    #[inline(always)]
    fn new<'a>(
        count: usize,
        hands: usize,
        row: impl Fn(usize) -> &'a [f32],
        reach: impl Fn(usize) -> f32,
    ) -> Shares {
        let mut shares = Shares { scale: [0.0; BLOCK], base: [0.0; BLOCK] };
        for action in 0..count {
            for (sum, &weight) in shares.scale[..hands].iter_mut().zip(row(action)) {
                *sum += positive(weight);
            }
        }
        let even = 1.0 / count as f32;
        let both = shares.scale[..hands].iter_mut().zip(&mut shares.base[..hands]);
        for (hand, (scale, base)) in both.enumerate() {
            let (sum, reach) = (*scale, reach(hand));
            let known = sum > LEAST;
            *scale = if known { reach / sum } else { 0.0 };
            *base = if known { 0.0 } else { reach * even };
        }
        shares
    }
}

/// Splits the opponent's hands among the actions by its regrets, and adds them to its average.
#[inline(always)]
pub(super) fn split(
    regrets: &[f32],
    reach: &[f32],
    children: &mut [f32],
    averages: &mut [f32],
    factor: f32,
) {
    let hands = reach.len();
    let count = children.len() / hands;
    blocks(hands, |from, to| {
        let row = |action: usize| action * hands + from..action * hands + to;
        let block = &reach[from..to];
        let shares =
            Shares::new(count, to - from, |action| &regrets[row(action)], |hand| block[hand]);
        for action in 0..count {
            let rows = children[row(action)].iter_mut().zip(&mut averages[row(action)]);
            let shares = shares.scale.iter().zip(&shares.base);
            for ((&regret, (child, average)), (&scale, &base)) in
                regrets[row(action)].iter().zip(rows).zip(shares)
            {
                let share = positive(regret) * scale + base;
                *child = share;
                *average = *average * factor + share;
            }
        }
    });
}

/// The factors of old regrets before the new ones are added, and of all after.
#[derive(Debug, Clone, Copy)]
pub(super) struct Discounts {
    pub(super) before: [f32; 2],
    pub(super) after: [f32; 2],
}

impl Discounts {
    /// From the factors before and after; `None` for no discount.
    pub(super) fn new(before: Option<Factors>, after: Option<Factors>) -> Discounts {
        let pair = |factors: Option<Factors>| {
            factors.map_or([1.0; 2], |f| [f.positive as f32, f.negative as f32])
        };
        Discounts { before: pair(before), after: pair(after) }
    }
}

#[inline(always)]
fn discounted(regret: f32, [positive, negative]: [f32; 2]) -> f32 {
    regret * if regret > 0.0 { positive } else { negative }
}

/// The learner's value of a decision, from each action's values and the strategy that its regrets give;
/// then the regrets learn from them.
#[inline(always)]
pub(super) fn learn(regrets: &mut [f32], values: &[f32], value: &mut [f32], discounts: Discounts) {
    let hands = value.len();
    let count = values.len() / hands;
    blocks(hands, |from, to| {
        let row = |action: usize| action * hands + from..action * hands + to;
        let shares = Shares::new(count, to - from, |action| &regrets[row(action)], |_| 1.0);
        let value = &mut value[from..to];
        value.fill(0.0);
        for action in 0..count {
            let shares = shares.scale.iter().zip(&shares.base);
            let rows = regrets[row(action)].iter().zip(&values[row(action)]);
            for ((value, (&regret, &of_action)), (&scale, &base)) in
                value.iter_mut().zip(rows).zip(shares)
            {
                *value += (positive(regret) * scale + base) * of_action;
            }
        }
        for action in 0..count {
            let rows = regrets[row(action)].iter_mut().zip(&values[row(action)]);
            for ((regret, &of_action), &value) in rows.zip(&*value) {
                let old = discounted(*regret, discounts.before);
                *regret = discounted(old + (of_action - value), discounts.after);
            }
        }
    });
}

/// Splits the opponent's hands among the actions by its average strategy.
#[inline(always)]
pub(super) fn split_average(averages: &[f32], reach: &[f64], children: &mut [f64]) {
    let hands = reach.len();
    let count = children.len() / hands;
    for hand in 0..hands {
        let share = average_share(averages, hand, hands, count);
        for action in 0..count {
            children[action * hands + hand] = reach[hand] * share(action);
        }
    }
}

/// The value of a decision to a player who plays the average strategy.
#[inline(always)]
pub(super) fn mean(averages: &[f32], values: &[f64], value: &mut [f64]) {
    let hands = value.len();
    let count = values.len() / hands;
    for (hand, value) in value.iter_mut().enumerate() {
        let share = average_share(averages, hand, hands, count);
        *value = (0..count).map(|action| values[action * hands + hand] * share(action)).sum();
    }
}

/// The average strategy of a hand at a decision with `count` actions.
#[inline(always)]
pub(super) fn average_share(
    averages: &[f32],
    hand: usize,
    hands: usize,
    count: usize,
) -> impl Fn(usize) -> f64 {
    let weight = move |action: usize| f64::from(averages[action * hands + hand]);
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
        for (value, &of_action) in value.iter_mut().zip(row) {
            *value = if of_action > *value { of_action } else { *value };
        }
    }
}

/// The value of a decision of the opponent: what its actions bring together.
#[inline(always)]
pub(super) fn sum<R: Real>(values: &[R], value: &mut [R]) {
    let hands = value.len();
    value.copy_from_slice(&values[..hands]);
    for row in values.chunks_exact(hands).skip(1) {
        for (value, &of_action) in value.iter_mut().zip(row) {
            *value += of_action;
        }
    }
}

/// Puts rows side by side: the number of lane `l` and hand `h` is that of hand `h` in row `rows[l]`.
#[inline(always)]
pub(super) fn into_lanes<R: Real>(
    numbers: &[R],
    rows: [usize; super::terminal::LANES],
    lanes: &mut [super::terminal::Lanes<R>],
) {
    let hands = lanes.len();
    let rows = rows.map(|row| &numbers[row * hands..][..hands]);
    for (hand, lanes) in lanes.iter_mut().enumerate() {
        *lanes = std::array::from_fn(|lane| rows[lane][hand]);
    }
}

/// Takes one lane out, times a factor.
#[inline(always)]
pub(super) fn from_lane<R: Real>(
    lanes: &[super::terminal::Lanes<R>],
    lane: usize,
    factor: R,
    row: &mut [R],
) {
    for (number, lanes) in row.iter_mut().zip(lanes) {
        *number = lanes[lane] * factor;
    }
}
