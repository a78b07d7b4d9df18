//! `cardroom merge`: joins the parts of a match, a tournament, a measurement, a study, or a file of
//! solved games.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use evaluation::folder::{DEALS, FLOPS, HANDS, MATCHES};
use learners::database;
use learners::situations::Situations;
use logs::ledger;
use readable::endgame::database::Deck;
use runs::{Form, journal};
use serde::Serialize;
use show::number::counted;
use studies::record::STEPS;

use crate::exit::Failure;
use crate::output::{Output, Report};
use crate::report;
use crate::shell;

/// The journals whose parts can be joined.
static JOURNALS: [Form; 5] = [DEALS, HANDS, FLOPS, MATCHES, STEPS];

/// Join parts made with --shard: of a match, tournament, evaluation, study, situations or endgames.
///
/// The result is the same as without --shard. Refuses parts of different runs, duplicate parts and
/// missing parts, and names them.
#[derive(clap::Args)]
pub struct Args {
    /// The folders or files of the parts
    #[arg(value_name = "PART", required = true, num_args = 1..)]
    parts: Vec<PathBuf>,
    /// The folder or file for the result
    #[arg(long, value_name = "PATH", required = true)]
    out: PathBuf,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: merges the parts and prints the report of a match, or where the result is.
pub fn run(args: Args) -> Result<Output, Failure> {
    let Args { parts, out, json } = args;
    let joined = Joined { matches: None, parts: parts.len(), folder: out.clone() };
    if let Some(file) = parts.iter().find(|part| part.is_file()) {
        if database::is::<Situations>(file) {
            database::merge::<Situations>(&parts, &out)?;
        } else {
            database::merge::<Deck>(&parts, &out)?;
        }
        return Output::report(&joined, json);
    }
    if let Some(form) = journal::form_of(&parts, &JOURNALS) {
        journal::merge(&parts, form, &out)?;
        return Output::report(&joined, json);
    }
    let names = matches_in(&parts);
    if names.is_empty() {
        matches::folder::merge(&parts, &out)?;
        return report::show_folder(&out, json);
    }
    std::fs::create_dir_all(&out).map_err(|error| Failure::file(&out, error))?;
    for name in &names {
        let parts: Vec<PathBuf> = parts.iter().map(|part| part.join(name)).collect();
        matches::folder::merge(&parts, &out.join(name))?;
    }
    Output::report(&Joined { matches: Some(names.len()), ..joined }, json)
}

/// The names of the matches in folders of tournaments; empty if the folders are those of matches.
fn matches_in(parts: &[PathBuf]) -> BTreeSet<OsString> {
    let entries = parts.iter().filter_map(|part| std::fs::read_dir(part).ok()).flatten().flatten();
    let matches = entries.filter(|entry| entry.path().join(ledger::FILE_NAME).exists());
    matches.map(|entry| entry.file_name()).collect()
}

/// Parts that were merged; the command that made them shows the whole.
#[derive(Serialize)]
struct Joined {
    /// The number of a tournament's matches; `None` for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<usize>,
    parts: usize,
    folder: PathBuf,
}

impl Report for Joined {
    const SCHEMA: &'static str = "cardroom-merged/1";
}

impl fmt::Display for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.matches {
            Some(1) => "1 match".to_owned(),
            Some(matches) => format!("{matches} matches"),
            None => counted(self.parts as u64, "part"),
        };
        let shown = if self.folder.is_file() {
            ""
        } else {
            "; the command of the parts with this folder as --out, and without --shard, shows the \
             whole"
        };
        writeln!(f, "{what} joined in {}{shown}", shell::path(&self.folder))
    }
}
