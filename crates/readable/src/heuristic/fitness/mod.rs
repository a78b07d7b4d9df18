//! Exact fitness of rules for one street of limit hold'em against a blueprint.
//!
//! The setting is that of de Mesentier Silva, Togelius, Lantz and Nealen, "Generating Novice
//! Heuristics for Post-Flop Poker" (2018), section VI: the blueprint plays itself up to the street,
//! one of the two players follows the rule there, in half the matches from each seat, and after the
//! street the rest of the board is dealt without betting. The paper samples 400,000 matches for
//! each rule ([`sample`]); here every deal is counted:
//!
//! 1. [`ClassCounts`](solvers::counting::ClassCounts) are whole numbers: over all deals, how often
//!    a player with a bucket path and a hand of some class ([`HandClasses`]: the part of it that a
//!    rule may see) meets an opponent with a bucket path, and the margin of wins over losses.
//! 2. [`Fitness`] combines them with the blueprint: the winnings of each class at each end of the
//!    street's betting, with earlier betting aggregated by the pot and the opponent's last action.
//! 3. [`Fitness::value`] adds up the ends that a rule reaches: below a millisecond, no noise.
//!
//! [`best_response`] is the value of a best response to a rule there.

mod sample;
mod table;

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::facts::{Facts, Texture, made, outs};
use cards::{CardSet, Category, Combo, Rank};
use game::{Action, Chips, Street};
pub use sample::{Match, Sampler};

use solvers::Player;
use solvers::counting::HandClasses;
pub use table::{Fitness, Group, MoveTable, best_response};

use super::Act;

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

/// The move that an act makes in a limit game, where bets of any size are raises.
impl From<Act> for Move {
    fn from(act: Act) -> Move {
        match act {
            Act::Fold => Move::Fold,
            Act::Call => Move::Call,
            Act::Raise | Act::Bet(_) | Act::AllIn => Move::Raise,
        }
    }
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
enum Step {
    /// A decision of the player: its index among them, and the next step for each [`Move`].
    Own { decision: usize, next: [usize; 3] },
    /// A decision of the opponent.
    Other { next: Vec<usize> },
    /// The end of the street or the hand, with the index of the end.
    End(usize),
}

/// The betting of a street after one line, from one player's view. Steps are numbered depth first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StreetBetting {
    steps: Vec<Step>,
    /// The tree's node of each step.
    nodes: Vec<u32>,
    /// The steps that are ends.
    ends: Vec<usize>,
    /// The steps of the player's decisions.
    decisions: Vec<usize>,
}

impl StreetBetting {
    fn new(tree: &BettingTree, first: u32, player: Player) -> StreetBetting {
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
    fn after(tree: &BettingTree, node: u32, made: Move) -> u32 {
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
    fn situation(tree: &BettingTree, node: u32, player: Player) -> Situation {
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
fn lines(tree: &BettingTree, street: Street) -> Vec<u32> {
    let starts = |&node: &u32| {
        tree.parent(node).is_some_and(|parent| tree.street(parent) < tree.street(node))
    };
    tree.decision_nodes(street).into_iter().filter(starts).collect()
}

/// Number of possible outs, including 0.
const OUTS: usize = 32;
const HIGHS: usize = Rank::COUNT as usize;
const CATEGORIES: usize = Category::ALL.len();

/// The hand classes of all [`Facts`], one for each combination: category, highest card, outs, and
/// whether the board is dry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FactClasses {
    /// The definition of a dry board.
    pub texture: Texture,
}

impl FactClasses {
    /// The class of facts.
    pub fn class(facts: Facts) -> u16 {
        let Facts { category, high, outs, dry } = facts;
        let made = category as usize * HIGHS + usize::from(high.index());
        let class = (usize::from(outs) * CATEGORIES * HIGHS + made) * 2 + usize::from(dry);
        class as u16
    }

    /// The facts of a class; `None` for an invalid number.
    pub fn facts(class: u16) -> Option<Facts> {
        let (rest, dry) = (usize::from(class) / 2, class % 2 == 1);
        let (outs, made) = (rest / (CATEGORIES * HIGHS), rest % (CATEGORIES * HIGHS));
        let category = *Category::ALL.get(made / HIGHS)?;
        let high = Rank::new((made % HIGHS) as u8)?;
        (outs < OUTS).then_some(Facts { category, high, outs: outs as u8, dry })
    }
}

impl HandClasses for FactClasses {
    fn name(&self) -> String {
        format!("facts/1, dry: {}", self.texture)
    }

    fn count(&self, street: Street) -> usize {
        let outs = if street == Street::River { 1 } else { OUTS };
        CATEGORIES * HIGHS * 2 * outs
    }

    fn hand_class(&self, hand: Combo, board: CardSet) -> u16 {
        FactClasses::class(Facts::new(hand.set(), board, self.texture))
    }

    fn on_board(&self, board: CardSet) -> Box<[u16]> {
        let dry = self.texture.is_dry(board);
        let mut classes = vec![0; Combo::COUNT].into_boxed_slice();
        for hand in Combo::all().filter(|hand| !hand.set().intersects(board)) {
            let made = made(hand.set() | board);
            let (category, high) = (made.category, made.high);
            let facts = Facts { category, high, outs: outs(hand.set(), board), dry };
            classes[hand.index()] = FactClasses::class(facts);
        }
        classes
    }
}
