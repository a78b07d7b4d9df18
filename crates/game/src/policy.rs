//! Strategies at single information sets, and policies that compute them.

use cards::HoleCards;

use crate::{Action, InfoSet, PublicState, Seat};

/// A probability distribution over actions at one information set. Probabilities are non-negative
/// and sum to one within 1e-6; actions are distinct.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    /// Actions with their probabilities.
    pub actions: Vec<(Action, f64)>,
}

impl Strategy {
    /// The strategy that always takes this action.
    pub fn pure(action: Action) -> Strategy {
        Strategy { actions: vec![(action, 1.0)] }
    }

    /// Scales non-negative weights to sum to one; `None` when none is positive and finite.
    pub fn from_weights(weights: impl IntoIterator<Item = (Action, f64)>) -> Option<Strategy> {
        let mut actions: Vec<(Action, f64)> = weights.into_iter().collect();
        let total: f64 = actions.iter().map(|&(_, w)| w).sum();
        let valid = total.is_finite() && total > 0.0 && actions.iter().all(|&(_, w)| w >= 0.0);
        valid.then(|| {
            for (_, weight) in &mut actions {
                *weight /= total;
            }
            Strategy { actions }
        })
    }

    /// The probability of this action; 0 for one that is not listed.
    pub fn probability(&self, action: Action) -> f64 {
        self.actions.iter().find(|&&(a, _)| a == action).map_or(0.0, |&(_, p)| p)
    }

    /// Inverse-transform sampling: the action at a point drawn uniformly from `[0, 1)`; a call if
    /// the strategy is empty.
    pub fn sample(&self, point: f64) -> Action {
        let mut below = 0.0;
        for &(action, probability) in &self.actions {
            below += probability;
            if point < below {
                return action;
            }
        }
        let last = self.actions.iter().rev().find(|&&(_, p)| p > 0.0);
        last.map_or(Action::Call, |&(action, _)| action)
    }
}

/// A strategy for every information set: a pure function, shared between threads.
pub trait Policy: Send + Sync {
    /// The distribution over legal actions of the acting seat.
    fn strategy(&self, infoset: &InfoSet) -> Strategy;

    /// The strategies of many hole cards where one seat is to act: calls `visit` with the number of
    /// each hand and its strategy, in the order of `hands`.
    ///
    /// Equivalent to calling [`strategy`](Self::strategy) for each hand, which is the default.
    /// Policies that solve a subgame, or look up what depends on the board alone, do so once for
    /// all hands.
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        let mut infoset = InfoSet { public: public.clone(), seat, hole: HoleCards::EMPTY };
        for (number, &hole) in hands.iter().enumerate() {
            infoset.hole = hole;
            visit(number, &self.strategy(&infoset));
        }
    }
}
