//! Best responses to a fixed strategy in a whole betting tree of heads-up hold'em, on exact cards.
//!
//! The responder knows the strategy, sees its own two cards rather than a bucket, and may make the
//! bets of the tree. Its best response is exact from the flop on: every turn and river is
//! traversed, with all hands of both players at once, as in Johanson, Waugh, Bowling, Zinkevich,
//! "Accelerating best response calculation in large extensive games", IJCAI 2011. Next cards that
//! differ only by suit names count as one ([`TreeStrategy`]s do not depend on suit names).
//!
//! The 22,100 flops form 1,755 classes ([`flop_kinds`]) of 4, 12 or 24 flops each. All flops are
//! equally likely, and on each there are 1,176 · 1,081 pairs of hands. So what a responder wins is
//! the plain mean over all flops of the mean over the pairs of hands on each. [`Responder::flop`]
//! returns the latter split up by the betting before the flop and the kind of starting hand
//! ([`FlopValues`]). [`Preflop`] combines these values, or means of them over several flops:
//!
//! - If the responder plays as the agent itself does before the flop, its winnings are the mean of
//!   [`Preflop::winnings`] over all flops. This is linear in the values, so flops drawn at random
//!   give an unbiased estimate.
//! - A best response before the flop needs the mean of the values over all flops. One learned from
//!   some flops ([`Preflop::best`]) is a valid response too, and is measured on *other* flops
//!   without bias.

mod blocks;
mod flops;
mod pass;
mod preflop;
mod strategy;

use abstraction::betting::BettingTree;
use cards::{Board, Card, CardSet, Combo, Range, StartingHand};
use game::{Action, GameDef};

pub use flops::{FLOPS, FlopKind, KINDS, flop_kinds, shuffled_flops};
pub use preflop::{Choices, Preflop, PreflopPlay};
pub use strategy::{BoardStrategy, InBuckets, PolicyInTree, TreeStrategy};

use self::blocks::Blocks;
use self::pass::{Pass, PassBuffers};
use crate::Player;
use crate::subgame::boards::{Boards, Table};
use crate::subgame::ends::View;
use crate::subgame::workspace::Workspace;

/// Number of pairs of hands that can be held on a flop.
const PAIRS_ON_FLOP: f64 = 1_176.0 * 1_081.0;

/// The reason no response can be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResponseError {
    /// The game is not heads-up hold'em.
    #[error(
        "a best response on sampled flops is for hold'em of two players: two hole cards of a full \
         deck, boards of three, four and five cards"
    )]
    Game,
    /// The agent makes a bet that the tree does not have.
    #[error(
        "with {hole} {} the agent {}, which the bet menu does not have: give one that has all its \
         bets",
        situation_text(.betting, .board), verb(*.action)
    )]
    OffTree {
        /// The agent's cards.
        hole: Combo,
        /// The betting so far, in ACPC notation.
        betting: String,
        /// The board cards dealt by then.
        board: Board,
        /// The action of the agent.
        action: Action,
    },
    /// The agent's probabilities do not sum to 1.
    #[error(
        "the agent's probabilities with {hole} {} sum to {sum}, not to 1",
        situation_text(.betting, .board)
    )]
    Strategy {
        /// The agent's cards.
        hole: Combo,
        /// The betting so far, in ACPC notation.
        betting: String,
        /// The board cards dealt by then.
        board: Board,
        /// The sum of the probabilities.
        sum: f64,
    },
    /// The agent's strategy depends on suit names.
    #[error(
        "after '{betting}' the agent does not play {hole} as it plays other suits of the same \
         ranks: flops that differ by suits only cannot be treated as one"
    )]
    Suits {
        /// A hand that is played unlike others of the same ranks.
        hole: Combo,
        /// The betting so far, in ACPC notation.
        betting: String,
    },
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

/// The values of both players as responders on a flop.
///
/// Indexed by responder, then by leaf of [`Preflop`] and by the 169 kinds of starting hands (in the
/// order of their indices). In chips per hand: the sum over the hands of the kind and over the
/// agent's hands, weighted with the probability that the agent reaches the leaf, divided by the
/// number of pairs of hands. The responder's own probability of reaching the leaf is taken as 1.
#[derive(Debug, Clone, PartialEq)]
pub struct FlopValues(pub [Vec<f32>; 2]);

/// Hands with what each of them wins: chips times weights.
type Won = Vec<(Combo, f64)>;

/// Computes responses to one strategy.
pub struct Responder<'a> {
    strategy: &'a dyn TreeStrategy,
    preflop: Preflop,
    blocks: Blocks,
}

/// Whether a game is two-player hold'em with a full deck.
pub fn is_holdem(def: &GameDef) -> bool {
    let deck = (def.players, def.hole_cards, def.suits, def.ranks) == (2, 2, 4, 13);
    deck && def.board_cards == [0, 3, 1, 1]
}

impl<'a> Responder<'a> {
    /// Builds the tree and evaluates the strategy before the flop.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em, or the strategy is invalid in the tree.
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

    /// Computes the values on a flop of three cards, for either seat. Runs on the calling thread
    /// and needs about 110 MB.
    ///
    /// # Errors
    /// When the strategy is invalid in the tree.
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
        let won = self.respond_on(&self.blocks, &board, true, &players)?;
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

    /// Computes what each hand of a responder wins from a node on, which is the first of a street,
    /// on a board of that street: chips of the whole hand times weights, summed over the agent's
    /// hands that it can meet. `weights` are those with which the agent reaches the node, by combo.
    /// Suit symmetries are not used.
    ///
    /// # Errors
    /// When the board does not match the node's street on the flop, turn or river, or the strategy
    /// is invalid in the tree.
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
        let won = self.respond_on(&blocks, board, false, &[(player, vec![weights.to_vec()])])?;
        Ok(won.into_iter().flatten().flatten().collect())
    }

    /// The winnings of the hands for each of the responders and each of the first nodes.
    fn respond_on(
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
        let sizes = pass::workspaces(blocks, &boards);
        let mut workspaces: Vec<_> = sizes.into_iter().map(Workspace::new).collect();
        let mut buffers = PassBuffers { workspaces: &mut workspaces, shares: Vec::new() };
        let respond = |(player, weights): &(Player, Vec<Vec<f64>>)| {
            let view = View { boards: &boards, player: *player };
            let pass = Pass { blocks, view, agent: &agent };
            let held = |of_combo: &Vec<f64>| first.all().map(|c| of_combo[c.index()]).collect();
            let weights: Vec<Vec<f64>> = weights.iter().map(held).collect();
            let won = pass.run(&weights, &mut buffers)?;
            Ok(won.into_iter().map(|won| first.all().zip(won).collect()).collect())
        };
        players.iter().map(respond).collect()
    }
}

/// The cards of all boards in the order in which they are dealt.
fn in_order(boards: &Boards, first: &Board) -> Vec<Board> {
    let mut found = vec![*first; boards.all.len()];
    // A board comes before those that follow it.
    for (at, board) in boards.all.iter().enumerate() {
        for next in &board.next {
            let mut longer = found[at];
            longer.push(next.cards[0].card);
            found[next.board] = longer;
        }
    }
    found
}
