//! `cardroom agents`: lists and describes the agents, verifies their contract and measures their
//! speed; and `cardroom agents package`: makes a folder that plays an agent without anything else.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use agents::contract::{self, Claim, Terms};
use agents::{AgentChoice, AgentConfig, AgentSpec, Clock, Cost, Registry, Strength};
use clap::value_parser;
use evaluation::speed::{Measured, measure};
use game::GameDef;
use matches::bot::Bot;
use matches::games::load_game;
use protocol::acpc::gamedef::Reading;
use serde::Serialize;
use show::number::{fixed, signed};
use show::{Table, number};
use wire::package_acpc::{self, Entry};

use crate::config::units::Time;
use crate::exit::Failure;
use crate::interrupt::Aborting;
use crate::output::{Output, Report, print};
use crate::progress::Progress;
use crate::resolve_names::{Game, Named, this_program};

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
    Package(PackageArgs),
}

#[derive(clap::Args)]
struct ListArgs {
    #[command(flatten)]
    named: Named,
    #[arg(from_global)]
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
        What::List(args) => list(&args),
        What::Describe(args) => describe(&args),
        What::Verify(args) => verify(&args),
        What::Bench(args) => bench(&args),
        What::Package(args) => package(args).map(Output::printed),
    }
}

/// The kinds of agents, the strongest first, and the agents in the configuration.
#[derive(Serialize)]
struct AgentList<'a> {
    kinds: Vec<Kind<'a>>,
    configured: Vec<ConfiguredAgent<'a>>,
}

#[derive(Serialize)]
struct Kind<'a> {
    #[serde(flatten)]
    spec: &'a AgentSpec,
    /// What it wins from `cfr`; null for kinds whose strength depends on their options.
    against_cfr: Option<Strength>,
}

#[derive(Serialize)]
struct ConfiguredAgent<'a> {
    name: &'a str,
    agent: &'a AgentConfig,
}

impl Report for AgentList<'_> {
    const SCHEMA: &'static str = "cardroom-agents/1";
}

impl fmt::Display for AgentList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["AGENT", "AGAINST CFR", "COST", "WHAT IT DOES"]);
        for &Kind { spec, against_cfr } in &self.kinds {
            let wins = match against_cfr {
                Some(Strength { mbb, plus_minus: 0.0 }) => signed(mbb, 0),
                Some(Strength { mbb, plus_minus }) => {
                    format!("{} ± {}", signed(mbb, 0), fixed(plus_minus, 0))
                }
                None => String::new(),
            };
            let summary = spec.summary.to_owned();
            table.row([named(spec), wins, cost(spec.cost).to_owned(), summary]);
        }
        for ConfiguredAgent { name, agent: AgentConfig { kind, .. } } in &self.configured {
            let spec = self.kinds.iter().map(|kind| kind.spec).find(|spec| spec.kind == kind);
            let what = spec.map_or("", |spec| spec.summary);
            let cost = spec.map_or("", |spec| cost(spec.cost));
            let what = format!("{kind} (configured): {what}");
            table.row([(*name).to_owned(), String::new(), cost.to_owned(), what]);
        }
        writeln!(
            f,
            "{table}\n\nAgainst cfr: thousandths of a big blind per hand that the agent as it is \
             wins from it at\nheads-up no-limit hold'em with 200 big blinds, with 95 % intervals; \
             docs/strength.md has the\ncommands. Kinds without a figure play what their options \
             say."
        )
    }
}

fn list(args: &ListArgs) -> Result<Output, Failure> {
    let registry = args.named.registry()?;
    let configured = registry.defined().map(|(name, agent)| ConfiguredAgent { name, agent });
    let kinds = registry.kinds_by_strength().into_iter();
    let kinds = kinds.map(|spec| Kind { spec, against_cfr: spec.strength() }).collect();
    let list = AgentList { kinds, configured: configured.collect() };
    Output::report(&list, args.json)
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

/// A description of an agent.
#[derive(Serialize)]
struct Description<'a> {
    #[serde(flatten)]
    spec: &'a AgentSpec,
    /// The description of the model, by lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    model: Vec<&'a str>,
    /// The name in the configuration, for a kind or a configured agent; null for a kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    configured: Option<Option<&'a AgentConfig>>,
    #[serde(skip)]
    name: &'a str,
}

impl Report for Description<'_> {
    const SCHEMA: &'static str = "cardroom-agent/1";
}

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&description(self.spec))?;
        if !self.model.is_empty() {
            write!(f, "\n\n{}", self.model.join("\n"))?;
        }
        if let Some(Some(AgentConfig { kind, options, .. })) = self.configured {
            write!(f, "\n\n[agents.{}]\nkind = \"{kind}\"\n{options}", self.name)?;
        }
        writeln!(f)
    }
}

fn describe(args: &DescribeArgs) -> Result<Output, Failure> {
    let registry = args.list.named.registry()?;
    let config = registry.defined().find(|(name, _)| *name == args.name).map(|(_, config)| config);
    let kind = config.map_or(args.name.as_str(), |config| config.kind.as_str());
    let (choice, spec, configured) = match registry.kinds().iter().find(|spec| spec.kind == kind) {
        // A kind that needs an option cannot be resolved by its name and has no model to describe.
        Some(spec) => (registry.resolve(&args.name).ok(), *spec, Some(config)),
        // The error lists the known names; an agent with an argument is described by its kind.
        None => {
            let choice = registry.resolve(&args.name)?;
            let spec = *choice.spec();
            (Some(choice), spec, None)
        }
    };
    let about = choice.as_ref().map_or("", |choice| choice.about());
    let description =
        Description { spec: &spec, model: about.lines().collect(), configured, name: &args.name };
    Output::report(&description, args.list.json)
}

fn description(spec: &AgentSpec) -> String {
    let mut text = format!("{}: {}\n\nExample: {}", named(spec), spec.summary, spec.example);
    text += match spec.cost {
        Cost::Inline => "\nCost: inline (decides at once)",
        Cost::Worker => "\nCost: worker (decides on a thread of its own, against a deadline)",
    };
    text += if spec.repeatable {
        "\nRepeatable: the same seeds give the same decisions"
    } else {
        "\nNot repeatable: the same seeds may give other decisions"
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
    all.iter().map(|name| Ok(registry.resolve(name)?)).collect()
}

fn verify(args: &VerifyArgs) -> Result<Output, Failure> {
    let choices = chosen(&args.list.named.registry()?, &args.names)?;
    let names: Vec<&str> = match args.game.as_slice() {
        [] => GAMES.to_vec(),
        given => given.iter().map(String::as_str).collect(),
    };
    let games = names
        .iter()
        .map(|name| Ok((*name, load_game(name, Reading::Strict)?)))
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
        choice.check_models()?;
        for (game, def) in &games {
            let note = format!("{} at {game}", choice.name());
            let (first, mut played) = (done, 0);
            done += hands(choice);
            progress.show(first, &note);
            // Without `--game`, a trained agent is checked in the games that it was trained for.
            let trained = args.game.is_empty() && !choice.about().is_empty();
            if trained && Bot::new(choice, def).is_err_and(|error| error.is_game()) {
                continue;
            }
            let report = check(choice, def, terms, &mut || {
                played += 1;
                progress.show(first + played, &note);
            })?;
            reports.push(AgentCheck::new(choice.name(), game, report));
        }
    }
    progress.finish();
    let broken = reports.iter().filter(|report| !report.holds).count();
    let all = reports.len();
    let end = match broken {
        0 => Ok(()),
        _ => Err(Failure::claim(format!("{broken} of {all} checks of an agent at a game failed"))),
    };
    Ok(Output::report(&Checks { reports }, args.list.json)?.then(end))
}

fn check(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    terms: Terms,
    watch: &mut dyn FnMut(),
) -> Result<contract::Report, Failure> {
    let start = Instant::now();
    let clock = Clock::new(move || start.elapsed());
    Ok(contract::check_watched(choice, def, terms, &clock, watch)?)
}

/// The checks of agents at games.
#[derive(Serialize)]
struct Checks {
    reports: Vec<AgentCheck>,
}

/// The check of an agent at a game.
#[derive(Serialize)]
struct AgentCheck {
    agent: String,
    game: String,
    decisions: u64,
    holds: bool,
    breaches: Vec<Breach>,
    not_claimed: Vec<Claim>,
}

#[derive(Serialize)]
struct Breach {
    claim: Claim,
    how: String,
}

impl AgentCheck {
    fn new(agent: &str, game: &str, report: contract::Report) -> AgentCheck {
        let breaches = report.breaches.into_iter();
        AgentCheck {
            agent: agent.to_owned(),
            game: game.to_owned(),
            decisions: report.decisions,
            holds: breaches.len() == 0,
            breaches: breaches.map(|(claim, how)| Breach { claim, how }).collect(),
            not_claimed: report.not_claimed,
        }
    }
}

impl Report for Checks {
    const SCHEMA: &'static str = "cardroom-agents-verify/1";
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["AGENT", "GAME", "DECISIONS", "RESULT"]).right(2..3);
        let mut details = String::new();
        for AgentCheck { agent, game, decisions, breaches, not_claimed, .. } in &self.reports {
            let result = match breaches.len() {
                0 if not_claimed.is_empty() => "holds".to_owned(),
                0 => "holds; not repeatable".to_owned(),
                count => format!("{count} of {} claims fail", Claim::ALL.len()),
            };
            table.row([agent.clone(), game.clone(), decisions.to_string(), result]);
            for Breach { claim, how } in breaches {
                let claim = claim.words();
                details += &format!("\n{agent} at {game}: not true that it {claim}: {how}");
            }
        }
        writeln!(f, "{table}{details}")
    }
}

/// The measured speeds of agents.
#[derive(Serialize)]
struct Speeds {
    agents: Vec<AgentSpeed>,
}

#[derive(Serialize)]
struct AgentSpeed {
    agent: String,
    measured: Measured,
}

fn bench(args: &BenchArgs) -> Result<Output, Failure> {
    let choices = chosen(&args.list.named.registry()?, &args.names)?;
    let def = args.game.load()?;
    let _aborting = Aborting::begin()?;
    let agents = choices.iter().map(|choice| {
        let measured = measure(choice, &def, args.time.0, args.seed)?;
        Ok(AgentSpeed { agent: choice.name().to_owned(), measured })
    });
    let agents = agents.collect::<Result<Vec<_>, Failure>>()?;
    Output::report(&Speeds { agents }, args.list.json)
}

impl Report for Speeds {
    const SCHEMA: &'static str = "cardroom-agents-bench/1";
}

impl fmt::Display for Speeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header =
            ["AGENT", "DECISIONS", "PER SECOND", "P50", "P99", "LONGEST", "MEMORY", "TOTAL MEMORY"];
        let mut table = Table::new(header).right(1..);
        for AgentSpeed { agent, measured } in &self.agents {
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
        writeln!(f, "{table}")
    }
}

fn time(microseconds: f64) -> String {
    number::duration((microseconds.max(0.0) * 1e3).round() as u64)
}

fn memory(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "unknown".into(), |bytes| format!("{:.1} MiB", bytes as f64 / 1048576.0))
}

/// Make a self-contained folder that plays an agent.
#[derive(clap::Args)]
pub struct PackageArgs {
    #[command(subcommand)]
    what: PackageKind,
}

#[derive(clap::Subcommand)]
enum PackageKind {
    Acpc(AcpcArgs),
}

/// Write an entry for an ACPC competition: startme.sh HOST PORT, README, this program, the game,
/// the agent's files.
///
/// The entry is tested at once: matches against random players, started from another folder by
/// absolute and by relative path, with every reply checked against the rules. Exit codes: 0 when
/// the entry works, 3 when it cannot be made, 5 when it exists but fails.
#[derive(clap::Args)]
struct AcpcArgs {
    /// The folder to make; it must be empty or missing
    dir: PathBuf,
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`)
    #[arg(long, value_name = "NAME")]
    agent: String,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    named: Named,
    /// Hands per test match; 0 for no tests
    #[arg(long, value_name = "N", default_value_t = 100)]
    check: u32,
}

/// Runs the command: makes the package and tests it.
fn package(args: PackageArgs) -> Result<(), Failure> {
    let PackageKind::Acpc(args) = args.what;
    let registry = args.named.registry()?;
    let agent = registry.resolve(&args.agent)?;
    let def = args.game.load()?;
    // Fail now, not on the organizers' machine, if the agent cannot play the game.
    let aborting = Aborting::begin()?;
    drop(Bot::new(&agent, &def)?);
    drop(aborting);
    let defined: BTreeMap<_, _> =
        registry.defined().map(|(name, config)| (name.to_owned(), config.clone())).collect();
    let program = this_program()?;
    let entry = Entry { program: &program, agent: &agent, defined: &defined, def: &def };
    package_acpc::write(&entry, &args.dir)?;
    if args.check > 0 {
        package_acpc::check(&args.dir, &def, args.check).map_err(|error| match error {
            error if error.is_failed_entry() => Failure::claim(error),
            error => Failure::input(error),
        })?;
    }
    let tried = match args.check {
        0 => "not tried".to_owned(),
        hands => format!("tried twice over {hands} hands"),
    };
    print(&format!(
        "{}: an entry that plays {}, {tried}; start it with startme.sh HOST PORT\n",
        args.dir.display(),
        agent.name()
    ))
}
