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

/// The first checks come soon, because iterations of a large subgame take long.
const FIRST: [u32; 3] = [2, 5, 10];

impl Checks {
    /// Before the first check.
    pub(crate) const NONE: Checks = Checks { next: FIRST[0], last: None, best: None, here: None };

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
            // A check takes as long as one or two iterations. Far from the goal their number grows
            // by half from one to the next; near it by a fortieth or more.
            let [soon, far] = [now.0 / 40, now.0 / 2].map(|more| now.0.saturating_add(more.max(1)));
            let at_first = FIRST.into_iter().find(|&first| first > now.0);
            self.next = at_first.unwrap_or(self.expected(now, goal).clamp(soon, far));
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
            self.storage.clear();
            self.gadget.iter_mut().for_each(super::gadget::GadgetState::clear);
            (self.iterations, self.weight) = (0, 1.0);
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
