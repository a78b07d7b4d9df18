//! Policies that everybody knows.

use game::{Action, InfoSet, Policy, Strategy};

/// A policy made of a function.
pub(crate) struct By<F>(pub(crate) F);

impl<F: Fn(&InfoSet) -> Strategy + Send + Sync> Policy for By<F> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        (self.0)(infoset)
    }
}

pub(crate) fn folds(infoset: &InfoSet) -> Strategy {
    Strategy::pure(if infoset.legal().fold { Action::Fold } else { Action::Call })
}

pub(crate) fn calls(_: &InfoSet) -> Strategy {
    Strategy::pure(Action::Call)
}
