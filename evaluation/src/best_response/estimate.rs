//! From values on some flops to rates with intervals.
//!
//! The flops are a simple random sample without replacement of all 22,100, so what a responder who
//! plays before the flop as the agent does wins is estimated by the plain mean. The half-width is
//! Student's t times the standard error, with the correction for a finite population `1 − n /
//! 22100`.
//!
//! Play before the flop that is learned must not be measured on the flops it was learned from. So
//! the flops, in the order in which they were drawn, are dealt into two halves. What was learned
//! from a half `A` is measured on the other one, `B`, a sample of all flops but those of `A`; on
//! those of `A` it is known what it wins. So `|A| / 22100` times its mean on `A` and the rest times
//! its mean on `B` is an unbiased estimate of what it wins on all flops. The figure is the mean of
//! both directions. They share the flops, so their errors are taken to be the same error: the
//! half-width is the mean of both, which is too wide rather than too narrow.
//!
//! With all flops everything is exact.

use logs::stats::t_quantile;
use solvers::Player;
use solvers::subgame::response::{Before, Choices, FLOPS, FlopValues, Preflop};

/// Flops without which there is no estimate: two in each half.
pub const LEAST: usize = 4;

/// A rate in thousandths of a big blind per hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The rate.
    pub mbb: f64,
    /// Half the width of its 95 % interval; 0 where it is exact.
    pub half_width: f64,
}

/// What a responder wins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The mean of both seats.
    pub both: Estimate,
    /// In seat 0 and in seat 1.
    pub seats: [Estimate; 2],
}

/// What two responders win, both at most what a best response does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// One that plays as the agent itself before the flop, and its best from there on.
    pub from_flop: Figure,
    /// One that plays its best before the flop, too, as far as the flops show.
    pub from_start: Figure,
}

/// What the responders win, in units of which a chip has `unit`. `drawn` has the values on the
/// flops in the order in which they were drawn, of which there are at least [`LEAST`]; all of them,
/// if there are [`FLOPS`].
pub fn figures(preflop: &Preflop, drawn: &[&FlopValues], unit: f64) -> Figures {
    let as_agent = Sample::new(preflop, drawn, [Before::AsAgent; 2], unit);
    let from_flop = as_agent.figure(0, &Sample::default());
    if drawn.len() == FLOPS {
        let best = learn(preflop, drawn);
        let sample = Sample::new(preflop, drawn, best.each_ref().map(Before::Chosen), unit);
        return Figures { from_flop, from_start: sample.figure(0, &Sample::default()) };
    }
    let half = |first: usize| drawn.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let halves = [half(0), half(1)];
    let measured = [(0, 1), (1, 0)].map(|(learned, other)| {
        let best = learn(preflop, &halves[learned]);
        let before = best.each_ref().map(Before::Chosen);
        let [known, new] =
            [learned, other].map(|half| Sample::new(preflop, &halves[half], before, unit));
        new.figure(halves[learned].len(), &known)
    });
    Figures { from_flop, from_start: mean(measured) }
}

/// The best play before the flop in each seat for the mean of these values.
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

/// What is won on each of some flops: in seat 0, in seat 1, and the mean of both.
#[derive(Debug, Default)]
struct Sample([Vec<f64>; 3]);

impl Sample {
    fn new(
        preflop: &Preflop,
        values: &[&FlopValues],
        before: [Before<'_>; 2],
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

    /// The estimates, when on so many other flops it is known what is won.
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

/// The mean of two figures whose errors may be the same.
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
