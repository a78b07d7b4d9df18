//! `cfr`: plays from a blueprint, the average strategy of an abstract game.
//!
//! At each decision the hand's betting is followed in the blueprint's betting tree, bets that the
//! tree does not have being read as one that it has ([`abstraction::translate`]), and the hole
//! cards fall into a bucket; the probabilities that stand there are then those of the decision.
//! Where translation is random, each such bet is read as one of its two neighbours, and stays that
//! for the rest of the hand; nobody else knows as which. What that comes to at a decision is said
//! without drawing: the mixture over all readings, each as likely as it is for somebody who holds
//! these cards and has done what the seat did. So the strategy is a pure function of what is seen.
//!
//! Where training has never been, or the tree's betting is over before the hand's, it checks, or
//! calls what pays against any hand; a call that was all-in in the tree stays a call.

mod boards;
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
    summary: "plays from a blueprint, trained by counterfactual regret minimisation",
    example: "cfr",
    argument: None,
    options: &[
        AgentOption {
            name: "blueprint",
            default: "shipped",
            help: "a file of `cardroom train cfr`, or `shipped`: the one inside the program for the game. Also \
                   inside: `large`, a stronger one for no-limit hold'em, and `categories`, limit hold'em by the \
                   category of the hand alone",
        },
        AgentOption {
            name: "play",
            default: "sample",
            help: "`sample` an action, or `purify`: always the likeliest",
        },
        AgentOption {
            name: "threshold",
            default: "0",
            help: "actions with a probability below this are never played, 0 to 0.5",
        },
        AgentOption {
            name: "translation",
            default: "random",
            help: "a bet between two of the menu's is read as either by the pseudo-harmonic probability, which \
                   only the agent knows (`random`), or as the likelier (`likelier`)",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

/// Stands for the blueprint inside the program.
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

/// How probabilities become a decision.
#[derive(Debug, Clone, Copy)]
struct Style {
    play: Play,
    threshold: f64,
    translation: Translation,
}

impl Style {
    /// Sets to 0 what the style does not play.
    fn keep(&self, weights: &mut [(Action, f64)]) {
        let weight = |&(_, weight): &(Action, f64)| weight;
        let total: f64 = weights.iter().map(weight).sum();
        let most = weights.iter().map(weight).fold(0.0, f64::max);
        let first = weights.iter().position(|&(_, weight)| weight == most);
        for (at, (_, weight)) in weights.iter_mut().enumerate() {
            let kept = match self.play {
                Play::Purify => Some(at) == first,
                Play::Sample => *weight == most || *weight / total >= self.threshold,
            };
            if !kept {
                *weight = 0.0;
            }
        }
    }
}

/// Where the blueprint comes from.
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
    let mut recipe = recipe.about(about).checked_by(check);
    recipe.files = files;
    Ok(recipe)
}

impl Source {
    /// The model for this game.
    fn model(
        &self,
        def: &GameDef,
        refuse: impl Fn(String) -> AgentError,
    ) -> Result<Arc<Model>, AgentError> {
        match self {
            Source::Shipped => shipped::model(def).ok_or_else(|| {
                refuse(format!(
                    "no blueprint ships for it, only for {}; train one with `cardroom train cfr`, and name \
                     it as cfr:blueprint=FILE",
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

    /// Reads the file from end to end. What is inside the program came with it.
    fn verify(&self) -> Result<(), AgentError> {
        let Source::File { path, blueprint, .. } = self else { return Ok(()) };
        let bad = |reason| AgentError::BadFile { path: path.clone(), reason };
        blueprint.verify().map(drop).map_err(|error| bad(error.to_string()))
    }
}

/// The agent, and its policy.
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
        // The betting is the same for all.
        let readings = self.model.find(public, seat, &self.style);
        self.model.strategies(public, &readings, hands, &self.style, visit);
    }
}
