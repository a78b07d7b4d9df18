//! Facts that a player sees in a hand and a board: the made hand, its highest card, outs, and
//! whether the board is dry. They need no opponent and no counting of boards.
//!
//! The vocabulary is that of F. de Mesentier Silva, J. Togelius, F. Lantz and A. Nealen,
//! *Generating Novice Heuristics for Post-Flop Poker*, IEEE Conference on Computational
//! Intelligence and Games 2018, section IV.A. What it leaves open is defined
//! here.
//!
//! All are pure functions of cards, except [`is_aggressive`], which depends on the betting.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use cards::{Card, CardSet, Category, PartialHand, Rank, Suit, evaluate};
use game::{Action, PublicState, Seat};

use crate::Error;

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

/// The definition of a dry board. The paper gives none (section IV.A.5), so it is an option.
///
/// As text: one of the names of [`Texture::NAMED`], or the conditions themselves, all of which must
/// hold, in this order: `unpaired suited <= 2 connected <= 2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Texture {
    /// The board has no pair.
    pub unpaired: bool,
    /// Maximum number of its cards in one suit, 1 to 5; 5 is no condition.
    pub suited: u8,
    /// Maximum number of its ranks within five in a row, the ace on either end, 1 to 5; 5 is no
    /// condition.
    pub connected: u8,
}

impl Texture {
    /// Unpaired, at most two cards of a suit, at most two ranks within five in a row: no straight
    /// or flush is possible yet.
    pub const STANDARD: Texture = Texture { unpaired: true, suited: 2, connected: 2 };

    /// The named definitions.
    pub const NAMED: [(&'static str, Texture); 6] = [
        ("standard", Texture::STANDARD),
        ("any-ranks", Texture { connected: 5, ..Texture::STANDARD }),
        ("any-suits", Texture { suited: 5, ..Texture::STANDARD }),
        ("rainbow", Texture { suited: 1, ..Texture::STANDARD }),
        ("pairs-too", Texture { unpaired: false, ..Texture::STANDARD }),
        ("unpaired", Texture { unpaired: true, suited: 5, connected: 5 }),
    ];

    /// The definition in a sentence.
    pub fn sentence(self) -> String {
        let suited = match self.suited {
            1 => Some("no two of its cards have one suit".to_owned()),
            2..=4 => Some(format!("at most {} of its cards have one suit", self.suited)),
            _ => None,
        };
        let connected = match self.connected {
            1 => Some("no two ranks lie within five in a row".to_owned()),
            2..=4 => Some(format!("at most {} ranks lie within five in a row", self.connected)),
            _ => None,
        };
        let paired = self.unpaired.then(|| "it has no pair".to_owned());
        let all: Vec<String> = [paired, suited, connected].into_iter().flatten().collect();
        match all.as_slice() {
            [] => "Every board is dry.".to_owned(),
            [one] => format!("A board is dry when {one}, else wet."),
            [rest @ .., last] => {
                format!("A board is dry when {} and {last}, else wet.", rest.join(", "))
            }
        }
    }

    /// Whether a board is dry; an empty one is.
    pub fn is_dry(self, board: CardSet) -> bool {
        let ranks = Suit::all().fold(0, |ranks, suit| ranks | board.ranks_of(suit));
        let suited = Suit::all().map(|suit| board.ranks_of(suit).count_ones()).max();
        (!self.unpaired || ranks.count_ones() == board.len())
            && suited.is_none_or(|most| most <= u32::from(self.suited))
            && connected(ranks) <= u32::from(self.connected)
    }
}

impl Default for Texture {
    fn default() -> Texture {
        Texture::STANDARD
    }
}

/// Maximum number of ranks within five in a row.
fn connected(ranks: u16) -> u32 {
    // The ace also plays below the deuce.
    let with_low_ace = u32::from(ranks) << 1 | u32::from(ranks >> Rank::ACE.index() & 1);
    let windows = (0..10).map(|low| (with_low_ace >> low & 0b11111).count_ones());
    windows.max().unwrap_or(0)
}

impl FromStr for Texture {
    type Err = Error;

    fn from_str(text: &str) -> Result<Texture, Error> {
        let text = text.trim();
        if let Some(&(_, texture)) = Texture::NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(texture);
        }
        let wrong = || {
            let names = Texture::NAMED.map(|(name, _)| format!("`{name}`")).join(", ");
            Error::new(format!(
                "`{text}` does not say when a board is dry: write {names}, or conditions as in \
                 `unpaired suited <= 2 connected <= 2` (numbers from 1 to 4)"
            ))
        };
        let mut words = text.split_whitespace().peekable();
        let unpaired = words.next_if_eq(&"unpaired").is_some();
        let mut most = |name: &str| {
            if words.next_if_eq(&name).is_none() {
                return Some(5);
            }
            let number = (words.next() == Some("<=")).then(|| words.next()).flatten();
            number.and_then(|number| number.parse().ok()).filter(|number| (1..=4).contains(number))
        };
        let suited = most("suited").ok_or_else(wrong)?;
        let connected = most("connected").ok_or_else(wrong)?;
        let texture = Texture { unpaired, suited, connected };
        let said = unpaired || suited < 5 || connected < 5;
        (said && words.next().is_none()).then_some(texture).ok_or_else(wrong)
    }
}

impl fmt::Display for Texture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = Texture::NAMED.iter().find(|(_, texture)| texture == self) {
            return f.write_str(name);
        }
        let condition = |name: &str, most: u8| (most < 5).then(|| format!("{name} <= {most}"));
        let unpaired = self.unpaired.then(|| "unpaired".to_owned());
        let parts =
            [unpaired, condition("suited", self.suited), condition("connected", self.connected)];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}
