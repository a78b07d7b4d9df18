//! Counting all deals for the exact fitness of rules, on several threads.

use cards::CardSet;
use matches::stop::Stop;
use solvers::fitness::{ClassCounts, CountError, Counting, Sum};

use crate::best_response::in_buckets::Progress;
use crate::pool;

/// Counts all deals, on so many threads, which do not matter for what is found. `None` when it was
/// asked to stop. `seen` is called about ten times a second.
///
/// # Errors
/// [`CountError`].
pub fn count(
    counting: &Counting<'_>,
    threads: usize,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Option<ClassCounts>, CountError> {
    let flops = Counting::flops();
    let mut progress = Progress { known: 0, needed: flops.len() };
    seen(&progress);
    let mut sum = Sum::default();
    let one = |&(flop, times): &(CardSet, i64)| counting.on(flop).map(|counts| (counts, times));
    pool::each(&flops, threads, stop, one, |counted| {
        if let Some((counts, times)) = counted {
            sum.add(&counts, times)?;
            progress.known += 1;
        }
        seen(&progress);
        Ok::<(), CountError>(())
    })?;
    (progress.known == progress.needed).then(|| sum.finish()).transpose()
}
