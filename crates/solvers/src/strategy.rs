//! Strategies in a betting tree.
//!
//! A [`Policy`] answers for one information set at a time, whatever it knows. What goes through a
//! whole tree asks for more at once, and in one of two ways. A [`TreeStrategy`] is asked on a board
//! ([`BoardStrategy`]): all hands at a node, so that what depends on the board is looked up once.
//! An [`AbstractStrategy`] is asked for a bucket at a node and knows no cards: samplers ask so for
//! one bucket at a time, also in games without boards. A tree strategy that plays by buckets can be
//! asked in both ways ([`TreeStrategy::in_buckets`]); [`PolicyInTree`] makes one from any policy.

use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::buckets::Buckets;
use cards::{Board, Combo, HoleCards};
use game::{Action, Policy, Seat, Strategy};

use crate::Error;

/// A strategy for an abstract game: action probabilities for each bucket at each decision node.
pub trait AbstractStrategy: Sync {
    /// Computes the probabilities of the node's actions into `shares`, which has exactly that
    /// length. They sum to one.
    ///
    /// The node must be a decision of the tree, and the bucket one of its street's.
    fn probabilities(&self, node: u32, bucket: u32, shares: &mut [f32]);
}

/// A strategy inside a betting tree of heads-up hold'em. It must not depend on suit names: if all
/// cards are renamed in the same way, it plays the same.
pub trait TreeStrategy: Send + Sync {
    /// The betting tree.
    fn tree(&self) -> &BettingTree;

    /// Prepares the strategy of these hands on this board, whose cards are in the order of the
    /// deal.
    fn on_board<'a>(&'a self, board: &Board, hands: &[Combo]) -> Box<dyn BoardStrategy + 'a>;

    /// The strategy in terms of buckets, if it sees buckets instead of cards.
    fn in_buckets(&self) -> Option<InBuckets<'_>> {
        None
    }
}

/// A strategy that plays all hands of a bucket alike.
#[derive(Clone, Copy)]
pub struct InBuckets<'a> {
    /// The card abstraction.
    pub buckets: &'a Buckets,
    /// The strategy of each bucket.
    pub strategy: &'a dyn AbstractStrategy,
    /// Number of information sets in which the strategy is approximate because the agent looks at
    /// the cards there.
    pub guessed: u64,
}

/// A strategy on one board.
pub trait BoardStrategy: Send + Sync {
    /// Writes the probabilities of a decision's actions: `shares` has a row of `row` numbers for
    /// each action in the tree's order, and number `h` of a row is that of hand `h`. The rest of
    /// each row is left unchanged.
    ///
    /// The node must be a decision of the board's street.
    ///
    /// # Errors
    /// When the strategy is invalid in this tree.
    fn probabilities(&self, node: u32, row: usize, shares: &mut [f32]) -> Result<(), Error>;
}

/// A [`TreeStrategy`] from any policy that stays inside the tree, queried hand by hand.
pub struct PolicyInTree {
    policy: Arc<dyn Policy>,
    tree: BettingTree,
}

impl PolicyInTree {
    /// Wraps a policy; the tree must be of the same game.
    pub fn new(policy: Arc<dyn Policy>, tree: BettingTree) -> PolicyInTree {
        PolicyInTree { policy, tree }
    }
}

impl TreeStrategy for PolicyInTree {
    fn tree(&self) -> &BettingTree {
        &self.tree
    }

    fn on_board<'a>(&'a self, board: &Board, hands: &[Combo]) -> Box<dyn BoardStrategy + 'a> {
        let hole = |hand: &Combo| HoleCards::new(&hand.cards()).expect("two different cards");
        Box::new(OnBoard {
            strategy: self,
            board: *board,
            hands: hands.to_vec(),
            holes: hands.iter().map(hole).collect(),
        })
    }
}

struct OnBoard<'a> {
    strategy: &'a PolicyInTree,
    board: Board,
    hands: Vec<Combo>,
    holes: Vec<HoleCards>,
}

impl BoardStrategy for OnBoard<'_> {
    fn probabilities(&self, node: u32, row: usize, shares: &mut [f32]) -> Result<(), Error> {
        let PolicyInTree { policy, tree } = self.strategy;
        let NodeKind::Decision { seat, .. } = tree.node(node).kind else { return Ok(()) };
        let seat = Seat::new(seat.into()).expect("a seat of two players");
        let public = tree.state_on(node, &self.board);
        let actions = tree.actions(node);
        let mut wrong = None;
        policy.strategies(&public, seat, &self.holes, &mut |hand, strategy| {
            for (index, &action) in actions.iter().enumerate() {
                shares[index * row + hand] = strategy.probability(action) as f32;
            }
            if let Some(problem) = problem(strategy, actions) {
                wrong.get_or_insert((hand, problem));
            }
        });
        let Some((hand, problem)) = wrong else { return Ok(()) };
        let hole = self.hands[hand];
        let situation = situation_text(&tree.betting(node), &self.board);
        Err(Error::new(match problem {
            Problem::OffTree(action) => format!(
                "with {hole} {situation} the agent {}, which the bet menu does not have: give one \
                 that has all its bets",
                verb(action)
            ),
            Problem::Sum(sum) => {
                format!("the agent's probabilities with {hole} {situation} sum to {sum}, not to 1")
            }
        }))
    }
}

/// The text of a situation: its betting and board.
fn situation_text(betting: &str, board: &Board) -> String {
    let betting = match betting {
        "" => "at the beginning".to_owned(),
        betting => format!("after {betting}"),
    };
    if board.is_empty() { betting } else { format!("{betting} on {board}") }
}

/// The action of a player, in words.
fn verb(action: Action) -> String {
    match action {
        Action::Fold => "folds".to_owned(),
        Action::Call => "checks or calls".to_owned(),
        Action::RaiseTo(total) => format!("raises to {total}"),
    }
}

/// The problem with the strategy of a hand.
enum Problem {
    OffTree(Action),
    Sum(f64),
}

fn problem(strategy: &Strategy, actions: &[Action]) -> Option<Problem> {
    let off = |(action, share): &&(Action, f64)| *share > 0.0 && !actions.contains(action);
    if let Some(&(action, _)) = strategy.actions.iter().find(off) {
        return Some(Problem::OffTree(action));
    }
    let sum: f64 = strategy.actions.iter().map(|&(_, share)| share).sum();
    ((sum - 1.0).abs() > 1e-6).then_some(Problem::Sum(sum))
}
