//! What a player sees in a hand and a board: the made hand, its highest card, outs, and whether the
//! board is dry. Facts of hold'em that need no opponent and no counting of boards.
//!
//! The vocabulary is that of F. de Mesentier Silva, J. Togelius, F. Lantz and A. Nealen,
//! *Generating Novice Heuristics for Post-Flop Poker*, IEEE Conference on Computational
//! Intelligence and Games 2018, section IV.A. What it leaves open is said where it is decided: in
//! `made.rs`, `outs.rs` and `texture.rs`.
//!
//! All are pure functions of cards; [`is_aggressive`] is one of the betting.

mod made;
mod outs;
mod texture;

pub use made::{Made, made};
pub use outs::outs;
pub use texture::{Texture, TextureError};

use cards::{CardSet, Category, Rank};
use game::{Action, PublicState, Seat};

/// What a hand is on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Facts {
    /// The category of the best five cards, or of fewer before there are five.
    pub category: Category,
    /// The highest card of those that make the category, see [`Made::high`].
    pub high: Rank,
    /// Cards that complete the hand, see [`outs`]; 0 before the flop and on the river.
    pub outs: u8,
    /// Whether the board is dry, see [`Texture`]; so is one without cards.
    pub dry: bool,
}

impl Facts {
    /// The facts of a hand of two cards on a board of none, three, four or five others.
    ///
    /// A tenth of a microsecond or two on the flop and the turn, of which the outs take most.
    pub fn new(hole: CardSet, board: CardSet, texture: Texture) -> Facts {
        let Made { category, high } = made(hole | board);
        Facts { category, high, outs: outs(hole, board), dry: texture.is_dry(board) }
    }
}

/// Whether an opponent is aggressive: the last action in the hand of one who has not folded, on
/// whatever street, was a raise (a bet is one, a blind is none).
pub fn is_aggressive(public: &PublicState, seat: Seat) -> bool {
    let raised = |opponent: Seat| {
        let last = public.history().iter().rev().find(|played| played.seat == opponent);
        last.is_some_and(|played| matches!(played.action, Action::RaiseTo(_)))
    };
    public.remaining().iter().any(|other| other != seat && raised(other))
}
