//! The betting of one street, from where it begins to its ends.

use abstraction::betting::{BettingTree, NodeKind};
use game::{Action, Chips, Street};

use crate::Player;

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// Fold; where nothing is owed, check.
    Fold,
    /// Check or call.
    Call,
    /// Bet or raise; where no raise is left, call.
    Raise,
}

impl Move {
    /// All three.
    pub const ALL: [Move; 3] = [Move::Fold, Move::Call, Move::Raise];
}

/// What a player sees of the betting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Situation {
    /// Chips that both players have put in so far, over the whole hand.
    pub pot: Chips,
    /// Whether the opponent's last action, on whatever street, was a bet or raise.
    pub aggressive: bool,
}

/// A step of a street's betting for one player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The player acts: its number among the player's decisions, and where each [`Move`] leads.
    Own { decision: usize, next: [usize; 3] },
    /// The opponent acts.
    Other { next: Vec<usize> },
    /// The street or the hand is over: the number of the end.
    End(usize),
}

/// The betting of a street after one line, as one player sees it. Steps are numbered depth first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StreetBetting {
    pub(super) steps: Vec<Step>,
    /// The tree's node of each step.
    pub(super) nodes: Vec<u32>,
    /// The steps that are ends.
    pub(super) ends: Vec<usize>,
    /// The steps of the player's decisions.
    pub(super) decisions: Vec<usize>,
}

impl StreetBetting {
    pub(super) fn new(tree: &BettingTree, first: u32, player: Player) -> StreetBetting {
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

    /// Where a move leads.
    pub(super) fn after(tree: &BettingTree, node: u32, made: Move) -> u32 {
        let place = |wanted: fn(&Action) -> bool| tree.actions(node).iter().position(wanted);
        let found = match made {
            Move::Fold => place(|action| *action == Action::Fold),
            Move::Call => None,
            Move::Raise => place(|action| matches!(action, Action::RaiseTo(_))),
        };
        let place = found.or_else(|| place(|action| *action == Action::Call));
        tree.node(node).children().start + place.expect("whoever acts may check or call") as u32
    }

    /// What a player sees at a node.
    pub(super) fn situation(tree: &BettingTree, node: u32, player: Player) -> Situation {
        let pot = tree.committed(node).iter().sum();
        let mut below = node;
        while let Some(parent) = tree.parent(below) {
            if let NodeKind::Decision { seat, .. } = tree.node(parent).kind
                && usize::from(seat) != player.index()
            {
                let place = (below - tree.node(parent).children().start) as usize;
                let aggressive = matches!(tree.actions(parent)[place], Action::RaiseTo(_));
                return Situation { pot, aggressive };
            }
            below = parent;
        }
        Situation { pot, aggressive: false }
    }
}

/// The nodes at which a street's betting begins.
pub(super) fn lines(tree: &BettingTree, street: Street) -> Vec<u32> {
    let starts = |&node: &u32| {
        tree.parent(node).is_some_and(|parent| tree.street(parent) < tree.street(node))
    };
    tree.decision_nodes(street).into_iter().filter(starts).collect()
}
