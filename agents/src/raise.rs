//! `raise`: raises whenever it may, else calls.
//!
//! Against it, an agent that always folds loses exactly the blinds: heads-up with blinds 50 and 100
//! that is 750 mbb/hand.

use abstraction::menu::BetSize;
use game::{Action, InfoSet, Policy, Raises, Strategy};
use serde::Deserialize;

use crate::{Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "raise",
    summary: "raises whenever it can, else calls",
    example: "raise:pot",
    argument: Some("size"),
    options: &[AgentOption {
        name: "size",
        default: "min",
        help: "raise size: `min`, the smallest legal; `half-pot`, `pot` or `75%`, of the pot after \
               calling; `3x`, times the bet; `allin`",
    }],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        let Options { size } = resolver.options()?;
        let size = raise_size(resolver, size.as_deref().unwrap_or("min"))?;
        let raise = move |_: &_| Ok(AlwaysRaise { size });
        Ok(Recipe::new(raise).with_policy(raise))
    },
};

#[derive(Deserialize)]
struct Options {
    size: Option<String>,
}

/// The raise size of the option `size`.
pub(crate) fn raise_size(resolver: &Resolver<'_>, text: &str) -> Result<BetSize, AgentError> {
    text.parse().map_err(|()| {
        let sizes = "`min`, `10x` (times the bet), `75%` (of the pot after a call), `half-pot`, \
                     `pot` or `allin`";
        resolver.bad_option(format!("`size` is {text}, but must be {sizes}"))
    })
}

/// A raise of this size; the smallest if it is a multiple of a bet and there is none.
pub(crate) fn raise(size: BetSize, infoset: &InfoSet, raises: Raises) -> Action {
    let total = size.total(&infoset.public, infoset.seat, raises);
    Action::RaiseTo(total.unwrap_or(raises.min))
}

struct AlwaysRaise {
    size: BetSize,
}

impl Agent for AlwaysRaise {
    fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
        self.action(infoset).into()
    }
}

impl Policy for AlwaysRaise {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        Strategy::pure(self.action(infoset))
    }
}

impl AlwaysRaise {
    fn action(&self, infoset: &InfoSet) -> Action {
        infoset.legal().raise.map_or(Action::Call, |raises| raise(self.size, infoset, raises))
    }
}
