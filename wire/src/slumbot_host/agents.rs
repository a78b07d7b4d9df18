//! The agents on offer: a few instances of each serve any number of hands, and of questions without
//! a hand.
//!
//! Every decision is independent of earlier ones: an agent is reset before it is asked, so any
//! instance can answer, and a hand can continue after a restart. Inline agents are asked where they
//! are needed; others on blocking threads, a limited number at a time, with a deadline.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agents::{AgentChoice, AgentError, Cost};
use cards::{Board, HoleCards};
use game::{BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Turn};
use logs::DecisionRecord;
use matches::bot::Bot;
use matches::decide::Request;
use tokio::sync::Semaphore;

/// An agent that clients can play against, or ask, in one game.
pub struct OfferedAgent {
    /// The agent's name.
    pub(super) name: String,
    choice: AgentChoice,
    def: Arc<GameDef>,
    idle: Mutex<Vec<Bot>>,
    /// The time limit for a decision.
    time_limit: Duration,
    /// The permits for decisions of agents that are not inline.
    places: Arc<Semaphore>,
}

/// A decision to make: the information set, and the seed of random choices.
#[derive(Debug)]
pub struct Question {
    /// The information set in which the agent is to act.
    pub infoset: InfoSet,
    /// The seed of the agent's random choices.
    pub seed: u64,
    /// The hand's number.
    pub hand: u64,
}

impl OfferedAgent {
    /// Offers an agent in a game. A decision of an agent with its own thread takes at most
    /// `time_limit`; agents that are not inline decide only with a permit of `places`.
    pub fn new(
        name: String,
        choice: AgentChoice,
        def: &Arc<GameDef>,
        time_limit: Duration,
        places: Arc<Semaphore>,
    ) -> OfferedAgent {
        let (def, idle) = (Arc::clone(def), Mutex::default());
        OfferedAgent { name, choice, def, idle, time_limit, places }
    }

    /// The agent as configured.
    pub(super) fn choice(&self) -> &AgentChoice {
        &self.choice
    }

    /// Whether its decisions are made inline, without a thread of their own.
    pub(super) fn inline(&self) -> bool {
        self.choice.cost() == Cost::Inline
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Bot>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with an idle instance of the agent, or a new one.
    fn with<T>(&self, work: impl FnOnce(&mut Bot) -> T) -> Result<T, AgentError> {
        let lent = self.idle().pop();
        let mut agent = match lent {
            Some(agent) => agent,
            None => Bot::new(&self.choice, &self.def)?,
        };
        let result = work(&mut agent);
        self.idle().push(agent);
        Ok(result)
    }

    /// Makes one decision on the calling thread.
    pub(super) fn decide(&self, question: &Question) -> Result<DecisionRecord, AgentError> {
        self.with(|agent| ask(agent, question, self.time_limit))
    }

    /// Makes one decision on a blocking thread.
    ///
    /// # Errors
    /// When the agent cannot be built for the game.
    pub async fn decide_elsewhere(
        self: &Arc<OfferedAgent>,
        question: Question,
    ) -> Result<DecisionRecord, AgentError> {
        let bot = Arc::clone(self);
        self.elsewhere(move || bot.decide(&question)).await
    }

    /// The result, in chips, of the agent playing this deal against itself.
    pub(super) fn play_itself(&self, deal: &SelfPlay) -> Result<i64, AgentError> {
        self.with(|agent| deal.play(agent, &self.def, self.time_limit))
    }

    /// [`play_itself`](Self::play_itself) on a blocking thread.
    pub(super) async fn play_itself_elsewhere(
        self: &Arc<OfferedAgent>,
        deal: SelfPlay,
    ) -> Result<i64, AgentError> {
        let bot = Arc::clone(self);
        self.elsewhere(move || bot.play_itself(&deal)).await
    }

    async fn elsewhere<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AgentError> + Send + 'static,
    ) -> Result<T, AgentError> {
        // Held until the work is done, even if nobody waits for it any more.
        let places = Arc::clone(&self.places);
        let place = places.acquire_owned().await.expect("it is never closed");
        let work = tokio::task::spawn_blocking(move || {
            let _place = place;
            work()
        });
        work.await.unwrap_or_else(|error| {
            Err(AgentError::Start { agent: self.name.clone(), reason: error.to_string() })
        })
    }
}

fn ask(agent: &mut Bot, question: &Question, time_limit: Duration) -> DecisionRecord {
    agent.restart();
    let &Question { ref infoset, seed, hand } = question;
    let request = Request { seed, hand, time_left: Some(time_limit) };
    let before = Instant::now();
    let decided = agent.decide(infoset, request);
    decided.record(infoset, hand, super::SERVER_ENTRANT, before.elapsed())
}

/// A deal for an agent to play against itself.
#[derive(Debug, Clone)]
pub(super) struct SelfPlay {
    /// Both players' hole cards.
    pub(super) hole: BySeat<HoleCards>,
    /// All five board cards.
    pub(super) board: Board,
    /// The seat whose result is computed.
    pub(super) seat: Seat,
    /// The seed of the agent's random choices.
    pub(super) seed: u64,
    /// The hand's number.
    pub(super) hand: u64,
}

impl SelfPlay {
    fn play(&self, agent: &mut Bot, def: &Arc<GameDef>, time_limit: Duration) -> i64 {
        let public = PublicState::new(def);
        let mut infoset = InfoSet { public, seat: self.seat, hole: self.hole[self.seat] };
        loop {
            match infoset.public.turn() {
                Turn::Over => break,
                Turn::Deal(_) => {
                    infoset.public.deal_from(&self.board).expect("a deal holds the whole board");
                }
                Turn::Act(seat) => {
                    (infoset.seat, infoset.hole) = (seat, self.hole[seat]);
                    agent.restart();
                    let (seed, hand) = (self.seed, self.hand);
                    let request = Request { seed, hand, time_left: Some(time_limit) };
                    // `decide` returns legal actions.
                    infoset.public.apply_unchecked(agent.decide(&infoset, request).action);
                }
            }
        }
        infoset.public.payoffs(&self.hole)[self.seat].parts() / Payoff::PER_CHIP
    }
}
