//! Facts that a player sees in a hand and a board: the made hand, its highest card, outs, and
//! whether the board is dry. They need no opponent and no counting of boards.
//!
//! The vocabulary is that of F. de Mesentier Silva, J. Togelius, F. Lantz and A. Nealen,
//! *Generating Novice Heuristics for Post-Flop Poker*, IEEE Conference on Computational
//! Intelligence and Games 2018, section IV.A. What it leaves open is defined here and
//! in `texture.rs`.
//!
//! All are pure functions of cards, except [`is_aggressive`], which depends on the betting.

mod texture;

pub use texture::{Texture, TextureError};

use arrayvec::ArrayVec;
use cards::{Card, CardSet, Category, PartialHand, Rank, evaluate};
use game::{Action, PublicState, Seat};

/// The facts of a hand on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Facts {
    /// The category of the best five cards, or of fewer before there are five.
    pub category: Category,
    /// The highest rank that makes the category, see [`MadeHand::high`].
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
        let MadeHand { category, high } = made(hole | board);
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

/// A made hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MadeHand {
    /// High card to straight flush; a royal flush is a straight flush with an ace.
    pub category: Category,
    /// The highest rank that makes the category: of a pair, of three or of four of a kind, the
    /// higher of two pairs, the three of a full house, the top of a straight (the five of A2345) or
    /// of a flush; for a high card the highest card, board included.
    ///
    /// The paper calls it "the value of the highest card that composes that hand".
    pub high: Rank,
}

/// The made hand of two to seven cards, those of the board included.
///
/// # Panics
/// Without cards.
#[inline]
pub fn made(cards: CardSet) -> MadeHand {
    let strength = evaluate(cards);
    // Bits 13 to 25 are the ranks that make the category; the lower ones break ties.
    let making = strength.value() >> 13 & 0x1FFF;
    let ranks = if making != 0 { making } else { strength.value() & 0x1FFF };
    let high = ranks.checked_ilog2().and_then(|bit| Rank::new(bit as u8));
    MadeHand { category: strength.category(), high: high.expect("a hand has a card") }
}

/// The number of unseen cards that improve the category of the hand on the flop or the turn in one
/// of these ways: a pair becomes three of a kind; two pairs become a full house; a straight or a
/// flush that misses one card is completed. Each card counts once. 0 with any other number of board
/// cards.
///
/// These are all the ways that the paper counts (section IV.A.6): high cards that may pair are not
/// outs, nor are cards that make a full house of three of a kind. Board cards count towards a
/// straight or flush; one that does not improve the hand's category is not counted.
#[inline]
pub fn outs(hole: CardSet, board: CardSet) -> u8 {
    if !matches!(board.len(), 3 | 4) {
        return 0;
    }
    let seen = hole | board;
    let hand = PartialHand::from(seen);
    let now = hand.rank().category();
    let unseen = Card::all().filter(|&card| !seen.contains(card));
    let unseen: ArrayVec<Card, { Card::COUNT as usize }> = unseen.collect();
    let completes = |then: Category| match then {
        Category::ThreeOfAKind => now == Category::Pair,
        Category::FullHouse => now == Category::TwoPair,
        Category::Straight | Category::Flush | Category::StraightFlush => then > now,
        _ => false,
    };
    let ranks = hand.ranks_with(&unseen);
    ranks.filter(|rank| completes(rank.category())).count() as u8
}
