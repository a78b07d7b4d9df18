//! The betting tree cut into blocks: betting of one street, small enough for its numbers to stay in
//! the nearest cache.
//!
//! A block holds several *lines* (the betting of a street after one betting history) that follow
//! the same block, so that terminal nodes of different lines fill the lanes of
//! `subgame::terminal` together. Its first nodes are the first nodes of its lines,
//! its *roots*. Otherwise it is a [`Line`].

use std::ops::Range;

use abstraction::betting::{BettingTree, NodeKind};

use crate::Player;
use crate::subgame::betting::{Decision, Ends, Kind, Leaf, Line, Node};

/// Maximum number of nodes of a block, unless a single line has more.
const NODES: usize = 24;

/// The betting from some nodes on, without cards.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) all: Vec<Block>,
    /// The blocks that have the given nodes as roots.
    pub(super) first: Vec<Follow>,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) line: Line,
    /// The index in the tree of each node.
    pub(super) numbers: Vec<u32>,
    /// The blocks after the deals.
    pub(super) next: Vec<Follow>,
}

/// A range of neighbouring leaves, and the block that has them as roots.
#[derive(Debug, Clone)]
pub(super) struct Follow {
    pub(super) leaves: Range<usize>,
    pub(super) block: usize,
}

impl Blocks {
    /// Builds the blocks from these nodes on, each of which is the first of the same street.
    pub(super) fn new(tree: &BettingTree, roots: &[u32]) -> Blocks {
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
        let (mut block, leaves) = Block::new(tree, roots, street);
        block.line.street = depth;
        let number = self.all.len();
        self.all.push(block);
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

impl Block {
    /// The block of these lines, and the nodes after its deals.
    fn new(tree: &BettingTree, roots: &[u32], street: usize) -> (Block, Vec<u32>) {
        let mut line = Line { slots: [roots.len(); 2], ..Line::default() };
        let mut numbers = roots.to_vec();
        let mut slots: Vec<[usize; 2]> = (0..roots.len()).map(|root| [root; 2]).collect();
        let mut leaves = Vec::new();
        let mut at = 0;
        while let Some(&number) = numbers.get(at) {
            let chips: f64 = tree.committed(number).into_iter().min().unwrap_or_default().into();
            let kind = match tree.node(number).kind {
                NodeKind::Showdown => Kind::Showdown(chips),
                NodeKind::Fold { winner } => {
                    Kind::Fold(Player::BOTH[1 - usize::from(winner)], chips)
                }
                NodeKind::Decision { seat, street: on, .. } if usize::from(on) == street => {
                    let player = Player::BOTH[usize::from(seat)];
                    let children = tree.node(number).children();
                    let decision = Decision {
                        player,
                        child: numbers.len(),
                        action: 0,
                        count: children.len(),
                        row: 0,
                        number: line.decisions,
                    };
                    line.decisions += 1;
                    let learner = player.other().index();
                    for child in children {
                        let mut of_child = slots[at];
                        of_child[learner] = line.slots[learner];
                        line.slots[learner] += 1;
                        slots.push(of_child);
                        numbers.push(child);
                    }
                    Kind::Decision(decision)
                }
                NodeKind::Decision { .. } => {
                    line.deals.push(Leaf { node: at, line: 0 });
                    leaves.push(number);
                    Kind::Deal(line.deals.len() - 1)
                }
            };
            line.nodes.push(Node { kind, slots: slots[at] });
            at += 1;
        }
        line.ends = Player::BOTH.map(|learner| Ends::new(&line.nodes, learner));
        (Block { line, numbers, next: Vec::new() }, leaves)
    }
}
