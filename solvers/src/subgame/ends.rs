//! The ends of a line for one player: what the player's hands win there, against the opponent's
//! hands that get there.

use arrayvec::ArrayVec;

use super::betting::{End, Line};
use super::boards::{Board, Boards};
use super::rooms::Room;
use super::terminal::{LANES, Real};
use super::vector;
use crate::Player;

/// The boards, and who looks at them.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) boards: &'a Boards,
    pub(super) player: Player,
}

impl<'a> View<'a> {
    /// The board of this number.
    pub(super) fn board(&self, number: usize) -> &'a Board {
        &self.boards.all[number]
    }

    /// How long rows of the player's and of the opponent's hands are.
    pub(super) fn rows(&self, board: &Board) -> [usize; 2] {
        [self.player, self.player.other()].map(|player| board.hands[player.index()].row())
    }

    /// The values of all ends of a line, in the first of the rooms, which is that of the line's
    /// street; the others are those of the streets after it.
    pub(super) fn ends<R: Real>(&self, line: &Line, board: &Board, rooms: &mut [Room<R>]) {
        let [row, others] = self.rows(board);
        for ends in line.ends[self.player.index()].groups() {
            // Where there are fewer ends than lanes, the last one is computed again.
            let last = ends.len() - 1;
            let slots = std::array::from_fn(|lane| ends[lane.min(last)].slot);
            let room = &mut rooms[0];
            room.weights[others] = Default::default();
            R::into_lanes(&room.reach, slots, &mut room.weights[..others]);
            let folds = ends.iter().any(|end| end.fold.is_some());
            let shows = ends.iter().any(|end| end.showdown.is_some());
            if folds || board.next.is_empty() {
                vector::total(board, self.player, &room.weights, &mut room.sums);
            }
            if folds {
                vector::meet(board, self.player, &room.weights, &room.sums, &mut room.won);
                take(room, ends, |end| end.fold, row);
            }
            if shows {
                self.show(board, rooms);
                // What is won there is counted twice.
                let half = |end: &End| end.showdown.map(|(node, chips)| (node, chips / 2.0));
                take(&mut rooms[0], ends, half, row);
            }
        }
    }

    /// Twice the player's winnings at showdowns, one chip each, after all cards that may come; on
    /// the river from the [`total`](vector::total) in the room.
    fn show<R: Real>(&self, board: &Board, rooms: &mut [Room<R>]) {
        let (room, later) = rooms.split_first_mut().expect("a room for each street");
        if board.next.is_empty() {
            vector::show(board, self.player, &room.weights, &room.sums, &mut room.won);
            return;
        }
        let [row, _] = self.rows(board);
        let [own, other] = [self.player.index(), self.player.other().index()];
        room.won[..row].fill(Default::default());
        let chance = R::of(board.chance);
        for next in &board.next {
            let before = &next.cards[0].before[other];
            vector::gather_lanes(&room.weights, before, chance, &mut later[0].weights);
            let board = self.board(next.board);
            if board.next.is_empty() {
                let Room { weights, sums, .. } = &mut later[0];
                vector::total(board, self.player, weights, sums);
            }
            self.show(board, later);
            for deal in &next.cards {
                vector::scatter_lanes(&later[0].won, &deal.before[own], &mut room.won);
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
    let places = ends.iter().enumerate().filter_map(|(lane, end)| {
        let (node, chips) = place(end)?;
        Some((lane, node * row, R::of(chips)))
    });
    let places: ArrayVec<_, LANES> = places.collect();
    vector::from_lanes(&room.won[..row], &places, &mut room.values);
}
