//! Situations for agents, and asking them.

use std::path::Path;
use std::sync::Arc;

use agents::{Agent, AgentChoice, AgentRng, Clock, Context, Decision, Registry};
use cards::{Board, Combo, HoleCards};
use game::{Action, BySeat, GameDef, InfoSet, Policy, PublicState, State, Turn, notation};

/// The folder of test data: where relative paths of examples start.
pub(crate) fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
}

pub(crate) fn choice(name: &str) -> AgentChoice {
    Registry::standard().resolve_in(name, data()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

pub(crate) fn policy(name: &str, def: &Arc<GameDef>) -> Arc<dyn Policy> {
    choice(name).policy(def).expect("it plays this game").expect("it has a policy")
}

pub(crate) fn hole(text: &str) -> HoleCards {
    text.parse().expect("hole cards")
}

pub(crate) fn board(text: &str) -> Board {
    text.parse().expect("a board")
}

pub(crate) fn combo(text: &str) -> Combo {
    let hole = hole(text);
    Combo::new(hole[0], hole[1]).expect("two cards")
}

/// The state after these actions, with this board dealt as far as needed.
pub(crate) fn after(def: &Arc<GameDef>, board_text: &str, actions: &[Action]) -> PublicState {
    let board = board(board_text);
    let mut public = PublicState::new(def);
    for &action in actions {
        public.apply(action).expect("a legal action");
        public.deal_from(&board).expect("cards enough");
    }
    public
}

/// What the seat to act sees with these cards.
pub(crate) fn seen(public: &PublicState, hole: HoleCards) -> InfoSet {
    let Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
    InfoSet { public: public.clone(), seat, hole }
}

/// One of so many of the hands that a board leaves.
pub(crate) fn hands(public: &PublicState, one_of: usize) -> Vec<HoleCards> {
    let board = public.board().set();
    let free = Combo::all().filter(|combo| !combo.set().intersects(board)).step_by(one_of);
    free.map(|combo| HoleCards::new(&combo.cards()).expect("two cards")).collect()
}

/// All hands together are answered as each alone.
pub(crate) fn check_together(policy: &dyn Policy, public: &PublicState, hands: &[HoleCards]) {
    let seat = seen(public, hands[0]).seat;
    let mut next = 0;
    policy.strategies(public, seat, hands, &mut |number, strategy| {
        assert_eq!(number, next);
        next += 1;
        let alone = policy.strategy(&seen(public, hands[number]));
        assert_eq!(*strategy, alone, "{} {}", hands[number], notation::betting(public));
    });
    assert_eq!(next, hands.len());
}

pub(crate) fn agent(name: &str, def: &Arc<GameDef>) -> Box<dyn Agent> {
    choice(name).build(def).expect("the agent plays this game")
}

/// The acting seat's view after this betting, holding `hole`.
pub(crate) fn infoset(def: &Arc<GameDef>, betting: &str, hole: &str, board: &str) -> InfoSet {
    let public = notation::replay(def, betting, &self::board(board)).expect("betting");
    seen(&public, self::hole(hole))
}

pub(crate) fn context(seed: u128) -> Context {
    Context { rng: AgentRng::new(seed), hand: 0, time_left: None, clock: Clock::stopped() }
}

pub(crate) fn ask(name: &str, infoset: &InfoSet) -> Decision {
    agent(name, infoset.public.def()).act(infoset, &mut context(1))
}

/// Plays hands with fixed cards among these agents, entrant `(hand + seat) mod n` in each seat;
/// returns each entrant's total in chips.
pub(crate) fn play(def: &Arc<GameDef>, names: &[&str], hands: u64) -> Vec<f64> {
    let mut agents: Vec<_> = names.iter().map(|name| agent(name, def)).collect();
    let mut totals = vec![0.0; names.len()];
    let deck = def.deck();
    let each = usize::from(def.hole_cards);
    let hole = BySeat::from_fn(def.players, |seat| {
        HoleCards::new(&deck[each * seat.index()..][..each]).expect("few cards")
    });
    let board = &deck[each * def.players..][..def.full_board_len()];
    for hand in 0..hands {
        let mut state = State { public: PublicState::new(def), hole };
        loop {
            state.public.deal_from(board).expect("a whole board");
            let Turn::Act(seat) = state.public.turn() else { break };
            let entrant = (hand as usize + seat.index()) % names.len();
            let mut cx = context(u128::from(hand) << 8 | state.public.history().len() as u128);
            let decision = agents[entrant].act(&state.infoset(seat), &mut cx);
            state.public.apply(decision.action).expect("a legal action");
        }
        for (seat, payoff) in state.payoffs().iter() {
            totals[(hand as usize + seat.index()) % names.len()] += payoff.chips();
        }
    }
    totals
}
