//! An agent at work: built for a game, told who plays, asked for decisions in this thread or on one
//! of its own, told how hands ended, restarted, dismissed. Every driver has its agents as this
//! type.
//!
//! A panic of the agent, in whichever of its methods, costs one decision and is counted: in `act`
//! the one that was asked for, elsewhere the next one (invariant 10 of ARCHITECTURE.md).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use agents::{Agent, AgentChoice, AgentError, Clock, Context, Cost, Decision, Failed, HandOutcome};
use game::{GameDef, InfoSet};

use crate::decide::{Decided, Request, decision_rng};
use crate::threaded::Threaded;

/// How many agents are being built at this moment.
static BUILDING: AtomicUsize = AtomicUsize::new(0);

/// Whether an agent is being built: a program started, a model read.
pub fn is_building() -> bool {
    BUILDING.load(Ordering::SeqCst) > 0
}

/// An agent at work.
pub struct Bot(Inner);

/// Where an agent computes.
enum Inner {
    /// In the thread that asks.
    Inline(Guarded),
    /// On a thread of its own, raced against the deadline.
    Threaded(Threaded),
}

impl Bot {
    /// A new agent for this game, on a thread of its own if its decisions take long. Starting
    /// programs and reading models may take long, too.
    ///
    /// # Errors
    /// When the agent cannot be built, or there is no thread for it.
    pub fn new(choice: &AgentChoice, def: &Arc<GameDef>) -> Result<Bot, AgentError> {
        let failed = |reason: String| AgentError::Start { agent: choice.name().to_owned(), reason };
        BUILDING.fetch_add(1, Ordering::SeqCst);
        let built = catch_unwind(AssertUnwindSafe(|| choice.build(def)));
        BUILDING.fetch_sub(1, Ordering::SeqCst);
        let agent = built.unwrap_or_else(|_| Err(failed("it panicked".to_owned())))?;
        let bot = match choice.cost() {
            Cost::Inline => Ok(Bot::inline(agent)),
            Cost::Worker => Bot::threaded(agent),
        };
        bot.map_err(|error| failed(format!("there is no thread for it: {error}")))
    }

    /// An agent that computes in the thread that asks.
    pub fn inline(agent: Box<dyn Agent>) -> Bot {
        Bot(Inner::Inline(Guarded::new(agent)))
    }

    /// An agent on a thread of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn threaded(agent: Box<dyn Agent>) -> std::io::Result<Bot> {
        Ok(Bot(Inner::Threaded(Threaded::new(Guarded::new(agent))?)))
    }

    /// Whether it computes in the thread that asks.
    pub fn is_inline(&self) -> bool {
        matches!(self.0, Inner::Inline(_))
    }

    /// Asks for the acting seat's action; what comes back can be played and recorded as it is.
    pub fn decide(&mut self, infoset: &InfoSet, request: Request) -> Decided {
        let index = infoset.public.history().len() as u64;
        let rng = decision_rng(request.seed, request.hand, index);
        let Request { hand, time_left, .. } = request;
        let begun = Instant::now();
        let clock = Clock::new(move || begun.elapsed());
        let mut cx = Context { rng, hand, time_left, clock };
        let decision = match &mut self.0 {
            Inner::Inline(agent) => agent.ask(infoset, &mut cx),
            Inner::Threaded(agent) => agent.ask(infoset, &cx),
        };
        Decided::new(decision, infoset)
    }

    /// Tells it who else plays, before the first hand.
    pub fn meet(&mut self, opponents: &[String]) {
        match &mut self.0 {
            Inner::Inline(agent) => agent.meet(opponents),
            Inner::Threaded(agent) => agent.meet(opponents),
        }
    }

    /// Tells it how a hand ended.
    pub fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        match &mut self.0 {
            Inner::Inline(agent) => agent.hand_over(outcome),
            Inner::Threaded(agent) => agent.hand_over(outcome),
        }
    }

    /// Lets it forget earlier hands.
    pub fn restart(&mut self) {
        match &mut self.0 {
            Inner::Inline(agent) => agent.restart(),
            Inner::Threaded(agent) => agent.restart(),
        }
    }
}

/// An agent whose panics end here.
pub(crate) struct Guarded {
    /// Gone only while this value is being dropped.
    agent: Option<Box<dyn Agent>>,
    /// It panicked where no decision was asked for: the next one is lost.
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
        // Nothing is left to be decided.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(agent)));
    }
}
