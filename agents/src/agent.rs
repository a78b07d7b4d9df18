//! The agent trait and what passes through it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cards::HoleCards;
use game::{Action, BySeat, InfoSet, Payoff, PublicState, Seat, Strategy};

/// The random source of a decision: small, fast, and the same on every platform.
pub type AgentRng = rand_pcg::Pcg64Mcg;

/// Something that plays.
///
/// An agent computes; it does not read clocks, networks or random sources other than those in
/// [`Context`]. The same information set and the same random source must give the same decision,
/// whatever was played before in other blocks of hands (see [`restart`](Self::restart)).
pub trait Agent: Send {
    /// Chooses an action for the acting seat. Called only when it is `infoset.seat`'s turn.
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision;

    /// Told before the first hand who else plays, by the names they are known by in the match.
    /// Not called where that is not known. [`restart`](Self::restart) does not undo it.
    fn meet(&mut self, _opponents: &[String]) {}

    /// Told at the end of each hand in which the agent sat.
    fn hand_over(&mut self, _outcome: &HandOutcome<'_>) {}

    /// Forget everything learned from earlier hands. Called at the start of each block of hands, so
    /// that results do not depend on how blocks are spread over threads and shards.
    fn restart(&mut self) {}
}

/// What the driver hands to an agent with each decision.
#[derive(Debug, Clone)]
pub struct Context {
    /// Seeded from the match, the hand and the decision.
    pub rng: AgentRng,
    /// The hand's number in its match, from 0.
    pub hand: u64,
    /// Time until the answer is due; `None` when there is no limit.
    pub time_left: Option<Duration>,
    /// What agents that compute as long as there is time look at.
    pub clock: Clock,
}

/// A clock of whoever asks: the time since some moment.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// One that says what `now` does.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// One on which no time passes.
    pub fn stopped() -> Clock {
        Clock::new(|| Duration::ZERO)
    }

    /// The time since that moment.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

/// An agent's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What to play.
    pub action: Action,
    /// The distribution it was drawn from, if the agent has one.
    pub strategy: Option<Strategy>,
    /// Why, in words, for those who ask.
    pub note: Option<String>,
    /// Set when the agent could not decide: the driver then checks, or folds, and counts it.
    pub failed: Option<Failed>,
}

/// Why an agent could not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// It did not answer in time.
    Timeout,
    /// Its process or connection is gone.
    Gone,
    /// It answered something that is no action.
    BadAnswer,
    /// Its code panicked.
    Panicked,
}

impl Decision {
    /// No decision, for this reason.
    pub fn failed(reason: Failed) -> Decision {
        Decision { failed: Some(reason), ..Decision::from(Action::Call) }
    }
}

impl From<Action> for Decision {
    fn from(action: Action) -> Decision {
        Decision { action, strategy: None, note: None, failed: None }
    }
}

/// A finished hand as one seat saw it.
#[derive(Debug, Clone, Copy)]
pub struct HandOutcome<'a> {
    /// The hand's number in its match, from 0.
    pub hand: u64,
    /// The final public state.
    pub public: &'a PublicState,
    /// The seat the agent sat in.
    pub seat: Seat,
    /// Hole cards this seat may know: its own, and those shown at a showdown; others are empty.
    pub shown: &'a BySeat<HoleCards>,
    /// What each seat won or lost; all zero where a seat's result cannot be known to the observer.
    pub payoffs: &'a BySeat<Payoff>,
}
