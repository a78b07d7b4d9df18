//! The ends of a line for one player: what the player's hands win there, against the opponent's
//! hands that get there.

use arrayvec::ArrayVec;

use super::betting::{End, Line};
use super::boards::{Board, Boards};
use super::terminal::{LANES, Real};
use super::vector;
use super::workspace::Workspace;
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
    pub(super) fn ends<R: Real>(
        &self,
        line: &Line,
        board: &Board,
        workspaces: &mut [Workspace<R>],
    ) {
        let [row, others] = self.rows(board);
        for ends in line.ends[self.player.index()].groups() {
            // Where there are fewer ends than lanes, the last one is computed again.
            let last = ends.len() - 1;
            let slots = std::array::from_fn(|lane| ends[lane.min(last)].slot);
            let workspace = &mut workspaces[0];
            workspace.weights[others] = Default::default();
            R::into_lanes(&workspace.reach, slots, &mut workspace.weights[..others]);
            let folds = ends.iter().any(|end| end.fold.is_some());
            let shows = ends.iter().any(|end| end.showdown.is_some());
            if folds || board.next.is_empty() {
                vector::total(board, self.player, &workspace.weights, &mut workspace.sums);
            }
            if folds {
                vector::meet(
                    board,
                    self.player,
                    &workspace.weights,
                    &workspace.sums,
                    &mut workspace.won,
                );
                take(workspace, ends, |end| end.fold, row);
            }
            if shows {
                self.show(board, workspaces);
                // What is won there is counted twice.
                let half = |end: &End| end.showdown.map(|(node, chips)| (node, chips / 2.0));
                take(&mut workspaces[0], ends, half, row);
            }
        }
    }

    /// Twice the player's winnings at showdowns, one chip each, after all cards that may come; on
    /// the river from the [`total`](vector::total) in the room.
    fn show<R: Real>(&self, board: &Board, workspaces: &mut [Workspace<R>]) {
        let (workspace, later) = workspaces.split_first_mut().expect("a workspace for each street");
        if board.next.is_empty() {
            vector::show(
                board,
                self.player,
                &workspace.weights,
                &workspace.sums,
                &mut workspace.won,
            );
            return;
        }
        let [row, _] = self.rows(board);
        let [own, other] = [self.player.index(), self.player.other().index()];
        workspace.won[..row].fill(Default::default());
        let chance = R::of(board.chance);
        for next in &board.next {
            let before = &next.cards[0].before[other];
            vector::gather_lanes(&workspace.weights, before, chance, &mut later[0].weights);
            let board = self.board(next.board);
            if board.next.is_empty() {
                let Workspace { weights, sums, .. } = &mut later[0];
                vector::total(board, self.player, weights, sums);
            }
            self.show(board, later);
            for deal in &next.cards {
                vector::scatter_lanes(&later[0].won, &deal.before[own], &mut workspace.won);
            }
        }
    }
}

/// Brings what was won at ends to their nodes.
fn take<R: Real>(
    workspace: &mut Workspace<R>,
    ends: &[End],
    place: impl Fn(&End) -> Option<(usize, f64)>,
    row: usize,
) {
    let places = ends.iter().enumerate().filter_map(|(lane, end)| {
        let (node, chips) = place(end)?;
        Some((lane, node * row, R::of(chips)))
    });
    let places: ArrayVec<_, LANES> = places.collect();
    vector::from_lanes(&workspace.won[..row], &places, &mut workspace.values);
}
