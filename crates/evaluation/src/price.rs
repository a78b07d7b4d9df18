//! What an action of a recorded hand is worth by the values of agents: against the hands with which
//! the other player would have come there by an agent's play, when both play on as the agents do.
//!
//! The *price* of a decision is the best of these values less that of the action played. Of large
//! ranges 64 hands are drawn, so a price has an interval. What an agent solves itself is priced by
//! its solution, which has all hands and the action played.

use std::sync::Arc;

use agents::reach::{self, ActionMatching};
use agents::{
    AgentChoice, AgentError, Registry, SolvedDecision, SolvesDecisions, StrategyQuery,
    values_between,
};
use cards::{Combo, HoleCards};
use game::{
    Action, BySeat, DealValues, GameDef, InfoSet, Policy, PublicState, Seat, Strategy,
    ValueFunction,
};
use logs::MatchInfo;
use models::chart::distinct;

/// The most hands of a range that are valued.
pub(crate) const MOST_HANDS: usize = 64;

/// The half-width of a 95 % interval in standard errors.
const TWO_SIDED: f64 = 1.96;

/// The strategies by which the decisions of a match are valued, one for each entrant.
pub struct Advisers {
    names: Vec<String>,
    policies: Vec<Option<Arc<dyn Policy>>>,
    /// What situations are worth between the first two; `None` in games without.
    values: Option<Arc<dyn ValueFunction>>,
    /// What prices decisions before that, where it solves them.
    solver: Option<Arc<dyn SolvesDecisions>>,
}

/// What the actions of a decision are worth to the one who decides, in chips.
#[derive(Debug, Clone, PartialEq)]
pub struct Priced {
    /// The actions, the best first.
    pub actions: Vec<PricedAction>,
    /// By how much the action played is worse than the best one.
    pub price: f64,
    /// Half the 95 % interval of the price; of a solved decision how far it is from settled
    /// ([`SolvedDecision::error`]).
    pub half_width: f64,
    /// Whether it was solved.
    pub solved: bool,
}

/// An action with its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PricedAction {
    /// The action.
    pub action: Action,
    /// How often the adviser takes it with these cards.
    pub probability: f64,
    /// What it wins on average over the whole hand, in chips.
    pub value: f64,
    /// By how much it is worse than the best one.
    pub price: f64,
    /// Half the 95 % interval of that, from the hands that were drawn; 0 when all were valued. Of a
    /// solved decision that of [`Priced`].
    pub half_width: f64,
}

/// The entrants of a hand by seat, and the number of its deal, by which boards are drawn where
/// not all are counted.
pub type Seats<'a> = (&'a BySeat<u8>, u64);

/// The reason why a decision has no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unpriced {
    /// More than two players, or another deck.
    #[error("in a game that is not heads-up hold'em")]
    OtherGame,
    /// No value function for the blinds and stacks.
    #[error(
        "with blinds and stacks for which there are no values (no-limit: both have 3, 5, 10, 15, \
         20, 30, 50, 100 or 200 big blinds)"
    )]
    OtherStacks,
    /// The adviser gives no strategy.
    #[error("where the agent cannot be asked")]
    NoStrategy,
    /// The decider's cards are unknown.
    #[error("with cards that are not known")]
    UnknownCards,
    /// The adviser never comes there.
    #[error("after actions of the other player that the agent never takes")]
    NeverThere,
}

impl Advisers {
    /// The agents that the match says its entrants were, as far as the registry has them.
    pub fn of_match(info: &MatchInfo, registry: &Registry) -> Advisers {
        let def = Arc::new(info.game.clone());
        let names = info.entrants.iter().map(|entrant| entrant.agent.clone()).collect::<Vec<_>>();
        // Programs, and agents that are not known here, cannot be asked.
        let policy = |name: &String| registry.resolve(name).ok()?.policy(&def).ok().flatten();
        Advisers::new(&def, names.iter().map(policy).collect(), names.clone())
    }

    /// One agent in the place of every player of a game. What it solves is priced by its solutions,
    /// the rest by the agent that plays it; `None` where it has no strategy.
    ///
    /// # Errors
    /// When it cannot be built for the game.
    pub fn of_agent(
        def: &Arc<GameDef>,
        name: &str,
        agent: &AgentChoice,
    ) -> Result<Option<Advisers>, AgentError> {
        let Some(solver) = agent.solver(def)? else {
            let policy = agent.policy(def)?;
            return Ok(policy.map(|policy| Advisers::alike(def, name, &policy)));
        };
        let blueprint = agent.blueprint().expect("who solves has a blueprint");
        let Some(policy) = blueprint.policy(def)? else { return Ok(None) };
        let rest = Advisers::alike(def, blueprint.name(), &policy);
        Ok(Some(Advisers { solver: Some(solver), ..rest }))
    }

    /// One agent with this strategy in the place of every player of a game.
    pub fn alike(def: &Arc<GameDef>, name: &str, policy: &Arc<dyn Policy>) -> Advisers {
        let policies = def.seats().map(|_| Some(Arc::clone(policy))).collect();
        Advisers::new(def, policies, vec![name.to_owned(); def.players])
    }

    fn new(
        def: &Arc<GameDef>,
        policies: Vec<Option<Arc<dyn Policy>>>,
        names: Vec<String>,
    ) -> Advisers {
        let values = match (&*policies, &*names) {
            ([first, second], [one, two]) => {
                let both = [first.clone(), second.clone()];
                values_between(def, both, [one, two], StrategyQuery::Buckets)
            }
            _ => None,
        };
        Advisers { names, policies, values, solver: None }
    }

    /// The agent in an entrant's place.
    pub(crate) fn name(&self, entrant: u8) -> &str {
        &self.names[usize::from(entrant)]
    }

    /// The agent that prices what another one does not solve, if there is one that solves.
    pub fn unsolved_by(&self) -> Option<&str> {
        self.solver.as_ref().map(|_| self.names[0].as_str())
    }

    /// The name of the value function, if there is one.
    pub fn value_function(&self) -> Option<&str> {
        self.values.as_deref().map(ValueFunction::name)
    }

    /// Prepares for the values of so many hands.
    pub fn expect_hands(&self, hands: u64) {
        self.values.iter().for_each(|values| values.prepare(hands));
    }

    /// The hands with which an entrant in this seat would have come to this state by its agent's
    /// play, with their weights, without those that share a card with `own`. `None` when there are
    /// none, or the agent cannot be asked.
    pub(crate) fn range(
        &self,
        public: &PublicState,
        (seat, entrant): (Seat, u8),
        own: Combo,
    ) -> Option<Vec<(Combo, f64)>> {
        let policy = self.policies[usize::from(entrant)].as_ref()?;
        let how = (ActionMatching::Sizes, 0.0);
        let weights = reach::at_action(public.history().len(), policy.as_ref(), public, seat, how);
        let free =
            |combo: &Combo| weights[combo.index()] > 0.0 && !combo.set().intersects(own.set());
        let range: Vec<(Combo, f64)> =
            Combo::all().filter(free).map(|combo| (combo, weights[combo.index()])).collect();
        (!range.is_empty()).then_some(range)
    }

    /// What the actions of a decision are worth against these hands: those of the adviser, those of
    /// `more`, and the one played. `None` without values.
    pub(crate) fn value(
        &self,
        (entrants, deal): Seats<'_>,
        infoset: &InfoSet,
        (played, more): (Action, &[Action]),
        (range, sampled): (&[(Combo, f64)], bool),
    ) -> Option<Priced> {
        let values = self.values.as_ref()?;
        let (public, seat) = (&infoset.public, infoset.seat);
        let legal = infoset.legal();
        let adviser = self.policies[usize::from(entrants[seat])].as_ref();
        let strategy = adviser.map(|policy| policy.strategy(infoset));
        let strategy = strategy.unwrap_or_else(|| Strategy { actions: Vec::new() });
        let advised = strategy.actions.iter().filter(|(_, p)| *p > 0.0).map(|&(action, _)| action);
        let usual = [legal.fold.then_some(Action::Fold), Some(Action::Call), Some(played)];
        let wanted = more.iter().copied().chain(advised).chain(usual.into_iter().flatten());
        let actions: Vec<Action> = distinct(wanted)
            .into_iter()
            .filter(|&action| legal.nearest(action) == action)
            .collect();
        let &[first, second] = entrants.as_slice() else { return None };
        let sign = if seat.index() == 0 { 1.0 } else { -1.0 };
        let of_hand = |&(combo, _): &(Combo, f64)| -> Vec<f64> {
            let other = HoleCards::new(&combo.cards()).expect("room for two cards");
            let mut holes = [infoset.hole, other];
            if seat.index() == 1 {
                holes.reverse();
            }
            let mut deal: Box<dyn DealValues + '_> = values.of_deal(holes, [first, second], deal);
            let mut value = |action: Action| {
                let mut after = public.clone();
                // Only legal actions are listed.
                after.apply_unchecked(action);
                sign * deal.value(&after)
            };
            actions.iter().map(|&action| value(action)).collect()
        };
        let by_hand = parallel::map(range, of_hand);
        let mean = |of: &dyn Fn(&[f64]) -> f64| -> f64 {
            range.iter().zip(&by_hand).map(|((_, weight), values)| weight * of(values)).sum()
        };
        let means: Vec<f64> =
            (0..actions.len()).map(|action| mean(&|values| values[action])).collect();
        let mut order: Vec<usize> = (0..actions.len()).collect();
        order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
        let best = *order.first()?;
        let count = range.len() as f64;
        let action = |at: usize| {
            let price = means[best] - means[at];
            let squares = mean(&|values| (values[best] - values[at] - price).powi(2));
            PricedAction {
                action: actions[at],
                probability: strategy.probability(actions[at]),
                value: means[at],
                price,
                half_width: if sampled {
                    TWO_SIDED * (squares / (count - 1.0)).sqrt()
                } else {
                    0.0
                },
            }
        };
        let actions: Vec<PricedAction> = order.into_iter().map(action).collect();
        let &PricedAction { price, half_width, .. } =
            actions.iter().find(|of| of.action == played)?;
        Some(Priced { actions, price, half_width, solved: false })
    }

    /// The price of an action that was played in this situation of a hand.
    ///
    /// # Errors
    /// Why it has none.
    pub fn price(
        &self,
        seats: Seats<'_>,
        infoset: &InfoSet,
        played: Action,
    ) -> Result<Priced, Unpriced> {
        self.price_each(seats, infoset, (played, &[]), MOST_HANDS)
    }

    /// The prices of this action and of more, against at most `most` hands of the other player's
    /// range.
    ///
    /// # Errors
    /// Why they have none.
    pub(crate) fn price_each(
        &self,
        (entrants, deal): Seats<'_>,
        infoset: &InfoSet,
        actions: (Action, &[Action]),
        most: usize,
    ) -> Result<Priced, Unpriced> {
        let def = infoset.public.def();
        if def.differs_from_holdem().is_some() {
            return Err(Unpriced::OtherGame);
        }
        if infoset.hole.len() != 2 {
            return Err(Unpriced::UnknownCards);
        }
        let solved = self.solver.as_ref().and_then(|solver| solver.solved(infoset, actions.0));
        if let Some(priced) = solved.and_then(|solved| Priced::of_solved(solved, actions.0)) {
            return Ok(priced);
        }
        if self.policies.iter().any(Option::is_none) {
            return Err(Unpriced::NoStrategy);
        }
        if self.values.is_none() {
            return Err(Unpriced::OtherStacks);
        }
        let other = def.seats().find(|&seat| seat != infoset.seat);
        let other = other.ok_or(Unpriced::OtherGame)?;
        let range = (other, entrants[other]);
        let range = self.range(&infoset.public, range, combo(infoset.hole));
        let (range, sampled) = drawn(range.ok_or(Unpriced::NeverThere)?, most);
        let priced = self.value((entrants, deal), infoset, actions, (&range, sampled));
        priced.ok_or(Unpriced::OtherStacks)
    }
}

impl Priced {
    /// A decision by its solution; `None` if that has not the action played.
    fn of_solved(solved: SolvedDecision, played: Action) -> Option<Priced> {
        let SolvedDecision { strategy, mut values, error: half_width } = solved;
        values.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let &(_, best) = values.first()?;
        let action = |(action, value)| PricedAction {
            action,
            probability: strategy.probability(action),
            value,
            price: best - value,
            half_width,
        };
        let actions: Vec<PricedAction> = values.into_iter().map(action).collect();
        let price = actions.iter().find(|of| of.action == played)?.price;
        Some(Priced { actions, price, half_width, solved: true })
    }
}

/// Two hole cards as a combo.
pub(crate) fn combo(hole: HoleCards) -> Combo {
    Combo::new(hole[0], hole[1]).expect("hold'em hands have two cards")
}

/// At most so many hands of a range, with weights that add up to 1: evenly along it, so that each
/// stands for as much of it. The second is whether there are more.
pub(crate) fn drawn(range: Vec<(Combo, f64)>, most: usize) -> (Vec<(Combo, f64)>, bool) {
    let total: f64 = range.iter().map(|(_, weight)| weight).sum();
    if range.len() <= most {
        return (range.into_iter().map(|(combo, weight)| (combo, weight / total)).collect(), false);
    }
    let step = total / most as f64;
    let (mut drawn, mut passed) = (Vec::new(), 0.0);
    for (combo, weight) in range {
        passed += weight;
        while drawn.len() < most && passed > (drawn.len() as f64 + 0.5) * step {
            drawn.push((combo, 1.0 / most as f64));
        }
    }
    (drawn, true)
}
