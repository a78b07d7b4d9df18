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

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use abstraction::features::{Feature, FeatureMaker, Features, SeenBetting, Unit};
use cards::{Combo, HoleCards};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, Strategy, Street};
use models::explain::{Explainer, percent};
use models::student::{Manifest, Student, TrainedModel, other_contents, read_manifest};
use serde::Deserialize;

use crate::random_hands::combo;
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
               `oct` also those that know position, pot and all bets, `table`, and `table-small`, \
               with 64 leaves a street, and `small`, with some 60 leaves in total",
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

/// The values of `model` for students inside the program: the default of its kind, and others.
const NAMES: [&str; 4] = ["shipped", "small", "table", "table-small"];

#[derive(Debug, Clone, Deserialize)]
struct Options {
    model: String,
    play: Play,
    threshold: f64,
    /// Only forests have it.
    #[serde(default)]
    rounds: Rounds,
}

/// Which rounds of a forest are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rounds {
    #[default]
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
    resolver.within("threshold", options.threshold, 0.0..=0.5)?;
    if options.threshold > 0.0 && options.play == Play::Purify {
        let reason = "`threshold` is for `play=sample`, which draws: name both, or neither";
        return Err(resolver.bad_option(reason));
    }
    let style = Style { play: options.play, threshold: options.threshold };
    let name = resolver.name().to_owned();
    let inside = find_shipped(kind, &options.model);
    let (source, about) = match (inside, options.model.as_str()) {
        (Some(inside), _) => {
            // Shipped models end at their best round, so `rounds=best` leaves nothing out.
            let best = options.rounds == Rounds::Best;
            let rounds = best.then(|| rounds_note(&shipped_student(inside), options.rounds));
            (Source::Shipped(inside), about_shipped(inside) + &rounds.unwrap_or_default())
        }
        (None, text) if NAMES.contains(&text) && !resolver.file(text)?.exists() => {
            return Err(resolver.bad_option(format!(
                "`model={text}` is inside the program for `oct` alone, and there is no folder of \
                 that name"
            )));
        }
        (None, text) => {
            let path = resolver.file(text)?;
            let bad = |reason: String| AgentError::bad_file(&path, reason);
            let student = Student::open(&path).map_err(|error| bad(error.to_string()))?;
            if student.manifest().kind != kind {
                let reason = format!(
                    "it is a student of the kind `{}`, not `{kind}`",
                    student.manifest().kind
                );
                return Err(bad(reason));
            }
            let about = about(student.manifest()) + &rounds_note(&student, options.rounds);
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
        let refuse = |reason: String| AgentError::game(&name, reason);
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
            Source::Shipped(inside) => shipped_student(*inside),
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
                let (student, kind) = (shipped_student(*inside), inside.kind);
                student.check_game(def).map(|()| student).map_err(|_| {
                    refuse(format!(
                        "the {kind} inside the program is for {GAME}; train one for this game with \
                         `cardroom train student {kind}`, and name it as {kind}:model=FOLDER"
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
        let action = cx.draw(&strategy);
        let note = note_of(&self.student, &features);
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
        let (board, seen) = (public.board().set(), SeenBetting::new(public, seat));
        let together = OnceLock::new();
        let all = || {
            let mut all: Vec<Option<Features>> = vec![None; Combo::COUNT];
            let made = self.maker.each_hand(board, &seen, |hole, features| {
                all[hole.index()] = Some(*features);
            });
            made.map(|()| all).unwrap_or_default()
        };
        let mut maker = self.maker.clone();
        for (number, &hole) in hands.iter().enumerate() {
            let known = combo(hole).and_then(|combo| {
                let many = hands.len() > 50 && !board.is_empty();
                let found =
                    many.then(|| together.get_or_init(all).get(combo.index()).copied().flatten());
                found.flatten().or_else(|| maker.cards(combo, board, &seen).ok())
            });
            let strategy = known.map_or_else(
                || Strategy::pure(Action::Call),
                |features| Player::strategy(self, public, features.as_slice()),
            );
            visit(number, &strategy);
        }
    }
}

/// Number of clauses in the first line of a note; the rest of a tree's path is on a second line.
const CLAUSES: usize = 3;

/// Explains a decision in a sentence; for a tree, a second line has its nodes and the other
/// clauses.
fn note_of(student: &Student, features: &Features) -> String {
    match Explainer::for_street(student, features.street()) {
        Some(explainer) => note_of_tree(&explainer, features),
        None => {
            let listed = features.iter().filter(|&(feature, _)| match feature {
                Feature::Percentile { .. } => false,
                other => other.betting_street().is_none_or(|street| street <= features.street()),
            });
            let listed: Vec<String> = listed
                .map(|(feature, value)| format!("{} {}", feature.name(), in_words(feature, value)))
                .collect();
            listed.join(", ")
        }
    }
}

/// The clauses that hold on the path to the leaf, in order, with the values of their features.
fn note_of_tree(explainer: &Explainer<'_>, features: &Features) -> String {
    let path = explainer.tree().path(features.as_slice());
    let leaf = path.last().copied().unwrap_or_default();
    let clauses = explainer.clauses(leaf).into_iter().map(|(column, words)| {
        match column.and_then(|column| features.iter().nth(column)) {
            Some((feature, value)) if feature.unit() == Unit::ShareOfPot || value > 0.0 => {
                format!("{words} ({})", in_words(feature, value))
            }
            _ => words,
        }
    });
    let clauses: Vec<String> = clauses.collect();
    let (first, rest) = clauses.split_at(clauses.len().min(CLAUSES));
    let mut note = match first {
        [] => "always".to_owned(),
        _ => first.join("; "),
    };
    if !rest.is_empty() {
        note.push_str(&format!("; and {} more", rest.len()));
    }
    let nodes: Vec<String> = path.iter().map(ToString::to_string).collect();
    note.push_str(&format!("\nnodes {}", nodes.join("-")));
    for (number, clause) in rest.iter().enumerate() {
        note.push_str(if number == 0 { ": " } else { "; " });
        note.push_str(clause);
    }
    note
}

/// Formats an equity in percent, saying against what it is, and chips as they are.
fn in_words(feature: Feature, value: f32) -> String {
    match feature.unit() {
        Unit::ShareOfPot if feature == Feature::Equity => {
            format!("{} against a random hand", percent(value))
        }
        Unit::ShareOfPot => percent(value),
        Unit::Chips | Unit::Raises => format!("{value}"),
        Unit::YesOrNo => if value > 0.0 { "yes" } else { "no" }.to_owned(),
    }
}

/// A line on which rounds of the student's forests are used; empty if no forest has a best round
/// and `rounds=best` was not given.
fn rounds_note(student: &Student, counted: Rounds) -> String {
    let best: Vec<String> = Street::ALL
        .into_iter()
        .filter_map(|street| {
            let TrainedModel::Forest(forest) = student.street(street) else { return None };
            let best = forest.best_rounds().ok().flatten()?;
            Some(format!("{street} {best} of {}", forest.rounds()))
        })
        .collect();
    let rounds = match (counted, best.is_empty()) {
        (Rounds::All, true) => return String::new(),
        (Rounds::All, false) => {
            format!("all; up to the best, as with rounds=best, are {}", best.join(", "))
        }
        (Rounds::Best, true) => "all, for no file has a best_iteration".to_owned(),
        (Rounds::Best, false) => {
            format!("up to the best: {}; the losses above are of all", best.join(", "))
        }
    };
    format!("\n  rounds    {rounds}")
}

/// Describes a student in a few lines.
fn about(manifest: &Manifest) -> String {
    let menu = manifest.menu.trim().replace('\n', "; ");
    let mut text = format!(
        "A student of the kind {}\n  moves     {menu}\n  features  {}\n  learned   {}\n  teacher   \
         {}\n  made by   {}",
        manifest.kind,
        manifest.features.id,
        manifest.options,
        manifest.teacher_sha256,
        manifest.made_by,
    );
    for street in &manifest.streets {
        let [_, valid, test] = street.log_loss;
        text.push_str(&format!(
            "\n  {:<9} {} from {} rows; log-loss {valid:.4} in validation, {test:.4} in the test, \
             likeliest move right in {:.1} %",
            street.street,
            street.size,
            street.rows,
            100.0 * street.accuracy,
        ));
    }
    text
}

/// The game that the students are for, as text.
const GAME: &str = "holdem.nolimit.2p.reverse_blinds (200 big blinds)";

/// The files of a student: its manifest, then one file per street.
type Files = [&'static [u8]; 5];

macro_rules! files {
    ($folder:literal, $ending:literal) => {
        [
            include_bytes!(concat!("../models/", $folder, "/manifest.toml")),
            include_bytes!(concat!("../models/", $folder, "/preflop.", $ending)),
            include_bytes!(concat!("../models/", $folder, "/flop.", $ending)),
            include_bytes!(concat!("../models/", $folder, "/turn.", $ending)),
            include_bytes!(concat!("../models/", $folder, "/river.", $ending)),
        ]
    };
}

/// A student inside the program (`docs/students.md` has their training).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shipped {
    kind: &'static str,
    /// One of [`NAMES`].
    name: &'static str,
}

/// The files of each student.
static FILES: [(Shipped, Files); 7] = [
    (Shipped { kind: "cart", name: "shipped" }, files!("cart", "tree")),
    (Shipped { kind: "oct", name: "shipped" }, files!("oct", "tree")),
    (Shipped { kind: "oct", name: "small" }, files!("oct-small", "tree")),
    (Shipped { kind: "oct", name: "table" }, files!("oct-table", "tree")),
    (Shipped { kind: "oct", name: "table-small" }, files!("oct-table-small", "tree")),
    (Shipped { kind: "xgboost", name: "shipped" }, files!("xgboost", "forest")),
    (Shipped { kind: "mlp", name: "shipped" }, files!("mlp", "safetensors")),
];

/// Returns the student of a kind and of one of the [`NAMES`], if there is one.
fn find_shipped(kind: &str, name: &str) -> Option<Shipped> {
    let mut all = FILES.iter().map(|&(shipped, _)| shipped);
    all.find(|shipped| shipped.kind == kind && shipped.name == name)
}

fn index(shipped: Shipped) -> usize {
    let index = FILES.iter().position(|&(known, _)| known == shipped);
    index.expect("only those of the list are found")
}

fn manifest(shipped: Shipped) -> &'static str {
    let (_, [manifest, ..]) = &FILES[index(shipped)];
    std::str::from_utf8(manifest).expect("a test reads every shipped student")
}

/// Returns a student, which is read on first access.
fn shipped_student(shipped: Shipped) -> Arc<Student> {
    static ALL: [OnceLock<Arc<Student>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let (_, [_, files @ ..]) = &FILES[index(shipped)];
    let read = || {
        let student = Student::from_parts(manifest(shipped), |name| {
            let street = ["preflop", "flop", "turn", "river"]
                .iter()
                .position(|street| name.starts_with(&format!("{street}.")));
            street.map(|street| files[street]).ok_or_else(|| other_contents(name))
        });
        Arc::new(student.expect("a test plays from every shipped student"))
    };
    Arc::clone(ALL[index(shipped)].get_or_init(read))
}

/// A description of a student.
fn about_shipped(shipped: Shipped) -> String {
    about(&read_manifest(manifest(shipped)).expect("a test reads every shipped student"))
}
