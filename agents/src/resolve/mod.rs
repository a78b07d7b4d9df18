//! `resolve`: solves the rest of the hand that it is in, range against range on exact cards.
//!
//! Another agent plays the earlier streets, and says with which hands both players come to the
//! first street that is solved (`reach.rs`). There the subgame is solved to the end of the hand
//! with the bets of a menu and all that was played in it (`solve.rs`), and on later streets again,
//! with the ranges that the solution of the street before leads to. It is unsafe re-solving (Ganzfried
//! and Sandholm, "Endgame solving in large imperfect-information games", 2015): the other player is
//! taken to have come there as that agent would.
//!
//! A solution that is too far from an equilibrium is not played; neither is a hand that is not in
//! the own range. There, and in games other than heads-up no-limit hold'em, the other agent decides.

mod solve;

use std::sync::Arc;

use abstraction::menu::{self, BetMenu};
use cards::{Combo, HoleCards};
use game::{Betting, InfoSet, PublicState, Seat, Strategy, Street};
use rand::RngExt;
use serde::Deserialize;
use solvers::subgame::response::is_holdem;

use self::solve::Resolver as Solvers;
use crate::fallback::{self, Part, PartPolicy};
use crate::{AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "resolve",
    summary: "solves the rest of the hand on the river, or from the turn on, with another agent's ranges",
    example: "resolve:iterations=20",
    argument: None,
    options: &[
        AgentOption {
            name: "blueprint",
            default: "cfr",
            help: "the agent that plays earlier streets and says with which hands both players come to the \
                   first one that is solved; one with commas in its name stands in double quotes",
        },
        AgentOption {
            name: "from",
            default: "river",
            help: "the first street that is solved: `river` (some 20 ms a decision) or `turn` (seconds)",
        },
        AgentOption {
            name: "menu",
            default: "shipped",
            help: "its bets: a shipped menu, a file, or `shipped`: half the pot, the pot and all-in, raises of \
                   the pot and all-in. What the other player bets is added",
        },
        AgentOption {
            name: "iterations",
            default: "200",
            help: "of the solver at each solution, 1 to 100000",
        },
        AgentOption {
            name: "floor",
            default: "0.02",
            help: "a solution farther from an equilibrium than this share of the pot is not played",
        },
    ],
    cost: Cost::Worker,
    repeatable: true,
    prepare,
};

/// The bets of its own menu.
const MENU: &str = "turn river 1: 50% pot allin\nturn river 2: pot allin\nturn river 3+: allin\n";

#[derive(Deserialize)]
#[serde(default)]
struct Options {
    blueprint: String,
    from: String,
    menu: String,
    iterations: u32,
    floor: f64,
}

impl Default for Options {
    fn default() -> Options {
        let [blueprint, from, menu] = ["cfr", "river", "shipped"].map(str::to_owned);
        Options { blueprint, from, menu, iterations: 200, floor: 0.02 }
    }
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.options()?;
    let first = match options.from.as_str() {
        "turn" => Street::Turn,
        "river" => Street::River,
        other => {
            let reason = format!("`from` is {other}, but must be turn or river");
            return Err(resolver.bad_option(reason));
        }
    };
    let iterations = options.iterations;
    if !(1..=100_000).contains(&iterations) {
        let reason = format!("`iterations` is {iterations}, but must be from 1 to 100000");
        return Err(resolver.bad_option(reason));
    }
    let floor = options.floor;
    if floor.is_nan() || floor <= 0.0 {
        return Err(resolver.bad_option(format!("`floor` is {floor}, but must be above 0")));
    }
    let mut files = Vec::new();
    let menu = match options.menu.as_str() {
        "shipped" => MENU.parse().expect("a test reads it"),
        name => match menu::find(name) {
            Some(menu) => menu,
            None => {
                let path = resolver.file(name);
                let menu = resolver.read(&path)?.parse::<BetMenu>();
                files.push(path.clone());
                menu.map_err(|error| AgentError::BadFile { path, reason: error.to_string() })?
            }
        },
    };
    let blueprint = resolver.resolve(&options.blueprint, resolver.folder())?;
    if !blueprint.has_policy() {
        let reason = format!(
            "`blueprint` is {}, which cannot be asked about all hands; name an agent that \
             `cardroom explain chart` draws",
            options.blueprint
        );
        return Err(resolver.bad_option(reason));
    }
    let asked = blueprint.clone();
    let mut recipe = fallback::recipe(&blueprint, move |def| {
        if !is_holdem(def) || def.betting != Betting::NoLimit {
            return Ok(None);
        }
        let policy = asked.policy(def)?.expect("it was asked whether it has a policy");
        Ok(Some(Solvers::new(policy, menu.clone(), first, (iterations, floor))))
    });
    recipe.cost = Cost::Worker;
    recipe.files.extend(files);
    Ok(recipe)
}

/// What the hands do at a decision; `None` where it is for the blueprint.
fn solved(
    solvers: Option<&Solvers>,
    public: &PublicState,
    seat: Seat,
) -> Option<(Arc<solve::Solved>, Vec<Option<Strategy>>)> {
    let solved = solvers?.at(public)?;
    let strategies = solved.strategies(public, seat)?;
    Some((solved, strategies))
}

fn of_hand(strategies: &[Option<Strategy>], hole: HoleCards) -> Option<&Strategy> {
    let &[a, b] = hole.as_slice() else { return None };
    strategies[Combo::new(a, b)?.index()].as_ref()
}

impl Part for Option<Solvers> {
    fn decide(&self, infoset: &InfoSet, cx: &mut Context) -> Option<Decision> {
        let (solved, strategies) = solved(self.as_ref(), &infoset.public, infoset.seat)?;
        let strategy = of_hand(&strategies, infoset.hole)?.clone();
        let action = match strategy.actions.as_slice() {
            &[(action, _)] => action,
            _ => strategy.sample(cx.rng.random()),
        };
        Some(Decision { strategy: Some(strategy), note: Some(solved.note()), ..action.into() })
    }
}

impl PartPolicy for Option<Solvers> {
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>> {
        match solved(self.as_ref(), public, seat) {
            Some((_, strategies)) => {
                hands.iter().map(|&hole| of_hand(&strategies, hole).cloned()).collect()
            }
            None => vec![None; hands.len()],
        }
    }
}
