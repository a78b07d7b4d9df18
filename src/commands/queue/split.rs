//! The commands that can be split into parts: the command line of a part, the files of its result,
//! and the commands that merge all parts. The contract is the same with and without a server
//! (docs/scale.md).

use std::path::{Path, PathBuf};

use logs::ledger;

use crate::commands::Command;
use crate::exit::Failure;

/// A command that can be split.
#[derive(Debug)]
pub(super) struct SplitCommand {
    /// The first words of the command line.
    name: &'static [&'static str],
    /// The option for the number of threads, if there is one.
    threads: Option<&'static str>,
    /// The output of a part, which `merge` joins.
    join: Join,
}

#[derive(Debug, PartialEq, Eq)]
enum Join {
    /// Folders of which only the ledgers are kept; the rest is made from them.
    Ledgers,
    /// Folders that are kept whole.
    Folders,
    /// Single files.
    Files,
}

/// All commands that can be split.
const SPLIT_COMMANDS: [SplitCommand; 6] = [
    SplitCommand { name: &["match"], threads: Some("--jobs"), join: Join::Ledgers },
    SplitCommand { name: &["tournament"], threads: Some("--jobs"), join: Join::Ledgers },
    SplitCommand { name: &["evaluate"], threads: Some("--threads"), join: Join::Folders },
    SplitCommand { name: &["study"], threads: None, join: Join::Folders },
    SplitCommand { name: &["train", "situations"], threads: Some("--threads"), join: Join::Files },
    SplitCommand { name: &["endgame", "database"], threads: Some("--threads"), join: Join::Files },
];

impl SplitCommand {
    /// The entry for this command.
    ///
    /// # Errors
    /// If it cannot be split.
    pub(super) fn of(words: &[String]) -> Result<&'static SplitCommand, Failure> {
        let begins = |split: &&SplitCommand| {
            words.len() >= split.name.len() && split.name.iter().zip(words).all(|(a, b)| a == b)
        };
        SPLIT_COMMANDS.iter().find(begins).ok_or_else(|| {
            let names: Vec<String> =
                SPLIT_COMMANDS.iter().map(|split| split.name.join(" ")).collect();
            Failure::input(anyhow::anyhow!(
                "`{}` cannot be cut into parts; commands that can: {}",
                words.join(" "),
                names.join(", ")
            ))
        })
    }

    /// The command line of one part, `part` of `of`. Without `threads` it uses all processors.
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

    /// Whether a file of this name is kept in a part's result.
    pub(super) fn keeps(&self, file: &str) -> bool {
        self.join != Join::Ledgers || file == ledger::FILE_NAME
    }

    /// The commands that merge these parts and show the whole, in order.
    pub(super) fn join(&self, words: &[String], parts: &[PathBuf], out: &Path) -> Vec<Vec<String>> {
        let parts: Vec<String> = parts.iter().map(|part| part.display().to_string()).collect();
        let out = ["--out".to_owned(), out.display().to_string()];
        let mut merge = vec!["merge".to_owned()];
        merge.extend(parts);
        merge.extend(out.clone());
        // `merge` itself shows the report of a match, and files have no report.
        if self.name == ["match"] || self.join == Join::Files {
            return vec![merge];
        }
        let mut whole = words.to_vec();
        whole.extend(out);
        vec![merge, whole]
    }
}

/// The files that a command needs: those of its agents and its configuration, and those that its
/// words name.
///
/// # Errors
/// If the command or its agents cannot be parsed.
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
