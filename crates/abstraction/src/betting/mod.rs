//! The betting tree of an abstract game for two players: laid out flat, counted before it is built.
//!
//! A tree is a game definition with a [`BetMenu`], without cards. Nodes are decision and terminal
//! nodes; a deal of board cards is part of the edge to the next node, whose street tells. Node 0 is
//! the root. The children of a node have consecutive numbers, in the order of the menu's actions.
//! Decisions and values are numbered depth first, so nodes that are near in play are near in
//! memory.
//!
//! Trainers and blueprints store values: one for each action of each *information set*, which is a
//! decision node with a card bucket. Every street has its own table. With `b` buckets on the
//! street, the values of bucket `k` at a node with `a` actions are at index `first_slot * b + k *
//! a` and the `a - 1` following ones: sorted by node, then bucket, then action. The table has
//! [`BettingTree::slots`] times `b` entries.

mod build;
mod hash;
mod size;

use std::ops::Range;
use std::sync::Arc;

use game::{Action, Betting, Chips, GameDef, Street};

use crate::menu::BetMenu;

pub use build::TreeError;
pub use hash::game_hash;
pub use size::TreeSize;

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A decision node.
    Decision {
        /// The acting seat, 0 or 1.
        seat: u8,
        /// The street, 0 for preflop.
        street: u8,
        /// The number of this decision among those of its street, from 0.
        index: u32,
        /// Total number of actions of the earlier decisions of the same street.
        first_slot: u32,
    },
    /// A terminal node with a showdown, after the rest of the board if cards are missing.
    Showdown,
    /// A terminal node after a fold.
    Fold {
        /// The seat that wins the pot.
        winner: u8,
    },
}

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The node's kind.
    pub kind: NodeKind,
    first_child: u32,
    children: u8,
    street: u8,
}

impl Node {
    /// The numbers of the node's children, one for each action; empty at a terminal node.
    #[inline]
    pub fn children(&self) -> Range<u32> {
        self.first_child..self.first_child + u32::from(self.children)
    }
}

/// The betting tree of an abstract game. See the [module](self).
#[derive(Debug, Clone)]
pub struct BettingTree {
    def: Arc<GameDef>,
    menu: BetMenu,
    nodes: Vec<Node>,
    /// For each node, the action that leads to it; a meaningless fold for the root.
    incoming: Vec<Action>,
    parents: Vec<u32>,
    committed: Vec<[Chips; 2]>,
    size: TreeSize,
}

impl BettingTree {
    /// The number of the root.
    pub const ROOT: u32 = 0;

    /// Counts the tree, then builds it.
    ///
    /// # Errors
    /// [`TreeError`] when the game is not for two players, or the tree has more than `limit` nodes
    /// or is infinite; nothing is built then.
    pub fn new(def: &Arc<GameDef>, menu: &BetMenu, limit: u64) -> Result<BettingTree, TreeError> {
        build::build(def, menu, TreeSize::count(def, menu, limit)?)
    }

    /// The game.
    pub fn def(&self) -> &Arc<GameDef> {
        &self.def
    }

    /// The menu.
    pub fn menu(&self) -> &BetMenu {
        &self.menu
    }

    /// All nodes; the first is the root.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node with this number.
    #[inline]
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The abstract actions of a node, in the order of its children. Raises are totals over the
    /// whole hand.
    #[inline]
    pub fn actions(&self, node: u32) -> &[Action] {
        let children = self.node(node).children();
        &self.incoming[children.start as usize..children.end as usize]
    }

    /// The child of a node by an action, or `None` when the menu does not have it there.
    pub fn child(&self, node: u32, action: Action) -> Option<u32> {
        let index = self.actions(node).iter().position(|&known| known == action)?;
        Some(self.node(node).children().start + index as u32)
    }

    /// The parent of a node; `None` for the root.
    pub fn parent(&self, node: u32) -> Option<u32> {
        (node != Self::ROOT).then(|| self.parents[node as usize])
    }

    /// Chips that each seat has put in over the whole hand at this node.
    #[inline]
    pub fn committed(&self, node: u32) -> [Chips; 2] {
        self.committed[node as usize]
    }

    /// The street of a decision; for a terminal node the street whose cards were dealt last, which
    /// is the game's last one at a showdown.
    #[inline]
    pub fn street(&self, node: u32) -> Street {
        Street::ALL[self.node(node).street as usize]
    }

    /// The counts of nodes, decisions and values.
    pub fn size(&self) -> &TreeSize {
        &self.size
    }

    /// Number of decision nodes of a street.
    pub fn decisions(&self, street: Street) -> u32 {
        // A tree has fewer nodes than fit in 32 bits.
        self.size.decisions[street.index()] as u32
    }

    /// Total number of actions of a street's decision nodes.
    pub fn slots(&self, street: Street) -> u64 {
        self.size.slots[street.index()]
    }

    /// The decision nodes of a street in the order of their index, which is that of their slots.
    pub fn decision_nodes(&self, street: Street) -> Vec<u32> {
        let mut found = vec![0; self.decisions(street) as usize];
        for (number, node) in (0..).zip(&self.nodes) {
            if let NodeKind::Decision { street: on, index, .. } = node.kind
                && usize::from(on) == street.index()
            {
                found[index as usize] = number;
            }
        }
        found
    }

    /// SHA-256, in hexadecimal digits, of the game and the menu, which together determine the tree.
    pub fn hash(&self) -> String {
        hash::tree_hash(&self.def, &self.menu)
    }

    /// The betting that leads to a node, in the notation of the ACPC protocol, such as
    /// `r250c/cr500`.
    pub fn betting(&self, node: u32) -> String {
        let mut steps = Vec::new();
        let mut below = node;
        while let Some(parent) = self.parent(below) {
            steps.push((self.street(parent), self.incoming[below as usize]));
            below = parent;
        }
        let mut text = String::new();
        let mut street = Street::Preflop;
        for (on, action) in steps.into_iter().rev() {
            while street < on {
                text.push('/');
                street = street.next().expect("before another street");
            }
            match action {
                Action::Fold => text.push('f'),
                Action::Call => text.push('c'),
                Action::RaiseTo(_) if self.def.betting == Betting::Limit => text.push('r'),
                Action::RaiseTo(total) => text.push_str(&format!("r{total}")),
            }
        }
        let there = self.street(node);
        while street < there {
            text.push('/');
            street = street.next().expect("before another street");
        }
        text
    }
}
