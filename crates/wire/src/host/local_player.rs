//! An agent of this process in a seat of a hosted table: the player's machine where the socket
//! would be. It sees exactly the bytes that an outside bot in its place would see.

use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use agents::{AgentChoice, AgentError, HandOutcome};
use game::{BySeat, GameDef};
use matches::bot::Bot;
use matches::decide::Request;
use protocol::acpc::{Event, MatchState, Player};

use super::play::OwnDecisions;
use crate::dealer::InProcessPlayer;

/// An agent and the client's state machine of the protocol.
pub(super) struct LocalPlayer {
    player: Player,
    agent: Bot,
    entrant: u8,
    seed: u64,
    time_left: Duration,
    decisions: OwnDecisions,
}

impl fmt::Debug for LocalPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalPlayer").field("entrant", &self.entrant).finish_non_exhaustive()
    }
}

impl InProcessPlayer for LocalPlayer {
    fn exchange(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.receive(bytes);
        self.output()
    }
}

impl LocalPlayer {
    /// Builds the agent. `time_left` is its time limit for one action; its decisions go to
    /// `decisions`.
    pub(super) fn new(
        choice: &AgentChoice,
        def: &Arc<GameDef>,
        entrant: u8,
        seed: u64,
        time_left: Duration,
        opponents: &[String],
        decisions: &OwnDecisions,
    ) -> Result<LocalPlayer, AgentError> {
        choice.prepare(def, u64::MAX);
        let mut agent = Bot::new(choice, def)?;
        agent.meet(opponents);
        let (player, decisions) = (Player::new(Arc::clone(def)), Arc::clone(decisions));
        Ok(LocalPlayer { player, agent, entrant, seed, time_left, decisions })
    }

    /// The bytes the player has to send; at first its version line.
    pub(super) fn output(&mut self) -> Vec<u8> {
        self.player.poll_transmit()
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.player.receive(bytes);
        while let Some(event) = self.player.poll_event().expect("our dealer sends match states") {
            match event {
                Event::Turn { hand, infoset } => {
                    let hand = u64::from(hand);
                    let time_left = Some(self.time_left);
                    let request = Request { seed: self.seed, hand, time_left };
                    let before = Instant::now();
                    let decided = self.agent.decide(&infoset, request);
                    self.player.act(decided.action).expect("decide returns legal actions");
                    let elapsed = before.elapsed();
                    let record = decided.record(&infoset, hand, self.entrant, elapsed);
                    self.decisions.lock().unwrap_or_else(PoisonError::into_inner).push(record);
                }
                Event::HandOver(state) => self.hand_over(&state),
                Event::Update(_) | Event::MatchOver => {}
            }
        }
    }

    fn hand_over(&mut self, state: &MatchState) {
        let payoffs = state.payoffs().unwrap_or_else(|| BySeat::new(state.public.def().players));
        self.agent.hand_over(&HandOutcome {
            hand: state.hand.into(),
            public: &state.public,
            seat: state.seat,
            shown: &state.hole,
            payoffs: &payoffs,
        });
    }
}
