//! Agents for the usual chips, with a big blind of 100, at the same game in smaller chips.
//!
//! A game in which all stacks, blinds and bets are a multiple of another's has all of its
//! situations, so nothing is lost on the way to the agent. Its raises are rounded to the nearest
//! chip of the game and kept within the rules.

use std::sync::Arc;

use cards::HoleCards;
use game::{
    Action, BySeat, Chips, GameDef, GameSpec, InfoSet, Payoff, Policy, PublicState, Seat, Strategy,
};

use crate::{Agent, AgentError, Context, Decision, HandOutcome};

/// The big blind of the games that agents are trained for.
const BIG_BLIND: Chips = 100;

/// The agent for this game, made of the one for larger chips; `None` if there is none.
pub(crate) fn agent(
    def: &GameDef,
    build: impl FnOnce(&Arc<GameDef>) -> Result<Box<dyn Agent>, AgentError>,
) -> Option<Box<dyn Agent>> {
    let larger = Larger::new(def)?;
    let inner = build(&larger.def).ok()?;
    Some(Box::new(Scaled { inner, larger }))
}

/// The policy for this game, in the same way.
pub(crate) fn policy(
    def: &GameDef,
    build: impl FnOnce(&Arc<GameDef>) -> Result<Arc<dyn Policy>, AgentError>,
) -> Option<Arc<dyn Policy>> {
    let larger = Larger::new(def)?;
    let inner = build(&larger.def).ok()?;
    Some(Arc::new(Scaled { inner, larger }))
}

/// A game in larger chips.
struct Larger {
    def: Arc<GameDef>,
    factor: Chips,
}

impl Larger {
    fn new(def: &GameDef) -> Option<Larger> {
        let big = def.blinds.iter().copied().max().filter(|&big| big > 0 && big < BIG_BLIND)?;
        let factor = BIG_BLIND.is_multiple_of(big).then_some(BIG_BLIND / big)?;
        let times = |chips: &[Chips]| {
            chips.iter().map(|chips| chips.checked_mul(factor)).collect::<Option<Vec<Chips>>>()
        };
        let spec = GameSpec {
            stacks: times(&def.stacks)?,
            blinds: times(&def.blinds)?,
            raise_sizes: times(&def.raise_sizes)?,
            ..def.spec().clone()
        };
        Some(Larger { def: Arc::new(GameDef::new(spec).ok()?), factor })
    }

    /// The state in larger chips.
    fn state(&self, public: &PublicState) -> PublicState {
        let mut state = PublicState::new(&self.def);
        let board = public.board();
        for played in public.history() {
            // The hand was played by the same rules.
            let _ = state.deal_from(&board);
            state.apply_unchecked(match played.action {
                Action::RaiseTo(total) => Action::RaiseTo(total.saturating_mul(self.factor)),
                other => other,
            });
        }
        let _ = state.deal_from(&board);
        state
    }

    /// The information set in larger chips.
    fn infoset(&self, infoset: &InfoSet) -> InfoSet {
        InfoSet { public: self.state(&infoset.public), seat: infoset.seat, hole: infoset.hole }
    }

    /// An action in larger chips as one of the game, legal in this state.
    fn action(&self, action: Action, public: &PublicState) -> Action {
        let Action::RaiseTo(total) = action else { return action };
        let rounded = total.saturating_add(self.factor / 2) / self.factor;
        public.legal().nearest(Action::RaiseTo(rounded))
    }

    fn strategy(&self, strategy: &Strategy, public: &PublicState) -> Strategy {
        let mut actions: Vec<(Action, f64)> = Vec::with_capacity(strategy.actions.len());
        for &(action, probability) in &strategy.actions {
            let action = self.action(action, public);
            // Two sizes may be the same number of chips.
            match actions.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += probability,
                None => actions.push((action, probability)),
            }
        }
        Strategy { actions }
    }
}

/// An agent or a policy that is shown larger chips.
struct Scaled<T> {
    inner: T,
    larger: Larger,
}

impl Agent for Scaled<Box<dyn Agent>> {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let Scaled { inner, larger } = self;
        let public = &infoset.public;
        let decision = inner.act(&larger.infoset(infoset), cx);
        let mut values: Vec<(Action, f64)> = Vec::with_capacity(decision.values.len());
        for (action, value) in decision.values {
            let action = larger.action(action, public);
            if values.iter().all(|(known, _)| *known != action) {
                values.push((action, value / f64::from(larger.factor)));
            }
        }
        let strategy = decision.strategy.map(|strategy| larger.strategy(&strategy, public));
        let action = larger.action(decision.action, public);
        Decision { action, strategy, values, ..decision }
    }

    fn meet(&mut self, opponents: &[String]) {
        self.inner.meet(opponents);
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        let factor = i64::from(self.larger.factor);
        let times = |payoff: Payoff| Payoff::from_parts(payoff.parts().saturating_mul(factor));
        let payoffs = BySeat::from_fn(outcome.payoffs.len(), |seat| times(outcome.payoffs[seat]));
        let public = self.larger.state(outcome.public);
        self.inner.hand_over(&HandOutcome { public: &public, payoffs: &payoffs, ..*outcome });
    }

    fn restart(&mut self) {
        self.inner.restart();
    }
}

impl Policy for Scaled<Arc<dyn Policy>> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let strategy = self.inner.strategy(&self.larger.infoset(infoset));
        self.larger.strategy(&strategy, &infoset.public)
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        let state = self.larger.state(public);
        self.inner.strategies(&state, seat, hands, &mut |number, strategy| {
            visit(number, &self.larger.strategy(strategy, public));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentRng, Clock, Registry};

    /// The game of `blinds` and `stack` with two players.
    fn game(blinds: [Chips; 2], stack: Chips) -> Arc<GameDef> {
        let usual = game::games::nolimit_holdem_with(vec![stack; 2]);
        let spec = GameSpec { blinds: blinds.to_vec(), ..usual.spec().clone() };
        Arc::new(GameDef::new(spec).expect("a game"))
    }

    #[test]
    fn a_blueprint_plays_small_chips_as_it_plays_its_own() {
        let choice = Registry::standard().resolve("cfr").expect("an agent");
        let (small, large) = (game([2, 1], 400), game([100, 50], 20_000));
        let mut agents = [&small, &large].map(|def| choice.build(def).expect("it plays"));
        let mut actions = 0;
        for hand in 0..200_u64 {
            let cards: Vec<cards::Card> = cards::Card::all().collect();
            let at = |place: u64| cards[((place * 7 + hand * 11) % 52) as usize];
            let hole = [0, 2].map(|k| cards::HoleCards::new(&[at(k), at(k + 1)]).expect("two"));
            let board: Vec<cards::Card> = (4..9).map(at).collect();
            let (mut few, mut many) = (PublicState::new(&small), PublicState::new(&large));
            loop {
                few.deal_from(&board).expect("a board");
                many.deal_from(&board).expect("a board");
                let game::Turn::Act(seat) = few.turn() else { break };
                let mut decide = |agent: usize, public: &PublicState| {
                    let hole = hole[seat.index()];
                    let infoset = InfoSet { public: public.clone(), seat, hole };
                    let rng = AgentRng::new(u128::from(hand) << 8 | actions);
                    let (time_left, clock) = (None, Clock::stopped());
                    agents[agent].act(&infoset, &mut Context { rng, hand, time_left, clock })
                };
                let (of_few, of_many) = (decide(0, &few), decide(1, &many));
                let sum: f64 = of_few.strategy.expect("one").actions.iter().map(|(_, p)| p).sum();
                assert!((sum - 1.0).abs() < 1e-9);
                let action = of_few.action;
                match (action, of_many.action) {
                    (Action::RaiseTo(few), Action::RaiseTo(many)) => {
                        assert!((i64::from(few) * 50 - i64::from(many)).abs() <= 50);
                    }
                    (few, many) => assert_eq!(few, many),
                }
                few.apply(action).expect("a legal action");
                let action = match action {
                    Action::RaiseTo(total) => Action::RaiseTo(total * 50),
                    other => other,
                };
                many.apply(action).expect("the same in larger chips");
                actions += 1;
            }
        }
        assert!(actions > 500, "{actions}");
    }

    #[test]
    fn another_depth_is_refused_as_before() {
        let choice = Registry::standard().resolve("cfr").expect("an agent");
        let refused = choice.build(&game([2, 1], 500)).err().expect("an error");
        assert!(refused.is_game(), "{refused}");
    }
}
