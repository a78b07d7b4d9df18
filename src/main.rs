//! The `cardroom` command: reads arguments, runs one command, turns its result into an exit code.

mod commands;
mod exit;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    Dealer(commands::dealer::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            use std::io::Write;
            // Nothing can be done when even stderr is closed.
            let _ = writeln!(std::io::stderr(), "error: {failure}");
            failure.exit_code()
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Dealer(args) => commands::dealer::run(args),
    }
}
