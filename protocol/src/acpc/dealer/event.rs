//! The dealer's events.

use std::time::Duration;

use game::{BySeat, Payoff, State};

use super::{MAX_JUNK_BYTES, MAX_JUNK_LINES};
use crate::acpc::reply::{Correction, Ignored};
use crate::acpc::transaction::Transaction;

/// An event in a match. Entrants are counted from 0.
#[derive(Debug, Clone)]
pub enum Event {
    /// An entrant speaks another version of the protocol; the match goes on.
    OtherVersion {
        /// The entrant.
        entrant: usize,
    },
    /// All versions have come and the first state has been sent.
    Started {
        /// Time of the event.
        at: Duration,
    },
    /// A line went into an entrant's output (only with [`Config::transcript`](super::Config)).
    Sent {
        /// The receiver.
        entrant: usize,
        /// Time of the event.
        at: Duration,
        /// The line with its end.
        line: Vec<u8>,
    },
    /// A line came from the entrant that is to act (only with
    /// [`Config::transcript`](super::Config)).
    Received {
        /// The sender.
        entrant: usize,
        /// Time of the event.
        at: Duration,
        /// The line as it came, with its end if it had one, up to its first zero byte.
        line: Vec<u8>,
    },
    /// A line was ignored.
    Ignored {
        /// The sender.
        entrant: usize,
        /// The reason.
        reason: Ignored,
    },
    /// A reply was changed into a legal action.
    Corrected {
        /// The entrant.
        entrant: usize,
        /// The hand's number.
        hand: u32,
        /// The change.
        correction: Correction,
    },
    /// An action was played.
    Acted {
        /// The acting entrant.
        entrant: usize,
        /// The action and its times.
        transaction: Transaction,
    },
    /// A hand is over.
    HandOver(Box<HandOver>),
    /// The time each entrant has used in the match, after every hundredth hand (only with
    /// [`Config::transcript`](super::Config)).
    TimeUsed {
        /// The times by entrant.
        used: Vec<Duration>,
    },
    /// All hands have been played. Nothing follows.
    Finished,
    /// The match cannot go on. Nothing follows.
    Failed(Failure),
}

/// The result of a finished hand.
#[derive(Debug, Clone)]
pub struct HandOver {
    /// The hand's number, from 0.
    pub hand: u32,
    /// The final state, with all hole cards.
    pub state: State,
    /// The payoff of each seat.
    pub payoffs: BySeat<Payoff>,
    /// The entrant in each seat.
    pub entrants: BySeat<u8>,
    /// Whether the hand was replayed from a transaction file instead of played.
    pub replayed: bool,
}

/// The failure that ended a match before its last hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The entrant at fault, if there is one.
    pub entrant: Option<usize>,
    /// The number of the hand in which it happened.
    pub hand: u32,
    /// The cause.
    pub cause: Cause,
}

/// The cause of a match's early end. Displayed as the end of a sentence about the player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// No version line came: the connection closed, or time ran out.
    #[error("sent no version line{}", .after.map(|t| format!(" within {t:?}")).unwrap_or_default())]
    NoVersion {
        /// The limit, if it ended the wait.
        after: Option<Duration>,
    },
    /// The first line is not a version.
    #[error("sent `{}` instead of a version line such as \
             VERSION:2.0.0", game::escape::excerpt(.line.trim_end()))]
    BadVersion {
        /// The line received.
        line: String,
    },
    /// The connection is closed.
    #[error("closed its connection")]
    Closed {
        /// The time for which the entrant's answer had been awaited.
        waited: Duration,
    },
    /// The entrant does not read what is sent to it.
    #[error("does not read what is sent to it")]
    Stalled,
    /// One reply took too long.
    #[error("did not answer within {limit:?}")]
    ResponseTime {
        /// The limit.
        limit: Duration,
    },
    /// The entrant's replies in one hand took too long.
    #[error("used more than {limit:?} in one hand")]
    HandTime {
        /// The limit.
        limit: Duration,
    },
    /// The entrant's replies in the match took too long.
    #[error("used more than its {limit:?} for the match")]
    MatchTime {
        /// The limit.
        limit: Duration,
    },
    /// A reply was not exactly right, under [`Replies::Strict`](super::Replies).
    #[error("sent a bad reply, `{line}`")]
    BadReply {
        /// The reply, shortened.
        line: String,
    },
    /// Too much input without an answer, while one was due.
    #[error(
        "sent more than {MAX_JUNK_LINES} lines or {} MiB without an answer among them",
        MAX_JUNK_BYTES >> 20
    )]
    Junk,
    /// Too many replies had to be corrected.
    #[error("had more than {limit} replies corrected")]
    TooManyCorrections {
        /// The limit.
        limit: u32,
    },
}
