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
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use cards::{Board, Combo, HoleCards, Range};
use game::{Action, Played, Policy, PublicState, Seat, Strategy, Street, Turn};
use show::number::percent;
use solvers::Player;
use solvers::holdem::by_policy::{Own, hand_values_while};
use solvers::subgame::{
    ByAction, DepthLimited, EntryChoice, Gadget, HandValue, Options, Solver, Spot, Subgame,
};

use crate::reach::ActionMatching;
use crate::resolve::Menus;
use crate::resolve::flops::{EndOfFlop, Flops, Outside};
use crate::{Clock, reach};

/// Minimum probability of an action of the other player when its range is updated.
pub(super) const MIN_PROBABILITY: f64 = 0.001;
/// Maximum total size of the cached solutions, in bytes.
const CACHE_BYTES: u64 = 256 << 20;
/// The largest share of the time left for the blueprint's values.
const ENTRY_SHARE: f64 = 0.5;
/// Number of roots of which the blueprint's values are kept, 11 kB each.
const ENTRIES: usize = 64;
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
    /// The last street that is solved.
    pub(super) last: Street,
    /// Whether each later street is solved when it is dealt, or played by the solution before it.
    pub(super) anew: bool,
    /// Solutions with a higher exploitability, as a share of the pot, are not played.
    pub(super) floor: f64,
    /// The gadget of first solutions, which offers the blueprint's values.
    pub(super) entry: Safety,
    /// Whether they are those of the best answers to the blueprint.
    pub(super) best_offers: bool,
    /// The gadget of solutions after another one, which offers the values of that one.
    pub(super) gadget: Safety,
    pub(super) cache: Mutex<SolutionCache>,
}

/// The kind of gadget: how the other player's hands enter a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Safety {
    /// The share of the weight that enters by the believed range, without a choice.
    forced: f64,
    choice: EntryChoice,
}

impl Safety {
    /// The gadgets with their names.
    pub(super) const ALL: [(&'static str, Safety); 5] = [
        ("none", Safety { forced: 1.0, choice: EntryChoice::EachHand }),
        ("half", Safety { forced: 0.5, choice: EntryChoice::EachHand }),
        ("safe", Safety { forced: 0.0, choice: EntryChoice::EachHand }),
        ("refined", Safety { forced: 0.05, choice: EntryChoice::EachHand }),
        ("margin", Safety { forced: 0.0, choice: EntryChoice::OneHand }),
    ];
}

/// A cache of recent solutions.
#[derive(Default)]
pub(super) struct SolutionCache {
    /// Most recent first.
    solutions: VecDeque<(Key, Option<Arc<Solved>>)>,
    /// The blueprint's values at the root of recent first solutions, of the seats that are not the
    /// key's. Most recent first; the actions of the keys are left out.
    entries: VecDeque<(Key, Weights)>,
    /// The seconds in which such values were not found, if they were not the last time.
    entry_too_short: Option<f64>,
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
    /// One with the same options for another blueprint, which solves no flops.
    pub(super) fn for_hand(&self, blueprint: Arc<dyn Policy>, first: Street) -> Resolver {
        Resolver {
            blueprint,
            first,
            menus: self.menus.clone(),
            flops: None,
            last: self.last,
            anew: self.anew,
            floor: self.floor,
            entry: self.entry,
            best_offers: self.best_offers,
            gadget: self.gadget,
            cache: Mutex::default(),
        }
    }

    /// The solution for a decision of a seat; `None` on earlier streets and on later ones than the
    /// last that is solved, and if there is no solution or it is too far from an equilibrium.
    pub(super) fn solution_at(
        &self,
        public: &PublicState,
        seat: Seat,
        effort: &Effort,
    ) -> Option<Arc<Solved>> {
        (public.street() <= self.last).then_some(())?;
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

    /// The solution from a state on, to which both players come as the blueprint would, with the
    /// action `played` there in its tree, if any; `None` on streets that are not solved, and if it
    /// is too far from an equilibrium. Neither gadgets nor earlier solutions go into it, so it is
    /// not what the agent plays, and must not share its cache.
    pub(super) fn begun_at(
        &self,
        public: &PublicState,
        seat: Seat,
        played: Option<Action>,
        effort: &Effort,
    ) -> Option<Arc<Solved>> {
        (self.first..=self.last).contains(&public.street()).then_some(())?;
        let ranges = [0, 1].map(|seat| {
            let seat = Seat::new(seat).expect("two seats");
            let how = (ActionMatching::Sizes, MIN_PROBABILITY);
            reach::at_action(public.history().len(), &*self.blueprint, public, seat, how)
        });
        let start = Start { root: public.clone(), ranges: Some(ranges), before: None };
        let mut after = public.clone();
        if let Some(played) = played {
            after.apply(played).ok()?;
        }
        let solved = self.solution(&start, &after, seat, effort)?;
        (solved.distance <= self.floor).then_some(solved)
    }

    /// The solution for a start that includes the actions up to `asked`, such as the seat's first
    /// decision.
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
        let cache = || parallel::lock(&self.cache);
        let known = cache().take(&key);
        let solved = known.unwrap_or_else(|| {
            let first = ranges.is_none();
            let ranges = ranges.clone().unwrap_or_else(|| self.of_blueprint(root));
            let other = Seat::new(1 - seat.index())?;
            let safety = if first { self.entry } else { self.gadget };
            let offered = || match before {
                Some(before) => before.hand_values(root, other),
                None if first => self.entry_values(root, seat, &ranges, effort),
                None => None,
            };
            let offers = if safety.forced < 1.0 { offered() } else { None };
            let gadget = offers.map(|offers| Gadget {
                player: Player::BOTH[other.index()],
                offers,
                dealt: vec![1.0; Combo::COUNT],
                forced: safety.forced,
                choice: safety.choice,
            });
            let flops = self.flops.as_deref();
            let problem = Problem { root, seat, played, ranges, gadget, flops };
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
            let by_solution = solved.probabilities(&state, action);
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
            reach::at_street(
                root.street(),
                &*self.blueprint,
                root,
                seat,
                (ActionMatching::Sizes, MIN_PROBABILITY),
            )
        })
    }

    /// What each combo of the other player of a seat wins from the start of a turn or river on, in
    /// chips over the whole hand, if both players play on as the blueprint does, or the other one
    /// as the best answer to it, and the seat has its range there; `None` on the flop, from which
    /// on it takes too long, and on a turn if half of the time left is not enough, or was not the
    /// last time.
    fn entry_values(
        &self,
        root: &PublicState,
        seat: Seat,
        ranges: &[Weights; 2],
        effort: &Effort,
    ) -> Option<Weights> {
        (root.street() >= Street::Turn).then_some(())?;
        let before = root.history().to_vec();
        let key = Key { seat, before, board: root.board(), added: Vec::new() };
        let cache = || parallel::lock(&self.cache);
        let known =
            cache().entries.iter().find(|(of, _)| *of == key).map(|(_, values)| values.clone());
        if known.is_some() {
            return known;
        }
        let own = ranges[seat.index()].first_chunk()?;
        let other = Seat::new(1 - seat.index())?;
        let blueprint = &*self.blueprint;
        let by = if self.best_offers { Own::BestOf(blueprint) } else { Own::Policy(blueprint) };
        let left = effort.left();
        let given = ENTRY_SHARE * left;
        cache().entry_too_short.is_none_or(|short| given > short).then_some(())?;
        // Without a deadline both are infinite, and their difference is no number.
        let go_on = || left.is_infinite() || effort.left() > left - given;
        let Some(values) = hand_values_while(&go_on, root, other, by, own, blueprint) else {
            cache().entry_too_short = Some(given);
            return None;
        };
        let values = values.to_vec();
        let mut cache = cache();
        cache.entries.truncate(ENTRIES - 1);
        cache.entries.push_front((key, values.clone()));
        Some(values)
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
pub(super) fn beginning(public: &PublicState, street: Street) -> Option<PublicState> {
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

/// Memory limit of one solution, in bytes.
const MEMORY: u64 = 250 << 20;
/// The fewest iterations that can come near an equilibrium.
const MIN_ITERATIONS: u32 = 30;
/// The number of iterations before the first check of the exploitability, which is checked again
/// each time this number has doubled.
const FIRST_CHECK: u32 = 100;
/// On the flop the exploitability is checked after each so many iterations: it rises and falls,
/// and the solution that is played is the best that was checked.
const CHECK_ON_FLOP: u32 = 20;
/// On the flop solving stops at this exploitability already, as a share of the pot: the values at
/// the end of its betting are less exact.
const ENOUGH_ON_FLOP: f64 = 0.01;

/// A weight for each combo, by [`Combo::index`].
type Weights = Vec<f64>;

/// A subgame to solve.
struct Problem<'a> {
    /// The state at its root.
    pub(super) root: &'a PublicState,
    /// The seat of the agent, whose menu is used.
    pub(super) seat: Seat,
    /// Actions already played after the root; their bets are added to the tree.
    pub(super) played: &'a [Played],
    /// Both players' ranges at the root.
    pub(super) ranges: [Weights; 2],
    /// What the other player may take instead of entering.
    pub(super) gadget: Option<Gadget>,
    /// The values of hands where the flop's betting ends, if flops are solved.
    pub(super) flops: Option<&'a Flops>,
}

/// A limit on the iterations and the time of solving.
#[derive(Clone)]
pub(super) struct Effort {
    /// The largest number of iterations.
    pub(super) iterations: u32,
    /// The exploitability, as a share of the pot at the root, at which solving stops.
    pub(super) enough: f64,
    /// The clock and the time on it at which the answer is due.
    pub(super) until: Option<(Clock, Duration)>,
}

/// A solved subgame.
pub(super) struct Solved {
    game: Mutex<Game>,
    /// Both players' ranges at the root.
    pub(super) ranges: [Weights; 2],
    /// The exploitability as a share of the pot at the root.
    pub(super) distance: f64,
    /// Memory in bytes.
    pub(super) bytes: u64,
    iterations: u32,
}

impl Effort {
    /// The same with one of `parts` equal parts of the time left.
    pub(super) fn share(&self, parts: u32) -> Effort {
        let until = self.until.as_ref().map(|(clock, until)| {
            let now = clock.now();
            (clock.clone(), now + until.saturating_sub(now) / parts)
        });
        Effort { until, ..self.clone() }
    }

    /// Seconds left; infinite without a deadline.
    fn left(&self) -> f64 {
        match &self.until {
            Some((clock, until)) => until.saturating_sub(clock.now()).as_secs_f64(),
            None => f64::INFINITY,
        }
    }

    /// Iterates until the limit, until the exploitability is small enough for a pot of `pot` chips,
    /// or until only the time to evaluate the result is left.
    fn run(&self, game: &mut Game, pot: f64) {
        let mut before = self.left();
        let on_flop = matches!(game, Game::Flop(..));
        let mut next_check = if on_flop { CHECK_ON_FLOP } else { FIRST_CHECK };
        let enough = if on_flop { self.enough.max(ENOUGH_ON_FLOP) } else { self.enough };
        let mut longest = 0.0;
        while game.iterations() < self.iterations {
            game.step();
            let left = self.left();
            // On the flop, iterations that ask for estimates take longer than others.
            longest = if on_flop { (before - left).max(longest) } else { before - left };
            // Leave time for another iteration and two evaluations in double precision.
            if left <= 5.0 * longest {
                break;
            }
            before = left;
            if game.iterations() == next_check {
                if game.exploitability() <= enough * pot {
                    break;
                }
                next_check = match on_flop {
                    true => next_check.saturating_add(CHECK_ON_FLOP),
                    false => next_check.saturating_mul(2),
                };
                before = self.left();
            }
        }
    }
}

/// A subgame with its strategies.
enum Game {
    /// On the turn or river, to the end of the hand.
    Exact(Box<Solver>),
    /// On the flop, to the end of its betting, with the leaves beyond what a network has learned
    /// from.
    Flop(Box<DepthLimited<EndOfFlop>>, Arc<OnceLock<Outside>>),
}

impl Game {
    fn step(&mut self) {
        match self {
            Game::Exact(solver) => solver.step(),
            Game::Flop(flop, _) => flop.step(),
        }
    }

    fn iterations(&self) -> u32 {
        match self {
            Game::Exact(solver) => solver.iterations(),
            Game::Flop(flop, _) => flop.iterations(),
        }
    }

    fn exploitability(&mut self) -> f64 {
        match self {
            Game::Exact(solver) => solver.check(0.0).0,
            Game::Flop(flop, _) => flop.check(),
        }
    }

    fn root(&self) -> &PublicState {
        match self {
            Game::Exact(solver) => solver.subgame().root(),
            Game::Flop(flop, _) => flop.root(),
        }
    }

    /// The player to act, the actions and the average strategies of its hands; `None` where the
    /// tree does not have the state.
    fn strategies(&self, public: &PublicState) -> Option<(Player, Vec<Action>, ByAction)> {
        match self {
            Game::Exact(solver) => {
                let spot = Spot::at_state(solver, public).ok()?;
                Some((spot.player()?, spot.actions().to_vec(), spot.strategies()))
            }
            Game::Flop(flop, _) => {
                let (player, actions) = flop.actions(public)?;
                Some((player, actions.to_vec(), flop.strategies_at(public)?))
            }
        }
    }

    /// The value of each action for each hand, in chips over the whole hand.
    fn action_values(&mut self, public: &PublicState) -> Option<ByAction> {
        match self {
            Game::Exact(solver) => solver.action_values(public).ok(),
            Game::Flop(flop, _) => flop.action_values(public),
        }
    }
}

impl Solved {
    /// Solves with the largest menu whose subgame fits the memory limit and the time; an iteration
    /// takes `pace` seconds per pair of hand and action. `None` if none fits, or a range is empty.
    fn new(mut problem: Problem<'_>, menus: &Menus, effort: &Effort, pace: f64) -> Option<Solved> {
        let [first, second] = problem.ranges.each_ref().map(|weights| range(weights));
        let (first, second) = (first?, second?);
        let ranges = [&first, &second];
        let (mut game, bytes) = match problem.root.street() {
            Street::Flop => of_flop(&problem, menus, ranges, effort)?,
            _ => exact(&mut problem, menus, ranges, effort, pace)?,
        };
        let pot = problem.root.pot() as f64;
        effort.run(&mut game, pot);
        let mut distance = game.exploitability() / pot;
        match &mut game {
            // With a deadline there is no time to solve again up to there.
            Game::Exact(solver) if effort.until.is_none() => {
                solver.return_to_best();
                distance = solver.best_check().unwrap_or_default() / pot;
            }
            Game::Exact(_) => (),
            Game::Flop(flop, _) => distance = flop.return_to_best().unwrap_or_default() / pot,
        }
        let iterations = game.iterations();
        let ranges = problem.ranges;
        Some(Solved { game: Mutex::new(game), ranges, distance, bytes, iterations })
    }

    fn game(&self) -> MutexGuard<'_, Game> {
        parallel::lock(&self.game)
    }

    /// Seconds per iteration and pair of hand and action, when solving took `seconds` in all;
    /// `None` on the flop.
    fn pace(&self, seconds: f64) -> Option<f64> {
        let Game::Exact(solver) = &*self.game() else { return None };
        let cells = solver.subgame().size(&Options::default()).cells as f64;
        Some(seconds / f64::from(self.iterations.max(1)) / cells)
    }

    /// The strategy of each combo at a decision of this seat, by [`Combo::index`]; `None` for
    /// combos outside the range. `None` altogether where the tree does not have this state.
    pub(super) fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
    ) -> Option<Vec<Option<Strategy>>> {
        let (player, actions, strategies) = self.game().strategies(public)?;
        (player.index() == seat.index()).then_some(())?;
        let mut all = vec![None; Combo::COUNT];
        for (combo, chances) in strategies {
            let weights = actions.iter().copied().zip(chances);
            all[combo.index()] = Strategy::from_weights(weights);
        }
        Some(all)
    }

    /// The probability with which each combo of the player to act plays an action; `None` where the
    /// tree does not have the state or the action.
    pub(super) fn probabilities(&self, public: &PublicState, action: Action) -> Option<Weights> {
        let (_, actions, strategies) = self.game().strategies(public)?;
        let number = actions.iter().position(|&other| other == action)?;
        let mut all = vec![0.0; Combo::COUNT];
        for (combo, chances) in strategies {
            all[combo.index()] = chances[number];
        }
        Some(all)
    }

    /// The value of each combo of a seat at a state if it plays a best response from there, in
    /// chips over the whole hand; `None` on the flop, where nothing is known to the end.
    fn hand_values(&self, public: &PublicState, seat: Seat) -> Option<Weights> {
        let mut all = vec![0.0; Combo::COUNT];
        for hand in self.values_of(public, seat)? {
            all[hand.combo.index()] = hand.best;
        }
        Some(all)
    }

    /// The values of a seat's hands at a state; `None` on the flop.
    fn values_of(&self, public: &PublicState, seat: Seat) -> Option<Vec<HandValue>> {
        let Game::Exact(solver) = &mut *self.game() else { return None };
        let [first, second] = solver.values_at(public).ok()?;
        Some(if seat.index() == 0 { first } else { second })
    }

    /// What a hand of a seat wins from a state on by its strategy, in chips over the whole hand;
    /// `None` on the flop, and for hands that are not in the range.
    pub(super) fn value_of(&self, public: &PublicState, seat: Seat, hand: Combo) -> Option<f64> {
        let values = self.values_of(public, seat)?;
        values.iter().find(|value| value.combo == hand).map(|value| value.value)
    }

    /// The share of the range of the player to act that takes an action at the root; 0 where the
    /// tree does not have it.
    pub(super) fn share_of(&self, action: Action) -> f64 {
        let game = self.game();
        let Turn::Act(seat) = game.root().turn() else { return 0.0 };
        let Some((_, actions, strategies)) = game.strategies(game.root()) else { return 0.0 };
        let Some(at) = actions.iter().position(|&other| other == action) else { return 0.0 };
        let weights = &self.ranges[seat.index()];
        let (mut taken, mut all) = (0.0, 0.0);
        for (combo, chances) in strategies {
            taken += weights[combo.index()] * chances[at];
            all += weights[combo.index()];
        }
        if all > 0.0 { taken / all } else { 0.0 }
    }

    /// The value of each action with a hand, in chips over the whole hand; empty where the tree
    /// does not have the state.
    pub(super) fn values(&self, public: &PublicState, hand: Combo) -> Vec<(Action, f64)> {
        let mut game = self.game();
        let actions = game.strategies(public).map(|(_, actions, _)| actions);
        let values = game.action_values(public).unwrap_or_default();
        let values = values.into_iter().find(|(combo, _)| *combo == hand);
        let values = values.into_iter().flat_map(|(_, values)| values);
        actions.unwrap_or_default().into_iter().zip(values).collect()
    }

    /// The chips in the pot at the root.
    pub(super) fn pot(&self) -> f64 {
        self.game().root().pot() as f64
    }

    /// The root, the ranges, the iterations and the exploitability, in words.
    pub(super) fn note(&self, public: &PublicState, seat: Seat) -> String {
        let game = self.game();
        let root = game.root();
        let size = |seat: usize| {
            let weights = &self.ranges[seat];
            let most = weights.iter().copied().fold(0.0, f64::max);
            format!("{:.0}", weights.iter().sum::<f64>() / most)
        };
        let estimated = match &*game {
            Game::Exact(_) => String::new(),
            Game::Flop(_, outside) => {
                let outside = outside.get().map_or_else(String::new, Outside::words);
                format!(", with estimated values after its betting{outside}")
            }
        };
        let since = match public.history().len() - root.history().len() {
            0 => "here".to_owned(),
            1 => "one action ago".to_owned(),
            actions => format!("{actions} actions ago"),
        };
        format!(
            "solved {since} on the {} with {} own hands and {} of the other player: {} iterations, \
             {} of the pot from an equilibrium{estimated}",
            root.street(),
            size(seat.index()),
            size(1 - seat.index()),
            self.iterations,
            percent(self.distance, 2)
        )
    }
}

/// The game to the end of the hand, and its bytes, with the largest menu that fits.
fn exact(
    problem: &mut Problem<'_>,
    menus: &Menus,
    ranges: [&Range; 2],
    effort: &Effort,
    pace: f64,
) -> Option<(Game, u64)> {
    let &mut Problem { root, seat, played, ref mut gadget, .. } = problem;
    let options = Options { horizon: effort.iterations, memory: MEMORY, ..Options::default() };
    let fits = |subgame: &Subgame| {
        let size = subgame.size(&options);
        let fewest = f64::from(MIN_ITERATIONS.min(effort.iterations));
        size.bytes <= MEMORY && fewest * pace * size.cells as f64 <= effort.left()
    };
    let laid_out = |level: usize| {
        let menu = |state: &PublicState| menus.actions(level, root, seat, played, state);
        Subgame::new(root, ranges, &menu).ok().filter(fits)
    };
    let subgame = (0..menus.levels(root.street())).find_map(laid_out)?;
    let bytes = subgame.size(&options).bytes;
    let solver = match gadget.take() {
        None => Solver::new(subgame, options).ok()?,
        Some(gadget) => Solver::with_gadget(subgame, options, &gadget).ok()?,
    };
    Some((Game::Exact(Box::new(solver)), bytes))
}

/// The game to the end of the flop's betting, and its bytes, if there is time for it.
fn of_flop(
    problem: &Problem<'_>,
    menus: &Menus,
    ranges: [&Range; 2],
    effort: &Effort,
) -> Option<(Game, u64)> {
    let &Problem { root, seat, played, flops, .. } = problem;
    let flops = flops.filter(|flops| effort.left() >= flops.least_time())?;
    let menu = |state: &PublicState| menus.actions(0, root, seat, played, state);
    let values = flops.for_board(root.board())?;
    let outside = values.outside();
    let game = DepthLimited::new(root, ranges, &menu, values).ok()?;
    let bytes = game.bytes() + flops.bytes();
    Some((Game::Flop(Box::new(game), outside), bytes))
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

#[cfg(test)]
mod tests {
    use cards::unblocked;
    use game::games;

    use super::*;
    use crate::Registry;

    fn resolver(first: Street) -> (Resolver, Arc<game::GameDef>) {
        let def = Arc::new(games::nolimit_holdem());
        let cfr = Registry::standard().resolve("cfr").expect("an agent");
        let blueprint = cfr.policy(&def).expect("its game").expect("a policy");
        let [none, _, safe, ..] = Safety::ALL.map(|(_, safety)| safety);
        let resolver = Resolver {
            blueprint,
            menus: Menus::shipped(),
            flops: None,
            first,
            last: Street::River,
            anew: true,
            floor: 1.0,
            entry: safe,
            best_offers: false,
            gadget: none,
            cache: Mutex::default(),
        };
        (resolver, def)
    }

    fn reached(def: &Arc<game::GameDef>, actions: &[Action], board: &str) -> PublicState {
        let board: Board = board.parse().expect("a board");
        let mut state = PublicState::new(def);
        for &action in actions {
            state.deal_from(&board).expect("cards");
            state.apply(action).expect("legal");
        }
        state.deal_from(&board).expect("cards");
        state
    }

    #[test]
    fn offers_are_in_the_chips_of_a_pot_that_the_blueprint_reads_as_another() {
        // None of these bets is the blueprint's; it reads each pot as that of another line.
        let raised = [Action::RaiseTo(333), Action::Call];
        let bet = [Action::Call, Action::RaiseTo(784), Action::Call];
        let checked = [Action::Call; 2];
        let overbet = [Action::Call, Action::RaiseTo(3_333), Action::Call];
        for (first, actions, board) in [
            (Street::River, [&raised[..], &bet, &checked].concat(), "Ks9d4c7h2s"),
            (Street::River, [&raised[..], &bet, &overbet].concat(), "QcJc8d8h2s"),
        ] {
            let (resolver, def) = resolver(first);
            let root = reached(&def, &actions, board);
            let ranges = resolver.of_blueprint(&root);
            let effort = Effort { iterations: 1, enough: 0.0, until: None };
            let seats = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
            let won = [0, 1].map(|seat| {
                let values = resolver.entry_values(&root, seats[1 - seat], &ranges, &effort);
                let values = values.expect("on the river");
                let met = unblocked(ranges[1 - seat].first_chunk().expect("all combos"));
                let paid = f64::from(root.committed().as_slice()[seat]);
                let most = values.iter().copied().fold(0.0, f64::max);
                assert!(
                    most >= 0.99 * paid,
                    "the best hand wins what is in the pot: {most} {paid}"
                );
                assert!(values.iter().all(|&value| (-20_000.0..=20_000.0).contains(&value)));
                let each = ranges[seat].iter().zip(&*met).map(|(weight, met)| weight * met);
                let pairs: f64 = each.clone().sum();
                each.zip(values).map(|(weight, value)| weight * value).sum::<f64>() / pairs
            });
            assert!((won[0] + won[1]).abs() < 1e-6 * root.pot() as f64, "{won:?}");
        }
    }
}
