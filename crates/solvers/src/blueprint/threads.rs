//! Parallel execution of numbered pieces of work.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;

/// Runs the pieces of `range` in order on `threads` threads, and starts none once `stop` is true.
/// Returns the first piece not done, and the results in order.
pub(crate) fn each_block<T: Send>(
    range: Range<u64>,
    threads: usize,
    stop: impl Fn() -> bool + Sync,
    work: impl Fn(u64) -> T + Sync,
) -> (u64, Vec<T>) {
    let next = AtomicU64::new(range.start);
    let worker = || {
        let mut results = Vec::new();
        while !stop() {
            let block = next.fetch_add(1, Relaxed);
            if block >= range.end {
                break;
            }
            results.push((block, work(block)));
        }
        results
    };
    let mut results = if threads < 2 {
        worker()
    } else {
        // The receiver outlives all senders.
        let send = |sender: &SyncSender<_>| _ = sender.send(worker());
        parallel::workers(threads, threads, send, |receiver| receiver.iter().flatten().collect())
    };
    results.sort_unstable_by_key(|(block, _)| *block);
    let end = next.into_inner().min(range.end);
    (end, results.into_iter().map(|(_, result)| result).collect())
}
