//! The small files beside the slots: the tokens of sessions, the names of agents, the forfeited
//! hands. All are readable by their owner only.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use logs::folder::{Lock, LockError};
use logs::formats::csv;
use serde::Serialize;

/// The files that hold tokens, which work like passwords, or the secret.
pub(super) const SECRET: [&str; 4] = ["secret", "sessions", "tokens.csv", "forfeits.jsonl"];

/// The header of `tokens.csv`.
const TOKENS_HEAD: &str = "session,token,agent,began,user\n";

/// The files, open for appending.
#[derive(Debug)]
pub(super) struct Files {
    tokens: File,
    forfeits: File,
    next_session: AtomicU32,
}

/// A line of `forfeits.jsonl`.
#[derive(Debug, Serialize)]
pub(super) struct Forfeit<'a> {
    /// The time.
    pub(super) at: String,
    /// The session's token.
    pub(super) token: &'a str,
    /// The number of the deal, as in the ledgers.
    pub(super) deal: u64,
    /// The agent's name.
    pub(super) agent: &'a str,
    /// The betting when the hand was forfeited.
    pub(super) action: &'a str,
    /// The client's loss in chips.
    pub(super) lost: i64,
    /// The hand's number in the agent's ledger; absent when a fold was not legal.
    pub(super) hand: Option<u64>,
}

impl Files {
    /// Opens the files in this folder. `sessions` is a lower bound for the number of the next
    /// session, from what is known otherwise.
    pub(super) fn open(folder: &Path, sessions: u32) -> io::Result<Files> {
        let append = |name: &str| {
            let mut options = OpenOptions::new();
            options
                .read(true)
                .append(true)
                .create(true)
                .mode(crate::permissions::FILE)
                .open(folder.join(name))
        };
        let mut tokens = append("tokens.csv")?;
        let noted = last_session(&mut tokens)?;
        if noted.is_none() && tokens.metadata()?.len() == 0 {
            tokens.write_all(TOKENS_HEAD.as_bytes())?;
        }
        let next = sessions.max(noted.map_or(0, |last| last + 1));
        let next_session = AtomicU32::new(next);
        Ok(Files { tokens, forfeits: append("forfeits.jsonl")?, next_session })
    }

    /// Takes the number of a new session.
    pub(super) fn next_session(&self) -> u32 {
        self.next_session.fetch_add(1, Ordering::Relaxed)
    }

    /// Appends a new session to `tokens.csv`.
    pub(super) fn note_session(
        &self,
        number: u32,
        token: &str,
        user: &str,
        agent: &str,
    ) -> io::Result<()> {
        let mut line = format!("{number},{token},");
        csv::write_text(agent, &mut line);
        line.push_str(&format!(",{},", Timestamp::now()));
        // The name is the client's: it must not break the line.
        let user: String = user.chars().filter(|c| !c.is_control()).take(64).collect();
        csv::write_text(&user, &mut line);
        line.push('\n');
        (&self.tokens).write_all(line.as_bytes())
    }

    /// Appends a forfeited hand.
    pub(super) fn note_forfeit(&self, forfeit: &Forfeit<'_>) -> io::Result<()> {
        let mut line = serde_json::to_vec(forfeit)?;
        line.push(b'\n');
        (&self.forfeits).write_all(&line)
    }
}

/// The session number in the file's last line.
fn last_session(file: &mut File) -> io::Result<Option<u32>> {
    const TAIL: u64 = 4096;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let tail = String::from_utf8_lossy(&tail);
    let mut lines = tail.lines().rev();
    Ok(lines.find_map(|line| line.split_once(',')?.0.parse().ok()))
}

/// The names of the agents in the order of the numbers used in slots: those in the file, and new
/// ones, which are appended to it.
pub(super) fn agent_names(path: &Path, names: &[&str]) -> io::Result<Vec<String>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let mut known: Vec<String> = text.lines().map(str::to_owned).collect();
    let before = known.len();
    for name in names {
        if !known.iter().any(|other| other == name) {
            known.push((*name).to_owned());
        }
    }
    if known.len() > before {
        let text = known.join("\n") + "\n";
        logs::folder::write_whole(path, |out| out.write_all(text.as_bytes()))?;
    }
    restrict(path);
    Ok(known)
}

/// Restricts a file without secrets to its owner, if the file system keeps permissions.
fn restrict(path: &Path) {
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(crate::permissions::FILE));
}

/// Locks the host's folder; `None` if another process holds the lock.
pub(super) fn lock(path: &Path) -> io::Result<Option<Lock>> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .mode(crate::permissions::FILE)
        .open(path)?;
    restrict(path);
    match Lock::on(file) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Taken(_)) => Ok(None),
        Err(LockError::Io(error)) => Err(error),
    }
}
