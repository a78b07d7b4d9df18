//! Hashes over a ledger's rows: what is changed, removed or added is found and named, in whichever
//! order and in however many parts the hands were written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::games;
use logs::ledger::Integrity;
use logs::{DecisionRecord, HandRecord, LedgerReader, LedgerWriter, MatchInfo, ledger};
use proptest::prelude::*;
use runs::Shard;
use rusqlite::Connection;

use crate::hands;

fn decision(hand: u64) -> DecisionRecord {
    DecisionRecord {
        note: Some("why".to_owned()),
        elapsed: std::time::Duration::from_nanos(hand),
        ..hands::decision(hand)
    }
}

fn write(path: &Path, info: &MatchInfo, records: &[&HandRecord]) {
    let mut writer = match path.exists() {
        true => LedgerWriter::open_for_resume(path).unwrap(),
        false => LedgerWriter::create(path, info).unwrap(),
    };
    for record in records {
        writer.append_with_decisions(record, &[decision(record.hand)]);
    }
    writer.commit().unwrap();
    writer.close();
}

fn check(path: &Path) -> Integrity {
    LedgerReader::open(path).unwrap().integrity(&mut |_| {}).unwrap()
}

fn edit(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn what_is_changed_removed_or_added_is_named() {
    let def = Arc::new(games::nolimit_holdem());
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.sqlite");
    let records = hands::random_hands(&def, 1000, 2, 7);
    // A hole at hand 700: it was never played.
    let played: Vec<&HandRecord> = records.iter().filter(|record| record.hand != 700).collect();
    write(&good, &hands::info(&def, 1000, true), &played);
    let whole = check(&good);
    assert!(whole.is_whole() && whole.hands == 999, "{whole:?}");

    // A row that agrees with its own hash, made from another ledger's.
    let other = folder.path().join("other.sqlite");
    let others = hands::random_hands(&def, 1000, 2, 8);
    write(&other, &hands::info(&def, 1000, true), &others.iter().collect::<Vec<_>>());
    let foreign = format!("ATTACH '{}' AS other; ", other.display());
    let found = |sql: &str, expected: &[&str]| {
        let path = folder.path().join("edited.sqlite");
        std::fs::copy(&good, &path).unwrap();
        edit(&path, sql);
        let found = check(&path);
        assert_eq!(found.faults, expected, "{sql}");
        assert_eq!(found.state(), "broken");
        assert!(found.words().contains(expected[0]), "{}", found.words());
    };
    found(
        "UPDATE hands SET payoff_0 = -payoff_0, payoff_1 = -payoff_1 WHERE hand = 77",
        &["hand 77 was changed"],
    );
    found("UPDATE hands SET entrant_0 = 1, entrant_1 = 0 WHERE hand = 4", &["hand 4 was changed"]);
    found(
        "UPDATE hands SET deal = deal + 1 WHERE hand IN (3, 4, 900)",
        &["hands 3 to 4, 900 were changed"],
    );
    found("DELETE FROM hands WHERE hand = 300", &["hand 300 was removed"]);
    found(
        "DELETE FROM hands WHERE hand >= 990; DELETE FROM decisions WHERE hand >= 990",
        &["hands 990 to 999 were removed", "the decisions of hands 990 to 999 were removed"],
    );
    let insert = "INSERT INTO hands SELECT * FROM other.hands WHERE hand = 700";
    found(&format!("{foreign}{insert}"), &["hand 700 was added"]);
    found(
        &format!("{foreign}INSERT OR REPLACE INTO hands SELECT * FROM other.hands WHERE hand = 5"),
        &["some among hands 0 to 255 were changed together with their hashes"],
    );
    found(
        "UPDATE decisions SET lines = replace(lines, 'why', 'because') WHERE hand = 8",
        &["the decisions of hand 8 were changed"],
    );
    found(
        "UPDATE match SET info = replace(info, '\"seed\":42', '\"seed\":43')",
        &["the description of the match was changed"],
    );
    found(
        "DELETE FROM hashes WHERE block = 3",
        &["hands 768 to 999 were added", "the decisions of hands 768 to 999 were added"],
    );
    let clean = folder.path().join("clean.sqlite");
    std::fs::copy(&good, &clean).unwrap();
    edit(&clean, "VACUUM");
    assert_eq!(check(&clean), whole);
}

#[test]
fn a_ledger_without_hashes_is_read_and_gone_on_with() {
    let def = Arc::new(games::kuhn());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(ledger::FILE_NAME);
    let records = hands::random_hands(&def, 40, 1, 7);
    let info = hands::info(&def, 40, false);
    let all: Vec<&HandRecord> = records.iter().collect();
    write(&path, &info, &all[..30]);
    let hashed = check(&path);
    // As ledgers of version 1 were made.
    edit(
        &path,
        "ALTER TABLE hands DROP COLUMN hash; ALTER TABLE decisions DROP COLUMN hash; \
         DROP TABLE hashes; DELETE FROM notes WHERE key = 'match-sha256'; PRAGMA user_version = 1",
    );
    let old = check(&path);
    assert_eq!((old.state(), &old.sha256), ("not-recorded", &hashed.sha256));
    assert!(old.words().contains("hashes not recorded"), "{}", old.words());
    write(&path, &info, &all[30..]);
    let read: Vec<HandRecord> =
        LedgerReader::open(&path).unwrap().hands().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, records);
    assert_eq!(check(&path).state(), "not-recorded");
    // A whole of which a part has none has none.
    let merged = folder.path().join("merged.sqlite");
    ledger::merge(std::slice::from_ref(&path), &merged).unwrap();
    assert_eq!(check(&merged).state(), "not-recorded");
}

#[test]
fn a_change_in_a_part_is_found_in_the_whole() {
    let def = Arc::new(games::kuhn());
    let folder = tempfile::tempdir().unwrap();
    let records = hands::random_hands(&def, 900, 1, 7);
    let info = hands::info(&def, 900, false);
    let part = |index: u32| -> PathBuf {
        let path = folder.path().join(format!("{index}.sqlite"));
        let shard = Some(Shard { index, of: 2 });
        let own = |record: &&HandRecord| (record.hand < 300) == (index == 1);
        let own: Vec<&HandRecord> = records.iter().filter(own).collect();
        write(&path, &MatchInfo { shard, ..info.clone() }, &own);
        path
    };
    let parts = [part(1), part(2)];
    let whole = folder.path().join("whole.sqlite");
    ledger::merge(&parts, &whole).unwrap();
    let single = folder.path().join("single.sqlite");
    write(&single, &info, &records.iter().collect::<Vec<_>>());
    assert_eq!(check(&whole), check(&single));
    assert!(check(&whole).is_whole());
    edit(&parts[1], "UPDATE hands SET deal = 0 WHERE hand = 500");
    let broken = folder.path().join("broken.sqlite");
    ledger::merge(&parts, &broken).unwrap();
    assert_eq!(check(&broken).faults, ["hand 500 was changed"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Hands end in any order and are committed in any pieces, and the match may be made longer:
    /// the record is whole, and says the same.
    #[test]
    fn the_order_and_the_pieces_of_writing_leave_no_trace(
        order in Just((0..600_usize).collect::<Vec<_>>()).prop_shuffle(),
        pieces in prop::collection::vec(1..200_usize, 3..6),
        changed in 0..600_u64,
    ) {
        let def = Arc::new(games::kuhn());
        let folder = tempfile::tempdir().unwrap();
        let records = hands::random_hands(&def, 600, 1, 7);
        let (one, other) = (folder.path().join("one.sqlite"), folder.path().join("other.sqlite"));
        write(&one, &hands::info(&def, 600, false), &records.iter().collect::<Vec<_>>());
        let mut rest = order.as_slice();
        let mut pieces = pieces.into_iter();
        let short = hands::info(&def, 300, false);
        while !rest.is_empty() {
            let length = pieces.next().unwrap_or(rest.len()).min(rest.len());
            let (piece, after) = rest.split_at(length);
            write(&other, &short, &piece.iter().map(|&hand| &records[hand]).collect::<Vec<_>>());
            rest = after;
        }
        let mut writer = LedgerWriter::open_for_resume(&other).unwrap();
        writer.extend(&short.name, 600).unwrap();
        writer.close();
        prop_assert_eq!(check(&one), check(&other));
        prop_assert!(check(&other).is_whole());
        edit(&other, &format!("UPDATE hands SET deal = deal + 1 WHERE hand = {changed}"));
        prop_assert_eq!(check(&other).faults, vec![format!("hand {changed} was changed")]);
    }
}

#[test]
fn whatever_statistics_come_from_changes_the_hash_of_the_contents() {
    let def = Arc::new(games::nolimit_holdem());
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.sqlite");
    let records = hands::random_hands(&def, 20, 1, 7);
    write(&good, &hands::info(&def, 20, false), &records.iter().collect::<Vec<_>>());
    let contents = check(&good).contents.unwrap();
    assert_eq!(check(&good).contents.as_ref(), Some(&contents));
    for (number, sql) in [
        "UPDATE hands SET payoff_0 = payoff_0 + 1 WHERE hand = 3",
        "UPDATE decisions SET lines = replace(lines, 'why', 'how') WHERE hand = 3",
        "DELETE FROM decisions WHERE hand = 19",
        "UPDATE match SET info = replace(info, '\"seed\":', '\"seed\":1')",
        "CREATE TABLE slumbot_hands (hand, known, seat, winnings, baseline, hole);
         INSERT INTO slumbot_hands VALUES (1, 'played', 0, 100, 50, 'AcAd')",
    ]
    .into_iter()
    .enumerate()
    {
        let other = folder.path().join(format!("{number}.sqlite"));
        std::fs::copy(&good, &other).unwrap();
        edit(&other, sql);
        assert_ne!(check(&other).contents.unwrap(), contents, "{sql}");
    }
}
