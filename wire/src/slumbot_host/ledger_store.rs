//! The ledgers of the host: one for each agent, in which the hands of all sessions stand in the
//! order in which they ended.
//!
//! Before a hand's last answer leaves, the hand is in its ledger's journal, where a killed server
//! finds it again; a thread brings it into the ledger within a tenth of a second.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agents::AgentChoice;
use game::GameDef;
use jiff::Timestamp;
use logs::{DecisionRecord, Entrant, HandRecord, LedgerError, LedgerWriter, MatchInfo, Provenance};

use super::queue::{Finished, Keeping, Queue};
use super::writer::{Writer, WriterHandle};
use super::{HostError, lock};

/// What records call the clients.
const CLIENTS: &str = "clients";

/// How the names of the host's matches begin.
const PREFIX: &str = "slumbot-";

/// An agent's ledger.
#[derive(Debug)]
pub(super) struct AgentLedger {
    /// Which of the agent's ledgers it is, from 1.
    pub(super) number: u16,
    /// The match's name, which is that of its folder.
    pub(super) id: String,
    /// The folder.
    pub(super) folder: PathBuf,
    /// What is recorded of the match.
    pub(super) info: MatchInfo,
    queue: Arc<Mutex<Queue>>,
    bell: WriterHandle,
}

impl AgentLedger {
    /// Puts a hand into the ledger that had got this number before the server was killed.
    pub(super) fn restore(&self, hand: Finished, number: u64) {
        // Nobody waits for it.
        drop(lock(&self.queue).add_as(hand, number));
        self.bell.ring();
    }

    /// Gives the hand a number, calls `before` with it, and has the hand kept with these decisions,
    /// which are taken. Without a [`Keeping`] it is on record.
    ///
    /// # Errors
    /// That of `before`, or when no more hands are taken; then nothing has changed.
    pub(super) fn keep(
        &self,
        record: HandRecord,
        decisions: &mut Vec<DecisionRecord>,
        before: impl FnOnce(u64) -> Result<(), HostError>,
    ) -> Result<Option<Keeping>, HostError> {
        let mut queue = lock(&self.queue);
        let keeping = queue.add(record, decisions, before)?;
        let begun = queue.begun();
        drop(queue);
        if keeping.is_some() {
            self.bell.hurry();
        } else if begun {
            self.bell.ring();
        }
        Ok(keeping)
    }

    /// Waits until the hands that are kept are in the ledger itself, for whoever reads it.
    pub(super) async fn written(&self) {
        let keeping = lock(&self.queue).wait();
        if let Some(keeping) = keeping {
            self.bell.hurry();
            // Where it cannot be written, readers see what is there.
            let _ = keeping.await;
        }
    }
}

/// All ledgers, and the thread that writes them.
#[derive(Debug)]
pub(super) struct LedgerStore(Writer);

impl LedgerStore {
    pub(super) fn start() -> std::io::Result<LedgerStore> {
        Writer::start().map(LedgerStore)
    }

    /// Opens the ledger of an agent under `matches`, or makes it; also gives the hands that are in
    /// it. Hands of an agent that has changed, or of another version of this program, are not
    /// mixed: then a new ledger is begun.
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
            let bell = self.0.bell();
            return Ok((Arc::new(AgentLedger { number, id, folder, info, queue, bell }), present));
        }
        let path = matches.join(match_name(agent.name(), u16::MAX));
        let reason =
            std::io::Error::other("there are too many ledgers of this agent; move some away");
        Err(OpenLedgerError::Io { path, reason })
    }

    /// Commits what has come in and ends the thread. What comes later is not kept.
    pub(super) fn close(&mut self) {
        self.0.close();
    }
}

/// Puts hands into the ledgers under `matches` that a killed server had kept in their journals
/// only.
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

/// A ledger that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenLedgerError {
    /// The ledger itself.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Its folder.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why not.
        reason: std::io::Error,
    },
}

/// The writer of the ledger in this folder, which may have to be made; `None` when another match is
/// in it.
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
    // Clients are served while it is written.
    Ok(Some((writer.with_even_commits()?, info)))
}

/// What a match is called, and its folder.
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
        // Without an end.
        hands: 0,
        // Every session has seeds of its own, which are nobody's business while it goes on.
        seed: 0,
        duplicate: false,
        shard: None,
        provenance: Provenance { created: Timestamp::now().to_string(), ..provenance.clone() },
        entrants: vec![clients, bot],
        game: (**def).clone(),
    }
}
