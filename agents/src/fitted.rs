//! Agents at a game that is not quite theirs: with other chips, or other stacks.
//!
//! Agents are trained for a big blind of 100. A game in which all stacks, blinds and bets are a
//! part of another's has all of its situations, so nothing is lost on the way to the agent: its
//! raises are rounded to the nearest chip of the game and kept within the rules.
//!
//! Some agents have a blueprint for each of several depths. Between them, the one of the next
//! deeper stacks plays: bets are as many big blinds there, and a bet of all chips is one of all
//! chips. Stacks are those that can be lost, the smaller ones.

use std::sync::Arc;

use cards::{Combo, HoleCards, Ties, all_in};
use game::{
    Action, Betting, BySeat, Chips, DealValues, GameDef, GameSpec, InfoSet, Payoff, Policy,
    PublicState, Seat, Strategy, Turn, ValueFunction,
};

use crate::random_hands::by_odds;
use crate::{Agent, AgentError, Context, Decision, HandOutcome};

/// The big blind of the games that agents are trained for.
const BIG_BLIND: Chips = 100;

/// The agent for this game, made of one for a game that is like it; `None` if there is none.
/// `depths`: those that it has a blueprint for, in big blinds, if there are several.
pub(crate) fn agent(
    def: &GameDef,
    depths: &[Chips],
    build: impl Fn(&Arc<GameDef>) -> Result<Box<dyn Agent>, AgentError>,
) -> Option<Box<dyn Agent>> {
    let (inner, fit) = first(def, depths, build)?;
    Some(Box::new(Fitted { inner, fit }))
}

/// The policy for this game, in the same way.
pub(crate) fn policy(
    def: &GameDef,
    depths: &[Chips],
    build: impl Fn(&Arc<GameDef>) -> Result<Arc<dyn Policy>, AgentError>,
) -> Option<Arc<dyn Policy>> {
    let (inner, fit) = first(def, depths, build)?;
    Some(Arc::new(Fitted { inner, fit }))
}

/// The value function for this game, made of that of the same game in other chips; `None` where
/// none has the same blinds and stacks in big blinds. `build` is given the other game, and the
/// strategies as they play it.
pub(crate) fn values(
    def: &GameDef,
    depths: &[Chips],
    policies: &[Option<Arc<dyn Policy>>; 2],
    build: impl Fn(&GameDef, [Option<Arc<dyn Policy>>; 2]) -> Option<Arc<dyn ValueFunction>>,
) -> Option<Arc<dyn ValueFunction>> {
    let fits = Fit::chips(def).into_iter().chain(Fit::depth(def, depths));
    fits.into_iter().filter(|fit| fit.is_whole(def)).find_map(|fit| {
        let there = policies.each_ref().map(|policy| {
            let inner = Arc::clone(policy.as_ref()?);
            Some(Arc::new(Fitted { inner, fit: fit.back(def) }) as Arc<dyn Policy>)
        });
        let inner = build(&fit.def, there)?;
        let name = format!("{} in other chips", inner.name());
        let values = FittedValues { name, inner, fit, def: def.clone() };
        Some(Arc::new(values) as Arc<dyn ValueFunction>)
    })
}

/// What can be built for the most alike game.
fn first<T>(
    def: &GameDef,
    depths: &[Chips],
    build: impl Fn(&Arc<GameDef>) -> Result<T, AgentError>,
) -> Option<(T, Fit)> {
    let fits = Fit::chips(def).into_iter().chain(Fit::depth(def, depths));
    fits.into_iter().find_map(|fit| Some((build(&fit.def).ok()?, fit)))
}

/// A game in the place of another one.
struct Fit {
    def: Arc<GameDef>,
    /// So many chips of it are `down` of the other game.
    up: u64,
    down: u64,
    /// The stacks that can be lost in the other game and in this one, if their depths differ.
    all_in: Option<[Chips; 2]>,
}

impl Fit {
    /// The same game in larger chips, with the usual big blind.
    fn chips(def: &GameDef) -> Option<Fit> {
        let big = Some(def.big_blind()).filter(|&big| big > 0 && big < BIG_BLIND)?;
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
        let def = Arc::new(GameDef::new(spec).ok()?);
        Some(Fit { def, up: u64::from(factor), down: 1, all_in: None })
    }

    /// The usual game of the next of these depths that is not less than the game's, or of the
    /// deepest one; `None` if the stacks are too far from them, or the game is another one.
    fn depth(def: &GameDef, depths: &[Chips]) -> Option<Fit> {
        let usual = game::games::nolimit_holdem_with(vec![BIG_BLIND; 2]);
        let alike = def.differs_from_holdem().is_none()
            && def.betting == Betting::NoLimit
            && def.players == usual.players
            && def.first_to_act == usual.first_to_act
            && def.blinds.iter().max() == def.blinds.first();
        let (big, stack) = (u64::from(def.big_blind()), *def.stacks.iter().min()?);
        let deepest = *depths.iter().max()?;
        // A quarter deeper is still alike.
        let most = u64::from(deepest) * 5 / 4;
        if !alike || big == 0 || u64::from(stack) > most * big {
            return None;
        }
        let deeper = depths.iter().filter(|&&depth| u64::from(depth) * big >= u64::from(stack));
        let theirs = *deeper.min().unwrap_or(&deepest) * BIG_BLIND;
        let def = Arc::new(game::games::nolimit_holdem_with(vec![theirs; 2]));
        Some(Fit { def, up: u64::from(BIG_BLIND), down: big, all_in: Some([stack, theirs]) })
    }

    /// Whether the games are the same but for the size of a chip.
    fn is_whole(&self, def: &GameDef) -> bool {
        let same = |ours: &[Chips], theirs: &[Chips]| {
            let pairs = ours.iter().zip(theirs);
            let equal = |(&ours, &theirs): (&Chips, &Chips)| {
                u64::from(ours) * self.up == u64::from(theirs) * self.down
            };
            ours.len() == theirs.len() && pairs.into_iter().all(equal)
        };
        same(&def.stacks, &self.def.stacks) && same(&def.blinds, &self.def.blinds)
    }

    /// The way from the other game back to this one.
    fn back(&self, def: &GameDef) -> Fit {
        let all_in = self.all_in.map(|[ours, theirs]| [theirs, ours]);
        Fit { def: Arc::new(def.clone()), up: self.down, down: self.up, all_in }
    }

    /// A bet of the other game as one of this.
    fn theirs(&self, total: Chips) -> Chips {
        let scaled = (u64::from(total) * self.up + self.down / 2) / self.down;
        let scaled = Chips::try_from(scaled).unwrap_or(Chips::MAX);
        match self.all_in {
            Some([ours, theirs]) if total >= ours => theirs,
            _ => scaled,
        }
    }

    /// A bet of this game as one of the other.
    fn ours(&self, total: Chips) -> Chips {
        let scaled = (u64::from(total) * self.down + self.up / 2) / self.up;
        let scaled = Chips::try_from(scaled).unwrap_or(Chips::MAX);
        match self.all_in {
            Some([ours, theirs]) if total >= theirs => ours,
            _ => scaled,
        }
    }

    /// The state in this game; `None` if its betting is over there.
    fn state(&self, public: &PublicState) -> Option<PublicState> {
        let mut state = PublicState::new(&self.def);
        let board = public.board();
        for played in public.history() {
            // The hand was played by the same rules.
            let _ = state.deal_from(&board);
            let Turn::Act(seat) = state.turn() else { return None };
            if seat != played.seat {
                return None;
            }
            state.apply_unchecked(match played.action {
                Action::RaiseTo(total) => {
                    state.legal().nearest(Action::RaiseTo(self.theirs(total)))
                }
                other => other,
            });
        }
        let _ = state.deal_from(&board);
        (state.turn() == public.turn()).then_some(state)
    }

    /// The information set in this game.
    fn infoset(&self, infoset: &InfoSet) -> Option<InfoSet> {
        let public = self.state(&infoset.public)?;
        Some(InfoSet { public, seat: infoset.seat, hole: infoset.hole })
    }

    /// An action in this game as one of the other, legal in this state of it.
    fn action(&self, action: Action, public: &PublicState) -> Action {
        public.legal().nearest(match action {
            Action::RaiseTo(total) => Action::RaiseTo(self.ours(total)),
            other => other,
        })
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

/// An agent or a policy that is shown another game.
struct Fitted<T> {
    inner: T,
    fit: Fit,
}

impl Agent for Fitted<Box<dyn Agent>> {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let Fitted { inner, fit } = self;
        let public = &infoset.public;
        let Some(shown) = fit.infoset(infoset) else {
            let strategy = by_odds(public, infoset.hole);
            let action = cx.draw(&strategy);
            let note = "by pot odds: the betting is over with the stacks that it knows".to_owned();
            return Decision { strategy: Some(strategy), note: Some(note), ..action.into() };
        };
        let decision = inner.act(&shown, cx);
        let mut values: Vec<(Action, f64)> = Vec::with_capacity(decision.values.len());
        for (action, value) in decision.values {
            let action = fit.action(action, public);
            if values.iter().all(|(known, _)| *known != action) {
                values.push((action, value * fit.down as f64 / fit.up as f64));
            }
        }
        let strategy = decision.strategy.map(|strategy| fit.strategy(&strategy, public));
        let action = fit.action(decision.action, public);
        let note = match (decision.note, fit.all_in) {
            (Some(note), Some([_, theirs])) => {
                Some(format!("as with {} big blinds: {note}", theirs / BIG_BLIND))
            }
            (note, _) => note,
        };
        Decision { action, strategy, values, note, ..decision }
    }

    fn meet(&mut self, opponents: &[String]) {
        self.inner.meet(opponents);
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        let Fitted { inner, fit } = self;
        if fit.all_in.is_some() {
            // What was won with other stacks says nothing about its own.
            return;
        }
        let (up, down) = (fit.up as i64, fit.down as i64);
        let times = |payoff: Payoff| Payoff::from_parts(payoff.parts().saturating_mul(up) / down);
        let payoffs = BySeat::from_fn(outcome.payoffs.len(), |seat| times(outcome.payoffs[seat]));
        if let Some(public) = fit.state(outcome.public) {
            inner.hand_over(&HandOutcome { public: &public, payoffs: &payoffs, ..*outcome });
        }
    }

    fn restart(&mut self) {
        self.inner.restart();
    }
}

impl Policy for Fitted<Arc<dyn Policy>> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let public = &infoset.public;
        match self.fit.infoset(infoset) {
            Some(shown) => self.fit.strategy(&self.inner.strategy(&shown), public),
            None => by_odds(public, infoset.hole),
        }
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        let Some(state) = self.fit.state(public) else {
            for (number, &hole) in hands.iter().enumerate() {
                visit(number, &by_odds(public, hole));
            }
            return;
        };
        self.inner.strategies(&state, seat, hands, &mut |number, strategy| {
            visit(number, &self.fit.strategy(strategy, public));
        });
    }
}

/// A value function that is shown another game.
struct FittedValues {
    name: String,
    inner: Arc<dyn ValueFunction>,
    fit: Fit,
    def: GameDef,
}

/// The values of a hand in the other game.
struct FittedDeal<'a> {
    inner: Box<dyn DealValues + 'a>,
    fit: &'a Fit,
    holes: [HoleCards; 2],
}

impl ValueFunction for FittedValues {
    fn name(&self) -> &str {
        &self.name
    }

    fn check_game(&self, def: &GameDef) -> Result<(), String> {
        if *def == self.def { Ok(()) } else { self.inner.check_game(def) }
    }

    fn prepare(&self, hands: u64) {
        self.inner.prepare(hands);
    }

    fn of_deal<'a>(
        &'a self,
        holes: [HoleCards; 2],
        entrants: [u8; 2],
        seed: u64,
    ) -> Box<dyn DealValues + 'a> {
        let inner = self.inner.of_deal(holes, entrants, seed);
        Box::new(FittedDeal { inner, fit: &self.fit, holes })
    }
}

impl DealValues for FittedDeal<'_> {
    fn value(&mut self, public: &PublicState) -> f64 {
        if let Some(state) = self.fit.state(public) {
            return self.inner.value(&state) * self.fit.down as f64 / self.fit.up as f64;
        }
        // The betting is over there: what is left here is less than a chip of that game.
        let [first, second] = self.holes.map(|hole| Combo::new(hole[0], hole[1]));
        let matched = public.committed().as_slice().iter().copied().min().unwrap_or_default();
        let share = first.zip(second).and_then(|(first, second)| {
            let counts = all_in(first, second, public.board().set()).ok()?;
            Some(counts.value(Ties::Half))
        });
        (2.0 * share.unwrap_or(0.5) - 1.0) * f64::from(matched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentRng, Clock, Registry};

    /// The game of `blinds` and `stack` with two players.
    fn game(blinds: [Chips; 2], stack: Chips) -> Arc<GameDef> {
        let usual = game::games::nolimit_holdem();
        let (stacks, blinds) = (vec![stack; 2], blinds.to_vec());
        let spec = GameSpec { stacks, blinds, ..usual.spec().clone() };
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
    fn other_depths_are_played_to_the_end_by_the_rules() {
        let choice = Registry::standard().resolve("cfr").expect("an agent");
        let with = |blinds: [Chips; 2], stacks: [Chips; 2]| {
            let usual = game::games::nolimit_holdem();
            let (stacks, blinds) = (stacks.to_vec(), blinds.to_vec());
            let spec = GameSpec { stacks, blinds, ..usual.spec().clone() };
            Arc::new(GameDef::new(spec).expect("a game"))
        };
        for def in [
            with([2, 1], [500, 500]),
            with([100, 40], [15_000, 31_000]),
            with([3, 1], [391, 450]),
            with([7, 7], [1_000, 1_400]),
        ] {
            let (mut agent, policy) = (choice.build(&def), choice.policy(&def));
            let agent = agent.as_mut().expect("it plays");
            let policy = policy.expect("it plays").expect("one");
            let mut all_in = 0;
            for hand in 0..300_u64 {
                let cards: Vec<cards::Card> = cards::Card::all().collect();
                let at = |place: u64| cards[((place * 7 + hand * 11) % 52) as usize];
                let hole = [0, 2].map(|k| cards::HoleCards::new(&[at(k), at(k + 1)]).expect("two"));
                let board: Vec<cards::Card> = (4..9).map(at).collect();
                let mut public = PublicState::new(&def);
                for decision in 0.. {
                    public.deal_from(&board).expect("a board");
                    let Turn::Act(seat) = public.turn() else { break };
                    let hole = hole[seat.index()];
                    let infoset = InfoSet { public: public.clone(), seat, hole };
                    let rng = AgentRng::new(u128::from(hand) << 8 | decision);
                    let (time_left, clock) = (None, Clock::stopped());
                    let made = agent.act(&infoset, &mut Context { rng, hand, time_left, clock });
                    let strategy = policy.strategy(&infoset);
                    assert_eq!(Some(&strategy), made.strategy.as_ref());
                    // Sometimes somebody else goes all-in, with all that can be lost or more.
                    let most = public.legal().raise.map(|raise| Action::RaiseTo(raise.max));
                    let other = most.filter(|_| (hand + u64::from(decision as u32)) % 7 == 3);
                    all_in += u32::from(other.is_some());
                    public.apply(other.unwrap_or(made.action)).expect("a legal action");
                }
            }
            assert!(all_in > 20, "{all_in}");
        }
    }

    #[test]
    fn a_bet_of_all_chips_is_one_of_all_chips_at_another_depth() {
        let def = game([2, 1], 240);
        let fit = Fit::depth(&def, &[50, 200]).expect("one");
        assert_eq!(fit.def.stacks, [20_000; 2]);
        assert_eq!((fit.theirs(6), fit.theirs(240), fit.theirs(239)), (300, 20_000, 11_950));
        assert_eq!((fit.ours(300), fit.ours(20_000), fit.ours(11_950)), (6, 240, 239));
    }

    #[test]
    fn the_next_deeper_blueprint_plays_and_games_beyond_all_are_refused() {
        let depth = |blinds, stack| {
            let fit = Fit::depth(&game(blinds, stack), &[5, 20, 200]);
            fit.map(|fit| fit.def.stacks[0] / BIG_BLIND)
        };
        for (stack, expected) in [(2, 5), (10, 5), (11, 20), (40, 20), (41, 200), (500, 200)] {
            assert_eq!(depth([2, 1], stack), Some(expected), "{stack}");
        }
        for (blinds, stack) in [([2, 1], 501), ([1, 2], 400)] {
            assert_eq!(depth(blinds, stack), None, "{stack}");
        }
        let choice = Registry::standard().resolve("cfr").expect("an agent");
        let refused = choice.build(&game([2, 1], 501)).err().expect("an error");
        assert!(refused.is_game() && refused.to_string().contains("250 big blinds"), "{refused}");
        // A blueprint that was asked for by name plays its own depth alone.
        let overbet = Registry::standard().resolve("cfr:blueprint=overbet").expect("an agent");
        assert!(overbet.build(&game([2, 1], 300)).is_err());
    }
}
