//! One traversal of the whole subgame for one player: the opponent's reach weights are passed down
//! to the terminal nodes, and the values of the player's hands are passed back up.
//!
//! A line is processed in three steps: down its nodes, all its terminal nodes and the lines after
//! its deals, up its nodes. Nothing is allocated except on the first use by a thread.

use std::ops::Range;

use rayon::prelude::*;

use super::betting::{Betting, Decision, Kind, Leaf, Line};
use super::boards::{Board, Next};
use super::ends::View;
use super::storage::{Part, Tile, Unpacked};
use super::terminal::Real;
use super::vector;
use super::workspace::{Rooms, Workspace};

/// The work at decisions.
pub(super) trait Work: Sync {
    /// The floating-point type.
    type Real: Real;

    /// Splits the weights of a tile of the opponent's hands at its own decision among its actions.
    /// The rows of the actions in `children` start `tile.row` numbers apart.
    fn split(
        &self,
        part: &mut Part,
        decision: &Decision,
        tile: Tile,
        unpacked: &mut Unpacked,
        reach: &[Self::Real],
        children: &mut [Self::Real],
    );

    /// Computes the values of the player's own decision from those of its actions.
    fn join(
        &self,
        part: &mut Part,
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
        part: &mut Part,
        weights: &[W::Real],
        workspaces: &Rooms<W::Real>,
        read: impl FnOnce(&[W::Real]) -> T,
    ) -> T {
        self.first([0, 1], part, weights, workspaces, read)
    }

    /// The same from a line on a board, for `count` adjacent nodes of the line starting with
    /// `node`. Uses one thread after the first line.
    pub(super) fn run_at<T>(
        &self,
        [line, board, node, count]: [usize; 4],
        part: &mut Part,
        weights: &[W::Real],
        workspaces: &Rooms<W::Real>,
        read: impl FnOnce(&[W::Real]) -> T,
    ) -> T {
        if line == 0 {
            return self.first([node, count], part, weights, workspaces, read);
        }
        let [row, others] = self.view.rows(self.view.board(board));
        workspaces.with(|own| {
            let own = &mut own[self.betting.lines[line].street..];
            fill(&mut own[0].reach[..others], weights.iter().copied());
            self.line(line, board, part, None, own);
            read(&own[0].values[node * row..][..count * row])
        })
    }

    /// Processes the first line, with its deals on all threads.
    fn first<T>(
        &self,
        [node, count]: [usize; 2],
        part: &mut Part,
        weights: &[W::Real],
        workspaces: &Rooms<W::Real>,
        read: impl FnOnce(&[W::Real]) -> T,
    ) -> T {
        let line = &self.betting.lines[0];
        let board = self.view.board(0);
        let [row, others] = self.view.rows(board);
        workspaces.with(|own| {
            fill(&mut own[0].reach[..others], weights.iter().copied());
            self.down(line, board, part, &mut own[0]);
            self.view.ends(line, board, own);
            self.all_deals(line, board, part, &mut own[0], workspaces);
            self.up(line, board, part, &mut own[0]);
            read(&own[0].values[node * row..][..count * row])
        })
    }

    /// Processes a later line on one thread; `next` are the addresses of the opponent's numbers for
    /// the line after it, to prefetch.
    fn line(
        &self,
        line: usize,
        board: usize,
        part: &mut Part,
        next: Option<[Range<usize>; 2]>,
        workspaces: &mut [Workspace<W::Real>],
    ) {
        let (line, board) = (&self.betting.lines[line], self.view.board(board));
        self.down(line, board, part, &mut workspaces[0]);
        let [regrets, _] = part.addresses(self.view.player);
        let [others, averages] = next.unwrap_or_default();
        workspaces[0].ahead.set([averages, others, regrets]);
        self.view.ends(line, board, workspaces);
        self.deals(line, board, part, workspaces);
        self.up(line, board, part, &mut workspaces[0]);
    }

    /// Passes the opponent's weights from the first node of a line to all others and to the
    /// terminal nodes.
    fn down(
        &self,
        line: &Line,
        board: &Board,
        part: &mut Part,
        workspace: &mut Workspace<W::Real>,
    ) {
        let [_, row] = self.view.rows(board);
        for tile in part.tiles(row) {
            self.down_tile(line, tile, part, workspace);
            self.view.arrive(line, tile, workspace);
        }
    }

    fn down_tile(
        &self,
        line: &Line,
        tile: Tile,
        part: &mut Part,
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
            self.work.split(part, decision, tile, &mut workspace.unpacked, reach, children);
        }
    }

    /// Passes the player's values from the terminal nodes of a line and the lines after it up to
    /// all nodes.
    fn up(&self, line: &Line, board: &Board, part: &mut Part, workspace: &mut Workspace<W::Real>) {
        let [row, _] = self.view.rows(board);
        for tile in part.tiles(row).rev() {
            self.view.leave(line, board, tile, workspace);
            for (at, node) in line.nodes.iter().enumerate().rev() {
                let Kind::Decision(decision) = &node.kind else { continue };
                let (before, after) = workspace.values.split_at_mut(decision.child * row);
                let value = &mut before[at * row + tile.start..][..tile.len];
                let values = &after[tile.start..];
                if decision.player == self.view.player {
                    let unpacked = &mut workspace.unpacked;
                    self.work.join(part, decision, tile, unpacked, values, value);
                } else {
                    vector::sum(values, value, decision.count, row);
                }
            }
        }
    }

    /// Only the way down: passes the opponent's weights to all its decisions.
    pub(super) fn follow(&self, part: &mut Part, weights: &[W::Real], workspaces: &Rooms<W::Real>) {
        let (line, board) = (&self.betting.lines[0], self.view.board(0));
        let [_, others] = self.view.rows(board);
        workspaces.with(|own| {
            fill(&mut own[0].reach[..others], weights.iter().copied());
            part.tiles(others).for_each(|tile| self.down_tile(line, tile, part, &mut own[0]));
            let (reach, cards) = (&own[0].reach, board.next.len());
            part.below.par_iter_mut().enumerate().for_each(|(job, part)| {
                let (leaf, next) = (&line.deals[job / cards], &board.next[job % cards]);
                workspaces.with(|own| {
                    self.arrive(line, board, (leaf, next), reach, &mut own[1]);
                    self.follow_on(leaf.line, next.board, part, &mut own[1..]);
                });
            });
        });
    }

    /// The way down from a later line, on one thread.
    fn follow_on(
        &self,
        line: usize,
        board: usize,
        part: &mut Part,
        workspaces: &mut [Workspace<W::Real>],
    ) {
        let (line, board) = (&self.betting.lines[line], self.view.board(board));
        let Some((workspace, later)) = workspaces.split_first_mut() else { return };
        let [_, row] = self.view.rows(board);
        part.tiles(row).for_each(|tile| self.down_tile(line, tile, part, workspace));
        let mut parts = part.below.iter_mut();
        for leaf in &line.deals {
            for (next, part) in board.next.iter().zip(&mut parts) {
                self.arrive(line, board, (leaf, next), &workspace.reach, &mut later[0]);
                self.follow_on(leaf.line, next.board, part, later);
            }
        }
    }

    /// Processes what follows each deal of a line, on one thread.
    fn deals(
        &self,
        line: &Line,
        board: &Board,
        part: &mut Part,
        workspaces: &mut [Workspace<W::Real>],
    ) {
        let [row, _] = self.view.rows(board);
        let Some((workspace, later)) = workspaces.split_first_mut() else { return };
        let mut parts = part.below.iter_mut().peekable();
        for leaf in &line.deals {
            let value = &mut workspace.values[leaf.node * row..][..row];
            value.fill(W::Real::default());
            for next in &board.next {
                let part = parts.next().expect("a part for each deal");
                let other = self.view.player.other();
                let ahead = parts.peek().map(|part| part.addresses(other));
                self.arrive(line, board, (leaf, next), &workspace.reach, &mut later[0]);
                self.line(leaf.line, next.board, part, ahead, later);
                for deal in &next.cards {
                    scatter(&later[0].values, &deal.before[self.view.player.index()], value);
                }
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

    /// Processes what follows each deal of the first line, on all threads. Results are summed in
    /// the order of the cards, whichever thread finishes first.
    fn all_deals(
        &self,
        line: &Line,
        board: &Board,
        part: &mut Part,
        workspace: &mut Workspace<W::Real>,
        workspaces: &Rooms<W::Real>,
    ) {
        let [row, _] = self.view.rows(board);
        let Workspace { reach, values, results, .. } = workspace;
        let cards = board.next.len();
        let stride = board.next.iter().map(|next| self.view.rows(self.view.board(next.board))[0]);
        let stride = stride.max().unwrap_or_default();
        if line.deals.is_empty() || stride == 0 {
            return;
        }
        results.resize(part.below.len() * stride, W::Real::default());
        let other = self.view.player.other();
        let addresses: Vec<_> = part.below.iter().map(|part| part.addresses(other)).collect();
        let jobs = part.below.par_iter_mut().zip(results.par_chunks_mut(stride)).enumerate();
        jobs.for_each(|(job, (part, result))| {
            let (leaf, next) = (&line.deals[job / cards], &board.next[job % cards]);
            workspaces.with(|own| {
                let later = &mut own[1..];
                self.arrive(line, board, (leaf, next), reach, &mut later[0]);
                self.line(leaf.line, next.board, part, addresses.get(job + 1).cloned(), later);
                let [row, _] = self.view.rows(self.view.board(next.board));
                result[..row].copy_from_slice(&later[0].values[..row]);
            });
        });
        for (leaf, results) in line.deals.iter().zip(results.chunks(cards * stride)) {
            let value = &mut values[leaf.node * row..][..row];
            value.fill(W::Real::default());
            for (next, result) in board.next.iter().zip(results.chunks(stride)) {
                for deal in &next.cards {
                    scatter(result, &deal.before[self.view.player.index()], value);
                }
            }
        }
    }
}

/// Copies numbers to the start of a row and fills the rest with zeros.
fn fill<R: Real>(row: &mut [R], numbers: impl ExactSizeIterator<Item = R>) {
    let (begun, padding) = row.split_at_mut(numbers.len());
    for (place, number) in begun.iter_mut().zip(numbers) {
        *place = number;
    }
    padding.fill(R::default());
}

/// Adds the values of hands on a later board to those of the corresponding hands before.
fn scatter<R: Real>(later: &[R], before: &[u16], values: &mut [R]) {
    for (&value, &before) in later.iter().zip(before) {
        values[before as usize] += value;
    }
}
