//! The agents of a match, as every driver uses them: inline or on a thread of their own, with
//! panics caught.
//!
//! A panic of the agent, in any of its methods, costs one decision and is counted: in `act` the one
//! that was asked for, otherwise the next one (invariant 10 of ARCHITECTURE.md).
//!
//! A decision is made playable before it is recorded: an illegal action is corrected; a missing
//! answer is replaced by a check, or a fold. The agent's random source is seeded by the match's
//! seed, the hand and the decision's number.
//!
//! **Threads.** When a decision's time is over the match continues with a fallback, and the agent's
//! late answer is discarded. A request overtaken by a later one is dropped unanswered. Requests
//! wait in a bounded queue. While the queue is full the driver waits for space, except where the
//! agent already owes an answer: then messages are dropped, since its decisions are late anyway.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use agents::{
    Agent, AgentChoice, AgentError, AgentRng, Clock, Context, Cost, Decision, Failed, HandOutcome,
};
use cards::HoleCards;
use game::{Action, BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Strategy};
use logs::{DecisionRecord, Fallback};

pub use logs::estimate::mix;

/// The number of agents being built at this moment.
static BUILDING: AtomicUsize = AtomicUsize::new(0);

/// Whether an agent is being built, which may start a program or read a model.
pub fn is_building() -> bool {
    BUILDING.load(Ordering::SeqCst) > 0
}

/// An agent built for a game, which is asked for decisions.
pub struct Bot {
    thread: AgentThread,
    /// Shared by all decisions, so that one costs no reading of the clock unless the agent asks.
    clock: Clock,
}

/// The thread on which the agent computes.
enum AgentThread {
    /// On the calling thread.
    Inline(Guarded),
    /// On a thread of its own, with a deadline.
    Threaded(Threaded),
}

impl Bot {
    /// Builds the agent for this game, on a thread of its own if its decisions take long. Starting
    /// programs and reading models may take long, too.
    ///
    /// # Errors
    /// When the agent cannot be built, or there is no thread for it.
    pub fn new(choice: &AgentChoice, def: &Arc<GameDef>) -> Result<Bot, AgentError> {
        let failed = |reason: String| AgentError::start(choice.name(), reason);
        BUILDING.fetch_add(1, Ordering::SeqCst);
        let built = choice.build(def);
        BUILDING.fetch_sub(1, Ordering::SeqCst);
        let agent = built?;
        let bot = match choice.cost() {
            Cost::Inline => Ok(Bot::inline(agent)),
            Cost::Worker => Bot::threaded(agent),
        };
        bot.map_err(|error| failed(format!("there is no thread for it: {error}")))
    }

    /// Wraps an agent that computes on the calling thread.
    pub fn inline(agent: Box<dyn Agent>) -> Bot {
        Bot::new_on(AgentThread::Inline(Guarded::new(agent)))
    }

    /// Wraps an agent and moves it to a thread of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn threaded(agent: Box<dyn Agent>) -> std::io::Result<Bot> {
        Ok(Bot::new_on(AgentThread::Threaded(Threaded::new(Guarded::new(agent))?)))
    }

    fn new_on(thread: AgentThread) -> Bot {
        let begun = Instant::now();
        Bot { thread, clock: Clock::new(move || begun.elapsed()) }
    }

    /// Whether it computes on the calling thread.
    pub fn is_inline(&self) -> bool {
        matches!(self.thread, AgentThread::Inline(_))
    }

    /// Asks for the acting seat's action; the result can be played and recorded as it is.
    pub fn decide(&mut self, infoset: &InfoSet, request: Request) -> Decided {
        let index = infoset.public.history().len() as u64;
        let rng = decision_rng(request.seed, request.hand, index);
        let Request { hand, time_left, .. } = request;
        let mut cx = Context { rng, hand, time_left, clock: self.clock.clone() };
        let decision = match &mut self.thread {
            AgentThread::Inline(agent) => agent.ask(infoset, &mut cx),
            AgentThread::Threaded(agent) => agent.ask(infoset, &cx),
        };
        Decided::new(decision, infoset)
    }

    /// Asks the seat that is to put a card on the board which one: its place in the hand.
    ///
    /// # Errors
    /// When there is no answer that can be played; the decision is the fold in its place.
    pub fn discard(&mut self, infoset: &InfoSet, request: Request) -> Result<u8, Decided> {
        // Its own random source: the number of actions is that of the decision after it, too.
        let index = (1 + infoset.public.board().len() as u64) << 32;
        let rng = decision_rng(request.seed, request.hand, index);
        let Request { hand, time_left, .. } = request;
        let mut cx = Context { rng, hand, time_left, clock: self.clock.clone() };
        let place = match &mut self.thread {
            AgentThread::Inline(agent) => agent.ask_discard(infoset, &mut cx),
            AgentThread::Threaded(agent) => agent.ask_discard(infoset, &cx),
        };
        match place {
            Ok(place) if usize::from(place) < infoset.hole.len() => Ok(place),
            Ok(_) => Err(Decided::folded(Decision::failed(Failed::BadAnswer))),
            Err(decision) => Err(Decided::folded(decision)),
        }
    }

    /// Tells the agent who else plays, before the first hand.
    pub fn meet(&mut self, opponents: &[String]) {
        match &mut self.thread {
            AgentThread::Inline(agent) => agent.meet(opponents),
            AgentThread::Threaded(agent) => agent.meet(opponents),
        }
    }

    /// Tells the agent how a hand ended.
    pub fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        match &mut self.thread {
            AgentThread::Inline(agent) => agent.hand_over(outcome),
            AgentThread::Threaded(agent) => agent.hand_over(outcome),
        }
    }

    /// Makes the agent forget earlier hands.
    pub fn restart(&mut self) {
        match &mut self.thread {
            AgentThread::Inline(agent) => agent.restart(),
            AgentThread::Threaded(agent) => agent.restart(),
        }
    }
}

/// An agent whose panics are caught.
struct Guarded {
    /// `None` only during drop.
    agent: Option<Box<dyn Agent>>,
    /// Whether it panicked outside a decision: then the next decision is lost.
    panicked: bool,
}

impl Guarded {
    fn new(agent: Box<dyn Agent>) -> Guarded {
        Guarded { agent: Some(agent), panicked: false }
    }

    pub(crate) fn ask(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        self.guarded(|agent| agent.act(infoset, cx)).unwrap_or_else(|lost| lost)
    }

    fn ask_discard(&mut self, infoset: &InfoSet, cx: &mut Context) -> Result<u8, Decision> {
        self.guarded(|agent| agent.discard(infoset, cx))?
    }

    /// What the agent answers, or the failed decision after a panic.
    fn guarded<T>(&mut self, ask: impl FnOnce(&mut dyn Agent) -> T) -> Result<T, Decision> {
        let lost = || Decision::failed(Failed::Panicked);
        let Some(agent) = self.agent.as_mut().filter(|_| !self.panicked) else {
            self.panicked = false;
            return Err(lost());
        };
        catch_unwind(AssertUnwindSafe(|| ask(&mut **agent))).map_err(|_| lost())
    }

    pub(crate) fn meet(&mut self, opponents: &[String]) {
        self.guard(|agent| agent.meet(opponents));
    }

    pub(crate) fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        self.guard(|agent| agent.hand_over(outcome));
    }

    pub(crate) fn restart(&mut self) {
        self.guard(|agent| agent.restart());
    }

    fn guard(&mut self, tell: impl FnOnce(&mut dyn Agent)) {
        let Some(agent) = &mut self.agent else { return };
        self.panicked |= catch_unwind(AssertUnwindSafe(|| tell(&mut **agent))).is_err();
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let agent = self.agent.take();
        // A panic in drop costs no decision.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(agent)));
    }
}

/// Extra time beyond the deadline, for agents that keep their own time.
const GRACE: Duration = Duration::from_millis(50);

/// The time limit for a dropped agent to end.
const EXIT_TIMEOUT: Duration = Duration::from_millis(700);

/// The capacity of the request queue.
const QUEUE_CAPACITY: usize = 256;

/// The time limit for space in the queue, after which a message is dropped.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval between checks of a full queue.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// An agent on a thread of its own.
struct Threaded {
    /// `None` during drop.
    requests: Option<SyncSender<Message>>,
    answers: Receiver<(u64, Answer)>,
    /// The number of the latest request; the thread drops older ones.
    latest: Arc<AtomicU64>,
    /// Whether the last answer came too late.
    late: bool,
}

/// What an agent has been asked for, with its answer.
enum Answer {
    Act(Decision),
    Discard(Result<u8, Decision>),
}

enum Message {
    Act(u64, Box<InfoSet>, Context),
    Discard(u64, Box<InfoSet>, Context),
    HandOver(Box<OwnedOutcome>),
    Meet(Vec<String>),
    Restart,
}

struct OwnedOutcome {
    hand: u64,
    public: PublicState,
    seat: Seat,
    shown: BySeat<HoleCards>,
    payoffs: BySeat<Payoff>,
}

impl Threaded {
    /// Moves the agent to a new thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn new(agent: Guarded) -> std::io::Result<Threaded> {
        let (requests, incoming) = mpsc::sync_channel(QUEUE_CAPACITY);
        let (outgoing, answers) = mpsc::channel();
        let latest = Arc::new(AtomicU64::new(0));
        let current = Arc::clone(&latest);
        std::thread::Builder::new()
            .name("agent".into())
            .spawn(move || serve(agent, &incoming, &outgoing, &current))?;
        Ok(Threaded { requests: Some(requests), answers, latest, late: false })
    }

    /// Queues a request as soon as there is room, within `timeout`.
    fn send(&self, mut request: Message, timeout: Option<Duration>) -> Result<(), Failed> {
        let requests = self.requests.as_ref().ok_or(Failed::Gone)?;
        let begun = Instant::now();
        loop {
            request = match requests.try_send(request) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(Failed::Gone),
                Err(TrySendError::Full(request)) => request,
            };
            if timeout.is_some_and(|timeout| begun.elapsed() >= timeout) {
                return Err(Failed::Timeout);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Queues a message without an answer. If the thread is gone, the next decision fails.
    fn tell(&mut self, request: Message) {
        let timeout = if self.late { Duration::ZERO } else { QUEUE_TIMEOUT };
        if self.send(request, Some(timeout)) == Err(Failed::Timeout) && !self.late {
            tracing::warn!(
                "an agent is {QUEUE_CAPACITY} requests behind and does not see every event"
            );
            self.late = true;
        }
    }

    fn wait(&self, number: u64, time_left: Option<Duration>) -> Result<Answer, Failed> {
        let deadline = time_left.map(|time| Instant::now() + time + GRACE);
        loop {
            let answer = match deadline {
                None => self.answers.recv().map_err(|_| Failed::Gone)?,
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    self.answers.recv_timeout(left).map_err(|error| match error {
                        RecvTimeoutError::Timeout => Failed::Timeout,
                        RecvTimeoutError::Disconnected => Failed::Gone,
                    })?
                }
            };
            // Other answers are late ones, to earlier requests.
            if answer.0 == number {
                return Ok(answer.1);
            }
        }
    }
}

impl Threaded {
    pub(crate) fn ask(&mut self, infoset: &InfoSet, cx: &Context) -> Decision {
        match self.request(Message::Act, infoset, cx) {
            Ok(Answer::Act(decision)) => decision,
            Ok(Answer::Discard(_)) => Decision::failed(Failed::BadAnswer),
            Err(failed) => Decision::failed(failed),
        }
    }

    fn ask_discard(&mut self, infoset: &InfoSet, cx: &Context) -> Result<u8, Decision> {
        match self.request(Message::Discard, infoset, cx) {
            Ok(Answer::Discard(place)) => place,
            Ok(Answer::Act(_)) => Err(Decision::failed(Failed::BadAnswer)),
            Err(failed) => Err(Decision::failed(failed)),
        }
    }

    fn request(
        &mut self,
        message: fn(u64, Box<InfoSet>, Context) -> Message,
        infoset: &InfoSet,
        cx: &Context,
    ) -> Result<Answer, Failed> {
        let number = self.latest.fetch_add(1, Ordering::Relaxed) + 1;
        let request = message(number, Box::new(infoset.clone()), cx.clone());
        let begun = Instant::now();
        let answer = self.send(request, cx.time_left).and_then(|()| {
            let left = cx.time_left.map(|time| time.saturating_sub(begun.elapsed()));
            self.wait(number, left)
        });
        self.late = matches!(answer, Err(Failed::Timeout));
        answer
    }

    pub(crate) fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        self.tell(Message::HandOver(Box::new(OwnedOutcome {
            hand: outcome.hand,
            public: outcome.public.clone(),
            seat: outcome.seat,
            shown: *outcome.shown,
            payoffs: *outcome.payoffs,
        })));
    }

    pub(crate) fn meet(&mut self, opponents: &[String]) {
        self.tell(Message::Meet(opponents.to_vec()));
    }

    pub(crate) fn restart(&mut self) {
        self.tell(Message::Restart);
    }
}

impl Drop for Threaded {
    /// Waits a short time for the agent to end what it has started. One that still computes is left
    /// behind.
    fn drop(&mut self) {
        self.requests = None;
        self.latest.fetch_add(1, Ordering::Relaxed);
        let deadline = Instant::now() + EXIT_TIMEOUT;
        // The channel closes when the thread has dropped the agent.
        while self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok()
        {
        }
    }
}

fn serve(
    mut agent: Guarded,
    requests: &Receiver<Message>,
    answers: &Sender<(u64, Answer)>,
    latest: &AtomicU64,
) {
    while let Ok(request) = requests.recv() {
        match request {
            Message::Act(number, ..) | Message::Discard(number, ..)
                if number < latest.load(Ordering::Relaxed) => {}
            Message::Act(number, infoset, mut cx) => {
                let answer = Answer::Act(agent.ask(&infoset, &mut cx));
                if answers.send((number, answer)).is_err() {
                    return;
                }
            }
            Message::Discard(number, infoset, mut cx) => {
                let answer = Answer::Discard(agent.ask_discard(&infoset, &mut cx));
                if answers.send((number, answer)).is_err() {
                    return;
                }
            }
            Message::HandOver(outcome) => agent.hand_over(&HandOutcome {
                hand: outcome.hand,
                public: &outcome.public,
                seat: outcome.seat,
                shown: &outcome.shown,
                payoffs: &outcome.payoffs,
            }),
            Message::Meet(opponents) => agent.meet(&opponents),
            Message::Restart => agent.restart(),
        }
    }
}

/// The parameters of a decision.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The match's seed, from which the agent's random source is made.
    pub seed: u64,
    /// The hand's number in its match.
    pub hand: u64,
    /// The time limit; `None` for no limit.
    pub time_left: Option<Duration>,
}

/// A decision that can be played, with what the agent reported.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The action to play, always legal.
    pub action: Action,
    /// The agent's action, if it was illegal and has been corrected.
    pub corrected_from: Option<Action>,
    /// The reason why the agent's answer was not used, if it was not.
    pub fallback: Option<Fallback>,
    /// The distribution the agent drew its action from, if it gave one.
    pub strategy: Option<Strategy>,
    /// The value of actions to the agent, in chips over the whole hand; empty if it gave none.
    pub values: Vec<(Action, f64)>,
    /// The agent's own explanation.
    pub note: Option<String>,
    /// Whether the situation is outside of what the agent's model is for.
    pub beyond_model: bool,
}

impl Decided {
    /// Makes an agent's decision legal in this information set.
    pub fn new(decision: Decision, infoset: &InfoSet) -> Decided {
        let legal = infoset.legal();
        if let Some(failed) = decision.failed {
            return Decided {
                action: if legal.fold { Action::Fold } else { Action::Call },
                corrected_from: None,
                fallback: Some(fallback(failed)),
                strategy: None,
                values: Vec::new(),
                note: decision.note,
                beyond_model: false,
            };
        }
        let free_fold = decision.action == Action::Fold && infoset.public.def().discards;
        let legal_already = legal.allows(decision.action) || free_fold;
        Decided {
            action: if legal_already { decision.action } else { legal.nearest(decision.action) },
            corrected_from: (!legal_already).then_some(decision.action),
            fallback: None,
            strategy: decision.strategy,
            values: decision.values,
            note: decision.note,
            beyond_model: decision.beyond_model,
        }
    }

    /// The fold of a seat in the place of a card that it was to put on the board.
    fn folded(decision: Decision) -> Decided {
        Decided {
            action: Action::Fold,
            corrected_from: None,
            fallback: decision.failed.map(fallback),
            strategy: None,
            values: Vec::new(),
            note: decision.note,
            beyond_model: false,
        }
    }

    /// The record of this decision.
    pub fn record(
        self,
        infoset: &InfoSet,
        hand: u64,
        entrant: u8,
        elapsed: Duration,
    ) -> DecisionRecord {
        DecisionRecord {
            hand,
            index: infoset.public.history().len() as u32,
            entrant,
            seat: infoset.seat,
            action: self.action,
            corrected_from: self.corrected_from,
            fallback: self.fallback,
            strategy: self.strategy,
            values: self.values,
            note: self.note,
            beyond_model: self.beyond_model,
            elapsed,
        }
    }
}

fn fallback(failed: Failed) -> Fallback {
    match failed {
        Failed::Timeout => Fallback::Timeout,
        Failed::Gone => Fallback::Gone,
        Failed::BadAnswer => Fallback::BadAnswer,
        Failed::Panicked => Fallback::Panic,
    }
}

/// The random source of one decision.
pub fn decision_rng(seed: u64, hand: u64, index: u64) -> AgentRng {
    let low = mix(seed ^ mix(hand ^ mix(index)));
    let high = mix(low ^ 0x9E37_79B9_7F4A_7C15);
    AgentRng::new(u128::from(high) << 64 | u128::from(low))
}
