//! `cardroom enqueue`: puts a run into a queue. And the commands that can be split into parts: the
//! command line of a part, the files of its result, and the commands that merge all parts. The
//! contract is the same with and without a server (docs/scale.md).

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use ::queue::{Enqueued, Run, RunFile};
use logs::ledger;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::number::{counted, hexadecimal, whole};

use super::{ServerArgs, version};
use crate::commands::Command;
use crate::config::units::Time;
use crate::exit::Failure;
use crate::output::{Output, Report};

/// Put a long command into a queue in parts, for workers on any number of machines.
///
/// RUN.toml names a command that has --shard (match, tournament, evaluate, study, train situations,
/// solve endgame database), and the number of parts:
///
///   command = "match resolve cfr --hands 1000000 --seed 7"
///   parts = 200
///   files = ["extra.bin"]   # only what the command needs and does not name
///
/// The files of its agents and those it names are uploaded too; they must be below the current
/// folder. A run is never queued twice: enqueueing it again adds what is missing and retries its
/// dead letters. docs/scale.md describes the whole procedure.
///
/// Exit codes: 0; 3 on bad input, refused credentials, or a command that cannot be split; 4 when
/// the server does not answer or is full: the same command then continues.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The file of the run
    #[arg(value_name = "RUN.toml")]
    file: PathBuf,
    #[command(flatten)]
    server: ServerArgs,
    /// How long a worker may be silent before another gets its part, as in 30s; applies to all runs
    /// of this version [default: the last value given, else 30s]
    #[arg(long, value_name = "TIME")]
    lease: Option<Time>,
    #[arg(from_global)]
    json: bool,
}

/// The contents of a run's TOML file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunText {
    command: String,
    parts: u32,
    #[serde(default)]
    files: Vec<PathBuf>,
}

/// Runs the command: enqueues the run of a file.
pub fn run(args: Args) -> Result<Output, Failure> {
    let run = read(&args.file)?;
    let queue = args.server.connect()?;
    let lease = args.lease.map(|time| time.0);
    let put = queue.enqueue(&run, lease, |path| PathBuf::from(path))?;
    let Enqueued { id, parts, again, done } = put;
    let Run { version, files, .. } = run;
    let (put_in, done_before, tried_again) = (parts, done, again);
    let enqueued =
        NewRun { run: id, parts: run.parts, put_in, done_before, tried_again, version, files };
    Output::report(&enqueued, args.json)
}

/// The run described by a file.
fn read(path: &Path) -> Result<Run, Failure> {
    let bad =
        |why: &dyn std::fmt::Display| Failure::input(anyhow::anyhow!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| bad(&error))?;
    let RunText { command, parts, files } = toml::from_str(&text).map_err(|error| bad(&error))?;
    if parts == 0 {
        return Err(bad(&"`parts` must be at least 1"));
    }
    let mut words =
        shlex::split(&command).ok_or_else(|| bad(&"`command` has a quote that is not closed"))?;
    if words.first().is_some_and(|word| word == "cardroom") {
        words.remove(0);
    }
    let split = SplitCommand::find(&words)?;
    // Workers know the file that a variable names here only if the command does.
    if let Some(file) = std::env::var("CARDROOM_CONFIG").ok().filter(|file| !file.is_empty()) {
        let named = [words.clone(), vec!["--config".to_owned(), file]].concat();
        if Command::parse(&named).is_ok() {
            words = named;
        }
    }
    // Check that the command line of a part can be parsed.
    let part = split.part(&words, (1, parts), Some(1), Path::new("part"));
    let parsed = Command::parse(&part).map_err(|error| {
        bad(&format!(
            "`command`: {error}; leave out --shard, --out, --quiet and the number of threads, \
             which are the workers'"
        ))
    })?;
    let mut named = needed_files(&words, &parsed)?;
    named.extend(files);
    named.sort();
    named.dedup();
    let files = named.iter().map(|file| run_file(file).map_err(|why| bad(&why)));
    let files = files.collect::<Result<_, _>>()?;
    Ok(Run { command: words, parts, version: version(), files })
}

/// A file with its path below this folder, its hash and whether it is executable.
fn run_file(file: &Path) -> Result<RunFile, String> {
    let name = file.display();
    let path = file.strip_prefix(".").unwrap_or(file);
    let below = path.components().all(|part| matches!(part, Component::Normal(_)));
    let path = path.to_str().filter(|_| below).ok_or_else(|| {
        format!("{name} is not below this folder: name it by a path in it, or go to another folder")
    })?;
    let bytes = fs::read(file).map_err(|error| format!("{name}: {error}"))?;
    #[cfg(unix)]
    let executable = {
        use std::os::unix::fs::PermissionsExt;
        let metadata = fs::metadata(file).map_err(|error| format!("{name}: {error}"))?;
        metadata.permissions().mode() & 0o100 != 0
    };
    #[cfg(not(unix))]
    let executable = false;
    let sha256 = hexadecimal(&Sha256::digest(&bytes));
    Ok(RunFile { path: path.to_owned(), sha256, executable })
}

/// A run that is in the queue now.
#[derive(Serialize)]
struct NewRun {
    run: String,
    parts: u32,
    /// Parts enqueued now.
    put_in: u32,
    /// Parts that were done already.
    done_before: u32,
    /// Dead letters among the parts enqueued now.
    tried_again: u32,
    version: String,
    files: Vec<RunFile>,
}

impl Report for NewRun {
    const SCHEMA: &'static str = "cardroom-enqueued/1";
}

impl fmt::Display for NewRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "run {}: {} of {} parts enqueued, {} done before; {} with it",
            self.run,
            whole(self.put_in.into()),
            whole(self.parts.into()),
            whole(self.done_before.into()),
            counted(self.files.len() as u64, "file"),
        )?;
        if self.tried_again > 0 {
            let letters = counted(self.tried_again.into(), "dead letter");
            writeln!(f, "{letters} among them tried again")?;
        }
        Ok(())
    }
}

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
    SplitCommand { name: &["match"], threads: Some("--threads"), join: Join::Ledgers },
    SplitCommand { name: &["tournament"], threads: Some("--threads"), join: Join::Ledgers },
    SplitCommand { name: &["evaluate"], threads: Some("--threads"), join: Join::Folders },
    SplitCommand { name: &["study"], threads: None, join: Join::Folders },
    SplitCommand { name: &["train", "situations"], threads: Some("--threads"), join: Join::Files },
    SplitCommand {
        name: &["solve", "endgame", "database"],
        threads: Some("--threads"),
        join: Join::Files,
    },
];

impl SplitCommand {
    /// The entry for this command.
    ///
    /// # Errors
    /// If it cannot be split.
    pub(super) fn find(words: &[String]) -> Result<&'static SplitCommand, Failure> {
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
fn needed_files(words: &[String], command: &Command) -> Result<Vec<PathBuf>, Failure> {
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
