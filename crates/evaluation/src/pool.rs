//! A pool of threads for a list of items; the results go to the calling thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use matches::stop::Stop;

/// The interval at which the calling thread is called back without a result, to show progress.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The capacity of the channel for results.
const WAITING: usize = 64;

/// Runs `work` on the items, in their order, on `threads` threads, until all are done or it is
/// stopped. `done` is called with each result as it comes in, and with `None` after
/// [`PROGRESS_INTERVAL`] without one.
///
/// # Errors
/// The first one of `work` or `done`. Items in progress are finished, further ones not begun.
pub(crate) fn each<I, R, E>(
    items: &[I],
    threads: usize,
    stop: &Stop,
    work: impl Fn(&I) -> Result<R, E> + Sync,
    mut done: impl FnMut(Option<R>) -> Result<(), E>,
) -> Result<(), E>
where
    I: Sync,
    R: Send,
    E: Send,
{
    let next = AtomicUsize::new(0);
    let take = |sender: &SyncSender<_>| take(items, &next, stop, &work, sender);
    parallel::workers(threads, WAITING, take, |receiver| {
        let result = collect(&receiver, &mut done);
        // After a failure the other threads need not continue: nobody receives their results.
        next.store(items.len(), Ordering::Relaxed);
        result
    })
}

/// The loop of one thread.
fn take<I, R, E>(
    items: &[I],
    next: &AtomicUsize,
    stop: &Stop,
    work: &impl Fn(&I) -> Result<R, E>,
    sender: &SyncSender<Result<R, E>>,
) {
    while !stop.asked() {
        let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        if sender.send(work(item)).is_err() {
            return;
        }
    }
}

fn collect<R, E>(
    receiver: &Receiver<Result<R, E>>,
    done: &mut impl FnMut(Option<R>) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        match receiver.recv_timeout(PROGRESS_INTERVAL) {
            Ok(result) => done(Some(result?))?,
            Err(RecvTimeoutError::Timeout) => done(None)?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
