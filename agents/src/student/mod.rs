//! `cart`, `oct`, `xgboost`, `mlp`: students of a blueprint, which play by a learned model of a few
//! features that a player understands.
//!
//! At each decision the situation is converted to features ([`abstraction::features`]), the
//! street's model assigns a share to each move of the menu, and moves are mapped to legal actions.
//! Of the betting, only the opponent's chips on each street are used, so no bet translation is
//! needed.
//!
//! By default only the likeliest move is played, unless `play=sample` is given. A student cannot
//! distinguish all situations that its teacher does, so its shares are means over several of them,
//! and an action drawn from a mean is often right in none of them.

mod note;
mod shipped;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use abstraction::features::{FeatureMaker, Features, opponent_bets};
use cards::{Combo, HoleCards};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, Strategy};
use models::student::{Student, TrainedModel};
use rand::RngExt;
use serde::Deserialize;

use shipped::Shipped;

use crate::{Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entries.
pub(crate) const SPECS: [AgentSpec; 4] = [
    spec("cart", "a student of the blueprint: a greedy decision tree", "cart", prepare::<0>),
    spec("oct", "a student of the blueprint: an optimal classification tree", "oct", prepare::<1>),
    AgentSpec {
        options: &FOREST_OPTIONS,
        ..spec("xgboost", "a student of the blueprint: boosted trees", "xgboost", prepare::<2>)
    },
    spec("mlp", "a student of the blueprint: a neural network", "mlp", prepare::<3>),
];

const fn spec(
    kind: &'static str,
    summary: &'static str,
    example: &'static str,
    prepare: fn(&Resolver<'_>) -> Result<Recipe, AgentError>,
) -> AgentSpec {
    AgentSpec {
        kind,
        summary,
        example,
        argument: None,
        options: &OPTIONS,
        cost: Cost::Inline,
        repeatable: true,
        prepare,
    }
}

const OPTIONS: [AgentOption; 3] = [
    AgentOption {
        name: "model",
        default: "shipped",
        help: "a folder of `cardroom train`, or `shipped`: the built-in model for the game; for \
               `oct` also `small`: a built-in one with some 60 leaves in total, small enough to \
               read",
    },
    AgentOption {
        name: "play",
        default: "purify",
        help: "`purify`: always the likeliest action, which wins more; `sample`: draw the action",
    },
    AgentOption {
        name: "threshold",
        default: "0",
        help: "with `play=sample`: actions with a probability below this are never played, 0 to \
               0.5",
    },
];

const FOREST_OPTIONS: [AgentOption; 4] = {
    let [model, play, threshold] = OPTIONS;
    let rounds = AgentOption {
        name: "rounds",
        default: "all",
        help: "`all` rounds, or those up to the `best`: XGBoost's best_iteration, if the file has \
               one",
    };
    [model, play, threshold, rounds]
};

/// The value of `model` for the student inside the program.
const SHIPPED: &str = "shipped";
/// The value of `model` for the small student inside the program.
const SMALL: &str = "small";

#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
struct Options {
    model: String,
    play: Play,
    threshold: f64,
    rounds: Rounds,
}

impl Default for Options {
    fn default() -> Options {
        let (model, rounds) = (SHIPPED.to_owned(), Rounds::All);
        Options { model, play: Play::Purify, threshold: 0.0, rounds }
    }
}

/// Which rounds of a forest are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rounds {
    All,
    Best,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Play {
    Sample,
    Purify,
}

/// The rule by which shares are turned into a decision.
#[derive(Debug, Clone, Copy)]
struct Style {
    play: Play,
    threshold: f64,
}

fn prepare<const KIND: usize>(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let kind = TrainedModel::KINDS[KIND];
    let options: Options = resolver.options()?;
    if !(0.0..=0.5).contains(&options.threshold) {
        let reason = format!("`threshold` is {}, but must be from 0 to 0.5", options.threshold);
        return Err(resolver.bad_option(reason));
    }
    if options.threshold > 0.0 && options.play == Play::Purify {
        let reason = "`threshold` is for `play=sample`, which draws: name both, or neither";
        return Err(resolver.bad_option(reason));
    }
    let style = Style { play: options.play, threshold: options.threshold };
    let name = resolver.name().to_owned();
    let inside = match options.model.as_str() {
        SHIPPED => shipped::find(kind, false),
        SMALL => shipped::find(kind, true),
        _ => None,
    };
    let (source, about) = match (inside, options.model.as_str()) {
        (Some(inside), _) => {
            // Shipped models end at their best round, so `rounds=best` leaves nothing out.
            let best = options.rounds == Rounds::Best;
            let rounds = best.then(|| note::rounds(&shipped::student(inside), options.rounds));
            (Source::Shipped(inside), shipped::about(inside) + &rounds.unwrap_or_default())
        }
        (None, SMALL) if !resolver.file(SMALL).exists() => {
            let reason = "`model=small` is inside the program for `oct` alone, and there is no \
                          folder of that name";
            return Err(resolver.bad_option(reason.to_owned()));
        }
        (None, text) => {
            let path = resolver.file(text);
            let bad = |reason| AgentError::BadFile { path: path.clone(), reason };
            let student = Student::open(&path).map_err(|error| bad(error.to_string()))?;
            if student.manifest().kind != kind {
                let reason = format!(
                    "it is a student of the kind `{}`, not `{kind}`",
                    student.manifest().kind
                );
                return Err(bad(reason));
            }
            let about = note::about(student.manifest()) + &note::rounds(&student, options.rounds);
            let student = match options.rounds {
                Rounds::All => student,
                Rounds::Best => student.best_rounds().map_err(|error| bad(error.to_string()))?,
            };
            (Source::Folder { path, student: Arc::new(student) }, about)
        }
    };
    let mut files = Vec::new();
    if let Source::Folder { path, student } = &source {
        files.push(path.join(models::student::MANIFEST));
        files.extend(student.manifest().streets.iter().map(|street| path.join(&street.file)));
    }
    let source = Arc::new(source);
    let whole = Arc::clone(&source);
    let learned = move || whole.learned();
    let build = move |def: &Arc<GameDef>| {
        let refuse = |reason| AgentError::Game { agent: name.clone(), reason };
        let student = source.student(def, refuse)?;
        let maker = FeatureMaker::new(student.schema());
        maker.prepare();
        Ok(Player { student, maker, style })
    };
    let policy = build.clone();
    let mut recipe = Recipe::new(build).with_policy(policy).with_student(learned).about(about);
    recipe.files = files;
    Ok(recipe)
}

/// The source of the student.
#[derive(Debug)]
enum Source {
    Shipped(Shipped),
    Folder { path: PathBuf, student: Arc<Student> },
}

impl Source {
    /// The student, without a check of the game.
    fn learned(&self) -> Arc<Student> {
        match self {
            Source::Shipped(inside) => shipped::student(*inside),
            Source::Folder { student, .. } => Arc::clone(student),
        }
    }

    fn student(
        &self,
        def: &GameDef,
        refuse: impl Fn(String) -> AgentError,
    ) -> Result<Arc<Student>, AgentError> {
        match self {
            Source::Shipped(inside) => {
                let (student, kind) = (shipped::student(*inside), inside.kind);
                student.check_game(def).map(|()| student).map_err(|_| {
                    refuse(format!(
                        "the {kind} inside the program is for {}; train one for this game with \
                         `cardroom train {kind}`, and name it as {kind}:model=FOLDER",
                        shipped::GAME
                    ))
                })
            }
            Source::Folder { student, .. } => {
                student.check_game(def).map_err(|error| refuse(error.to_string()))?;
                Ok(Arc::clone(student))
            }
        }
    }
}

/// The policy of a student: the shares of its model, independent of the style in which an agent
/// plays it.
pub fn model_policy(student: &Arc<Student>) -> impl Policy + use<> {
    let maker = FeatureMaker::new(student.schema());
    maker.prepare();
    let style = Style { play: Play::Sample, threshold: 0.0 };
    Player { student: Arc::clone(student), maker, style }
}

/// The agent and its policy.
#[derive(Debug, Clone)]
struct Player {
    student: Arc<Student>,
    maker: FeatureMaker,
    style: Style,
}

impl Player {
    /// The strategy for these features, which belong to the public state and the seat to act.
    fn strategy(&self, public: &PublicState, features: &[f32]) -> Strategy {
        let mut weights = self.student.weights(public, features);
        let best = weights.iter().map(|&(_, weight)| weight).fold(0.0, f64::max);
        let first = weights.iter().position(|&(_, weight)| weight == best);
        let mut index = 0;
        weights.retain(|&(_, weight)| {
            let keep = match self.style.play {
                Play::Purify => Some(index) == first,
                Play::Sample => weight > 0.0 && (weight == best || weight >= self.style.threshold),
            };
            index += 1;
            keep
        });
        Strategy::from_weights(weights).unwrap_or_else(|| Strategy::pure(Action::Call))
    }
}

impl Agent for Player {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let Ok(features) = self.maker.infoset(infoset) else {
            // Cannot happen: the game has been checked.
            return Action::Call.into();
        };
        let strategy = self.strategy(&infoset.public, features.as_slice());
        let action = match strategy.actions.as_slice() {
            &[(action, _)] => action,
            _ => strategy.sample(cx.rng.random()),
        };
        let note = note::of(&self.student, &features);
        Decision { strategy: Some(strategy), note: Some(note), ..action.into() }
    }
}

impl Policy for Player {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        match self.maker.clone().infoset(infoset) {
            Ok(features) => Player::strategy(self, &infoset.public, features.as_slice()),
            Err(_) => Strategy::pure(Action::Call),
        }
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        // Computing the features of all hands on a board together is several times faster than one
        // by one.
        let (board, bets) = (public.board().set(), opponent_bets(public, seat));
        let together = OnceLock::new();
        let all = || {
            let mut all: Vec<Option<Features>> = vec![None; Combo::COUNT];
            let made = self.maker.each_hand(board, bets, |hole, features| {
                all[hole.index()] = Some(*features);
            });
            made.map(|()| all).unwrap_or_default()
        };
        let mut maker = self.maker.clone();
        for (number, &hole) in hands.iter().enumerate() {
            let combo = match *hole.as_slice() {
                [a, b] => Combo::new(a, b),
                _ => None,
            };
            let known = combo.and_then(|combo| {
                let many = hands.len() > 50 && !board.is_empty();
                let found =
                    many.then(|| together.get_or_init(all).get(combo.index()).copied().flatten());
                found.flatten().or_else(|| maker.cards(combo, board, bets).ok())
            });
            let strategy = known.map_or_else(
                || Strategy::pure(Action::Call),
                |features| Player::strategy(self, public, features.as_slice()),
            );
            visit(number, &strategy);
        }
    }
}
