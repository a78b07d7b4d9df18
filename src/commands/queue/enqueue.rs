//! `cardroom enqueue`: puts a run into a queue.

use std::fs;
use std::path::{Component, Path, PathBuf};

use ::queue::{Run, RunFile};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use show::number::{counted, hexadecimal, whole};

use super::split::{self, SplitCommand};
use super::{ServerArgs, version};
use crate::commands::Command;
use crate::config::units::Time;
use crate::exit::Failure;
use crate::output::{Output, Shown};

/// Put a long command into a queue in parts, for workers on any number of machines.
///
/// RUN.toml names a command that has --shard (match, tournament, evaluate, study, train situations,
/// endgame database), and the number of parts:
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
    /// Print one JSON document instead of text
    #[arg(long)]
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
    Output::of(&Shows { put, run }, args.json)
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
    let split = SplitCommand::of(&words)?;
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
    let mut named = split::files(&words, &parsed)?;
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

struct Shows {
    put: ::queue::Enqueued,
    run: Run,
}

impl Shown for Shows {
    fn text(&self) -> String {
        let Shows { put, run } = self;
        let mut text = format!(
            "run {}: {} of {} parts enqueued, {} done before; {} with it\n",
            put.id,
            whole(put.parts.into()),
            whole(run.parts.into()),
            whole(put.done.into()),
            counted(run.files.len() as u64, "file"),
        );
        if put.again > 0 {
            let letters = counted(put.again.into(), "dead letter");
            text += &format!("{letters} among them tried again\n");
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let Shows { put, run } = self;
        json!({
            "schema": "cardroom-enqueued/1",
            "run": put.id,
            "parts": run.parts,
            "put_in": put.parts,
            "done_before": put.done,
            "tried_again": put.again,
            "version": run.version,
            "files": run.files,
        })
    }
}
