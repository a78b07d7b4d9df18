//! Equity: how often a hand wins against a hand that may be any other, now and on every later
//! street, as exact counts. The crate's page has a table that says which function answers which
//! question.
//!
//! [`river`] numbers the river states that matter and keeps the equity of each in a table;
//! [`distribution`] is one hand's equities over the boards to come, [`hands`] those of all hands of
//! a board together and [`starting`] those before the flop; [`flop_pairs`] has every two hands on a
//! flop.

mod distribution;
mod flop_pairs;
mod hands;
mod river;
mod starting;

pub use self::distribution::{Distribution, HandEquity};
pub use self::flop_pairs::FlopPairs;
pub use self::river::{RiverBoard, RiverTable};

pub(crate) use self::river::{COLUMNS, Classes, Counts, FLUSH_HANDS};

use crate::{Card, CardSet, Combo, Error};

/// The value of a tie in an equity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Half a win: the share of the pot it brings between two players.
    #[default]
    Half,
    /// Nothing: only wins count.
    WinOnly,
}

/// Wins and ties among equally likely endings of a hand: exact counts, never estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Equity {
    /// Endings in which the hand wins the whole pot.
    pub wins: u64,
    /// Endings in which the pot is shared.
    pub ties: u64,
    /// All endings.
    pub total: u64,
}

impl Equity {
    /// Endings in which the hand loses.
    pub const fn losses(self) -> u64 {
        self.total - self.wins - self.ties
    }

    /// The equity from 0 to 1; 0 where there are no endings at all.
    pub fn value(self, ties: Ties) -> f64 {
        if self.total == 0 {
            return 0.0;
        }
        let won = match ties {
            Ties::Half => self.wins as f64 + 0.5 * self.ties as f64,
            Ties::WinOnly => self.wins as f64,
        };
        won / self.total as f64
    }

    /// The same hand seen by the other player: wins and losses change places.
    pub const fn reversed(self) -> Equity {
        Equity { wins: self.losses(), ..self }
    }
}

impl std::ops::Add for Equity {
    type Output = Equity;
    fn add(self, other: Equity) -> Equity {
        Equity {
            wins: self.wins + other.wins,
            ties: self.ties + other.ties,
            total: self.total + other.total,
        }
    }
}

impl std::iter::Sum for Equity {
    fn sum<I: Iterator<Item = Equity>>(counts: I) -> Equity {
        counts.fold(Equity::default(), |sum, next| sum + next)
    }
}

/// Exact wins and ties of a hand against a uniform opponent over all boards that may still come.
///
/// `total` is 990 on the river, 45,540 on the turn, 1,070,190 on the flop and 2,097,572,400 before
/// it. Needs no table: about 1 µs on the river, 1 ms on the flop. Preflop counts are constants.
///
/// # Errors
/// When the board has not 0, 3, 4 or 5 cards, or shares one with the hand.
pub fn equity(hole: Combo, board: CardSet) -> Result<Equity, Error> {
    check(hole, board, &[0, 3, 4, 5])?;
    if board.is_empty() {
        return Ok(starting::counts(hole.starting_hand()));
    }
    let mut sum = Equity::default();
    each_river(board, hole.set(), &mut |river| {
        let Counts { wins, ties } = Classes::one(river, hole.set());
        sum = sum + Equity { wins: u64::from(wins), ties: u64::from(ties), total: 990 };
    });
    Ok(sum)
}

/// Checks that the board has one of these numbers of cards and shares none with the hand.
#[inline]
pub(crate) fn check(hole: Combo, board: CardSet, sizes: &[u32]) -> Result<(), Error> {
    board_of(board, sizes)?;
    match (hole.set() & board).iter().next() {
        Some(card) => Err(Error::hand_and_board(card)),
        None => Ok(()),
    }
}

/// Checks that the board has one of these numbers of cards.
#[inline]
pub(crate) fn board_of(board: CardSet, sizes: &[u32]) -> Result<(), Error> {
    let found = board.len();
    if sizes.contains(&found) {
        return Ok(());
    }
    let wanted = match sizes {
        [3] => "3",
        [5] => "five",
        [3, 4, 5] => "three, four or five",
        _ => "none, three, four or five",
    };
    Err(Error::board_size(found, wanted))
}

/// Calls `visit` with every board of five cards that extends this one with cards of a deck, in the
/// deck's order.
pub(crate) fn each_completion(board: CardSet, deck: &[Card], visit: &mut impl FnMut(CardSet)) {
    if board.len() >= 5 {
        return visit(board);
    }
    for (at, &card) in deck.iter().enumerate() {
        each_completion(board.with(card), &deck[at + 1..], visit);
    }
}

/// Calls `visit` with every five-card board that extends this one without a card of `dead`.
fn each_river(board: CardSet, dead: CardSet, visit: &mut impl FnMut(CardSet)) {
    let deck: Vec<Card> = (CardSet::FULL - board - dead).iter().collect();
    each_completion(board, &deck, visit);
}
