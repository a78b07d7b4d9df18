//! `cardroom merge`: joins the parts of a match.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use logs::ledger;
use serde_json::json;

use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::report;

/// Join the parts of a match or a tournament that were played with --shard into one.
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
    let names = matches_in(&parts);
    if names.is_empty() {
        matches::folder::merge(&parts, &out).map_err(Failure::input)?;
        return report::show_folder(&out, json);
    }
    std::fs::create_dir_all(&out)
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", out.display())))?;
    for name in &names {
        let parts: Vec<PathBuf> = parts.iter().map(|part| part.join(name)).collect();
        matches::folder::merge(&parts, &out.join(name)).map_err(Failure::input)?;
    }
    Output::of(&Joined { matches: names, out }, json)
}

/// The names of the matches in folders of tournaments; none where the folders are those of matches.
fn matches_in(parts: &[PathBuf]) -> BTreeSet<OsString> {
    let entries = parts.iter().filter_map(|part| std::fs::read_dir(part).ok()).flatten().flatten();
    let matches = entries.filter(|entry| entry.path().join(ledger::FILE_NAME).exists());
    matches.map(|entry| entry.file_name()).collect()
}

/// A tournament put together.
struct Joined {
    matches: BTreeSet<OsString>,
    out: PathBuf,
}

impl Shown for Joined {
    fn text(&self) -> String {
        format!(
            "{} joined in {}; the command of the parts with this folder as --out, and without \
             --shard, shows the table\n",
            if self.matches.len() == 1 {
                "1 match".to_owned()
            } else {
                format!("{} matches", self.matches.len())
            },
            self.out.display(),
        )
    }

    fn document(&self) -> impl serde::Serialize {
        json!({ "schema": "cardroom-merged/1", "folder": self.out, "matches": self.matches.len() })
    }
}
