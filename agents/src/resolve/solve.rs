//! Solutions of streets, kept for the decisions that follow.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use abstraction::menu::BetMenu;
use cards::{Board, Combo, Range};
use game::{Action, Played, Policy, PublicState, Seat, Strategy, Street, Turn};
use solvers::Player;
use solvers::subgame::{Options, Solver, Spot, Subgame};

use crate::reach::{self, Alike};

/// The least that a decision before the first solved street counts a hand for.
const LEAST: f64 = 0.001;
/// Solutions that are kept.
const KEPT: usize = 4;

/// Solves streets when they are asked about.
///
/// What it finds at a decision depends on nothing but what was played before: the tree of a street
/// has the menu's bets and those that were played on it, and ranges are those of the blueprint, or
/// of the solution of the street before with all that was played on it.
pub(super) struct Resolver {
    blueprint: Arc<dyn Policy>,
    menu: BetMenu,
    first: Street,
    iterations: u32,
    floor: f64,
    kept: Mutex<VecDeque<(Key, Option<Arc<Solved>>)>>,
}

/// What a solution depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    /// What was played before the street, and its board.
    before: Vec<Played>,
    board: Board,
    /// What was played on it that the menu does not have, with how much was played before.
    added: Vec<(usize, Action)>,
}

/// A solution of a street to the end of the hand.
pub(super) struct Solved {
    solver: Solver,
    /// How far it is from an equilibrium, as a share of the pot.
    distance: f64,
}

impl Resolver {
    /// With the bets of `menu`, from a street on; so many iterations for each solution, which is
    /// played where it is no farther from an equilibrium than a share of the pot.
    pub(super) fn new(
        blueprint: Arc<dyn Policy>,
        menu: BetMenu,
        first: Street,
        (iterations, floor): (u32, f64),
    ) -> Resolver {
        Resolver { blueprint, menu, first, iterations, floor, kept: Mutex::default() }
    }

    /// The solution for a decision; `None` on earlier streets and where there is none that is good
    /// enough.
    pub(super) fn at(&self, public: &PublicState) -> Option<Arc<Solved>> {
        let street = public.street();
        (street >= self.first).then_some(())?;
        let solved = self.street(public, street)?;
        (solved.distance <= self.floor).then_some(solved)
    }

    /// The solution of a street with what was played on it so far.
    fn street(&self, public: &PublicState, street: Street) -> Option<Arc<Solved>> {
        let root = beginning(public, street)?;
        let played = &public.history()[root.history().len()..];
        let added = self.added(&root, played);
        let key = Key { before: root.history().to_vec(), board: root.board(), added };
        let known = |kept: &VecDeque<(Key, Option<Arc<Solved>>)>| {
            kept.iter().find(|(known, _)| *known == key).map(|(_, solved)| solved.clone())
        };
        if let Some(solved) = known(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)) {
            return solved;
        }
        let solved = self.solve(public, street, &root, played).map(Arc::new);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((key, solved.clone()));
        kept.truncate(KEPT);
        solved
    }

    /// What was played that the menu does not have.
    fn added(&self, root: &PublicState, played: &[Played]) -> Vec<(usize, Action)> {
        let mut state = root.clone();
        let mut added = Vec::new();
        for (number, &Played { action, .. }) in played.iter().enumerate() {
            if state.street() != root.street() {
                break;
            }
            if !self.menu.actions(&state).contains(&action) {
                added.push((number, action));
            }
            state.apply_unchecked(action);
        }
        added
    }

    fn solve(
        &self,
        public: &PublicState,
        street: Street,
        root: &PublicState,
        played: &[Played],
    ) -> Option<Solved> {
        let ranges = self.ranges(public, street)?;
        let menu = |state: &PublicState| {
            let mut actions = self.menu.actions(state).to_vec();
            // On the way that was played, what was played stands beside the menu's bets.
            let so_far = &state.history()[root.history().len()..];
            if let Some(next) = played.strip_prefix(so_far).and_then(|rest| rest.first())
                && state.street() == root.street()
                && !actions.contains(&next.action)
            {
                actions.push(next.action);
                actions.sort_by_key(|action| match action {
                    Action::Fold => (0, 0),
                    Action::Call => (1, 0),
                    Action::RaiseTo(total) => (2, *total),
                });
            }
            actions
        };
        let subgame = Subgame::new(root, ranges.each_ref(), &menu).ok()?;
        let options = Options { horizon: self.iterations, ..Options::default() };
        let mut solver = Solver::new(subgame, options).ok()?;
        solver.run(self.iterations);
        let distance = solver.exploitability() / root.pot() as f64;
        Some(Solved { solver, distance })
    }

    /// With which hands both players come to a street.
    fn ranges(&self, public: &PublicState, street: Street) -> Option<[Range; 2]> {
        let seats = [0, 1].map(Seat::new);
        if street == self.first {
            let by = |seat| {
                let how = (Alike::Sizes, LEAST);
                range(&reach::on(street, &*self.blueprint, public, seat, how))
            };
            return Some([by(seats[0]?), by(seats[1]?)]);
        }
        let before = Street::ALL[street.index() - 1];
        let end = beginning(public, street)?;
        let solved = self.street(&end, before)?;
        let spot = Spot::at(&solved.solver, &end).ok()?;
        let ranges = Player::BOTH.map(|player| spot.range(player).weights().to_vec());
        Some(ranges.map(|weights| range(&weights)))
    }
}

/// The range with these weights, the largest of which becomes 1.
fn range(weights: &[f64]) -> Range {
    let most = weights.iter().copied().fold(0.0, f64::max);
    let mut range = Range::empty();
    for combo in Combo::all() {
        let weight = weights[combo.index()] / most;
        if weight > 0.0 {
            range.set(combo, weight.min(1.0)).expect("a weight from 0 to 1");
        }
    }
    range
}

/// The state in which a street begins, its cards dealt; `None` where nobody acts on it.
fn beginning(public: &PublicState, street: Street) -> Option<PublicState> {
    let board = public.board();
    let mut state = PublicState::new(public.def());
    for played in public.history().iter().take_while(|played| played.street < street) {
        state.deal_from(&board).ok()?;
        state.apply_unchecked(played.action);
    }
    let len = public.def().board_len(street);
    state.deal_from(&Board::new(board.get(..len)?)?).ok()?;
    (state.street() == street && matches!(state.turn(), Turn::Act(_))).then_some(state)
}

impl Solved {
    /// What every combo does, by its number; `None` for those that do not come there.
    pub(super) fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
    ) -> Option<Vec<Option<Strategy>>> {
        let spot = Spot::at(&self.solver, public).ok()?;
        (spot.player()?.index() == seat.index()).then_some(())?;
        let mut all = vec![None; Combo::COUNT];
        for (combo, chances) in spot.strategies() {
            let weights = spot.actions().iter().copied().zip(chances);
            all[combo.index()] = Strategy::from_weights(weights);
        }
        Some(all)
    }

    /// How it was found, in words.
    pub(super) fn note(&self) -> String {
        let size = self.solver.subgame().range(Player::First).combos().count();
        format!(
            "solved from the {} on: {} iterations, {} of the pot from an equilibrium, {size} hands of the first \
             player",
            self.solver.subgame().root().street(),
            self.solver.iterations(),
            show::number::percent(self.distance, 2)
        )
    }
}
