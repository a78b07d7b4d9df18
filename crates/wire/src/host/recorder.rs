//! Recording a hosted match: the folder of a local match, and `result.json`, which says how the
//! match ended. A folder without it belongs to a match in play or to a server that was killed;
//! [`mark_interrupted`] marks the latter at the next start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Timestamp;
use logs::folder::REPORT;
use logs::ledger::HandRows;
use logs::stats::{DecisionTally, Report, Tally};
use logs::{LedgerReader, MatchInfo, ledger};
use matches::folder::{Folder, FolderError};
use matches::runner::{Archive, Level, Lines, Played, Sink, StoreError};
use serde::{Deserialize, Serialize};

use super::{Ended, Ending, TableView};

/// The file, in JSON, that says how a match ended.
pub const RESULT_FILE: &str = "result.json";

/// The file, in JSON, with the table and the addresses of outside bots; written before the first
/// hand.
pub const HOSTED_FILE: &str = "hosted.json";

/// Hands read from a ledger at a time.
const CHUNK_HANDS: u64 = 1000;

/// The reason why a match cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A hand cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The file's path.
        path: PathBuf,
        /// The system's error.
        reason: io::Error,
    },
}

/// The content of `hosted.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Hosted {
    table: String,
    guests: Vec<Option<std::net::SocketAddr>>,
}

/// The writer of one match's records.
pub(super) struct Recorder {
    folder: Folder,
    id: String,
    info: MatchInfo,
    view: TableView,
    names: Vec<String>,
    hands: u64,
    planned: u64,
    totals: Vec<game::Payoff>,
    lines: Lines,
}

impl Recorder {
    /// Makes the match's folder and the files in it.
    pub(super) fn create(
        path: &Path,
        info: &MatchInfo,
        guests: Vec<Option<std::net::SocketAddr>>,
        view: &TableView,
    ) -> Result<Recorder, RecordError> {
        let folder = Folder::open(path, info, Level::Decisions)?;
        let hosted = Hosted { table: view.plan().name.clone(), guests: guests.clone() };
        write_json(&path.join(HOSTED_FILE), &hosted)?;
        view.begin(&info.name, path.to_owned(), guests, Tally::new(info));
        Ok(Recorder {
            folder,
            id: info.name.clone(),
            info: info.clone(),
            view: view.clone(),
            names: info.names(),
            hands: 0,
            planned: info.hands,
            totals: vec![game::Payoff::ZERO; info.players()],
            lines: Lines::default(),
        })
    }

    /// The names of the entrants.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Writes a finished hand to the ledger and the logs.
    pub(super) fn keep(&mut self, played: &Played) -> Result<(), RecordError> {
        let Played { record, decisions } = played;
        let hand = record.hand;
        for decision in decisions {
            self.count_decision(decision, record);
        }
        for (seat, &entrant) in record.entrants.iter() {
            self.totals[usize::from(entrant)] += record.payoffs[seat];
        }
        let counted = self.view.count(played);
        let (known, writing) = self.folder.parts();
        self.lines.hands.clear();
        self.lines.decisions.clear();
        known.render(played, &mut self.lines);
        let before = Instant::now();
        let mut rows = HandRows::default();
        rows.push_with_lines(record, &self.lines.decisions);
        writing.keep(&rows, &counted)?;
        writing.write(&self.lines)?;
        writing.flush()?;
        metrics::histogram!("cardroom_db_commit_seconds").record(before.elapsed());
        let table = self.view.plan().name.clone();
        metrics::counter!("cardroom_hands_total", "table" => table).increment(1);
        self.hands += 1;
        tracing::debug!(match_id = %self.id, hand, "hand kept");
        Ok(())
    }

    fn count_decision(&self, decision: &logs::DecisionRecord, record: &logs::HandRecord) {
        let agent = || self.names[usize::from(decision.entrant)].clone();
        let index = decision.index as usize;
        let street = record.public.history().get(index).map_or("preflop", |p| p.street.name());
        let action = match decision.action {
            game::Action::Fold => "fold",
            game::Action::Call => "call",
            game::Action::RaiseTo(_) => "raise",
        };
        metrics::counter!(
            "cardroom_decisions_total", "agent" => agent(), "street" => street, "action" => action
        )
        .increment(1);
        metrics::histogram!("cardroom_decision_seconds", "agent" => agent())
            .record(decision.elapsed);
        if let Some(fallback) = decision.fallback {
            let reason = format!("{fallback:?}").to_lowercase();
            metrics::counter!("cardroom_fallbacks_total", "reason" => reason).increment(1);
        }
        if decision.corrected_from.is_some() {
            metrics::counter!("cardroom_illegal_actions_total", "agent" => agent()).increment(1);
        }
        tracing::trace!(
            match_id = %self.id, hand = decision.hand, decision = decision.index,
            agent = agent(), ?action, micros = decision.elapsed.as_micros() as u64, "decision"
        );
    }

    /// Writes the result. The folder of a match without hands is removed.
    pub(super) fn finish(self, ending: Ending) -> Result<Ended, RecordError> {
        let path = self.folder.path().to_owned();
        let ended = Ended {
            id: self.id,
            at: Timestamp::now(),
            hands: self.hands,
            of: self.planned,
            words: ending.words(&self.names),
            ending,
        };
        if ended.ending == Ending::Finished {
            self.folder.finish(&self.totals)?;
        }
        if self.hands == 0 {
            let removed = fs::remove_dir_all(&path);
            removed.map_err(|reason| RecordError::Io { path, reason })?;
            return Ok(ended);
        }
        let (tally, decisions) =
            self.view.sums().unwrap_or_else(|| (Tally::new(&self.info), DecisionTally::default()));
        conclude(&path, &self.info, &tally, &decisions, &ended)?;
        Ok(ended)
    }
}

/// Writes the report of a finished ledger, then `result.json`.
fn conclude(
    path: &Path,
    info: &MatchInfo,
    tally: &Tally,
    decisions: &DecisionTally,
    ended: &Ended,
) -> Result<(), RecordError> {
    write_json(&path.join(REPORT), &Report::new(info, tally, Some(decisions), None))?;
    write_json(&path.join(RESULT_FILE), ended)
}

/// Marks the matches under `matches` that a killed server left unfinished. They cannot go on, since
/// outside bots lost their connections, and all their finished hands count. Returns the ones
/// marked; folders that cannot be read are logged and left alone.
pub fn mark_interrupted(matches: &Path) -> io::Result<Vec<Ended>> {
    let entries = match fs::read_dir(matches) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut marked = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if !path.join(HOSTED_FILE).is_file() || path.join(RESULT_FILE).exists() {
            continue;
        }
        match interrupted(&path) {
            Ok(Some(ended)) => marked.push(ended),
            Ok(None) => {}
            Err(error) => {
                let path = path.display();
                tracing::warn!(%path, %error, "cannot mark an interrupted match");
            }
        }
    }
    Ok(marked)
}

fn interrupted(path: &Path) -> Result<Option<Ended>, Box<dyn std::error::Error>> {
    let ledger = path.join(ledger::FILE_NAME);
    // A match that somebody is still writing has its ledger locked.
    let writer = match logs::LedgerWriter::open_for_resume(&ledger) {
        Err(error) if error.is_in_use() => return Ok(None),
        writer => writer?,
    };
    let info = writer.info().clone();
    drop(writer);
    let hands = LedgerReader::open(&ledger)?.count()?;
    let ending = Ending::Interrupted;
    let ended = Ended {
        id: info.name.clone(),
        at: Timestamp::now(),
        hands,
        of: info.hands,
        words: ending.words(&info.names()),
        ending,
    };
    let mut folder = Folder::open(path, &info, Level::Decisions)?;
    let tally = rewrite_logs(&mut folder, &info, hands)?;
    let decisions = folder.parts().0.decisions()?;
    conclude(path, &info, &tally, &decisions, &ended)?;
    Ok(Some(ended))
}

/// Writes the log files of a killed match again, since they may end in an incomplete line. Returns
/// the match's sums.
fn rewrite_logs(folder: &mut Folder, info: &MatchInfo, hands: u64) -> Result<Tally, StoreError> {
    let (known, writing) = folder.parts();
    let mut tally = Tally::new(info);
    let mut from = 0;
    while from < hands {
        let mut lines = Lines::default();
        for played in known.recorded(from..from + CHUNK_HANDS)? {
            known.render(&played, &mut lines);
            tally.add(&played.record);
        }
        writing.write(&lines)?;
        from += CHUNK_HANDS;
    }
    writing.flush()?;
    Ok(tally)
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::other);
    text.and_then(|text| logs::folder::write_whole(path, |out| out.write_all(&text)))
        .map_err(|reason| RecordError::Io { path: path.to_owned(), reason })
}
