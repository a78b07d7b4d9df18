//! Items handed to threads one by one; what comes of each goes to the thread that asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use matches::stop::Stop;

/// How often the thread that asked hears of nothing, so that it can show how things stand.
pub(crate) const SHOWN: Duration = Duration::from_millis(100);

/// Results that wait to be taken, at most.
const WAITING: usize = 64;

/// Has `work` done for the items, in their order, on so many threads, until all are done or it is
/// to stop. Each result goes to `done` as it comes in, and `None` when for [`SHOWN`] nothing has.
///
/// # Errors
/// The first one of `work` or `done`; items in progress are finished, further ones not begun.
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
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (work, next, sender) = (&work, &next, sender.clone());
            scope.spawn(move || take(items, next, stop, work, &sender));
        }
        drop(sender);
        let result = collect(&receiver, &mut done);
        // The others need not go on when one has failed, and nobody listens to them any more.
        next.store(items.len(), Ordering::Relaxed);
        drop(receiver);
        result
    })
}

/// One thread's part.
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
        match receiver.recv_timeout(SHOWN) {
            Ok(result) => done(Some(result?))?,
            Err(RecvTimeoutError::Timeout) => done(None)?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
