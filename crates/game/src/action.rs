//! Actions, streets and chips.

use std::fmt;

use crate::Seat;

/// An amount of chips. Stacks are at most 2^31 − 1 (the protocol's limit), so a sum over all seats
/// needs 64 bits.
pub type Chips = u32;

/// A player's action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Give up the hand.
    Fold,
    /// Match the highest bet, or go all-in for less; with nothing to match, a check.
    Call,
    /// Bet or raise so that the player's chips in the **whole hand** come to this total.
    RaiseTo(Chips),
}

/// A betting street. Games with fewer than four use the first ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Street {
    /// The first street, dealt before any board card in the usual games.
    Preflop,
    /// The second street.
    Flop,
    /// The third street.
    Turn,
    /// The fourth street.
    River,
}

impl Street {
    /// All streets in order.
    pub const ALL: [Street; 4] = [Street::Preflop, Street::Flop, Street::Turn, Street::River];

    /// 0 for preflop, 3 for the river.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The following street, or `None` after the river.
    #[inline]
    pub const fn next(self) -> Option<Street> {
        match self {
            Street::Preflop => Some(Street::Flop),
            Street::Flop => Some(Street::Turn),
            Street::Turn => Some(Street::River),
            Street::River => None,
        }
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Street::Preflop => "preflop",
            Street::Flop => "flop",
            Street::Turn => "turn",
            Street::River => "river",
        }
    }
}

impl fmt::Display for Street {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An action in a hand's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Played {
    /// The seat that acted.
    pub seat: Seat,
    /// The street on which it acted.
    pub street: Street,
    /// The action as played, with totals in chips.
    pub action: Action,
}
