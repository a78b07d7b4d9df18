//! `random`: a random legal action.
//!
//! Each kind of action that is allowed (fold, call or check, raise) is equally likely; the total of
//! a raise is then uniform between the smallest and the largest allowed. It never folds for free.

use cards::HoleCards;
use game::{Action, InfoSet, Policy, PublicState, Seat, Strategy};
use rand::RngExt;

use crate::{Agent, AgentSpec, Context, Cost, Decision, Recipe};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "random",
    summary: "folds, calls or raises with equal probability, raises to any legal size",
    example: "random",
    argument: None,
    options: &[],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        resolver.options::<crate::config::NoOptions>()?;
        Ok(Recipe::new(|_| Ok(Random)).with_policy(|_| Ok(Random)))
    },
};

pub(crate) struct Random;

impl Agent for Random {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let legal = infoset.legal();
        let kinds = 1 + u32::from(legal.fold) + u32::from(legal.raise.is_some());
        // Kinds in the order call, fold, raise, without those that are not legal.
        let mut drawn = cx.rng.random_range(0..kinds);
        if drawn > 0 && !legal.fold {
            drawn += 1;
        }
        match (drawn, legal.raise) {
            (1, _) => Action::Fold,
            (2, Some(raise)) => Action::RaiseTo(cx.rng.random_range(raise.min..=raise.max)),
            _ => Action::Call,
        }
        .into()
    }
}

impl Policy for Random {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let legal = infoset.legal();
        let kinds = 1 + u32::from(legal.fold) + u32::from(legal.raise.is_some());
        let each = 1.0 / f64::from(kinds);
        let sizes = legal.raise.map_or(1.0, |raise| f64::from(raise.max - raise.min) + 1.0);
        let weight = |action| match action {
            Action::RaiseTo(_) => (action, each / sizes),
            Action::Fold | Action::Call => (action, each),
        };
        Strategy { actions: legal.all().map(weight).collect() }
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        // The strategy is the same for all hands, and there may be thousands of raise sizes.
        let Some(&hole) = hands.first() else { return };
        let strategy = self.strategy(&InfoSet { public: public.clone(), seat, hole });
        (0..hands.len()).for_each(|number| visit(number, &strategy));
    }
}
