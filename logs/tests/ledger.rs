//! The ledger: what was committed is there, once, and nothing else is.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use game::{BySeat, games};
use logs::{DecisionRecord, HandRecord, LedgerReader, LedgerWriter, MatchInfo, ledger};
use runs::{Lock, Shard};
use tempfile::TempDir;

use crate::hands;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn ledger_of(path: &std::path::Path, info: &MatchInfo, records: &[HandRecord]) -> LedgerWriter {
    let mut writer = LedgerWriter::create(path, info).unwrap();
    records.iter().for_each(|record| writer.append(record));
    writer.commit().unwrap();
    writer
}

fn read(path: &std::path::Path) -> Vec<HandRecord> {
    LedgerReader::open(path).unwrap().hands().collect::<Result<_, _>>().unwrap()
}

#[test]
fn hands_come_back_as_they_were_written() {
    for def in hands::games() {
        let folder = folder();
        let path = folder.path().join(ledger::FILE_NAME);
        let records = hands::random_hands(&def, 3000, def.players as u64, 7);
        let info = hands::info(&def, 3000, true);
        drop(ledger_of(&path, &info, &records));
        assert_eq!(read(&path), records);
        let reader = LedgerReader::open(folder.path()).unwrap();
        assert_eq!(reader.info(), &info);
        assert_eq!(reader.count().unwrap(), 3000);
        assert_eq!(reader.hand(1234).unwrap().as_ref(), records.get(1234));
        assert_eq!(reader.hand(3000).unwrap(), None);
        let tail: Vec<_> = reader.hands_from(2990).map(Result::unwrap).collect();
        assert_eq!(tail, records[2990..]);
        let middle: Vec<_> = reader.hands_in(100..2500).map(Result::unwrap).collect();
        assert_eq!(middle, records[100..2500]);
        let deals = 50..1000;
        let some = reader.hands_of_deals(101, deals.clone()).unwrap();
        let expected = records[101..].iter().filter(|record| deals.contains(&record.deal));
        assert_eq!(some, expected.cloned().collect::<Vec<_>>());
    }
}

#[test]
fn other_line_ups_than_the_rotation_come_back() {
    let def = Arc::new(games::nolimit_holdem_with(vec![2000; 3]));
    let folder = folder();
    let path = folder.path().join(ledger::FILE_NAME);
    let mut records = hands::random_hands(&def, 20, 1, 7);
    for record in &mut records {
        record.entrants = BySeat::from_slice(&[2, 0, 1]).unwrap();
    }
    drop(ledger_of(&path, &hands::info(&def, 20, false), &records));
    assert_eq!(read(&path), records);
}

#[test]
fn what_was_not_committed_is_gone_and_the_rest_can_be_resumed() {
    let def = Arc::new(games::kuhn());
    let folder = folder();
    let path = folder.path().join(ledger::FILE_NAME);
    let records = hands::random_hands(&def, 30, 1, 7);
    let mut writer = ledger_of(&path, &hands::info(&def, 30, false), &records[..10]);
    writer.append(&records[10]);
    assert_eq!(writer.pending(), 1);
    drop(writer);
    let mut writer = LedgerWriter::open_for_resume(&path).unwrap();
    assert_eq!(writer.reader().unwrap().present().unwrap(), vec![0..=9]);
    records[20..].iter().for_each(|record| writer.append(record));
    writer.commit_with_note("decisions", "{}").unwrap();
    let reader = writer.reader().unwrap();
    assert_eq!(reader.present().unwrap(), vec![0..=9, 20..=29]);
    assert_eq!(reader.missing().unwrap(), vec![10..=19]);
    assert_eq!(reader.note("decisions").unwrap().as_deref(), Some("{}"));
    assert_eq!(reader.note("other").unwrap(), None);
    records[10..20].iter().for_each(|record| writer.append(record));
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(read(&path), records);
}

#[test]
fn decisions_are_kept_with_their_hand() {
    let def = Arc::new(games::kuhn());
    let folder = folder();
    let path = folder.path().join(ledger::FILE_NAME);
    let records = hands::random_hands(&def, 3, 1, 7);
    let decision = |hand, index| DecisionRecord {
        index,
        entrant: 1,
        seat: game::Seat::new(1).unwrap(),
        note: Some("two\nlines".to_owned()),
        elapsed: std::time::Duration::from_micros(5),
        ..hands::decision(hand)
    };
    let made = [decision(1, 0), decision(1, 1)];
    let mut writer = LedgerWriter::create(&path, &hands::info(&def, 3, false)).unwrap();
    writer.append(&records[0]);
    writer.append_with_decisions(&records[1], &made);
    writer.append_with_decisions(&records[2], &[]);
    writer.commit().unwrap();
    let reader = writer.reader().unwrap();
    assert_eq!(reader.decisions(0).unwrap(), []);
    assert_eq!(reader.decisions(1).unwrap(), made);
    assert_eq!(reader.decisions(2).unwrap(), []);
    assert_eq!(read(&path), records);
    // The same, read with the hands: of all deals, of some, and of a range.
    let together = |range, wanted: fn(u64) -> bool| -> Vec<_> {
        reader.hands_and_decisions(range, wanted).map(Result::unwrap).collect()
    };
    let all = [vec![], made.to_vec(), vec![]];
    let expected: Vec<_> = records.iter().cloned().zip(all).collect();
    assert_eq!(together(0..u64::MAX, |_| true), expected);
    assert_eq!(together(1..2, |_| true), expected[1..2]);
    assert_eq!(together(0..3, |deal| deal != 1)[1], (records[1].clone(), vec![]));
    assert_eq!(reader.hands_where(|deal| deal != 1).unwrap(), [0, 2]);
}

#[test]
fn a_hand_cannot_be_recorded_twice() {
    let def = Arc::new(games::kuhn());
    let folder = folder();
    let path = folder.path().join(ledger::FILE_NAME);
    let records = hands::random_hands(&def, 10, 1, 7);
    let mut writer = ledger_of(&path, &hands::info(&def, 10, false), &records[..5]);
    writer.append(&records[5]);
    writer.append(&records[3]);
    let error = writer.commit().unwrap_err();
    assert!(error.to_string().ends_with("already holds hand 3"), "{error}");
    assert_eq!(writer.reader().unwrap().count().unwrap(), 5, "a failed commit leaves nothing");
}

#[test]
fn a_second_writer_is_refused_while_the_first_lives() {
    let def = Arc::new(games::kuhn());
    let folder = folder();
    let path = folder.path().join(ledger::FILE_NAME);
    let info = hands::info(&def, 10, false);
    let writer = LedgerWriter::create(&path, &info).unwrap();
    let error = LedgerWriter::open_for_resume(&path).unwrap_err();
    let own = format!("another process (number {}) is writing", std::process::id());
    assert!(error.is_in_use() && error.to_string().starts_with(&own), "{error}");
    assert!(LedgerReader::open(&path).is_ok(), "reading is allowed");
    drop(writer);
    let error = LedgerWriter::create(&path, &info).unwrap_err().to_string();
    assert!(error.contains("already exists"), "{error}");
    assert!(LedgerWriter::open_for_resume(&path).is_ok());
}

#[test]
fn a_creation_that_was_cut_off_leaves_no_ledger_behind() {
    let def = Arc::new(games::kuhn());
    let folder = folder();
    let path = folder.path().join(ledger::FILE_NAME);
    std::fs::write(path.with_extension("new"), "half made").unwrap();
    let error = LedgerWriter::open_for_resume(&path).unwrap_err().to_string();
    assert!(error.starts_with("there is no ledger at"), "{error}");
    let records = hands::random_hands(&def, 10, 1, 7);
    drop(ledger_of(&path, &hands::info(&def, 10, false), &records));
    assert_eq!(read(&path), records);
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["ledger.lock", "ledger.sqlite"]);
}

#[test]
fn bad_files_are_refused_with_their_reason() {
    let def = Arc::new(games::limit_holdem());
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let good = at("good.sqlite");
    let records = hands::random_hands(&def, 5000, 1, 7);
    drop(ledger_of(&good, &hands::info(&def, 5000, false), &records));
    let bytes = std::fs::read(&good).unwrap();

    let check = |name: &str, expected: &str| {
        let path = at(name);
        let result = LedgerReader::open(&path)
            .and_then(|reader| reader.hands().try_for_each(|record| record.map(drop)));
        let message = result.unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains(name), "{name}: {message}");
        assert!(LedgerWriter::open_for_resume(&path).is_err() || expected.contains("hand "));
    };
    check("missing.sqlite", "there is no ledger");
    std::fs::write(at("noise.sqlite"), vec![0xA5; 70_000]).unwrap();
    check("noise.sqlite", "not a cardroom ledger");
    std::fs::write(at("empty.sqlite"), "").unwrap();
    check("empty.sqlite", "not a cardroom ledger");
    std::fs::write(at("half.sqlite"), &bytes[..bytes.len() / 2]).unwrap();
    check("half.sqlite", "is damaged");
    let edit = |name: &str, sql: &str| {
        std::fs::write(at(name), &bytes).unwrap();
        rusqlite::Connection::open(at(name)).unwrap().execute_batch(sql).unwrap();
    };
    edit("newer.sqlite", "PRAGMA user_version = 9");
    check("newer.sqlite", "version 9");
    edit("result.sqlite", "UPDATE hands SET payoff_0 = 1, payoff_1 = -1 WHERE hand = 77");
    check("result.sqlite", "hand 77: payoffs are");
    edit("betting.sqlite", "UPDATE hands SET betting = 'cx' WHERE hand = 78");
    check("betting.sqlite", "hand 78: betting `cx`, character 1: `x` is not an action");
    edit(
        "short.sqlite",
        "UPDATE hands SET betting = 'r', cards = substr(cards, 1, 9) WHERE hand = 79",
    );
    check("short.sqlite", "hand 79: betting `r` does not end the hand");
}

#[test]
fn a_ledger_that_lost_its_end_is_damaged() {
    let def = Arc::new(games::limit_holdem());
    let folder = folder();
    let whole = folder.path().join("whole.sqlite");
    let records = hands::random_hands(&def, 2000, 1, 7);
    ledger_of(&whole, &hands::info(&def, 2000, false), &records).close();
    let bytes = std::fs::read(&whole).unwrap();
    for lost in [1, 100, 16_384, 3 * 16_384, 3 * 16_384 + 1] {
        let cut = folder.path().join("cut.sqlite");
        std::fs::write(&cut, &bytes[..bytes.len() - lost]).unwrap();
        let merged = ledger::merge(std::slice::from_ref(&cut), &folder.path().join("merged"));
        for error in [LedgerReader::open(&cut).map(drop), merged.map(drop)] {
            let message = error.unwrap_err().to_string();
            assert!(message.contains("cut.sqlite is damaged"), "{lost}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
    // As long as it should be, but the rows at its end are gone.
    let empty = folder.path().join("empty.sqlite");
    let mut bytes = bytes;
    let kept = bytes.len() - 2 * 16_384;
    bytes[kept..].fill(0);
    std::fs::write(&empty, bytes).unwrap();
    let error = ledger::merge(std::slice::from_ref(&empty), &folder.path().join("merged"));
    let message = error.unwrap_err().to_string();
    assert!(message.contains("empty.sqlite is damaged"), "{message}");
}

/// Bears witness only where permissions bind, which they do not for the superuser.
#[test]
#[cfg(unix)]
fn a_finished_ledger_is_read_where_nothing_can_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let def = Arc::new(games::kuhn());
    let records = hands::random_hands(&def, 100, 1, 7);
    for closed in [true, false] {
        let folder = folder();
        let inside = folder.path().join("a folder?#%");
        std::fs::create_dir(&inside).unwrap();
        let path = inside.join(ledger::FILE_NAME);
        let writer = ledger_of(&path, &hands::info(&def, 100, false), &records);
        if closed {
            writer.close();
        } else {
            drop(writer);
        }
        let allow = |path: &std::path::Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        allow(&path, 0o444);
        allow(&inside, 0o555);
        assert_eq!(read(&path), records);
        allow(&inside, 0o755);
    }
}

#[test]
fn a_match_that_cannot_be_recorded_is_refused() {
    let def = Arc::new(games::kuhn());
    let folder = folder();
    let check = |change: &dyn Fn(&mut MatchInfo), expected: &str| {
        let mut info = hands::info(&def, 10, false);
        change(&mut info);
        let error = LedgerWriter::create(&folder.path().join("x.sqlite"), &info).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(&|info| info.entrants.truncate(1), "1 entrants in a game for 2 players");
    check(&|info| info.entrants[0].name = "a:b".into(), "the name `a:b`");
    check(&|info| info.name = String::new(), "the name ``");
    check(&|info| info.seed = u64::MAX, "seed 18446744073709551615");
    check(&|info| info.shard = Some(Shard { index: 3, of: 2 }), "no part 3/2");
}

#[test]
fn matches_differ_in_words() {
    let def = Arc::new(games::limit_holdem());
    let info = hands::info(&def, 100, false);
    let check = |change: &dyn Fn(&mut MatchInfo), expected: &str| {
        let mut other = info.clone();
        change(&mut other);
        let difference = info.difference(&other).map(|found| found.to_string());
        assert_eq!(difference.as_deref(), (!expected.is_empty()).then_some(expected));
    };
    let names = info.names().join(", ");
    check(&|_| {}, "");
    check(
        &|other| other.game = info.game.clone().with_quirks(game::Quirks::ORIGINAL),
        "the game's maximum street actions are none in one and 64 in the other",
    );
    check(&|other| other.name = "other".into(), "");
    check(&|other| other.seed = 7, "the seed is 42 in one and 7 in the other");
    check(&|other| other.duplicate = true, "duplicate is no in one and yes in the other");
    check(
        &|other| other.entrants.iter_mut().for_each(|entrant| entrant.name = "call".into()),
        &format!("the entrants are {names} in one and call, call in the other"),
    );
    let second = &info.entrants[1].name;
    check(
        &|other| other.entrants[1].model_sha256 = Some("ab12".into()),
        &format!("the model or program of {second} changed"),
    );
    let mut known = info.clone();
    known.entrants[1].files = vec!["bot.py".to_owned()];
    known.entrants[1].model_sha256 = Some("ab12".into());
    let changed = known.difference(&info).map(|found| found.to_string());
    assert_eq!(changed.as_deref(), Some("bot.py changed"));
    check(
        &|other| other.game = games::kuhn(),
        "the game's streets are 4 in one and 1 in the other",
    );
    check(
        &|other| {
            let max_raises = vec![game::GameSpec::NO_CAP; 4];
            let spec = game::GameSpec { max_raises, ..info.game.spec().clone() };
            other.game = game::GameDef::new(spec).unwrap();
        },
        "the game's maximum raises are 3 4 4 4 in one and any any any any in the other",
    );
    check(
        &|other| other.game = games::nolimit_holdem(),
        "the game's betting is limit in one and no-limit in the other",
    );
}

#[test]
fn merged_parts_equal_the_single_run() {
    let def = Arc::new(games::limit_holdem());
    let folder = folder();
    let records = hands::random_hands(&def, 1000, 2, 7);
    let info = hands::info(&def, 1000, true);
    // Parts of interleaved blocks, so that pieces alternate between files.
    let part = |index: u32| {
        let path = folder.path().join(format!("part{index}.sqlite"));
        let own: Vec<_> =
            records.iter().filter(|r| r.hand / 100 % 3 == u64::from(index - 1)).cloned().collect();
        let shard = Shard { index, of: 3 };
        let name = info.name.clone() + &shard.suffix();
        let info = MatchInfo { name, shard: Some(shard), ..info.clone() };
        drop(ledger_of(&path, &info, &own));
        path
    };
    let parts: Vec<PathBuf> = (1..=3).map(part).collect();
    let out = folder.path().join("whole.sqlite");
    assert_eq!(ledger::merge(&parts, &out).unwrap(), info);
    assert_eq!(read(&out), records);

    let check = |parts: &[PathBuf], name: &str, expected: &str| {
        let out = folder.path().join(name);
        let message = ledger::merge(parts, &out).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(!out.exists() && !out.with_extension("merging").exists());
    };
    check(&parts[..2], "a", "lack hands 200 to 299, 500 to 599, 800 to 899 of 1000");
    check(&[parts[0].clone(), parts[0].clone()], "b", "both hold hands 0 to 99");
    check(&[], "c", "at least one");
    let other = folder.path().join("other.sqlite");
    drop(ledger_of(&other, &MatchInfo { seed: 43, ..info.clone() }, &records[..0]));
    check(&[parts[0].clone(), other], "d", "the seed is 42 in one and 43 in the other");
    let path = folder.path().join("whole.sqlite");
    let error = ledger::merge(&parts, &path).unwrap_err().to_string();
    assert!(error.contains("already exists"), "{error}");
    assert_eq!(read(&out), records, "a refused merge leaves what was there");
}

/// A program that is being started has copies of all open files for a moment.
#[test]
fn a_lock_that_was_given_back_is_free_while_other_threads_start_programs() {
    let folder = folder();
    let path = folder.path().join("ledger.lock");
    let done = AtomicBool::new(false);
    let taken = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                Command::new("true").status().expect("a program that does nothing");
            }
        });
        let taken = (0..2_000).filter(|_| Lock::take(&path).is_ok()).count();
        done.store(true, Ordering::Relaxed);
        taken
    });
    assert_eq!(taken, 2_000);
}

/// Who waits for the lock has opened a file that is gone when the lock is free.
#[test]
fn a_lock_whose_file_its_last_holder_removed_is_not_the_lock() {
    let folder = folder();
    let path = folder.path().join("match.lock");
    let held = AtomicBool::new(false);
    let taken = || {
        for _ in 0..5_000 {
            let Ok(lock) = Lock::take(&path) else { continue };
            assert!(!held.swap(true, Ordering::SeqCst), "two have the lock");
            thread::yield_now();
            held.store(false, Ordering::SeqCst);
            std::fs::remove_file(&path).expect("the file of the lock");
            drop(lock);
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| _ = scope.spawn(taken)));
}
