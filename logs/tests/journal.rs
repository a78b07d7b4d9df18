//! The journal: hands that were told of before they were committed are in the ledger after a crash,
//! once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use game::{BySeat, Seat, games};
use logs::ledger::{self, Journal};
use logs::{DecisionRecord, DecisionTally, HandRecord, LedgerReader, LedgerWriter};
use tempfile::TempDir;

use crate::hands;

/// A ledger to be killed.
struct Place {
    folder: TempDir,
    records: Vec<HandRecord>,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let def = Arc::new(games::nolimit_holdem());
        let mut records = hands::random_hands(&def, 30, 1, 7);
        // Not the usual rotation.
        records[3].entrants = BySeat::from_slice(&[0, 1]).unwrap();
        records[4].entrants = BySeat::from_slice(&[0, 1]).unwrap();
        let place = Place { folder, records };
        let info = hands::info(&def, 0, false);
        drop(LedgerWriter::create(&place.path(), &info).unwrap());
        place
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(ledger::FILE_NAME)
    }

    /// The journal's files.
    fn files(&self) -> [PathBuf; 2] {
        ["journal-1", "journal-2"].map(|extension| self.path().with_extension(extension))
    }

    fn open(&self) -> (LedgerWriter, Journal) {
        let writer = LedgerWriter::open_for_resume(&self.path()).unwrap();
        let journal = writer.journal().unwrap();
        (writer, journal)
    }

    fn append(&self, journal: &mut Journal, hands: std::ops::Range<usize>) {
        for hand in hands {
            let record = &self.records[hand];
            journal.append(record, &decisions(record)).unwrap();
        }
    }

    fn check(&self, hands: usize) {
        drop(LedgerWriter::open_for_resume(&self.path()).unwrap());
        assert!(!ledger::in_journal(&self.path()));
        let reader = LedgerReader::open(&self.path()).unwrap();
        let found: Vec<_> = reader.hands().map(Result::unwrap).collect();
        assert_eq!(found, self.records[..hands]);
        let mut tally = DecisionTally::new(2);
        for record in &found {
            let expected = decisions(record);
            assert_eq!(reader.decisions(record.hand).unwrap(), expected);
            expected.iter().for_each(|decision| tally.add(decision));
        }
        let note = reader.note(DecisionTally::NOTE).unwrap().unwrap();
        assert_eq!(DecisionTally::from_note(&note), Some(tally));
    }
}

/// One decision in every second hand.
fn decisions(record: &HandRecord) -> Vec<DecisionRecord> {
    let decision = DecisionRecord {
        entrant: 1,
        seat: Seat::new(1).unwrap(),
        note: Some("a \"note\"\nof two lines".to_owned()),
        elapsed: Duration::from_micros(5),
        ..hands::decision(record.hand)
    };
    if record.hand.is_multiple_of(2) { vec![decision] } else { Vec::new() }
}

fn commit(writer: &mut LedgerWriter, records: &[HandRecord]) {
    let note = writer.note(DecisionTally::NOTE).unwrap();
    let mut tally =
        note.map_or_else(|| DecisionTally::new(2), |note| DecisionTally::from_note(&note).unwrap());
    for record in records {
        let decisions = decisions(record);
        decisions.iter().for_each(|decision| tally.add(decision));
        writer.append_with_decisions(record, &decisions);
    }
    writer.commit_with_note(DecisionTally::NOTE, &tally.to_note()).unwrap();
}

#[test]
fn a_hand_that_was_not_committed_is_in_the_ledger_once() {
    let place = Place::new();
    let (mut writer, mut journal) = place.open();
    place.append(&mut journal, 0..5);
    journal.turn();
    place.append(&mut journal, 5..8);
    // Killed after the commit, before the file was emptied.
    commit(&mut writer, &place.records[..5]);
    drop((writer, journal));
    assert!(ledger::in_journal(&place.path()));
    place.check(8);
    place.check(8);
}

#[test]
fn the_files_take_turns_and_are_emptied() {
    let place = Place::new();
    let (mut writer, mut journal) = place.open();
    let length = |file: usize| place.files()[file].metadata().unwrap().len();
    for first in [0, 5, 10] {
        place.append(&mut journal, first..first + 3);
        journal.turn();
        place.append(&mut journal, first + 3..first + 5);
        commit(&mut writer, &place.records[first..first + 3]);
        journal.spent().unwrap().empty().unwrap();
        journal.emptied();
        assert!(journal.spent().is_none());
        journal.turn();
        commit(&mut writer, &place.records[first + 3..first + 5]);
        journal.spent().unwrap().empty().unwrap();
        journal.emptied();
        assert_eq!([length(0), length(1)], [0, 0]);
    }
    // Without a commit both fill, and nothing is written over.
    place.append(&mut journal, 15..17);
    journal.turn();
    place.append(&mut journal, 17..19);
    journal.turn();
    place.append(&mut journal, 19..21);
    drop((writer, journal));
    place.check(21);
}

#[test]
fn a_line_cut_short_costs_no_other_hand() {
    let place = Place::new();
    let (writer, mut journal) = place.open();
    place.append(&mut journal, 0..2);
    let file = place.files()[0].clone();
    let two = file.metadata().unwrap().len() as usize;
    place.append(&mut journal, 2..3);
    drop((writer, journal));
    let whole = std::fs::read(&file).unwrap();
    let ledger = std::fs::read(place.path()).unwrap();
    for cut in two..=whole.len() {
        restore(&place, &ledger);
        std::fs::write(&file, &whole[..cut]).unwrap();
        place.check(if cut == whole.len() { 3 } else { 2 });
    }
    // A damaged line with others after it is nothing that a crash leaves.
    for at in [0, 9, 30, two - 2] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        restore(&place, &ledger);
        std::fs::write(&file, &bytes).unwrap();
        let error = LedgerWriter::open_for_resume(&place.path()).unwrap_err().to_string();
        let line = if at < two / 2 { 1 } else { 2 };
        let begin = format!("{} is damaged in line {line}: ", file.display());
        assert!(error.starts_with(&begin), "{at}: {error}");
    }
}

/// The ledger as it was.
fn restore(place: &Place, bytes: &[u8]) {
    for suffix in ["-wal", "-shm"] {
        let mut name = place.path().into_os_string();
        name.push(suffix);
        let _ = std::fs::remove_file(Path::new(&name));
    }
    std::fs::write(place.path(), bytes).unwrap();
}

#[test]
fn a_new_ledger_has_no_hands_of_an_old_one() {
    let place = Place::new();
    let (writer, mut journal) = place.open();
    place.append(&mut journal, 0..2);
    let info = writer.info().clone();
    drop((writer, journal));
    std::fs::remove_file(place.path()).unwrap();
    drop(LedgerWriter::create(&place.path(), &info).unwrap());
    assert!(!ledger::in_journal(&place.path()));
    // Closed in order, a ledger is one file again.
    let (writer, journal) = place.open();
    writer.close();
    drop(journal);
    assert!(place.files().iter().all(|file| !file.exists()));
}
