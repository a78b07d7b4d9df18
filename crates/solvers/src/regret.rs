//! Regret minimisation at one decision, and the variants of counterfactual regret minimisation as
//! values.
//!
//! Regret matching plays actions in proportion to their positive regrets ([`Matching`]). Variants
//! differ in four things: the order of the players' updates ([`Updates`]), the discounting of old
//! regrets ([`Schedule`], [`Order`]), the averaging of iterations, and whether the last regret is
//! counted twice as a prediction.

use std::fmt;
use std::ops::{AddAssign, Div, SubAssign};
use std::str::FromStr;

use crate::Error;

/// A floating-point type.
pub trait Float:
    Copy + Default + PartialOrd + AddAssign + SubAssign + Div<Output = Self> + From<f32>
{
}

impl Float for f32 {}
impl Float for f64 {}

fn positive<R: Float>(number: R) -> R {
    if number > R::default() { number } else { R::default() }
}

/// The strategy in proportion to the positive parts of some numbers: of regrets, which is regret
/// matching, or of sums of strategies. Uniform where none is positive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matching<R> {
    sum: R,
    uniform: R,
}

impl<R: Float> Matching<R> {
    /// From the numbers of all actions.
    pub(crate) fn new(numbers: impl ExactSizeIterator<Item = R>) -> Matching<R> {
        let uniform = R::from(1.0) / R::from(numbers.len() as f32);
        let mut sum = R::default();
        numbers.for_each(|number| sum += positive(number));
        Matching { sum, uniform }
    }

    /// The probability of the action with this number.
    #[inline]
    pub(crate) fn probability(self, number: R) -> R {
        let known = self.sum > R::default() && self.sum < R::from(f32::INFINITY);
        if known { positive(number) / self.sum } else { self.uniform }
    }
}

/// Replaces the numbers of all actions by the strategy in proportion to their positive parts; see
/// [`Matching`].
pub fn normalise<R: Float>(numbers: &mut [R]) {
    let matching = Matching::new(numbers.iter().copied());
    numbers.iter_mut().for_each(|number| *number = matching.probability(*number));
}

/// The index that a point falls on, from 0 to the sum of the weights; `None` where rounding leaves
/// it beyond all of them.
#[inline]
pub fn drawn<R: Float>(mut point: R, weights: impl IntoIterator<Item = R>) -> Option<usize> {
    weights.into_iter().position(|weight| {
        point -= weight;
        point < R::default()
    })
}

/// The order of the players' updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Updates {
    /// The first player's regrets, then, against the new strategy, the second player's. Averages
    /// use the strategies before the updates.
    #[default]
    Alternating,
    /// The second player's regrets, then, against the new strategy, the first player's. The second
    /// player's average uses the updated strategy: with ranges as vectors that saves a traversal,
    /// and where the second player acts last it often converges faster.
    SecondFirst,
    /// Both players' regrets against the strategies of the previous iteration.
    Simultaneous,
}

/// Whether iteration t's own regrets are discounted by the factor of t, too.
///
/// Relative to the regrets of iteration t, those of an earlier one, s, have the factors of s to t −
/// 1 in the first case and of s + 1 to t in the second, which gives the past more weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    /// Add iteration t's regrets, compute the next strategy, then multiply all by the factor of t:
    /// as published, and in OpenSpiel.
    #[default]
    AddThenDiscount,
    /// Multiply the old regrets by the factor of t, then add iteration t's.
    DiscountThenAdd,
}

/// A schedule of the discount exponents.
///
/// At iteration t, positive regrets are multiplied by tᵅ/(tᵅ + 1), negative ones by tᵝ/(tᵝ + 1) (α
/// = ∞: kept; β = −∞: reset to 0), and the average so far by ((t − 1)/t)ᵞ before the strategy of
/// iteration t is added (a constant γ weights iterations by tᵞ). Brown & Sandholm, "Solving
/// imperfect-information games via discounted regret minimization", AAAI 2019, section 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Schedule {
    /// Constant exponents.
    Constant {
        /// The exponent α of positive regrets.
        alpha: f64,
        /// The exponent β of negative regrets.
        beta: f64,
        /// The exponent γ of the average.
        gamma: f64,
    },
    /// Exponents that depend on the finished share of the planned iterations, t/n: α = 1 + 3t/n, β
    /// = −1 − 2t/n, γ = start − 5t/n. Zhang et al., arXiv 2404.09097.
    Hyper {
        /// The initial γ: 30 or 15 in the paper.
        start: f64,
    },
    /// Constant exponents, with the average restarted at iterations 2, 5, 17, 65, …: one after each
    /// power of 4.
    Restarting {
        /// The exponent α of positive regrets.
        alpha: f64,
        /// The exponent β of negative regrets.
        beta: f64,
        /// The exponent γ of the average since the restart.
        gamma: f64,
    },
}

/// The discount factors of one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Factors {
    /// The factor of positive regrets.
    pub(crate) positive: f64,
    /// The factor of negative regrets.
    pub(crate) negative: f64,
    /// The factor of the average so far, before this iteration's strategy is added.
    pub(crate) average: f64,
}

/// How an iteration's strategy enters an average in single precision: the average so far times
/// `factor`, plus the strategy times `weight`.
///
/// The factor is a power of two, which is exact, and the weight is between 1 and 2 and grows with
/// each iteration. A weight of 1 and a factor just below 1 would be the same average, but then a
/// strategy that hardly changes would be rounded in the same direction each time, to multiples of
/// the last digit of a sum a thousand times as large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weight {
    pub(crate) factor: f32,
    pub(crate) weight: f32,
}

impl Weight {
    /// The weight of an iteration by which the average so far is to be multiplied by `factor`.
    /// `last` is the weight of the iteration before, and becomes that of this one.
    pub(crate) fn next(last: &mut f64, factor: f64) -> Weight {
        if factor < f64::MIN_POSITIVE {
            *last = 1.0;
            return Weight { factor: 0.0, weight: 1.0 };
        }
        let weight = *last / factor;
        // A power of two has a mantissa of zero.
        let power = f64::from_bits(weight.to_bits() & (0x7FF << 52));
        *last = weight / power;
        Weight { factor: (1.0 / power) as f32, weight: *last as f32 }
    }
}

/// The discount of old regrets when new ones are added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Discount {
    /// The factor of positive regrets.
    pub(crate) positive: f64,
    /// The factor of negative regrets.
    pub(crate) negative: f64,
    /// The lower bound of the sum: 0 where negative regrets are reset.
    pub(crate) least: f64,
}

impl Discount {
    /// The sum of a discounted old regret and a new one, bounded from below.
    pub(crate) fn add(self, old: f64, new: f64) -> f64 {
        let factor = if old > 0.0 { self.positive } else { self.negative };
        (old * factor + new).max(self.least)
    }
}

impl Schedule {
    /// The factors of iteration `t` (from 1) of `horizon` planned ones.
    pub(crate) fn factors(self, t: u32, horizon: u32) -> Factors {
        let now = f64::from(t);
        let (alpha, beta, average) = match self {
            Schedule::Constant { alpha, beta, gamma } => {
                (alpha, beta, ((now - 1.0) / now).powf(gamma))
            }
            Schedule::Hyper { start } => {
                let done = now / f64::from(horizon.max(1));
                let gamma = start - 5.0 * done;
                (1.0 + 3.0 * done, -1.0 - 2.0 * done, ((now - 1.0) / now).powf(gamma))
            }
            Schedule::Restarting { alpha, beta, gamma } => {
                // The iterations since the last power of 4, counted from 0.
                let since = f64::from(match t - 1 {
                    0 => 0,
                    t => t - (1 << (t.ilog2() / 2 * 2)),
                });
                (alpha, beta, (since / (since + 1.0)).powf(gamma))
            }
        };
        Factors {
            positive: discount_factor(now, alpha),
            negative: discount_factor(now, beta),
            average,
        }
    }
}

/// tᵃ/(tᵃ + 1), with its limits at infinite exponents.
pub(crate) fn discount_factor(t: f64, exponent: f64) -> f64 {
    // The limits hold at t = 1, too, where every power is 1.
    if exponent.is_infinite() {
        return if exponent > 0.0 { 1.0 } else { 0.0 };
    }
    let power = t.powf(exponent);
    power / (power + 1.0)
}

/// A variant of counterfactual regret minimisation.
///
/// Texts: a name (`cfr`, `cfr+`, `cfr+quadratic`, `lcfr`, `dcfr`, `dcfr+`, `pcfr+`, `pdcfr+`,
/// `dcfr-restarting`) or exponents (`dcfr(1.5,0,2)`, `dcfr-restarting(1.5,0,3)`, `hs-dcfr(30)`),
/// then any of `,predictive`, one of `,simultaneous` and `,second-first`, and `,discount-then-add`.
/// What is printed reads back as the same variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant {
    /// The order of the players' updates.
    pub(crate) updates: Updates,
    /// The schedule of the discounts.
    pub(crate) schedule: Schedule,
    /// Whether discounts come before or after the new regrets.
    pub(crate) order: Order,
    /// Whether strategies are computed from the regrets plus the last iteration's once more, as a
    /// prediction of the next (Farina, Kroer, Sandholm, AAAI 2021).
    pub(crate) predictive: bool,
}

impl Variant {
    /// The discount of the present regrets when those of iteration `t` (from 1) are added.
    pub(crate) fn discount(&self, t: u32, horizon: u32) -> Discount {
        let of = match self.order {
            Order::AddThenDiscount => (t - 1).max(1),
            Order::DiscountThenAdd => t,
        };
        let Factors { positive, negative, .. } = self.schedule.factors(of, horizon);
        let least = if negative == 0.0 { 0.0 } else { f64::NEG_INFINITY };
        Discount { positive, negative, least }
    }

    /// Constant exponents, neither NaN nor, in the average, negative or infinite.
    pub(crate) const fn constant(alpha: f64, beta: f64, gamma: f64) -> Variant {
        Variant {
            updates: Updates::Alternating,
            schedule: Schedule::Constant { alpha, beta, gamma },
            order: Order::AddThenDiscount,
            predictive: false,
        }
    }

    /// Plain CFR: no discounting, uniform weights (Zinkevich et al. 2007).
    pub const CFR: Variant = Variant::constant(f64::INFINITY, f64::INFINITY, 0.0);
    /// CFR+: negative regrets reset to 0, iterations weighted by t (Tammelin 2014).
    pub const CFR_PLUS: Variant = Variant::constant(f64::INFINITY, f64::NEG_INFINITY, 1.0);
    /// CFR+ with iterations weighted by t².
    pub const CFR_PLUS_QUADRATIC: Variant =
        Variant::constant(f64::INFINITY, f64::NEG_INFINITY, 2.0);
    /// Linear CFR: regrets and iterations weighted by t.
    pub const LCFR: Variant = Variant::constant(1.0, 1.0, 1.0);
    /// Discounted CFR with the paper's exponents, 3/2, 0 and 2.
    pub const DCFR: Variant = Variant::constant(1.5, 0.0, 2.0);
    /// DCFR+: α = 3/2, negative regrets reset to 0, iterations weighted by t⁴.
    pub const DCFR_PLUS: Variant = Variant::constant(1.5, f64::NEG_INFINITY, 4.0);
    /// Predictive CFR+: iterations weighted by t².
    pub const PCFR_PLUS: Variant =
        Variant { predictive: true, ..Variant::constant(f64::INFINITY, f64::NEG_INFINITY, 2.0) };
    /// Predictive DCFR+ (arXiv 2404.13891): α = 2.3, iterations weighted by t⁵.
    pub const PDCFR_PLUS: Variant =
        Variant { predictive: true, ..Variant::constant(2.3, f64::NEG_INFINITY, 5.0) };
    /// Discounted CFR with α = 3/2, β = 2/5 and γ = 3, in which the second player, who acts last in
    /// hold'em, learns first: for large subgames (docs/solve.md compares). Where negative regrets
    /// are reset to 0, many hands change their minds at once, and some averages of flops and turns
    /// are worse for a while.
    pub const SUBGAMES: Variant = Variant::constant(1.5, 0.4, 3.0).second_first();
    /// DCFR with α = 3/2, β = 0, γ = 3, and the average restarted after each power of 4.
    pub const DCFR_RESTARTING: Variant = Variant {
        schedule: Schedule::Restarting { alpha: 1.5, beta: 0.0, gamma: 3.0 },
        ..Variant::DCFR
    };

    /// This variant with simultaneous updates.
    #[must_use]
    pub const fn simultaneous(self) -> Variant {
        Variant { updates: Updates::Simultaneous, ..self }
    }

    /// This variant with the second player learning first.
    #[must_use]
    pub const fn second_first(self) -> Variant {
        Variant { updates: Updates::SecondFirst, ..self }
    }

    /// This variant with discounting before adding.
    #[must_use]
    pub const fn discount_then_add(self) -> Variant {
        Variant { order: Order::DiscountThenAdd, ..self }
    }
}

/// The variants by name.
const NAMES: [(&str, Variant); 9] = [
    ("cfr", Variant::CFR),
    ("cfr+", Variant::CFR_PLUS),
    ("cfr+quadratic", Variant::CFR_PLUS_QUADRATIC),
    ("lcfr", Variant::LCFR),
    ("dcfr", Variant::DCFR),
    ("dcfr+", Variant::DCFR_PLUS),
    ("pcfr+", Variant::PCFR_PLUS),
    ("pdcfr+", Variant::PDCFR_PLUS),
    ("dcfr-restarting", Variant::DCFR_RESTARTING),
];

impl FromStr for Variant {
    type Err = Error;

    fn from_str(text: &str) -> Result<Variant, Error> {
        read(text).ok_or_else(|| {
            Error::new(format!(
                "'{text}' is not an algorithm: one of cfr, cfr+, cfr+quadratic, lcfr, dcfr, \
                 dcfr(ALPHA,BETA,GAMMA), dcfr+, pcfr+, pdcfr+, dcfr-restarting, \
                 dcfr-restarting(ALPHA,BETA,GAMMA), hs-dcfr(START); then, if wanted, ,predictive, \
                 one of ,simultaneous and ,second-first, and ,discount-then-add"
            ))
        })
    }
}

fn read(text: &str) -> Option<Variant> {
    // A name, exponents in parentheses if any, and words, each after a comma.
    let start = text.find(')').map_or(0, |end| end + 1);
    let end = text[start..].find(',').map_or(text.len(), |comma| start + comma);
    let (first, words) = text.split_at(end);
    let mut variant = match NAMES.iter().find(|(name, _)| *name == first) {
        Some(&(_, variant)) => variant,
        None => Variant { schedule: read_schedule(first)?, ..Variant::DCFR },
    };
    for word in words.split(',').skip(1) {
        variant = match word {
            "predictive" if !variant.predictive => Variant { predictive: true, ..variant },
            "simultaneous" if variant.updates == Updates::Alternating => variant.simultaneous(),
            "second-first" if variant.updates == Updates::Alternating => variant.second_first(),
            "discount-then-add" if variant.order == Order::AddThenDiscount => {
                variant.discount_then_add()
            }
            // Unknown, repeated, or another order of the players.
            _ => return None,
        };
    }
    Some(variant)
}

fn read_schedule(text: &str) -> Option<Schedule> {
    let (name, arguments) = text.strip_suffix(')')?.split_once('(')?;
    let numbers: Vec<f64> =
        arguments.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    let schedule = match (name, numbers.as_slice()) {
        ("dcfr", &[alpha, beta, gamma]) => Schedule::Constant { alpha, beta, gamma },
        ("dcfr-restarting", &[alpha, beta, gamma]) => Schedule::Restarting { alpha, beta, gamma },
        ("hs-dcfr", &[start]) => Schedule::Hyper { start },
        _ => return None,
    };
    let usable = match schedule {
        Schedule::Constant { alpha, beta, gamma } | Schedule::Restarting { alpha, beta, gamma } => {
            !alpha.is_nan() && !beta.is_nan() && gamma.is_finite() && gamma >= 0.0
        }
        Schedule::Hyper { start } => start.is_finite() && start >= 5.0,
    };
    usable.then_some(schedule)
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Variant { updates, schedule, order, predictive } = *self;
        let same = |named: &Variant| (named.schedule, named.predictive) == (schedule, predictive);
        match (NAMES.iter().find(|(_, named)| same(named)), schedule) {
            (Some((name, _)), _) => f.write_str(name)?,
            (None, Schedule::Hyper { start }) => write!(f, "hs-dcfr({start})")?,
            (None, Schedule::Constant { alpha, beta, gamma }) => {
                write!(f, "dcfr({alpha},{beta},{gamma})")?;
            }
            (None, Schedule::Restarting { alpha, beta, gamma }) => {
                write!(f, "dcfr-restarting({alpha},{beta},{gamma})")?;
            }
        }
        let named = NAMES.iter().any(|(_, named)| same(named));
        f.write_str(if predictive && !named { ",predictive" } else { "" })?;
        f.write_str(match updates {
            Updates::Alternating => "",
            Updates::SecondFirst => ",second-first",
            Updates::Simultaneous => ",simultaneous",
        })?;
        f.write_str(if order == Order::DiscountThenAdd { ",discount-then-add" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exponent() -> impl Strategy<Value = f64> {
        let usual = prop::sample::select(vec![0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 2.3, 5.0]);
        prop_oneof![usual, any::<f64>(), Just(f64::INFINITY), Just(f64::NEG_INFINITY)]
            .prop_filter("a number", |exponent| !exponent.is_nan())
    }

    fn weight() -> impl Strategy<Value = f64> {
        exponent().prop_map(f64::abs).prop_filter("finite", |weight| weight.is_finite())
    }

    fn variant() -> impl Strategy<Value = Variant> {
        let schedule =
            (0..3, exponent(), exponent(), weight()).prop_map(|(kind, alpha, beta, gamma)| {
                match kind {
                    0 => Schedule::Constant { alpha, beta, gamma },
                    1 => Schedule::Restarting { alpha, beta, gamma },
                    _ => Schedule::Hyper { start: gamma.max(5.0) },
                }
            });
        let named = prop::sample::select(NAMES.map(|(_, variant)| variant.schedule).to_vec());
        let updates = [Updates::Alternating, Updates::SecondFirst, Updates::Simultaneous];
        let order = [Order::AddThenDiscount, Order::DiscountThenAdd];
        let either = (prop::sample::select(updates.to_vec()), prop::sample::select(order.to_vec()));
        (prop_oneof![schedule, named], either, any::<bool>()).prop_map(
            |(schedule, (updates, order), predictive)| Variant {
                updates,
                schedule,
                order,
                predictive,
            },
        )
    }

    proptest! {
        #[test]
        fn every_variant_reads_back_from_its_text(variant in variant()) {
            let text = variant.to_string();
            prop_assert_eq!(text.parse(), Ok(variant), "{}", text);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-z+(),.0-9é-]{0,40}") {
            let _ = text.parse::<Variant>();
        }
    }
}
