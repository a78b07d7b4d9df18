//! The tools: names, arguments, limits, and what each does by way of the library and the commands.
//!
//! Files are read and written in the data folder only. A match is named by its folder there, an
//! agent by a name on offer, a game or a menu of bets by that of a built-in one.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::AgentChoice;
use game::GameDef;
use matches::games::without_discards;
use matches::plan::{MatchPlan, fresh_seed};
use matches::play::{Settings, default_folder, play};
use matches::runner::Stop;
use protocol::acpc;
use protocol::acpc::gamedef::{self, Reading};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::tables::{NewTable, Tables, Verb};
use crate::arguments::threads;
use crate::commands::solve::SolvedSubgame;
use crate::commands::{Command, perform};
use crate::config::units;
use crate::exit::Failure;
use crate::match_options::{DEFAULT_GAME, provenance, usual_level};
use crate::report;
use crate::resolve_names::built_in;
use crate::web::decide::{DecidePlan, Decider, situation_schema};
use crate::web::records::Records;

/// Most characters of a text among the arguments.
const MAX_TEXT: usize = 4096;

/// Most elements of a list among the arguments.
const MAX_LIST: usize = 16;

/// Most iterations of a solver.
const MAX_ITERATIONS: u32 = 10_000;

/// Solved subgames that are kept for `node`.
const KEPT_SOLVES: usize = 4;

/// Finished matches that are listed.
const LISTED_MATCHES: usize = 20;

/// The time beyond the limit after which work that cannot be stopped is not waited for.
const GRACE_PERIOD: Duration = Duration::from_secs(5);

/// The time to wait for other work to end.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// What the tools may use.
#[derive(Debug)]
pub struct ToolsPlan {
    /// The agents on offer.
    pub agents: DecidePlan,
    /// The data folder.
    pub data: PathBuf,
    /// The configuration file, which may define agents of recorded matches.
    pub file: Option<PathBuf>,
    /// Most tables at once.
    pub tables: usize,
    /// The idle time after which a table may be closed for another one.
    pub idle: Duration,
    /// Most hands of a table or a match.
    pub hands: u64,
    /// The time limit for the work of one call.
    pub time: Duration,
    /// Most memory of a solve.
    pub memory: units::Size,
}

/// The tools with their state.
pub struct Tools {
    plan: ToolsPlan,
    decider: Decider,
    records: Records,
    tables: Tables,
    solves: Mutex<Solves>,
    /// The permits for work that computes long.
    permits: Arc<Semaphore>,
    tracker: TaskTracker,
    closed: CancellationToken,
}

/// The solved subgames that are kept, the latest last.
#[derive(Default)]
struct Solves {
    next: u64,
    kept: VecDeque<(String, Arc<Mutex<SolvedSubgame>>)>,
}

/// A tool's answer.
pub(super) struct Answer {
    /// The document.
    pub(super) document: Value,
    /// What else is to be said.
    pub(super) note: Option<String>,
}

/// Why a tool did nothing.
#[derive(Debug)]
pub(super) struct Refusal {
    /// What is wrong, and what to do about it.
    pub(super) why: String,
    /// What to know now.
    pub(super) now: Option<Value>,
}

impl Refusal {
    pub(super) fn new(why: impl Into<String>) -> Refusal {
        Refusal { why: why.into(), now: None }
    }

    pub(super) fn with_state(why: &str, now: &impl Serialize) -> Refusal {
        Refusal { why: why.to_owned(), now: serde_json::to_value(now).ok() }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::new(failure.to_string())
    }
}

/// The arguments of a tool without any.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewTableArgs {
    /// The agent to play against; `list` names them.
    agent: String,
    /// The game, for two players; no-limit hold'em with 200 big blinds unless given.
    game: Option<String>,
    /// Which cards: the same seed deals the same cards on this server. Random unless given.
    seed: Option<u32>,
    /// The number of hands; 100 unless given.
    hands: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TableArgs {
    /// The table's name, from `new_table`.
    table: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ActArgs {
    /// The table's name, from `new_table`.
    table: String,
    /// The `turn` of the state that the action is for.
    turn: String,
    /// One of the legal actions.
    action: Verb,
    /// For bet and raise: the total in chips that you will have put in over the whole hand.
    amount: Option<game::Chips>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResultArgs {
    /// The table's name, from `new_table`.
    table: String,
    /// The hand, from 0.
    hand: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EquityArgs {
    /// Two to ten hands such as `AcKd`, one hand, or one or two ranges such as `QQ+,AKs`.
    hands: Vec<String>,
    /// Board cards: three, four or five, such as `Ks3hJc`.
    board: Option<String>,
    /// The opponent's range, for one hand or range; every hand unless given.
    against: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SolveArgs {
    /// Board cards: three, four or five, such as `Td9d6hQc2s`.
    board: String,
    /// Chips in the pot, half from each player.
    pot: game::Chips,
    /// Chips left to each player; a second number is for the second player.
    stack: Vec<game::Chips>,
    /// The ranges of the first player, who acts first, and of the second: `QQ+,AKs`, `random`.
    ranges: Vec<String>,
    /// The bets: fc, fcpa, ladder, limit, overbet, reraise, six, small, standard, three, or lines
    /// of a menu separated by `;`, as in `every 1: 50% allin; every 2+: allin`.
    menu: Option<String>,
    /// Actions on this street before, as in `x b66`.
    after: Option<String>,
    /// The exploitability to stop at: chips, or a share of the pot; `0.5%` unless given.
    until: Option<String>,
    /// Most iterations; 1,000 unless given.
    iterations: Option<u32>,
    /// Spots to show, as in `x b66 c Kd`; the beginning unless given.
    at: Option<Vec<String>>,
    /// Whether to list every hand with its strategy.
    #[serde(default)]
    each_hand: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NodeArgs {
    /// The name that `solve` gave.
    solve: String,
    /// The actions and cards from the beginning, as in `x b66 c Kd`: x, c, f, bN and rN (N chips on
    /// the street), a (all-in), cards as they are dealt. Empty for the beginning.
    at: String,
    /// Whether to list every hand with its strategy.
    #[serde(default)]
    each_hand: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExplainArgs {
    /// The match's name, from `new_table`, `match` or `list`.
    r#match: String,
    /// The hand, from 0.
    hand: u64,
    /// The action in the hand, from 0, over both players; without it the actions are listed.
    decision: Option<u32>,
    /// Whether to list what the agent does with every hand that it could have there.
    #[serde(default)]
    each_hand: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MatchArgs {
    /// The agent whose rate is reported first.
    a: String,
    /// The other agent.
    b: String,
    /// The number of hands, even; 1,000 unless given.
    hands: Option<u64>,
    /// The seed of cards and decisions; 0 unless given.
    seed: Option<u32>,
    /// The game, for two players; no-limit hold'em with 200 big blinds unless given.
    game: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatsArgs {
    /// The match's name, from `new_table`, `match` or `list`.
    r#match: String,
}

/// What there is to play with.
#[derive(Serialize)]
struct Offer {
    schema: &'static str,
    agents: Vec<OfferedAgent>,
    /// Games for two players.
    games: Vec<&'static str>,
    limits: Limits,
    /// The latest finished matches.
    matches: Vec<String>,
}

#[derive(Serialize)]
struct OfferedAgent {
    name: String,
    summary: &'static str,
}

#[derive(Serialize)]
struct Limits {
    tables: usize,
    hands: u64,
    seconds: u64,
    solve_memory: String,
    characters_of_a_text: usize,
}

/// The schema of a type.
fn schema<T: JsonSchema>() -> Schema {
    SchemaGenerator::default().into_root_schema_for::<T>()
}

/// Names, descriptions, and schemas of the arguments; and whether nothing is changed by it.
type Described = (&'static str, bool, fn() -> Schema, &'static str);

const TOOLS: [Described; 13] = [
    (
        "list",
        true,
        schema::<Nothing>,
        "The agents, games and limits here, and the latest finished matches.",
    ),
    (
        "new_table",
        false,
        schema::<NewTableArgs>,
        "Begin hands against an agent. The answer is the state at your first turn.",
    ),
    (
        "state",
        true,
        schema::<TableArgs>,
        "A table as you may see it: your cards, the board, the pot, the legal actions, the last \
         hand's result.",
    ),
    (
        "act",
        false,
        schema::<ActArgs>,
        "Play one of the legal actions at this turn. The answer is the state at your next turn, \
         which may be in the next hand.",
    ),
    ("result", true, schema::<ResultArgs>, "A finished hand of a table, in words and chips."),
    (
        "close_table",
        false,
        schema::<TableArgs>,
        "Leave a table; a hand in play is not counted. Finished hands stay on record.",
    ),
    (
        "equity",
        true,
        schema::<EquityArgs>,
        "How often hands or ranges win in heads-up hold'em, counted exactly.",
    ),
    (
        "solve",
        true,
        schema::<SolveArgs>,
        "Solve heads-up no-limit hold'em from a flop, turn or river on, range against range. Look \
         at more spots of the solution with `node`.",
    ),
    ("node", true, schema::<NodeArgs>, "The strategy at a spot of a solved subgame."),
    (
        "explain",
        true,
        schema::<ExplainArgs>,
        "A decision of a recorded match: what the others held, what each action wins on average, \
         what the one played cost.",
    ),
    (
        "decide",
        true,
        situation_schema,
        "What an agent does in a situation, with its probabilities and values.",
    ),
    (
        "match",
        false,
        schema::<MatchArgs>,
        "Play one agent against another, each deal in both seats. The same call goes on with a \
         match that was stopped.",
    ),
    (
        "stats",
        true,
        schema::<StatsArgs>,
        "The result of a match or a table: rates with intervals, and without the luck of the \
         cards.",
    ),
];

/// The tools as they are listed.
pub(super) fn list() -> Vec<Tool> {
    let tool = |&(name, reads, schema, about): &Described| {
        let arguments = match schema().to_value() {
            Value::Object(mut object) => {
                object.remove("title");
                object
            }
            _ => JsonObject::default(),
        };
        let hints = ToolAnnotations::new().read_only(reads).open_world(false);
        Tool::new(name, about, arguments).annotate(hints)
    };
    TOOLS.iter().map(tool).collect()
}

impl Tools {
    /// The tools of this plan.
    pub fn new(plan: ToolsPlan) -> Tools {
        let DecidePlan { agents, time_limit, workers } = &plan.agents;
        let (time_limit, workers) = (*time_limit, *workers);
        let decider = Decider::new(DecidePlan { agents: agents.clone(), time_limit, workers });
        Tools {
            decider,
            records: Records::new(&plan.data),
            tables: Tables::new(plan.data.clone(), plan.tables, plan.idle, time_limit),
            solves: Mutex::default(),
            permits: Arc::new(Semaphore::new(workers)),
            tracker: TaskTracker::new(),
            closed: CancellationToken::new(),
            plan,
        }
    }

    /// Stops all work and closes all tables.
    pub async fn close(&self) {
        self.closed.cancel();
        self.tables.close_all();
        self.tracker.close();
        let _ = tokio::time::timeout(GRACE_PERIOD, self.tracker.wait()).await;
    }

    /// Calls a tool, until the client cancels it.
    pub(super) async fn call(
        self: &Arc<Tools>,
        name: &str,
        arguments: JsonObject,
        cancelled: &CancellationToken,
    ) -> Result<Answer, Refusal> {
        let arguments = Value::Object(arguments);
        check_lengths("", &arguments)?;
        match name {
            "list" => self.list(read(arguments)?).await,
            "new_table" => self.new_table(read(arguments)?).await,
            "state" => {
                let TableArgs { table } = read(arguments)?;
                answer(&self.tables.state(table).await?)
            }
            "act" => {
                let ActArgs { table, turn, action, amount } = read(arguments)?;
                answer(&self.tables.act(table, turn, action, amount).await?)
            }
            "result" => {
                let ResultArgs { table, hand } = read(arguments)?;
                answer(&self.tables.result(table, hand).await?)
            }
            "close_table" => {
                let TableArgs { table } = read(arguments)?;
                answer(&self.tables.close(table).await?)
            }
            "decide" => {
                let decided = self.decider.decide(arguments.to_string().as_bytes()).await;
                answer(&decided.map_err(|problem| Refusal::new(problem.words()))?)
            }
            "equity" => {
                let words = equity_words(read(arguments)?)?;
                self.command(words, cancelled).await
            }
            "explain" => {
                let ExplainArgs { r#match, hand, decision, each_hand } = read(arguments)?;
                let mut words = self.of_match(&["explain", "decision"], &r#match)?;
                words.push(hand.to_string());
                words.extend(decision.map(|number| number.to_string()));
                let mut answer = self.command(words, cancelled).await?;
                if !each_hand {
                    drop_hands(&mut answer.document);
                }
                Ok(answer)
            }
            "stats" => {
                let StatsArgs { r#match } = read(arguments)?;
                let words = self.of_match(&["stats"], &r#match)?;
                self.command(words, cancelled).await
            }
            "match" => self.play(read(arguments)?, cancelled).await,
            "solve" => self.solve(read(arguments)?, cancelled).await,
            "node" => self.node(read(arguments)?, cancelled).await,
            _ => Err(Refusal::new("there is no such tool")),
        }
    }

    async fn list(self: &Arc<Tools>, _: Nothing) -> Result<Answer, Refusal> {
        let tools = Arc::clone(self);
        let latest = move || tools.records.latest(LISTED_MATCHES);
        let latest = tokio::task::spawn_blocking(latest).await;
        let latest = latest.map_err(|error| Refusal::new(error.to_string()))?;
        let agents = self.plan.agents.agents.iter();
        let for_two = |game: &&acpc::BuiltInGame| {
            game.name.contains(".2p") && built_in_game(Some(game.name)).is_ok()
        };
        answer(&Offer {
            schema: "cardroom-mcp-list/1",
            agents: agents
                .map(|(name, choice)| OfferedAgent {
                    name: name.clone(),
                    summary: choice.spec().summary,
                })
                .collect(),
            games: acpc::games().iter().filter(for_two).map(|game| game.name).collect(),
            limits: Limits {
                tables: self.plan.tables,
                hands: self.plan.hands,
                seconds: self.plan.time.as_secs(),
                solve_memory: self.plan.memory.to_string(),
                characters_of_a_text: MAX_TEXT,
            },
            matches: latest.into_iter().map(|line| line.id).collect(),
        })
    }

    async fn new_table(self: &Arc<Tools>, args: NewTableArgs) -> Result<Answer, Refusal> {
        let NewTableArgs { agent, game, seed, hands } = args;
        let agent = self.agent(&agent)?;
        let (game, def) = built_in_game(game.as_deref())?;
        let hands = self.hands(hands, 100)?;
        answer(&self.tables.begin(NewTable { agent, game, def, seed, hands }).await?)
    }

    async fn play(
        self: &Arc<Tools>,
        args: MatchArgs,
        cancelled: &CancellationToken,
    ) -> Result<Answer, Refusal> {
        let entrants = vec![self.agent(&args.a)?, self.agent(&args.b)?];
        let (game, def) = built_in_game(args.game.as_deref())?;
        let hands = self.hands(args.hands, 1_000)?;
        let plan = MatchPlan {
            def,
            game_name: game.to_owned(),
            entrants,
            given_names: Vec::new(),
            hands,
            seed: args.seed.unwrap_or_default().into(),
            duplicate: true,
            shard: None,
            deadline: Some(self.plan.agents.time_limit),
            rule: None,
        };
        plan.check().map_err(|error| Refusal::new(error.to_string()))?;
        let data = self.plan.data.clone();
        let work = move |stop: &Stop| {
            let folder = default_folder(&data, &plan);
            let settings = Settings {
                level: usual_level(hands),
                folder: folder.clone(),
                jobs: threads(None),
                provenance: provenance(),
            };
            let played = play(&plan, &settings, stop, &mut |_| {}).map_err(Failure::input)?;
            let document = report::show_folder(&folder, true)?.whole()?;
            Ok::<_, Failure>((document, played.outcome.complete, played.outcome.hands))
        };
        let (document, complete, played) = self.work(cancelled, work).await?;
        let document = parsed(&document)?;
        let note = (!complete).then(|| {
            format!(
                "{played} of {hands} hands were played in the time that a call may take: the same \
                 call goes on"
            )
        });
        Ok(Answer { document, note })
    }

    async fn solve(
        self: &Arc<Tools>,
        mut args: SolveArgs,
        cancelled: &CancellationToken,
    ) -> Result<Answer, Refusal> {
        let (at, each_hand) = (args.at.take().unwrap_or_default(), args.each_hand);
        let words = solve_words(args, self.plan.memory)?;
        let Command::Solve(args) = Command::parse(&words)? else {
            return Err(Refusal::new("only a subgame can be solved"));
        };
        let work = move |stop: &Stop| {
            let mut solved = args.keep_subgame(stop)?;
            let document = solved.document(at)?.whole()?;
            Ok::<_, Failure>((solved, document))
        };
        let (solved, document) = self.work(cancelled, work).await?;
        let name = {
            let mut solves = parallel::lock(&self.solves);
            solves.next += 1;
            // Under `serve`, callers look at their own ones only.
            let name = format!("{}-{:08x}", solves.next, fresh_seed() as u32);
            solves.kept.push_back((name.clone(), Arc::new(Mutex::new(solved))));
            while solves.kept.len() > KEPT_SOLVES {
                solves.kept.pop_front();
            }
            name
        };
        let mut document = spots(&document, each_hand)?;
        let stopped = document["result"]["interrupted"] == true;
        document["solve"] = name.into();
        let note = stopped.then(|| {
            "stopped at the time that a call may take: `exploitability` says how near it is to \
             equilibrium"
                .to_owned()
        });
        Ok(Answer { document, note })
    }

    async fn node(
        self: &Arc<Tools>,
        args: NodeArgs,
        cancelled: &CancellationToken,
    ) -> Result<Answer, Refusal> {
        let found = {
            let solves = parallel::lock(&self.solves);
            let mut kept = solves.kept.iter();
            kept.find(|(name, _)| *name == args.solve).map(|(_, solved)| Arc::clone(solved))
        };
        let solved = found.ok_or_else(|| {
            Refusal::new(format!(
                "no solve `{}` is kept: the last {KEPT_SOLVES} are, by the name that `solve` gave",
                game::escape::excerpt(&args.solve)
            ))
        })?;
        let at = vec![args.at];
        let work = move |_: &Stop| {
            let mut solved = parallel::lock(&solved);
            solved.document(at)?.whole()
        };
        let mut document = spots(&self.work(cancelled, work).await?, args.each_hand)?;
        document["solve"] = args.solve.into();
        Ok(Answer { document, note: None })
    }

    /// The answer of a command.
    async fn command(
        self: &Arc<Tools>,
        words: Vec<String>,
        cancelled: &CancellationToken,
    ) -> Result<Answer, Refusal> {
        let work = move |_: &Stop| perform(Command::parse(&words)?)?.whole();
        let document = parsed(&self.work(cancelled, work).await?)?;
        Ok(Answer { document, note: None })
    }

    /// Does work that computes long, on a blocking thread. It is asked to stop at the time limit.
    async fn work<T: Send + 'static>(
        self: &Arc<Tools>,
        cancelled: &CancellationToken,
        work: impl FnOnce(&Stop) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = tokio::time::timeout(QUEUE_TIMEOUT, permit).await;
        let Ok(Ok(permit)) = permit else {
            return Err(Refusal::new(format!(
                "{} calls are being worked on, the limit: call again later",
                self.plan.agents.workers
            )));
        };
        let stop = Stop::new();
        let asked = stop.clone();
        let mut done = self.tracker.spawn_blocking(move || {
            // Held until the work is done, even if nobody waits for it any more.
            let _permit = permit;
            work(&asked)
        });
        let time = self.plan.time;
        let late = async {
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = cancelled.cancelled() => {}
                () = self.closed.cancelled() => {}
            }
            stop.ask();
            tokio::time::sleep(GRACE_PERIOD).await;
        };
        tokio::select! {
            done = &mut done => {
                let failed = |error| Refusal::new(format!("the work failed: {error}"));
                done.map_err(failed)?.map_err(Refusal::from)
            }
            () = late => Err(Refusal::new(format!(
                "this takes longer than the {} s that a call may take: ask for less",
                time.as_secs()
            ))),
        }
    }

    /// The agent of this name.
    fn agent(&self, name: &str) -> Result<AgentChoice, Refusal> {
        let offered = &self.plan.agents.agents;
        offered.get(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = offered.keys().map(String::as_str).collect();
            Refusal::new(format!(
                "no agent `{}` is on offer here; one of: {}",
                game::escape::excerpt(name),
                known.join(", ")
            ))
        })
    }

    /// The number of hands, if it is within the limit.
    fn hands(&self, hands: Option<u64>, usual: u64) -> Result<u64, Refusal> {
        let (hands, most) = (hands.unwrap_or(usual.min(self.plan.hands)), self.plan.hands);
        if (1..=most).contains(&hands) {
            return Ok(hands);
        }
        Err(Refusal::new(format!("hands is {hands}, but must be from 1 to {most}, the limit here")))
    }

    /// The words of a command about a recorded match, as far as its folder.
    fn of_match(&self, command: &[&str], name: &str) -> Result<Vec<String>, Refusal> {
        let folder = self.records.folder_of(name).filter(|folder| {
            // Nor by way of a link.
            let inside = |part: &str| {
                let within = self.plan.data.join(part).canonicalize();
                within.is_ok_and(|within| {
                    folder.canonicalize().is_ok_and(|folder| folder.starts_with(within))
                })
            };
            inside("matches") || inside("tournaments")
        });
        let folder = folder.ok_or_else(|| {
            let name = game::escape::excerpt(name);
            Refusal::new(format!("no match `{name}` is recorded here; `list` names the latest"))
        })?;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut words: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        words.extend(["--json".to_owned(), "--quiet".to_owned()]);
        words.extend(self.plan.file.as_deref().map(|file| format!("--config={}", path(file))));
        words.extend(["--".to_owned(), path(&folder)]);
        Ok(words)
    }
}

/// Refuses texts and lists that are too long.
fn check_lengths(place: &str, value: &Value) -> Result<(), Refusal> {
    let too_long = |found: usize, most: usize, what: &str| {
        let place = if place.is_empty() { "an argument" } else { place };
        Refusal::new(format!("{place} has {found} {what}, and at most {most} are taken"))
    };
    match value {
        Value::String(text) if text.len() > MAX_TEXT => {
            Err(too_long(text.len(), MAX_TEXT, "characters"))
        }
        Value::Array(list) if list.len() > MAX_LIST => {
            Err(too_long(list.len(), MAX_LIST, "elements"))
        }
        Value::Array(list) => list.iter().try_for_each(|value| check_lengths(place, value)),
        Value::Object(keys) => keys
            .iter()
            .try_for_each(|(key, value)| check_lengths(&game::escape::excerpt(key), value)),
        _ => Ok(()),
    }
}

/// Reads the arguments of a tool.
fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.inner();
        Refusal::new(match path.as_str() {
            // What is missing or unknown is named by the error itself.
            "." | "?" => format!("the arguments cannot be read: {inner}"),
            path => {
                format!("the argument `{}` cannot be read: {inner}", game::escape::excerpt(path))
            }
        })
    })
}

fn answer(document: &impl Serialize) -> Result<Answer, Refusal> {
    let document = serde_json::to_value(document);
    let document = document.map_err(|error| Refusal::new(error.to_string()))?;
    Ok(Answer { document, note: None })
}

fn parsed(document: &str) -> Result<Value, Refusal> {
    serde_json::from_str(document).map_err(|error| Refusal::new(error.to_string()))
}

/// The document of a solved subgame, without each hand unless that is asked for.
fn spots(document: &str, each_hand: bool) -> Result<Value, Refusal> {
    let mut document = parsed(document)?;
    if !each_hand {
        document["spots"].as_array_mut().into_iter().flatten().for_each(drop_hands);
    }
    Ok(document)
}

/// Leaves out the lists of hands, which are longer than all the rest.
fn drop_hands(document: &mut Value) {
    if let Value::Object(document) = document {
        document.remove("hands");
    }
}

/// A built-in game.
fn built_in_game(name: Option<&str>) -> Result<(&'static str, Arc<GameDef>), Refusal> {
    let found = built_in(name.unwrap_or(DEFAULT_GAME))?;
    let read = gamedef::read(found.text.as_bytes(), found.name, Reading::Strict);
    let def = read.map_err(|error| Refusal::new(error.to_string()))?.def;
    without_discards(found.name, &def).map_err(|error| Refusal::new(error.to_string()))?;
    Ok((found.name, Arc::new(def)))
}

/// Refuses a word that a command would take for an option.
fn plain(text: &str, what: &str) -> Result<String, Refusal> {
    if text.trim_start().starts_with('-') {
        let text = game::escape::excerpt(text);
        return Err(Refusal::new(format!("{what} begins with a `-`: `{text}`")));
    }
    Ok(text.to_owned())
}

fn option(name: &str, value: Option<String>) -> Option<String> {
    value.map(|value| format!("--{name}={value}"))
}

fn equity_words(args: EquityArgs) -> Result<Vec<String>, Refusal> {
    let EquityArgs { hands, board, against } = args;
    if hands.is_empty() {
        return Err(Refusal::new("`hands` is empty: give one to ten hands, or one or two ranges"));
    }
    let mut words = ["show", "equity", "--json", "--quiet"].map(str::to_owned).to_vec();
    words.extend(option("board", board));
    words.extend(option("against", against));
    words.push("--".to_owned());
    words.extend(hands);
    Ok(words)
}

fn solve_words(args: SolveArgs, memory: units::Size) -> Result<Vec<String>, Refusal> {
    let SolveArgs { board, pot, stack, ranges, menu, after, until, iterations, .. } = args;
    let ([_] | [_, _], [_, _]) = (stack.as_slice(), ranges.as_slice()) else {
        return Err(Refusal::new("give one or two numbers as `stack`, and two texts as `ranges`"));
    };
    if iterations.is_some_and(|iterations| !(1..=MAX_ITERATIONS).contains(&iterations)) {
        return Err(Refusal::new(format!("iterations must be from 1 to {MAX_ITERATIONS}")));
    }
    // No file is read for a caller.
    let named = |menu: &String| abstraction::menu::find(menu).is_some();
    let text =
        |menu: &String| menu.contains(':') && !menu.contains('/') && !Path::new(menu).exists();
    if let Some(menu) = menu.as_ref().filter(|menu| !named(menu) && !text(menu)) {
        let shipped = abstraction::menu::shipped().iter().map(|menu| menu.name);
        return Err(Refusal::new(format!(
            "there is no menu `{}`; shipped ones are {}; or give its lines, separated by `;`",
            game::escape::excerpt(menu),
            shipped.collect::<Vec<_>>().join(", ")
        )));
    }
    let mut words =
        ["solve", "subgame", "--json", "--quiet", "--no-keep"].map(str::to_owned).to_vec();
    words.push(format!("--memory={memory}"));
    words.push(format!("--pot={pot}"));
    let given = [("board", Some(board)), ("menu", menu), ("after", after), ("until", until)];
    words.extend(given.into_iter().filter_map(|(name, value)| option(name, value)));
    words.extend(iterations.map(|iterations| format!("--iterations={iterations}")));
    words.push("--stack".to_owned());
    words.extend(stack.iter().map(ToString::to_string));
    words.push("--ranges".to_owned());
    for range in &ranges {
        words.push(plain(range, "a range")?);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_has_a_schema_that_takes_no_other_keys() {
        let tools = list();
        assert_eq!(tools.len(), TOOLS.len());
        for tool in tools {
            let schema = Value::Object((*tool.input_schema).clone());
            assert_eq!(schema["type"], "object", "{schema}");
            assert_eq!(schema["additionalProperties"], false, "{schema}");
        }
    }

    #[test]
    fn no_argument_becomes_an_option_or_the_name_of_a_file() {
        let args = |change: Value| {
            let mut all = json!({
                "board": "Td9d6hQc2s", "pot": 100, "stack": [200], "ranges": ["QQ+", "random"],
            });
            let Value::Object(change) = change else { panic!("{change}") };
            change.into_iter().for_each(|(key, value)| all[key] = value);
            serde_json::from_value::<SolveArgs>(all).expect("arguments")
        };
        let memory = units::Size(1 << 30);
        assert!(solve_words(args(json!({})), memory).is_ok());
        for bad in [
            json!({ "ranges": ["--strategy=x", "random"] }),
            json!({ "ranges": [" -x", "random"] }),
            json!({ "ranges": ["random"] }),
            json!({ "stack": [] }),
            json!({ "stack": [1, 2, 3] }),
            json!({ "menu": "/etc/passwd" }),
            json!({ "menu": "Cargo.toml" }),
            json!({ "menu": "a:/etc/passwd" }),
            json!({ "iterations": 0 }),
            json!({ "iterations": 10_001 }),
        ] {
            assert!(solve_words(args(bad.clone()), memory).is_err(), "{bad}");
        }
        for text in ["--svg=x", "--config=x", "x --svg y"] {
            let args = json!({ "hands": [text], "board": text });
            let words = equity_words(serde_json::from_value(args).expect("arguments"));
            let words = words.map_err(|refusal| refusal.why).expect("words");
            assert!(Command::parse(&words).is_ok(), "{words:?}");
            assert!(perform(Command::parse(&words).expect("a command")).is_err());
        }
    }

    #[test]
    fn what_is_too_long_is_refused_with_its_place_and_the_limit() {
        let long = "x".repeat(MAX_TEXT + 1);
        for (value, place) in [
            (json!({ "a": long }), "a has 4097 characters"),
            (json!({ "a": ["y", long] }), "a has 4097 characters"),
            (json!({ "b": vec![0; MAX_LIST + 1] }), "b has 17 elements"),
        ] {
            let refused = check_lengths("", &value).expect_err("too long");
            assert!(refused.why.contains(place), "{}", refused.why);
        }
        assert!(check_lengths("", &json!({ "a": "x".repeat(MAX_TEXT), "b": [1] })).is_ok());
    }
}
