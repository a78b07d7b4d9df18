//! Where a session stands, written down and read again.

use std::sync::Arc;
use std::time::Duration;

use logs::decisions;
use logs::ledger::SlumbotSession;
use protocol::slumbot::Client;
use serde::{Deserialize, Serialize};

use super::super::RunError;
use super::super::play::Shared;
use super::super::store::Entry;
use super::{Desk, Open};

/// Where a session stands, as the ledger keeps it.
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
    /// Lines of JSON.
    decisions: String,
}

impl Desk {
    /// Writes where the session stands.
    pub(super) fn save(&self, closed: Option<String>) -> Result<(), RunError> {
        let mut entry = self.entry();
        entry.session.closed = closed;
        self.fill(&mut entry);
        self.shared.store.commit(&entry)
    }

    pub(super) fn close(&self, reason: &str) -> Result<(), RunError> {
        self.save(Some(reason.to_owned()))
    }

    /// Leaves with a hand in play, to be gone on with later.
    pub(super) fn adjourn(&self) -> Result<(), RunError> {
        self.shared.adjourn();
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
        self.open.decisions.iter().for_each(|decision| decisions::write_line(decision, &mut lines));
        let saved = Saved {
            client: self.client.save(),
            number: self.open.number,
            began_ms: self.open.began_ms,
            requests: self.open.requests,
            waited_us: self.open.waited.as_micros() as u64,
            thought_us: self.open.thought.as_micros() as u64,
            blind: self.open.blind,
            decisions: lines,
        };
        entry.session.state = serde_json::to_string(&saved).expect("plain data with text keys");
    }
}

/// The session as it was written down, and its hand.
pub(super) fn restore(shared: &Shared, session: SlumbotSession) -> Result<(Client, Open), String> {
    let saved: Saved = serde_json::from_str(&session.state).map_err(|error| error.to_string())?;
    let (def, login) = (Arc::clone(&shared.def), shared.plan.login.clone());
    let mut client = Client::restore(def, session.token, login, &saved.client)
        .map_err(|error| error.to_string())?;
    client.against(shared.plan.opponent.clone());
    let lines = (1..).zip(saved.decisions.lines());
    let decisions = lines.map(|(number, line)| decisions::read_line(line, number));
    let open = Open {
        number: saved.number,
        began_ms: saved.began_ms,
        requests: saved.requests,
        waited: Duration::from_micros(saved.waited_us),
        thought: Duration::from_micros(saved.thought_us),
        blind: saved.blind,
        decisions: decisions.collect::<Result<_, _>>().map_err(|error| error.to_string())?,
    };
    Ok((client, open))
}

/// The number of the hand that a session had in play, which no other hand may get.
pub(in super::super) fn number_in_play(session: &SlumbotSession) -> Option<u64> {
    serde_json::from_str::<Saved>(&session.state).ok().map(|saved| saved.number)
}
