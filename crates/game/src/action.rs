//! Actions, streets, chips, and the legal actions of the acting seat.

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

/// The range of legal raise totals, in chips over the whole hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raises {
    /// Smallest total.
    pub min: Chips,
    /// Largest total; in limit games equal to the smallest.
    pub max: Chips,
}

/// The legal actions of the acting seat. Calling is always one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegalActions {
    /// Whether folding is allowed: only when there is something to call.
    pub fold: bool,
    /// Chips that a call adds now: 0 for a check, less than the bet when it is all-in.
    pub to_call: Chips,
    /// The range of raise totals, or `None` when no raise is allowed.
    pub raise: Option<Raises>,
}

impl LegalActions {
    /// Whether this action is legal.
    #[inline]
    pub fn allows(&self, action: Action) -> bool {
        match action {
            Action::Fold => self.fold,
            Action::Call => true,
            Action::RaiseTo(total) => self.raise.is_some_and(|r| r.min <= total && total <= r.max),
        }
    }

    /// The legal action nearest to this one, by the original ACPC server's correction of replies:
    /// raise totals are clamped to the legal range; raises where none is legal, and folds with
    /// nothing to call, become calls.
    pub fn nearest(&self, action: Action) -> Action {
        match (action, self.raise) {
            (Action::Fold, _) if self.fold => Action::Fold,
            (Action::RaiseTo(total), Some(raise)) => {
                Action::RaiseTo(total.clamp(raise.min, raise.max))
            }
            _ => Action::Call,
        }
    }

    /// Fold (if allowed), call, and the smallest and largest raise: every action of a limit game.
    pub fn corners(&self) -> impl Iterator<Item = Action> {
        let max = self.raise.filter(|r| r.max != r.min).map(|r| Action::RaiseTo(r.max));
        let min = self.raise.map(|r| Action::RaiseTo(r.min));
        self.fold.then_some(Action::Fold).into_iter().chain([Action::Call]).chain(min).chain(max)
    }

    /// Every legal action, with each raise total separately.
    pub fn all(&self) -> impl Iterator<Item = Action> {
        let fold = self.fold.then_some(Action::Fold);
        let raises = self.raise.into_iter().flat_map(|r| r.min..=r.max).map(Action::RaiseTo);
        fold.into_iter().chain([Action::Call]).chain(raises)
    }
}
