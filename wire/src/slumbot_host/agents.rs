//! Agents on offer: any number of hands, and of questions without a hand, share a few of each kind.
//!
//! Every decision stands by itself: an agent forgets before it is asked, so it does not matter
//! which one of a kind answers, and a hand can go on after a restart. Agents that decide at once
//! are asked where they are needed; others on threads of their own, so many at a time, raced
//! against a deadline.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agents::{AgentChoice, AgentError, Cost};
use cards::{Board, HoleCards};
use game::{BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Turn};
use logs::DecisionRecord;
use matches::bot::Bot;
use matches::decide::Request;
use tokio::sync::Semaphore;

/// One agent that clients can play against, or ask, at one game.
pub struct Offered {
    /// What it is called.
    pub(super) name: String,
    choice: AgentChoice,
    def: Arc<GameDef>,
    idle: Mutex<Vec<Bot>>,
    /// How long a decision may take.
    time_limit: Duration,
    /// How many decisions that take long are made at a time.
    places: Arc<Semaphore>,
}

/// A decision to make.
#[derive(Debug)]
pub struct Question {
    /// What the agent knows; it is its turn.
    pub infoset: InfoSet,
    /// The seed of its random choices.
    pub seed: u64,
    /// The hand's number.
    pub hand: u64,
}

impl Offered {
    /// This agent, at this game. No decision takes longer than `time_limit`, where the agent has a
    /// thread of its own; those that take long are made only where `places` has room.
    pub fn new(
        name: String,
        choice: AgentChoice,
        def: &Arc<GameDef>,
        time_limit: Duration,
        places: Arc<Semaphore>,
    ) -> Offered {
        let (def, idle) = (Arc::clone(def), Mutex::default());
        Offered { name, choice, def, idle, time_limit, places }
    }

    /// The agent as it was named.
    pub(super) fn choice(&self) -> &AgentChoice {
        &self.choice
    }

    /// Whether it decides at once.
    pub(super) fn inline(&self) -> bool {
        self.choice.cost() == Cost::Inline
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Bot>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends an agent.
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

    /// Asks for one decision, in this thread.
    pub(super) fn decide(&self, question: &Question) -> Result<DecisionRecord, AgentError> {
        self.with(|agent| ask(agent, question, self.time_limit))
    }

    /// Asks for one decision where it holds nobody up.
    ///
    /// # Errors
    /// When the agent cannot be built for the game.
    pub async fn decide_elsewhere(
        self: &Arc<Offered>,
        question: Question,
    ) -> Result<DecisionRecord, AgentError> {
        let bot = Arc::clone(self);
        self.elsewhere(move || bot.decide(&question)).await
    }

    /// What the agent, playing itself, gets in this seat with these cards, in chips. `seed` and
    /// `hand` determine its choices.
    pub(super) fn play_itself(&self, deal: &SelfPlay) -> Result<i64, AgentError> {
        self.with(|agent| deal.play(agent, &self.def, self.time_limit))
    }

    /// As [`play_itself`](Self::play_itself), where it holds nobody up.
    pub(super) async fn play_itself_elsewhere(
        self: &Arc<Offered>,
        deal: SelfPlay,
    ) -> Result<i64, AgentError> {
        let bot = Arc::clone(self);
        self.elsewhere(move || bot.play_itself(&deal)).await
    }

    async fn elsewhere<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AgentError> + Send + 'static,
    ) -> Result<T, AgentError> {
        // Taken until the work is done, even if nobody waits for it any more.
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
    decided.record(infoset, hand, super::BOT, before.elapsed())
}

/// A deal that an agent plays against itself.
#[derive(Debug, Clone)]
pub(super) struct SelfPlay {
    /// Both players' cards.
    pub(super) hole: BySeat<HoleCards>,
    /// The whole board.
    pub(super) board: Board,
    /// The seat whose result is wanted.
    pub(super) seat: Seat,
    /// The seed of the random choices.
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
                    // What `decide` returns is legal.
                    infoset.public.apply_unchecked(agent.decide(&infoset, request).action);
                }
            }
        }
        infoset.public.payoffs(&self.hole)[self.seat].parts() / Payoff::PER_CHIP
    }
}
