//! Chains of solutions along a hand, cached for later decisions.
//!
//! The first solution starts with the first street that is solved. It is computed when its player
//! first acts there, with all bets made so far in its tree. A bet of the other player that is not
//! in the tree is answered from a new solution that starts where that bet was made. Each later
//! street starts a new one, too. Ranges are updated between solutions by the actions played: a
//! player's own by its own strategy, the other player's by the solution's strategy. So only the
//! first solution uses the ranges of another agent, the blueprint (continual re-solving: Moravčík
//! and others, "DeepStack", Science 2017; nested subgame solving: Brown and Sandholm, "Safe and
//! nested subgame solving for imperfect-information games", NIPS 2017).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use cards::{Board, Combo, HoleCards};
use game::{Action, Played, Policy, PublicState, Seat, Strategy, Street, Turn};

use super::flop::Flops;
use super::menus::Menus;
use super::solution::{Effort, Problem, Solved, Weights};
use crate::reach::{self, ActionMatching};

/// Minimum probability of an action of the other player when its range is updated.
const MIN_PROBABILITY: f64 = 0.001;
/// Maximum total size of the cached solutions, in bytes.
const CACHE_BYTES: u64 = 256 << 20;
/// Initial estimate of the seconds per iteration for each pair of hand and action.
const PACE: f64 = 4e-9;

/// Solves subgames on demand.
pub(super) struct Resolver {
    pub(super) blueprint: Arc<dyn Policy>,
    pub(super) menus: Menus,
    /// The values at the end of the flop, if it is solved.
    pub(super) flops: Option<Arc<Flops>>,
    /// The first street that is solved.
    pub(super) first: Street,
    /// Whether each later street is solved when it is dealt, or played by the solution before it.
    pub(super) anew: bool,
    /// Solutions with a higher exploitability, as a share of the pot, are not played.
    pub(super) floor: f64,
    /// The share of the other player's hands that enters a solution without a choice, in solutions
    /// after another one; all enter if there is no offer.
    pub(super) forced: f64,
    pub(super) cache: Mutex<SolutionCache>,
}

/// A cache of recent solutions.
#[derive(Default)]
pub(super) struct SolutionCache {
    /// Most recent first.
    solutions: VecDeque<(Key, Option<Arc<Solved>>)>,
    /// Measured seconds per iteration for each pair of hand and action.
    pace: Option<f64>,
}

/// The key of a solution: what it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    seat: Seat,
    /// The actions before its root, and its board.
    before: Vec<Played>,
    board: Board,
    /// Actions since the root that no menu has, each with the number of actions since the root
    /// before it.
    added: Vec<(usize, Action)>,
}

/// The root of a solution and what is known there.
struct Start {
    root: PublicState,
    /// Both players' ranges; `None` for the first solution, which uses the blueprint's.
    ranges: Option<[Weights; 2]>,
    /// The solution before it, which provides the gadget's offers.
    before: Option<Arc<Solved>>,
}

impl Resolver {
    /// The solution for a decision of a seat; `None` on earlier streets, and if there is no
    /// solution or it is too far from an equilibrium.
    pub(super) fn at(
        &self,
        public: &PublicState,
        seat: Seat,
        effort: &Effort,
    ) -> Option<Arc<Solved>> {
        let mut start = Start::fresh(beginning(public, self.first)?);
        loop {
            let street = start.root.street();
            let share = effort.share(1 + (public.street().index() - street.index()) as u32);
            let asked = asked(public, &start.root, seat)?;
            let solved = self.solution(&start, &asked, seat, &share);
            if let Some(solved) = &solved
                && (street == public.street() || !self.anew)
                && solved.strategies(public, seat).is_some()
            {
                return Some(Arc::clone(solved)).filter(|solved| solved.distance <= self.floor);
            }
            let next = solved.and_then(|solved| self.follow(public, start.root, seat, solved));
            start = match next {
                Some(next) => next,
                None => {
                    let next = Street::ALL[street.index()..=public.street().index()].get(1)?;
                    Start::fresh(beginning(public, *next)?)
                }
            };
        }
    }

    /// The solution for a start that includes the actions up to the seat's first decision, `asked`.
    fn solution(
        &self,
        start: &Start,
        asked: &PublicState,
        seat: Seat,
        effort: &Effort,
    ) -> Option<Arc<Solved>> {
        let Start { root, ranges, before } = start;
        let played = &asked.history()[root.history().len()..];
        let added = self.added(root, seat, played);
        let key = Key { seat, before: root.history().to_vec(), board: root.board(), added };
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache().take(&key);
        let solved = known.unwrap_or_else(|| {
            let ranges = match ranges {
                Some(ranges) => ranges.clone(),
                None => self.of_blueprint(root),
            };
            let other = Seat::new(1 - seat.index())?;
            let safe = before.as_ref().filter(|_| self.forced < 1.0);
            let offers =
                safe.and_then(|before| Some((before.hand_values(root, other)?, self.forced)));
            let flops = self.flops.as_deref();
            let problem = Problem { root, seat, played, ranges, offers, flops };
            let pace = cache().pace.unwrap_or(PACE);
            let begun = effort.until.as_ref().map(|(clock, _)| clock.now());
            let solved = Solved::new(problem, &self.menus, effort, pace)?;
            if let (Some((clock, _)), Some(begun)) = (&effort.until, begun) {
                let took = clock.now().saturating_sub(begun).as_secs_f64();
                let pace = solved.pace(took);
                let mut cache = cache();
                cache.pace = pace.or(cache.pace);
            }
            Some(Arc::new(solved))
        });
        cache().put(key, solved.clone());
        solved
    }

    /// The start of the next solution: at the first action since `root` that the solution does not
    /// have, or on the next street.
    fn follow(
        &self,
        public: &PublicState,
        root: PublicState,
        seat: Seat,
        solved: Arc<Solved>,
    ) -> Option<Start> {
        let mut ranges = solved.ranges.clone();
        let street = root.street();
        let mut state = root;
        let board = public.board();
        for &Played { action, .. } in &public.history()[state.history().len()..] {
            state.deal_from(&board).ok()?;
            if state.street() > street {
                break;
            }
            let Turn::Act(acts) = state.turn() else { return None };
            let by_solution = solved.chances(&state, action);
            let weights = &mut ranges[acts.index()];
            if acts == seat {
                // The seat's own strategy: the solution's, or the blueprint's if the solution was
                // not played.
                let chances = by_solution.clone().filter(|_| solved.distance <= self.floor);
                let chances = chances.unwrap_or_else(|| self.played(&state, seat, action));
                weights.iter_mut().zip(chances).for_each(|(weight, chance)| *weight *= chance);
                weights.iter().any(|&weight| weight > 0.0).then_some(())?;
            } else {
                match &by_solution {
                    Some(chances) => {
                        let some = chances.iter().any(|&chance| chance > MIN_PROBABILITY);
                        // An action that no hand plays gives no information about the range.
                        let chances = chances.iter().filter(|_| some);
                        let chances = chances.map(|chance| chance.max(MIN_PROBABILITY));
                        weights.iter_mut().zip(chances).for_each(|(w, chance)| *w *= chance);
                    }
                    None => {
                        return Some(Start {
                            root: state,
                            ranges: Some(ranges),
                            before: Some(solved),
                        });
                    }
                }
            }
            state.apply_unchecked(action);
            if by_solution.is_none() {
                // After an own action outside the solution, the next one starts with the other
                // player to act.
                return Some(Start { root: state, ranges: Some(ranges), before: None });
            }
        }
        state.deal_from(&board).ok()?;
        (state.street() > street).then_some(())?;
        let dealt = board.get(..state.board().len())?;
        for combo in Combo::all() {
            let gone = combo.cards().iter().any(|card| dealt.contains(card));
            ranges.iter_mut().filter(|_| gone).for_each(|weights| weights[combo.index()] = 0.0);
        }
        Some(Start { root: state, ranges: Some(ranges), before: Some(solved) })
    }

    /// The actions played that no menu has.
    fn added(&self, root: &PublicState, seat: Seat, played: &[Played]) -> Vec<(usize, Action)> {
        let mut state = root.clone();
        let mut added = Vec::new();
        for (number, &Played { action, .. }) in played.iter().enumerate() {
            if !self.menus.has(root.street(), seat, &state, action) {
                added.push((number, action));
            }
            state.apply_unchecked(action);
        }
        added
    }

    /// Both players' ranges at the start of a street by the blueprint.
    fn of_blueprint(&self, root: &PublicState) -> [Weights; 2] {
        [0, 1].map(|seat| {
            let seat = Seat::new(seat).expect("two seats");
            reach::on(
                root.street(),
                &*self.blueprint,
                root,
                seat,
                (ActionMatching::Sizes, MIN_PROBABILITY),
            )
        })
    }

    /// The probability with which each combo of a seat plays an action by the blueprint.
    fn played(&self, public: &PublicState, seat: Seat, action: Action) -> Weights {
        let combos: Vec<Combo> =
            Combo::all().filter(|combo| !combo.set().intersects(public.board().set())).collect();
        let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("room for two cards");
        let holes: Vec<HoleCards> = combos.iter().map(hole).collect();
        let mut chances = vec![0.0; Combo::COUNT];
        let mut visit = |number: usize, strategy: &Strategy| {
            let combo: &Combo = &combos[number];
            chances[combo.index()] = strategy.probability(action);
        };
        self.blueprint.strategies(public, seat, &holes, &mut visit);
        chances
    }
}

impl Start {
    /// A start with the blueprint's ranges.
    fn fresh(root: PublicState) -> Start {
        Start { root, ranges: None, before: None }
    }
}

impl SolutionCache {
    /// Removes and returns the cached entry of a key.
    fn take(&mut self, key: &Key) -> Option<Option<Arc<Solved>>> {
        let at = self.solutions.iter().position(|(known, _)| known == key)?;
        self.solutions.remove(at).map(|(_, solved)| solved)
    }

    /// Inserts an entry, and drops the oldest ones beyond the memory limit.
    fn put(&mut self, key: Key, solved: Option<Arc<Solved>>) {
        self.solutions.push_front((key, solved));
        let mut bytes = 0;
        let mut fits = |(_, solved): &(Key, Option<Arc<Solved>>)| {
            bytes += solved.as_ref().map_or(1 << 10, |solved| solved.bytes);
            bytes <= CACHE_BYTES
        };
        let most = self.solutions.iter().take_while(|entry| fits(entry)).count();
        self.solutions.truncate(most.max(1));
    }
}

/// The state of a seat's first decision on the street of `root`, following the actions of `public`.
fn asked(public: &PublicState, root: &PublicState, seat: Seat) -> Option<PublicState> {
    let mut state = root.clone();
    let mut played = public.history()[root.history().len()..].iter();
    loop {
        match state.turn() {
            Turn::Act(acts) if acts == seat => return Some(state),
            Turn::Act(_) => state.apply_unchecked(played.next()?.action),
            Turn::Deal(_) | Turn::Over => return None,
        }
    }
}

/// The state at the start of a street, with its cards dealt; `None` if no player acts on it.
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
