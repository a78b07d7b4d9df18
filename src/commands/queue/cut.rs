//! The commands that can be cut into parts: how a part is made, what of it is kept, and how parts
//! are put together. The contract is the same with and without a server (docs/scale.md).

use std::path::{Path, PathBuf};

use logs::ledger;

use crate::commands::Command;
use crate::exit::Failure;

/// A command that can be cut.
#[derive(Debug)]
pub(super) struct Cut {
    /// Its first words.
    name: &'static [&'static str],
    /// Its option for a number of threads, where it has one.
    threads: Option<&'static str>,
    /// What its parts are, which `merge` joins.
    join: Join,
}

#[derive(Debug, PartialEq, Eq)]
enum Join {
    /// Folders with ledgers, from which all else is made again.
    Ledgers,
    /// Folders, all of which is needed.
    Folders,
    /// Files.
    Files,
}

/// All of them.
const CUTS: [Cut; 6] = [
    Cut { name: &["match"], threads: Some("--jobs"), join: Join::Ledgers },
    Cut { name: &["tournament"], threads: Some("--jobs"), join: Join::Ledgers },
    Cut { name: &["evaluate"], threads: Some("--threads"), join: Join::Folders },
    Cut { name: &["study"], threads: None, join: Join::Folders },
    Cut { name: &["train", "situations"], threads: Some("--threads"), join: Join::Files },
    Cut { name: &["endgame", "database"], threads: Some("--threads"), join: Join::Files },
];

impl Cut {
    /// How this command is cut.
    ///
    /// # Errors
    /// When it cannot be.
    pub(super) fn of(words: &[String]) -> Result<&'static Cut, Failure> {
        let begins = |cut: &&Cut| {
            words.len() >= cut.name.len() && cut.name.iter().zip(words).all(|(a, b)| a == b)
        };
        CUTS.iter().find(begins).ok_or_else(|| {
            let names: Vec<String> = CUTS.iter().map(|cut| cut.name.join(" ")).collect();
            Failure::input(anyhow::anyhow!(
                "`{}` cannot be cut into parts; commands that can: {}",
                words.join(" "),
                names.join(", ")
            ))
        })
    }

    /// The words that make one part of so many; on as many threads as there are processors, unless
    /// it is said on how many.
    pub(super) fn part(
        &self,
        words: &[String],
        (part, of): (u32, u32),
        threads: Option<u16>,
        out: &Path,
    ) -> Vec<String> {
        let mut words = words.to_vec();
        words.extend(["--shard".to_owned(), format!("{part}/{of}"), "--quiet".to_owned()]);
        words.extend(["--out".to_owned(), out.display().to_string()]);
        if self.join != Join::Files && !words.iter().any(|word| word == "--json") {
            words.push("--json".to_owned());
        }
        if let (Some(option), Some(threads)) = (self.threads, threads) {
            words.extend([option.to_owned(), threads.to_string()]);
        }
        words
    }

    /// Whether a file of this name belongs to a part's result.
    pub(super) fn keeps(&self, file: &str) -> bool {
        self.join != Join::Ledgers || file == ledger::FILE_NAME
    }

    /// The commands, one after the other, that join these parts and show the whole.
    pub(super) fn join(&self, words: &[String], parts: &[PathBuf], out: &Path) -> Vec<Vec<String>> {
        let parts: Vec<String> = parts.iter().map(|part| part.display().to_string()).collect();
        let out = ["--out".to_owned(), out.display().to_string()];
        let mut merge = vec!["merge".to_owned()];
        merge.extend(parts);
        merge.extend(out.clone());
        // The report of a match is that of `merge`, and files have none.
        if self.name == ["match"] || self.join == Join::Files {
            return vec![merge];
        }
        let mut whole = words.to_vec();
        whole.extend(out);
        vec![merge, whole]
    }
}

/// The files that a command needs: those of its agents and its configuration, and those that stand
/// in its words.
///
/// # Errors
/// When the command or its agents cannot be understood.
pub(super) fn files(words: &[String], command: &Command) -> Result<Vec<PathBuf>, Failure> {
    let mut files = match command {
        Command::Match(args) => args.play.files(&args.agents)?,
        Command::Tournament(args) => args.play.files(&args.agents)?,
        Command::Evaluate(args) => args.files()?,
        _ => Vec::new(),
    };
    let apart = |c: char| c.is_whitespace() || ":=,".contains(c);
    let pieces = words.iter().flat_map(|word| word.split(apart).chain([word.as_str()]));
    files.extend(pieces.filter(|piece| Path::new(piece).is_file()).map(PathBuf::from));
    files.sort();
    files.dedup();
    Ok(files)
}
