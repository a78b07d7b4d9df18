//! Agents that decide some situations themselves and leave the rest to another agent.

use std::sync::Arc;

use cards::HoleCards;
use game::{GameDef, InfoSet, Policy, PublicState, Seat, Strategy};

use crate::{Agent, AgentChoice, AgentError, Context, Decision, HandOutcome, Recipe};

/// An agent that decides only some situations itself.
pub(crate) trait PartialAgent: Send {
    /// Whether decisions of the fallback are outside of what the agent is for; each says so.
    const COUNTED: bool = true;

    /// The decision; `None` if the fallback decides.
    fn decide(&self, infoset: &InfoSet, cx: &mut Context) -> Option<Decision>;
}

/// A partial agent that is a pure function of the information set.
pub(crate) trait PartialPolicy: PartialAgent + Sync {
    /// The strategy of each hand; `None` if the fallback decides.
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>>;
}

/// A partial agent and its fallback.
pub(crate) struct WithFallback<P, F = Box<dyn Agent>> {
    pub partial: P,
    pub fallback: F,
    /// The fallback's name.
    pub name: String,
}

/// Builds the recipe of a partial agent with a fallback. It has a policy if the fallback has one.
pub(crate) fn recipe<P: PartialPolicy + 'static>(
    fallback: &AgentChoice,
    build: impl Fn(&Arc<GameDef>) -> Result<P, AgentError> + Send + Sync + 'static,
) -> Recipe {
    let build = Arc::new(build);
    let (partial, asked) = (Arc::clone(&build), fallback.clone());
    let mut recipe = Recipe::new(move |def| {
        let name = asked.name().to_owned();
        Ok(WithFallback { partial: partial(def)?, fallback: asked.build(def)?, name })
    });
    if fallback.has_policy() {
        let asked = fallback.clone();
        recipe = recipe.with_policy(move |def| {
            let fallback = asked.policy(def)?.expect("it was asked whether it has a policy");
            Ok(WithFallback { partial: build(def)?, fallback, name: asked.name().to_owned() })
        });
    }
    recipe.asking(fallback)
}

impl<P: PartialAgent> Agent for WithFallback<P> {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        if let Some(own) = self.partial.decide(infoset, cx) {
            return own;
        }
        let mut decision = self.fallback.act(infoset, cx);
        if P::COUNTED {
            decision.beyond_model = true;
            decision.note = Some(match decision.note {
                Some(note) => format!("left to {}: {note}", self.name),
                None => format!("left to {}", self.name),
            });
        }
        decision
    }

    fn meet(&mut self, opponents: &[String]) {
        self.fallback.meet(opponents);
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        self.fallback.hand_over(outcome);
    }

    fn restart(&mut self) {
        self.fallback.restart();
    }
}

impl<P: PartialPolicy> Policy for WithFallback<P, Arc<dyn Policy>> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let InfoSet { public, seat, hole } = infoset;
        let own = self.partial.strategies(public, *seat, &[*hole]).pop().flatten();
        own.unwrap_or_else(|| self.fallback.strategy(infoset))
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        let own = self.partial.strategies(public, seat, hands);
        let mut rest = Vec::new();
        for (number, strategy) in own.iter().enumerate() {
            match strategy {
                Some(strategy) => visit(number, strategy),
                None => rest.push(number),
            }
        }
        let left: Vec<HoleCards> = rest.iter().map(|&number| hands[number]).collect();
        if !left.is_empty() {
            let mut visit = |at: usize, strategy: &Strategy| visit(rest[at], strategy);
            self.fallback.strategies(public, seat, &left, &mut visit);
        }
    }
}
