//! Agents in asynchronous code: building, asking and dropping them on blocking threads, so that the
//! runtime's tasks go on.
//!
//! A [`Bot`] that sits at one table is lent to a thread for each decision. An [`OfferedAgent`]
//! serves any number of hands, and questions without a hand, with a few instances: every decision
//! is independent of earlier ones, since an agent is reset before it is asked. So any instance can
//! answer, a hand can continue after a restart, and agents are not told who plays or how hands end.
//! Inline agents are asked where they are needed; others on blocking threads, a limited number at a
//! time, with a deadline.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agents::{AgentChoice, AgentError, Cost};
use cards::{Board, HoleCards};
use game::{BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Turn};
use logs::{DecisionRecord, Fallback};
use matches::bot::Bot;
use matches::bot::{Decided, Request};
use parallel::lock;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::Error;

/// Builds an agent on a blocking thread and tells it who else plays.
///
/// # Errors
/// When the runtime has no thread for it, or the agent cannot be built.
pub(crate) async fn build(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    opponents: &[String],
) -> Result<Bot, Error> {
    let (choice, def, opponents) = (choice.clone(), Arc::clone(def), opponents.to_vec());
    let built = spawn_blocking(move || {
        choice.prepare(&def, u64::MAX);
        let mut bot = Bot::new(&choice, &def)?;
        bot.meet(&opponents);
        Ok(bot)
    });
    let no_thread = |error| Error::here(format!("there is no thread for the agent: {error}"));
    built.await.map_err(no_thread)?
}

/// A decision in progress; it returns the agent and the information set it was asked about, too.
type Thought = JoinHandle<(Bot, InfoSet, Decided)>;

/// Starts a decision on a blocking thread.
pub(crate) fn think(mut bot: Bot, infoset: InfoSet, request: Request) -> Thought {
    spawn_blocking(move || {
        let decided = bot.decide(&infoset, request);
        (bot, infoset, decided)
    })
}

/// Asks which card is put on the board, on a blocking thread.
pub(crate) async fn put_away(
    mut bot: Bot,
    infoset: InfoSet,
    request: Request,
) -> (Bot, InfoSet, Result<u8, Decided>) {
    let asked = spawn_blocking(move || {
        let place = bot.discard(&infoset, request);
        (bot, infoset, place)
    });
    asked.await.expect("a bot's panics are its own")
}

/// Drops an agent on a blocking thread: one that runs programs waits a little for them to end.
pub(crate) async fn dismiss(bot: Option<Bot>) {
    if let Some(bot) = bot {
        let _ = spawn_blocking(move || drop(bot)).await;
    }
}

/// An agent that clients can play against, or ask, in one game.
pub struct OfferedAgent {
    /// The agent's name.
    pub(crate) name: String,
    choice: AgentChoice,
    def: Arc<GameDef>,
    idle: Mutex<Vec<Bot>>,
    /// The time limit for a decision.
    time_limit: Duration,
    /// The permits for decisions of agents that are not inline.
    permits: Arc<Semaphore>,
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
    /// `time_limit`; agents that are not inline decide only with a permit of `permits`.
    pub fn new(
        name: String,
        choice: AgentChoice,
        def: &Arc<GameDef>,
        time_limit: Duration,
        permits: Arc<Semaphore>,
    ) -> OfferedAgent {
        choice.prepare(def, u64::MAX);
        let (def, idle) = (Arc::clone(def), Mutex::default());
        OfferedAgent { name, choice, def, idle, time_limit, permits }
    }

    /// The agent as configured.
    pub(crate) fn choice(&self) -> &AgentChoice {
        &self.choice
    }

    /// Whether its decisions are made inline, without a thread of their own.
    pub(crate) fn inline(&self) -> bool {
        self.choice.cost() == Cost::Inline
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Bot>> {
        lock(&self.idle)
    }

    /// Runs `work` with an idle instance of the agent, or a new one.
    fn with_instance<T>(&self, work: impl FnOnce(&mut Bot) -> T) -> Result<T, AgentError> {
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
    pub(crate) fn decide(&self, question: &Question) -> Result<DecisionRecord, AgentError> {
        self.with_instance(|agent| {
            let before = Instant::now();
            let decided = self.ask(agent, question);
            decided.record(
                &question.infoset,
                question.hand,
                crate::slumbot_host::SERVER_ENTRANT,
                before.elapsed(),
            )
        })
    }

    /// Asks an agent, reset first, and counts what replaces its answer.
    fn ask(&self, agent: &mut Bot, question: &Question) -> Decided {
        let &Question { ref infoset, seed, hand } = question;
        agent.restart();
        let decided =
            agent.decide(infoset, Request { seed, hand, time_left: Some(self.time_limit) });
        if let Some(fallback) = decided.fallback {
            let (agent, reason) = (&self.name, format!("{fallback:?}").to_lowercase());
            tracing::warn!(agent, reason, "a check or fold replaces an agent's answer");
        }
        count_replaced(&self.name, decided.fallback, decided.corrected_from.is_some());
        decided
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
    pub(crate) fn play_itself(&self, deal: &SelfPlay) -> Result<i64, AgentError> {
        self.with_instance(|agent| {
            let &SelfPlay { ref hole, ref board, seat, seed, hand } = deal;
            let infoset = InfoSet { public: PublicState::new(&self.def), seat, hole: hole[seat] };
            let mut question = Question { infoset, seed, hand };
            loop {
                let infoset = &mut question.infoset;
                match infoset.public.turn() {
                    Turn::Over => break,
                    Turn::Deal(_) => {
                        infoset.public.deal_from(board).expect("a deal holds the whole board");
                    }
                    Turn::Act(seat) => {
                        (infoset.seat, infoset.hole) = (seat, hole[seat]);
                        let decided = self.ask(agent, &question);
                        // Decisions are legal.
                        question.infoset.public.apply_unchecked(decided.action);
                    }
                }
            }
            question.infoset.public.payoffs(hole)[seat].parts() / Payoff::PER_CHIP
        })
    }

    /// [`play_itself`](Self::play_itself) on a blocking thread.
    pub(crate) async fn play_itself_elsewhere(
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
        let permits = Arc::clone(&self.permits);
        let permit = permits.acquire_owned().await.expect("it is never closed");
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        work.await.unwrap_or_else(|error| Err(AgentError::start(&self.name, error)))
    }
}

/// Counts an answer that a check or fold replaces, or that had to be made legal.
pub(crate) fn count_replaced(agent: &str, fallback: Option<Fallback>, corrected: bool) {
    if let Some(fallback) = fallback {
        let reason = format!("{fallback:?}").to_lowercase();
        metrics::counter!("cardroom_fallbacks_total", "reason" => reason).increment(1);
    }
    if corrected {
        let agent = agent.to_owned();
        metrics::counter!("cardroom_illegal_actions_total", "agent" => agent).increment(1);
    }
}

/// A deal for an agent to play against itself.
#[derive(Debug, Clone)]
pub(crate) struct SelfPlay {
    /// Both players' hole cards.
    pub(crate) hole: BySeat<HoleCards>,
    /// All five board cards.
    pub(crate) board: Board,
    /// The seat whose result is computed.
    pub(crate) seat: Seat,
    /// The seed of the agent's random choices.
    pub(crate) seed: u64,
    /// The hand's number.
    pub(crate) hand: u64,
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use agents::{Agent, AgentSpec, Context, Decision, Recipe, Registry};
    use cards::Card;
    use game::{Action, games};
    use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, SharedString, Unit};

    use super::*;

    struct Panics;

    impl Agent for Panics {
        fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
            assert_ne!(infoset.public.board().len(), 3, "as intended by a test");
            Action::Call.into()
        }
    }

    fn offered() -> OfferedAgent {
        let mut registry = Registry::default();
        registry.add(AgentSpec {
            kind: "panics",
            summary: "calls, and panics on the flop",
            example: "panics",
            argument: None,
            options: &[],
            cost: Cost::Inline,
            repeatable: true,
            prepare: |_| Ok(Recipe::new(|_| Ok(Panics))),
        });
        let choice = registry.resolve("panics").expect("an agent");
        let (def, permits) = (Arc::new(games::nolimit_holdem()), Arc::new(Semaphore::new(1)));
        OfferedAgent::new("panics".into(), choice, &def, Duration::from_secs(1), permits)
    }

    /// Counts the panics that are recorded as metrics.
    #[derive(Default)]
    struct Panicked(Arc<AtomicU64>);

    impl metrics::Recorder for Panicked {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            let labels: Vec<_> = key.labels().map(|l| (l.key(), l.value())).collect();
            let counted = key.name() == "cardroom_fallbacks_total";
            assert!(counted && labels == [("reason", "panic")], "{key}");
            Counter::from_arc(Arc::clone(&self.0))
        }
        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::noop()
        }
        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::noop()
        }
    }

    #[test]
    fn a_panic_while_an_agent_plays_itself_for_the_baseline_is_counted() {
        let cards = |text: &str| -> Vec<Card> {
            text.split(' ').map(|card| card.parse().expect("a card")).collect()
        };
        let board = Board::new(&cards("2c 3c 4d Ks Kh")).expect("five cards");
        let seat = Seat::new(0).expect("a seat");
        let holes = ["As Ah", "Qd Jd"].map(|hole| HoleCards::new(&cards(hole)).expect("two cards"));
        let hole = BySeat::from_fn(2, |seat| holes[seat.index()]);
        let deal = SelfPlay { hole, board, seat, seed: 1, hand: 1 };
        let panicked = Panicked::default();
        let won = metrics::with_local_recorder(&panicked, || offered().play_itself(&deal));
        assert_eq!(won.expect("it can be built"), 100);
        // Both checks on the flop replace an answer.
        assert_eq!(panicked.0.load(Ordering::SeqCst), 2);
    }
}
