//! One look at the whole subgame for one player: the opponent's hands are followed down to the ends, and
//! what the player's hands win there is brought back up.
//!
//! A line is done in three steps: down its nodes, all its ends and the lines after its deals, up its nodes.
//! Nothing is allocated meanwhile but by the first use of a thread.

use std::sync::Mutex;

use rayon::prelude::*;

use super::betting::{Betting, Decision, End, Kind, Line};
use super::boards::{Board, Boards};
use super::storage::{Part, Unpacked};
use super::terminal::{LANES, Lanes, Real};
use super::vector;
use crate::Player;

/// What is done at decisions.
pub(super) trait Work: Sync {
    /// The numbers to compute with.
    type Real: Real;

    /// Splits the hands with which the opponent gets to its own decision among its actions.
    fn split(
        &self,
        part: &mut Part,
        decision: &Decision,
        unpacked: &mut Unpacked,
        reach: &[Self::Real],
        children: &mut [Self::Real],
    );

    /// The value of the player's own decision, from its actions' values.
    fn join(
        &self,
        part: &mut Part,
        decision: &Decision,
        unpacked: &mut Unpacked,
        values: &[Self::Real],
        value: &mut [Self::Real],
    );
}

/// Room to work on one street.
#[derive(Debug, Default)]
pub(super) struct Room<R> {
    /// The weights of the opponent's hands in each slot.
    reach: Vec<R>,
    /// The values of the player's hands at each node.
    values: Vec<R>,
    /// The opponent's weights, and the player's winnings, at ends that are computed at once.
    weights: Vec<Lanes<R>>,
    won: Vec<Lanes<R>>,
    /// On the first street: the values of the player's hands after each deal.
    results: Vec<R>,
    unpacked: Unpacked,
}

/// How much of it a street needs.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct RoomSize {
    pub(super) nodes: usize,
    pub(super) slots: usize,
    pub(super) row: usize,
    pub(super) actions: usize,
}

impl RoomSize {
    /// For any of these lines with rows of at most this length.
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a Line>, row: usize) -> RoomSize {
        let mut size = RoomSize { row, nodes: 1, slots: 1, actions: 1 };
        for line in lines {
            size.nodes = size.nodes.max(line.nodes.len());
            size.slots = size.slots.max(line.slots[0]).max(line.slots[1]);
            for node in &line.nodes {
                if let Kind::Decision(decision) = node.kind {
                    size.actions = size.actions.max(decision.count);
                }
            }
        }
        size
    }

    /// Bytes of a room for numbers of `real` bytes.
    pub(super) fn bytes(self, real: usize) -> u64 {
        let numbers = (self.nodes + self.slots + 2 * LANES) * real + self.actions * 8;
        (numbers * self.row) as u64
    }
}

impl<R: Real> Room<R> {
    fn new(size: RoomSize) -> Room<R> {
        let zero = R::default();
        Room {
            reach: vec![zero; size.slots * size.row],
            values: vec![zero; size.nodes * size.row],
            // One more for hands that the opponent does not have.
            weights: vec![[zero; LANES]; size.row + 1],
            won: vec![[zero; LANES]; size.row],
            results: Vec::new(),
            unpacked: Unpacked::new(size.actions * size.row),
        }
    }
}

/// Rooms for all streets, one set for each thread at work.
#[derive(Debug)]
pub(super) struct Rooms<R> {
    sizes: Vec<RoomSize>,
    free: Mutex<Vec<Vec<Room<R>>>>,
}

impl<R: Real> Rooms<R> {
    pub(super) fn new(sizes: Vec<RoomSize>) -> Rooms<R> {
        Rooms { sizes, free: Mutex::new(Vec::new()) }
    }

    /// Calls `work` with a set of rooms that nobody else uses.
    fn with<T>(&self, work: impl FnOnce(&mut [Room<R>]) -> T) -> T {
        let free = || self.free.lock().expect("nothing panics while it holds the lock");
        let taken = free().pop();
        let mut rooms =
            taken.unwrap_or_else(|| self.sizes.iter().map(|&size| Room::new(size)).collect());
        let result = work(&mut rooms);
        free().push(rooms);
        result
    }
}

/// One look.
pub(super) struct Pass<'a, W: Work> {
    pub(super) betting: &'a Betting,
    pub(super) boards: &'a Boards,
    pub(super) player: Player,
    pub(super) work: W,
}

impl<W: Work> Pass<'_, W> {
    /// From the weights of the opponent's hands at the beginning to the values of the player's hands
    /// there, which `read` gets: chips times weights, summed over all hands that the opponent can hold.
    pub(super) fn run<T>(
        &self,
        part: &mut Part,
        weights: &[W::Real],
        rooms: &Rooms<W::Real>,
        read: impl FnOnce(&[W::Real]) -> T,
    ) -> T {
        let line = &self.betting.lines[0];
        let board = &self.boards.all[0];
        let [row, others] = self.rows(board);
        rooms.with(|own| {
            let (reach, padding) = own[0].reach[..others].split_at_mut(weights.len());
            reach.copy_from_slice(weights);
            padding.fill(W::Real::default());
            self.down(line, board, part, &mut own[0]);
            self.ends(line, board, own);
            self.all_deals(line, board, part, &mut own[0], rooms);
            self.up(line, board, part, &mut own[0]);
            read(&own[0].values[..row])
        })
    }

    /// How long rows of the player's and of the opponent's hands are.
    fn rows(&self, board: &Board) -> [usize; 2] {
        [self.player, self.player.other()].map(|player| board.hands[player.index()].row())
    }

    /// A line after another, on one thread.
    fn line(&self, line: usize, board: usize, part: &mut Part, rooms: &mut [Room<W::Real>]) {
        let (line, board) = (&self.betting.lines[line], &self.boards.all[board]);
        self.down(line, board, part, &mut rooms[0]);
        self.ends(line, board, rooms);
        self.deals(line, board, part, rooms);
        self.up(line, board, part, &mut rooms[0]);
    }

    fn down(&self, line: &Line, board: &Board, part: &mut Part, room: &mut Room<W::Real>) {
        let [_, row] = self.rows(board);
        for node in &line.nodes {
            let Kind::Decision(decision) = &node.kind else { continue };
            if decision.player == self.player {
                continue;
            }
            let slot = node.slots[self.player.index()];
            let child = line.nodes[decision.child].slots[self.player.index()];
            let (before, after) = room.reach.split_at_mut(child * row);
            let reach = &before[slot * row..][..row];
            let children = &mut after[..decision.count * row];
            self.work.split(part, decision, &mut room.unpacked, reach, children);
        }
    }

    fn up(&self, line: &Line, board: &Board, part: &mut Part, room: &mut Room<W::Real>) {
        let [row, _] = self.rows(board);
        for (at, node) in line.nodes.iter().enumerate().rev() {
            let Kind::Decision(decision) = &node.kind else { continue };
            let (before, after) = room.values.split_at_mut(decision.child * row);
            let value = &mut before[at * row..][..row];
            let values = &after[..decision.count * row];
            if decision.player == self.player {
                self.work.join(part, decision, &mut room.unpacked, values, value);
            } else {
                vector::sum(values, value);
            }
        }
    }

    /// The values of all ends of a line.
    fn ends(&self, line: &Line, board: &Board, rooms: &mut [Room<W::Real>]) {
        let [row, others] = self.rows(board);
        for ends in line.ends[self.player.index()].groups() {
            // Where there are fewer ends than lanes, the last one is computed again.
            let last = ends.len() - 1;
            let slots = std::array::from_fn(|lane| ends[lane.min(last)].slot);
            let room = &mut rooms[0];
            room.weights[others] = Default::default();
            vector::into_lanes(&room.reach, slots, &mut room.weights[..others]);
            if ends.iter().any(|end| end.fold.is_some()) {
                vector::meet(board, self.player, &room.weights, &mut room.won);
                take(room, ends, |end| end.fold, row);
            }
            if ends.iter().any(|end| end.showdown.is_some()) {
                self.show(board, rooms);
                // What is won there is counted twice.
                let half = |end: &End| end.showdown.map(|(node, chips)| (node, chips / 2.0));
                take(&mut rooms[0], ends, half, row);
            }
        }
    }

    /// Twice the player's winnings at showdowns, one chip each, after all cards that may come.
    fn show(&self, board: &Board, rooms: &mut [Room<W::Real>]) {
        let (room, later) = rooms.split_first_mut().expect("a room for each street");
        if board.next.is_empty() {
            vector::show(board, self.player, &room.weights, &mut room.won);
            return;
        }
        let [row, _] = self.rows(board);
        let [own, other] = [self.player.index(), self.player.other().index()];
        room.won[..row].fill(Default::default());
        let chance = W::Real::of(board.chance);
        for next in &board.next {
            let after = &self.boards.all[next.board];
            let before = &next.cards[0].before[other];
            vector::gather_lanes(&room.weights, before, chance, &mut later[0].weights);
            self.show(after, later);
            for deal in &next.cards {
                vector::scatter_lanes(&later[0].won, &deal.before[own], &mut room.won);
            }
        }
    }

    /// What comes after each deal of a line, on one thread.
    fn deals(&self, line: &Line, board: &Board, part: &mut Part, rooms: &mut [Room<W::Real>]) {
        let [row, others] = self.rows(board);
        let Some((room, later)) = rooms.split_first_mut() else { return };
        let mut parts = part.below.iter_mut();
        for leaf in &line.deals {
            let slot = line.nodes[leaf.node].slots[self.player.index()];
            let value = &mut room.values[leaf.node * row..][..row];
            value.fill(W::Real::default());
            for (next, part) in board.next.iter().zip(&mut parts) {
                let reach = &room.reach[slot * others..][..others];
                self.deal(board, next, leaf.line, part, reach, later);
                for deal in &next.cards {
                    scatter(&later[0].values, &deal.before[self.player.index()], value);
                }
            }
        }
    }

    /// A line after one card; its values are left in the first of the rooms.
    fn deal(
        &self,
        board: &Board,
        next: &super::boards::Next,
        line: usize,
        part: &mut Part,
        reach: &[W::Real],
        rooms: &mut [Room<W::Real>],
    ) {
        let chance = W::Real::of(board.chance);
        let before = &next.cards[0].before[self.player.other().index()];
        let [_, others] = self.rows(&self.boards.all[next.board]);
        let (weights, padding) = rooms[0].reach[..others].split_at_mut(before.len());
        for (weight, &before) in weights.iter_mut().zip(before) {
            *weight = reach[before as usize] * chance;
        }
        padding.fill(W::Real::default());
        self.line(line, next.board, part, rooms);
    }

    /// What comes after each deal of the first line, on all threads. Sums are made in the order of the
    /// cards, whoever was first.
    fn all_deals(
        &self,
        line: &Line,
        board: &Board,
        part: &mut Part,
        room: &mut Room<W::Real>,
        rooms: &Rooms<W::Real>,
    ) {
        let [row, others] = self.rows(board);
        let Room { reach, values, results, .. } = room;
        let cards = board.next.len();
        let stride = board.next.iter().map(|next| self.rows(&self.boards.all[next.board])[0]);
        let stride = stride.max().unwrap_or_default();
        if line.deals.is_empty() || stride == 0 {
            return;
        }
        results.resize(part.below.len() * stride, W::Real::default());
        let jobs = part.below.par_iter_mut().zip(results.par_chunks_mut(stride)).enumerate();
        jobs.for_each(|(job, (part, result))| {
            let (leaf, next) = (&line.deals[job / cards], &board.next[job % cards]);
            let slot = line.nodes[leaf.node].slots[self.player.index()];
            rooms.with(|own| {
                let later = &mut own[1..];
                self.deal(board, next, leaf.line, part, &reach[slot * others..][..others], later);
                let [row, _] = self.rows(&self.boards.all[next.board]);
                result[..row].copy_from_slice(&later[0].values[..row]);
            });
        });
        for (leaf, results) in line.deals.iter().zip(results.chunks(cards * stride)) {
            let value = &mut values[leaf.node * row..][..row];
            value.fill(W::Real::default());
            for (next, result) in board.next.iter().zip(results.chunks(stride)) {
                for deal in &next.cards {
                    scatter(result, &deal.before[self.player.index()], value);
                }
            }
        }
    }
}

/// Brings what was won at ends to their nodes.
fn take<R: Real>(
    room: &mut Room<R>,
    ends: &[End],
    place: impl Fn(&End) -> Option<(usize, f64)>,
    row: usize,
) {
    for (lane, end) in ends.iter().enumerate() {
        if let Some((node, chips)) = place(end) {
            let value = &mut room.values[node * row..][..row];
            vector::from_lane(&room.won[..row], lane, R::of(chips), value);
        }
    }
}

/// Adds values of hands on a later board to those of the hands that they were before.
fn scatter<R: Real>(later: &[R], before: &[u16], values: &mut [R]) {
    for (&value, &before) in later.iter().zip(before) {
        values[before as usize] += value;
    }
}
