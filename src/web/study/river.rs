//! What a solved river leaves open, for the page: which frequencies are real, what simple
//! strategies cost, and what the other player must do. The first two are worked out once, when they
//! are asked for, as a part of the solve; then they are looked up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use cards::Range;
use readable::simplicity::{Plan, Simplicity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solvers::Player;
use solvers::showdown::{Equilibria, KeptEquilibria, Mixed, River};
use solvers::subgame::{Solver, walk};

use super::simplicity::{SimplicityView, names};
use crate::river::{DecisionView, EquilibriaView, HandView, IntervalView, Question, StandingView};

/// The query for hands at a place.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Asked {
    /// The actions from the beginning, as for a place.
    #[serde(default)]
    pub(super) line: String,
    /// The hands as a range: `AhKd`, `AJo`.
    pub(super) hands: String,
    /// Whether hands that mix get their intervals over all equilibria: some seconds each, at most
    /// for a starting hand at a time, where what the river leaves open is worked out.
    #[serde(default)]
    pub(super) ends: bool,
}

/// The most hands of a request that get their intervals: a starting hand has at most so many.
const MOST_ENDS: usize = 12;

/// How far it is.
#[derive(Debug, Clone, Default)]
pub(super) enum Analysis {
    /// Nobody has asked.
    #[default]
    Unasked,
    /// It is to be worked out; the number of steps that are done, and of all.
    Asked(usize, usize),
    /// It is there.
    Found(Arc<Found>),
    /// It cannot be worked out.
    Failed(String),
}

/// The intervals of hands that mix, as far as they were asked for, by line and hand.
type Ends = BTreeMap<(String, String), Vec<Option<IntervalView>>>;

/// What was worked out.
#[derive(Debug)]
pub(super) struct Found {
    equilibria: EquilibriaView,
    simplicity: Vec<SimplicityView>,
    /// By the line that leads there.
    decisions: BTreeMap<String, DecisionView>,
    start: Start,
    kept: KeptEquilibria,
    ends: Mutex<Ends>,
}

/// What a river leaves open.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct RiverView {
    /// `unasked`, `asked`, `found` or `failed`.
    state: &'static str,
    /// Steps that are done, of all.
    done: usize,
    all: usize,
    /// Why it has failed; null otherwise.
    reason: Option<String>,
    /// The equilibria as a whole; null until they are found.
    equilibria: Option<EquilibriaView>,
    /// For each player what simple strategies cost.
    simplicity: Vec<SimplicityView>,
}

impl From<&Analysis> for RiverView {
    fn from(analysis: &Analysis) -> RiverView {
        let (state, done, all, reason) = match analysis {
            Analysis::Unasked => ("unasked", 0, 0, None),
            Analysis::Asked(done, all) => ("asked", *done, *all, None),
            Analysis::Found(_) => ("found", 0, 0, None),
            Analysis::Failed(reason) => ("failed", 0, 0, Some(reason.clone())),
        };
        let found = match analysis {
            Analysis::Found(found) => Some(found),
            _ => None,
        };
        RiverView {
            state,
            done,
            all,
            reason,
            equilibria: found.map(|found| found.equilibria.clone()),
            simplicity: found.map(|found| found.simplicity.clone()).unwrap_or_default(),
        }
    }
}

/// What is taken from a solver, so that others can look at it meanwhile.
#[derive(Debug)]
pub(super) struct Start {
    river: River,
    averages: [Mixed; 2],
}

impl Start {
    /// # Errors
    /// When the spot is not a river, or decisions are locked.
    pub(super) fn new(solver: &Solver) -> Result<Start, String> {
        let river = River::new(solver.subgame()).map_err(|error| error.to_string())?;
        let averages = river.averages(solver).map_err(|error| error.to_string())?;
        Ok(Start { river, averages })
    }

    /// Works everything out. `go_on` is told how many steps are done, and of how many; when it says
    /// no, nothing is kept.
    ///
    /// # Errors
    /// When it is stopped, or a linear program has no optimum that can be found.
    pub(super) fn work_out(
        self,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Found, String> {
        let Start { river, averages } = &self;
        let stopped = || "was stopped".to_owned();
        let equilibria = Equilibria::solve(&river.game, averages.each_ref());
        let equilibria = equilibria.map_err(|error| error.to_string())?;
        let plan = Plan { words: &names, ..Plan::default() };
        let places: usize = river.places.iter().map(Vec::len).sum();
        let simple = 2 * plan.leaves + 8;
        let (mut done, all) = (1, 1 + places + simple);
        let mut decisions = BTreeMap::new();
        let everything = Range::uniform();
        for player in Player::BOTH {
            for (decision, place) in river.places[player.index()].iter().enumerate() {
                let hands = &everything;
                let question = Question { player, decision, hands, range: true, ends: false };
                let mut going = true;
                let view = DecisionView::new(river, &equilibria, &question, &mut |_, _| {
                    going = go_on(done, all);
                    going
                });
                let view = view.map_err(|error| error.to_string())?;
                if !going {
                    return Err(stopped());
                }
                decisions.insert(place.path.clone(), view);
                done += 1;
            }
        }
        let mut simplicity = Vec::new();
        for player in Player::BOTH {
            let mut going = true;
            let found = Simplicity::find(river, &equilibria, player, &plan, &mut |_, _| {
                done = (done + 1).min(all);
                going = go_on(done, all);
                going
            });
            let found = found.map_err(|error| error.to_string())?;
            if !going {
                return Err(stopped());
            }
            simplicity.push(SimplicityView::new(found, true));
        }
        let (view, ends) = (EquilibriaView::new(river, &equilibria), Mutex::default());
        let kept = equilibria.keep();
        Ok(Found { equilibria: view, simplicity, decisions, start: self, kept, ends })
    }
}

impl Found {
    /// Works out the intervals of those hands of a decision that mix, and keeps them. `go_on` is
    /// asked before each hand; when it says no, the rest are left out.
    ///
    /// # Errors
    /// When there are too many hands, or a linear program has no optimum that can be found.
    pub(super) fn work_out_ends(
        &self,
        view: &DecisionView,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<(), String> {
        let river = &self.start.river;
        let known = |hand: &HandView| {
            let place = (view.at.clone(), hand.hand.clone());
            parallel::lock(&self.ends).contains_key(&place)
        };
        let open =
            |hand: &&HandView| matches!(hand.standing, Some(StandingView::Mixes)) && !known(hand);
        let open: Vec<&HandView> = view.hands.iter().filter(open).collect();
        if open.len() > MOST_ENDS {
            let (count, most) = (open.len(), MOST_ENDS);
            return Err(format!("{count} hands mix there: ask for {most} at a time"));
        }
        if open.is_empty() {
            return Ok(());
        }
        let place = Player::BOTH.into_iter().find_map(|player| {
            let mut places = river.places[player.index()].iter();
            places.position(|place| place.path == view.at).map(|decision| (player, decision))
        });
        let (player, decision) = place.ok_or("no equilibrium is known there")?;
        let text: Vec<&str> = open.iter().map(|hand| hand.hand.as_str()).collect();
        let hands = text.join(",").parse::<Range>().map_err(|error| error.to_string())?;
        let equilibria = self.kept.clone().of(&river.game);
        let question = Question { player, decision, hands: &hands, range: false, ends: true };
        let found = DecisionView::new(river, &equilibria, &question, go_on);
        let found = found.map_err(|error| error.to_string())?;
        let mut ends = parallel::lock(&self.ends);
        for hand in found.hands {
            ends.insert((view.at.clone(), hand.hand), hand.intervals);
        }
        Ok(())
    }

    /// Adds the intervals that were worked out.
    pub(super) fn add_ends(&self, view: &mut DecisionView) {
        let ends = parallel::lock(&self.ends);
        for hand in &mut view.hands {
            if let Some(found) = ends.get(&(view.at.clone(), hand.hand.clone())) {
                hand.intervals.clone_from(found);
            }
        }
    }
}

/// Hands at a place: what the other must do, and how often over all equilibria if that is known.
///
/// # Errors
/// When the line or the hands cannot be read, or nobody acts there.
pub(super) fn hands_at(
    solver: &mut Solver,
    analysis: &Analysis,
    asked: &Asked,
) -> Result<DecisionView, String> {
    let range: Range = asked.hands.parse().map_err(|error| format!("the hands: {error}"))?;
    let places = walk(solver, &asked.line).map_err(|error| error.to_string())?;
    let words: Vec<&str> = places.iter().skip(1).map(|(word, _)| word.as_str()).collect();
    let line = words.join(" ");
    let spot = places.last().map_or_else(|| solver.spot(), |(_, spot)| spot.clone());
    let Some(player) = spot.player() else { return Err("nobody acts there".to_owned()) };
    let (state, actions) = (spot.state().clone(), spot.actions().to_vec());
    let here = spot.range(player).clone();
    drop((places, spot));
    let known = match analysis {
        Analysis::Found(found) => found.decisions.get(&line),
        _ => None,
    };
    let mut kept = here;
    for (combo, _) in kept.clone().combos().filter(|&(combo, _)| range.weight(combo) == 0.0) {
        kept.set(combo, 0.0).map_err(|error| error.to_string())?;
    }
    let mut view = DecisionView::unsolved(&state, &actions, line, &kept);
    if let Some(known) = known {
        view.range.clone_from(&known.range);
        for hand in &mut view.hands {
            if let Some(found) = known.hands.iter().find(|found| found.hand == hand.hand) {
                hand.clone_from(found);
            }
        }
    }
    view.add_needs(solver, &state).map_err(|error| error.to_string())?;
    Ok(view)
}
