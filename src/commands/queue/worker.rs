//! `cardroom worker`: takes parts of runs from the queue and runs them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::queue::{LeasedPart, Outcome, Product, Worker, pack};
use show::number::counted;

use super::enqueue::SplitCommand;
use super::runs::part_results;
use super::{ServerArgs, version};
use crate::commands::{Command, perform};
use crate::config;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::progress::say_line;

/// Work on the parts of queued runs until stopped.
///
/// A worker needs only the server: it downloads the files of runs and keeps them in the cache.
/// Start one or more per machine; each works on one part at a time. If a worker is killed, its
/// lease expires and another gets its part. Ctrl-C returns the part.
///
/// Exit codes: 0 when --drain finds nothing left; 3 when all waiting parts are for another version
/// of the program, a file is missing or the credentials are refused; 4 when the server is
/// unreachable for two minutes or full; 130 when stopped.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    server: ServerArgs,
    /// Threads per part [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Stop when every part has its result or has failed for good, also those of other workers
    #[arg(long)]
    drain: bool,
    /// The folder for files of runs
    #[arg(long, value_name = "FOLDER", default_value = "data/queue")]
    cache: PathBuf,
    #[arg(from_global)]
    quiet: bool,
}

/// The message at the first signal.
const GIVING_BACK: &str = "giving the part back; press Ctrl-C again to abort";

/// Runs the command: works until it is stopped, or with `--drain` until the queue is empty.
pub fn run(args: Args) -> Result<Output, Failure> {
    let Args { server, threads, drain, cache, quiet } = args;
    // A part's configuration comes with its run, and is the same on every machine.
    config::ignore_variables();
    let queue = server.connect()?;
    let machine = std::env::var("HOSTNAME").ok().or_else(|| {
        std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned())
    });
    let name = format!("{}-{}", machine.as_deref().unwrap_or("worker"), std::process::id());
    let mut worker = Worker::new(&queue, &version(), &name, &cache)?;
    let stop = interrupt::listen(GIVING_BACK)?;
    let home =
        std::env::current_dir().map_err(|error| Failure::input(anyhow::Error::new(error)))?;
    if !quiet {
        say_line(&format!("{} waits for parts", worker.state().name));
    }
    let mut done = 0;
    loop {
        let begun = Instant::now();
        let mut work = |part: &LeasedPart| work(part, threads);
        let next = worker.next(drain, &|| stop.asked(), &mut work);
        // The part's command changed the working directory and listened for Ctrl-C in place of this
        // loop.
        let back = std::env::set_current_dir(&home);
        interrupt::listen_again(&stop, GIVING_BACK)?;
        back.map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", home.display())))?;
        let Some((id, part, outcome)) = next? else { break };
        let what = match outcome {
            Outcome::Done(_) => {
                done += 1;
                format!("done in {:.1} s", begun.elapsed().as_secs_f64())
            }
            Outcome::Failed(why) => format!("failed: {why}"),
            Outcome::Stopped => "given back".to_owned(),
        };
        if !quiet {
            say_line(&format!("part {part} of run {id}: {what}"));
        }
    }
    let parts = counted(done, "part");
    if stop.asked() {
        return Err(interrupt::stopped(&format!("stopped after {parts}")));
    }
    Ok(Output::from(format!("{parts} done; nothing is left\n")))
}

/// Runs one part.
fn work(part: &LeasedPart, threads: Option<u16>) -> Outcome {
    let watch = Watch::start(Arc::clone(&part.cancelled));
    let done = catch_unwind(AssertUnwindSafe(|| perform_part(part, threads)));
    drop(watch);
    match done {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(failure)) if failure.is_interruption() => Outcome::Stopped,
        Ok(Err(failure)) => Outcome::Failed(failure.to_string()),
        Err(_) => {
            Outcome::Failed("the program panicked; its worker's stderr says where".to_owned())
        }
    }
}

fn perform_part(part: &LeasedPart, threads: Option<u16>) -> Result<Outcome, Failure> {
    let split = SplitCommand::find(&part.run.command)?;
    let of = (part.part, part.run.parts);
    let words = split.part(&part.run.command, of, threads, &part.out);
    std::env::set_current_dir(&part.folder).map_err(::queue::Error::io(&part.folder))?;
    let result = perform(Command::parse(&words)?)?.whole()?;
    let packed = part.out.with_extension("tar.gz");
    pack(&part.out, |file| split.keeps(file), &packed)?;
    let (hands, table) = part_results(&result);
    Ok(Outcome::Done(Product { file: Some(packed), hands, table }))
}

/// A thread that asks the running command to stop when its run is cancelled; dropping the value
/// ends it.
struct Watch(Arc<AtomicBool>);

impl Watch {
    fn start(cancelled: Arc<AtomicBool>) -> Watch {
        let over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&over);
        let watch = move || {
            while !ended.load(Ordering::SeqCst) {
                if cancelled.load(Ordering::SeqCst) {
                    interrupt::ask();
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        };
        // If no thread can be started, a cancelled part runs to its end and its result is
        // discarded.
        let _ = std::thread::Builder::new().name("cancelled".into()).spawn(watch);
        Watch(over)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
