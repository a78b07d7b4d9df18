//! The legal actions of the acting seat.

use crate::{Action, Chips};

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
