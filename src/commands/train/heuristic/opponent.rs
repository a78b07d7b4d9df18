//! The opponent of rules, and the counts that their exact fitness rests on.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::facts::Texture;
use evaluation::fitness::count;
use game::{GameDef, Street, games};
use learners::heuristic::Judge;
use logs::folder::write_whole;
use matches::stop::Stop;
use solvers::fitness::{ClassCounts, Counting, FactClasses, Fitness, Sampler};
use solvers::subgame::response::{InBuckets, TreeStrategy};

use crate::exit::Failure;
use crate::interrupt;
use crate::named::Named;
use crate::progress::Progress;

/// An agent that plays limit hold'em by buckets.
pub(super) struct Opponent {
    pub(super) def: Arc<GameDef>,
    name: String,
    strategy: Arc<dyn TreeStrategy>,
}

impl Opponent {
    /// Finds it.
    pub(super) fn find(name: &str, named: &Named) -> Result<Opponent, Failure> {
        let def = Arc::new(games::limit_holdem());
        let agent = named.resolve_with_policy(name)?;
        let strategy = agent.tree_strategy(&def).map_err(Failure::input)?;
        let strategy = strategy.filter(|strategy| strategy.in_buckets().is_some());
        let strategy = strategy.ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "`{name}` does not play by buckets: give --opponent `cfr:blueprint=categories`, or a file of \
                 `cardroom train cfr --menu limit` as cfr:blueprint=FILE"
            ))
        })?;
        Ok(Opponent { def, name: name.to_owned(), strategy })
    }

    fn in_buckets(&self) -> InBuckets<'_> {
        self.strategy.in_buckets().expect("looked at when it was found")
    }

    /// Its matches up to a street.
    pub(super) fn sampler<'a>(&'a self, street: Street, classes: &'a FactClasses) -> Sampler<'a> {
        let InBuckets { buckets, strategy, .. } = self.in_buckets();
        let tree = self.strategy.tree();
        Sampler { tree, strategy, buckets, classes, street, flop: None }
    }

    /// Exact fitness against it, from counts that are in a file or are made and kept there.
    pub(super) fn judge(
        &self,
        street: Street,
        classes: &FactClasses,
        table: &Path,
        threads: usize,
        quiet: bool,
    ) -> Result<Judge, Failure> {
        let InBuckets { buckets, strategy, .. } = self.in_buckets();
        let counting = Counting { street, buckets, classes };
        let counts = match File::open(table) {
            Ok(file) => counting.read(BufReader::new(file)).map_err(|error| {
                Failure::input(anyhow::anyhow!(
                    "{}: {error}; or give --table another file, and the deals are counted again",
                    table.display()
                ))
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                made(&counting, table, threads, quiet)?
            }
            Err(error) => return Err(at(table, &error)),
        };
        let fitness = Fitness::new(&counts, self.strategy.tree(), strategy, street);
        let fitness =
            fitness.map_err(|error| Failure::input(anyhow::anyhow!("`{}`: {error}", self.name)))?;
        Ok(Judge::new(fitness, self.def.big_blind()))
    }
}

/// Where counts are kept unless told otherwise.
pub(super) fn kept(street: Street, texture: Texture) -> PathBuf {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let texture: String = texture.to_string().chars().map(plain).collect();
    PathBuf::from(format!("data/fitness/{street}-{texture}.counts"))
}

/// Counts all deals and keeps what is found.
fn made(
    counting: &Counting<'_>,
    table: &Path,
    threads: usize,
    quiet: bool,
) -> Result<ClassCounts, Failure> {
    if let Some(folder) = table.parent() {
        std::fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
    }
    let stop = Stop::new();
    let answer = interrupt::listen(&stop)?;
    answer.set("stopping after the flops in work; press Ctrl-C again to abort");
    let mut progress = Progress::new(Counting::flops().len() as u64, "flops", quiet);
    let counts = count(counting, threads, &stop, &mut |position| {
        progress.show(position.known as u64, "counting all deals, once");
    });
    progress.finish();
    let counts = counts.map_err(Failure::claim)?.ok_or_else(|| {
        Failure::interrupted(format!(
            "stopped before all deals were counted, which is not kept; start again with: {}",
            interrupt::command_line()
        ))
    })?;
    write_whole(table, |to| counting.write(&counts, to)).map_err(|error| at(table, &error))?;
    Ok(counts)
}

/// A file that cannot be read or written.
pub(super) fn at(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
}
