//! Buffers of a traversal, allocated when a thread first needs them and reused.

use std::sync::Mutex;

use super::betting::{Kind, Line};
use super::storage::Unpacked;
use super::terminal::{LANES, Lanes, Real, Sums};
use super::vector::PrefetchQueue;

/// Buffers for one street.
#[derive(Debug)]
pub(crate) struct Workspace<R> {
    /// The weights of the opponent's hands in each slot.
    pub(crate) reach: Vec<R>,
    /// The values of the player's hands at each node of the line.
    pub(crate) values: Vec<R>,
    /// Length of the longest row.
    pub(crate) row: usize,
    /// The opponent's weights at terminal nodes, in lanes: for each group of nodes computed
    /// together, a row and one more entry, which is zero, for hands that the opponent does not
    /// have.
    pub(crate) weights: Vec<Lanes<R>>,
    /// Sums of these weights for each group.
    pub(crate) sums: Vec<Sums<R>>,
    /// The player's winnings at showdowns: one row for each group.
    pub(crate) won: Vec<Lanes<R>>,
    /// The weight that the player's hands meet at the terminal nodes of a group.
    pub(crate) unblocked: Vec<Lanes<R>>,
    /// On the first street: for each deal and block of cards, the sums of the values of the
    /// player's hands.
    pub(crate) sums_of_cards: Vec<R>,
    pub(crate) unpacked: Unpacked,
    /// Memory to prefetch while showdowns are computed.
    pub(crate) prefetch: PrefetchQueue,
}

/// Sizes that determine the buffers of a street.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct WorkspaceSize {
    pub(crate) nodes: usize,
    pub(crate) slots: usize,
    pub(crate) row: usize,
    /// Most actions of a decision whose numbers are unpacked.
    pub(crate) unpacked: usize,
    /// Number of groups of terminal nodes that are computed together.
    pub(crate) groups: usize,
}

impl WorkspaceSize {
    /// The size that suffices for each of these lines, with rows of at most this length.
    pub(crate) fn new<'a>(lines: impl Iterator<Item = &'a Line>, row: usize) -> WorkspaceSize {
        let mut size = WorkspaceSize { row, nodes: 1, slots: 1, unpacked: 1, groups: 1 };
        for line in lines {
            size.nodes = size.nodes.max(line.nodes.len());
            size.slots = size.slots.max(line.slots[0]).max(line.slots[1]);
            let groups = line.ends.iter().map(|ends| ends.groups().count());
            size.groups = size.groups.max(groups.max().unwrap_or_default());
            for node in &line.nodes {
                if let Kind::Decision(decision) = node.kind {
                    size.unpacked = size.unpacked.max(decision.count);
                }
            }
        }
        size
    }

    /// Size in bytes of a [`Workspace`] with numbers of `real` bytes each.
    pub(crate) fn bytes(self, real: usize) -> u64 {
        let lanes = LANES * (2 * self.groups + 1);
        let numbers = (self.nodes + self.slots + lanes) * real + self.unpacked * 8;
        (numbers * self.row + 65 * LANES * real * self.groups) as u64
    }
}

impl<R: Real> Workspace<R> {
    /// Zeros.
    pub(crate) fn new(size: WorkspaceSize) -> Workspace<R> {
        let zero = R::default();
        Workspace {
            reach: vec![zero; size.slots * size.row],
            values: vec![zero; size.nodes * size.row],
            row: size.row,
            weights: vec![[zero; LANES]; size.groups * (size.row + 1)],
            sums: vec![Sums::default(); size.groups],
            won: vec![[zero; LANES]; size.groups * size.row],
            unblocked: vec![[zero; LANES]; size.row],
            sums_of_cards: Vec::new(),
            unpacked: Unpacked::new(size.unpacked * size.row),
            prefetch: PrefetchQueue::default(),
        }
    }
}

/// A pool of workspaces: one for the first street, and for each thread at work a set of one for
/// each later street.
#[derive(Debug)]
pub(crate) struct WorkspacePool<R> {
    sizes: Vec<WorkspaceSize>,
    first: Mutex<Vec<Workspace<R>>>,
    later: Mutex<Vec<Vec<Workspace<R>>>>,
}

impl<R: Real> WorkspacePool<R> {
    /// A pool of workspaces of these sizes, one for each street.
    pub(crate) fn new(sizes: Vec<WorkspaceSize>) -> WorkspacePool<R> {
        WorkspacePool { sizes, first: Mutex::default(), later: Mutex::default() }
    }

    /// Calls `work` with a workspace of the first street that no other thread uses.
    pub(crate) fn first<T>(&self, work: impl FnOnce(&mut Workspace<R>) -> T) -> T {
        borrowed(&self.first, || Workspace::new(self.sizes[0]), work)
    }

    /// Calls `work` with workspaces of the later streets that no other thread uses.
    pub(crate) fn later<T>(&self, work: impl FnOnce(&mut [Workspace<R>]) -> T) -> T {
        let make = || self.sizes[1..].iter().map(|&size| Workspace::new(size)).collect();
        borrowed(&self.later, make, |later: &mut Vec<_>| work(later))
    }
}

/// Calls `work` with one of the free things, or a new one, which is free again afterwards.
fn borrowed<A, T>(
    free: &Mutex<Vec<A>>,
    make: impl FnOnce() -> A,
    work: impl FnOnce(&mut A) -> T,
) -> T {
    let free = || free.lock().expect("nothing panics while it holds the lock");
    let taken = free().pop();
    let mut taken = taken.unwrap_or_else(make);
    let result = work(&mut taken);
    free().push(taken);
    result
}
