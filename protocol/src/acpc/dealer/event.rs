//! What the dealer reports.

use std::time::Duration;

use game::{BySeat, Payoff, State};

use super::{MOST_JUNK_BYTES, MOST_JUNK_LINES};
use crate::acpc::reply::{Correction, Ignored};
use crate::acpc::transaction::Transaction;

/// What has happened in a match. Entrants are counted from 0.
#[derive(Debug, Clone)]
pub enum Event {
    /// An entrant speaks another version of the protocol; the match goes on.
    OtherVersion {
        /// Who.
        entrant: usize,
    },
    /// Everybody is there and the first state has been sent.
    Started {
        /// When.
        at: Duration,
    },
    /// A line went into an entrant's output (only with [`Config::transcript`](super::Config)).
    Sent {
        /// To whom.
        entrant: usize,
        /// When.
        at: Duration,
        /// The line with its end.
        line: Vec<u8>,
    },
    /// A line came from the entrant that is to act (only with
    /// [`Config::transcript`](super::Config)).
    Received {
        /// From whom.
        entrant: usize,
        /// When.
        at: Duration,
        /// The line as it came, with its end if it had one, up to its first zero byte.
        line: Vec<u8>,
    },
    /// A line was ignored.
    Ignored {
        /// Whose.
        entrant: usize,
        /// Why.
        reason: Ignored,
    },
    /// A reply was changed into something legal.
    Corrected {
        /// Whose.
        entrant: usize,
        /// In which hand.
        hand: u32,
        /// How.
        correction: Correction,
    },
    /// An action was played.
    Acted {
        /// Whose.
        entrant: usize,
        /// The action and its times.
        transaction: Transaction,
    },
    /// A hand is over.
    HandOver(Box<HandOver>),
    /// The time each entrant has used in the match, after every hundredth hand (only with
    /// [`Config::transcript`](super::Config)).
    TimeUsed {
        /// By entrant.
        used: Vec<Duration>,
    },
    /// All hands have been played. Nothing follows.
    Finished,
    /// The match cannot go on. Nothing follows.
    Failed(Failure),
}

/// A finished hand.
#[derive(Debug, Clone)]
pub struct HandOver {
    /// Its number, from 0.
    pub hand: u32,
    /// Its last state, with everybody's cards.
    pub state: State,
    /// What each seat won or lost.
    pub payoffs: BySeat<Payoff>,
    /// Who sat in each seat.
    pub entrants: BySeat<u8>,
    /// It was played before the match was interrupted, and only replayed now.
    pub replayed: bool,
}

/// Why a match ended before its last hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Who is to blame, if anyone is.
    pub entrant: Option<usize>,
    /// The hand it happened in.
    pub hand: u32,
    /// What happened.
    pub cause: Cause,
}

/// What can end a match early. Shown as the end of a sentence about the player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// No version line came: the connection closed, or time ran out.
    #[error("sent no version line{}", .after.map(|t| format!(" within {t:?}")).unwrap_or_default())]
    NoVersion {
        /// The limit, if that is what ended the wait.
        after: Option<Duration>,
    },
    /// The first line is not a version.
    #[error("sent `{}` instead of a version line such as VERSION:2.0.0", game::escape::excerpt(.line.trim_end()))]
    BadVersion {
        /// The line.
        line: String,
    },
    /// The connection is closed.
    #[error("closed its connection")]
    Closed {
        /// How long its answer had been awaited.
        waited: Duration,
    },
    /// It did not take what was sent to it.
    #[error("does not read what is sent to it")]
    Stalled,
    /// One reply took too long.
    #[error("did not answer within {limit:?}")]
    ResponseTime {
        /// The limit.
        limit: Duration,
    },
    /// Its replies in one hand took too long.
    #[error("used more than {limit:?} in one hand")]
    HandTime {
        /// The limit.
        limit: Duration,
    },
    /// Its replies in the match took too long.
    #[error("used more than its {limit:?} for the match")]
    MatchTime {
        /// The limit.
        limit: Duration,
    },
    /// A reply was not exactly right, and only such are allowed.
    #[error("sent a bad reply, `{line}`")]
    BadReply {
        /// The reply, cut.
        line: String,
    },
    /// It sent too much that is no answer, one answer being due.
    #[error(
        "sent more than {MOST_JUNK_LINES} lines or {} MiB without an answer among them",
        MOST_JUNK_BYTES >> 20
    )]
    Junk,
    /// Too many replies had to be corrected.
    #[error("had more than {limit} replies corrected")]
    TooManyCorrections {
        /// The limit.
        limit: u32,
    },
}
