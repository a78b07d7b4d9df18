//! `cardroom solve upi`: the subgame solver as an engine that speaks UPI on standard input and
//! output.

use std::io;

use wire::upi::{Ended, Options, serve};

use crate::arguments::Threads;
use crate::config::units;
use crate::exit::Failure;
use crate::interrupt;

/// Be the engine of scripts that were written for `PioSOLVER`: commands on standard input, answers
/// on standard output.
///
/// Trees are those of `solve subgame`, built from lines of bets. docs/upi.md has the commands and
/// their limits.
///
/// Examples:
///   cardroom solve upi < script.txt
///   printf 'is_ready\nshow_hand_order\n' | cardroom solve upi
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    threads: Threads,
    /// Memory limit for solving
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: units::Size,
}

/// Runs the command until `exit`, the end of the input, or a signal.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let stop = interrupt::listen("stopping after this iteration; press Ctrl-C again to abort")?;
    let options = Options {
        version: env!("CARGO_PKG_VERSION"),
        threads: args.threads.count(),
        memory: args.memory.0,
    };
    match serve(io::stdin(), io::stdout(), options, &stop)? {
        Ended::Done => Ok(()),
        Ended::Stopped => Err(Failure::interrupted(
            "stopped by a signal; what dump_tree wrote is kept, and load_tree goes on from it",
        )),
    }
}
