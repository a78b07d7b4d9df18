//! The interface to the strategy that is responded to: one board at a time, all hands at once.

use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::buckets::Buckets;
use cards::{Board, Combo, HoleCards};
use game::{Action, Policy, PublicState, Seat, Strategy};

use super::ResponseError;
use crate::blueprint::AbstractStrategy;

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
    fn shares(&self, node: u32, row: usize, shares: &mut [f32]) -> Result<(), ResponseError>;
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
    fn shares(&self, node: u32, row: usize, shares: &mut [f32]) -> Result<(), ResponseError> {
        let PolicyInTree { policy, tree } = self.strategy;
        let NodeKind::Decision { seat, .. } = tree.node(node).kind else { return Ok(()) };
        let seat = Seat::new(seat.into()).expect("a seat of two players");
        let public = state_at(tree, node, &self.board);
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
        let (hole, betting, board) = (self.hands[hand], tree.betting(node), self.board);
        Err(match problem {
            Problem::OffTree(action) => ResponseError::OffTree { hole, betting, board, action },
            Problem::Sum(sum) => ResponseError::Strategy { hole, betting, board, sum },
        })
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

/// The state at a node of a tree, with as much of the board as is dealt there.
fn state_at(tree: &BettingTree, node: u32, board: &Board) -> PublicState {
    let mut actions = Vec::new();
    let mut below = node;
    while let Some(parent) = tree.parent(below) {
        let index = below - tree.node(parent).children().start;
        actions.push(tree.actions(parent)[index as usize]);
        below = parent;
    }
    let mut public = PublicState::new(tree.def());
    for &action in actions.iter().rev() {
        // The board may be longer than what is due, or end where the node's street begins.
        let _ = public.deal_from(board);
        public.apply_unchecked(action);
    }
    let _ = public.deal_from(board);
    public
}
