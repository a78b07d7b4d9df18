//! `cardroom evaluate`: the strength of an agent, measured in one of several ways.

use std::fmt;
use std::path::{Path, PathBuf};

use agents::AgentChoice;
use clap::{Subcommand, ValueEnum, value_parser};
use evaluation::Sampled;
use runs::Shard;

use super::Planned;
use crate::arguments::Threads;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::resolve_names::{Game, Named};
use crate::shell;

mod best_response;
mod duel;
mod lbr;
mod matches;
mod panel;

/// Measure the strength of an agent.
///
/// A program (its path, or external:COMMAND) cannot be asked for its strategy: it is measured by
/// `panel`, `exploiters` or `match`. docs/evaluate.md explains the figures and their cost.
///
/// Results are kept in a folder (under data/evaluations unless --out is given). The same command
/// resumes an interrupted run and shows a finished run again; with more --hands it continues,
/// except for exploiters. --shard measures a part of the deals, flops or exploiters; other
/// processes or machines can measure the rest. Ctrl-C finishes the deals or flops in play; a second
/// Ctrl-C aborts.
///
/// Exit codes: 0 when finished, 3 on bad input, such as an agent that cannot be asked for its
/// strategy, 5 when an agent never answered in exploiters or a panel, or as --strict says, 130 when
/// interrupted.
///
/// Examples:
///   cardroom evaluate lbr cfr
///   cardroom evaluate best-response cfr --sees buckets
///   cardroom evaluate duel resolve --against cfr --from river
///   cardroom evaluate exploiters oct --hands 2000
///   cardroom evaluate panel ./bot.py
///   cardroom evaluate panel resolve --compared-with cfr
///   cardroom evaluate match oct --against cfr
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(subcommand)]
    measure: Measure,
}

/// The measure of strength.
#[derive(Subcommand)]
enum Measure {
    Lbr(lbr::Args),
    BestResponse(best_response::Args),
    Duel(duel::Args),
    /// Play duplicate matches against simple bots with one idea each: all-in with the best hands,
    /// overbets
    ///
    /// With more than two players one bot is at a table of copies of the agent.
    Exploiters(matches::ExploitersArgs),
    Panel(panel::Args),
    Match(matches::MatchArgs),
}

/// The options of every measure.
#[derive(clap::Args)]
struct Common {
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`), or the path of a program
    #[arg(value_name = "AGENT")]
    agent: String,
    #[command(flatten)]
    threads: Threads,
    /// Seed for cards and the agent's decisions, at most 2^63 − 1
    #[arg(long, value_name = "SEED", default_value_t = 0,
        value_parser = value_parser!(u64).range(..1 << 63))]
    seed: u64,
    /// Measure only part i of N; join the parts with `cardroom merge`
    #[arg(long, value_name = "i/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    named: Named,
    /// The folder for the results
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Where all hands are valued, instead of those dealt: what is left to chance.
#[derive(clap::Args)]
struct Sampling {
    /// Where all hands are valued: lines of play with less than this share of a spot's weight are
    /// sampled and weighted accordingly; 0 follows every line. From the turn on, 0.05 takes a tenth
    /// of the time [default: 0]
    #[arg(long, value_name = "SHARE")]
    sample_below: Option<f64>,
    /// Where all hands are valued: cards sampled at each deal; their mean counts. 48 or more
    /// follows all cards. Local best response values all hands of both players at each spot,
    /// instead of those dealt, if this is given [default in a duel: 1]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    cards: Option<u32>,
}

impl Sampling {
    fn sampled(&self) -> Result<Sampled, Failure> {
        let below = self.sample_below.unwrap_or(0.0);
        if !(0.0..1.0).contains(&below) {
            return Err(Failure::usage(format!(
                "--sample-below is {below}, but must be from 0 to less than 1"
            )));
        }
        Ok(Sampled { cards: self.cards.unwrap_or(1), below })
    }
}

/// A street, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FromStreet {
    /// Rounds 1 to 4
    Preflop,
    /// Rounds 2 to 4
    Flop,
    /// Rounds 3 and 4
    Turn,
    /// Round 4
    River,
}

impl FromStreet {
    fn street(self) -> game::Street {
        game::Street::ALL[self as usize]
    }
}

/// Runs the command: measures and prints.
pub fn run(args: &Args) -> Result<Output, Failure> {
    match &args.measure {
        Measure::Lbr(args) => lbr::run(args),
        Measure::BestResponse(args) => best_response::run(args),
        Measure::Duel(args) => duel::run(args),
        Measure::Exploiters(args) => matches::run_exploiters(args, false),
        Measure::Panel(args) => panel::run(args),
        Measure::Match(args) => matches::run_match(args),
    }
}

impl Args {
    /// The files that the agents are made from, and the configuration, where there is one.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let agents: Vec<String> = self.agents().into_iter().map(str::to_owned).collect();
        self.common().named.files(&agents)
    }

    /// What will be measured.
    pub(super) fn planned(&self) -> Result<Planned, Failure> {
        match &self.measure {
            Measure::Lbr(args) => lbr::planned(args),
            Measure::BestResponse(args) => best_response::planned(args),
            Measure::Duel(args) => duel::planned(args),
            Measure::Exploiters(args) => matches::planned_exploiters(args, false),
            Measure::Panel(args) => panel::planned(args),
            Measure::Match(args) => matches::planned_match(args),
        }
    }

    fn common(&self) -> &Common {
        match &self.measure {
            Measure::Lbr(args) => &args.common,
            Measure::BestResponse(args) => &args.common,
            Measure::Exploiters(args) => &args.common,
            Measure::Panel(args) => &args.matches.common,
            Measure::Duel(args) => &args.common,
            Measure::Match(args) => &args.common,
        }
    }

    /// The agents that are named.
    pub(super) fn agents(&self) -> Vec<&str> {
        let against = match &self.measure {
            Measure::Lbr(_) | Measure::BestResponse(_) | Measure::Exploiters(_) => None,
            Measure::Panel(args) => args.compared_with.as_ref(),
            Measure::Duel(args) => Some(&args.against),
            Measure::Match(args) => Some(&args.against),
        };
        let third = match &self.measure {
            Measure::Duel(args) => args.compared_with.as_ref(),
            _ => None,
        };
        let agents = [Some(&self.common().agent), against, third].into_iter().flatten();
        agents.map(String::as_str).collect()
    }
}

impl Common {
    /// The agent of this name, which must provide its strategy.
    fn asked(&self, name: &str) -> Result<AgentChoice, Failure> {
        let agent = self.named.resolve(name)?;
        if agent.runs_program() && !agent.has_policy() {
            return Err(Failure::input(anyhow::anyhow!(
                "`{name}` runs a program, which cannot be asked what it would do with other \
                 cards; measure it by matches: `cardroom evaluate panel` (against many simple \
                 players and cfr), `evaluate exploiters`, or `evaluate match --against AGENT`"
            )));
        }
        self.named.resolve_with_policy(name)
    }

    /// The folder for the results of a measurement with this name.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let Some(folder) = &self.out else {
            let data = self.named.load()?.config.server.data;
            return Ok(data.join("evaluations").join(name));
        };
        Ok(folder.clone())
    }

    /// A plan of so many hands whose results are kept under this name.
    fn planned(&self, name: &str, hands: u64) -> Result<Planned, Failure> {
        Ok(Planned { kept: Some(self.folder(name)?), hands, threads: true })
    }

    /// Refuses `--shard` for measurements that cannot be split.
    fn must_be_whole(&self) -> Result<(), Failure> {
        let Some(shard) = self.shard else { return Ok(()) };
        Err(Failure::usage(format!(
            "--shard {shard}: this measurement is one computation and has no parts"
        )))
    }

    /// A note that says where the results are kept, and how parts are joined.
    fn kept_in(&self, folder: &Path) -> String {
        let kept = format!("\nkept in {}\n", shell::path(folder));
        let part = self.shard.map_or_else(String::new, |shard| {
            format!(
                "this is part {shard}: `cardroom merge` joins the parts, and the same command with \
                 the joined folder\nas --out, and without --shard, shows the whole\n"
            )
        });
        kept + &part
    }
}

/// The end of a measurement that was stopped, with the command that resumes it.
fn interrupted(done: impl fmt::Display, all: impl fmt::Display, what: &str) -> Failure {
    interrupt::stopped(&format!("stopped after {done} of {all} {what}"))
}
