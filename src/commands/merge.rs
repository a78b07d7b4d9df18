//! `cardroom merge`: joins the parts of a match, a tournament, a measurement, a study, or a file of
//! solved games.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use evaluation::folder::is_measurement;
use learners::database;
use learners::endgames::database::Deck;
use learners::situations::Situations;
use logs::ledger;
use serde_json::json;
use show::number::counted;

use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::report;
use crate::shell;

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
    /// Print one JSON document instead of tables
    #[arg(long)]
    json: bool,
}

/// Runs the command: merges the parts and prints the report of a match, or where the result is.
pub fn run(args: Args) -> Result<Output, Failure> {
    let Args { parts, out, json } = args;
    if let Some(file) = parts.iter().find(|part| part.is_file()) {
        if database::is::<Situations>(file) {
            database::merge::<Situations>(&parts, &out).map_err(Failure::input)?;
        } else {
            database::merge::<Deck>(&parts, &out).map_err(Failure::input)?;
        }
        return Output::of(&Joined { matches: None, parts: parts.len(), out }, json);
    }
    if parts.iter().any(|part| is_measurement(part)) {
        evaluation::folder::merge(&parts, &out).map_err(Failure::input)?;
        return Output::of(&Joined { matches: None, parts: parts.len(), out }, json);
    }
    if parts.iter().any(|part| studies::record::is_study(part)) {
        studies::record::merge(&parts, &out).map_err(Failure::input)?;
        return Output::of(&Joined { matches: None, parts: parts.len(), out }, json);
    }
    let names = matches_in(&parts);
    if names.is_empty() {
        matches::folder::merge(&parts, &out).map_err(Failure::input)?;
        return report::show_folder(&out, json);
    }
    std::fs::create_dir_all(&out)
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", out.display())))?;
    let count = parts.len();
    for name in &names {
        let parts: Vec<PathBuf> = parts.iter().map(|part| part.join(name)).collect();
        matches::folder::merge(&parts, &out.join(name)).map_err(Failure::input)?;
    }
    Output::of(&Joined { matches: Some(names), parts: count, out }, json)
}

/// The names of the matches in folders of tournaments; empty if the folders are those of matches.
fn matches_in(parts: &[PathBuf]) -> BTreeSet<OsString> {
    let entries = parts.iter().filter_map(|part| std::fs::read_dir(part).ok()).flatten().flatten();
    let matches = entries.filter(|entry| entry.path().join(ledger::FILE_NAME).exists());
    matches.map(|entry| entry.file_name()).collect()
}

/// Parts that were merged; the command that made them shows the whole.
struct Joined {
    /// The names of a tournament's matches; `None` for others.
    matches: Option<BTreeSet<OsString>>,
    parts: usize,
    out: PathBuf,
}

impl Shown for Joined {
    fn text(&self) -> String {
        let what = match self.matches.as_ref().map(BTreeSet::len) {
            Some(1) => "1 match".to_owned(),
            Some(matches) => format!("{matches} matches"),
            None => counted(self.parts as u64, "part"),
        };
        let out = shell::path(&self.out);
        let shown = if self.out.is_file() {
            ""
        } else {
            "; the command of the parts with this folder as --out, and without --shard, shows the \
             whole"
        };
        format!("{what} joined in {out}{shown}\n")
    }

    fn document(&self) -> impl serde::Serialize {
        let mut document = json!({
            "schema": "cardroom-merged/1", "folder": self.out, "parts": self.parts
        });
        if let Some(matches) = &self.matches {
            document["matches"] = json!(matches.len());
        }
        document
    }
}
