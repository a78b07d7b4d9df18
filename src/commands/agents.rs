//! `cardroom agents`: lists and describes the agents, verifies their contract and measures their
//! speed.

use std::sync::Arc;
use std::time::Instant;

use agents::contract::{self, Claim, Report, Terms};
use agents::{AgentChoice, AgentError, AgentSpec, Clock, Cost, Registry};
use clap::value_parser;
use evaluation::speed::{Measured, measure};
use game::GameDef;
use matches::bot::Bot;
use matches::games::load_game;
use protocol::acpc::gamedef::Reading;
use serde_json::json;
use show::{Table, number};

use crate::config::units::Time;
use crate::exit::Failure;
use crate::interrupt::Aborting;
use crate::output::{Output, Shown};
use crate::progress::Progress;
use crate::resolve_names::{Game, Named};

/// List, describe, check and measure agents.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List every kind of agent and the agents in the configuration
    List(ListArgs),
    /// Describe a kind of agent, or an agent from the configuration, with its options
    Describe(DescribeArgs),
    /// Check that agents play legally, in time and repeatably
    ///
    /// Each agent plays itself and random players, several times with the same seeds. Its actions
    /// must be legal and in time, its strategies valid probabilities, and its decisions the same
    /// for the same seed. A program that exceeds the deadline or exits is not asked again in that
    /// game. Exit codes: 0 when all agents pass, 3 when an agent cannot be started, 5 when one
    /// fails, 130 when interrupted.
    Verify(VerifyArgs),
    /// Measure decisions per second, thinking times and memory; each agent plays itself
    Bench(BenchArgs),
}

#[derive(clap::Args)]
struct ListArgs {
    #[command(flatten)]
    named: Named,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct DescribeArgs {
    /// A kind of agent, or a name from the configuration
    name: String,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(clap::Args)]
struct VerifyArgs {
    /// The agents [default: every kind that needs no option, and those in the configuration]
    names: Vec<String>,
    #[command(flatten)]
    list: ListArgs,
    /// A game to play; may be given several times [default: hold'em limit and no-limit for 2 to 6
    /// players, Kuhn and Leduc]
    #[arg(long, value_name = "GAME")]
    game: Vec<String>,
    /// Hands per block
    #[arg(long, value_name = "N", default_value_t = 200,
        value_parser = value_parser!(u32).range(1..))]
    hands: u32,
    /// Seed for cards and decisions
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Time limit per decision, for agents that decide in their own thread, such as programs
    /// (`worker` in `agents list`)
    #[arg(long, value_name = "TIME", default_value = "10s")]
    deadline: Time,
}

#[derive(clap::Args)]
struct BenchArgs {
    /// The agents [default: every kind that needs no option, and those in the configuration]
    names: Vec<String>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    game: Game,
    /// How long each agent plays
    #[arg(long, value_name = "TIME", default_value = "2s")]
    time: Time,
    /// Seed for cards and decisions
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// The games that `verify` checks an agent in unless `--game` names others.
const GAMES: [&str; 6] = [
    "holdem.nolimit.2p.reverse_blinds",
    "holdem.limit.2p.reverse_blinds",
    "holdem.limit.3p",
    "holdem.nolimit.6p",
    "kuhn.limit.2p",
    "leduc.limit.2p",
];

/// Runs the command.
pub fn run(args: Args) -> Result<Output, Failure> {
    match args.what {
        What::List(args) => Output::of(&List(args.named.registry()?), args.json),
        What::Describe(args) => describe(&args),
        What::Verify(args) => verify(&args),
        What::Bench(args) => bench(&args),
    }
}

/// The kinds of agents, and the agents in the configuration.
struct List(Registry);

impl Shown for List {
    fn text(&self) -> String {
        let List(registry) = self;
        let mut table = Table::new(["AGENT", "COST", "WHAT IT DOES"]);
        for spec in registry.kinds() {
            table.row([named(spec), cost(spec.cost).to_owned(), spec.summary.to_owned()]);
        }
        for (name, config) in registry.defined() {
            let spec = registry.kinds().iter().find(|spec| spec.kind == config.kind);
            let what = spec.map_or("", |spec| spec.summary);
            let cost = spec.map_or("", |spec| cost(spec.cost));
            table.row([
                name.to_owned(),
                cost.to_owned(),
                format!("{} (configured): {what}", config.kind),
            ]);
        }
        format!("{table}\n")
    }

    fn document(&self) -> impl serde::Serialize {
        let kinds: Vec<_> = self.0.kinds().iter().map(kind_json).collect();
        let one = |(name, config)| json!({ "name": name, "agent": config });
        let defined: Vec<_> = self.0.defined().map(one).collect();
        json!({ "schema": "cardroom-agents/1", "kinds": kinds, "configured": defined })
    }
}

/// The kind with its argument, as written on command lines.
fn named(spec: &AgentSpec) -> String {
    match spec.argument {
        Some(argument) => format!("{}:{}", spec.kind, argument.to_uppercase()),
        None => spec.kind.to_owned(),
    }
}

fn cost(cost: Cost) -> &'static str {
    match cost {
        Cost::Inline => "inline",
        Cost::Worker => "worker",
    }
}

fn kind_json(spec: &AgentSpec) -> serde_json::Value {
    json!({
        "kind": spec.kind,
        "summary": spec.summary,
        "example": spec.example,
        "argument": spec.argument,
        "cost": spec.cost,
        "repeatable": spec.repeatable,
        "options": spec.options,
    })
}

fn describe(args: &DescribeArgs) -> Result<Output, Failure> {
    let registry = args.list.named.registry()?;
    let config = registry.defined().find(|(name, _)| *name == args.name).map(|(_, config)| config);
    let kind = config.map_or(args.name.as_str(), |config| config.kind.as_str());
    let Some(spec) = registry.kinds().iter().find(|spec| spec.kind == kind) else {
        // The error lists the known names; an agent with an argument is described by its kind.
        let choice = registry.resolve(&args.name).map_err(Failure::input)?;
        let (spec, about) = (choice.spec(), choice.about());
        let text = description(spec) + &model(about);
        return Output::of(
            &Described { text, document: description_json(spec, about) },
            args.list.json,
        );
    };
    // A kind that needs an option cannot be resolved by its name and has no model to describe.
    let about = registry.resolve(&args.name).map(|choice| choice.about().to_owned());
    let about = about.unwrap_or_default();
    let mut document = description_json(spec, &about);
    document["configured"] = json!(config);
    let mut text = description(spec) + &model(&about);
    if let Some(config) = config {
        text +=
            &format!("\n\n[agents.{}]\nkind = \"{}\"\n{}", args.name, config.kind, config.options);
    }
    Output::of(&Described { text, document }, args.list.json)
}

/// A description of an agent as text and as JSON.
struct Described {
    text: String,
    document: serde_json::Value,
}

impl Shown for Described {
    fn text(&self) -> String {
        format!("{}\n", self.text)
    }

    fn document(&self) -> impl serde::Serialize {
        &self.document
    }
}

/// The description of the model as a paragraph to append; empty if there is none.
fn model(about: &str) -> String {
    if about.is_empty() { String::new() } else { format!("\n\n{about}") }
}

/// The JSON document of a kind and its model.
fn description_json(spec: &AgentSpec, about: &str) -> serde_json::Value {
    let mut document = kind_json(spec);
    document["schema"] = json!("cardroom-agent/1");
    if !about.is_empty() {
        document["model"] = json!(about.lines().collect::<Vec<_>>());
    }
    document
}

fn description(spec: &AgentSpec) -> String {
    let mut text = format!("{}: {}\n\nExample: {}", named(spec), spec.summary, spec.example);
    text += match spec.cost {
        Cost::Inline => "\nCost: inline (decides at once)",
        Cost::Worker => "\nCost: worker (decides on a thread of its own, against a deadline)",
    };
    text += match spec.repeatable {
        true => "\nRepeatable: the same seeds give the same decisions",
        false => "\nNot repeatable: the same seeds may give other decisions",
    };
    if spec.options.is_empty() {
        return text + "\nNo options.";
    }
    let mut table = Table::new(["OPTION", "DEFAULT", "WHAT IT DOES"]);
    for option in spec.options {
        table.row([option.name, option.default, option.help]);
    }
    format!("{text}\n\n{table}")
}

/// The agents of these names; without names, all agents that need no option.
fn chosen(registry: &Registry, names: &[String]) -> Result<Vec<AgentChoice>, Failure> {
    let needs_none =
        |spec: &&AgentSpec| spec.options.iter().all(|option| option.default != "required");
    let kinds = registry.kinds().iter().filter(needs_none).map(|spec| spec.kind.to_owned());
    let defined = registry.defined().map(|(name, _)| name.to_owned());
    let all: Vec<String> =
        if names.is_empty() { kinds.chain(defined).collect() } else { names.to_vec() };
    all.iter().map(|name| registry.resolve(name).map_err(Failure::input)).collect()
}

fn verify(args: &VerifyArgs) -> Result<Output, Failure> {
    let choices = chosen(&args.list.named.registry()?, &args.names)?;
    let names: Vec<&str> = match args.game.as_slice() {
        [] => GAMES.to_vec(),
        given => given.iter().map(String::as_str).collect(),
    };
    let games = names
        .iter()
        .map(|name| Ok((*name, load_game(name, Reading::Strict).map_err(Failure::input)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let (hands, seed, deadline) = (args.hands, args.seed, args.deadline.0);
    if deadline.is_zero() {
        return Err(Failure::usage("--deadline must be longer than 0s"));
    }
    let terms = Terms { hands, seed, deadline, ..Terms::default() };
    let mut reports = Vec::new();
    let _aborting = Aborting::begin()?;
    let hands = |choice: &AgentChoice| contract::hands(choice, terms);
    let all: u64 = choices.iter().map(hands).sum();
    let mut progress = Progress::patient(all * games.len() as u64, "hands", false);
    let mut done = 0;
    for choice in &choices {
        choice.check_models().map_err(Failure::input)?;
        for (game, def) in &games {
            let note = format!("{} at {game}", choice.name());
            let (first, mut played) = (done, 0);
            done += hands(choice);
            progress.show(first, &note);
            // Without `--game`, a trained agent is checked in the games that it was trained for.
            let trained = args.game.is_empty() && !choice.about().is_empty();
            if trained && matches!(Bot::new(choice, def), Err(AgentError::Game { .. })) {
                continue;
            }
            let report = check(choice, def, terms, &mut || {
                played += 1;
                progress.show(first + played, &note);
            })?;
            reports.push((choice.name().to_owned(), (*game).to_owned(), report));
        }
    }
    progress.finish();
    let broken = reports.iter().filter(|(_, _, report)| !report.breaches.is_empty()).count();
    let all = reports.len();
    let end = match broken {
        0 => Ok(()),
        _ => Err(Failure::claim(format!("{broken} of {all} checks of an agent at a game failed"))),
    };
    Ok(Output::of(&Reports(reports), args.list.json)?.then(end))
}

fn check(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    terms: Terms,
    watch: &mut dyn FnMut(),
) -> Result<Report, Failure> {
    let start = Instant::now();
    let clock = Clock::new(move || start.elapsed());
    contract::check_watched(choice, def, terms, &clock, watch).map_err(Failure::input)
}

/// The reports on agents, each with the names of the agent and the game.
struct Reports(Vec<(String, String, Report)>);

impl Shown for Reports {
    fn text(&self) -> String {
        let mut table = Table::new(["AGENT", "GAME", "DECISIONS", "RESULT"]).right(2..3);
        let mut details = String::new();
        for (agent, game, report) in &self.0 {
            let result = match report.breaches.len() {
                0 if report.not_claimed.is_empty() => "holds".to_owned(),
                0 => "holds; not repeatable".to_owned(),
                count => format!("{count} of {} claims fail", Claim::ALL.len()),
            };
            table.row([agent.clone(), game.clone(), report.decisions.to_string(), result]);
            for (claim, how) in &report.breaches {
                let claim = claim.words();
                details += &format!("\n{agent} at {game}: not true that it {claim}: {how}");
            }
        }
        format!("{table}{details}\n")
    }

    fn document(&self) -> impl serde::Serialize {
        let one = |(agent, game, report): &(String, String, Report)| {
            let breaches = report.breaches.iter();
            let breaches: Vec<_> =
                breaches.map(|(claim, how)| json!({ "claim": claim, "how": how })).collect();
            json!({
                "agent": agent,
                "game": game,
                "decisions": report.decisions,
                "holds": breaches.is_empty(),
                "breaches": breaches,
                "not_claimed": report.not_claimed,
            })
        };
        let reports: Vec<_> = self.0.iter().map(one).collect();
        json!({ "schema": "cardroom-agents-verify/1", "reports": reports })
    }
}

fn bench(args: &BenchArgs) -> Result<Output, Failure> {
    let choices = chosen(&args.list.named.registry()?, &args.names)?;
    let def = args.game.load()?;
    let _aborting = Aborting::begin()?;
    let measured = choices
        .iter()
        .map(|choice| {
            let result = measure(choice, &def, args.time.0, args.seed);
            Ok((choice.name().to_owned(), result.map_err(Failure::input)?))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Output::of(&Speeds(measured), args.list.json)
}

/// The measured speeds, each with the agent's name.
struct Speeds(Vec<(String, Measured)>);

impl Shown for Speeds {
    fn text(&self) -> String {
        let header =
            ["AGENT", "DECISIONS", "PER SECOND", "P50", "P99", "LONGEST", "MEMORY", "TOTAL MEMORY"];
        let mut table = Table::new(header).right(1..);
        for (agent, measured) in &self.0 {
            table.row([
                agent.clone(),
                measured.decisions.to_string(),
                format!("{:.0}", measured.per_second),
                time(measured.p50_us),
                time(measured.p99_us),
                time(measured.max_us),
                memory(measured.memory_growth),
                memory(measured.memory),
            ]);
        }
        format!("{table}\n")
    }

    fn document(&self) -> impl serde::Serialize {
        let agents: Vec<_> = self
            .0
            .iter()
            .map(|(agent, measured)| json!({ "agent": agent, "measured": measured }))
            .collect();
        json!({ "schema": "cardroom-agents-bench/1", "agents": agents })
    }
}

fn time(microseconds: f64) -> String {
    number::duration((microseconds.max(0.0) * 1e3).round() as u64)
}

fn memory(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "unknown".into(), |bytes| format!("{:.1} MiB", bytes as f64 / 1048576.0))
}
