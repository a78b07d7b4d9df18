//! `raise`: raises whenever it may, else calls.
//!
//! Against it, an agent that always folds loses exactly the blinds: heads-up with blinds 50 and 100
//! that is 750 mbb/hand.

use game::{Action, InfoSet, Policy, Raises, Strategy};
use serde::Deserialize;

use crate::{Agent, AgentOption, AgentSpec, Context, Cost, Decision, Recipe};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "raise",
    summary: "raises whenever it can, else calls",
    example: "raise:pot",
    argument: Some("size"),
    options: &[AgentOption {
        name: "size",
        default: "min",
        help: "raise size: `min`, the smallest legal; `pot`, the pot after calling; `all-in`",
    }],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        let Options { size } = resolver.options()?;
        let raise = move |_: &_| Ok(AlwaysRaise { size });
        Ok(Recipe::new(raise).with_policy(raise))
    },
};

#[derive(Deserialize)]
struct Options {
    #[serde(default)]
    size: Size,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Size {
    #[default]
    Min,
    Pot,
    AllIn,
}

struct AlwaysRaise {
    size: Size,
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
        let legal = infoset.legal();
        let Some(Raises { min, max }) = legal.raise else { return Action::Call };
        let total = match self.size {
            Size::Min => min,
            Size::Pot => {
                let public = &infoset.public;
                let after_call = public.pot() + u64::from(legal.to_call);
                let total = u64::from(public.highest()) + after_call;
                u32::try_from(total).unwrap_or(max).clamp(min, max)
            }
            Size::AllIn => max,
        };
        Action::RaiseTo(total)
    }
}
