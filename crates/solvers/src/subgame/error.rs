//! Errors of building and solving a subgame.

use cards::CardSet;
use game::Action;

use crate::{Player, Variant};

/// The reason a subgame cannot be built or solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SubgameError {
    /// The number of players in the game is not two.
    #[error("the game has {0} players: only subgames of two players can be solved")]
    Players(usize),
    /// The game does not deal the cards of hold'em.
    #[error(
        "the game deals {hole} hole cards and {board} board cards: a subgame needs 2 and 5, one \
         each on turn and river"
    )]
    NotHoldem {
        /// Number of hole cards of each player.
        hole: u8,
        /// Number of board cards of a complete hand.
        board: usize,
    },
    /// The board does not have 3, 4 or 5 cards.
    #[error("the board has {0} cards: a subgame begins on the flop, turn or river, with 3, 4 or 5")]
    Board(usize),
    /// No player is to act in the root state.
    #[error("nobody is to act: a subgame begins with a decision, so deal the cards that are due")]
    NobodyActs,
    /// A player's range contains no hand that is possible on the board.
    #[error("the range of the {} player has no hand left on {board:?}: give it one with a weight \
             above 0", ordinal(.player))]
    EmptyRange {
        /// The player with the empty range.
        player: Player,
        /// The board cards of the root state.
        board: CardSet,
    },
    /// Every hand of one range shares a card with every hand of the other.
    #[error(
        "each hand of one range shares a card with each of the other: no two can be dealt together"
    )]
    NoDeal,
    /// The menu offers no action at a decision.
    #[error("the menu offers no action after `{betting}`: it must offer at least one")]
    NoAction {
        /// The betting so far, in ACPC notation.
        betting: String,
    },
    /// The menu offers an action that the rules do not allow.
    #[error("the menu offers {action:?} after `{betting}`, which the rules do not allow there")]
    Illegal {
        /// The betting so far, in ACPC notation.
        betting: String,
        /// The illegal action.
        action: Action,
    },
    /// The menu's actions are out of order, or one is offered twice.
    #[error(
        "the menu's actions after `{betting}` are not in order: fold, call, then raises from the \
         smallest, each once"
    )]
    Order {
        /// The betting so far, in ACPC notation.
        betting: String,
    },
    /// The betting tree has more nodes than allowed.
    #[error(
        "the betting tree has more than {most} nodes, not counting cards: offer fewer sizes or \
         raises, or raise the limit"
    )]
    Nodes {
        /// Maximum number of nodes.
        most: usize,
    },
    /// Solving needs more memory than allowed.
    #[error(
        "solving takes {needed} bytes for {cells} pairs of hand and action, and {limit} are \
         allowed: offer fewer sizes, start on a later street, use 16-bit storage, or raise the \
         limit"
    )]
    Memory {
        /// Bytes that would be allocated.
        needed: u64,
        /// Number of pairs of hand and action, each with a regret and an average.
        cells: u64,
        /// Maximum number of bytes.
        limit: u64,
    },
    /// The variant cannot solve subgames with these options.
    #[error(
        "{0} cannot solve subgames this way: variants with simultaneous updates cannot, and \
         those with predictions only in 32 bits; take another, such as dcfr+,second-first"
    )]
    Variant(Variant),
}

fn ordinal(player: &Player) -> &'static str {
    match player {
        Player::First => "first",
        Player::Second => "second",
    }
}
