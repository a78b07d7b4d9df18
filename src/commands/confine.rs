//! `cardroom confine`: becomes a program that may do little on this machine. Bots with the option
//! `confined` are started by it; it is not for people.

use std::path::PathBuf;

use matches::confine::Confinement;

use crate::exit::Failure;

/// Become a program that may do little on this machine.
#[derive(clap::Args)]
pub struct Args {
    /// What it may do, in JSON
    #[arg(value_name = "LIMITS")]
    limits: String,
    /// The program and its arguments
    #[arg(value_name = "WORD", required = true, num_args = 1.., last = true)]
    #[arg(allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Becomes the program; returns only if that fails.
pub fn run(args: &Args) -> Failure {
    let confinement: Confinement = match serde_json::from_str(&args.limits) {
        Ok(confinement) => confinement,
        Err(error) => return Failure::usage(format!("LIMITS: {error}")),
    };
    let Some((program, arguments)) = args.words.split_first() else {
        return Failure::usage("no program is named");
    };
    Failure::input(confinement.enter(&PathBuf::from(program), arguments))
}
