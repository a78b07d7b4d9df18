//! Values at the terminal nodes of a line: what a player's hands win against the opponent's hands
//! that reach them.

use arrayvec::ArrayVec;

use super::betting::{End, Line};
use super::boards::{Board, Boards};
use super::storage::Tile;
use super::terminal::{LANES, Lanes, Real};
use super::vector;
use super::workspace::Workspace;
use crate::Player;

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
                    Some((lane, node * tile.row + tile.start, R::of(chips)))
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
        let chance = R::of(board.chance);
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
