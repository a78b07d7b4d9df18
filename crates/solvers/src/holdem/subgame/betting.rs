//! Where a traversal keeps its numbers: the rows and slots of the decisions of a betting tree, and
//! its ends, street by street.
//!
//! A *line* is the betting of one street after one betting history. It is the same for all cards,
//! so it is stored once. Its nodes are in breadth-first order: the children of a node are adjacent
//! and come after it. Each decision has a *row* of numbers for each action. While the other player
//! learns, each action of a decision has a *slot* for the hands that reach it.

use abstraction::betting::{BettingTree, NodeKind};
use game::{Action, PublicState, Seat};

use super::terminal::LANES;
use crate::{Error, Player};

/// A betting tree in lines. Line 0 is the street it starts on.
#[derive(Debug)]
pub(crate) struct Betting {
    tree: BettingTree<()>,
    pub(crate) lines: Vec<Line>,
}

/// The betting of one street.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Streets since the first.
    pub(crate) street: usize,
    /// The number in the tree of each node.
    pub(crate) nodes: Vec<u32>,
    pub(crate) decisions: Vec<Decision>,
    /// The nodes after which a card is dealt, each with the line that follows.
    pub(crate) deals: Vec<Leaf>,
    /// Number of rows of each player's decisions: one per action.
    pub(crate) rows: [usize; 2],
    /// Number of slots while each player learns.
    pub(crate) slots: [usize; 2],
    /// The terminal nodes of the hand, for each player as the learner.
    pub(crate) ends: [Ends; 2],
}

/// A decision of a player.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decision {
    /// Index among the line's nodes; below, that of the first child.
    pub(crate) node: usize,
    pub(crate) child: usize,
    /// Number of actions.
    pub(crate) count: usize,
    pub(crate) player: Player,
    /// Index of the first of the player's rows.
    pub(crate) row: usize,
    /// Index among the line's decisions.
    pub(crate) number: usize,
    /// The slot of the player's hands here while the other learns; below, that of the first child.
    pub(crate) slot: usize,
    pub(crate) child_slot: usize,
}

/// A node after which a card is dealt and the betting goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) node: usize,
    pub(crate) line: usize,
    /// The slot of the other player's hands, while each player learns.
    pub(crate) slots: [usize; 2],
}

/// The terminal nodes of a line for one learner, by the slot of the opponent's hands that reach
/// them.
#[derive(Debug, Default)]
pub(crate) struct Ends(
    /// First those with only a showdown, then those with both, then those with only a fold.
    Vec<End>,
);

/// Terminal nodes reached by the same slot of the opponent's hands: each an index of a node and the
/// chips that the learner wins there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct End {
    pub(crate) slot: usize,
    pub(crate) fold: Option<(usize, f64)>,
    pub(crate) showdown: Option<(usize, f64)>,
}

/// The player in a seat of a two-player game.
pub(crate) fn player_of(seat: Seat) -> Player {
    Player::BOTH[usize::from(seat.index() != 0)]
}

impl Betting {
    /// The betting from a state to the end of the hand, with at most `most` nodes.
    pub(crate) fn new(
        root: &PublicState,
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        most: usize,
    ) -> Result<Betting, Error> {
        let tree = BettingTree::from_state(root, menu, most as u64)?;
        let mut lines: Vec<Line> = Vec::new();
        let mut waiting: Vec<(u32, Option<(usize, usize)>)> = vec![(BettingTree::ROOT, None)];
        while let Some((first, from)) = waiting.pop() {
            let number = lines.len();
            let (mut line, next) = Line::new(&tree, &[first]);
            if let Some((parent, leaf)) = from {
                let parent = &mut lines[parent];
                parent.deals[leaf].line = number;
                line.street = parent.street + 1;
            }
            lines.push(line);
            let next = next.into_iter().enumerate();
            waiting.extend(next.map(|(leaf, first)| (first, Some((number, leaf)))));
        }
        Ok(Betting { tree, lines })
    }

    /// The betting from a state to the end of its street, with at most `most` nodes: one line.
    pub(crate) fn of_street(
        root: &PublicState,
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        most: usize,
    ) -> Result<Betting, Error> {
        let tree = BettingTree::of_street(root, menu, most as u64)?;
        let (line, _) = Line::new(&tree, &[BettingTree::ROOT]);
        Ok(Betting { tree, lines: vec![line] })
    }

    /// The actions of a decision of a line.
    pub(crate) fn actions(&self, line: &Line, decision: &Decision) -> &[Action] {
        self.tree.actions(line.nodes[decision.node])
    }

    /// The state at a node of a line, with arbitrary cards after those of the root.
    pub(crate) fn state(&self, line: &Line, node: usize) -> PublicState {
        self.tree.state_at(line.nodes[node])
    }
}

impl Line {
    /// The betting of the street that begins at these nodes of a tree, which become its first, and
    /// the nodes after its deals. Several first nodes are several lines side by side.
    pub(crate) fn new<M>(tree: &BettingTree<M>, first: &[u32]) -> (Line, Vec<u32>) {
        let street = first.first().map(|&node| tree.street(node));
        let mut line = Line { nodes: first.to_vec(), slots: [first.len(); 2], ..Line::default() };
        let mut slots: Vec<[usize; 2]> = (0..first.len()).map(|at| [at; 2]).collect();
        let mut next = Vec::new();
        let mut at = 0;
        while let Some(&number) = line.nodes.get(at) {
            let chips: f64 = tree.committed(number).into_iter().min().unwrap_or_default().into();
            match tree.node(number).kind {
                NodeKind::Decision { seat, .. } if Some(tree.street(number)) == street => {
                    let player = Player::BOTH[usize::from(seat)];
                    let children = tree.node(number).children();
                    // While the other player learns, the acting player's hands are split among the
                    // children.
                    let learner = player.other().index();
                    let decision = Decision {
                        node: at,
                        child: line.nodes.len(),
                        count: children.len(),
                        player,
                        row: line.rows[player.index()],
                        number: line.decisions.len(),
                        slot: slots[at][learner],
                        child_slot: line.slots[learner],
                    };
                    line.rows[player.index()] += decision.count;
                    line.slots[learner] += decision.count;
                    for (index, child) in children.enumerate() {
                        let mut of_child = slots[at];
                        of_child[learner] = decision.child_slot + index;
                        slots.push(of_child);
                        line.nodes.push(child);
                    }
                    line.decisions.push(decision);
                }
                NodeKind::Decision { .. } => {
                    line.deals.push(Leaf { node: at, line: 0, slots: slots[at] });
                    next.push(number);
                }
                NodeKind::Fold { winner } => {
                    for learner in Player::BOTH {
                        let won = learner.index() == usize::from(winner);
                        let fold = Some((at, if won { chips } else { -chips }));
                        line.ends[learner.index()].at_slot(slots[at][learner.index()]).fold = fold;
                    }
                }
                NodeKind::Showdown => {
                    for (ends, slot) in line.ends.iter_mut().zip(slots[at]) {
                        ends.at_slot(slot).showdown = Some((at, chips));
                    }
                }
            }
            at += 1;
        }
        for Ends(ends) in &mut line.ends {
            ends.sort_by_key(|end| (end.showdown.is_none(), end.fold.is_some()));
        }
        (line, next)
    }

    /// The decision at a node, if it is one.
    pub(crate) fn decision(&self, node: usize) -> Option<&Decision> {
        let found = self.decisions.binary_search_by_key(&node, |decision| decision.node);
        found.ok().map(|number| &self.decisions[number])
    }

    /// The number of the deal at a node, if there is one.
    pub(crate) fn deal(&self, node: usize) -> Option<usize> {
        self.deals.binary_search_by_key(&node, |leaf| leaf.node).ok()
    }
}

impl Ends {
    /// The ends reached by a slot, which may be none yet.
    fn at_slot(&mut self, slot: usize) -> &mut End {
        let found = self.0.iter().position(|end| end.slot == slot);
        let at = found.unwrap_or_else(|| {
            self.0.push(End { slot, ..End::default() });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// All of them, in the order of their groups.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &End> {
        self.0.iter()
    }

    /// Groups of at most [`LANES`] terminal nodes, which are computed together. The order of the
    /// nodes keeps the number of groups with a showdown, and with a fold, as small as possible.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[End]> {
        self.0.chunks(LANES)
    }
}
