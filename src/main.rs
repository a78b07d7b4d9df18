//! The `cardroom` command: reads arguments, runs one command, turns its result into an exit code.

// Nothing of a binary can be reached from outside: `pub` says what a module offers to the others.
#![allow(unreachable_pub)]

mod chart;
mod commands;
mod config;
mod database;
mod exit;
mod help;
mod interrupt;
mod named;
mod notify;
mod odds;
mod playing;
mod progress;
mod report;
mod serve;
mod shell;
mod source;
mod stacks;
mod stop_rules;
mod telemetry;
mod threads;
mod web;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

use exit::Failure;

/// A bot server for computer poker.
#[derive(Parser)]
#[command(name = "cardroom", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands, in the order of the help text.
#[derive(Subcommand)]
enum Command {
    Serve(commands::serve::Args),
    Init(commands::init::Args),
    Demo(commands::demo::Args),
    Doctor(commands::doctor::Args),
    Match(commands::match_::Args),
    Tournament(commands::tournament::Args),
    Merge(commands::merge::Args),
    Stats(commands::stats::Args),
    Replay(commands::replay::Args),
    Export(commands::export::Args),
    Import(commands::import::Args),
    Dealer(commands::dealer::Args),
    Play(commands::play::Args),
    Package(commands::package::Args),
    Agents(commands::agents::Args),
    Games(commands::games::Args),
    Equity(commands::equity::Args),
    Features(commands::features::Args),
    Buckets(commands::buckets::Args),
    Solve(commands::solve::Args),
    Endgame(commands::endgame::Args),
    Train(commands::train::Args),
    Evaluate(commands::evaluate::Args),
    Explain(commands::explain::Args),
    Study(commands::study::Args),
    Bench(commands::bench::Args),
    Config(commands::config::Args),
    Systemd(commands::systemd::Args),
    Completions(commands::completions::Args),
    Man(commands::completions::ManArgs),
}

fn main() -> ExitCode {
    let matches = help::grouped::<Cli>().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // A server says in its log what it waits for.
    if !matches!(cli.command, Command::Serve(_)) {
        matches::waiting::listen(Some(progress::say_waiting));
    }
    let result = run(cli.command);
    // Agents that are deep in thought are not waited for, but nor are their programs left behind.
    matches::program::end_all();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            use std::io::Write;
            // Nothing can be done when even stderr is closed.
            let _ = writeln!(std::io::stderr(), "error: {failure}");
            failure.exit_code()
        }
    }
}

/// Runs a command from within another one.
fn perform(arguments: &[String]) -> Result<(), Failure> {
    let words = std::iter::once("cardroom").chain(arguments.iter().map(String::as_str));
    run(Cli::try_parse_from(words).map_err(Failure::usage)?.command)
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Serve(args) => commands::serve::run(args),
        Command::Match(args) => commands::match_::run(args),
        Command::Tournament(args) => commands::tournament::run(args),
        Command::Merge(args) => commands::merge::run(args),
        Command::Stats(args) => commands::stats::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Dealer(args) => commands::dealer::run(args),
        Command::Play(args) => commands::play::run(args),
        Command::Package(args) => commands::package::run(args),
        Command::Games(args) => commands::games::run(&args),
        Command::Equity(args) => commands::equity::run(&args),
        Command::Features(args) => commands::features::run(&args),
        Command::Agents(args) => commands::agents::run(args),
        Command::Buckets(args) => commands::buckets::run(&args),
        Command::Solve(args) => commands::solve::run(&args),
        Command::Endgame(args) => commands::endgame::run(&args),
        Command::Train(args) => commands::train::run(args),
        Command::Evaluate(args) => commands::evaluate::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Study(args) => commands::study::run(&args, perform),
        Command::Bench(args) => commands::bench::run(args),
        Command::Config(args) => commands::config::run(args),
        Command::Systemd(args) => commands::systemd::run(args),
        Command::Init(args) => commands::init::run(&args),
        Command::Demo(args) => commands::demo::run(&args, perform),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Completions(args) => commands::completions::run(&args, help::grouped::<Cli>()),
        Command::Man(args) => commands::completions::man(&args, help::grouped::<Cli>()),
    }
}
