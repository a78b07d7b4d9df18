//! Work shared out on threads: those of the [`Pool`] that runs the caller, or all processors; or,
//! for work that waits, [`workers`].
//!
//! The threads of pools and their queues are rayon's. Its iterators would be compiled anew for each
//! loop; here they are compiled once, behind `dyn` closures. That is a call and a lock per item, so
//! an item should take a microsecond or more: short ones go in blocks, by `chunks`.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// The number of processors that this program may use; 1 where the system does not say.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Locks a mutex, also after a panic of who held it: what it guards is whole between statements.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The results of all items, in their order. Items can be indices, references, or pieces of slices
/// (`chunks_mut`), several sequences by `zip`. A panic in one is resumed here.
pub fn map<I: Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let slots: Vec<_> = items.into_iter().map(|item| Mutex::new((Some(item), None))).collect();
    each(slots.len(), &|index| {
        let mut slot = lock(&slots[index]);
        slot.1 = slot.0.take().map(&work);
    });
    let results = slots.into_iter().map(|slot| {
        let (_, result) = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        result.expect("every item was worked on")
    });
    results.collect()
}

/// The same as [`map`], with something to work with, such as memory to reuse. `init` makes as many
/// as are in use at a time, so results must not depend on what earlier items left in it.
pub fn map_with<S: Send, I: Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> T + Sync,
) -> Vec<T> {
    let unused = Idle::default();
    map(items, |item| unused.lend(&init, |with| work(with, item)))
}

/// Adds all items up, in any order: the sums of those items that shared one, at most as many as
/// were made at a time. What the sums add up to must not depend on which items share one.
pub fn fold<S: Send, I: Send>(
    items: impl IntoIterator<Item = I>,
    init: impl Fn() -> S + Sync,
    add: impl Fn(&mut S, I) + Sync,
) -> Vec<S> {
    let sums = Idle::default();
    for_each(items, |item| sums.lend(&init, |sum| add(sum, item)));
    sums.0.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` with every item, in any order.
pub fn for_each<I: Send>(items: impl IntoIterator<Item = I>, work: impl Fn(I) + Sync) {
    let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    each(items.len(), &|index| {
        let item = lock(&items[index]).take();
        item.into_iter().for_each(&work);
    });
}

/// The results of both closures, computed at the same time if a thread is free.
pub fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut first, mut second) = (Task::Ahead(first), Task::Ahead(second));
    join_dyn(&mut || first.run(), &mut || second.run());
    (first.result(), second.result())
}

/// The results of both closures: `here` is computed on this thread, and so may use what cannot be
/// sent.
pub fn join_here<A: Send, B>(there: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    let (mut there, mut here) = (Task::Ahead(there), Task::Ahead(here));
    join_here_dyn(&mut || there.run(), &mut || here.run());
    (there.result(), here.result())
}

/// Runs `work` on this many threads of its own, which may wait for each other or for programs, and
/// `receive` on this one, which gets what they send; `capacity` messages may wait for it. A panic
/// in one is resumed here, when all have ended.
pub fn workers<M: Send, T>(
    threads: usize,
    capacity: usize,
    work: impl Fn(&SyncSender<M>) + Sync,
    receive: impl FnOnce(Receiver<M>) -> T,
) -> T {
    let (sender, receiver) = sync_channel(capacity);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (work, sender) = (&work, sender.clone());
            scope.spawn(move || work(&sender));
        }
        drop(sender);
        receive(receiver)
    })
}

/// The number of threads of the current pool.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// A number of threads. Without one, work is done on as many as there are processors.
#[derive(Debug)]
pub struct Pool(rayon::ThreadPool);

impl Pool {
    /// A pool of this many threads.
    ///
    /// # Errors
    /// When the system does not start them.
    pub fn new(threads: usize) -> std::io::Result<Pool> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(Pool).map_err(std::io::Error::other)
    }

    /// The result of work that is shared out on this pool.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let mut task = Task::Ahead(work);
        self.run_dyn(&mut || task.run());
        task.result()
    }

    fn run_dyn(&self, work: &mut (dyn FnMut() + Send)) {
        self.0.install(work);
    }
}

/// The accumulators that no thread uses at the moment.
struct Idle<S>(Mutex<Vec<S>>);

impl<S> Default for Idle<S> {
    fn default() -> Idle<S> {
        Idle(Mutex::default())
    }
}

impl<S> Idle<S> {
    fn lend<T>(&self, init: impl Fn() -> S, work: impl FnOnce(&mut S) -> T) -> T {
        let lock = || lock(&self.0);
        let taken = lock().pop();
        let mut with = taken.unwrap_or_else(init);
        let result = work(&mut with);
        lock().push(with);
        result
    }
}

/// A closure to be called once, then its result.
enum Task<F, T> {
    Ahead(F),
    Running,
    Done(T),
}

impl<F: FnOnce() -> T, T> Task<F, T> {
    fn run(&mut self) {
        if let Task::Ahead(work) = std::mem::replace(self, Task::Running) {
            *self = Task::Done(work());
        }
    }

    fn result(self) -> T {
        match self {
            Task::Done(result) => result,
            Task::Ahead(_) | Task::Running => unreachable!("both were run, or one has panicked"),
        }
    }
}

fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if count <= 1 || threads() == 1 {
        (0..count).for_each(work);
    } else {
        (0..count).into_par_iter().for_each(work);
    }
}

fn join_dyn(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    rayon::join(first, second);
}

fn join_here_dyn(there: &mut (dyn FnMut() + Send), here: &mut dyn FnMut()) {
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| there());
        here();
    });
}
