//! The folder of a match: the ledger, and the files derived from it.
//!
//! `ledger.sqlite` is authoritative. `acpc.log`, `decisions.jsonl`, `manifest.toml` and
//! `report.json` are derived from it, and rewritten when a match is resumed.

use std::fs;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use logs::folder::{ACPC_LOG, DECISIONS};
use logs::formats::acpc;
use logs::ledger::{HandRows, LedgerReader, LedgerWriter};
use logs::stats::{DecisionTally, StopRule, Tally};
use logs::{LedgerError, MatchInfo, ledger};
use runs::RunError;

use crate::Error;
use crate::runner::{Archive, Level, Lines, Played, Sink};

/// Most hands kept in memory between commits.
const MAX_PENDING: usize = 8192;

/// A match folder opened for playing; [`parts`](Self::parts) splits it.
pub struct Folder {
    path: PathBuf,
    known: Known,
    writing: Writing,
}

/// The hands that were recorded when the folder was opened.
pub struct Known {
    reader: Mutex<LedgerReader>,
    present: Vec<RangeInclusive<u64>>,
    names: Vec<String>,
}

/// The files of the folder, open for writing.
pub struct Writing {
    ledger: LedgerWriter,
    hand_log: LogFile,
    decision_log: Option<LogFile>,
    /// The counts of decisions, committed with the hands.
    note: String,
}

impl Folder {
    /// Makes the folder, or resumes the match in it. That must be the same match, or a shorter one
    /// whose hands are the first of this one.
    pub fn open(path: &Path, info: &MatchInfo, level: Level) -> Result<Folder, Error> {
        info.check().map_err(LedgerError::from)?;
        runs::create_folder(path).map_err(RunError::io(path))?;
        let ledger_path = path.join(ledger::FILE_NAME);
        let ledger = if ledger_path.exists() {
            let mut ledger = LedgerWriter::open_for_resume(&ledger_path)?;
            let held = ledger.info();
            // The beginning of a part depends on the number of hands of the whole match.
            let longer = info.hands > held.hands && info.shard.is_none() && held.shard.is_none();
            let hands = if longer { held.hands } else { info.hands };
            let wanted = MatchInfo { hands, ..info.clone() };
            if let Some(difference) = wanted.difference(held) {
                return Err(RunError::other(path, "match", difference).into());
            }
            RunError::check_part(path, "match", [info.shard, held.shard])?;
            if longer {
                ledger.extend(&info.name, info.hands)?;
            }
            ledger
        } else {
            LedgerWriter::create(&ledger_path, info)?
        };
        logs::folder::write_manifest(path, ledger.info()).map_err(RunError::io(path))?;
        let reader = ledger.reader()?;
        let present = reader.present()?;

        let mut hand_log = LogFile::create(path.join(ACPC_LOG))?;
        let mut header = String::new();
        acpc::write_header(ledger.info(), &mut header);
        hand_log.write(&header)?;
        let decision_log = (level == Level::Decisions)
            .then(|| LogFile::create(path.join(DECISIONS)))
            .transpose()?;

        let names = ledger.info().names();
        let known = Known { reader: Mutex::new(reader), present, names };
        let writing = Writing { ledger, hand_log, decision_log, note: String::new() };
        Ok(Folder { path: path.to_path_buf(), known, writing })
    }

    /// Records the rule by which the match may end early, or that there is none.
    pub fn set_rule(&self, rule: Option<&StopRule>) -> Result<(), Error> {
        let note = rule.map(StopRule::to_note);
        Ok(self.writing.ledger.set_note(StopRule::NOTE, note.as_deref())?)
    }

    /// Records a note beside the hands.
    pub fn set_note(&self, key: &str, text: &str) -> Result<(), Error> {
        Ok(self.writing.ledger.set_note(key, Some(text))?)
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder if it holds no hand, so that another match can be played there.
    pub fn discard(self) {
        let Folder { path, known, writing } = self;
        let none = known.reader.lock().is_ok_and(|reader| reader.count().is_ok_and(|n| n == 0));
        drop((known, writing));
        if none {
            for file in logs::folder::FILES {
                // What cannot be removed stays; it does no harm.
                let _ = fs::remove_file(path.join(file));
            }
            let _ = fs::remove_dir(&path);
        }
    }

    /// The number of hands recorded already.
    pub fn recorded_hands(&self) -> u64 {
        self.known.present.iter().map(|range| range.end() - range.start() + 1).sum()
    }

    /// The recorded hands, shared by all threads, and the files, for one writer.
    pub fn parts(&mut self) -> (&Known, &mut Writing) {
        (&self.known, &mut self.writing)
    }

    /// Finishes a complete match: the score line of the hand log, and the ledger as one file.
    pub fn finish(self, totals: &[game::Payoff]) -> Result<(), Error> {
        let Folder { known, mut writing, .. } = self;
        let mut line = String::new();
        acpc::write_score(totals, &known.names, &mut line);
        writing.hand_log.write(&line)?;
        writing.hand_log.flush()?;
        if let Some(log) = &mut writing.decision_log {
            log.flush()?;
        }
        drop(known);
        writing.ledger.close();
        Ok(())
    }
}

/// Joins the folders of a match's parts into a new one, with all derived files.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<(), Error> {
    let new = !out.exists();
    runs::create_folder(out).map_err(RunError::io(out))?;
    let path = out.join(ledger::FILE_NAME);
    if let Err(error) = logs::ledger::merge(parts, &path) {
        if new {
            // It holds nothing but the lock. The first error is the one to report.
            let _ = fs::remove_file(path.with_extension("lock"));
            let _ = fs::remove_dir(out);
        }
        return Err(error.into());
    }
    rewrite(out)
}

/// Rewrites the derived files of a complete match from its ledger.
pub fn rewrite(path: &Path) -> Result<(), Error> {
    let info = LedgerReader::open(path)?.info().clone();
    let mut folder = Folder::open(path, &info, Level::Decisions)?;
    let (known, writing) = folder.parts();
    let mut tally = Tally::new(&info);
    let mut lines = Lines::default();
    let reader = parallel::lock(&known.reader);
    for played in reader.hands_and_decisions(0..u64::MAX, |_| true) {
        let (record, decisions) = played?;
        tally.add(&record);
        known.render(&Played { record, decisions }, &mut lines);
        if lines.hands.len() > 1 << 16 {
            writing.write_lines(&lines)?;
            lines.clear();
        }
    }
    drop(reader);
    writing.write_lines(&lines)?;
    folder.finish(&tally.totals())
}

impl Archive for Known {
    fn recorded(&self, hands: Range<u64>) -> Result<Vec<Played>, Error> {
        let any =
            |range: &RangeInclusive<u64>| *range.start() < hands.end && *range.end() >= hands.start;
        if !self.present.iter().any(any) {
            return Ok(Vec::new());
        }
        let reader = parallel::lock(&self.reader);
        reader
            .hands_and_decisions(hands, |_| true)
            .map(|played| played.map(|(record, decisions)| Played { record, decisions }))
            .collect::<Result<_, LedgerError>>()
            .map_err(Error::from)
    }

    fn end(&self) -> u64 {
        self.present.last().map_or(0, |range| range.end() + 1)
    }

    fn decisions(&self) -> Result<DecisionTally, Error> {
        let reader = parallel::lock(&self.reader);
        let note = reader.note(DecisionTally::NOTE)?;
        Ok(note.and_then(|note| DecisionTally::from_note(&note)).unwrap_or_default())
    }

    fn render(&self, played: &Played, out: &mut Lines) {
        acpc::write_hand(&played.record, &self.names, &mut out.hands);
        for decision in &played.decisions {
            logs::formats::jsonl::write_decision(decision, &mut out.decisions);
        }
    }
}

impl Writing {
    fn write_lines(&mut self, lines: &Lines) -> Result<(), Error> {
        self.hand_log.write(&lines.hands)?;
        match &mut self.decision_log {
            Some(log) => log.write(&lines.decisions),
            None => Ok(()),
        }
    }

    fn commit(&mut self) -> Result<(), Error> {
        if self.ledger.pending() > 0 {
            self.ledger.commit_with_note(DecisionTally::NOTE, &self.note)?;
        }
        Ok(())
    }
}

impl Sink for Writing {
    fn keep(&mut self, hands: &HandRows, decisions: &DecisionTally) -> Result<(), Error> {
        self.ledger.append_rows(hands);
        self.note = decisions.to_note();
        if self.ledger.pending() >= MAX_PENDING {
            self.commit()?;
        }
        Ok(())
    }

    fn write(&mut self, lines: &Lines) -> Result<(), Error> {
        self.write_lines(lines)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.commit()?;
        self.hand_log.flush()?;
        if let Some(log) = &mut self.decision_log {
            log.flush()?;
        }
        Ok(())
    }
}

/// A text file, truncated when opened.
struct LogFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl LogFile {
    fn create(path: PathBuf) -> Result<LogFile, Error> {
        let file = File::create(&path).map_err(RunError::io(&path))?;
        Ok(LogFile { path, file: BufWriter::with_capacity(1 << 16, file) })
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        Ok(self.file.write_all(text.as_bytes()).map_err(RunError::io(&self.path))?)
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(self.file.flush().map_err(RunError::io(&self.path))?)
    }
}

/// The archive and sink of a match that is not recorded.
pub struct NullRecorder;

impl Archive for NullRecorder {
    fn recorded(&self, _: Range<u64>) -> Result<Vec<Played>, Error> {
        Ok(Vec::new())
    }

    fn end(&self) -> u64 {
        0
    }

    fn decisions(&self) -> Result<DecisionTally, Error> {
        Ok(DecisionTally::default())
    }

    fn render(&self, _: &Played, _: &mut Lines) {}
}

impl Sink for NullRecorder {
    fn keep(&mut self, _: &HandRows, _: &DecisionTally) -> Result<(), Error> {
        Ok(())
    }

    fn write(&mut self, _: &Lines) -> Result<(), Error> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
