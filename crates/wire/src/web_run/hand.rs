//! What a session keeps of its hand in play: its costs so far and the agent's decisions; and how
//! they are saved with the session's state.

use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use game::{Action, InfoSet, Seat};
use logs::DecisionRecord;
use logs::formats::jsonl;
use logs::ledger::{FILE_NAME, Known, WebHand, WebSession};
use matches::bot::{Bot, Request};
use serde::{Deserialize, Serialize};

use super::Shared;
use crate::{Error, bots};

/// The entrant numbers of this side and of the server.
pub(crate) const AGENT: u8 = 0;
pub(crate) const SERVER: u8 = 1;

/// The hand in play: its costs so far, and the agent's decisions.
#[derive(Debug, Default)]
pub(crate) struct HandInPlay {
    pub(crate) number: u64,
    pub(crate) began_ms: i64,
    pub(crate) requests: u32,
    pub(crate) waited: Duration,
    pub(crate) thought: Duration,
    pub(crate) blind: u32,
    pub(crate) decisions: Vec<DecisionRecord>,
}

impl HandInPlay {
    /// Asks the agent, on a thread of its own if it is not inline, and keeps its decision.
    pub(crate) async fn decide(
        &mut self,
        shared: &Shared,
        mut agent: Bot,
        infoset: InfoSet,
        entrant: u8,
    ) -> (Bot, Action) {
        let hand = self.number;
        let time_left = shared.plan.deadline;
        let request = Request { seed: shared.store.seed(), hand, time_left };
        let before = Instant::now();
        let (agent, infoset, decided) = if agent.is_inline() {
            let decided = agent.decide(&infoset, request);
            (agent, infoset, decided)
        } else {
            bots::think(agent, infoset, request).await.expect("a bot's panics are its own")
        };
        let elapsed = before.elapsed();
        self.thought += elapsed;
        let action = decided.action;
        self.decisions.push(decided.record(&infoset, hand, entrant, elapsed));
        (agent, action)
    }

    /// A row for a hand of unknown result.
    pub(crate) fn row(&self, session: u64, hand: u64, seat: Seat) -> WebHand {
        WebHand {
            hand,
            session,
            number: None,
            known: Known::Unknown,
            seat: seat.index() as u8,
            winnings: None,
            baseline: None,
            action: String::new(),
            hole: String::new(),
            board: String::new(),
            incr: None,
            together: 1,
            forfeited: false,
            disturbed: false,
            blind: self.blind,
            began_ms: self.began_ms,
            ended_ms: None,
            requests: self.requests,
            waited: self.waited,
            thought: self.thought,
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The most of anything that a session counts, far from overflow.
pub(crate) const MAX_COUNT: u64 = u32::MAX as u64 / 2;

/// The state of a session as the ledger keeps it, in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saved {
    pub(crate) client: String,
    pub(crate) number: u64,
    pub(crate) began_ms: i64,
    pub(crate) requests: u32,
    pub(crate) waited_us: u64,
    pub(crate) thought_us: u64,
    pub(crate) blind: u32,
    /// The decisions, as lines of JSON.
    pub(crate) decisions: String,
    /// Unusable answers: since a hand was last finished, and all.
    pub(crate) unusable: [u64; 2],
    /// The latest failure of the run, and whether the server had answered.
    pub(crate) trouble: (String, bool),
}

impl Saved {
    /// The state to save: that of the client as text, the hand in play, the counts of unusable
    /// answers and the latest failure.
    pub(crate) fn new(
        client: String,
        open: &HandInPlay,
        unusable: [u64; 2],
        trouble: (String, bool),
    ) -> Saved {
        let mut decisions = String::new();
        open.decisions.iter().for_each(|decision| jsonl::write_decision(decision, &mut decisions));
        Saved {
            client,
            number: open.number,
            began_ms: open.began_ms,
            requests: open.requests,
            waited_us: open.waited.as_micros() as u64,
            thought_us: open.thought.as_micros() as u64,
            blind: open.blind,
            decisions,
            unusable,
            trouble,
        }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data with text keys")
    }

    /// Reads the saved state of a session.
    ///
    /// # Errors
    /// When it is damaged.
    pub(crate) fn read(folder: &Path, session: &WebSession) -> Result<Saved, Error> {
        let damaged = |reason: &dyn Display| damaged(folder, session.session, reason);
        let saved: Saved = serde_json::from_str(&session.state).map_err(|error| damaged(&error))?;
        let Saved { number, requests, waited_us, thought_us, blind, unusable, .. } = &saved;
        let [row, all] = *unusable;
        let counts = [*number, (*requests).into(), (*blind).into(), row, all, waited_us / 1000];
        if counts.into_iter().chain([thought_us / 1000]).any(|count| count > MAX_COUNT) {
            return Err(damaged(&"its counts are too large"));
        }
        Ok(saved)
    }

    /// The hand in play.
    ///
    /// # Errors
    /// When a decision is damaged.
    pub(crate) fn open(&self, folder: &Path, session: u64) -> Result<HandInPlay, Error> {
        let lines = (1..).zip(self.decisions.lines());
        let decisions = lines.map(|(number, line)| jsonl::read_decision(line, number));
        let decisions: Result<_, _> = decisions.collect();
        Ok(HandInPlay {
            number: self.number,
            began_ms: self.began_ms,
            requests: self.requests,
            waited: Duration::from_micros(self.waited_us),
            thought: Duration::from_micros(self.thought_us),
            blind: self.blind,
            decisions: decisions.map_err(|error| damaged(folder, session, error))?,
        })
    }
}

/// The error that a saved session cannot be gone on with.
pub(crate) fn damaged(folder: &Path, session: u64, reason: impl Display) -> Error {
    Error::here(format!(
        "{}: the saved state of session {session} cannot be gone on with: {reason}; restore the \
         file, or begin another run with --out",
        folder.join(FILE_NAME).display()
    ))
}
