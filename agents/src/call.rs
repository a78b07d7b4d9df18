//! `call`: checks or calls, always. The reference point of every table of results.

use game::{Action, InfoSet, Policy, Strategy};

use crate::{Agent, AgentSpec, Context, Cost, Decision, Recipe};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "call",
    summary: "always checks or calls",
    example: "call",
    argument: None,
    options: &[],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        resolver.options::<crate::config::NoOptions>()?;
        Ok(Recipe::new(|_| Ok(AlwaysCall)).with_policy(|_| Ok(AlwaysCall)))
    },
};

struct AlwaysCall;

impl Agent for AlwaysCall {
    fn act(&mut self, _: &InfoSet, _: &mut Context) -> Decision {
        Action::Call.into()
    }
}

impl Policy for AlwaysCall {
    fn strategy(&self, _: &InfoSet) -> Strategy {
        Strategy::pure(Action::Call)
    }
}
