//! Making a database of solved games: shards, threads, progress, and messages when it is stopped.

use std::path::PathBuf;

use learners::database::{Card, Content, DatabasePlan, MakeOutcome, make, merge};
use runs::Shard;
use show::number::whole;

use crate::arguments::Threads;
use crate::exit::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// Options of commands that make such a database. Options of its content conflict with `merge`.
#[derive(clap::Args)]
pub(crate) struct Making {
    /// The file to make
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Seed for all random draws, at most 2^63 − 1
    #[arg(long, value_name = "SEED", default_value_t = 1, conflicts_with = "merge",
        value_parser = clap::value_parser!(u64).range(..1 << 63))]
    seed: u64,
    /// Only this part, as in 1/4
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    shard: Option<Shard>,
    /// Merge these files, which must be all shards of a database
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    merge: Vec<PathBuf>,
}

impl Making {
    /// Makes `all` games, over all shards, or continues making them, or merges shards.
    pub(crate) fn make<C: Content>(
        &self,
        all: u64,
        content: impl FnOnce() -> Result<C, Failure>,
        threads: &Threads,
        quiet: bool,
    ) -> Result<Card<C>, Failure> {
        if !self.merge.is_empty() {
            return Ok(merge(&self.merge, &self.out)?);
        }
        let content = content()?;
        let games = match self.shard {
            Some(shard) => shard.range(all),
            None => 0..all,
        };
        if games.is_empty() {
            let of = self.shard.map_or(1, |shard| shard.of);
            let reason = if of > 1 { "--shard: every part" } else { "--count" };
            return Err(Failure::usage(format!("{reason} must have at least one")));
        }
        let of = self.shard.filter(|shard| shard.of > 1).map(|_| all);
        let made_by = concat!("cardroom ", env!("CARGO_PKG_VERSION")).to_owned();
        let plan = DatabasePlan { content, seed: self.seed, games: games.clone(), of, made_by };
        let stop = interrupt::listen("stopping; what is done is kept")?;
        let pool = threads.pool()?;
        let mut progress = Progress::patient(games.end - games.start, C::GAMES, quiet);
        let made = pool.run(|| {
            make(&plan, &self.out, |done| {
                progress.show(done, "");
                !stop.asked()
            })
        });
        progress.finish();
        match made? {
            MakeOutcome::Whole(card) => Ok(card),
            MakeOutcome::Stopped(done) => {
                Err(interrupt::stopped(&format!("stopped after {} {}", whole(done), C::GAMES)))
            }
        }
    }
}
