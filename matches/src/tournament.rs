//! The folder of a tournament: which matches it has, and how far each is.
//!
//! Each match has a folder of its own below it, with a ledger. `tournament.json` says what was
//! planned, so that a tournament can be shown while it is played; for a folder without it, such as
//! a round of a scrimmage, the matches that have begun are all that is known.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use logs::ledger::FILE_NAME;
use logs::stats::{CrossTable, StopRule};
use logs::{LedgerError, LedgerReader, Tally};
use serde::{Deserialize, Serialize};

use crate::plan::{MatchPlan, Results};

/// The name of the file with the plan.
pub const SCHEDULE: &str = "tournament.json";

/// The most bytes of that file.
const MAX_BYTES: u64 = 16 << 20;

/// The most hands of a match that are read at once.
const MAX_HANDS: u64 = 200_000;

/// The matches of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The game's name.
    pub game: String,
    /// The agents' names in the table.
    pub names: Vec<String>,
    /// The matches in the order in which they are played.
    pub matches: Vec<Meeting>,
}

/// A match of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// Who plays, as indices of the names.
    pub line_up: Vec<usize>,
    /// The name of its folder.
    pub folder: String,
    /// Hands planned.
    pub hands: u64,
}

impl Schedule {
    /// The schedule of these matches, each with the agents that play it.
    pub fn new(
        pattern: &MatchPlan,
        names: &[String],
        matches: &[(Vec<usize>, MatchPlan)],
    ) -> Schedule {
        let meeting = |(line_up, plan): &(Vec<usize>, MatchPlan)| Meeting {
            line_up: line_up.clone(),
            folder: plan.name_of_whole(),
            hands: plan.hands,
        };
        let matches = matches.iter().map(meeting).collect();
        Schedule { game: pattern.game_name.clone(), names: names.to_vec(), matches }
    }

    /// Writes it into the tournament's folder, which is made if there is none.
    ///
    /// # Errors
    /// Those of the system.
    pub fn write(&self, home: &Path) -> io::Result<()> {
        runs::create_folder(home)?;
        let text = serde_json::to_string_pretty(self)?;
        runs::write_whole(&home.join(SCHEDULE), |out| writeln!(out, "{text}"))
    }

    /// The schedule of the tournament in a folder: the one that was written, or else of the matches
    /// that are there.
    ///
    /// # Errors
    /// When there is no such folder, or its schedule cannot be read.
    pub fn open(home: &Path) -> io::Result<Schedule> {
        let path = home.join(SCHEDULE);
        match std::fs::metadata(&path) {
            Ok(file) if file.len() <= MAX_BYTES => Schedule::parse(&std::fs::read(&path)?),
            Ok(_) => Err(wrong("it is too long")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Schedule::of_matches(home),
            Err(error) => Err(error),
        }
    }

    fn parse(bytes: &[u8]) -> io::Result<Schedule> {
        let schedule: Schedule = serde_json::from_slice(bytes)?;
        for meeting in &schedule.matches {
            let plain = Path::new(&meeting.folder).file_name() == Some(meeting.folder.as_ref());
            if !plain || meeting.line_up.iter().any(|&agent| agent >= schedule.names.len()) {
                return Err(wrong("a match is of nobody, or elsewhere"));
            }
        }
        Ok(schedule)
    }

    /// The schedule of the matches that have begun.
    fn of_matches(home: &Path) -> io::Result<Schedule> {
        let mut folders: Vec<String> = std::fs::read_dir(home)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| home.join(name).join(FILE_NAME).is_file())
            .collect();
        folders.sort_unstable();
        let mut schedule = Schedule { game: String::new(), names: Vec::new(), matches: Vec::new() };
        for folder in folders {
            let Ok(reader) = LedgerReader::open(&home.join(&folder)) else { continue };
            let info = reader.info();
            let mut line_up = Vec::new();
            for name in info.names() {
                let known = schedule.names.iter().position(|known| *known == name);
                line_up.push(known.unwrap_or_else(|| {
                    schedule.names.push(name);
                    schedule.names.len() - 1
                }));
            }
            schedule.game.clone_from(&info.game_name);
            schedule.matches.push(Meeting { line_up, folder, hands: info.hands });
        }
        Ok(schedule)
    }
}

fn wrong(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{SCHEDULE}: {reason}"))
}

/// A tournament as far as it is played. Looking again reads only new hands.
#[derive(Debug, Default)]
pub struct Watched {
    seen: HashMap<PathBuf, Reading>,
}

/// The state of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct SoFar {
    /// What is known of the results.
    pub table: CrossTable,
    /// How far each match is, in the order of the schedule; `None` for one that has not begun.
    pub matches: Vec<Option<Seen>>,
}

/// How far a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Hands that are recorded.
    pub hands: u64,
    /// Whether a rule has ended it before all hands were played.
    pub ended: bool,
}

/// What is read of a match: its first hands, without gaps.
#[derive(Debug)]
struct Reading {
    seen: Seen,
    /// The hand after the last one that was read.
    next: u64,
    tally: Tally,
}

impl Watched {
    /// The state of the tournament in a folder now.
    pub fn look(&mut self, home: &Path, schedule: &Schedule) -> SoFar {
        let mut results = Results::new(schedule.names.clone());
        let mut matches = Vec::with_capacity(schedule.matches.len());
        let mut before = std::mem::take(&mut self.seen);
        for meeting in &schedule.matches {
            let folder = home.join(&meeting.folder);
            let mut reading = before.remove(&folder);
            if folder.join(FILE_NAME).is_file() {
                // What cannot be read just now is shown as it was.
                let _ = Reading::go_on(&mut reading, &folder);
            } else {
                reading = None;
            }
            matches.push(reading.as_ref().map(|reading| reading.seen));
            let of_all =
                |reading: &Reading| reading.tally.entrants().len() == meeting.line_up.len();
            if let Some(reading) = reading.filter(of_all) {
                results.add_rates(&meeting.line_up, &Results::rates(&reading.tally));
                self.seen.insert(folder, reading);
            }
        }
        SoFar { table: results.table(), matches }
    }
}

impl Reading {
    /// Reads the hands that are new, some at a time.
    fn go_on(known: &mut Option<Reading>, folder: &Path) -> Result<(), LedgerError> {
        let reader = LedgerReader::open(folder)?;
        let hands = reader.count()?;
        let present = reader.present()?;
        let first = present.first().map(|range| (*range.start(), range.end() + 1));
        let (start, end) = first.unwrap_or_default();
        let begun = |reading: &Reading| reading.next >= start && reading.next <= end;
        let reading = match known.take().filter(begun) {
            Some(reading) => known.insert(reading),
            None => known.insert(Reading {
                seen: Seen { hands, ended: false },
                next: start,
                tally: Tally::new(reader.info()),
            }),
        };
        reading.seen.hands = hands;
        for hand in reader.hands_in(reading.next..end.min(reading.next + MAX_HANDS)) {
            reading.tally.add(&hand?);
            reading.next += 1;
        }
        let rule = reader.note(StopRule::NOTE)?;
        let rule = rule.and_then(|note| StopRule::from_note(&note));
        reading.seen.ended = rule.is_some_and(|rule| rule.is_satisfied(&reading.tally));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_that_leads_out_of_its_folder_or_names_nobody_is_refused() {
        let schedule = |folder: &str, line_up: Vec<usize>| Schedule {
            game: "kuhn.limit.2p".to_owned(),
            names: vec!["a".to_owned(), "b".to_owned()],
            matches: vec![Meeting { line_up, folder: folder.to_owned(), hands: 2 }],
        };
        let read = |schedule: &Schedule| {
            Schedule::parse(&serde_json::to_vec(schedule).expect("plain data"))
        };
        let good = schedule("a-vs-b", vec![0, 1]);
        assert_eq!(read(&good).expect("a schedule"), good);
        for (folder, line_up) in [
            ("../x", vec![0, 1]),
            ("", vec![0, 1]),
            ("..", vec![0]),
            ("/x", vec![0]),
            ("a", vec![2]),
        ] {
            assert!(read(&schedule(folder, line_up)).is_err(), "{folder}");
        }
        assert!(Schedule::parse(b"{").is_err());
        let none = tempfile::tempdir().expect("a folder");
        let empty = Schedule::open(none.path()).expect("a folder without matches");
        assert!(empty.names.is_empty() && empty.matches.is_empty());
        assert!(Schedule::open(&none.path().join("none")).is_err());
    }
}
