//! What can be wrong with a subgame that is asked for.

use cards::CardSet;
use game::Action;

use crate::{Player, Variant};

/// Why a subgame cannot be laid out or solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SubgameError {
    /// A game of more or fewer players than two.
    #[error("the game has {0} players: only subgames of two players can be solved")]
    Players(usize),
    /// A game that deals other cards than hold'em does.
    #[error(
        "the game deals {hole} hole cards and {board} board cards: a subgame needs 2 and 5, one each \
         on turn and river"
    )]
    NotHoldem {
        /// Hole cards of each player.
        hole: u8,
        /// Board cards of the whole hand.
        board: usize,
    },
    /// A board that is not of flop, turn or river.
    #[error("the board has {0} cards: a subgame begins on the flop, turn or river, with 3, 4 or 5")]
    Board(usize),
    /// Nobody is to act.
    #[error("nobody is to act: a subgame begins with a decision, so deal the cards that are due")]
    NobodyActs,
    /// A range without a hand that can be held.
    #[error("the range of the {} player has no hand left on {board:?}: give it one with a weight above 0", ordinal(.player))]
    EmptyRange {
        /// Whose.
        player: Player,
        /// The cards on the table.
        board: CardSet,
    },
    /// Ranges of which every two hands share a card.
    #[error(
        "each hand of one range shares a card with each of the other: no two can be dealt together"
    )]
    NoDeal,
    /// The menu offers nothing at a decision.
    #[error("the menu offers no action after `{betting}`: it must offer one at least")]
    NoAction {
        /// The betting so far.
        betting: String,
    },
    /// The menu offers an action that the rules do not.
    #[error("the menu offers {action:?} after `{betting}`, which the rules do not allow there")]
    Illegal {
        /// The betting so far.
        betting: String,
        /// The action.
        action: Action,
    },
    /// The menu's actions are out of order, or one is offered twice.
    #[error(
        "the menu's actions after `{betting}` are not in order: fold, call, then raises from the smallest, \
         each once"
    )]
    Order {
        /// The betting so far.
        betting: String,
    },
    /// More nodes of the betting tree than allowed.
    #[error(
        "the betting tree has more than {most} nodes, not counting cards: offer fewer sizes or raises, \
         or raise the limit"
    )]
    Nodes {
        /// The limit.
        most: usize,
    },
    /// More memory needed than allowed.
    #[error(
        "solving takes {needed} bytes for {cells} pairs of hand and action, and {limit} are allowed: offer \
         fewer sizes, begin on a later street, use 16-bit storage, or raise the limit"
    )]
    Memory {
        /// Bytes that would be allocated.
        needed: u64,
        /// Numbers of a regret and an average strategy that are kept.
        cells: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// An algorithm that does not work on ranges of hands here.
    #[error(
        "{0} cannot solve subgames this way: with simultaneous updates none can, and with predictions only \
         in 32 bits; take another, such as dcfr+,second-first"
    )]
    Variant(Variant),
}

fn ordinal(player: &Player) -> &'static str {
    match player {
        Player::First => "first",
        Player::Second => "second",
    }
}
