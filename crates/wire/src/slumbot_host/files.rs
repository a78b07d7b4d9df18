//! The small files beside the slots: the secret, the tokens of sessions, the names of agents, the
//! forfeited hands. All are readable by their owner only, since tokens work like passwords.
//!
//! The seeds of a session's cards are hashes of the secret and the session's number. The secret is
//! made once from the system's randomness. Since every seed is a hash of it, no cards seen in a
//! session reveal others; with the secret, every deal can be made again.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use logs::formats::csv;
use parallel::lock;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use runs::{Lock, LockError};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The files that hold tokens, which work like passwords, or the secret.
pub(super) const SECRET: [&str; 4] = ["secret", SESSIONS, "tokens.csv", "forfeits.jsonl"];

/// The database of sessions.
pub(super) const SESSIONS: &str = "sessions.sqlite";

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
            options.read(true).append(true).create(true).mode(FILE).open(folder.join(name))
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
        runs::write_whole(path, |out| out.write_all(text.as_bytes()))?;
    }
    restrict(path);
    Ok(known)
}

/// Restricts a file without secrets to its owner, if the file system keeps permissions.
fn restrict(path: &Path) {
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(FILE));
}

/// Locks the host's folder; `None` if another process holds the lock.
pub(super) fn lock_folder(path: &Path) -> io::Result<Option<Lock>> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).mode(FILE).open(path)?;
    restrict(path);
    match Lock::from_file(file) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Taken(_)) => Ok(None),
        Err(LockError::Io(error)) => Err(error),
    }
}

/// The system's source of randomness.
const SOURCE: &str = "/dev/urandom";

/// The server's secret, and a source of tokens.
#[derive(Debug)]
pub struct Secret {
    secret: [u8; 32],
    tokens: Mutex<ChaCha20Rng>,
    process: u8,
}

/// The seeds of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seeds {
    /// The seed of the cards.
    pub(super) deals: u64,
    /// The seed of the agent's random choices.
    pub(super) decisions: u64,
    /// The seed of its choices when it plays itself.
    pub(super) baseline: u64,
}

impl Secret {
    /// Reads the secret from this file, or makes it. Tokens begin with the number of the process,
    /// unless it is 0.
    ///
    /// # Errors
    /// When the file cannot be read or made, or holds something else.
    pub fn open(path: &Path, process: u8) -> io::Result<Secret> {
        let secret = match fs::read(path) {
            Ok(bytes) => bytes.try_into().map_err(|_| {
                io::Error::other(
                    "it does not hold the 32 bytes of a secret; remove it to get a new one",
                )
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = system_randomness()?;
                // Complete or not at all.
                let temporary = path.with_extension("tmp");
                // A left-over file may have other permissions.
                let _ = fs::remove_file(&temporary);
                let mut options = OpenOptions::new();
                let mut file = options.write(true).create_new(true).mode(0o600).open(&temporary)?;
                file.write_all(&secret)?;
                file.sync_all()?;
                fs::rename(&temporary, path)?;
                secret
            }
            Err(error) => return Err(error),
        };
        let tokens = Mutex::new(ChaCha20Rng::from_seed(system_randomness()?));
        Ok(Secret { secret, tokens, process })
    }

    /// The seeds of the session with this number.
    pub(super) fn seeds(&self, number: u32) -> Seeds {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        hash.update(number.to_le_bytes());
        let bytes: [u8; 32] = hash.finalize().into();
        let word = |i: usize| {
            let bytes = bytes[8 * i..8 * i + 8].try_into();
            u64::from_le_bytes(bytes.expect("eight bytes"))
        };
        Seeds { deals: word(0), decisions: word(1), baseline: word(2) }
    }

    /// The seed of the cards for a seed that a client asks for: always the same, and nobody can
    /// know the cards who does not know the secret.
    pub fn asked(&self, seed: u32) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        hash.update(b"asked");
        hash.update(seed.to_le_bytes());
        let bytes: [u8; 32] = hash.finalize().into();
        u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
    }

    /// A new token: the 128 bits of a random UUID (version 4). If several processes share one
    /// address, the first eight bits are the process number, by which a proxy finds the session.
    pub fn token(&self) -> u128 {
        let mut rng = lock(&self.tokens);
        let random = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let version = 0xF << 76;
        let variant = 0b11 << 62;
        let token = random & !version & !variant | 4 << 76 | 0b10 << 62;
        match self.process {
            0 => token,
            process => token & !(0xFF << 120) | u128::from(process) << 120,
        }
    }
}

fn system_randomness() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    File::open(SOURCE)?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The text of a token: 8-4-4-4-12 hexadecimal digits.
pub(super) fn token_text(token: u128) -> String {
    let (a, b, c) = (token >> 96, token >> 80 & 0xFFFF, token >> 64 & 0xFFFF);
    let (d, e) = (token >> 48 & 0xFFFF, token & 0xFFFF_FFFF_FFFF);
    format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}")
}

/// Parses a token; `None` when the text is not one of ours.
pub(super) fn parse_token(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    bytes.iter().enumerate().try_fold(0, |token: u128, (i, &byte)| match (i, byte) {
        (8 | 13 | 18 | 23, b'-') => Some(token),
        (8 | 13 | 18 | 23, _) => None,
        _ => Some(token << 4 | u128::from(char::from(byte).to_digit(16)?)),
    })
}

/// The mode of a folder that only its owner can use.
pub(crate) const FOLDER: u32 = 0o700;
/// The mode of a file that only its owner can use.
pub(crate) const FILE: u32 = 0o600;

/// Makes a folder for its owner only, with its parents. An existing one is left as it is.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

/// Restricts a file or folder to its owner, with a log line if others had permissions. Returns
/// whether others have none now: some file systems do not keep permissions. A path that does not
/// exist, or is of another kind, is left alone.
pub(crate) fn take_from_others(path: &Path, mode: u32) -> io::Result<bool> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        found => found?,
    };
    let rights = found.permissions().mode() & 0o777;
    if rights & 0o077 == 0 || !(found.is_file() || found.is_dir()) {
        return Ok(true);
    }
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    let is_kept = fs::metadata(path)?.permissions().mode() & 0o077 == 0;
    if is_kept {
        tracing::warn!(
            path = %path.display(),
            "users other than its owner had access to it ({rights:o}), and now have none; tokens \
             in it may be known"
        );
    }
    Ok(is_kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random_uuids_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = Secret::open(&folder.path().join("secret"), 0).expect("a secret");
        let mut seen = std::collections::HashSet::new();
        for _ in 0..1000 {
            let token = secret.token();
            let text = token_text(token);
            assert!(seen.insert(token), "{text} came twice");
            assert_eq!(text.len(), 36);
            assert_eq!(&text[14..15], "4", "{text}");
            assert!("89ab".contains(&text[19..20]), "{text}");
            assert_eq!(parse_token(&text), Some(token));
            assert_eq!(parse_token(&text.to_uppercase()), Some(token));
        }
        let behind = Secret::open(&folder.path().join("secret"), 0x0B).expect("the same");
        for _ in 0..100 {
            let text = token_text(behind.token());
            assert!(text.starts_with("0b") && &text[14..15] == "4", "{text}");
        }
        for bad in [
            "",
            "x",
            "01234567-89ab-4cde-8f01-23456789abcg",
            "0123456789ab-4cde-8f01-23456789abcd-",
        ] {
            assert_eq!(parse_token(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_secret_stays_and_nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        let first = Secret::open(&path, 0).expect("a secret");
        let again = Secret::open(&path, 0).expect("a secret");
        assert_eq!(first.seeds(3), again.seeds(3));
        assert_ne!(first.seeds(3), first.seeds(4));
        assert_ne!(first.token(), again.token());
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        fs::write(&path, "short").expect("written");
        assert!(Secret::open(&path, 0).is_err());
    }
}
