//! Games in memory: two-player zero-sum games in extensive form.
//!
//! A small game implements [`Game`] ([`games`]), is laid out as a [`Tree`], and converted to
//! [`Sequences`], on which [`Cfr`] in every [`Variant`](crate::Variant), best responses
//! ([`Profile`]) and [linear programs](linear) run; [`Sampling`] runs on the tree; [`solve`] runs
//! any of them by name.

mod cfr;
pub mod games;
pub mod linear;
mod sampling;
mod sequences;
pub mod solve;

pub use cfr::Cfr;
pub use sampling::{Sampling, SamplingOptions, Scheme};
pub use sequences::{Choice, Profile, Sequences};

use std::collections::HashMap;

use crate::error::{Error, Kind};

/// A player of a two-player game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Player {
    /// The first player. Utilities are this player's winnings.
    First = 0,
    /// The second player, who wins what the first loses.
    Second = 1,
}

impl Player {
    /// Both players, in order.
    pub const BOTH: [Player; 2] = [Player::First, Player::Second];

    /// The player's index, 0 or 1.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }
}

/// A node of a game in extensive form.
#[derive(Debug, Clone)]
pub enum Node<S> {
    /// A terminal node, with the first player's winnings.
    End(f64),
    /// A chance node: the probability and state of each outcome. Probabilities sum to one.
    Chance(Vec<(f64, S)>),
    /// A decision node.
    Decision {
        /// The acting player.
        player: Player,
        /// The information set, as text: nodes with the same text are in one, and have the same
        /// actions in the same order.
        infoset: String,
        /// The name and resulting state of each action. Not empty.
        actions: Vec<(String, S)>,
    },
}

/// A two-player zero-sum game in extensive form with perfect recall.
///
/// Small games implement it ([`games`]) and are then laid out as a [`Tree`].
pub trait Game {
    /// A state of the game.
    type State;

    /// The initial state.
    fn root(&self) -> Self::State;

    /// The node of this state.
    fn node(&self, state: &Self::State) -> Node<Self::State>;
}

/// Number of an information set of one player, counted from 0 in order of discovery.
pub type InfosetId = u32;

/// A game tree. Node 0 is the root; the children of a node are consecutive and come after it.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    /// Probability of the edge into each node at chance nodes; 1 where a player moves.
    chance: Vec<f64>,
    infosets: [Vec<Infoset>; 2],
}

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TreeNode {
    /// A terminal node, with the first player's winnings.
    End(f64),
    /// A chance node.
    Chance {
        /// The first child's number.
        first: u32,
        /// Number of children.
        count: u32,
    },
    /// A decision node.
    Decision {
        /// The acting player.
        player: Player,
        /// The player's information set.
        infoset: InfosetId,
        /// The first child's number.
        first: u32,
        /// Number of children, one for each action.
        count: u32,
    },
}

/// An information set, with its actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Infoset {
    /// The name in the game.
    pub name: String,
    /// Names of the actions, in order.
    pub actions: Vec<String>,
    /// The player's previous own choice: information set and action. `None` for the first.
    pub parent: Option<(InfosetId, u32)>,
}

impl Tree {
    /// Lays out a game of at most `most` nodes.
    ///
    /// Time and memory are proportional to the nodes; most of the memory is for the game's states,
    /// and is released at the end.
    pub fn new<G: Game>(game: &G, most: usize) -> Result<Tree, Error> {
        let mut layout = Layout::default();
        layout.add(1.0, Pending { state: game.root(), own: [None; 2] }, most)?;
        let mut at = 0;
        while let Some(pending) = layout.pending.get_mut(at).and_then(Option::take) {
            let node = layout.node(game, &pending, most)?;
            layout.nodes[at] = node;
            at += 1;
        }
        let Layout { nodes, chance, infosets, .. } = layout;
        Ok(Tree { nodes, chance, infosets })
    }

    /// All nodes; children have higher numbers than their parents.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Probability of the edge into this node at a chance node; 1 where a player moved, and at the
    /// root.
    #[inline]
    pub fn chance(&self, node: u32) -> f64 {
        self.chance[node as usize]
    }

    /// A player's information sets; parents precede children.
    pub fn infosets(&self, player: Player) -> &[Infoset] {
        &self.infosets[player.index()]
    }
}

/// A node with a number that has not been expanded yet.
struct Pending<S> {
    state: S,
    /// Each player's last own choice on the path.
    own: [Option<(InfosetId, u32)>; 2],
}

/// The state of the breadth-first layout.
struct Layout<S> {
    nodes: Vec<TreeNode>,
    chance: Vec<f64>,
    pending: Vec<Option<Pending<S>>>,
    infosets: [Vec<Infoset>; 2],
    names: [HashMap<String, InfosetId>; 2],
}

impl<S> Default for Layout<S> {
    fn default() -> Self {
        Layout {
            nodes: Vec::new(),
            chance: Vec::new(),
            pending: Vec::new(),
            infosets: Default::default(),
            names: Default::default(),
        }
    }
}

impl<S> Layout<S> {
    fn add(&mut self, chance: f64, pending: Pending<S>, most: usize) -> Result<(), Error> {
        if self.nodes.len() >= most.min(u32::MAX as usize) {
            let text = format!(
                "the tree has more than {most} nodes: raise the limit, or solve a smaller game"
            );
            return Err(Error::with_kind(Kind::TooLarge, text));
        }
        self.nodes.push(TreeNode::End(0.0));
        self.chance.push(chance);
        self.pending.push(Some(pending));
        Ok(())
    }

    /// Expands a state into a node, with numbers for its children.
    fn node<G: Game<State = S>>(
        &mut self,
        game: &G,
        pending: &Pending<S>,
        most: usize,
    ) -> Result<TreeNode, Error> {
        let first = self.nodes.len() as u32;
        match game.node(&pending.state) {
            Node::End(utility) => Ok(TreeNode::End(utility)),
            Node::Chance(outcomes) => {
                let sum: f64 = outcomes.iter().map(|(probability, _)| probability).sum();
                if (sum - 1.0).abs() > 1e-9 {
                    return Err(Error::new(format!(
                        "chance probabilities at a node sum to {sum}, not 1"
                    )));
                }
                let count = outcomes.len() as u32;
                for (probability, state) in outcomes {
                    self.add(probability, Pending { state, own: pending.own }, most)?;
                }
                Ok(TreeNode::Chance { first, count })
            }
            Node::Decision { player, infoset, actions } => {
                let (names, states): (Vec<_>, Vec<_>) = actions.into_iter().unzip();
                let count = states.len() as u32;
                let id = self.infoset(player, infoset, names, pending.own[player.index()])?;
                for (action, state) in (0..).zip(states) {
                    let mut own = pending.own;
                    own[player.index()] = Some((id, action));
                    self.add(1.0, Pending { state, own }, most)?;
                }
                Ok(TreeNode::Decision { player, infoset: id, first, count })
            }
        }
    }

    /// The number of this information set, which must be consistent with earlier nodes.
    fn infoset(
        &mut self,
        player: Player,
        name: String,
        actions: Vec<String>,
        parent: Option<(InfosetId, u32)>,
    ) -> Result<InfosetId, Error> {
        if actions.is_empty() {
            return Err(Error::new("a node has no children"));
        }
        let infosets = &mut self.infosets[player.index()];
        if let Some(&id) = self.names[player.index()].get(&name) {
            let known = &infosets[id as usize];
            return match (known.actions == actions, known.parent == parent) {
                (false, _) => Err(Error::new(format!(
                    "information set '{name}' offers different actions at different points"
                ))),
                (_, false) => Err(Error::new(format!(
                    "information set '{name}' is reached by different choices of the same player: \
                     no perfect recall"
                ))),
                _ => Ok(id),
            };
        }
        let id = infosets.len() as InfosetId;
        self.names[player.index()].insert(name.clone(), id);
        infosets.push(Infoset { name, actions, parent });
        Ok(id)
    }
}
