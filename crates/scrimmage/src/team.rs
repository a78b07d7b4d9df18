//! A team: what it has handed in, which version plays, and what became of the trials.
//!
//! A version plays in rounds from its trial on: it is built, and two hands are played against an
//! agent that calls, in which every answer must be a legal action. Until then, and if it fails, the
//! version before plays on. `team.json` has all of it and is replaced whole.

use std::fs;
use std::io;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::intake::{Content, Refused, Taken};

/// The file of a team's record.
const RECORD: &str = "team.json";

/// The hand-ins that are remembered.
const REMEMBERED: usize = 20;

/// The bytes of a bot's output that are shown.
const SHOWN: u64 = 16 << 10;

/// Letters of a team's name.
const NAME: usize = 32;

/// Where a bot came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A zip that was uploaded.
    Upload,
    /// The team's folder in the folder of teams.
    Folder,
}

/// What became of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Trial {
    /// Its trial is to come.
    Waiting,
    /// It has passed.
    Passed,
    /// It has failed.
    Failed {
        /// Why.
        reason: String,
    },
}

/// Something that a team has handed in and that could be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandedIn {
    /// The version: 1 for the team's first one.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// Where it came from.
    pub origin: Origin,
    /// The number of files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The SHA-256 of paths and bytes.
    pub sha256: String,
    /// What became of its trial.
    #[serde(flatten)]
    pub trial: Trial,
}

/// A team's record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The version that plays, if one has passed its trial.
    pub plays: Option<u64>,
    /// What it has handed in, the latest last; the last twenty.
    pub handed_in: Vec<HandedIn>,
    /// The last time that its folder or upload could not be taken, and why.
    pub refused: Option<(Timestamp, String)>,
}

/// A team with its folder.
#[derive(Debug, Clone)]
pub struct Team {
    /// Its name.
    pub name: String,
    /// What is known of it.
    pub record: Record,
    home: PathBuf,
}

/// Checks a team's name: it is one of a folder, of an agent and of a player in logs.
///
/// # Errors
/// What is wrong with it.
pub fn check_name(name: &str) -> Result<(), Refused> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.is_empty() || name.len() > NAME || !name.chars().all(plain) {
        return Err(Refused(format!(
            "{name:?} cannot be a team's name: use 1 to {NAME} letters, digits, `-` and `_`"
        )));
    }
    Ok(())
}

impl Team {
    /// A new team, which is on disk from its first hand-in on.
    pub fn new(home: &Path, name: &str) -> Team {
        Team { name: name.to_owned(), record: Record::default(), home: home.join(name) }
    }

    /// Reads all teams in a folder, which need not exist.
    ///
    /// # Errors
    /// When a record cannot be read: the file is named.
    pub fn all(home: &Path) -> io::Result<Vec<Team>> {
        let mut teams = Vec::new();
        for folder in runs::paths_in(home)? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let mut team = Team::new(home, &name);
            let path = team.home.join(RECORD);
            match fs::read(&path) {
                Ok(text) => {
                    team.record = serde_json::from_slice(&text).map_err(|error| {
                        io::Error::other(format!("{}: {error}", path.display()))
                    })?;
                    teams.push(team);
                }
                // What was being taken in when a server was killed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        teams.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(teams)
    }

    /// The folder of a version.
    pub fn folder(&self, version: u64) -> PathBuf {
        self.home.join("versions").join(format!("{version:04}"))
    }

    /// The file with what a version says in its trial.
    pub fn trial_output(&self, version: u64) -> PathBuf {
        self.home.join(format!("trial-{version:04}.txt"))
    }

    /// The file with what it says in a round.
    pub fn round_output(&self, round: u64) -> PathBuf {
        self.home.join(format!("round-{round:04}.txt"))
    }

    /// Adds a version, whose trial is to come.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn add(&mut self, taken: Taken, origin: Origin, now: Timestamp) -> io::Result<HandedIn> {
        let version = self.record.handed_in.last().map_or(1, |last| last.version + 1);
        let Content { files, bytes, sha256 } = taken.content.clone();
        let folder = self.folder(version);
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent)?;
        }
        // One that was stored by a process that was killed before it could write it down.
        remove_folder(&folder)?;
        taken.place(&folder)?;
        let trial = Trial::Waiting;
        let new = HandedIn { version, at: now, origin, files, bytes, sha256, trial };
        self.record.handed_in.push(new.clone());
        let excess = self.record.handed_in.len().saturating_sub(REMEMBERED);
        self.record.handed_in.drain(..excess);
        self.record.refused = None;
        self.keep()?;
        Ok(new)
    }

    /// Remembers why something could not be taken.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn refuse(&mut self, why: &Refused, now: Timestamp) -> io::Result<()> {
        let said = self.record.refused.as_ref().is_some_and(|(_, said)| *said == why.0);
        if said {
            return Ok(());
        }
        self.record.refused = Some((now, why.0.clone()));
        fs::create_dir_all(&self.home)?;
        self.keep()
    }

    /// The versions whose trial is to come, the earliest first.
    pub fn waiting(&self) -> impl Iterator<Item = &HandedIn> {
        self.record.handed_in.iter().filter(|one| one.trial == Trial::Waiting)
    }

    /// Whether these files are the last ones that were handed in.
    pub fn has(&self, sha256: &str) -> bool {
        self.record.handed_in.last().is_some_and(|last| last.sha256 == sha256)
    }

    /// Enters the result of a trial; a version that has passed plays from now on, unless a later
    /// one does.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn enter_result(&mut self, version: u64, result: Result<(), String>) -> io::Result<()> {
        let passed = result.is_ok();
        let one = self.record.handed_in.iter_mut().find(|one| one.version == version);
        if let Some(one) = one {
            one.trial = match result {
                Ok(()) => Trial::Passed,
                Err(reason) => Trial::Failed { reason },
            };
        }
        if passed && self.record.plays.is_none_or(|plays| plays < version) {
            self.record.plays = Some(version);
        }
        self.keep()
    }

    /// Has the last version tried again, if it has failed its trial and its files are there;
    /// returns whether it is. The version that plays goes on playing.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn try_again(&mut self) -> io::Result<bool> {
        let Some(last) = self.record.handed_in.last_mut() else { return Ok(false) };
        let folder = self.home.join("versions").join(format!("{:04}", last.version));
        if !matches!(last.trial, Trial::Failed { .. }) || !folder.is_dir() {
            return Ok(false);
        }
        last.trial = Trial::Waiting;
        self.keep().map(|()| true)
    }

    /// Has the version that plays tried again before it plays: the game is another one.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn try_for_another_game(&mut self) -> io::Result<()> {
        let Some(plays) = self.record.plays.take() else { return Ok(()) };
        for one in self.record.handed_in.iter_mut().filter(|one| one.version == plays) {
            one.trial = Trial::Waiting;
        }
        self.keep()
    }

    /// Removes the files of versions that neither play, wait, are the last one, nor are in this
    /// list.
    pub fn tidy(&self, in_use: &[u64]) {
        let needed = |version: u64| {
            let last = self.record.handed_in.last().map(|last| last.version);
            [self.record.plays, last].contains(&Some(version))
                || in_use.contains(&version)
                || self.waiting().any(|one| one.version == version)
        };
        for one in self.record.handed_in.iter().filter(|one| !needed(one.version)) {
            if let Err(error) = remove_folder(&self.folder(one.version)) {
                tracing::warn!(team = self.name, version = one.version, %error, "cannot tidy up");
            }
        }
    }

    /// The end of what its bot has said: in the last trial, and in this round.
    pub fn output(&self, round: Option<u64>) -> String {
        let mut parts = Vec::new();
        if let Some(last) = self.record.handed_in.last() {
            let what = format!("trial of version {}", last.version);
            parts.push((what, self.trial_output(last.version)));
        }
        parts.extend(round.map(|round| (format!("round {round}"), self.round_output(round))));
        let parts = parts.into_iter().map(|(what, path)| {
            let text = end_of(&path).unwrap_or_else(|_| "nothing\n".to_owned());
            format!("--- {what}\n{text}")
        });
        parts.collect()
    }

    fn keep(&self) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&self.record).map_err(io::Error::other)?;
        runs::write_whole(&self.home.join(RECORD), |out| writeln!(out, "{text}"))
    }
}

/// Removes a folder, if it is there, with all that is in it.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The last lines of a file, without control characters.
fn end_of(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(SHOWN)))?;
    let mut bytes = Vec::new();
    file.take(SHOWN).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let plain = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    Ok(text.chars().map(plain).collect())
}
