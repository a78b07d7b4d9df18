//! Transaction files: one line for each action, from which an interrupted match is continued.
//!
//! `<action> <hand> <sent> <received>`, the times as seconds and microseconds (`12.000345`). The
//! action is the one that was played, after any correction.

use std::fmt::Write;
use std::time::Duration;

use game::{Action, Betting, GameDef, PublicState, notation};

use super::reply;
use super::scan;

/// One action with its send and receive times: a line of a transaction file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    /// The action played.
    pub action: Action,
    /// The hand's number.
    pub hand: u32,
    /// Time at which the player was asked. Only differences matter.
    pub sent: Duration,
    /// Time at which the answer was complete.
    pub received: Duration,
}

impl Transaction {
    /// Appends the line, with its end.
    pub fn write(&self, def: &GameDef, out: &mut String) {
        notation::write_action(self.action, def.betting == Betting::Limit, out);
        write!(out, " {} ", self.hand).expect("writing to a string cannot fail");
        write_time(self.sent, out);
        out.push(' ');
        write_time(self.received, out);
        out.push('\n');
    }

    /// The time the player took.
    pub fn elapsed(&self) -> Duration {
        self.received.saturating_sub(self.sent)
    }

    /// Parses a line; the action must be legal in the match's current state.
    pub fn parse(line: &[u8], public: &PublicState) -> Result<Transaction, TransactionError> {
        let (action, used) =
            reply::read_legal_action(line, public).ok_or(TransactionError::Action)?;
        let mut rest = &line[used..];
        let mut number = || {
            let (number, used) = scan::scan_u64(rest)?;
            rest = &rest[used..];
            Some(number)
        };
        let hand = number().ok_or(TransactionError::Stamp)? as u32;
        let seconds = number().ok_or(TransactionError::Stamp)?;
        let (sent, rest) = read_micros(seconds, rest).ok_or(TransactionError::Stamp)?;
        let (seconds, used) = scan::scan_u64(rest).ok_or(TransactionError::Stamp)?;
        let (received, _) = read_micros(seconds, &rest[used..]).ok_or(TransactionError::Stamp)?;
        Ok(Transaction { action, hand, sent, received })
    }
}

/// Error of reading or replaying a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum TransactionError {
    #[error("invalid action in transaction log")]
    Action,
    #[error("could not parse transaction stamp")]
    Stamp,
    #[error(
        "handId mismatch in transaction log: hand {found}, but the match is at hand {expected}"
    )]
    Hand { expected: u32, found: u32 },
    #[error("the transaction log goes on after the last hand")]
    PastEnd,
    #[error("seat {} ran out of time in transaction file", .entrant + 1)]
    Time { entrant: usize },
}

/// Appends a time as seconds and six decimals.
pub fn write_time(time: Duration, out: &mut String) {
    write!(out, "{}.{:06}", time.as_secs(), time.subsec_micros())
        .expect("writing to a string cannot fail");
}

fn read_micros(seconds: u64, text: &[u8]) -> Option<(Duration, &[u8])> {
    let text = text.strip_prefix(b".")?;
    let digits = text.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let (micros, _) = scan::scan_u32(&text[..digits])?;
    Some((Duration::from_secs(seconds) + Duration::from_micros(micros.into()), &text[digits..]))
}
