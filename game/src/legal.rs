//! What the acting seat may do.

use crate::{Action, Chips};

/// The totals, in chips over the whole hand, to which a player may raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raises {
    /// Smallest total.
    pub min: Chips,
    /// Largest total; in limit games equal to the smallest.
    pub max: Chips,
}

/// The actions open to the acting seat. Calling is always one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegalActions {
    /// Whether folding is allowed: only when there is something to call.
    pub fold: bool,
    /// Chips a call adds now: 0 for a check, less than the bet when it is all-in.
    pub to_call: Chips,
    /// The totals to which the player may raise, or `None` when no raise is allowed.
    pub raise: Option<Raises>,
}

impl LegalActions {
    /// Whether this very action is allowed.
    #[inline]
    pub fn allows(&self, action: Action) -> bool {
        match action {
            Action::Fold => self.fold,
            Action::Call => true,
            Action::RaiseTo(total) => self.raise.is_some_and(|r| r.min <= total && total <= r.max),
        }
    }

    /// The allowed action nearest to this one, as the original ACPC server corrects replies: raises
    /// move into the allowed range; a raise that is not allowed at all, and a fold with nothing to
    /// call, become calls.
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

    /// Every single action, each raise size by itself.
    pub fn all(&self) -> impl Iterator<Item = Action> {
        let fold = self.fold.then_some(Action::Fold);
        let raises = self.raise.into_iter().flat_map(|r| r.min..=r.max).map(Action::RaiseTo);
        fold.into_iter().chain([Action::Call]).chain(raises)
    }
}
