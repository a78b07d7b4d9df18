//! Estimates of a responder's win rate, with confidence intervals, from its values on some flops.
//!
//! The flops are a simple random sample without replacement of all 22,100. For a responder who
//! plays before the flop as the agent does, the estimate is the plain mean. The half-width is
//! Student's t times the standard error, with the correction for a finite population `1 − n /
//! 22100`.
//!
//! A strategy before the flop that was learned on some flops must not be measured on the same ones.
//! So the flops, in the order in which they were drawn, are dealt into two halves. What was learned
//! on a half `A` is measured on the other one, `B`, a sample of all flops but those of `A`; its
//! value on those of `A` is known. So `|A| / 22100` times its mean on `A` and the rest times its
//! mean on `B` is an unbiased estimate of its value over all flops. The figure is the mean of both
//! directions. They share the flops, so their errors are taken as the same error: the half-width is
//! the mean of both, which is too wide rather than too narrow.
//!
//! With all flops everything is exact.

use logs::stats::t_quantile;
use solvers::Player;
use solvers::response::in_tree::{Choices, FLOPS, FlopValues, Preflop, PreflopPlay};

/// The least number of flops for an estimate: two in each half.
pub const MIN_FLOPS: usize = 4;

/// A rate in thousandths of a big blind per hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The rate.
    pub mbb: f64,
    /// Half the width of its 95 % confidence interval; 0 if it is exact.
    pub half_width: f64,
}

/// A responder's win rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The mean of both seats.
    pub both: Estimate,
    /// The rates in seat 0 and in seat 1.
    pub seats: [Estimate; 2],
}

/// The win rates of two responders, each a lower bound for a best response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The responder that plays as the agent before the flop, and its best response from there on.
    pub from_flop: Figure,
    /// The responder that also plays its best before the flop, as far as the flops show.
    pub from_start: Figure,
}

/// The responders' win rates, in units of which a chip has `unit`. `drawn` has the values on the
/// flops in the order in which they were drawn: at least [`MIN_FLOPS`]; if there are [`FLOPS`],
/// all.
pub fn figures(preflop: &Preflop, drawn: &[&FlopValues], unit: f64) -> Figures {
    let as_agent = Sample::new(preflop, drawn, [PreflopPlay::AsAgent; 2], unit);
    let from_flop = as_agent.figure(0, &Sample::default());
    if drawn.len() == FLOPS {
        let best = learn(preflop, drawn);
        let sample = Sample::new(preflop, drawn, best.each_ref().map(PreflopPlay::Chosen), unit);
        return Figures { from_flop, from_start: sample.figure(0, &Sample::default()) };
    }
    let half = |first: usize| drawn.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let halves = [half(0), half(1)];
    let measured = [(0, 1), (1, 0)].map(|(learned, other)| {
        let best = learn(preflop, &halves[learned]);
        let before = best.each_ref().map(PreflopPlay::Chosen);
        let [known, new] =
            [learned, other].map(|half| Sample::new(preflop, &halves[half], before, unit));
        new.figure(halves[learned].len(), &known)
    });
    Figures { from_flop, from_start: mean(measured) }
}

/// The best strategy before the flop in each seat, for the mean of these values.
fn learn(preflop: &Preflop, values: &[&FlopValues]) -> [Choices; 2] {
    Player::BOTH.map(|player| {
        let mut mean = vec![0.0; preflop.leaves().len() * cards::StartingHand::COUNT];
        for values in values {
            let sums = mean.iter_mut().zip(&values.0[player.index()]);
            sums.for_each(|(sum, &value)| *sum += f64::from(value));
        }
        mean.iter_mut().for_each(|sum| *sum /= values.len().max(1) as f64);
        preflop.best(player, &mean).0
    })
}

/// Winnings on each of some flops: in seat 0, in seat 1, and the mean of both.
#[derive(Debug, Default)]
struct Sample([Vec<f64>; 3]);

impl Sample {
    fn new(
        preflop: &Preflop,
        values: &[&FlopValues],
        before: [PreflopPlay<'_>; 2],
        unit: f64,
    ) -> Sample {
        let mut sample = Sample::default();
        for values in values {
            let won = Player::BOTH.map(|player| {
                let p = player.index();
                let after: Vec<f64> = values.0[p].iter().map(|&value| value.into()).collect();
                unit * preflop.winnings(player, before[p], &after)
            });
            let [first, second] = won;
            for (list, won) in sample.0.iter_mut().zip([first, second, (first + second) / 2.0]) {
                list.push(won);
            }
        }
        sample
    }

    /// The estimates, with the winnings known on `others` further flops.
    fn figure(&self, others: usize, known: &Sample) -> Figure {
        let [first, second, both] =
            [0, 1, 2].map(|which| estimate(&self.0[which], others, &known.0[which]));
        Figure { both, seats: [first, second] }
    }
}

fn estimate(won: &[f64], others: usize, known: &[f64]) -> Estimate {
    let count = won.len() as f64;
    let mean = won.iter().sum::<f64>() / count;
    let squares: f64 = won.iter().map(|won| (won - mean).powi(2)).sum();
    let left = (FLOPS - others) as f64;
    let error = (squares / (count - 1.0) / count * (1.0 - count / left)).max(0.0).sqrt();
    let share = others as f64 / FLOPS as f64;
    let of_known = known.iter().sum::<f64>() / known.len().max(1) as f64;
    Estimate {
        mbb: share * of_known + (1.0 - share) * mean,
        half_width: (1.0 - share) * error * t_quantile(0.975, won.len().saturating_sub(1) as u64),
    }
}

/// The mean of two figures with the same errors.
fn mean([one, two]: [Figure; 2]) -> Figure {
    let of = |a: Estimate, b: Estimate| Estimate {
        mbb: (a.mbb + b.mbb) / 2.0,
        half_width: (a.half_width + b.half_width) / 2.0,
    };
    Figure {
        both: of(one.both, two.both),
        seats: [0, 1].map(|seat| of(one.seats[seat], two.seats[seat])),
    }
}
