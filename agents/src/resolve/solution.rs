//! One solution: a subgame, the ranges with which both players come to it, and what it says.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cards::{Combo, Range};
use game::{Action, Played, PublicState, Seat, Strategy};
use show::number::{percent, signed};
use solvers::Player;
use solvers::subgame::{Gadget, Options, Solver, Spot, Subgame};

use super::menus::Menus;
use crate::Clock;

/// The most bytes of one solution.
const MEMORY: u64 = 250 << 20;
/// Iterations without which no solution is near an equilibrium.
const FEWEST: u32 = 30;
/// On a clock, a solution as near as this share of the pot is near enough, which is looked at after
/// so many iterations, twice as many, and so on.
const ENOUGH: f64 = 0.002;
const LOOK: u32 = 100;

/// Weights of all combos, by their numbers.
pub(super) type Weights = Vec<f64>;

/// What is to be solved.
pub(super) struct Problem<'a> {
    /// Where it begins.
    pub(super) root: &'a PublicState,
    /// Who asks, with whose menu.
    pub(super) seat: Seat,
    /// What was played there already: its bets are in the tree.
    pub(super) played: &'a [Played],
    /// With which hands both players come there.
    pub(super) ranges: [Weights; 2],
    /// What each hand of the other player was worth there, and the share of it that comes whether
    /// it likes or not.
    pub(super) offers: Option<(Weights, f64)>,
}

/// How long to solve.
#[derive(Clone)]
pub(super) struct Effort {
    /// The most iterations.
    pub(super) iterations: u32,
    /// A clock, and the time on it at which the answer is due.
    pub(super) until: Option<(Clock, Duration)>,
}

/// A solution to the end of the hand.
pub(super) struct Solved {
    solver: Mutex<Solver>,
    /// The ranges with which it began.
    pub(super) ranges: [Weights; 2],
    /// How far it is from an equilibrium, as a share of the pot where it begins.
    pub(super) distance: f64,
    /// The bytes that it takes.
    pub(super) bytes: u64,
    iterations: u32,
}

impl Effort {
    /// The same with a part of the time that is left.
    pub(super) fn part(&self, parts: u32) -> Effort {
        let until = self.until.as_ref().map(|(clock, until)| {
            let now = clock.now();
            (clock.clone(), now + until.saturating_sub(now) / parts)
        });
        Effort { until, ..self.clone() }
    }

    /// The time that is left, in seconds; endless without a clock.
    fn left(&self) -> f64 {
        match &self.until {
            Some((clock, until)) => until.saturating_sub(clock.now()).as_secs_f64(),
            None => f64::INFINITY,
        }
    }

    /// Iterates until there have been enough, there is only time to look at the result or, on a
    /// clock, it is near enough in a pot of so many chips.
    fn run(&self, solver: &mut Solver, pot: f64) {
        let mut before = self.left();
        let mut look = if self.until.is_some() { LOOK } else { u32::MAX };
        while solver.iterations() < self.iterations {
            solver.step();
            let left = self.left();
            let took = before - left;
            // Another iteration, and two looks at all that are in double precision.
            if left < 5.0 * took {
                break;
            }
            before = left;
            if solver.iterations() == look {
                if solver.exploitability() <= ENOUGH * pot {
                    break;
                }
                look *= 2;
                before = self.left();
            }
        }
    }
}

impl Solved {
    /// Solves with the first of the menus whose subgame is small enough for the time that there is,
    /// one iteration taking `pace` seconds for each pair of hand and action; `None` if none is, or
    /// a range is empty.
    pub(super) fn new(
        problem: Problem<'_>,
        menus: &Menus,
        effort: &Effort,
        pace: f64,
    ) -> Option<Solved> {
        let Problem { root, seat, played, ranges, offers } = problem;
        let [first, second] = ranges.each_ref().map(|weights| range(weights));
        let (first, second) = (first?, second?);
        let options = Options { horizon: effort.iterations, memory: MEMORY, ..Options::default() };
        let fits = |subgame: &Subgame| {
            let size = subgame.size(&options);
            let fewest = f64::from(FEWEST.min(effort.iterations));
            size.bytes <= MEMORY && fewest * pace * size.cells as f64 <= effort.left()
        };
        let laid_out = |level: usize| {
            let menu = |state: &PublicState| menus.actions(level, root, seat, played, state);
            Subgame::new(root, [&first, &second], &menu).ok().filter(fits)
        };
        let subgame = (0..menus.levels(root.street())).find_map(laid_out)?;
        let bytes = subgame.size(&options).bytes;
        let mut solver = match offers {
            None => Solver::new(subgame, options).ok()?,
            Some((offers, forced)) => {
                let player = Player::BOTH[1 - seat.index()];
                let gadget = Gadget { player, offers, forced };
                Solver::with_gadget(subgame, options, &gadget).ok()?
            }
        };
        let pot = root.pot() as f64;
        effort.run(&mut solver, pot);
        let distance = solver.exploitability() / pot;
        let iterations = solver.iterations();
        Some(Solved { solver: Mutex::new(solver), ranges, distance, bytes, iterations })
    }

    fn solver(&self) -> MutexGuard<'_, Solver> {
        self.solver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seconds that an iteration took for each pair of hand and action, of so many in all.
    pub(super) fn pace(&self, seconds: f64) -> f64 {
        let solver = self.solver();
        let cells = solver.subgame().size(&Options::default()).cells as f64;
        seconds / f64::from(self.iterations.max(1)) / cells
    }

    /// What every combo does where the seat acts, by its number; `None` for those that do not come
    /// there, and where the tree does not go.
    pub(super) fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
    ) -> Option<Vec<Option<Strategy>>> {
        let solver = self.solver();
        let spot = Spot::at(&solver, public).ok()?;
        (spot.player()?.index() == seat.index()).then_some(())?;
        let mut all = vec![None; Combo::COUNT];
        for (combo, chances) in spot.strategies() {
            let weights = spot.actions().iter().copied().zip(chances);
            all[combo.index()] = Strategy::from_weights(weights);
        }
        Some(all)
    }

    /// How often every combo of who acts plays an action; `None` where the tree does not have it.
    pub(super) fn chances(&self, public: &PublicState, action: Action) -> Option<Weights> {
        let solver = self.solver();
        let spot = Spot::at(&solver, public).ok()?;
        let number = spot.actions().iter().position(|&other| other == action)?;
        let mut all = vec![0.0; Combo::COUNT];
        for (combo, chances) in spot.strategies() {
            all[combo.index()] = chances[number];
        }
        Some(all)
    }

    /// The chips that each combo of a seat wins from a place on with the best answers, in the whole
    /// hand.
    pub(super) fn worth(&self, public: &PublicState, seat: Seat) -> Option<Weights> {
        let values = self.solver().values_at(public).ok()?;
        let mut all = vec![0.0; Combo::COUNT];
        for hand in &values[seat.index()] {
            all[hand.combo.index()] = hand.best;
        }
        Some(all)
    }

    /// How it was found, and what each action wins with a hand, in words.
    pub(super) fn note(&self, public: &PublicState, seat: Seat, hand: Combo) -> String {
        let mut solver = self.solver();
        let values = solver.action_values(public).unwrap_or_default();
        let values = values.into_iter().find(|(combo, _)| *combo == hand);
        let actions = Spot::at(&solver, public).map(|spot| spot.actions().to_vec());
        let wins: Vec<String> = (actions.iter().flatten())
            .zip(values.iter().flat_map(|(_, values)| values))
            .map(|(action, value)| format!("{} {}", word(*action), signed(*value, 0)))
            .collect();
        let root = solver.subgame().root();
        let size = |seat: usize| {
            let weights = &self.ranges[seat];
            let most = weights.iter().copied().fold(0.0, f64::max);
            format!("{:.0}", weights.iter().sum::<f64>() / most)
        };
        let since = match public.history().len() - root.history().len() {
            0 => "here".to_owned(),
            1 => "one action ago".to_owned(),
            actions => format!("{actions} actions ago"),
        };
        format!(
            "solved {since} on the {} with {} own hands and {} of the other player: {} iterations, {} of the pot \
             from an equilibrium; in chips {}",
            root.street(),
            size(seat.index()),
            size(1 - seat.index()),
            self.iterations,
            percent(self.distance, 2),
            wins.join(", ")
        )
    }
}

fn word(action: Action) -> String {
    match action {
        Action::Fold => "fold".to_owned(),
        Action::Call => "call".to_owned(),
        Action::RaiseTo(total) => format!("raise to {total}"),
    }
}

/// The range with these weights, the largest of which becomes 1; `None` without any.
fn range(weights: &[f64]) -> Option<Range> {
    let most = weights.iter().copied().fold(0.0, f64::max);
    (most > 0.0).then_some(())?;
    let mut range = Range::empty();
    for combo in Combo::all() {
        let weight = weights[combo.index()] / most;
        if weight > 0.0 {
            range.set(combo, weight.min(1.0)).expect("a weight from 0 to 1");
        }
    }
    Some(range)
}
