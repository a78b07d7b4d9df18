//! The agent trait and its input and output types.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cards::HoleCards;
use game::{Action, BySeat, InfoSet, Payoff, PublicState, Seat, Strategy};
use rand::RngExt;

/// The random generator of a decision: small, fast, and the same on every platform.
pub type AgentRng = rand_pcg::Pcg64Mcg;

/// A decision maker.
///
/// An agent only computes. It does not use clocks, networks or random sources other than those in
/// [`Context`]. The same information set and the same random source must give the same decision,
/// whatever was played before in other blocks of hands (see [`restart`](Self::restart)).
pub trait Agent: Send {
    /// Chooses an action for the acting seat. Called only when it is `infoset.seat`'s turn.
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision;

    /// Chooses the card that it puts on the board, by its place in the hand, where it is to
    /// ([`PublicState::discarding`]). Only agents whose recipe [says so](crate::Recipe::discards)
    /// are asked.
    ///
    /// # Errors
    /// A failed decision if it cannot decide; the driver then folds, and counts the failure.
    fn discard(&mut self, _infoset: &InfoSet, _cx: &mut Context) -> Result<u8, Decision> {
        Ok(0)
    }

    /// Called before the first hand with the names of the other entrants in the match, if they are
    /// known. [`restart`](Self::restart) does not undo it.
    fn meet(&mut self, _opponents: &[String]) {}

    /// Called at the end of each hand in which the agent had a seat.
    fn hand_over(&mut self, _outcome: &HandOutcome<'_>) {}

    /// Discards everything learned from earlier hands. Called at the start of each block of hands,
    /// so that results do not depend on how blocks are spread over threads and shards.
    fn restart(&mut self) {}
}

/// The input that the driver passes to an agent with each decision.
#[derive(Debug, Clone)]
pub struct Context {
    /// Random source, seeded from the match, the hand and the decision.
    pub rng: AgentRng,
    /// The hand's number in its match, from 0.
    pub hand: u64,
    /// Time until the answer is due; `None` if there is no limit.
    pub time_left: Option<Duration>,
    /// The clock for agents that compute as long as there is time.
    pub clock: Clock,
}

impl Context {
    /// Draws an action from a strategy. One that always plays the same action takes no random
    /// number.
    pub fn draw(&mut self, strategy: &Strategy) -> Action {
        match strategy.actions.as_slice() {
            &[(action, _)] => action,
            _ => strategy.sample(self.rng.random()),
        }
    }
}

/// A clock provided by the caller: the time since some fixed moment.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// Creates a clock that returns the result of `now`.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Creates a clock that always returns zero.
    pub fn stopped() -> Clock {
        Clock::new(|| Duration::ZERO)
    }

    /// Returns the time since the fixed moment.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

/// The answer of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The action to play.
    pub action: Action,
    /// The distribution that the action was drawn from, if the agent has one.
    pub strategy: Option<Strategy>,
    /// The value of actions to the agent, if it has them: what each wins on average with its hand,
    /// in chips over the whole hand.
    pub values: Vec<(Action, f64)>,
    /// An explanation in words, for display.
    pub note: Option<String>,
    /// Whether the situation is outside of what the agent's model is for: its fallback decided, or
    /// it used the nearest that it has. The note says which.
    pub beyond_model: bool,
    /// Set if the agent could not decide. The driver then checks or folds, and counts the failure.
    pub failed: Option<Failed>,
}

/// The reason an agent could not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// No answer arrived in time.
    Timeout,
    /// The agent's process or connection is gone.
    Gone,
    /// The answer was not an action.
    BadAnswer,
    /// The agent's code panicked.
    Panicked,
}

impl Decision {
    /// Creates a failed decision with this reason.
    pub fn failed(reason: Failed) -> Decision {
        Decision { failed: Some(reason), ..Decision::from(Action::Call) }
    }
}

impl From<Action> for Decision {
    fn from(action: Action) -> Decision {
        let (strategy, values, note) = (None, Vec::new(), None);
        Decision { action, strategy, values, note, beyond_model: false, failed: None }
    }
}

/// The result of a finished hand as seen from one seat.
#[derive(Debug, Clone, Copy)]
pub struct HandOutcome<'a> {
    /// The hand's number in its match, from 0.
    pub hand: u64,
    /// The final public state.
    pub public: &'a PublicState,
    /// The seat of the agent.
    pub seat: Seat,
    /// Hole cards that this seat may know: its own, and those shown at a showdown; others are
    /// empty.
    pub shown: &'a BySeat<HoleCards>,
    /// Chips that each seat won or lost; all zero if the observer cannot know a seat's result.
    pub payoffs: &'a BySeat<Payoff>,
}
