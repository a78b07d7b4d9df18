//! The number of threads of compute-bound commands.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Once;

use show::number::plural;

use crate::exit::Failure;

/// The option of commands that share their work out.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Threads {
    /// Threads, at most 1024 [default: one per processor; more are not used]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    pub(crate) fn count(&self) -> usize {
        threads(self.threads)
    }

    /// A thread pool of the given size.
    pub(crate) fn pool(&self) -> Result<parallel::Pool, Failure> {
        pool(self.count())
    }
}

/// A thread pool with this many threads.
pub(crate) fn pool(threads: usize) -> Result<parallel::Pool, Failure> {
    parallel::Pool::new(threads)
        .map_err(|error| Failure::input(anyhow::anyhow!("cannot start threads: {error}")))
}

/// The number of threads: one for each processor, unless fewer are asked for. More would only
/// compete for memory, which is reported once.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let asked = asked.map_or(processors, usize::from);
    if asked > processors {
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            let threads = plural(processors as u64, "thread");
            // Nothing can be done when stderr is closed.
            let _ = writeln!(
                std::io::stderr(),
                "running on {processors} {threads}, one for each processor; {asked} would not be \
                 faster"
            );
        });
    }
    asked.min(processors)
}
