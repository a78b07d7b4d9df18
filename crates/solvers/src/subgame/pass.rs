//! One traversal of the whole subgame for one player: the opponent's reach weights are passed down
//! to the terminal nodes, and the values of the player's hands are passed back up.
//!
//! A line is processed in three steps: down its nodes, all its terminal nodes and the lines after
//! its deals, up its nodes. Nothing is allocated except on the first use by a thread.

use std::ops::Range;

use super::betting::{Betting, Decision, Kind, Leaf, Line};
use super::boards::{Board, Next};
use super::ends::View;
use super::storage::{BoardStorage, Tile, Unpacked};
use super::terminal::Real;
use super::vector;
use super::workspace::{Workspace, WorkspacePool};

/// Number of blocks that the cards of a deal are split into, at most. Each is processed by one
/// thread.
pub(super) const BLOCKS: usize = 8;

/// The work at decisions.
pub(super) trait Work: Sync {
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
pub(super) struct Pass<'a, W: Work> {
    pub(super) betting: &'a Betting,
    pub(super) view: View<'a>,
    pub(super) work: W,
}

impl<W: Work> Pass<'_, W> {
    /// Computes the values of the player's hands at the root from the weights of the opponent's
    /// hands there, and calls `read` with them. Values are chips times weights, summed over all
    /// hands that the opponent can hold.
    pub(super) fn run<T>(
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
    pub(super) fn run_at<T>(
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
        for node in &line.nodes {
            let Kind::Decision(decision) = &node.kind else { continue };
            if decision.player == self.view.player {
                continue;
            }
            let slot = node.slots[self.view.player.index()];
            let child = line.nodes[decision.child].slots[self.view.player.index()];
            let (before, after) = workspace.reach.split_at_mut(child * tile.row);
            let reach = &before[slot * tile.row + tile.start..][..tile.len];
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
        // What the showdowns have not prefetched is, in equal parts at all nodes.
        let steps = storage.tiles(row).count() * line.nodes.len();
        let lines = workspace.prefetch.lines().div_ceil(steps.max(1));
        for tile in storage.tiles(row).rev() {
            self.view.leave(line, board, tile, workspace);
            for (at, node) in line.nodes.iter().enumerate().rev() {
                (0..lines).for_each(|_| workspace.prefetch.fetch());
                let Kind::Decision(decision) = &node.kind else { continue };
                let (before, after) = workspace.values.split_at_mut(decision.child * row);
                let value = &mut before[at * row + tile.start..][..tile.len];
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
    pub(super) fn follow(
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
                    self.arrive(line, board, (leaf, next), reach, &mut later[0]);
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
                self.arrive(line, board, (leaf, next), &workspace.reach, &mut later[0]);
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
                self.arrive(line, board, (leaf, next), &workspace.reach, &mut later[0]);
                self.line(leaf.line, next.board, storage, prefetch, later);
                self.scatter(next, &later[0].values, value);
            }
        }
    }

    /// Computes the opponent's weights after a card, at the first node of the line that follows.
    fn arrive(
        &self,
        line: &Line,
        board: &Board,
        (leaf, next): (&Leaf, &Next),
        reach: &[W::Real],
        workspace: &mut Workspace<W::Real>,
    ) {
        let [_, row] = self.view.rows(board);
        let slot = line.nodes[leaf.node].slots[self.view.player.index()];
        let reach = &reach[slot * row..][..row];
        let chance = W::Real::of(board.chance);
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
                    self.arrive(line, board, (leaf, next), reach, &mut later[0]);
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
