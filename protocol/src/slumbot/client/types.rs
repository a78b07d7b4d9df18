//! What goes into the machine and comes out of it, and what it keeps.

use game::{BySeat, InfoSet, Payoff, PublicState, Seat};
use serde::{Deserialize, Serialize};

use super::super::accounts::{Accounts, Drift, Settled, Unsettled};
use super::super::answer::{AnswerError, End};
use super::super::{Endpoint, Incr};

/// A request, to be sent by POST with the content type `application/json`.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// What is asked.
    pub endpoint: Endpoint,
    /// The body: may hold a password, so it is not shown for debugging.
    pub body: String,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// A user's name and password. Not shown for debugging.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The name.
    pub username: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login")
    }
}

/// What is to be done next.
#[derive(Debug, Clone)]
pub enum Next {
    /// Send [`Client::request`](super::Client::request): the session is between hands, and this
    /// would begin one.
    NewHand,
    /// Send [`Client::request`](super::Client::request).
    Send,
    /// Decide, and say so with [`Client::act`](super::Client::act).
    Decide(Box<InfoSet>),
    /// Decide without knowing the cards on the table, since the answer that showed them was lost:
    /// these are the betting and the seat. Say so with [`Client::act`](super::Client::act).
    DecideBlind(Box<PublicState>),
    /// Nothing: the session is over.
    Gone,
}

/// Whether a request without an answer can have reached the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// It was never sent.
    Unsent,
    /// It may have been carried out.
    Maybe,
}

/// What an answer brings.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A hand has begun.
    Began(u64),
    /// A hand is over.
    Finished(Box<Finished>),
    /// What became of a hand is not known for now.
    Unsettled(Unsettled),
    /// It is known now.
    Settled(Settled),
    /// The host refuses the request with this text; it can be tried again after a pause.
    Refused(String),
    /// The sums of the session do not agree: it must not go on.
    Drift(Drift),
    /// The host does not know the session any more. Hands without a result will not get one.
    Gone(String),
}

/// A hand that was played to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Its number.
    pub number: u64,
    /// The client's seat.
    pub seat: Seat,
    /// Betting and board.
    pub public: PublicState,
    /// Both players' cards.
    pub hole: BySeat<cards::HoleCards>,
    /// What each seat won or lost.
    pub payoffs: BySeat<Payoff>,
    /// What the host says of it.
    pub end: End,
    /// Another action than the one decided on was played as well, since a request was carried out
    /// twice.
    pub disturbed: bool,
}

/// Why an answer ends the session.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// Their bytes are wrong. The machine treats the answer as lost, so one may go on.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The answer says what cannot be, or something else than was said before.
    #[error("{reason}; before: {before}; now: `{now}`")]
    Contradiction {
        /// What does not agree.
        reason: AnswerError,
        /// What was known, as the host had told it.
        before: String,
        /// The answer as it may be shown.
        now: String,
    },
    /// The result of a hand is not what its cards and betting say.
    #[error("after `{action}` the server says {theirs} chips, the cards and the betting {ours}")]
    Winnings {
        /// The betting.
        action: String,
        /// What the host says.
        theirs: i64,
        /// What it must be.
        ours: Payoff,
    },
    /// An action that is legal is refused again and again, although the hand has not changed.
    #[error("the server refuses `{incr}` after `{action}`, {attempts} times: {error_msg}")]
    Refused {
        /// The action.
        incr: Incr,
        /// The betting before it.
        action: String,
        /// How often.
        attempts: u32,
        /// What the host says.
        error_msg: String,
    },
}

/// The machine was used wrongly: our mistake, not theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// No decision is asked for.
    #[error("it is not this side's turn")]
    NotOurTurn,
    /// The action is not legal.
    #[error(transparent)]
    Illegal(#[from] game::IllegalReason),
}

/// The hand in play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hand {
    pub(super) number: u64,
    pub(super) seat: u8,
    pub(super) hole: String,
    pub(super) board: String,
    pub(super) action: String,
    pub(super) disturbed: bool,
    /// The board of the present street is not known.
    pub(super) blind: bool,
}

/// What the session is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Phase {
    /// A session is to be had for an account.
    Login,
    /// Between hands; so many requests for a new one got no answer.
    Idle { lost: u32 },
    /// A decision is asked for.
    Turn { hand: Hand },
    /// An action is to be sent, or has been.
    Act { hand: Hand, incr: String, attempts: u32 },
    /// The answer to an action is lost.
    Doubt { hand: Hand, incr: String, attempts: u32 },
    /// The host does not know the session.
    Gone,
}

/// What can be written down of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    pub(super) phase: Phase,
    /// The seat of the next hand, when all hands dealt have been seen.
    pub(super) next_seat: u8,
    /// Cards and seat of the last hand, to know it when it is shown again.
    pub(super) last: Option<(String, u8)>,
    /// Its end, as it was told.
    #[serde(default)]
    pub(super) last_end: Option<String>,
    /// Actions in this hand, and in the one before, whose answers were lost: they may still arrive.
    #[serde(default)]
    pub(super) unheard: [Vec<String>; 2],
    /// Requests for a first hand, in a session of its own, whose answer was lost.
    pub(super) orphans: u32,
    pub(super) books: Accounts,
}
