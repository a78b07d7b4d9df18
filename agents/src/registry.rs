//! The registry of agent kinds and configured agents.
//!
//! On command lines and in files an agent is named `KIND`, `KIND:ARGUMENT`, by a name that the
//! configuration defines, or by the path of a program. Names are resolved in two steps:
//! [`Registry::resolve`] reads options and files and returns an [`AgentChoice`], which then builds
//! any number of agents, on any thread.
//!
//! [`AgentConfig`] is an agent as configured: its kind and the options given to it. The defaults of
//! options are those of the kind's table.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use game::{Action, Chips, GameDef, InfoSet, Policy, Strategy};
use models::student::Student;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use show::nearest;
use solvers::strategy::TreeStrategy;

use crate::{Agent, fitted};

/// The cost of a decision, which determines where it may be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// At most about a millisecond: computed on the calling thread.
    Inline,
    /// Longer, or waiting for another program: gets its own thread and a deadline.
    Worker,
}

/// The default of an option that must be given.
const REQUIRED: &str = "required";

/// An option of an agent kind, as printed by `cardroom agents describe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct AgentOption {
    /// The key in a configuration table.
    pub name: &'static str,
    /// The default value as on a command line, and `required` if there is none; in words for kinds
    /// that read [what was given](Resolver::given_options).
    pub default: &'static str,
    /// The effect of the option, with its unit and range.
    pub help: &'static str,
}

/// The description of an agent kind.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct AgentSpec {
    /// The name of the kind.
    pub kind: &'static str,
    /// The behaviour of the agent, in one line.
    pub summary: &'static str,
    /// An example of an agent name of this kind; tests run it.
    pub example: &'static str,
    /// The option that ARGUMENT sets in `KIND:ARGUMENT`. If `None`, ARGUMENT is a list of
    /// `OPTION=VALUE` pairs.
    pub argument: Option<&'static str>,
    /// All options.
    pub options: &'static [AgentOption],
    /// The cost of a decision. A kind that asks other agents may cost more, see [`Recipe::cost`].
    pub cost: Cost,
    /// Whether the same seeds give the same decisions in every run.
    pub repeatable: bool,
    /// Reads options and files once, and returns a recipe that builds agents.
    #[serde(skip)]
    pub prepare: fn(&Resolver<'_>) -> Result<Recipe, AgentError>,
}

/// What an agent with its default options wins from `cfr` at heads-up no-limit hold'em with 200 big
/// blinds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Strength {
    /// Thousandths of a big blind per hand.
    pub mbb: f64,
    /// Half of the 95 % interval of that.
    pub plus_minus: f64,
}

/// The kinds whose strength was measured: `cardroom match KIND cfr --hands 400000 --seed 7`, and
/// for `resolve` `cardroom evaluate panel resolve --compared-with cfr --hands 2000`.
const STRENGTHS: [(&str, f64, f64); 14] = [
    ("resolve", 41.5, 10.7),
    ("cfr", 0.0, 0.0),
    ("oct", -32.1, 30.6),
    ("xgboost", -46.7, 30.6),
    ("mlp", -51.0, 30.5),
    ("cart", -75.5, 30.1),
    ("fft", -375.5, 43.1),
    ("fold", -654.1, 1.1),
    ("rules", -717.7, 59.5),
    ("linear", -1045.6, 70.9),
    ("equity", -1045.6, 70.9),
    ("exploiter", -1883.4, 128.6),
    ("random", -1965.8, 95.7),
    ("call", -2217.2, 61.7),
];

impl AgentSpec {
    /// The strength of an agent of this kind with its default options, where it has any that play.
    pub fn strength(&self) -> Option<Strength> {
        let &(_, mbb, plus_minus) = STRENGTHS.iter().find(|(kind, ..)| *kind == self.kind)?;
        Some(Strength { mbb, plus_minus })
    }
}

/// The kind of programs, which may be named by their path alone, where there is such a kind.
const PROGRAM: &str = "external";

type Build = dyn Fn(&Arc<GameDef>) -> Result<Box<dyn Agent>, AgentError> + Send + Sync;
type BuildTree = dyn Fn(&Arc<GameDef>) -> Result<Arc<dyn TreeStrategy>, AgentError> + Send + Sync;
type BuildPolicy = dyn Fn(&Arc<GameDef>) -> Result<Arc<dyn Policy>, AgentError> + Send + Sync;
type BuildSolver =
    dyn Fn(&Arc<GameDef>) -> Result<Option<Arc<dyn SolvesDecisions>>, AgentError> + Send + Sync;
type LoadStudent = dyn Fn() -> Arc<Student> + Send + Sync;
type Check = dyn Fn() -> Result<(), AgentError> + Send + Sync;

/// An agent that solves the rest of some hands and so knows what actions are worth there.
pub trait SolvesDecisions: Send + Sync {
    /// What the actions of a decision are worth in a solution that begins with it and has the
    /// action `played`: both players come there as the agent's blueprint would, and play on by the
    /// solution. It has no gadget, so it is not what the agent plays. `None` where the agent solves
    /// nothing, or not near enough to an equilibrium.
    fn solved(&self, infoset: &InfoSet, played: Action) -> Option<SolvedDecision>;
}

/// A decision in a solution.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedDecision {
    /// The strategy of the solution with the cards of the decision.
    pub strategy: Strategy,
    /// What each action wins with them, in chips over the whole hand.
    pub values: Vec<(Action, f64)>,
    /// How far this is from settled, in chips, as a sum: the exploitability of the solution; by how
    /// much the best action wins more with these cards than the solution's own strategy does; and
    /// for a raise that the solution hardly ever makes, so that its answers are hardly learnt, by
    /// how much it would win more or less in a solution that begins after it, to which the player
    /// comes with the hands that the blueprint raises.
    pub error: f64,
}

/// The recipe of the policy of an agent that is a pure function of the information set.
#[derive(Clone)]
struct Policies {
    whole: Arc<BuildPolicy>,
    /// Builds the strategy inside the betting tree that the agent plays from, if it does.
    tree: Option<Arc<BuildTree>>,
}

/// The recipe of the agents of one [`AgentChoice`].
#[derive(Clone)]
pub struct Recipe {
    /// The maximum cost of a decision of this agent and of those it asks.
    pub cost: Cost,
    /// Whether this agent and all agents it asks are repeatable.
    pub repeatable: bool,
    /// Whether this agent, or one that it asks, is a program that is started on this machine.
    pub program: bool,
    /// Whether this agent, or one that it asks, looks up equities.
    pub equities: bool,
    /// Whether the agent plays games in which cards of a hand are put on the board.
    discards: bool,
    /// The depths that the agent has a blueprint for, in big blinds, if there are several.
    depths: &'static [Chips],
    /// Files that were read or will be needed; a package must include them.
    pub files: Vec<PathBuf>,
    /// Names of the configured agents that were resolved; a package must define them.
    pub names: Vec<String>,
    /// A description of the agent's model, in lines of text; empty if it has none.
    pub about: String,
    build: Arc<Build>,
    policy: Option<Box<Policies>>,
    student: Option<Arc<LoadStudent>>,
    solver: Option<(Arc<BuildSolver>, AgentChoice)>,
    /// Checks that read the models of this agent and of those it asks from end to end.
    checks: Vec<Arc<Check>>,
}

impl Recipe {
    /// Creates a recipe for an inline, repeatable agent without files.
    pub fn new<A: Agent + 'static>(
        build: impl Fn(&Arc<GameDef>) -> Result<A, AgentError> + Send + Sync + 'static,
    ) -> Recipe {
        let build = move |def: &Arc<GameDef>| Ok(Box::new(build(def)?) as Box<dyn Agent>);
        Recipe {
            cost: Cost::Inline,
            repeatable: true,
            program: false,
            equities: false,
            discards: false,
            depths: &[],
            files: Vec::new(),
            names: Vec::new(),
            about: String::new(),
            build: Arc::new(build),
            policy: None,
            student: None,
            solver: None,
            checks: Vec::new(),
        }
    }

    /// Adds a policy: the agent is a pure function of the information set, and can be asked for its
    /// strategy with any hole cards without playing a hand.
    #[must_use]
    pub fn with_policy<P: Policy + 'static>(
        mut self,
        build: impl Fn(&Arc<GameDef>) -> Result<P, AgentError> + Send + Sync + 'static,
    ) -> Recipe {
        let build = move |def: &Arc<GameDef>| Ok(Arc::new(build(def)?) as Arc<dyn Policy>);
        self.policy = Some(Box::new(Policies { whole: Arc::new(build), tree: None }));
        self
    }

    /// Adds a tree strategy: the agent has a policy and plays from its own betting tree, inside
    /// which it can be asked for all hands at once. Has no effect without a policy.
    #[must_use]
    pub fn with_tree<T: TreeStrategy + 'static>(
        mut self,
        build: impl Fn(&Arc<GameDef>) -> Result<T, AgentError> + Send + Sync + 'static,
    ) -> Recipe {
        let build = move |def: &Arc<GameDef>| Ok(Arc::new(build(def)?) as Arc<dyn TreeStrategy>);
        if let Some(policies) = &mut self.policy {
            policies.tree = Some(Arc::new(build));
        }
        self
    }

    /// Adds the student that the agent plays from.
    #[must_use]
    pub fn with_student(
        mut self,
        student: impl Fn() -> Arc<Student> + Send + Sync + 'static,
    ) -> Recipe {
        self.student = Some(Arc::new(student));
        self
    }

    /// Adds what the agent solves, and the agent that plays the rest of the hand; there may be
    /// games in which it solves nothing. Has no effect without a policy.
    #[must_use]
    pub fn with_solver<S: SolvesDecisions + 'static>(
        mut self,
        blueprint: &AgentChoice,
        build: impl Fn(&Arc<GameDef>) -> Result<Option<S>, AgentError> + Send + Sync + 'static,
    ) -> Recipe {
        let build = move |def: &Arc<GameDef>| {
            let solver = build(def)?;
            Ok(solver.map(|solver| Arc::new(solver) as Arc<dyn SolvesDecisions>))
        };
        if self.policy.is_some() {
            self.solver = Some((Arc::new(build), blueprint.clone()));
        }
        self
    }

    /// Marks an agent that looks up equities, see [`AgentChoice::prepare`].
    #[must_use]
    pub fn with_equities(mut self) -> Recipe {
        self.equities = true;
        self
    }

    /// Marks an agent that also plays games with discards ([`Agent::discard`]).
    #[must_use]
    pub fn discards(mut self) -> Recipe {
        self.discards = true;
        self
    }

    /// Sets the depths that the agent has a blueprint for, in big blinds; it plays others by them.
    #[must_use]
    pub fn for_depths(mut self, depths: &'static [Chips]) -> Recipe {
        self.depths = depths;
        self
    }

    /// Sets the description of the model.
    #[must_use]
    pub fn about(mut self, about: String) -> Recipe {
        self.about = about;
        self
    }

    /// Adds a check that reads the model from end to end; opening a model may read only its
    /// beginning.
    #[must_use]
    pub fn checked_by(
        mut self,
        check: impl Fn() -> Result<(), AgentError> + Send + Sync + 'static,
    ) -> Recipe {
        self.checks.push(Arc::new(check));
        self
    }

    /// Takes over the policy and student of an agent that this one always plays as.
    #[must_use]
    pub fn with_policy_of(mut self, inner: &AgentChoice) -> Recipe {
        self.policy.clone_from(&inner.recipe.policy);
        self.student.clone_from(&inner.recipe.student);
        self
    }

    /// Removes the policy, the student and the solver: the agent cannot be asked for its strategy.
    #[must_use]
    pub fn without_policy(mut self) -> Recipe {
        (self.policy, self.student, self.solver) = (None, None, None);
        self
    }

    /// Includes the cost, programs, files and (lack of) repeatability of an agent that this one
    /// asks.
    #[must_use]
    pub fn asking(mut self, inner: &AgentChoice) -> Recipe {
        self.cost = self.cost.max(inner.recipe.cost);
        self.repeatable &= inner.recipe.repeatable;
        self.program |= inner.recipe.program;
        self.equities |= inner.recipe.equities;
        self.files.extend(inner.recipe.files.iter().cloned());
        self.names.extend(inner.recipe.names.iter().cloned());
        self.checks.extend(inner.recipe.checks.iter().cloned());
        self
    }
}

/// A resolved agent, with everything needed to build it any number of times.
#[derive(Clone)]
pub struct AgentChoice {
    name: Arc<str>,
    spec: AgentSpec,
    recipe: Box<Recipe>,
}

impl AgentChoice {
    /// The name with which the agent was resolved.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The agent's kind.
    pub fn spec(&self) -> &AgentSpec {
        &self.spec
    }

    /// The cost of a decision.
    pub fn cost(&self) -> Cost {
        self.recipe.cost
    }

    /// Whether the same seeds give the same decisions in every run.
    pub fn repeatable(&self) -> bool {
        self.recipe.repeatable
    }

    /// Whether the agent, or one that it asks, is a program that is started on this machine.
    pub fn runs_program(&self) -> bool {
        self.recipe.program
    }

    /// The files that the agent needs, with their paths as given.
    pub fn files(&self) -> &[PathBuf] {
        &self.recipe.files
    }

    /// The names of the configured agents that it is or asks.
    pub fn names(&self) -> &[String] {
        &self.recipe.names
    }

    /// A description of the agent's model, in lines of text; empty if it has none.
    pub fn about(&self) -> &str {
        &self.recipe.about
    }

    /// Reads the models of the agent from end to end, which may take as long as reading the files.
    ///
    /// # Errors
    /// The error of the first damaged model.
    pub fn check_models(&self) -> Result<(), AgentError> {
        self.recipe.checks.iter().try_for_each(|check| check())
    }

    /// Builds the tables shared by all agents of this kind that are worth it for so many hands, in
    /// at most 0.2 s. To be called by whoever begins a run, before its first decision: agents
    /// decide the same without, but slower.
    pub fn prepare(&self, def: &GameDef, hands: u64) {
        if self.recipe.equities {
            crate::random_hands::prepare(def, hands);
        }
    }

    /// Builds a new agent for this game. Agents of one choice share no mutable state. One that is
    /// not for this game, but for the same with a big blind of 100, is asked in its own chips; one
    /// that has blueprints for several depths, with the stacks of the next one.
    ///
    /// # Errors
    /// If the agent cannot play this game, or panics.
    pub fn build(&self, def: &Arc<GameDef>) -> Result<Box<dyn Agent>, AgentError> {
        self.check_discards(def)?;
        let build = |def: &Arc<GameDef>| {
            catch_unwind(AssertUnwindSafe(|| (self.recipe.build)(def)))
                .unwrap_or_else(|_| Err(AgentError::start(self.name(), "it panicked")))
        };
        match build(def) {
            // One that cannot play with larger chips either is refused for the game as it is.
            Err(error) if error.is_game() => {
                fitted::agent(def, self.recipe.depths, build).ok_or(error)
            }
            built => built,
        }
    }

    fn check_discards(&self, def: &GameDef) -> Result<(), AgentError> {
        if !def.discards || self.recipe.discards {
            return Ok(());
        }
        let reason = "cards are put on the board in it, for which it has no rule; `equity`, \
                      `random`, `raise`, `call` and `fold` play it, and so do folders of bots, \
                      `pokerbots:FOLDER`";
        Err(AgentError::game(self.name(), reason))
    }

    /// Whether the agent is a pure function of the information set, see [`policy`](Self::policy).
    pub fn has_policy(&self) -> bool {
        self.recipe.policy.is_some()
    }

    /// Builds the agent's policy: the distribution from which every decision of an agent of this
    /// choice is drawn, as a function of the information set. `None` if it has none, as with
    /// external programs and with agents that learn.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn policy(&self, def: &Arc<GameDef>) -> Result<Option<Arc<dyn Policy>>, AgentError> {
        let Some(policies) = &self.recipe.policy else { return Ok(None) };
        self.check_discards(def)?;
        let built = match (policies.whole)(def) {
            Err(error) if error.is_game() => {
                let build = |def: &Arc<GameDef>| (policies.whole)(def);
                fitted::policy(def, self.recipe.depths, build).ok_or(error)
            }
            built => built,
        };
        built.map(Some)
    }

    /// The student that the agent plays from, for any game; `None` for agents that are not
    /// students.
    pub fn student(&self) -> Option<Arc<Student>> {
        self.recipe.student.as_ref().map(|student| student())
    }

    /// The agent that decides what this one does not solve, if it solves anything.
    pub fn blueprint(&self) -> Option<&AgentChoice> {
        self.recipe.solver.as_ref().map(|(_, blueprint)| blueprint)
    }

    /// Builds what the agent solves; `None` if it solves nothing in this game.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn solver(
        &self,
        def: &Arc<GameDef>,
    ) -> Result<Option<Arc<dyn SolvesDecisions>>, AgentError> {
        self.recipe.solver.as_ref().map_or(Ok(None), |(build, _)| build(def))
    }

    /// Returns whether the agent plays from its own betting tree, so that
    /// [`tree_strategy`](Self::tree_strategy) returns a strategy.
    pub fn has_tree(&self) -> bool {
        self.recipe.policy.as_ref().is_some_and(|policies| policies.tree.is_some())
    }

    /// Builds the agent's strategy inside the betting tree that it plays from; `None` if it has no
    /// such tree.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn tree_strategy(
        &self,
        def: &Arc<GameDef>,
    ) -> Result<Option<Arc<dyn TreeStrategy>>, AgentError> {
        let build = self.recipe.policy.as_ref().and_then(|policies| policies.tree.as_ref());
        build.map(|build| build(def)).transpose()
    }
}

impl fmt::Debug for AgentChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentChoice").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All agent kinds, and the agents that a configuration defines.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    kinds: Vec<AgentSpec>,
    defined: BTreeMap<String, AgentConfig>,
    /// Where the files of agents that are not defined must be; `None` for anywhere.
    files: Option<FilesBelow>,
}

impl Registry {
    /// Adds a kind, replacing any kind of the same name.
    pub fn add(&mut self, spec: AgentSpec) {
        self.kinds.retain(|known| known.kind != spec.kind);
        self.kinds.push(spec);
    }

    /// The same registry, in which agents that are named by others than the configuration may use
    /// files below this folder only: for names that come over a network.
    #[must_use]
    pub fn with_files_below(&self, files: FilesBelow) -> Registry {
        Registry { files: Some(files), ..self.clone() }
    }

    /// Defines an agent by name. Its options are read when the name is resolved.
    ///
    /// # Errors
    /// If the name is that of a kind, is empty, or contains a `:`, a `,` or whitespace; or there is
    /// no such kind.
    pub fn define(&mut self, name: &str, config: AgentConfig) -> Result<(), AgentError> {
        let bad = |reason: &str| {
            let text = format!("an agent cannot be called `{name}`: {reason}");
            Err(AgentError::new(Kind::Other, text))
        };
        if self.kind(name).is_some() {
            return bad("a kind of agent has this name");
        }
        if name.is_empty() || name.contains([':', ',']) || name.contains(char::is_whitespace) {
            return bad("a name holds no colons, commas or blanks, and is not empty");
        }
        if self.kind(&config.kind).is_none() {
            return Err(self.unknown(&config.kind, self.kinds.iter().map(|spec| spec.kind)));
        }
        self.defined.insert(name.to_owned(), config);
        Ok(())
    }

    /// All kinds, in order of registration.
    pub fn kinds(&self) -> &[AgentSpec] {
        &self.kinds
    }

    /// All kinds, the strongest first, and then those whose strength depends on their options.
    pub fn kinds_by_strength(&self) -> Vec<&AgentSpec> {
        let mut kinds: Vec<&AgentSpec> = self.kinds.iter().collect();
        let wins = |spec: &&AgentSpec| spec.strength().map_or(f64::NEG_INFINITY, |known| known.mbb);
        kinds.sort_by(|one, other| wins(other).total_cmp(&wins(one)));
        kinds
    }

    /// The agents that the configuration defines, by name.
    pub fn defined(&self) -> impl Iterator<Item = (&str, &AgentConfig)> {
        self.defined.iter().map(|(name, config)| (name.as_str(), config))
    }

    /// Resolves an agent name; relative paths start from the current folder.
    ///
    /// # Errors
    /// If there is no such agent, or its options or files are not valid.
    pub fn resolve(&self, text: &str) -> Result<AgentChoice, AgentError> {
        self.resolve_in(text, Path::new(""))
    }

    /// The same as [`resolve`](Self::resolve), with relative paths starting from `folder`.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn resolve_in(&self, text: &str, folder: &Path) -> Result<AgentChoice, AgentError> {
        self.resolve_from(text, folder, &[])
    }

    fn kind(&self, name: &str) -> Option<&AgentSpec> {
        self.kinds.iter().find(|spec| spec.kind == name)
    }

    fn resolve_from(
        &self,
        text: &str,
        folder: &Path,
        within: &[String],
    ) -> Result<AgentChoice, AgentError> {
        let text = text.trim();
        let mut path = within.to_vec();
        path.push(text.to_owned());
        if let Some(start) = within.iter().position(|name| name == text) {
            let names = path.split_off(start).join(" -> ");
            let text = format!("agents refer to each other in a circle: {names}");
            return Err(AgentError::new(Kind::Other, text));
        }
        let (kind, argument) = match text.split_once(':') {
            Some((kind, argument)) => (kind, Some(argument)),
            None => (text, None),
        };
        let config = match (self.defined.get(text), self.kind(kind), argument) {
            (Some(config), _, _) => config.clone(),
            (None, Some(spec), Some(argument)) => {
                AgentConfig::from_argument(spec, text, argument, folder)?
            }
            (None, Some(_), None) => {
                AgentConfig { folder: folder.to_owned(), ..AgentConfig::new(kind) }
            }
            (None, None, _) if self.kind(PROGRAM).is_some() && self.is_file(text, folder) => {
                let spec = self.kind(PROGRAM).expect("it was asked for");
                let path = if text.contains('/') { text.to_owned() } else { format!("./{text}") };
                let command = format!("'{}'", path.replace('\'', "'\\''"));
                AgentConfig::from_argument(spec, text, &command, folder)?
            }
            (None, None, _) => {
                let kinds = self.kinds.iter().map(|spec| spec.kind);
                let known = kinds.chain(self.defined.keys().map(String::as_str));
                return Err(self.unknown(kind, known));
            }
        };
        let spec = self.kind(&config.kind).expect("checked when defined, or just found");
        let resolver = Resolver { registry: self, spec, config: &config, path: &path };
        let mut recipe = (spec.prepare)(&resolver)?;
        if self.defined.contains_key(text) {
            recipe.names.push(text.to_owned());
        }
        Ok(AgentChoice { name: text.into(), spec: *spec, recipe: Box::new(recipe) })
    }

    /// Whether this is the path of a file that agents may use.
    fn is_file(&self, text: &str, folder: &Path) -> bool {
        let path = folder.join(text);
        self.files.as_ref().is_none_or(|files| files.check(&path).is_ok()) && path.is_file()
    }

    fn unknown<'a>(&self, name: &str, known: impl Iterator<Item = &'a str>) -> AgentError {
        let known: Vec<&str> = known.collect();
        let file = if name.contains('/') { " and no such file" } else { "" };
        let hint = hint(nearest::nearest(name, known.iter().copied()));
        let known = known.join(", ");
        let text = format!("there is no agent `{name}`{file}{hint}; known agents: {known}");
        AgentError::new(Kind::Unknown, text)
    }
}

/// A folder that files must be below.
#[derive(Debug, Clone)]
pub struct FilesBelow {
    /// The folder as it is named.
    folder: PathBuf,
    /// The folder without links.
    real: PathBuf,
}

impl FilesBelow {
    /// The folder of this path, which must exist.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new(folder: &Path) -> std::io::Result<FilesBelow> {
        Ok(FilesBelow { folder: std::path::absolute(folder)?, real: folder.canonicalize()? })
    }

    /// Checks that a path leads to a file or folder below this one; there need be nothing. What is
    /// elsewhere is refused the same whether it exists or not.
    ///
    /// # Errors
    /// Why it may not be used.
    pub fn check(&self, path: &Path) -> Result<(), String> {
        let whole = std::path::absolute(path);
        let whole = whole.as_deref().unwrap_or(path);
        let straight = whole.components().all(|part| part != Component::ParentDir);
        let named_below = whole.starts_with(&self.folder) || whole.starts_with(&self.real);
        // A link may lead out of the folder.
        let is_below = whole.canonicalize().map_or(true, |real| real.starts_with(&self.real));
        if straight && named_below && is_below {
            return Ok(());
        }
        let (path, folder) = (path.display(), self.folder.display());
        Err(format!("`{path}` is not below {folder}: only files there can be named here"))
    }
}

/// The input of a kind's `prepare`: its options, and access to other agents and files.
#[derive(Debug)]
pub struct Resolver<'a> {
    registry: &'a Registry,
    spec: &'a AgentSpec,
    config: &'a AgentConfig,
    /// The names being resolved, outermost first; the last is this agent's.
    path: &'a [String],
}

impl Resolver<'_> {
    /// The name of the agent.
    pub fn name(&self) -> &str {
        self.path.last().expect("an agent is being resolved")
    }

    /// Deserializes the options to the kind's own type. Those that were not given have the defaults
    /// of the kind's table, which are values as on a command line.
    ///
    /// # Errors
    /// If an option is unknown or not valid, or a required one is missing.
    pub fn options<T: DeserializeOwned>(&self) -> Result<T, AgentError> {
        self.config.read(self.name(), self.spec, true)
    }

    /// The same without defaults, for kinds that do something else where an option is not given
    /// than where its default is.
    ///
    /// # Errors
    /// As [`options`](Self::options).
    pub fn given_options<T: DeserializeOwned>(&self) -> Result<T, AgentError> {
        self.config.read(self.name(), self.spec, false)
    }

    /// Checks that no option is given.
    pub(crate) fn no_options(&self) -> Result<(), AgentError> {
        self.options::<toml::Table>().map(drop)
    }

    /// What the word in an option stands for.
    pub(crate) fn one_of<T: Copy>(
        &self,
        option: &str,
        word: &str,
        all: &[(&str, T)],
    ) -> Result<T, AgentError> {
        if let Some(&(_, value)) = all.iter().find(|(known, _)| *known == word) {
            return Ok(value);
        }
        let (last, before) = all.split_last().expect("there are words");
        let before = before.iter().map(|&(known, _)| known).collect::<Vec<_>>().join(", ");
        let reason = format!("`{option}` is {word}, but must be {before} or {}", last.0);
        Err(self.bad_option(reason))
    }

    /// Checks that an option's value is in this range.
    pub(crate) fn within<T: Copy + PartialOrd + fmt::Display>(
        &self,
        option: &str,
        value: T,
        range: RangeInclusive<T>,
    ) -> Result<(), AgentError> {
        if range.contains(&value) {
            return Ok(());
        }
        let (least, most) = (range.start(), range.end());
        let reason = format!("`{option}` is {value}, but must be from {least} to {most}");
        Err(self.bad_option(reason))
    }

    /// Creates an error about an option's value.
    pub fn bad_option(&self, reason: impl fmt::Display) -> AgentError {
        AgentError::bad_option(self.name(), reason)
    }

    /// Resolves a path from the options against the folder that relative paths start from.
    ///
    /// # Errors
    /// If the agent may not use this file.
    pub fn file(&self, path: &str) -> Result<PathBuf, AgentError> {
        let path = self.config.folder.join(path);
        // What the configuration names, and what that names in turn, was chosen by its author.
        let chosen = |name: &String| self.registry.defined.contains_key(name);
        match &self.registry.files {
            Some(files) if !self.path.iter().any(chosen) => {
                files.check(&path).map_err(|reason| self.bad_option(reason))?;
            }
            _ => {}
        }
        Ok(path)
    }

    /// Reads a text file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, path: &Path) -> Result<String, AgentError> {
        std::fs::read_to_string(path)
            .map_err(|error| self.bad_option(format!("cannot read {}: {error}", path.display())))
    }

    /// Resolves another agent by name; relative paths start from `folder`.
    ///
    /// # Errors
    /// As [`Registry::resolve`]; also if that agent refers to this one.
    pub fn resolve(&self, text: &str, folder: &Path) -> Result<AgentChoice, AgentError> {
        self.registry.resolve_from(text, folder, self.path)
    }

    /// The folder that relative paths in the options start from.
    pub fn folder(&self) -> &Path {
        &self.config.folder
    }
}

/// A kind of agent with options: a table `[agents.NAME]` of a configuration file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentConfig {
    /// The name of a kind in the registry.
    pub kind: String,
    /// All other keys of the table. Which keys are allowed depends on the kind.
    #[serde(flatten)]
    pub options: toml::Table,
    /// The base folder of relative paths in the options: the configuration file's folder, or empty
    /// for the current one. Not part of the table.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl AgentConfig {
    /// Creates a configuration of this kind with all options at their defaults.
    pub fn new(kind: &str) -> AgentConfig {
        AgentConfig { kind: kind.to_owned(), options: toml::Table::new(), folder: PathBuf::new() }
    }

    /// Parses `KIND:ARGUMENT`.
    ///
    /// For kinds with a principal option the whole argument is that option's value. For others it
    /// is a list of `OPTION=VALUE` pairs separated by commas. Values are parsed as TOML if
    /// possible, and as plain text otherwise. A comma between double quotes does not end a value.
    fn from_argument(
        spec: &AgentSpec,
        text: &str,
        argument: &str,
        folder: &Path,
    ) -> Result<AgentConfig, AgentError> {
        let mut config = AgentConfig { folder: folder.to_owned(), ..AgentConfig::new(spec.kind) };
        if let Some(option) = spec.argument {
            config.options.insert(option.to_owned(), toml::Value::String(argument.to_owned()));
            return Ok(config);
        }
        for pair in outside_quotes(argument) {
            let (option, value) = pair.split_once('=').ok_or_else(|| {
                AgentError::bad_option(text, format!("`{pair}` is not of the form OPTION=VALUE"))
            })?;
            config.options.insert(option.trim().to_owned(), parse_value(value.trim()));
        }
        Ok(config)
    }

    /// Deserializes the options to the kind's own type, rejecting unknown keys by name; with
    /// `defaults` those that were not given have the defaults of the kind's table.
    fn read<T: DeserializeOwned>(
        &self,
        agent: &str,
        spec: &AgentSpec,
        defaults: bool,
    ) -> Result<T, AgentError> {
        for option in self.options.keys() {
            let known = || spec.options.iter().map(|o| o.name);
            if !known().any(|k| k == option) {
                let hint = hint(nearest::nearest(option, known()));
                let list = known().collect::<Vec<_>>().join(", ");
                let list = if list.is_empty() { "none" } else { &list };
                let text =
                    format!("agent `{agent}` has no option `{option}`{hint}; its options: {list}");
                let (agent, option) = (agent.to_owned(), option.clone());
                return Err(AgentError::new(Kind::UnknownOption { agent, option }, text));
            }
        }
        let mut options = self.options.clone();
        let in_table = spec.options.iter().filter(|option| defaults && option.default != REQUIRED);
        for option in in_table.filter(|option| !self.options.contains_key(option.name)) {
            options.insert(option.name.to_owned(), parse_value(option.default));
        }
        toml::Value::Table(options).try_into().map_err(|error: toml::de::Error| {
            AgentError::bad_option(agent, error.to_string().trim().replace('\n', ", "))
        })
    }
}

/// Splits at commas that are not between double quotes.
fn outside_quotes(text: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |letter: char| {
        let quote = letter == '"' && !escaped;
        escaped = quoted && letter == '\\' && !escaped;
        quoted ^= quote;
        letter == ',' && !quoted
    })
}

fn parse_value(text: &str) -> toml::Value {
    let table = format!("value = {text}").parse::<toml::Table>();
    let value = table.ok().and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// What is wrong with naming, configuring or building an agent, which the user has to fix. An agent
/// that has been built does not fail; it answers [`Decision::failed`](crate::Decision::failed).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct AgentError {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// No kind and no configured agent has the name.
    Unknown,
    /// The agent of this name has no such option.
    UnknownOption {
        agent: String,
        option: String,
    },
    /// The agent cannot play the game.
    Game,
    Other,
}

impl AgentError {
    fn new(kind: Kind, text: String) -> AgentError {
        AgentError { text, kind }
    }

    /// The error for an invalid value of an option, or a missing one.
    fn bad_option(agent: &str, reason: impl fmt::Display) -> AgentError {
        AgentError::new(Kind::Other, format!("agent `{agent}`: {reason}"))
    }

    /// The error for an invalid file; the reason names the line.
    pub(crate) fn bad_file(path: &Path, reason: impl fmt::Display) -> AgentError {
        AgentError::new(Kind::Other, format!("{}: {reason}", path.display()))
    }

    /// The error for a game that the agent cannot play; the reason is a feature of it.
    pub fn game(agent: &str, reason: impl fmt::Display) -> AgentError {
        let text = format!("agent `{agent}` cannot play this game: {reason}");
        AgentError::new(Kind::Game, text)
    }

    /// The error for an agent that could not be started.
    pub fn start(agent: &str, reason: impl fmt::Display) -> AgentError {
        AgentError::new(Kind::Other, format!("agent `{agent}` cannot be started: {reason}"))
    }

    /// Whether no kind and no configured agent has the name.
    pub fn is_unknown(&self) -> bool {
        self.kind == Kind::Unknown
    }

    /// Whether the agent cannot play the game.
    pub fn is_game(&self) -> bool {
        self.kind == Kind::Game
    }

    /// The agent and the option that it does not have, where that is the problem.
    pub fn unknown_option(&self) -> Option<(&str, &str)> {
        let Kind::UnknownOption { agent, option } = &self.kind else { return None };
        Some((agent, option))
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}
