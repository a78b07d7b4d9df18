//! The price of simplicity, for the page: of a river's strategies, and of one decision on any
//! street.

use std::time::{Duration, Instant};

use game::{Action, PublicState};
use models::chart::Chart;
use readable::simplicity::{Plan, Simple, Simplicity};
use schemars::JsonSchema;
use serde::Serialize;
use solvers::subgame::{RequestedSpot, Solver, walk};

/// How long strategies of a decision are tried for a request. Meanwhile nobody else can look at the
/// solution.
const TIME: Duration = Duration::from_secs(4);

/// What simple strategies of a player cost.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct SimplicityView {
    /// 1 or 2.
    player: usize,
    /// The actions that lead to the decision, where one alone is simpler; null for the whole
    /// strategy of a river.
    line: Option<String>,
    /// The curve as a picture.
    curve: String,
    strategies: Vec<SimpleView>,
    /// Whether all kinds were tried; false where the time was over before.
    complete: bool,
}

/// A simple strategy.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct SimpleView {
    name: String,
    /// Things to remember: questions, and actions of each hand or leaf at each decision.
    remember: usize,
    /// What it gives away to a best response, in chips; at one decision, beyond what the solution
    /// does.
    exploited: f64,
    /// What it loses while the other goes on as solved, in chips.
    unnoticed: f64,
    /// Whether no strategy of this kind costs less.
    proven: bool,
    /// A tree in words.
    lines: Vec<String>,
}

impl SimplicityView {
    pub(super) fn new(found: Simplicity, complete: bool) -> SimplicityView {
        let curve = found.chart().element();
        let strategies = found.strategies.into_iter().map(|simple| {
            let Simple { name, remember, exploited, unnoticed, proven, lines, .. } = simple;
            SimpleView { name, remember, exploited, unnoticed, proven, lines }
        });
        let (player, line) = (found.player, found.line);
        SimplicityView { player, line, curve, strategies: strategies.collect(), complete }
    }

    /// The prices of simple strategies of the decision that a line leads to, as far as the time of
    /// a request goes.
    ///
    /// # Errors
    /// When the line cannot be read, nobody acts there, or its strategy cannot be changed.
    pub(super) fn of_decision(solver: &mut Solver, line: &str) -> Result<SimplicityView, String> {
        let places = walk(solver, line).map_err(|error| error.to_string())?;
        let path: Vec<&str> = places.iter().skip(1).map(|(word, _)| word.as_str()).collect();
        let path = path.join(" ");
        let spot = places.last().map_or_else(|| solver.spot(), |(_, spot)| spot.clone());
        if spot.player().is_none() {
            return Err(format!("nobody acts at `{path}`"));
        }
        let at = RequestedSpot { path, state: spot.state().clone() };
        let begun = Instant::now();
        let leaves = Plan::default().leaves;
        let mut complete = true;
        let found = Simplicity::of_decision(solver, &at, &names, leaves, None, &mut |_, _| {
            complete = begun.elapsed() < TIME;
            complete
        });
        Ok(SimplicityView::new(found.map_err(|error| error.to_string())?, complete))
    }
}

/// The actions of a state as the page calls them.
pub(super) fn names(state: &PublicState, actions: &[Action]) -> Vec<String> {
    let named = Chart::new(state, actions, Vec::new()).actions;
    named.into_iter().map(|action| action.name).collect()
}
