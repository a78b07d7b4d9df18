//! The commands, one file each, the command line they are parsed from, and their dispatch.

pub mod agents;
pub mod buckets;
pub mod config;
pub mod confine;
pub mod dealer;
pub mod doctor;
pub mod equity;
pub mod evaluate;
pub mod explain;
pub mod export;
pub mod features;
pub mod first_steps;
pub mod games;
pub mod import;
pub mod mcp;
pub mod merge;
pub mod play;
pub mod queue;
pub mod replay;
pub mod serve;
pub mod show;
pub mod solve;
pub mod stats;
pub mod study;
pub mod systemd;
pub mod tournament;
pub mod train;

use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::arguments::Everywhere;
use crate::exit::Failure;
use crate::help;
use crate::output::Output;

/// A bot server for computer poker.
#[derive(Parser)]
#[command(name = "cardroom", version, propagate_version = true)]
pub struct Cli {
    #[command(flatten)]
    everywhere: Everywhere,
    #[command(subcommand)]
    command: Command,
}

/// The commands, in the order of the help text.
#[derive(Subcommand)]
pub enum Command {
    Serve(serve::Args),
    Mcp(mcp::Args),
    Init(first_steps::InitArgs),
    Demo(first_steps::DemoArgs),
    Doctor(doctor::Args),
    Match(tournament::MatchArgs),
    Tournament(tournament::TournamentArgs),
    Merge(merge::Args),
    Stats(stats::Args),
    Replay(replay::Args),
    Export(export::Args),
    Import(import::Args),
    Dealer(dealer::Args),
    Play(play::Args),
    Agents(agents::Args),
    Show(show::Args),
    Solve(solve::Args),
    Train(train::Args),
    Evaluate(evaluate::Args),
    Explain(explain::Args),
    Study(study::Args),
    Enqueue(queue::enqueue::Args),
    Worker(queue::worker::Args),
    Runs(queue::runs::Args),
    Config(config::Args),
    #[command(hide = true)]
    Bench(games::BenchArgs),
    #[command(hide = true)]
    Confine(confine::Args),
    #[command(hide = true)]
    Systemd(systemd::Args),
    #[command(hide = true)]
    Completions(help::CompletionsArgs),
    #[command(hide = true)]
    Man(help::ManArgs),
}

/// The commands that print no document.
const WITHOUT_DOCUMENT: &[&str] = &[
    "serve",
    "mcp",
    "init",
    "demo",
    "config check",
    "dealer",
    "export",
    "agents package acpc",
    "train cfr",
    "solve endgame play",
    "solve upi",
    "explain tree",
    "explain playbook",
    "worker",
    "confine",
    "systemd",
    "completions",
    "man",
];

impl Command {
    /// The command parsed from these arguments.
    pub fn parse(arguments: &[String]) -> Result<Command, Failure> {
        let words = std::iter::once("cardroom").chain(arguments.iter().map(String::as_str));
        Command::read(&Cli::command().try_get_matches_from(words).map_err(Failure::usage)?)
    }

    /// The command of a parsed command line. A command that prints no document refuses `--json`.
    pub fn read(matches: &ArgMatches) -> Result<Command, Failure> {
        let mut names = Vec::new();
        let mut last = matches;
        while let Some((name, inner)) = last.subcommand() {
            names.push(name);
            last = inner;
        }
        let name = names.join(" ");
        if last.get_flag("json") && WITHOUT_DOCUMENT.contains(&name.as_str()) {
            return Err(Failure::usage(format!(
                "--json: `cardroom {name}` prints no document: leave it out"
            )));
        }
        Ok(Cli::from_arg_matches(matches).map_err(Failure::usage)?.command)
    }
}

/// What a command that plays or measures will do: all that is known before it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    /// The folder that its results are kept in; `None` where they are not kept.
    pub(crate) kept: Option<PathBuf>,
    /// The hands of all its matches; 0 where it plays none.
    pub(crate) hands: u64,
    /// Whether it takes a number of threads.
    pub(crate) threads: bool,
}

impl Command {
    /// Checks a match, a tournament or an evaluation as far as its run does before it begins, with
    /// the same errors; `None` for other commands.
    pub(crate) fn planned(&mut self) -> Option<Result<Planned, Failure>> {
        match self {
            Command::Match(args) => Some(args.planned()),
            Command::Tournament(args) => Some(args.planned()),
            Command::Evaluate(args) => Some(args.planned()),
            _ => None,
        }
    }

    /// The agents that a match, a tournament or an evaluation names.
    pub(crate) fn agents(&self) -> Vec<&str> {
        match self {
            Command::Match(args) => args.agents.iter().map(String::as_str).collect(),
            Command::Tournament(args) => args.agents.iter().map(String::as_str).collect(),
            Command::Evaluate(args) => args.agents(),
            _ => Vec::new(),
        }
    }
}

/// Runs a command.
pub fn perform(command: Command) -> Result<Output, Failure> {
    match command {
        Command::Serve(args) => serve::run(args).map(Output::printed),
        Command::Mcp(args) => mcp::run(args).map(Output::printed),
        Command::Match(args) => tournament::play_match(args),
        Command::Tournament(args) => tournament::play_tournament(args),
        Command::Merge(args) => merge::run(args),
        Command::Stats(args) => stats::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Export(args) => export::run(&args).map(Output::printed),
        Command::Import(args) => import::run(&args),
        Command::Dealer(args) => dealer::run(args).map(Output::printed),
        Command::Play(args) => play::run(args).map(Output::printed),
        Command::Show(args) => show::run(&args),
        Command::Agents(args) => agents::run(args),
        Command::Solve(args) => solve::run(&args),
        Command::Train(args) => train::run(args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Study(args) => study::run(&args),
        Command::Enqueue(args) => queue::enqueue::run(args),
        Command::Worker(args) => queue::worker::run(args),
        Command::Runs(args) => queue::runs::run(args),
        Command::Bench(args) => games::bench(args),
        Command::Config(args) => config::run(args),
        Command::Confine(args) => Err(confine::run(&args)),
        Command::Systemd(args) => systemd::run(args).map(Output::printed),
        Command::Init(args) => first_steps::init(&args),
        Command::Demo(args) => first_steps::demo(&args).map(Output::printed),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => Ok(help::completions(&args)),
        Command::Man(args) => help::man(&args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, WITHOUT_DOCUMENT};

    #[test]
    fn commands_without_a_document_are_commands() {
        let all = Cli::command();
        for name in WITHOUT_DOCUMENT {
            let found =
                name.split(' ').try_fold(&all, |command, word| command.find_subcommand(word));
            assert!(found.is_some(), "{name}");
        }
        all.debug_assert();
    }
}
