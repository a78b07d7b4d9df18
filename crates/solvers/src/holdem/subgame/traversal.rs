//! One traversal of the whole subgame for one player: the opponent's reach weights are passed down
//! to the terminal nodes, and the values of the player's hands are passed back up.
//!
//! A line is processed in three steps: down its nodes, all its terminal nodes and the lines after
//! its deals, up its nodes. Nothing is allocated except on the first use by a thread: buffers are
//! reused.

use std::ops::Range;
use std::sync::Mutex;

use arrayvec::ArrayVec;

use super::betting::{Betting, Decision, End, Leaf, Line};
use super::boards::{Board, Boards, Next};
use super::storage::{BoardStorage, Tile, Unpacked};
use super::terminal::{LANES, Lanes, Real, Sums};
use super::vector;
use super::vector::PrefetchQueue;
use crate::Player;

/// Number of blocks that the cards of a deal are split into, at most. Each is processed by one
/// thread.
pub(crate) const BLOCKS: usize = 8;

/// The work at decisions.
pub(crate) trait Work: Sync {
    /// The floating-point type.
    type Real: Real;

    /// Splits the weights of a tile of the opponent's hands at its own decision among its actions.
    /// The rows of the actions in `children` start `tile.row` numbers apart.
    fn split(
        &self,
        storage: &mut BoardStorage,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        reach: &[Self::Real],
        children: &mut [Self::Real],
    );

    /// Computes the values of the player's own decision from those of its actions.
    fn join(
        &self,
        storage: &mut BoardStorage,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        values: &[Self::Real],
        value: &mut [Self::Real],
    );
}

/// A traversal.
pub(crate) struct Pass<'a, W: Work> {
    pub(crate) betting: &'a Betting,
    pub(crate) view: View<'a>,
    pub(crate) work: W,
}

impl<W: Work> Pass<'_, W> {
    /// Computes the values of the player's hands at the root from the weights of the opponent's
    /// hands there, and calls `read` with them. Values are chips times weights, summed over all
    /// hands that the opponent can hold.
    pub(crate) fn run<T>(
        &self,
        storage: &mut BoardStorage,
        weights: &[W::Real],
        workspaces: &WorkspacePool<W::Real>,
        read: impl FnOnce(&[W::Real]) -> T,
    ) -> T {
        self.first([0, 1], storage, weights, workspaces, read)
    }

    /// The same from a line on a board, for `count` adjacent nodes of the line starting with
    /// `node`. Uses one thread after the first line.
    pub(crate) fn run_at<T>(
        &self,
        [line, board, node, count]: [usize; 4],
        storage: &mut BoardStorage,
        weights: &[W::Real],
        workspaces: &WorkspacePool<W::Real>,
        read: impl FnOnce(&[W::Real]) -> T,
    ) -> T {
        if line == 0 {
            return self.first([node, count], storage, weights, workspaces, read);
        }
        let [row, others] = self.view.rows(self.view.board(board));
        workspaces.later(|later| {
            let own = &mut later[self.betting.lines[line].street - 1..];
            fill(&mut own[0].reach[..others], weights.iter().copied());
            self.line(line, board, storage, None, own);
            read(&own[0].values[node * row..][..count * row])
        })
    }

    /// Processes the first line, with its deals on all threads.
    fn first<T>(
        &self,
        [node, count]: [usize; 2],
        storage: &mut BoardStorage,
        weights: &[W::Real],
        workspaces: &WorkspacePool<W::Real>,
        read: impl FnOnce(&[W::Real]) -> T,
    ) -> T {
        let line = &self.betting.lines[0];
        let board = self.view.board(0);
        let [row, others] = self.view.rows(board);
        workspaces.first(|own| {
            fill(&mut own.reach[..others], weights.iter().copied());
            self.down(line, board, storage, own);
            workspaces.later(|later| self.view.ends(line, board, own, later));
            self.all_deals(line, board, storage, own, workspaces);
            self.up(line, board, storage, own);
            read(&own.values[node * row..][..count * row])
        })
    }

    /// Processes a later line on one thread; `next` are the addresses of the opponent's numbers for
    /// the line after it, to prefetch.
    fn line(
        &self,
        line: usize,
        board: usize,
        storage: &mut BoardStorage,
        next: Option<[Range<usize>; 2]>,
        workspaces: &mut [Workspace<W::Real>],
    ) {
        let (line, board) = (&self.betting.lines[line], self.view.board(board));
        let Some((workspace, later)) = workspaces.split_first_mut() else { return };
        self.down(line, board, storage, workspace);
        let [regrets, _] = storage.addresses(self.view.player);
        let [others, averages] = next.unwrap_or_default();
        workspace.prefetch.set([averages, others, regrets]);
        self.view.ends(line, board, workspace, later);
        self.deals(line, board, storage, workspace, later);
        self.up(line, board, storage, workspace);
    }

    /// Passes the opponent's weights from the first node of a line to all others and to the
    /// terminal nodes.
    fn down(
        &self,
        line: &Line,
        board: &Board,
        storage: &mut BoardStorage,
        workspace: &mut Workspace<W::Real>,
    ) {
        let [_, row] = self.view.rows(board);
        for tile in storage.tiles(row) {
            self.down_tile(line, tile, storage, workspace);
            self.view.arrive(line, tile, workspace);
        }
    }

    fn down_tile(
        &self,
        line: &Line,
        tile: Tile,
        storage: &mut BoardStorage,
        workspace: &mut Workspace<W::Real>,
    ) {
        for decision in &line.decisions {
            if decision.player == self.view.player {
                continue;
            }
            let (before, after) = workspace.reach.split_at_mut(decision.child_slot * tile.row);
            let reach = &before[decision.slot * tile.row + tile.start..][..tile.len];
            let children = &mut after[tile.start..];
            self.work.split(storage, decision, tile, &mut workspace.unpacked, reach, children);
        }
    }

    /// Passes the player's values from the terminal nodes of a line and the lines after it up to
    /// all nodes.
    fn up(
        &self,
        line: &Line,
        board: &Board,
        storage: &mut BoardStorage,
        workspace: &mut Workspace<W::Real>,
    ) {
        let [row, _] = self.view.rows(board);
        // What the showdowns have not prefetched is, in equal parts at all decisions.
        let steps = storage.tiles(row).count() * line.decisions.len();
        let lines = workspace.prefetch.lines().div_ceil(steps.max(1));
        for tile in storage.tiles(row).rev() {
            self.view.leave(line, board, tile, workspace);
            for decision in line.decisions.iter().rev() {
                (0..lines).for_each(|_| workspace.prefetch.fetch());
                let (before, after) = workspace.values.split_at_mut(decision.child * row);
                let value = &mut before[decision.node * row + tile.start..][..tile.len];
                let values = &after[tile.start..];
                if decision.player == self.view.player {
                    let unpacked = &mut workspace.unpacked;
                    self.work.join(storage, decision, tile, unpacked, values, value);
                } else {
                    vector::sum(values, value, decision.count, row);
                }
            }
        }
    }

    /// Only the way down: passes the opponent's weights to all its decisions.
    pub(crate) fn follow(
        &self,
        storage: &mut BoardStorage,
        weights: &[W::Real],
        workspaces: &WorkspacePool<W::Real>,
    ) {
        let (line, board) = (&self.betting.lines[0], self.view.board(0));
        let [_, others] = self.view.rows(board);
        workspaces.first(|own| {
            fill(&mut own.reach[..others], weights.iter().copied());
            storage.tiles(others).for_each(|tile| self.down_tile(line, tile, storage, own));
            let (reach, cards) = (&own.reach, board.next.len());
            parallel::for_each(storage.below.iter_mut().enumerate(), |(job, storage)| {
                let (leaf, next) = (&line.deals[job / cards], &board.next[job % cards]);
                workspaces.later(|later| {
                    self.arrive(board, (leaf, next), reach, &mut later[0]);
                    self.follow_on(leaf.line, next.board, storage, later);
                });
            });
        });
    }

    /// The way down from a later line, on one thread.
    fn follow_on(
        &self,
        line: usize,
        board: usize,
        storage: &mut BoardStorage,
        workspaces: &mut [Workspace<W::Real>],
    ) {
        let (line, board) = (&self.betting.lines[line], self.view.board(board));
        let Some((workspace, later)) = workspaces.split_first_mut() else { return };
        let [_, row] = self.view.rows(board);
        storage.tiles(row).for_each(|tile| self.down_tile(line, tile, storage, workspace));
        let mut storages = storage.below.iter_mut();
        for leaf in &line.deals {
            for (next, storage) in board.next.iter().zip(&mut storages) {
                self.arrive(board, (leaf, next), &workspace.reach, &mut later[0]);
                self.follow_on(leaf.line, next.board, storage, later);
            }
        }
    }

    /// Processes what follows each deal of a line, on one thread.
    fn deals(
        &self,
        line: &Line,
        board: &Board,
        storage: &mut BoardStorage,
        workspace: &mut Workspace<W::Real>,
        later: &mut [Workspace<W::Real>],
    ) {
        let [row, _] = self.view.rows(board);
        let mut storages = storage.below.iter_mut().peekable();
        for leaf in &line.deals {
            let value = &mut workspace.values[leaf.node * row..][..row];
            value.fill(W::Real::default());
            for next in &board.next {
                let storage = storages.next().expect("a part for each deal");
                let other = self.view.player.other();
                let prefetch = storages.peek().map(|storage| storage.addresses(other));
                self.arrive(board, (leaf, next), &workspace.reach, &mut later[0]);
                self.line(leaf.line, next.board, storage, prefetch, later);
                self.scatter(next, &later[0].values, value);
            }
        }
    }

    /// Computes the opponent's weights after a card, at the first node of the line that follows.
    fn arrive(
        &self,
        board: &Board,
        (leaf, next): (&Leaf, &Next),
        reach: &[W::Real],
        workspace: &mut Workspace<W::Real>,
    ) {
        let [_, row] = self.view.rows(board);
        let reach = &reach[leaf.slots[self.view.player.index()] * row..][..row];
        let chance = W::Real::from_f64(board.chance);
        let before = &next.cards[0].before[self.view.player.other().index()];
        let [_, row] = self.view.rows(self.view.board(next.board));
        let weights = before.iter().map(|&before| reach[before as usize] * chance);
        fill(&mut workspace.reach[..row], weights);
    }

    /// Processes what follows each deal of the first line, on all threads. The cards of a deal are
    /// split into [`BLOCKS`]; values are summed over each and then over all, in order, whichever
    /// thread finishes first.
    fn all_deals(
        &self,
        line: &Line,
        board: &Board,
        storage: &mut BoardStorage,
        workspace: &mut Workspace<W::Real>,
        workspaces: &WorkspacePool<W::Real>,
    ) {
        let [row, _] = self.view.rows(board);
        let Workspace { reach, values, sums_of_cards: sums, .. } = workspace;
        let cards = board.next.len();
        if line.deals.is_empty() || cards == 0 {
            return;
        }
        let block = cards.div_ceil(BLOCKS);
        let size = cards.div_ceil(block) * row;
        sums.resize(line.deals.len() * size, W::Real::default());
        let other = self.view.player.other();
        let addresses: Vec<_> =
            storage.below.iter().map(|storage| storage.addresses(other)).collect();
        let deals = storage.below.chunks_mut(cards).zip(sums.chunks_mut(size)).zip(&line.deals);
        let blocks = deals.enumerate().flat_map(|(deal, ((storages, sums), leaf))| {
            let blocks = storages.chunks_mut(block).zip(sums.chunks_mut(row));
            let first = (deal * cards..).step_by(block);
            blocks.zip(board.next.chunks(block)).zip(first).map(move |each| (leaf, each))
        });
        parallel::for_each(blocks, |(leaf, (((storages, sum), nexts), first))| {
            sum.fill(W::Real::default());
            workspaces.later(|later| {
                for (number, (storage, next)) in (first..).zip(storages.iter_mut().zip(nexts)) {
                    let prefetch = addresses.get(number + 1).cloned();
                    self.arrive(board, (leaf, next), reach, &mut later[0]);
                    self.line(leaf.line, next.board, storage, prefetch, later);
                    self.scatter(next, &later[0].values, sum);
                }
            });
        });
        for (leaf, sums) in line.deals.iter().zip(sums.chunks(size)) {
            let value = &mut values[leaf.node * row..][..row];
            value.fill(W::Real::default());
            for sum in sums.chunks(row) {
                value.iter_mut().zip(sum).for_each(|(value, &sum)| *value += sum);
            }
        }
    }

    /// Adds the values of the player's hands after the cards of `next` to those before.
    fn scatter(&self, next: &Next, later: &[W::Real], values: &mut [W::Real]) {
        for deal in &next.cards {
            let before = &deal.before[self.view.player.index()];
            for (&value, &before) in later.iter().zip(before) {
                values[before as usize] += value;
            }
        }
    }
}

/// Copies numbers to the start of a row and fills the rest with zeros.
fn fill<R: Real>(row: &mut [R], numbers: impl ExactSizeIterator<Item = R>) {
    let (begun, padding) = row.split_at_mut(numbers.len());
    for (slot, number) in begun.iter_mut().zip(numbers) {
        *slot = number;
    }
    padding.fill(R::default());
}

/// The boards, and the player whose values are computed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) boards: &'a Boards,
    pub(crate) player: Player,
}

impl<'a> View<'a> {
    /// The board with this index.
    pub(crate) fn board(&self, number: usize) -> &'a Board {
        &self.boards.all[number]
    }

    /// The lengths of rows of the player's and of the opponent's hands.
    pub(crate) fn rows(&self, board: &Board) -> [usize; 2] {
        [self.player, self.player.other()].map(|player| board.hands[player.index()].row())
    }

    /// Copies the weights of a tile of the opponent's hands at all terminal nodes of a line into
    /// lanes.
    pub(crate) fn arrive<R: Real>(&self, line: &Line, tile: Tile, workspace: &mut Workspace<R>) {
        let Workspace { reach, weights, row, .. } = workspace;
        let groups = line.ends[self.player.index()].groups();
        for (ends, weights) in groups.zip(weights.chunks_exact_mut(*row + 1)) {
            // If there are fewer nodes than lanes, the last node is repeated.
            let begin = |lane: usize| ends[lane.min(ends.len() - 1)].slot * tile.row + tile.start;
            let weights = &mut weights[tile.start..][..tile.len];
            R::into_lanes(reach, std::array::from_fn(begin), weights);
        }
    }

    /// Computes what the player's hands win at the showdowns of a line, from the weights there, in
    /// the workspace of the line's street; `later` are those of the later streets. On the river the
    /// result still has to be [settled](vector::settle).
    pub(crate) fn ends<R: Real>(
        &self,
        line: &Line,
        board: &Board,
        workspace: &mut Workspace<R>,
        later: &mut [Workspace<R>],
    ) {
        let [_, others] = self.rows(board);
        for (group, ends) in line.ends[self.player.index()].groups().enumerate() {
            let Workspace { weights, sums, row, .. } = &mut *workspace;
            let weights = &mut weights[group * (*row + 1)..];
            weights[others] = Default::default();
            if !settles(board, ends) && ends.iter().any(|end| end.fold.is_some()) {
                vector::total(board, self.player, weights, &mut sums[group]);
            }
            if ends.iter().any(|end| end.showdown.is_some()) {
                self.show(board, group, workspace, later);
            }
        }
    }

    /// Copies what a tile of the player's hands wins at terminal nodes to the values of those
    /// nodes.
    pub(crate) fn leave<R: Real>(
        &self,
        line: &Line,
        board: &Board,
        tile: Tile,
        workspace: &mut Workspace<R>,
    ) {
        let Workspace { weights, sums, won, unblocked, values, row, .. } = workspace;
        let range = tile.start..tile.start + tile.len;
        let unblocked = &mut unblocked[..tile.len];
        for (group, ends) in line.ends[self.player.index()].groups().enumerate() {
            let won = &mut won[group * *row..][range.clone()];
            let (weights, sums) = (&weights[group * (*row + 1)..], &sums[group]);
            if settles(board, ends) {
                vector::settle(board, self.player, range.clone(), weights, sums, unblocked, won);
            } else if ends.iter().any(|end| end.fold.is_some()) {
                vector::unblocked_weights(
                    board,
                    self.player,
                    range.clone(),
                    weights,
                    sums,
                    unblocked,
                );
            }
            let mut take = |won: &[Lanes<R>], of: &dyn Fn(&End) -> Option<(usize, f64)>| {
                let lanes = ends.iter().enumerate().filter_map(|(lane, end)| {
                    let (node, chips) = of(end)?;
                    Some((lane, node * tile.row + tile.start, R::from_f64(chips)))
                });
                let lanes: ArrayVec<_, LANES> = lanes.collect();
                if !lanes.is_empty() {
                    R::from_lanes(won, &lanes, values);
                }
            };
            take(unblocked, &|end| end.fold);
            take(won, &|end| end.showdown);
        }
    }

    /// The player's winnings at the showdowns of a group, for a stake of one chip, over all cards
    /// that can be dealt. On the river the result still has to be [settled](vector::settle).
    fn show<R: Real>(
        &self,
        board: &Board,
        group: usize,
        workspace: &mut Workspace<R>,
        later: &mut [Workspace<R>],
    ) {
        let Workspace { weights, sums, won, row, prefetch, .. } = workspace;
        let weights = &weights[group * (*row + 1)..];
        let [own, other] = [self.player.index(), self.player.other().index()];
        let won = &mut won[group * *row..][..board.hands[own].row()];
        if board.next.is_empty() {
            vector::show(board, self.player, weights, &mut sums[group], won, prefetch);
            return;
        }
        won.fill(Default::default());
        let chance = R::from_f64(board.chance);
        let (after, later) = later.split_first_mut().expect("a workspace for each street");
        for next in &board.next {
            let before = &next.cards[0].before[other];
            vector::gather_lanes(weights, before, chance, &mut after.weights);
            let board = self.board(next.board);
            self.show(board, 0, after, later);
            let Workspace { weights, sums, won: of_later, unblocked, .. } = &mut *after;
            if board.next.is_empty() {
                let range = 0..board.hands[own].row();
                let unblocked = &mut unblocked[range.clone()];
                vector::settle(board, self.player, range, weights, &sums[0], unblocked, of_later);
            }
            for deal in &next.cards {
                vector::scatter_lanes(of_later, &deal.before[own], won);
            }
        }
    }
}

/// Whether these nodes have showdowns on the river, which are settled when their values are taken.
fn settles(board: &Board, ends: &[End]) -> bool {
    board.next.is_empty() && ends.iter().any(|end| end.showdown.is_some())
}

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
    sums_of_cards: Vec<R>,
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
            let counts = line.decisions.iter().map(|decision| decision.count);
            size.unpacked = size.unpacked.max(counts.max().unwrap_or_default());
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
