//! `rules`: plays the river by a list of rules in words, and asks another agent elsewhere.
//!
//! The list (see [`models::rules`]) refers to the share of the other player's hands that a hand
//! beats, and to the best and the worst hands of a player. Both are computed exactly over all
//! hands possible on the board, ties counting half (`river.rs`). The hands are either equally
//! likely, whatever was played before, or weighted by the probability that another agent would have
//! reached the river with them (`reach.rs`).
//!
//! The list decides on the river of heads-up no-limit hold'em if no bet has been made or if the
//! other player has bet first. Elsewhere, where the list has no rule, and against raises, which
//! lists do not cover, the other agent decides.

mod river;

use std::sync::Arc;

use cards::HoleCards;
use game::{Betting, GameDef, InfoSet, Policy, PublicState, Seat, Strategy};
use models::rules::RuleList;
use rand::RngExt;
use serde::Deserialize;
use solvers::response::in_tree::is_holdem;

use self::river::RiverPlan;
use crate::fallback::{self, PartialAgent, PartialPolicy};
use crate::{
    AgentChoice, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver,
};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "rules",
    summary: "plays the river by a list of rules in words; another agent decides elsewhere",
    example: "rules:fallback=call",
    argument: None,
    options: &[
        AgentOption {
            name: "model",
            default: "shipped",
            help: "a file with a list of rules (docs/rules.md), or a built-in one: `one-size`, \
                   `two-sizes`, `three-sizes` or `shipped`, which is the last; `cardroom agents \
                   describe rules:model=one-size` prints it",
        },
        AgentOption {
            name: "ranges",
            default: "any",
            help: "the ranges of both players: `any`, all hands equally likely, or an agent, whose \
                   probabilities of reaching the river are used, with raises of all sizes treated \
                   alike (some 5 ms per decision)",
        },
        AgentOption {
            name: "fallback",
            default: "equity",
            help: "the agent that decides before the river, against raises and in other games",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

/// The value of `ranges` for equally likely hands.
const ANY: &str = "any";
/// The value of `model` for the last of the lists inside the program.
const SHIPPED: &str = "shipped";
/// The lists inside the program, by name.
const LISTS: [(&str, &str); 3] = [
    ("one-size", include_str!("../../models/rules/one-size.rules")),
    ("two-sizes", include_str!("../../models/rules/two-sizes.rules")),
    ("three-sizes", include_str!("../../models/rules/three-sizes.rules")),
];

#[derive(Deserialize)]
#[serde(default)]
struct Options {
    model: String,
    ranges: String,
    fallback: String,
}

impl Default for Options {
    fn default() -> Options {
        let [model, ranges, fallback] = [SHIPPED, ANY, "equity"].map(str::to_owned);
        Options { model, ranges, fallback }
    }
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let Options { model, ranges, fallback } = resolver.options()?;
    let name = if model == SHIPPED { LISTS[LISTS.len() - 1].0 } else { &model };
    let (list, path) = match LISTS.into_iter().find(|(list, _)| *list == name) {
        Some((_, text)) => {
            (RuleList::parse(text).expect("a test reads the lists that are shipped"), None)
        }
        None => {
            let path = resolver.file(&model);
            let list = RuleList::parse(&resolver.read(&path)?).map_err(|error| {
                AgentError::BadFile { path: path.clone(), reason: error.to_string() }
            })?;
            (list, Some(path))
        }
    };
    let about = format!("A list of rules for the river\n  {}", lines(&list).join("\n  "));
    let other = resolver.resolve(&fallback, resolver.folder())?;
    let holds =
        (ranges != ANY).then(|| resolver.resolve(&ranges, resolver.folder())).transpose()?;
    if holds.as_ref().is_some_and(|holds| !holds.has_policy()) {
        let reason = format!(
            "`ranges` is {ranges}, which cannot be asked about all hands; name `any`, or an agent \
             that `cardroom explain chart` draws"
        );
        return Err(resolver.bad_option(reason));
    }
    let source = Source { list: Arc::new(list), ranges: holds.clone() };
    let mut recipe = fallback::recipe(&other, move |def| source.build(def)).about(about);
    if let Some(holds) = &holds {
        recipe = recipe.asking(holds);
        // Over a thousand hands are evaluated for every decision before the river.
        recipe.cost = Cost::Worker;
    }
    recipe.files.extend(path);
    Ok(recipe)
}

/// The sources of the agents of one choice.
struct Source {
    list: Arc<RuleList>,
    ranges: Option<AgentChoice>,
}

impl Source {
    /// Returns `None` for games that the list does not cover.
    fn build(&self, def: &Arc<GameDef>) -> Result<Option<Play>, AgentError> {
        if !applies(def) {
            return Ok(None);
        }
        let ranges = self.ranges.as_ref().map(|ranges| ranges.policy(def)).transpose()?.flatten();
        Ok(Some(Play { list: Arc::clone(&self.list), ranges }))
    }
}

/// A list, and the policy that determines both players' ranges; `None` for equally likely hands.
struct Play {
    list: Arc<RuleList>,
    ranges: Option<Arc<dyn Policy>>,
}

fn lines(list: &RuleList) -> Vec<String> {
    list.to_string().lines().map(str::to_owned).collect()
}

/// Whether the game is heads-up no-limit hold'em with the full deck.
fn applies(def: &GameDef) -> bool {
    is_holdem(def) && def.betting == Betting::NoLimit
}

impl PartialAgent for Option<Play> {
    fn decide(&self, infoset: &InfoSet, cx: &mut Context) -> Option<Decision> {
        let plan = RiverPlan::at(self.as_ref()?, &infoset.public, infoset.seat)?;
        let (strategy, note) = plan.play(infoset.hole)?;
        let action = match strategy.actions.as_slice() {
            &[(action, _)] => action,
            _ => strategy.sample(cx.rng.random()),
        };
        Some(Decision { strategy: Some(strategy), note: Some(note), ..action.into() })
    }
}

impl PartialPolicy for Option<Play> {
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>> {
        let plan = self.as_ref().and_then(|play| RiverPlan::at(play, public, seat));
        hands.iter().map(|&hole| plan.as_ref()?.strategy(hole)).collect()
    }
}
