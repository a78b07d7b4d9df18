//! The host's ledgers: one for each agent, with the hands of all sessions in the order in which
//! they ended.
//!
//! Before a hand's last answer is sent, the hand is in its ledger's journal, which a restarted
//! server reads; a thread moves it to the ledger within a tenth of a second.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agents::AgentChoice;
use game::GameDef;
use jiff::Timestamp;
use logs::{DecisionRecord, Entrant, HandRecord, LedgerError, LedgerWriter, MatchInfo, Provenance};

use super::queue::{Commit, Finished, Queue};
use super::writer::{Writer, WriterHandle};
use super::{HostError, lock};

/// The clients' name in the records.
const CLIENTS: &str = "clients";

/// The prefix of the names of the host's matches.
const PREFIX: &str = "slumbot-";

/// The ledger of an agent.
#[derive(Debug)]
pub(super) struct AgentLedger {
    /// The number of this ledger among the agent's, from 1.
    pub(super) number: u16,
    /// The match's name, which is that of its folder.
    pub(super) id: String,
    /// The match's folder.
    pub(super) folder: PathBuf,
    /// The description of the match, as recorded.
    pub(super) info: MatchInfo,
    queue: Arc<Mutex<Queue>>,
    handle: WriterHandle,
}

impl AgentLedger {
    /// Queues a hand that had this number before the server was killed.
    pub(super) fn restore(&self, hand: Finished, number: u64) {
        // The receiver is dropped: nobody waits for it.
        drop(lock(&self.queue).add_as(hand, number));
        self.handle.wake();
    }

    /// Numbers the hand, calls `before` with the number, and queues the hand with `decisions`,
    /// which are moved out. With `None` the hand is recorded; otherwise the [`Commit`] tells.
    ///
    /// # Errors
    /// Those of `before`, and when the queue takes no more hands; then nothing has changed.
    pub(super) fn keep(
        &self,
        record: HandRecord,
        decisions: &mut Vec<DecisionRecord>,
        before: impl FnOnce(u64) -> Result<(), HostError>,
    ) -> Result<Option<Commit>, HostError> {
        let mut queue = lock(&self.queue);
        let commit = queue.add(record, decisions, before)?;
        let begun = queue.begun();
        drop(queue);
        if commit.is_some() {
            self.handle.commit_now();
        } else if begun {
            self.handle.wake();
        }
        Ok(commit)
    }

    /// Waits until all queued hands are in the ledger, for readers.
    pub(super) async fn written(&self) {
        let commit = lock(&self.queue).wait();
        if let Some(commit) = commit {
            self.handle.commit_now();
            // If the ledger cannot be written, readers get what it has.
            let _ = commit.await;
        }
    }
}

/// All ledgers, with the thread that writes them.
#[derive(Debug)]
pub(super) struct LedgerStore(Writer);

impl LedgerStore {
    pub(super) fn start() -> std::io::Result<LedgerStore> {
        Writer::start().map(LedgerStore)
    }

    /// Opens or makes the ledger of an agent under `matches`; also returns the ranges of hands in
    /// it. A new ledger is begun when the agent or the version of this program has changed.
    pub(super) fn open(
        &self,
        matches: &Path,
        agent: &AgentChoice,
        def: &Arc<GameDef>,
        provenance: &Provenance,
    ) -> Result<(Arc<AgentLedger>, Vec<RangeInclusive<u64>>), OpenLedgerError> {
        for number in 1..u16::MAX {
            let id = match_name(agent.name(), number);
            let folder = matches.join(&id);
            let info = match_info(&id, agent.name(), def, provenance);
            let Some((writer, info)) = open_ledger(&folder, &info)? else { continue };
            let present = writer.reader()?.present()?;
            let next = present.last().map_or(0, |range| range.end() + 1);
            let queue = Arc::new(Mutex::new(Queue::new(next, writer.journal()?)));
            self.0.open(writer, &queue);
            let handle = self.0.handle();
            return Ok((
                Arc::new(AgentLedger { number, id, folder, info, queue, handle }),
                present,
            ));
        }
        let path = matches.join(match_name(agent.name(), u16::MAX));
        let reason =
            std::io::Error::other("there are too many ledgers of this agent; move some away");
        Err(OpenLedgerError::Io { path, reason })
    }

    /// Commits all queued hands and ends the thread. Hands that come later are not recorded.
    pub(super) fn close(&mut self) {
        self.0.close();
    }
}

/// Moves hands from the journals under `matches` to their ledgers, after the server was killed.
pub(super) fn recover(matches: &Path) -> Result<(), OpenLedgerError> {
    let io = |reason| OpenLedgerError::Io { path: matches.to_owned(), reason };
    let entries = match std::fs::read_dir(matches) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(io)?,
    };
    for entry in entries {
        let entry = entry.map_err(io)?;
        let ledger = entry.path().join(logs::ledger::FILE_NAME);
        let ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        if ours && ledger.exists() && logs::ledger::in_journal(&ledger) {
            LedgerWriter::open_for_resume(&ledger)?;
        }
    }
    Ok(())
}

/// The reason why a ledger cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenLedgerError {
    /// The ledger file cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The ledger's folder cannot be used.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The folder's path.
        path: PathBuf,
        /// The system's error.
        reason: std::io::Error,
    },
}

/// Opens or makes the ledger in this folder; `None` when it belongs to another match.
pub(super) fn open_ledger(
    folder: &Path,
    info: &MatchInfo,
) -> Result<Option<(LedgerWriter, MatchInfo)>, OpenLedgerError> {
    let io = |reason| OpenLedgerError::Io { path: folder.to_owned(), reason };
    std::fs::create_dir_all(folder).map_err(io)?;
    let path = folder.join(logs::ledger::FILE_NAME);
    let writer = if path.exists() {
        let writer = LedgerWriter::open_for_resume(&path)?;
        if info.difference(writer.info()).is_some() {
            return Ok(None);
        }
        writer
    } else {
        LedgerWriter::create(&path, info)?
    };
    let info = writer.info().clone();
    logs::folder::write_manifest(folder, &info).map_err(io)?;
    // Commits in even steps: clients are served meanwhile.
    Ok(Some((writer.with_even_commits()?, info)))
}

/// The name of a match, which is that of its folder.
pub(super) fn match_name(agent: &str, number: u16) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = agent.chars().map(plain).collect();
    match number {
        1 => format!("{PREFIX}{name}"),
        number => format!("{PREFIX}{name}-{number}"),
    }
}

pub(super) fn match_info(
    id: &str,
    agent: &str,
    def: &Arc<GameDef>,
    provenance: &Provenance,
) -> MatchInfo {
    let clients = Entrant::named(CLIENTS);
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|';
    let bot = Entrant { agent: agent.to_owned(), ..Entrant::named(agent.replace(bad, "-")) };
    MatchInfo {
        name: id.to_owned(),
        game_name: super::GAME.to_owned(),
        // The number of hands is unlimited.
        hands: 0,
        // Every session has seeds of its own, which must not be known while it goes on.
        seed: 0,
        duplicate: false,
        shard: None,
        provenance: Provenance { created: Timestamp::now().to_string(), ..provenance.clone() },
        entrants: vec![clients, bot],
        game: (**def).clone(),
    }
}
