//! `shadow`: plays one agent and asks another what it would have done.
//!
//! The shadow agent gets the same information, the same random source and the results of hands. If
//! its action differs, the note of the decision says so.

use std::panic::{AssertUnwindSafe, catch_unwind};

use game::{Action, InfoSet};
use serde::Deserialize;

use crate::{
    Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Failed, HandOutcome,
    Recipe, Resolver,
};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "shadow",
    summary: "plays its first agent, also asks its second, and notes where they differ",
    example: "shadow:equity,call",
    argument: Some("agents"),
    options: &[AgentOption {
        name: "agents",
        default: "required",
        help: "two agents separated by a comma, the one that plays first: `equity,call`",
    }],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

#[derive(Deserialize)]
struct Options {
    agents: String,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let Options { agents } = resolver.options()?;
    let Some((playing, asked)) = agents.split_once(',') else {
        let reason = format!("`{agents}` must name two agents, as in `equity,call`");
        return Err(resolver.bad_option(reason));
    };
    let playing = resolver.resolve(playing, resolver.folder())?;
    let asked = resolver.resolve(asked, resolver.folder())?;
    let recipe = {
        let (playing, asked) = (playing.clone(), asked.clone());
        Recipe::new(move |def| {
            Ok(Shadow {
                playing: playing.build(def)?,
                asked: asked.build(def)?,
                asked_name: asked.name().to_owned(),
            })
        })
    };
    let recipe = recipe.asking(&playing).asking(&asked);
    Ok(recipe.with_policy_of(&playing))
}

struct Shadow {
    playing: Box<dyn Agent>,
    asked: Box<dyn Agent>,
    asked_name: String,
}

impl Agent for Shadow {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let mut aside = cx.clone();
        let mut decision = self.playing.act(infoset, cx);
        // A panic of the shadow agent must not affect the playing agent's decision.
        let other = catch_unwind(AssertUnwindSafe(|| self.asked.act(infoset, &mut aside)))
            .unwrap_or_else(|_| Decision::failed(Failed::Panicked));
        let name = &self.asked_name;
        let differs = match other.failed {
            Some(failed) => Some(format!("{name} could not decide: {failed:?}")),
            None if other.action == decision.action => None,
            None => Some(format!("{name} would {}", verb(other.action))),
        };
        if let Some(differs) = differs {
            decision.note = Some(match decision.note {
                Some(note) => format!("{note}; {differs}"),
                None => differs,
            });
        }
        decision
    }

    fn meet(&mut self, opponents: &[String]) {
        self.playing.meet(opponents);
        self.asked.meet(opponents);
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        self.playing.hand_over(outcome);
        self.asked.hand_over(outcome);
    }

    fn restart(&mut self) {
        self.playing.restart();
        self.asked.restart();
    }
}

fn verb(action: Action) -> String {
    match action {
        Action::Fold => "fold".to_owned(),
        Action::Call => "check or call".to_owned(),
        Action::RaiseTo(total) => format!("raise to {total}"),
    }
}
