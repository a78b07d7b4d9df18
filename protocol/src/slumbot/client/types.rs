//! Inputs, outputs and stored state of the client.

use game::{BySeat, InfoSet, Payoff, PublicState, Seat};
use serde::{Deserialize, Serialize};

use super::super::accounts::{Accounts, Drift, Settled};
use super::super::answer::{AnswerError, End};
use super::super::{Endpoint, Incr, Unsettled};

/// An HTTP request, to be sent by POST with the content type `application/json`.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// The API endpoint.
    pub endpoint: Endpoint,
    /// The JSON body. It may hold a password, so `Debug` omits it.
    pub body: String,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// The credentials of an account. `Debug` omits them.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// User name.
    pub username: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login")
    }
}

/// The caller's next step.
#[derive(Debug, Clone)]
pub enum Next {
    /// Send [`Client::request`](super::Client::request), which would begin a hand: the session is
    /// between hands.
    NewHand,
    /// Send [`Client::request`](super::Client::request).
    Send,
    /// Decide, and set the action with [`Client::act`](super::Client::act).
    Decide(Box<InfoSet>),
    /// Decide without the board, since the answer that showed it was lost; only betting and seat
    /// are known. Set the action with [`Client::act`](super::Client::act).
    DecideBlind(Box<PublicState>),
    /// Stop: the session is over.
    Gone,
}

/// Whether an unanswered request may have reached the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// It was never sent.
    Unsent,
    /// It may have been carried out.
    Maybe,
}

/// An event that follows from an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A hand with this number has begun.
    Began(u64),
    /// A hand is over.
    Finished(Box<Finished>),
    /// The result of a hand is unknown for now.
    Unsettled(Unsettled),
    /// The result of such a hand is now known.
    Settled(Settled),
    /// The host refuses the request with this message; it can be retried after a pause.
    Refused(String),
    /// The sums of the session disagree: it must not go on.
    Drift(Drift),
    /// The host no longer knows the session. Hands without a result will not get one.
    Gone(String),
}

/// The record of a hand that was played to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The hand's number.
    pub number: u64,
    /// The client's seat.
    pub seat: Seat,
    /// The final public state.
    pub public: PublicState,
    /// Both players' hole cards.
    pub hole: BySeat<cards::HoleCards>,
    /// The payoff of each seat.
    pub payoffs: BySeat<Payoff>,
    /// The host's report of the result.
    pub end: End,
    /// Whether an action other than the one decided on was played, because a request was carried
    /// out twice.
    pub disturbed: bool,
}

/// Error for an answer that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// The answer is invalid. It is treated as lost, so the session may go on.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The answer is impossible or contradicts earlier ones.
    #[error("{reason}; before: {before}; now: `{now}`")]
    Contradiction {
        /// The contradiction.
        reason: AnswerError,
        /// The state known before, as told by the host.
        before: String,
        /// The answer, for display.
        now: String,
    },
    /// The result of a hand does not follow from its cards and betting.
    #[error("after `{action}` the server says {theirs} chips, the cards and the betting {ours}")]
    Winnings {
        /// The betting.
        action: String,
        /// The host's figure.
        theirs: i64,
        /// The correct figure.
        ours: Payoff,
    },
    /// A legal action is refused repeatedly, although the hand has not changed.
    #[error("the server refuses `{incr}` after `{action}`, {attempts} times: {error_msg}")]
    Refused {
        /// The action.
        incr: Incr,
        /// The betting before it.
        action: String,
        /// Number of attempts.
        attempts: u32,
        /// The host's message.
        error_msg: String,
    },
}

/// Error of the caller in using the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// No decision is needed now.
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
    /// Whether the board of the current street is unknown.
    pub(super) blind: bool,
}

/// The phase of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Phase {
    /// The session is yet to be requested for an account.
    Login,
    /// Between hands; `lost` requests for a new one got no answer.
    Idle { lost: u32 },
    /// A decision is needed.
    Turn { hand: Hand },
    /// An action is to be sent, or has been sent.
    Act { hand: Hand, incr: String, attempts: u32 },
    /// The answer to an action is lost: probe.
    Doubt { hand: Hand, incr: String, attempts: u32 },
    /// The host no longer knows the session.
    Gone,
}

/// The serialized state of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    pub(super) phase: Phase,
    /// The seat of the next hand, if all hands dealt have been seen.
    pub(super) next_seat: u8,
    /// Cards and seat of the last hand, to recognise it when it is shown again.
    pub(super) last: Option<(String, u8)>,
    /// The reported end of the last hand.
    pub(super) last_end: Option<String>,
    /// Actions in this hand and in the one before whose answers were lost and which may still
    /// arrive.
    pub(super) unheard: [Vec<String>; 2],
    /// Number of lost requests for a first hand, each in a session of its own.
    pub(super) orphans: u32,
    /// Number of hands in a row that began in the other seat than was due although no request was
    /// lost.
    pub(super) skipped: u32,
    pub(super) books: Accounts,
}
