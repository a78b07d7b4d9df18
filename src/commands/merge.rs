//! `cardroom merge`: joins the parts of a match.

use std::path::PathBuf;

use crate::exit::Failure;
use crate::output::Output;
use crate::report;

/// Join the parts of a match that were played with --shard into one.
///
/// The result equals the match played in one piece. Refuses parts of different matches, parts given
/// twice and missing parts, and says which.
#[derive(clap::Args)]
pub struct Args {
    /// The match folders of the parts
    #[arg(value_name = "DIR", required = true, num_args = 1..)]
    parts: Vec<PathBuf>,
    /// The folder to write the whole match to
    #[arg(long, value_name = "DIR", required = true)]
    out: PathBuf,
    /// One JSON document instead of tables
    #[arg(long)]
    json: bool,
}

/// Merges the parts and prints the whole match's report.
pub fn run(args: Args) -> Result<Output, Failure> {
    let Args { parts, out, json } = args;
    matches::folder::merge(&parts, &out).map_err(Failure::input)?;
    report::show_folder(&out, json)
}
