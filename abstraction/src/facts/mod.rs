//! Facts that a player sees in a hand and a board: the made hand, its highest card, outs, and
//! whether the board is dry. They need no opponent and no counting of boards.
//!
//! The vocabulary is that of F. de Mesentier Silva, J. Togelius, F. Lantz and A. Nealen,
//! *Generating Novice Heuristics for Post-Flop Poker*, IEEE Conference on Computational
//! Intelligence and Games 2018, section IV.A. What it leaves open is defined in `made.rs`,
//! `outs.rs` and `texture.rs`.
//!
//! All are pure functions of cards, except [`is_aggressive`], which depends on the betting.

mod made;
mod outs;
mod texture;

pub use made::{Made, made};
pub use outs::outs;
pub use texture::{Texture, TextureError};

use cards::{CardSet, Category, Rank};
use game::{Action, PublicState, Seat};

/// The facts of a hand on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Facts {
    /// The category of the best five cards, or of fewer before there are five.
    pub category: Category,
    /// The highest rank that makes the category, see [`Made::high`].
    pub high: Rank,
    /// Number of cards that complete the hand, see [`outs`]; 0 before the flop and on the river.
    pub outs: u8,
    /// Whether the board is dry, see [`Texture`]; an empty one is.
    pub dry: bool,
}

impl Facts {
    /// The facts of a hand of two cards on a board of none, three, four or five others.
    ///
    /// Takes one or two tenths of a microsecond on flop and turn, most of it for the outs.
    pub fn new(hole: CardSet, board: CardSet, texture: Texture) -> Facts {
        let Made { category, high } = made(hole | board);
        Facts { category, high, outs: outs(hole, board), dry: texture.is_dry(board) }
    }
}

/// Whether an opponent is aggressive: the last action of one that has not folded was a raise, on
/// any street (a bet is a raise, a blind is not).
pub fn is_aggressive(public: &PublicState, seat: Seat) -> bool {
    let raised = |opponent: Seat| {
        let last = public.history().iter().rev().find(|played| played.seat == opponent);
        last.is_some_and(|played| matches!(played.action, Action::RaiseTo(_)))
    };
    public.remaining().iter().any(|other| other != seat && raised(other))
}
