//! Saving the state of a session, and restoring it.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use game::GameDef;
use logs::formats::jsonl;
use logs::ledger::{FILE_NAME, SlumbotHand, SlumbotSession};
use protocol::slumbot::client::Login;
use protocol::slumbot::{Client, KnownHand, Unsettled};
use serde::{Deserialize, Serialize};

use super::super::RunError;
use super::super::run::Shared;
use super::super::store::Entry;
use super::{HandInPlay, Session};

/// The most of anything that a session counts, far from overflow.
const MAX_COUNT: u64 = u32::MAX as u64 / 2;

/// The state of a session as the ledger keeps it, in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    client: String,
    number: u64,
    began_ms: i64,
    requests: u32,
    waited_us: u64,
    thought_us: u64,
    blind: u32,
    /// The decisions, as lines of JSON.
    decisions: String,
    /// Unusable answers: since a hand was last finished, and all.
    unusable: [u64; 2],
    /// The latest failure of the run, and whether the server had answered.
    trouble: (String, bool),
}

impl Session {
    /// Saves the session's state; `closed` is the reason if it has ended.
    pub(super) fn save(&self, closed: Option<String>) -> Result<(), RunError> {
        let mut entry = self.entry();
        entry.session.closed = closed;
        self.fill(&mut entry);
        self.shared.store.commit(&entry)
    }

    pub(super) fn close(&self, reason: &str) -> Result<(), RunError> {
        self.save(Some(reason.to_owned()))
    }

    /// Makes all sessions leave, and saves the hand in play to be resumed later.
    pub(super) fn suspend(&self) -> Result<(), RunError> {
        self.shared.suspend_all();
        if self.client.in_hand() { self.save(None) } else { Ok(()) }
    }

    pub(super) fn entry(&self) -> Entry {
        let session = SlumbotSession {
            session: self.session,
            token: None,
            closed: None,
            state: String::new(),
        };
        Entry { record: None, hands: Vec::new(), session }
    }

    pub(super) fn fill(&self, entry: &mut Entry) {
        entry.session.token = self.client.token().map(str::to_owned);
        let mut lines = String::new();
        self.open.decisions.iter().for_each(|decision| jsonl::write_decision(decision, &mut lines));
        let saved = Saved {
            client: self.client.save(),
            number: self.open.number,
            began_ms: self.open.began_ms,
            requests: self.open.requests,
            waited_us: self.open.waited.as_micros() as u64,
            thought_us: self.open.thought.as_micros() as u64,
            blind: self.open.blind,
            decisions: lines,
            unusable: self.unusable,
            trouble: self.shared.last_failure(),
        };
        entry.session.state = serde_json::to_string(&saved).expect("plain data with text keys");
    }
}

/// A saved session cannot be gone on with.
fn damaged(folder: &Path, session: u64, reason: impl Display) -> RunError {
    RunError::System(format!(
        "{}: the saved state of session {session} cannot be gone on with: {reason}; restore the \
         file, or begin another run with --out",
        folder.join(FILE_NAME).display()
    ))
}

/// Reads a saved session.
fn read(
    folder: &Path,
    def: &Arc<GameDef>,
    login: Option<Login>,
    session: &SlumbotSession,
) -> Result<(Saved, Client), RunError> {
    let number = session.session;
    let damaged = |reason: &dyn Display| damaged(folder, number, reason);
    let saved: Saved = serde_json::from_str(&session.state).map_err(|error| damaged(&error))?;
    let client = Client::restore(Arc::clone(def), session.token.clone(), login, &saved.client);
    let client = client.map_err(|error| damaged(&error))?;
    let Saved { number, requests, waited_us, thought_us, blind, unusable, .. } = &saved;
    let [row, all] = *unusable;
    let counts = [*number, (*requests).into(), (*blind).into(), row, all, waited_us / 1000];
    if counts.into_iter().chain([thought_us / 1000]).any(|count| count > MAX_COUNT) {
        return Err(damaged(&"its counts are too large"));
    }
    if session.token.is_none() && (client.in_hand() || client.accounts().hands > 0) {
        return Err(damaged(&"it has hands, but no token"));
    }
    Ok((saved, client))
}

/// The saved session, its hand in play, and its counts of unusable answers.
pub(super) fn restore(
    shared: &Shared,
    session: &SlumbotSession,
) -> Result<(Client, HandInPlay, [u64; 2]), RunError> {
    let (folder, login) = (&shared.plan.folder, shared.plan.login.clone());
    let (saved, mut client) = read(folder, &shared.def, login, session)?;
    shared.recall(saved.trouble.clone());
    client.against(shared.plan.opponent.clone());
    let damaged = |reason: &dyn Display| damaged(folder, session.session, reason);
    // Hands that were dealt are not in the saved state once they can only be forfeited.
    let open = shared.store.reader()?.slumbot_unknown(session.session)?;
    let left_open = |hand: &SlumbotHand| {
        let SlumbotHand { hand: number, seat, hole, board, action, incr, .. } = hand;
        let (number, seat, incr) = (*number, *seat, incr.as_deref());
        let known = KnownHand { number, seat, hole, board, action, incr };
        Unsettled::left_open(&shared.def, known)
    };
    client.left_open(open.iter().filter_map(left_open));
    let lines = (1..).zip(saved.decisions.lines());
    let decisions = lines.map(|(number, line)| jsonl::read_decision(line, number));
    let open = HandInPlay {
        number: saved.number,
        began_ms: saved.began_ms,
        requests: saved.requests,
        waited: Duration::from_micros(saved.waited_us),
        thought: Duration::from_micros(saved.thought_us),
        blind: saved.blind,
        decisions: decisions.collect::<Result<_, _>>().map_err(|error| damaged(&error))?,
    };
    Ok((client, open, saved.unusable))
}

/// The state of a saved session that the run needs before it is resumed.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct ResumeState {
    /// The number of the hand that was in play, which no other hand may get.
    pub(in super::super) number: u64,
    /// Whether that hand is still in play.
    pub(in super::super) in_hand: bool,
    /// Unusable answers: since a hand was last finished, and all.
    pub(in super::super) unusable: [u64; 2],
}

/// Reads a saved session's state.
///
/// # Errors
/// When it is damaged.
pub(in super::super) fn resume_state(
    folder: &Path,
    def: &Arc<GameDef>,
    session: &SlumbotSession,
) -> Result<ResumeState, RunError> {
    let (saved, client) = read(folder, def, None, session)?;
    let Saved { number, unusable, .. } = saved;
    Ok(ResumeState { number, in_hand: client.in_hand(), unusable })
}
