//! The folder of a measurement: what it is, and the results of its deals.
//!
//! `evaluation.toml` says what is measured. `deals.csv` has a line for each finished deal, in whatever order
//! they were finished: its number, and what the response won in seat 0 and seat 1 as the cards fell, then
//! the same with the agent's hand averaged out, in 2,520ths of a chip. A line is there or it is not: one
//! that was cut short by the end of the process is dropped when the folder is opened again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use game::{GameDef, Payoff};
use logs::Provenance;
use serde::{Deserialize, Serialize};
use solvers::lbr::Won;

/// What is measured, for people and for the next run.
pub const MANIFEST: &str = "evaluation.toml";
/// The results.
pub const DEALS: &str = "deals.csv";

const HEADER: &str = "deal,dealt_seat0,dealt_seat1,expected_seat0,expected_seat1\n";

/// What a folder holds. Two measurements that agree in all but provenance are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The agent with its settings.
    pub agent: String,
    /// SHA-256 of the agent's files in hexadecimal, when it has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_sha256: Option<String>,
    /// What the response may do.
    pub moves: String,
    /// The street from which on it does.
    pub from: String,
    /// The seed.
    pub seed: u64,
    /// The game as it was named.
    pub game_name: String,
    /// Where the measurement was begun.
    pub provenance: Provenance,
    /// The game's rules.
    pub game: GameDef,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder cannot be made, read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another process writes to it.
    #[error("{} is in use by another process; wait for it, or choose another folder with --out", .0.display())]
    InUse(PathBuf),
    /// The folder holds another measurement.
    #[error(
        "{} holds another measurement: its {field} differs; choose another folder with --out, or remove \
         this one", .path.display()
    )]
    Other {
        /// The folder.
        path: PathBuf,
        /// What differs.
        field: &'static str,
    },
    /// A file does not say what it should.
    #[error("{}: {reason}; remove the folder to measure again", .path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        reason: String,
    },
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Io { path, source }
}

impl Manifest {
    /// The first thing in which two differ that would make them different measurements.
    fn difference(&self, other: &Manifest) -> Option<&'static str> {
        [
            ("agent", self.agent == other.agent),
            ("model", self.model_sha256 == other.model_sha256),
            ("set of moves", self.moves == other.moves),
            ("first street", self.from == other.from),
            ("seed", self.seed == other.seed),
            ("game", self.game == other.game),
        ]
        .into_iter()
        .find_map(|(field, same)| (!same).then_some(field))
    }
}

/// A folder opened for measuring; one process at a time has it.
pub struct Store {
    path: PathBuf,
    file: File,
    known: BTreeMap<u64, [Won; 2]>,
}

impl Store {
    /// Makes the folder, or goes on with the measurement it holds if that is the same one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(folder: &Path, manifest: &Manifest) -> Result<Store, StoreError> {
        fs::create_dir_all(folder).map_err(io_error(folder))?;
        let path = folder.join(DEALS);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(io_error(&path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::InUse(folder.to_path_buf()),
            TryLockError::Error(source) => io_error(&path)(source),
        })?;
        check_manifest(folder, manifest)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io_error(&path))?;
        // Lines that were begun but not ended; of a new file, everything.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let known = match whole {
            "" => BTreeMap::new(),
            whole => {
                read(whole).map_err(|reason| StoreError::Bad { path: path.clone(), reason })?
            }
        };
        file.set_len(whole.len() as u64).map_err(io_error(&path))?;
        file.seek(SeekFrom::End(0)).map_err(io_error(&path))?;
        if whole.is_empty() {
            file.write_all(HEADER.as_bytes()).map_err(io_error(&path))?;
        }
        Ok(Store { path, file, known })
    }

    /// The results that were there when the folder was opened, by deal.
    pub fn known(&self) -> &BTreeMap<u64, [Won; 2]> {
        &self.known
    }

    /// Keeps the results of a deal.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn keep(&mut self, deal: u64, both: [Won; 2]) -> Result<(), StoreError> {
        let [a, b] = both.map(|won| won.dealt.parts());
        let [c, d] = both.map(|won| won.expected.parts());
        let line = format!("{deal},{a},{b},{c},{d}\n");
        self.file.write_all(line.as_bytes()).map_err(io_error(&self.path))
    }
}

/// Writes the manifest of a new folder; that of an old one must be the same.
fn check_manifest(folder: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let path = folder.join(MANIFEST);
    match fs::read_to_string(&path) {
        Ok(text) => {
            let held: Manifest = toml::from_str(&text).map_err(|error| StoreError::Bad {
                path: path.clone(),
                reason: error.to_string(),
            })?;
            match manifest.difference(&held) {
                None => Ok(()),
                Some(field) => Err(StoreError::Other { path: folder.to_path_buf(), field }),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = toml::to_string(manifest)
                .map_err(|error| io_error(&path)(io::Error::other(error)))?;
            logs::folder::write_whole(&path, |out| out.write_all(text.as_bytes()))
                .map_err(io_error(&path))
        }
        Err(error) => Err(io_error(&path)(error)),
    }
}

/// Reads whole lines; an error says which one is wrong.
fn read(text: &str) -> Result<BTreeMap<u64, [Won; 2]>, String> {
    let Some(lines) = text.strip_prefix(HEADER) else {
        return Err("line 1 is not the header of a measurement".to_owned());
    };
    let mut known = BTreeMap::new();
    for (number, line) in (2..).zip(lines.lines()) {
        let (deal, both) =
            read_line(line).ok_or_else(|| format!("line {number} is not a deal: '{line}'"))?;
        if known.insert(deal, both).is_some() {
            return Err(format!("line {number}: deal {deal} stands twice"));
        }
    }
    Ok(known)
}

fn read_line(line: &str) -> Option<(u64, [Won; 2])> {
    let (deal, rest) = line.split_once(',')?;
    let mut numbers = rest.split(',').map(str::parse);
    let mut next = || numbers.next()?.ok().map(Payoff::from_parts);
    let (dealt, expected) = ([next()?, next()?], [next()?, next()?]);
    let both = [0, 1].map(|seat| Won { dealt: dealt[seat], expected: expected[seat] });
    (numbers.next().is_none()).then_some((deal.parse().ok()?, both))
}
