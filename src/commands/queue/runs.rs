//! `cardroom runs`: shows, cancels and collects the runs of a queue, with the intermediate results
//! of the parts done so far: hands, and the cross table.

use std::fmt;
use std::path::{Path, PathBuf};

use ::queue::{Dead, Done, Queue, RunFile, Status, WorkerState, unpack};
use clap::Subcommand;
use logs::Rate;
use logs::stats::CrossTable;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;
use show::Table;
use show::number::{counted, percent, time_span, whole};

use super::ServerArgs;
use super::enqueue::SplitCommand;
use crate::commands::{Command, perform};
use crate::exit::Failure;
use crate::interrupt::Aborting;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// List the runs in a queue, show or remove one, or fetch its results.
///
/// Examples:
///   cardroom runs --nats nats://HOST:4222 list
///   cardroom runs --nats nats://HOST:4222 show 3f21
///   cardroom runs --nats nats://HOST:4222 collect 3f21 --out whole
///
/// Exit codes: 0; 3 when there is no such run or something is wrong on this side; 4 when the server
/// does not answer, or the run to be collected is not finished.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    server: ServerArgs,
    #[command(subcommand)]
    command: RunsCommand,
}

#[derive(Subcommand)]
enum RunsCommand {
    /// List all runs, with finished parts, dead letters and remaining time, and the workers
    List(ListArgs),
    /// Show one run, with its dead letters and their messages
    Show(RunArgs),
    /// Remove a run with its parts and results, finished or not; its workers stop
    Cancel(RunArgs),
    /// Fetch the results of a finished run and join them as `cardroom merge` does
    Collect(Collect),
}

#[derive(clap::Args)]
struct ListArgs {
    #[arg(from_global)]
    json: bool,
}

#[derive(clap::Args)]
struct RunArgs {
    /// The run: its name, or a unique beginning of it
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    asked: ListArgs,
}

#[derive(clap::Args)]
struct Collect {
    #[command(flatten)]
    of: RunArgs,
    /// The folder or file to make, like --out of the run's command
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Result<Output, Failure> {
    let queue = args.server.connect()?;
    match args.command {
        RunsCommand::List(ListArgs { json }) => Output::report(&Runs::all(&queue)?, json),
        RunsCommand::Show(RunArgs { run, asked: ListArgs { json } }) => {
            let runs = vec![queue.status(&run)?];
            Output::report(&OneRun(Runs { runs, workers: queue.workers()? }), json)
        }
        RunsCommand::Cancel(RunArgs { run, asked: ListArgs { json } }) => {
            let Status { id, run, done, .. } = queue.cancel(&run)?;
            Output::report(&Removed { run: id, parts: run.parts, done: done.len() }, json)
        }
        RunsCommand::Collect(Collect { of, out, quiet }) => collect(&queue, of, &out, quiet),
    }
}

/// Fetches the parts of a run and merges them.
fn collect(queue: &Queue, of: RunArgs, out: &Path, quiet: bool) -> Result<Output, Failure> {
    let RunArgs { run, asked: ListArgs { json } } = of;
    let status = queue.status(&run)?;
    if status.done.len() < status.run.parts as usize {
        return Err(::queue::Error::unfinished(&status).into());
    }
    let lost = queue.put_back_lost(&status)?;
    if lost > 0 {
        return Err(::queue::Error::lost(&status.id, lost).into());
    }
    let split = SplitCommand::find(&status.run.command)?;
    let mut beside = out.as_os_str().to_owned();
    beside.push(".parts");
    let beside = PathBuf::from(beside);
    std::fs::create_dir_all(&beside).map_err(::queue::Error::io(&beside))?;
    let abort = Aborting::begin()?;
    let parts = fetch(queue, &status, &beside, quiet)?;
    drop(abort);
    let mut output = Output::default();
    for mut words in split.join(&status.run.command, &parts, out) {
        if json {
            words.push("--json".to_owned());
        }
        let joined = perform(Command::parse(&words)?)?;
        output = Output::from(joined.whole()?);
    }
    // The merged result has everything that the parts had.
    let _ = std::fs::remove_dir_all(&beside);
    Ok(output)
}

/// Unpacks the parts of a run into this folder; parts already there are not fetched again.
fn fetch(
    queue: &Queue,
    status: &Status,
    folder: &Path,
    quiet: bool,
) -> Result<Vec<PathBuf>, Failure> {
    let mut parts = Vec::new();
    let mut progress = Progress::patient(status.run.parts.into(), "parts fetched", quiet);
    for done in &status.done {
        let path = folder.join(format!("{}-{}", status.id, done.part));
        if let Some(object) = done.object.as_ref().filter(|_| !path.exists()) {
            let packed = path.with_extension("tar.gz");
            queue.fetch(object, &packed)?;
            unpack(&packed, &path)?;
            // The archive is not needed any more.
            let _ = std::fs::remove_file(&packed);
        }
        parts.push(path);
        progress.show(parts.len() as u64, "");
    }
    progress.finish();
    Ok(parts)
}

/// The runs and workers of a queue.
pub(crate) struct Runs {
    pub(crate) runs: Vec<Status>,
    pub(crate) workers: Vec<WorkerState>,
}

impl Runs {
    /// All runs and workers of a queue.
    pub(crate) fn all(queue: &Queue) -> Result<Runs, ::queue::Error> {
        Ok(Runs { runs: queue.runs()?, workers: queue.workers()? })
    }

    /// The number of workers that are working on a run.
    pub(crate) fn at_work(&self, status: &Status) -> usize {
        let on =
            |worker: &&WorkerState| worker.part.as_ref().is_some_and(|(run, _)| *run == status.id);
        self.workers.iter().filter(on).count()
    }

    /// Estimated seconds until a run is done, if the present workers do nothing else; `None` if it
    /// is done, or if there is no estimate.
    pub(crate) fn to_go(&self, status: &Status) -> Option<f64> {
        let able = self.workers.iter().filter(|worker| worker.version == status.run.version);
        (status.left() > 0).then(|| status.seconds_to_go(able.count()))?
    }
}

impl Report for Runs {
    const SCHEMA: &'static str = "cardroom-runs/1";
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header =
            ["run", "parts", "done", "dead", "at work", "hands/s", "s/part", "to go", "command"];
        let mut table = Table::new(header).right(1..=7);
        for status in &self.runs {
            let (done, parts) = (status.done.len() as u64, u64::from(status.run.parts));
            table.row([
                status.id.clone(),
                whole(parts),
                format!("{} ({})", whole(done), percent(done as f64 / parts as f64, 0)),
                whole(status.dead.len() as u64),
                whole(self.at_work(status) as u64),
                status.hands_per_second().map_or_else(String::new, |rate| whole(rate as u64)),
                status.seconds_per_part().map_or_else(String::new, |mean| format!("{mean:.1}")),
                self.to_go(status).map_or_else(String::new, time_span),
                status.run.command.join(" "),
            ]);
        }
        if self.runs.is_empty() {
            writeln!(f, "no runs")?;
        } else {
            writeln!(f, "{table}")?;
        }
        for status in &self.runs {
            for Dead { part, worker, error } in &status.dead {
                writeln!(
                    f,
                    "part {part} of run {} failed for good on {worker}: {error}",
                    status.id
                )?;
            }
        }
        writeln!(f, "{}", counted(self.workers.len() as u64, "worker"))?;
        for WorkerState { name, version, part, done, age } in &self.workers {
            let part = match part {
                Some((run, part)) => format!("part {part} of run {run}"),
                None => "waits".to_owned(),
            };
            let heard = time_span(*age);
            writeln!(
                f,
                "  {name}, version {version}: {part}; {done} done; last heard from {heard} ago"
            )?;
        }
        Ok(())
    }
}

impl Serialize for Runs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let runs = self.runs.iter().map(|status| RunEntry::new(self, status)).collect();
        RunsDocument { runs, workers: &self.workers }.serialize(serializer)
    }
}

/// What `cardroom runs list --json` gives.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RunsDocument<'a> {
    runs: Vec<RunEntry<'a>>,
    /// The workers that are there.
    workers: &'a [WorkerState],
}

/// A command cut into parts, and how far it is.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Run")]
struct RunEntry<'a> {
    /// Its name.
    run: &'a str,
    command: &'a [String],
    version: &'a str,
    files: &'a [RunFile],
    age_seconds: f64,
    parts: u32,
    /// The parts that are done, without their cross tables, which are in the run's.
    done: Vec<Done>,
    dead: &'a [Dead],
    hands: u64,
    hands_per_second: Option<f64>,
    seconds_to_go: Option<f64>,
    /// Who wins how much from whom: a row for each, rates against each.
    crosstable: Option<CrossTable>,
}

impl RunEntry<'_> {
    fn new<'a>(runs: &Runs, status: &'a Status) -> RunEntry<'a> {
        let done = status.done.iter().map(|done| Done { table: None, ..done.clone() });
        RunEntry {
            run: &status.id,
            command: &status.run.command,
            version: &status.run.version,
            files: &status.run.files,
            age_seconds: status.age,
            parts: status.run.parts,
            done: done.collect(),
            dead: &status.dead,
            hands: status.hands(),
            hands_per_second: status.hands_per_second(),
            seconds_to_go: runs.to_go(status),
            crosstable: pooled_table(status),
        }
    }
}

/// A single run, shown with the cross table of the parts done so far.
#[derive(Serialize)]
#[serde(transparent)]
struct OneRun(Runs);

impl Report for OneRun {
    const SCHEMA: &'static str = Runs::SCHEMA;
}

impl fmt::Display for OneRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        for table in self.0.runs.iter().filter_map(pooled_table) {
            write!(f, "\n{table}\n")?;
        }
        Ok(())
    }
}

/// A run that was removed.
#[derive(Serialize)]
struct Removed {
    run: String,
    parts: u32,
    done: usize,
}

impl Report for Removed {
    const SCHEMA: &'static str = "cardroom-run-removed/1";
}

impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Removed { run, parts, done } = self;
        writeln!(f, "run {run} removed: {done} of {parts} parts were done")
    }
}

/// The number of hands and the cross table of a part, from the JSON document of its command.
pub(super) fn part_results(document: &str) -> (u64, Option<Value>) {
    let Ok(document) = serde_json::from_str::<Value>(document) else { return (0, None) };
    let hands = |of: &Value| of["hands"].as_u64().unwrap_or_default();
    let matches = document["matches"].as_array();
    let all = matches.map_or_else(|| hands(&document), |all| all.iter().map(hands).sum());
    let table = document.get("crosstable").cloned();
    (all, table.or_else(|| serde_json::to_value(of_match(&document)?).ok()))
}

/// The cross table of a match between two, from its report.
fn of_match(report: &Value) -> Option<CrossTable> {
    let entrants = report["entrants"].as_array().filter(|entrants| entrants.len() == 2)?;
    let names = entrants.iter().map(|entrant| entrant["name"].as_str().map(str::to_owned));
    let mut table = CrossTable::new(names.collect::<Option<_>>()?);
    let rate = &entrants[0]["rate"];
    let number = |key: &str| rate[key].as_f64();
    let (mbb, error) = (number("mbb")?, number("standard_error")?);
    table.set(
        0,
        1,
        Rate::from_error(mbb, error, rate["hands"].as_u64()?, rate["groups"].as_u64()?),
    );
    Some(table)
}

/// The pooled cross table of the parts done so far; `None` if the command has none.
pub(crate) fn pooled_table(status: &Status) -> Option<CrossTable> {
    let tables = status.done.iter().filter_map(|done| done.table.clone());
    let tables: Vec<CrossTable> =
        tables.map(serde_json::from_value).collect::<Result<_, _>>().ok()?;
    CrossTable::pooled(&tables)
}
