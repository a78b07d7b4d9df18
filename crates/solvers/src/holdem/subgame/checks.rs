//! When the exploitability of a solver is computed, and what was found.

use super::solver::Solver;

/// A number of iterations and the exploitability after them, in chips.
pub(crate) type Check = (u32, f64);

/// The checks of a solver. They depend on the goal, and not on when solving is interrupted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checks {
    /// The number of iterations after which the next check is due.
    pub(crate) next: u32,
    /// The last check that was due.
    pub(crate) last: Option<Check>,
    /// The one of those that were due that found the least.
    pub(crate) best: Option<Check>,
    /// A check that was not due, as of the last iteration of all; it is forgotten when solving goes
    /// on, so that a solve in several runs has the same result as one.
    pub(crate) here: Option<Check>,
}

/// The first round number after `iterations`. After each a check is due, whatever the goal: a run
/// that ends at one checks there, and a longer run must not miss what it finds. Iterations of a
/// large subgame take long, so the first checks come soon.
const fn round_after(iterations: u32) -> u32 {
    let step = match iterations {
        0..2 => 2,
        2..10 => 5,
        10..200 => 10,
        200..1000 => 50,
        _ => 10_u32.pow(iterations.ilog10() - 1),
    };
    (iterations / step + 1).saturating_mul(step)
}

impl Checks {
    /// Before the first check.
    pub(crate) const NONE: Checks =
        Checks { next: round_after(0), last: None, best: None, here: None };

    /// The check that found the least, after `iterations` in all.
    fn least(&self, iterations: u32) -> Option<Check> {
        let here = self.here.filter(|here| here.0 == iterations);
        [here, self.best].into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Notes what was found, and when the next check is due.
    fn note(&mut self, now: Check, goal: f64) {
        self.here = Some(now);
        if now.0 >= self.next {
            self.best = self.least(now.0);
            // A check takes as long as one to three iterations. Near the goal their number grows by
            // a fortieth or more from one to the next.
            let soon = now.0.saturating_add((now.0 / 40).max(1));
            self.next = self.expected(now, goal).max(soon).min(round_after(now.0));
            self.last = Some(now);
        }
    }

    /// The number of iterations that the goal is expected to take in all: the exploitability falls
    /// with a power of them, which is estimated from two checks.
    fn expected(&self, now: Check, goal: f64) -> u32 {
        let power = self.last.map_or(2.0, |last| {
            (last.1 / now.1).ln() / (f64::from(now.0) / f64::from(last.0)).ln()
        });
        let times = (now.1 / goal).max(1.0).powf(1.0 / power.clamp(1.0, 4.0));
        // A float beyond the range becomes the largest number.
        (f64::from(now.0) * times).ceil() as u32
    }
}

impl Solver {
    /// The number of iterations after which the next [`check`](Self::check) is due.
    pub fn next_check(&self) -> u32 {
        self.checks.next
    }

    /// Computes the [`exploitability`](Self::exploitability), and decides by it when to do so
    /// next on the way to a goal, in chips. Returns the number of iterations, too, that the goal is
    /// expected to take.
    pub fn check(&mut self, goal: f64) -> (f64, u32) {
        let found = self.exploitability();
        let now = (self.iterations, found);
        let expected = self.checks.expected(now, goal);
        self.checks.note(now, goal);
        (found, expected)
    }

    /// The least exploitability that checks have found: all that were due, and one of the last
    /// iteration.
    pub fn best_check(&self) -> Option<f64> {
        self.checks.least(self.iterations).map(|(_, found)| found)
    }

    /// Goes back to the strategies for which a check has found the least exploitability, by
    /// solving again up to there if that is not where the solver is.
    pub fn return_to_best(&mut self) {
        let Some((iterations, _)) = self.checks.least(self.iterations) else { return };
        if iterations != self.iterations {
            self.restart();
            self.run(iterations);
        }
    }

    /// Runs until the exploitability is at most `share` of the pot, or until `most` iterations are
    /// done in total, with [`checks`](Self::check) on the way. Returns the evaluation of the best
    /// strategies that were checked.
    pub fn run_until(&mut self, share: f64, most: u32) -> super::Evaluation {
        let goal = share * self.subgame.root.pot() as f64;
        while self.best_check().is_none_or(|best| best > goal) && self.iterations < most {
            self.run(self.checks.next.min(most).saturating_sub(self.iterations));
            self.check(goal);
        }
        self.return_to_best();
        self.evaluate()
    }
}

#[cfg(test)]
mod tests {
    use std::iter::successors;

    use proptest::prelude::*;

    use super::*;

    /// The least that a run of at most `most` iterations finds, and its number of checks, when
    /// `found` is the exploitability after so many iterations.
    fn run(found: impl Fn(u32) -> f64, goal: f64, most: u32) -> (f64, u32) {
        let (mut checks, mut done, mut count) = (Checks::NONE, 0, 0);
        loop {
            let best = checks.least(done).map_or(f64::INFINITY, |best| best.1);
            if best <= goal || done >= most {
                return (best, count);
            }
            done = checks.next.min(most);
            checks.note((done, found(done)), goal);
            count += 1;
        }
    }

    fn round_numbers() -> impl Iterator<Item = u32> {
        successors(Some(2), |&last| Some(round_after(last)))
    }

    proptest! {
        #[test]
        fn more_iterations_never_find_more(
            noise in prop::collection::vec(0.01..100.0, 1..50),
            power in 0.0..3.0_f64,
            goal in prop_oneof![Just(0.0), 1e-9..10.0],
            limits in [0_usize..150, 0_usize..150],
        ) {
            let found = |n: u32| noise[n as usize % noise.len()] * f64::from(n).powf(-power);
            let [short, long] = [limits[0].min(limits[1]), limits[0].max(limits[1])]
                .map(|index| round_numbers().nth(index).expect("endless"));
            let [less, more] = [short, long].map(|most| run(found, goal, most).0);
            prop_assert!(more <= less, "{more} of {long} iterations, {less} of {short}");
        }
    }

    #[test]
    fn checks_are_few() {
        let falls = |n: u32| f64::from(n).powi(-2);
        for (most, checks) in [(10, 3), (100, 12), (200, 22), (1000, 38), (10_000, 128)] {
            assert_eq!(run(falls, 0.0, most).1, checks, "{most} iterations");
        }
        // Where the goal always seems near.
        assert!(run(|_| 1.0, 0.999, 1000).1 < 250);
        assert_eq!(round_after(u32::MAX - 1), u32::MAX);
    }
}
