//! Buffers of a traversal, allocated when a thread first needs them and reused.

use std::sync::Mutex;

use super::betting::{Kind, Line};
use super::storage::Unpacked;
use super::terminal::{LANES, Lanes, Real, Sums};
use super::vector::Ahead;

/// Buffers for one street.
#[derive(Debug)]
pub(super) struct Workspace<R> {
    /// The weights of the opponent's hands in each slot.
    pub(super) reach: Vec<R>,
    /// The values of the player's hands at each node of the line.
    pub(super) values: Vec<R>,
    /// Length of the longest row.
    pub(super) row: usize,
    /// The opponent's weights at terminal nodes, in lanes: for each group of nodes computed
    /// together, a row and one more entry, which is zero, for hands that the opponent does not
    /// have.
    pub(super) weights: Vec<Lanes<R>>,
    /// Sums of these weights for each group.
    pub(super) sums: Vec<Sums<R>>,
    /// The player's winnings at showdowns: one row for each group.
    pub(super) won: Vec<Lanes<R>>,
    /// The weight that the player's hands meet at the terminal nodes of a group.
    pub(super) met: Vec<Lanes<R>>,
    /// On the first street: the values of the player's hands after each deal.
    pub(super) results: Vec<R>,
    pub(super) unpacked: Unpacked,
    /// Memory to prefetch while showdowns are computed.
    pub(super) ahead: Ahead,
}

/// Sizes that determine the buffers of a street.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct RoomSize {
    pub(super) nodes: usize,
    pub(super) slots: usize,
    pub(super) row: usize,
    pub(super) actions: usize,
    /// Number of groups of terminal nodes that are computed together.
    pub(super) groups: usize,
}

impl RoomSize {
    /// The size that suffices for each of these lines, with rows of at most this length.
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a Line>, row: usize) -> RoomSize {
        let mut size = RoomSize { row, nodes: 1, slots: 1, actions: 1, groups: 1 };
        for line in lines {
            size.nodes = size.nodes.max(line.nodes.len());
            size.slots = size.slots.max(line.slots[0]).max(line.slots[1]);
            let groups = line.ends.iter().map(|ends| ends.groups().count());
            size.groups = size.groups.max(groups.max().unwrap_or_default());
            for node in &line.nodes {
                if let Kind::Decision(decision) = node.kind {
                    size.actions = size.actions.max(decision.count);
                }
            }
        }
        size
    }

    /// Size in bytes of a [`Workspace`] with numbers of `real` bytes each.
    pub(super) fn bytes(self, real: usize) -> u64 {
        let lanes = LANES * (2 * self.groups + 1);
        let numbers = (self.nodes + self.slots + lanes) * real + self.actions * 8;
        (numbers * self.row + 65 * LANES * real * self.groups) as u64
    }
}

impl<R: Real> Workspace<R> {
    fn new(size: RoomSize) -> Workspace<R> {
        let zero = R::default();
        Workspace {
            reach: vec![zero; size.slots * size.row],
            values: vec![zero; size.nodes * size.row],
            row: size.row,
            weights: vec![[zero; LANES]; size.groups * (size.row + 1)],
            sums: vec![Sums::default(); size.groups],
            won: vec![[zero; LANES]; size.groups * size.row],
            met: vec![[zero; LANES]; size.row],
            results: Vec::new(),
            unpacked: Unpacked::new(size.actions * size.row),
            ahead: Ahead::default(),
        }
    }
}

/// A pool of workspaces: one set, with a workspace per street, for each thread at work.
#[derive(Debug)]
pub(super) struct Rooms<R> {
    sizes: Vec<RoomSize>,
    free: Mutex<Vec<Vec<Workspace<R>>>>,
}

impl<R: Real> Rooms<R> {
    pub(super) fn new(sizes: Vec<RoomSize>) -> Rooms<R> {
        Rooms { sizes, free: Mutex::new(Vec::new()) }
    }

    /// Calls `work` with a set of workspaces that no other thread uses.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut [Workspace<R>]) -> T) -> T {
        let free = || self.free.lock().expect("nothing panics while it holds the lock");
        let taken = free().pop();
        let mut workspaces =
            taken.unwrap_or_else(|| self.sizes.iter().map(|&size| Workspace::new(size)).collect());
        let result = work(&mut workspaces);
        free().push(workspaces);
        result
    }
}
