//! Agents that panic once: `panics:METHOD` where it is asked, `panics-apart:METHOD` on a thread of
//! its own.

use std::panic::resume_unwind;

use agents::{
    Agent, AgentChoice, AgentOption, AgentSpec, Context, Cost, Decision, HandOutcome, Recipe,
    Resolver,
};
use game::{Action, InfoSet};
use matches::external::registry;

/// The methods of an agent, dropping it included.
pub(crate) const METHODS: [&str; 5] = ["act", "meet", "hand_over", "restart", "drop"];

/// An agent that panics in this method: in its first call, or in the third decision.
pub(crate) fn panicking(method: &str, cost: Cost) -> AgentChoice {
    let mut registry = registry();
    registry.add(spec("panics", Cost::Inline, |resolver| recipe(resolver, Cost::Inline)));
    registry.add(spec("panics-apart", Cost::Worker, |resolver| recipe(resolver, Cost::Worker)));
    let kind = if cost == Cost::Inline { "panics" } else { "panics-apart" };
    registry.resolve(&format!("{kind}:{method}")).expect("an agent")
}

type Prepare = fn(&Resolver<'_>) -> Result<Recipe, agents::AgentError>;

fn spec(kind: &'static str, cost: Cost, prepare: Prepare) -> AgentSpec {
    AgentSpec {
        kind,
        summary: "folds, and panics once",
        example: "panics:act",
        argument: Some("method"),
        options: &[AgentOption { name: "method", default: "required", help: "where it panics" }],
        cost,
        repeatable: true,
        prepare,
    }
}

fn recipe(resolver: &Resolver<'_>, cost: Cost) -> Result<Recipe, agents::AgentError> {
    #[derive(serde::Deserialize)]
    struct Options {
        method: String,
    }
    let Options { method } = resolver.options()?;
    let mut recipe = Recipe::new(move |_| {
        assert_ne!(method, "build", "as it was told");
        Ok(Panicking { method: method.clone(), calls: 0 })
    });
    recipe.cost = cost;
    Ok(recipe)
}

struct Panicking {
    method: String,
    calls: u32,
}

impl Panicking {
    fn called(&mut self, method: &str, fatal: u32) {
        if self.method == method {
            self.calls += 1;
            if self.calls == fatal {
                // Without the message and the backtrace, which would take longer than a match.
                resume_unwind(Box::new("as it was told"));
            }
        }
    }
}

impl Agent for Panicking {
    fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
        self.called("act", 3);
        if infoset.legal().fold { Action::Fold.into() } else { Action::Call.into() }
    }

    fn meet(&mut self, _: &[String]) {
        self.called("meet", 1);
    }

    fn hand_over(&mut self, _: &HandOutcome<'_>) {
        self.called("hand_over", 1);
    }

    fn restart(&mut self) {
        self.called("restart", 1);
    }
}

impl Drop for Panicking {
    fn drop(&mut self) {
        self.called("drop", 1);
    }
}
