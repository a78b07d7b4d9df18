//! Best responses to a fixed strategy in a whole betting tree of heads-up hold'em, on exact cards.
//!
//! The responder knows the strategy, sees its own two cards and not a bucket, and may make the bets
//! of the tree. From a flop on its best response is exact: every turn and river is looked at, with
//! all hands of both players at once, as in Johanson, Waugh, Bowling, Zinkevich, "Accelerating best
//! response calculation in large extensive games", IJCAI
//! 2011. Cards that may come count as one where they differ by the names of suits only
//!       ([`TreeStrategy`]s do not
//! depend on them).
//!
//! A flop is one of 1,755 kinds ([`flop_kinds`]), each of which stands for 4, 12 or 24 of the
//! 22,100 flops. Those are equally likely, and on each 1,176 · 1,081 pairs of hands can be held; so
//! what a responder wins is the plain mean over all flops of the mean over the pairs of hands
//! there. [`Responder::flop`] has the latter split up by the betting before the flop and the kind
//! of starting hand ([`FlopValues`]); [`Preflop`] puts these, or means of them over several flops,
//! together:
//!
//! - Playing as the agent itself does before the flop, a responder wins on average over all flops
//!   the mean of [`Preflop::winnings`], which is linear in the values: flops drawn at random give
//!   an unbiased estimate.
//! - A best response before the flop needs the mean of the values over all flops. Learned from some
//!   flops ([`Preflop::best`]), it is a response as good as any other, and measured on *other*
//!   flops without bias.

mod blocks;
mod flops;
mod pass;
mod preflop;
mod strategy;

use abstraction::betting::BettingTree;
use cards::{Board, Card, CardSet, Combo, Range, StartingHand};
use game::{Action, GameDef};

pub use flops::{FLOPS, FlopKind, KINDS, flop_kinds, shuffled_flops};
pub use preflop::{Before, Choices, Preflop};
pub use strategy::{Asked, BoardStrategy, InBuckets, TreeStrategy};

use self::blocks::Blocks;
use self::pass::{Pass, PassBuffers};
use super::boards::{Boards, Table};
use super::ends::View;
use super::workspace::Rooms;
use crate::Player;

/// Pairs of hands that can be held on a flop.
const PAIRS_ON_FLOP: f64 = 1_176.0 * 1_081.0;

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResponseError {
    /// The game is no heads-up hold'em.
    #[error(
        "a best response on sampled flops is for hold'em of two players: two hole cards of a full deck, \
         boards of three, four and five cards"
    )]
    Game,
    /// The agent bets what the tree does not have.
    #[error(
        "with {hole} after '{betting}' on '{board}' the agent plays {action:?}, which the bet menu does not have: \
         give one that has all its bets"
    )]
    OffTree {
        /// The agent's cards.
        hole: Combo,
        /// What was played.
        betting: String,
        /// The board.
        board: Board,
        /// What it does.
        action: Action,
    },
    /// The agent's strategy is no distribution.
    #[error(
        "the agent's probabilities with {hole} after '{betting}' on '{board}' sum to {sum}, not to 1"
    )]
    Strategy {
        /// The agent's cards.
        hole: Combo,
        /// What was played.
        betting: String,
        /// The board.
        board: Board,
        /// What they sum to.
        sum: f64,
    },
    /// The agent plays by the names of suits.
    #[error(
        "after '{betting}' the agent does not play {hole} as it plays other suits of the same ranks: flops that \
         differ by suits only cannot be taken for one"
    )]
    Suits {
        /// A hand.
        hole: Combo,
        /// What was played.
        betting: String,
    },
}

/// What both responders win on a flop.
///
/// For each player as the responder, for each leaf of [`Preflop`], for each of the 169 kinds of
/// starting hands (in the order of their numbers) chips a hand: the sum over the hands of the kind
/// and over the agent's hands, weighted with how likely the agent gets there, divided by the number
/// of pairs of hands. As if the responder always got there itself.
#[derive(Debug, Clone, PartialEq)]
pub struct FlopValues(pub [Vec<f32>; 2]);

/// What each hand wins.
type Won = Vec<(Combo, f64)>;

/// The response to one strategy.
pub struct Responder<'a> {
    strategy: &'a dyn TreeStrategy,
    preflop: Preflop,
    blocks: Blocks,
}

/// Whether this is hold'em of two players with a full deck.
pub fn is_holdem(def: &GameDef) -> bool {
    let deck = (def.players, def.hole_cards, def.suits, def.ranks) == (2, 2, 4, 13);
    deck && def.board_cards == [0, 3, 1, 1]
}

impl<'a> Responder<'a> {
    /// Lays the tree out and asks for the strategy before the flop.
    ///
    /// # Errors
    /// When the game is another one, or the strategy is none in the tree.
    pub fn new(strategy: &'a dyn TreeStrategy) -> Result<Responder<'a>, ResponseError> {
        let tree = strategy.tree();
        if !is_holdem(tree.def()) {
            return Err(ResponseError::Game);
        }
        let preflop = Preflop::new(strategy)?;
        let blocks = Blocks::new(tree, preflop.leaves());
        Ok(Responder { strategy, preflop, blocks })
    }

    /// The betting tree.
    pub fn tree(&self) -> &BettingTree {
        self.strategy.tree()
    }

    /// The betting before the flop.
    pub fn preflop(&self) -> &Preflop {
        &self.preflop
    }

    /// What is won on a flop of three cards, in either seat. On the thread that calls, with some
    /// 110 MB.
    ///
    /// # Errors
    /// When the strategy is none in the tree.
    pub fn flop(&self, flop: CardSet) -> Result<FlopValues, ResponseError> {
        let flop: Vec<Card> = flop.iter().collect();
        let board = Board::new(&flop).ok_or(ResponseError::Game)?;
        let leaves = 0..self.preflop.leaves().len();
        let weights = |player: Player| -> Vec<Vec<f64>> {
            let of = |leaf: usize| {
                let reach = self.preflop.reach(leaf, player);
                Combo::all().map(|combo| reach[combo.starting_hand().index()]).collect()
            };
            leaves.clone().map(of).collect()
        };
        let players = Player::BOTH.map(|player| (player, weights(player.other())));
        let won = self.look(&self.blocks, &board, true, &players)?;
        let mut values = FlopValues(Default::default());
        for ((player, _), won) in players.iter().zip(won) {
            let mut sums = vec![0.0; leaves.len() * StartingHand::COUNT];
            for (row, won) in sums.chunks_mut(StartingHand::COUNT).zip(&won) {
                for &(combo, won) in won {
                    row[combo.starting_hand().index()] += won / PAIRS_ON_FLOP;
                }
            }
            values.0[player.index()] = sums.into_iter().map(|sum| sum as f32).collect();
        }
        Ok(values)
    }

    /// What each hand of a responder wins from a node on, which is the first of a street, on a
    /// board of that street: chips of the whole hand times weights, summed over the agent's hands
    /// that it can meet. `weights` are those with which the agent gets there, by combo. Nothing is
    /// taken for the same because of suits.
    ///
    /// # Errors
    /// When the board is not of flop, turn or river, or the strategy is none in the tree.
    pub fn values_from(
        &self,
        node: u32,
        board: &Board,
        player: Player,
        weights: &[f64; Combo::COUNT],
    ) -> Result<Vec<(Combo, f64)>, ResponseError> {
        let street = self.tree().street(node);
        if street.index() == 0 || self.tree().def().board_len(street) != board.len() {
            return Err(ResponseError::Game);
        }
        let blocks = Blocks::new(self.tree(), &[node]);
        let won = self.look(&blocks, board, false, &[(player, vec![weights.to_vec()])])?;
        Ok(won.into_iter().flatten().flatten().collect())
    }

    /// For each of the responders, for each of the first nodes, what its hands win.
    fn look(
        &self,
        blocks: &Blocks,
        board: &Board,
        symmetric: bool,
        players: &[(Player, Vec<Vec<f64>>)],
    ) -> Result<Vec<Vec<Won>>, ResponseError> {
        let all = Range::uniform();
        let (def, ranges) = (self.tree().def(), [&all; 2]);
        let boards = Boards::new(&Table { def, board: board.set(), ranges, symmetric });
        let agent: Vec<_> = in_order(&boards, board)
            .iter()
            .zip(&boards.all)
            .map(|(order, board)| {
                let hands: Vec<Combo> = board.hands[0].all().collect();
                self.strategy.on_board(order, &hands)
            })
            .collect();
        let first = &boards.all[0].hands[0];
        Rooms::new(pass::workspaces(blocks, &boards)).with(|workspaces| {
            let mut buffers = PassBuffers { workspaces, shares: Vec::new() };
            let look = |(player, weights): &(Player, Vec<Vec<f64>>)| {
                let view = View { boards: &boards, player: *player };
                let pass = Pass { blocks, view, agent: &agent };
                let held = |of_combo: &Vec<f64>| first.all().map(|c| of_combo[c.index()]).collect();
                let weights: Vec<Vec<f64>> = weights.iter().map(held).collect();
                let won = pass.run(&weights, &mut buffers)?;
                Ok(won.into_iter().map(|won| first.all().zip(won).collect()).collect())
            };
            players.iter().map(look).collect()
        })
    }
}

/// The cards of all boards in the order in which they are dealt.
fn in_order(boards: &Boards, first: &Board) -> Vec<Board> {
    let mut found = vec![*first; boards.all.len()];
    // A board stands before those that follow it.
    for (at, board) in boards.all.iter().enumerate() {
        for next in &board.next {
            let mut longer = found[at];
            longer.push(next.cards[0].card);
            found[next.board] = longer;
        }
    }
    found
}
