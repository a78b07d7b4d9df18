//! Counting all deals, for the exact fitness of rules, on several threads.

use cards::CardSet;
use matches::stop::Stop;
use solvers::fitness::{ClassCounts, CountError, Counting, Sum};

use crate::best_response::in_buckets::Progress;
use crate::pool;

/// Counts all deals, or those of `flops` flops spread over all, on `threads` threads; the result
/// does not depend on their number. `None` when it was stopped. `seen` is called about ten times a
/// second.
///
/// # Errors
/// [`CountError`].
pub fn count(
    counting: &Counting<'_>,
    flops: Option<usize>,
    threads: usize,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Option<ClassCounts>, CountError> {
    let mut kinds = Counting::flops();
    if let Some(few) = flops {
        let every = kinds.len() / few.clamp(1, kinds.len());
        kinds = kinds.into_iter().step_by(every).take(few.max(1)).collect();
    }
    let mut progress = Progress { known: 0, needed: kinds.len() };
    seen(&progress);
    let mut sum = Sum::default();
    let one = |&(flop, times): &(CardSet, i64)| counting.on(flop).map(|counts| (counts, times));
    pool::each(&kinds, threads, stop, one, |counted| {
        if let Some((counts, times)) = counted {
            sum.add(&counts, times)?;
            progress.known += 1;
        }
        seen(&progress);
        Ok::<(), CountError>(())
    })?;
    let counts = || if flops.is_some() { Ok(sum.counts()) } else { sum.finish() };
    (progress.known == progress.needed).then(counts).transpose()
}
