//! The matches on disk: those hosted here, and those of other commands with the same data folder,
//! finished or being played.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use axum::http::StatusCode;
use jiff::Timestamp;
use logs::folder::{MANIFEST, REPORT};
use logs::ledger::FILE_NAME;
use logs::stats::Interval;
use logs::{LedgerError, LedgerReader};
use runs::HeldLocks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::{counted, whole};
use wire::host::{Ended, Ending, HOSTED_FILE, RESULT_FILE};

use super::api::Problem;
use super::rates::{PlayerLine, RateView};

/// A match in lists.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "FinishedMatch")]
pub struct MatchLine {
    /// The match's name, which is that of its folder; in a tournament the tournament's, `/`, and
    /// that of its folder.
    pub id: String,
    /// The game's name.
    pub game: String,
    /// The number of hands that count.
    pub hands: u64,
    /// The number of hands planned; 0 for no limit.
    pub of: u64,
    /// The time it ended.
    pub at: Option<Timestamp>,
    /// The players with their win rates.
    pub players: Vec<PlayerLine>,
    /// The result as recorded; `null` for matches not hosted here.
    pub ended: Option<Ended>,
}

impl MatchLine {
    /// A match that is being played.
    pub fn so_far(reader: &LedgerReader, id: &str) -> Option<MatchLine> {
        let info = reader.info();
        let names = info.names().into_iter();
        Some(MatchLine {
            id: id.to_owned(),
            game: info.game_name.clone(),
            hands: reader.count().ok()?,
            of: if info.shard.is_some() { 0 } else { info.hands },
            at: None,
            players: names.map(|name| PlayerLine { name, rate: None }).collect(),
            ended: None,
        })
    }

    /// Whether all its hands were played.
    pub fn complete(&self) -> bool {
        match &self.ended {
            Some(ended) => ended.ending == Ending::Finished,
            None => self.hands >= self.of,
        }
    }

    /// The result in words.
    pub fn words(&self) -> String {
        match &self.ended {
            Some(ended) if ended.ending == Ending::Finished => "finished".to_owned(),
            Some(ended) => format!(
                "after {} of {} hands: {}",
                whole(ended.hands),
                whole(ended.of),
                ended.words
            ),
            // Matches of the Slumbot API have no end, and the end of a part is not known here.
            None if self.of == 0 => format!("{} so far", counted(self.hands, "hand")),
            None if self.complete() => "finished".to_owned(),
            None => format!("{} of {} hands", whole(self.hands), whole(self.of)),
        }
    }
}

/// What is answered when the hands of a match cannot be read; the log says why.
pub fn unreadable(error: &LedgerError) -> Problem {
    tracing::warn!(%error, "the hands of a match cannot be read");
    let error = "the record of this match cannot be read";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, error, "the server's log says why")
}

/// What is answered when a match is being played, and has to be over.
pub fn being_played() -> Problem {
    let error = "this match is being played";
    Problem::new(StatusCode::CONFLICT, error, "ask again when it is over")
}

/// The place of a player in a match: the first one without a name.
///
/// # Errors
/// In words, when there is no such player.
pub fn player_named(names: &[String], name: &str) -> Result<usize, Problem> {
    let known = names.iter().position(|known| known == name);
    known.or_else(|| name.is_empty().then_some(0)).ok_or_else(|| {
        let error = format!("`{}` is no player here", game::escape::excerpt(name));
        Problem::new(StatusCode::BAD_REQUEST, error, format!("write {}", names.join(" or ")))
    })
}

/// The folders of all matches, read again only where they have changed.
#[derive(Debug)]
pub struct Records {
    folder: PathBuf,
    tournaments: PathBuf,
    known: Mutex<HashMap<String, (SystemTime, MatchLine)>>,
}

impl Records {
    /// Opens the matches in a data folder, which need not exist yet.
    pub fn new(data: &Path) -> Records {
        let (folder, tournaments) = (data.join("matches"), data.join("tournaments"));
        Records { folder, tournaments, known: Mutex::new(HashMap::new()) }
    }

    /// The folder of the match with this name, if it exists.
    pub fn folder_of(&self, id: &str) -> Option<PathBuf> {
        let path = match id.split_once('/') {
            None => self.folder.join(file_name(id)?),
            Some((tournament, name)) => {
                self.tournaments.join(file_name(tournament)?).join(file_name(name)?)
            }
        };
        path.join(FILE_NAME).is_file().then_some(path)
    }

    /// The folder and the ledger of the match with this name.
    ///
    /// # Errors
    /// In words for whoever asks.
    pub fn open(&self, id: &str) -> Result<(PathBuf, LedgerReader), Problem> {
        let folder = self.folder_of(id).ok_or_else(|| {
            let remedy = "`/api/v1/matches` lists the matches";
            Problem::new(StatusCode::NOT_FOUND, "there is no match with this name", remedy)
        })?;
        let reader = LedgerReader::open(&folder).map_err(|error| unreadable(&error))?;
        Ok((folder, reader))
    }

    /// Whether another process plays the match in this folder.
    pub fn is_played_elsewhere(folder: &Path) -> bool {
        played_elsewhere(folder, &HeldLocks::now())
    }

    /// The matches that other processes play, by name.
    pub fn played_elsewhere(&self) -> Vec<MatchLine> {
        let locks = HeldLocks::now();
        let mut ids = self.ids();
        ids.sort_unstable();
        let line = |id: String| {
            let folder = self.folder_of(&id)?;
            let reader = played_elsewhere(&folder, &locks).then(|| LedgerReader::open(&folder));
            MatchLine::so_far(&reader?.ok()?, &id)
        };
        ids.into_iter().filter_map(line).collect()
    }

    /// The names of all matches, those of tournaments among them.
    fn ids(&self) -> Vec<String> {
        let mut ids = names(&self.folder);
        for tournament in names(&self.tournaments) {
            let matches = names(&self.tournaments.join(&tournament)).into_iter();
            ids.extend(matches.map(|name| format!("{tournament}/{name}")));
        }
        ids
    }

    /// Whether a match with this name exists.
    pub fn exists(&self, id: &str) -> bool {
        self.folder_of(id).is_some()
    }

    /// One finished match.
    pub fn line(&self, id: &str) -> Option<MatchLine> {
        read(&self.folder_of(id)?, id)
    }

    /// The last `most` finished matches, those of tournaments among them, latest first, without
    /// folders that cannot be read.
    pub fn latest(&self, most: usize) -> Vec<MatchLine> {
        self.page(0, most).0
    }

    /// At most `most` finished matches after the latest `skip`, and the number of all.
    pub fn page(&self, skip: usize, most: usize) -> (Vec<MatchLine>, usize) {
        let finished = |id: String| {
            let folder = self.folder_of(&id)?;
            Some((finished_at(&folder)?, id, folder))
        };
        let mut found: Vec<_> = self.ids().into_iter().filter_map(finished).collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        let all = found.len();
        found.drain(..skip.min(all));
        found.truncate(most);
        let mut known = parallel::lock(&self.known);
        let mut lines = HashMap::with_capacity(found.len());
        let mut latest = Vec::with_capacity(found.len());
        for (time, id, path) in found {
            let line = match known.get(&id) {
                Some((then, line)) if *then == time => Some(line.clone()),
                _ => read(&path, &id),
            };
            let Some(line) = line else { continue };
            latest.push(line.clone());
            lines.insert(id, (time, line));
        }
        // Matches that are not among the latest are dropped, to bound memory.
        if skip == 0 {
            *known = lines;
        }
        (latest, all)
    }
}

/// The name as that of a file in a folder; `None` where it leads elsewhere or is hidden.
pub(super) fn file_name(name: &str) -> Option<&str> {
    let mut parts = Path::new(name).components();
    let (Some(Component::Normal(part)), None) = (parts.next(), parts.next()) else { return None };
    let plain = part == name && !name.starts_with('.') && !name.contains(char::is_control);
    plain.then_some(name)
}

/// The names of a folder's entries, as far as they are text.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

fn played_elsewhere(folder: &Path, locks: &HeldLocks) -> bool {
    let lock = folder.join(FILE_NAME).with_extension("lock");
    locks.holder(&lock).is_some_and(|process| process != std::process::id())
}

/// The time a match finished: when its result or, for others, its report was written.
fn finished_at(folder: &Path) -> Option<SystemTime> {
    let written = |name: &str| fs::metadata(folder.join(name)).ok()?.modified().ok();
    if folder.join(HOSTED_FILE).exists() { written(RESULT_FILE) } else { written(REPORT) }
}

/// The fields of `report.json` that lists need.
#[derive(Debug, Deserialize)]
struct Report {
    #[serde(rename = "match")]
    of: ReportMatch,
    hands: u64,
    entrants: Vec<ReportEntrant>,
    /// Absent in reports of earlier versions.
    stop: Option<ReportStop>,
}

#[derive(Debug, Deserialize)]
struct ReportStop {
    met: bool,
}

#[derive(Debug, Deserialize)]
struct ReportMatch {
    game: String,
    hands_planned: u64,
}

#[derive(Debug, Deserialize)]
struct ReportEntrant {
    name: String,
    rate: ReportRate,
}

#[derive(Debug, Deserialize)]
struct ReportRate {
    mbb: Option<f64>,
    interval: Option<Interval>,
    /// Absent in reports of earlier versions.
    any_time: Option<Interval>,
}

fn read(folder: &Path, id: &str) -> Option<MatchLine> {
    let ended: Option<Ended> = read_json(&folder.join(RESULT_FILE));
    let at = ended.as_ref().map(|ended| ended.at);
    let at = at.or_else(|| Timestamp::try_from(finished_at(folder)?).ok());
    if let Some(report) = read_json::<Report>(&folder.join(REPORT)) {
        let player = |entrant: ReportEntrant| {
            let ReportRate { mbb, interval, any_time } = entrant.rate;
            let rate = mbb.zip(interval).map(|(mbb, Interval { low, high })| RateView {
                mbb,
                low,
                high,
                any_time,
            });
            PlayerLine { name: entrant.name, rate }
        };
        let ended_by_rule = report.stop.is_some_and(|stop| stop.met);
        return Some(MatchLine {
            id: id.to_owned(),
            game: report.of.game,
            hands: report.hands,
            // A match that its rule has ended is complete.
            of: if ended_by_rule { report.hands } else { report.of.hands_planned },
            at,
            players: report.entrants.into_iter().map(player).collect(),
            ended,
        });
    }
    // Without a report, the manifest is used.
    let manifest = fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let info = logs::folder::read_manifest(&manifest).ok()?;
    let names = info.names().into_iter();
    Some(MatchLine {
        id: id.to_owned(),
        hands: ended.as_ref().map_or(0, |ended| ended.hands),
        of: info.hands,
        at,
        players: names.map(|name| PlayerLine { name, rate: None }).collect(),
        ended,
        game: info.game_name,
    })
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finished_matches_of_tournaments_are_listed_by_the_time_they_ended() {
        let home = tempfile::tempdir().expect("a folder");
        let records = Records::new(home.path());
        let report = r#"{"match": {"game": "g", "hands_planned": 2}, "hands": 2, "entrants": []}"#;
        let ids = ["one", "3-agents/a-vs-b", "3-agents/b-vs-c"];
        for (at, id) in (1..).zip(ids) {
            let within = if id.contains('/') { "tournaments" } else { "matches" };
            let folder = home.path().join(within).join(id);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(FILE_NAME), "").expect("a file");
            fs::write(folder.join(REPORT), report).expect("a file");
            let written = fs::File::options().append(true).open(folder.join(REPORT));
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(at);
            written.expect("a file").set_modified(time).expect("a time");
        }
        // Being played, and a table that was drawn beside the matches.
        let unfinished = home.path().join("tournaments/3-agents/a-vs-c");
        fs::create_dir_all(&unfinished).expect("a folder");
        fs::write(unfinished.join(FILE_NAME), "").expect("a file");
        fs::write(home.path().join("tournaments/3-agents/table.svg"), "").expect("a file");
        let listed = |most| -> Vec<String> {
            records.latest(most).into_iter().map(|line| line.id).collect()
        };
        assert_eq!(listed(9), ["3-agents/b-vs-c", "3-agents/a-vs-b", "one"]);
        assert_eq!(listed(2), ["3-agents/b-vs-c", "3-agents/a-vs-b"]);
    }

    #[test]
    fn names_of_our_own_are_found_and_none_leads_out_of_the_folder() {
        let home = tempfile::tempdir().expect("a folder");
        let records = Records::new(&home.path().join("data"));
        let make = |path: &str| {
            fs::create_dir_all(home.path().join(path)).expect("a folder");
            fs::write(home.path().join(path).join(FILE_NAME), "").expect("a file");
        };
        for id in ["call-vs-call#2-kuhn.limit.2p-s0-h10", "über-vs-b", "my match", "a%2Fb", "a..b"]
        {
            assert_eq!(records.folder_of(id), None);
            make(&format!("data/matches/{id}"));
            assert_eq!(records.folder_of(id), Some(home.path().join("data/matches").join(id)));
        }
        make("data/tournaments/3-agents/a-vs-b");
        assert!(records.folder_of("3-agents/a-vs-b").is_some());
        for path in ["", "data", "data/matches", "data/matches/.hidden", "data/tournaments/x/y/z"] {
            make(path);
        }
        let whole = home.path().join("data/matches/my match");
        for id in [
            "",
            ".",
            "..",
            "../..",
            "/",
            "./my match",
            "my match/",
            "my match/.",
            "../matches/my match",
            "../../data",
            "x/../y",
            "x/y/z",
            ".hidden",
            "x/.",
            "my match\0",
            whole.to_str().expect("text"),
        ] {
            assert_eq!(records.folder_of(id), None, "{id:?}");
        }
    }
}
