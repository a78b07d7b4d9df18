//! The `cardroom` command: parses the arguments, runs one command, returns its exit code.
//!
//! A library, so that it is compiled while the last of those below it still are; the program in
//! `main.rs` only links it.

// Nothing but `main` is visible outside: `pub` marks what a module offers to the others.
#![allow(unreachable_pub)]

mod analysis;
mod arguments;
mod commands;
mod config;
mod database;
mod exit;
mod hand_args;
mod hand_report;
mod hand_words;
mod help;
mod interrupt;
mod match_options;
mod mcp;
mod output;
mod progress;
mod report;
mod resolve_names;
mod river;
mod serve;
mod shell;
mod subgame;
mod telemetry;
mod web;

use std::process::ExitCode;

use commands::{Cli, Command};

/// Runs the command that the process's arguments give.
#[must_use]
pub fn main() -> ExitCode {
    let result = Command::read(&help::grouped::<Cli>().get_matches()).and_then(|command| {
        // A server reports waits and failures in its log.
        if !matches!(command, Command::Serve(_) | Command::Mcp(_)) {
            matches::waiting::listen(progress::say_line);
        }
        commands::perform(command)?.print()
    });
    // Agents that still compute are not waited for, but their programs are killed.
    matches::program::end_all();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            use std::io::Write;
            // Nothing can be done when stderr is closed, too.
            let _ = writeln!(std::io::stderr(), "error: {failure}");
            failure.exit_code()
        }
    }
}
