//! One traversal of everything that can follow on a board, for one responder: the agent's reach
//! weights are passed down to the terminal nodes, and the values of the responder's hands are
//! passed back up, with the best action for each hand.

use super::blocks::{Block, Blocks, Follow};
use super::{BoardStrategy, ResponseError};
use crate::subgame::betting::{Kind, Line};
use crate::subgame::boards::{Boards, Next};
use crate::subgame::ends::View;
use crate::subgame::storage::Tile;
use crate::subgame::vector;
use crate::subgame::workspace::{Workspace, WorkspaceSize};

/// The floating-point type.
pub(super) type Number = f64;

/// A traversal.
pub(super) struct Pass<'a> {
    pub(super) blocks: &'a Blocks,
    /// The boards, with the responder as the player.
    pub(super) view: View<'a>,
    /// The agent's strategy on each of the boards.
    pub(super) agent: &'a [Box<dyn BoardStrategy + 'a>],
}

/// Buffers of a traversal.
pub(super) struct PassBuffers<'a> {
    /// One for each street, from the first.
    pub(super) workspaces: &'a mut [Workspace<Number>],
    pub(super) shares: Vec<f32>,
}

/// The workspace sizes of each street, from the first.
pub(super) fn workspaces(blocks: &Blocks, boards: &Boards) -> Vec<WorkspaceSize> {
    let streets = 6 - boards.all[0].cards.len() as usize;
    let of = |street: usize| {
        let cards = boards.all[0].cards.len() as usize + street;
        let rows = boards.all.iter().filter(|board| board.cards.len() as usize == cards);
        let row = rows.map(|board| board.hands[0].row()).max().unwrap_or_default();
        let lines = blocks.all.iter().map(|block| &block.line);
        WorkspaceSize::new(lines.filter(|line| line.street == street), row)
    };
    (0..streets).map(of).collect()
}

impl Pass<'_> {
    /// Computes the values of the responder's hands at each of the first nodes from the weights of
    /// the agent's hands there: chips times weights, summed over all hands that the agent can hold.
    pub(super) fn run(
        &self,
        weights: &[Vec<Number>],
        buffers: &mut PassBuffers<'_>,
    ) -> Result<Vec<Vec<Number>>, ResponseError> {
        let [row, others] = self.view.rows(self.view.board(0));
        let mut values = vec![vec![0.0; row]; weights.len()];
        for Follow { leaves, block } in &self.blocks.first {
            for (root, leaf) in leaves.clone().enumerate() {
                let reach = &mut buffers.workspaces[0].reach[root * others..][..others];
                let (hands, padding) = reach.split_at_mut(weights[leaf].len());
                hands.copy_from_slice(&weights[leaf]);
                padding.fill(0.0);
            }
            self.block(*block, 0, 0, buffers)?;
            for (root, leaf) in leaves.clone().enumerate() {
                values[leaf].copy_from_slice(&buffers.workspaces[0].values[root * row..][..row]);
            }
        }
        Ok(values)
    }

    /// Processes a block on a board, in the workspaces from `depth` on, where its roots' weights
    /// are.
    fn block(
        &self,
        block: usize,
        board: usize,
        depth: usize,
        buffers: &mut PassBuffers<'_>,
    ) -> Result<(), ResponseError> {
        let block = &self.blocks.all[block];
        let [row, others] = self.view.rows(self.view.board(board));
        let roots = block.line.slots[self.view.player.index()];
        debug_assert!(roots * others <= buffers.workspaces[depth].reach.len());
        self.down(block, board, depth, buffers)?;
        let (on, (before, later)) =
            (self.view.board(board), buffers.workspaces.split_at_mut(depth + 1));
        let workspace = &mut before[depth];
        self.view.arrive(&block.line, Tile::all(others), workspace);
        self.view.ends(&block.line, on, workspace, later);
        self.view.leave(&block.line, on, Tile::all(row), workspace);
        self.deals(block, board, depth, buffers)?;
        self.up(&block.line, row, &mut buffers.workspaces[depth]);
        Ok(())
    }

    fn down(
        &self,
        block: &Block,
        board: usize,
        depth: usize,
        buffers: &mut PassBuffers<'_>,
    ) -> Result<(), ResponseError> {
        let [_, row] = self.view.rows(self.view.board(board));
        let me = self.view.player.index();
        let PassBuffers { workspaces, shares } = buffers;
        for (node, &number) in block.line.nodes.iter().zip(&block.numbers) {
            let Kind::Decision(decision) = &node.kind else { continue };
            if decision.player == self.view.player {
                continue;
            }
            let child = block.line.nodes[decision.child].slots[me];
            let (before, after) = workspaces[depth].reach.split_at_mut(child * row);
            let reach = &before[node.slots[me] * row..][..row];
            let children = &mut after[..decision.count * row];
            if is_zero(reach) {
                children.fill(0.0);
                continue;
            }
            let needed = decision.count * row;
            if shares.len() < needed {
                shares.resize(needed, 0.0);
            }
            self.agent[board].shares(number, row, &mut shares[..needed])?;
            vector::portion(&shares[..needed], reach, children);
        }
        Ok(())
    }

    fn up(&self, line: &Line, row: usize, workspace: &mut Workspace<Number>) {
        for (at, node) in line.nodes.iter().enumerate().rev() {
            let Kind::Decision(decision) = &node.kind else { continue };
            let (before, after) = workspace.values.split_at_mut(decision.child * row);
            let value = &mut before[at * row..][..row];
            let values = &after[..decision.count * row];
            if decision.player == self.view.player {
                vector::best(values, value, decision.count, row);
            } else {
                vector::sum(values, value, decision.count, row);
            }
        }
    }

    /// Processes what follows the deals of a block.
    fn deals(
        &self,
        block: &Block,
        board: usize,
        depth: usize,
        buffers: &mut PassBuffers<'_>,
    ) -> Result<(), ResponseError> {
        let board = self.view.board(board);
        let [row, others] = self.view.rows(board);
        let me = self.view.player.index();
        for Follow { leaves, block: follow } in &block.next {
            let leaves = &block.line.deals[leaves.clone()];
            let nodes =
                || leaves.iter().map(|leaf| (leaf.node, block.line.nodes[leaf.node].slots[me]));
            let workspace = &mut buffers.workspaces[depth];
            for (node, _) in nodes() {
                workspace.values[node * row..][..row].fill(0.0);
            }
            if nodes().all(|(_, slot)| is_zero(&workspace.reach[slot * others..][..others])) {
                continue;
            }
            for next in &board.next {
                let (workspaces, later) = buffers.workspaces.split_at_mut(depth + 1);
                for (root, (_, slot)) in nodes().enumerate() {
                    let reach = &workspaces[depth].reach[slot * others..][..others];
                    self.deal(board.chance, next, root, reach, &mut later[0]);
                }
                self.block(*follow, next.board, depth + 1, buffers)?;
                let (workspaces, later) = buffers.workspaces.split_at_mut(depth + 1);
                let [later_row, _] = self.view.rows(self.view.board(next.board));
                for (root, (node, _)) in nodes().enumerate() {
                    let values = &mut workspaces[depth].values[node * row..][..row];
                    let won = &later[0].values[root * later_row..][..later_row];
                    for deal in &next.cards {
                        for (&won, &before) in won.iter().zip(&deal.before[me]) {
                            values[before as usize] += won;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Computes the agent's weights after a card, for one root of the block that follows.
    fn deal(
        &self,
        chance: f64,
        next: &Next,
        root: usize,
        reach: &[Number],
        later: &mut Workspace<Number>,
    ) {
        let before = &next.cards[0].before[self.view.player.other().index()];
        let [_, others] = self.view.rows(self.view.board(next.board));
        let weights = &mut later.reach[root * others..][..others];
        let (weights, padding) = weights.split_at_mut(before.len());
        for (weight, &before) in weights.iter_mut().zip(before) {
            *weight = reach[before as usize] * chance;
        }
        padding.fill(0.0);
    }
}

fn is_zero(row: &[Number]) -> bool {
    row.iter().all(|&weight| weight == 0.0)
}
