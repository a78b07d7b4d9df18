//! One traversal of everything that can follow on a board, for one responder: the agent's reach
//! weights are passed down to the terminal nodes, and the values of the responder's hands are
//! passed back up, with the best action for each hand.
//!
//! The betting tree is cut into blocks: betting of one street, small enough for its numbers to stay
//! in the nearest cache. A block holds several *lines* (the betting of a street after one betting
//! history) that follow the same block, so that terminal nodes of different lines fill the lanes of
//! `subgame::terminal` together. Its first nodes are the first nodes of its lines, its *roots*.
//! Otherwise it is a [`Line`].

use std::ops::Range;

use abstraction::betting::{BettingTree, NodeKind};

use crate::Error;
use crate::holdem::subgame::betting::Line;
use crate::holdem::subgame::boards::{Boards, Next};
use crate::holdem::subgame::storage::Tile;
use crate::holdem::subgame::traversal::{View, Workspace, WorkspaceSize};
use crate::holdem::subgame::vector;
use crate::strategy::BoardStrategy;

/// Maximum number of nodes of a block, unless a single line has more.
const NODES: usize = 24;

/// The betting from some nodes on, without cards.
#[derive(Debug)]
pub(crate) struct Blocks {
    all: Vec<Block>,
    /// The blocks that have the given nodes as roots.
    first: Vec<Follow>,
}

#[derive(Debug)]
struct Block {
    line: Line,
    /// The blocks after the deals.
    next: Vec<Follow>,
}

/// A range of neighbouring leaves, and the block that has them as roots.
#[derive(Debug, Clone)]
struct Follow {
    leaves: Range<usize>,
    block: usize,
}

impl Blocks {
    /// Builds the blocks from these nodes on, each of which is the first of the same street.
    pub(crate) fn new(tree: &BettingTree, roots: &[u32]) -> Blocks {
        let mut blocks = Blocks { all: Vec::new(), first: Vec::new() };
        let street = roots.first().map_or(0, |&root| tree.street(root).index());
        blocks.first = blocks.follow(tree, roots, street, 0);
        blocks
    }

    /// Adds blocks for lines that start at these nodes, on the street with this index.
    fn follow(
        &mut self,
        tree: &BettingTree,
        roots: &[u32],
        street: usize,
        depth: usize,
    ) -> Vec<Follow> {
        let mut follows = Vec::new();
        let (mut start, mut nodes) = (0, 0);
        for (at, &root) in roots.iter().enumerate() {
            let size = line_size(tree, root, street);
            if at > start && nodes + size > NODES {
                let block = self.add(tree, &roots[start..at], street, depth);
                follows.push(Follow { leaves: start..at, block });
                (start, nodes) = (at, 0);
            }
            nodes += size;
        }
        if start < roots.len() {
            let block = self.add(tree, &roots[start..], street, depth);
            follows.push(Follow { leaves: start..roots.len(), block });
        }
        follows
    }

    fn add(&mut self, tree: &BettingTree, roots: &[u32], street: usize, depth: usize) -> usize {
        let (mut line, leaves) = Line::new(tree, roots);
        line.street = depth;
        let number = self.all.len();
        self.all.push(Block { line, next: Vec::new() });
        let next = self.follow(tree, &leaves, street + 1, depth + 1);
        self.all[number].next = next;
        number
    }
}

/// Number of nodes of the line that starts here.
fn line_size(tree: &BettingTree, node: u32, street: usize) -> usize {
    let children = match tree.node(node).kind {
        NodeKind::Decision { street: on, .. } if usize::from(on) == street => {
            tree.node(node).children()
        }
        _ => 0..0,
    };
    1 + children.map(|child| line_size(tree, child, street)).sum::<usize>()
}

/// The floating-point type.
type Number = f64;

/// A traversal.
pub(crate) struct Pass<'a> {
    pub(crate) blocks: &'a Blocks,
    /// The boards, with the responder as the player.
    pub(crate) view: View<'a>,
    /// The agent's strategy on each of the boards.
    pub(crate) agent: &'a [Box<dyn BoardStrategy + 'a>],
}

/// Buffers of a traversal.
pub(crate) struct PassBuffers<'a> {
    /// One for each street, from the first.
    pub(crate) workspaces: &'a mut [Workspace<Number>],
    pub(crate) shares: Vec<f32>,
}

/// The workspace sizes of each street, from the first.
pub(crate) fn workspaces(blocks: &Blocks, boards: &Boards) -> Vec<WorkspaceSize> {
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
    pub(crate) fn run(
        &self,
        weights: &[Vec<Number>],
        buffers: &mut PassBuffers<'_>,
    ) -> Result<Vec<Vec<Number>>, Error> {
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
    ) -> Result<(), Error> {
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
    ) -> Result<(), Error> {
        let [_, row] = self.view.rows(self.view.board(board));
        let PassBuffers { workspaces, shares } = buffers;
        for decision in &block.line.decisions {
            if decision.player == self.view.player {
                continue;
            }
            let (before, after) = workspaces[depth].reach.split_at_mut(decision.child_slot * row);
            let reach = &before[decision.slot * row..][..row];
            let children = &mut after[..decision.count * row];
            if is_zero(reach) {
                children.fill(0.0);
                continue;
            }
            let needed = decision.count * row;
            if shares.len() < needed {
                shares.resize(needed, 0.0);
            }
            let number = block.line.nodes[decision.node];
            self.agent[board].probabilities(number, row, &mut shares[..needed])?;
            vector::portion(&shares[..needed], reach, children);
        }
        Ok(())
    }

    fn up(&self, line: &Line, row: usize, workspace: &mut Workspace<Number>) {
        for decision in line.decisions.iter().rev() {
            let (before, after) = workspace.values.split_at_mut(decision.child * row);
            let value = &mut before[decision.node * row..][..row];
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
    ) -> Result<(), Error> {
        let board = self.view.board(board);
        let [row, others] = self.view.rows(board);
        let me = self.view.player.index();
        for Follow { leaves, block: follow } in &block.next {
            let leaves = &block.line.deals[leaves.clone()];
            let nodes = || leaves.iter().map(|leaf| (leaf.node, leaf.slots[me]));
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
