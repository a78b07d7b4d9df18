//! `cfr`: plays from a blueprint, the average strategy of an abstract game.
//!
//! The betting of a hand is followed in the blueprint's betting tree, where a bet that the tree
//! does not have is read as one that it has ([`abstraction::translate`]). The hole cards are mapped
//! to a bucket. The agent then plays the action probabilities stored for that node and bucket.
//!
//! With random translation each such bet is read as one of its two neighbours, and keeps that
//! reading for the rest of the hand. Other players do not know which. The strategy at a decision is
//! computed without sampling: it is the mixture over all readings, each weighted by its probability
//! given the hole cards and the seat's own earlier actions. The strategy is therefore a pure
//! function of the information set.
//!
//! In situations that training never reached, or after the tree's betting has ended before the
//! hand's, the agent checks, or calls if the pot odds justify it against a random hand. A call that
//! was all-in in the tree stays a call.

mod in_tree;
mod model;
mod shipped;
mod values;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use cards::HoleCards;
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, Strategy};
use models::blueprint::Blueprint;
use rand::RngExt;
use serde::Deserialize;

pub use self::shipped::shipped_blueprint;
pub use self::values::{shipped_values, values_between, values_of_file};

use self::in_tree::InTree;
use self::model::{Hand, Model};
use crate::{Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "cfr",
    summary: "plays a blueprint trained by counterfactual regret minimisation",
    example: "cfr",
    argument: None,
    options: &[
        AgentOption {
            name: "blueprint",
            default: "shipped",
            help: "a file of `cardroom train cfr`, or a built-in one: `shipped`, the default of \
                   the game; `overbet`, an earlier and smaller one for no-limit hold'em; \
                   `categories`, limit hold'em by the hand's category alone",
        },
        AgentOption {
            name: "play",
            default: "sample",
            help: "`sample`: draw the action; `purify`: always the likeliest",
        },
        AgentOption {
            name: "threshold",
            default: "0",
            help: "actions with a probability below this are never played, 0 to 0.5",
        },
        AgentOption {
            name: "translation",
            default: "random",
            help: "how a bet between two of the menu is read: `random`, as either by its \
                   pseudo-harmonic probability, unknown to the opponent; `likelier`, as the \
                   likelier one",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

/// The value of `blueprint` that selects the blueprint inside the program.
const SHIPPED: &str = "shipped";

#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
struct Options {
    blueprint: String,
    play: Play,
    threshold: f64,
    translation: Translation,
}

impl Default for Options {
    fn default() -> Options {
        let (play, translation) = (Play::Sample, Translation::Random);
        Options { blueprint: SHIPPED.to_owned(), play, threshold: 0.0, translation }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Play {
    Sample,
    Purify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Translation {
    Random,
    Likelier,
}

/// The rule by which action probabilities are turned into a decision.
#[derive(Debug, Clone, Copy)]
struct Style {
    play: Play,
    threshold: f64,
    translation: Translation,
}

impl Style {
    /// Sets the weights of the actions that are not played to 0.
    fn keep(&self, weights: &mut [(Action, f64)]) {
        let weight = |&(_, weight): &(Action, f64)| weight;
        let total: f64 = weights.iter().map(weight).sum();
        let most = weights.iter().map(weight).fold(0.0, f64::max);
        let first = weights.iter().position(|&(_, weight)| weight == most);
        for (at, (_, weight)) in weights.iter_mut().enumerate() {
            let keep = match self.play {
                Play::Purify => Some(at) == first,
                Play::Sample => *weight == most || *weight / total >= self.threshold,
            };
            if !keep {
                *weight = 0.0;
            }
        }
    }
}

/// The source of the blueprint.
#[derive(Debug)]
enum Source {
    Shipped,
    Named { blueprint: Arc<Blueprint>, model: OnceLock<Arc<Model>> },
    File { path: PathBuf, blueprint: Arc<Blueprint>, model: OnceLock<Arc<Model>> },
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.options()?;
    if !(0.0..=0.5).contains(&options.threshold) {
        let reason = format!("`threshold` is {}, but must be from 0 to 0.5", options.threshold);
        return Err(resolver.bad_option(reason));
    }
    let Options { play, threshold, translation, .. } = options;
    let style = Style { play, threshold, translation };
    let name = resolver.name().to_owned();
    let named = shipped::named(&options.blueprint);
    let (source, about) = match (options.blueprint.as_str(), named) {
        (SHIPPED, _) => (Source::Shipped, shipped::about()),
        (_, Some(blueprint)) => {
            let about = model::about(&blueprint);
            (Source::Named { blueprint, model: OnceLock::new() }, about)
        }
        (text, None) => {
            let path = resolver.file(text);
            let bad = |error: &dyn std::fmt::Display| AgentError::BadFile {
                path: path.clone(),
                reason: error.to_string(),
            };
            let blueprint = Arc::new(Blueprint::open(&path).map_err(|error| bad(&error))?);
            let about = model::about(&blueprint);
            (Source::File { path, blueprint, model: OnceLock::new() }, about)
        }
    };
    let source = Arc::new(source);
    let mut files = Vec::new();
    if let Source::File { path, .. } = &*source {
        files.push(path.clone());
    }
    let whole = Arc::clone(&source);
    let build = move |def: &Arc<GameDef>| {
        let refuse = |reason| AgentError::Game { agent: name.clone(), reason };
        source.model(def, refuse).map(|model| Cfr { model, style })
    };
    let (policy, in_tree) = (build.clone(), build.clone());
    let in_tree = move |def: &Arc<GameDef>| {
        in_tree(def).map(|Cfr { model, style }| InTree::new(model, style))
    };
    let check = move || whole.verify();
    let recipe = Recipe::new(build).with_policy(policy).with_tree(in_tree);
    let mut recipe = recipe.about(about).checked_by(check).with_win_rates();
    recipe.files = files;
    Ok(recipe)
}

impl Source {
    /// Returns the model for a game.
    fn model(
        &self,
        def: &GameDef,
        refuse: impl Fn(String) -> AgentError,
    ) -> Result<Arc<Model>, AgentError> {
        match self {
            Source::Shipped => shipped::model(def).ok_or_else(|| {
                refuse(format!(
                    "no blueprint ships for it, only for {}; train one with `cardroom train cfr`, \
                     and name it as cfr:blueprint=FILE",
                    shipped::games()
                ))
            }),
            Source::Named { blueprint, model } => {
                blueprint.check_game(def).map_err(|error| refuse(error.to_string()))?;
                let new = || {
                    let model = Model::new(Arc::clone(blueprint));
                    Arc::new(model.expect("a test plays from every blueprint with a name"))
                };
                Ok(Arc::clone(model.get_or_init(new)))
            }
            Source::File { path, blueprint, model } => {
                blueprint.check_game(def).map_err(|error| refuse(error.to_string()))?;
                if let Some(model) = model.get() {
                    return Ok(Arc::clone(model));
                }
                let bad = |reason| AgentError::BadFile { path: path.clone(), reason };
                let made = Arc::new(Model::new(Arc::clone(blueprint)).map_err(bad)?);
                Ok(Arc::clone(model.get_or_init(|| made)))
            }
        }
    }

    /// Checks a blueprint file from end to end. Blueprints inside the program are not checked.
    fn verify(&self) -> Result<(), AgentError> {
        let Source::File { path, blueprint, .. } = self else { return Ok(()) };
        let bad = |reason| AgentError::BadFile { path: path.clone(), reason };
        blueprint.verify().map(drop).map_err(|error| bad(error.to_string()))
    }
}

/// The agent and its policy.
#[derive(Debug, Clone)]
struct Cfr {
    model: Arc<Model>,
    style: Style,
}

impl Agent for Cfr {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let InfoSet { public, seat, hole } = infoset;
        let readings = self.model.find(public, *seat, &self.style);
        let hand = Hand::new(public, *hole);
        let strategy = self.model.strategy(&hand, &readings, &self.style);
        let action = match strategy.actions.as_slice() {
            &[(action, _)] => action,
            _ => strategy.sample(cx.rng.random()),
        };
        let note = self.model.note(&hand, &readings);
        Decision { strategy: Some(strategy), note: Some(note), ..action.into() }
    }
}

impl Policy for Cfr {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let InfoSet { public, seat, hole } = infoset;
        let readings = self.model.find(public, *seat, &self.style);
        let hand = Hand::new(public, *hole);
        self.model.strategy(&hand, &readings, &self.style)
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        // The readings of the betting are the same for all hands.
        let readings = self.model.find(public, seat, &self.style);
        self.model.strategies(public, &readings, hands, &self.style, visit);
    }
}
