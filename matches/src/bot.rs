//! The agents of a match, as every driver uses them: inline or on a thread of their own, with
//! panics caught.
//!
//! A panic of the agent, in any of its methods, costs one decision and is counted: in `act` the one
//! that was asked for, otherwise the next one (invariant 10 of ARCHITECTURE.md).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use agents::{Agent, AgentChoice, AgentError, Clock, Context, Cost, Decision, Failed, HandOutcome};
use game::{GameDef, InfoSet};

use crate::decide::{Decided, Request, decision_rng};
use crate::threaded::Threaded;

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
        let failed = |reason: String| AgentError::Start { agent: choice.name().to_owned(), reason };
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
        Bot::on(AgentThread::Inline(Guarded::new(agent)))
    }

    /// Wraps an agent and moves it to a thread of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn threaded(agent: Box<dyn Agent>) -> std::io::Result<Bot> {
        Ok(Bot::on(AgentThread::Threaded(Threaded::new(Guarded::new(agent))?)))
    }

    fn on(thread: AgentThread) -> Bot {
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
pub(crate) struct Guarded {
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
        let lost = || Decision::failed(Failed::Panicked);
        let Some(agent) = self.agent.as_mut().filter(|_| !self.panicked) else {
            self.panicked = false;
            return lost();
        };
        catch_unwind(AssertUnwindSafe(|| agent.act(infoset, cx))).unwrap_or_else(|_| lost())
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
