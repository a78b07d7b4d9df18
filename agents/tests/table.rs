//! Situations for agents, and asking them.

use std::path::Path;
use std::sync::Arc;

use agents::{Agent, AgentChoice, AgentRng, Clock, Context, Decision, Registry};
use cards::{Board, HoleCards};
use game::{BySeat, GameDef, InfoSet, PublicState, State, Turn, notation};

/// The folder of test data: where relative paths of examples start.
pub(crate) fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
}

pub(crate) fn choice(name: &str) -> AgentChoice {
    Registry::standard().resolve_in(name, data()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

pub(crate) fn agent(name: &str, def: &Arc<GameDef>) -> Box<dyn Agent> {
    choice(name).build(def).expect("the agent plays this game")
}

/// The acting seat's view after this betting, holding `hole`.
pub(crate) fn infoset(def: &Arc<GameDef>, betting: &str, hole: &str, board: &str) -> InfoSet {
    let board: Board = board.parse().expect("a board");
    let public = notation::replay(def, betting, &board).expect("betting");
    let Turn::Act(seat) = public.turn() else { panic!("`{betting}` leaves nobody to act") };
    InfoSet { public, seat, hole: hole.parse().expect("hole cards") }
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
