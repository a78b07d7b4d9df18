//! Making a database of solved games: shards, threads, progress, and what to say when it is stopped.

use std::path::Path;

use learners::database::{Card, Content, Made, Plan, make};
use logs::Shard;
use matches::stop::Stop;
use show::number::whole;

use crate::exit::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::threads::Threads;

/// The games that are to be made.
pub(crate) struct Part {
    /// Games of all shards.
    pub(crate) games: u64,
    /// Which of them; all without one.
    pub(crate) shard: Option<Shard>,
    pub(crate) seed: u64,
}

impl Part {
    /// Makes them, or goes on making them.
    pub(crate) fn make<C: Content>(
        &self,
        content: C,
        out: &Path,
        threads: &Threads,
        quiet: bool,
    ) -> Result<Card<C>, Failure> {
        let all = self.games;
        let games = match self.shard {
            Some(Shard { index, of }) => {
                let begin =
                    |part: u32| (u128::from(all) * u128::from(part) / u128::from(of)) as u64;
                begin(index - 1)..begin(index)
            }
            None => 0..all,
        };
        if games.is_empty() {
            return Err(Failure::usage("there must be one at least in every shard"));
        }
        let made_by = concat!("cardroom ", env!("CARGO_PKG_VERSION")).to_owned();
        let plan = Plan { content, seed: self.seed, games: games.clone(), made_by };
        let stop = Stop::new();
        let answer = interrupt::listen(&stop)?;
        answer.set("stopping; what is made is kept");
        let pool = threads.pool()?;
        let mut progress = Progress::patient(games.end - games.start, "games", quiet);
        let made = pool.install(|| {
            make(&plan, out, |done| {
                progress.show(done, "");
                !stop.asked()
            })
        });
        progress.finish();
        match made.map_err(Failure::input)? {
            Made::Whole(card) => Ok(card),
            Made::Stopped(done) => Err(Failure::interrupted(format!(
                "stopped after {} games; resume with: {}",
                whole(done),
                interrupt::command_line()
            ))),
        }
    }
}
