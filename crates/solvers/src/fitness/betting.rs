//! The betting tree of one street, for a player with a rule.

use abstraction::betting::{BettingTree, NodeKind};
use game::{Action, Chips, Street};

use crate::Player;

/// A move of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// Fold; check where nothing is owed.
    Fold,
    /// Check or call.
    Call,
    /// Bet or raise; call where no raise is left.
    Raise,
}

impl Move {
    /// All three.
    pub const ALL: [Move; 3] = [Move::Fold, Move::Call, Move::Raise];
}

/// The part of the betting that a rule may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Situation {
    /// The pot: chips that both players have put in over the whole hand.
    pub pot: Chips,
    /// Whether the opponent's last action, on whatever street, was a bet or raise.
    pub aggressive: bool,
}

/// A node of a street's betting from one player's view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A decision of the player: its index among them, and the next step for each [`Move`].
    Own { decision: usize, next: [usize; 3] },
    /// A decision of the opponent.
    Other { next: Vec<usize> },
    /// The end of the street or the hand, with the index of the end.
    End(usize),
}

/// The betting of a street after one line, from one player's view. Steps are numbered depth first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreetBetting {
    pub(crate) steps: Vec<Step>,
    /// The tree's node of each step.
    pub(crate) nodes: Vec<u32>,
    /// The steps that are ends.
    pub(crate) ends: Vec<usize>,
    /// The steps of the player's decisions.
    pub(crate) decisions: Vec<usize>,
}

impl StreetBetting {
    pub(crate) fn new(tree: &BettingTree, first: u32, player: Player) -> StreetBetting {
        let (steps, nodes) = (Vec::new(), Vec::new());
        let (ends, decisions) = (Vec::new(), Vec::new());
        let mut betting = StreetBetting { steps, nodes, ends, decisions };
        betting.add(tree, first, tree.street(first), player);
        betting
    }

    fn add(&mut self, tree: &BettingTree, node: u32, street: Street, player: Player) -> usize {
        let number = self.steps.len();
        self.nodes.push(node);
        self.steps.push(Step::End(0));
        let step = match tree.node(node).kind {
            NodeKind::Decision { seat, street: on, .. } if usize::from(on) == street.index() => {
                let children = tree.node(node).children();
                let next: Vec<usize> =
                    children.map(|child| self.add(tree, child, street, player)).collect();
                if usize::from(seat) == player.index() {
                    self.decisions.push(number);
                    let start = tree.node(node).children().start;
                    let next = Move::ALL
                        .map(|made| next[(Self::after(tree, node, made) - start) as usize]);
                    Step::Own { decision: self.decisions.len() - 1, next }
                } else {
                    Step::Other { next }
                }
            }
            _ => {
                self.ends.push(number);
                Step::End(self.ends.len() - 1)
            }
        };
        self.steps[number] = step;
        number
    }

    /// The child node after a move.
    pub(crate) fn after(tree: &BettingTree, node: u32, made: Move) -> u32 {
        let index = |wanted: fn(&Action) -> bool| tree.actions(node).iter().position(wanted);
        let found = match made {
            Move::Fold => index(|action| *action == Action::Fold),
            Move::Call => None,
            Move::Raise => index(|action| matches!(action, Action::RaiseTo(_))),
        };
        let index = found.or_else(|| index(|action| *action == Action::Call));
        tree.node(node).children().start + index.expect("whoever acts may check or call") as u32
    }

    /// The situation of a player at a node.
    pub(crate) fn situation(tree: &BettingTree, node: u32, player: Player) -> Situation {
        let pot = tree.committed(node).iter().sum();
        let mut below = node;
        while let Some(parent) = tree.parent(below) {
            if let NodeKind::Decision { seat, .. } = tree.node(parent).kind
                && usize::from(seat) != player.index()
            {
                let index = (below - tree.node(parent).children().start) as usize;
                let aggressive = matches!(tree.actions(parent)[index], Action::RaiseTo(_));
                return Situation { pot, aggressive };
            }
            below = parent;
        }
        Situation { pot, aggressive: false }
    }
}

/// The nodes at which a street's betting begins.
pub(crate) fn lines(tree: &BettingTree, street: Street) -> Vec<u32> {
    let starts = |&node: &u32| {
        tree.parent(node).is_some_and(|parent| tree.street(parent) < tree.street(node))
    };
    tree.decision_nodes(street).into_iter().filter(starts).collect()
}
