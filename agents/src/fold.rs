//! `fold`: folds whenever there is something to call, else checks.

use game::{Action, InfoSet, Policy, Strategy};

use crate::{Agent, AgentSpec, Context, Cost, Decision, Recipe};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "fold",
    summary: "folds to any bet, else checks",
    example: "fold",
    argument: None,
    options: &[],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        resolver.options::<crate::config::NoOptions>()?;
        Ok(Recipe::new(|_| Ok(AlwaysFold)).with_policy(|_| Ok(AlwaysFold)))
    },
};

struct AlwaysFold;

impl Agent for AlwaysFold {
    fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
        action(infoset).into()
    }
}

impl Policy for AlwaysFold {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        Strategy::pure(action(infoset))
    }
}

fn action(infoset: &InfoSet) -> Action {
    if infoset.legal().fold { Action::Fold } else { Action::Call }
}
