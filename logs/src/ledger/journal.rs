//! The journal of a ledger: two files beside it that hold hands until they are committed, for
//! writers that cannot wait for a commit.
//!
//! A hand is a line: eight hexadecimal digits of a checksum, a space, and a JSON object with the
//! columns of its row. It is written with one call, so it survives any end of the process; a power
//! cut may lose the last ones. The files alternate: while the hands of one are committed, new ones
//! go to the other, and one whose hands are all in the ledger is truncated.
//!
//! [`LedgerWriter::open_for_resume`](super::LedgerWriter::open_for_resume) adds hands to the ledger
//! that are only in the journal. A hand may be in both, since a file is truncated after the commit.
//! An incomplete line at the end of a file is ignored: its hand was not acknowledged to anybody.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::notation;
use serde::{Deserialize, Serialize};

use super::LedgerError;
use crate::replay::is_rotated;
use crate::{DecisionRecord, HandRecord, decisions};

/// The files' extensions, which replace the ledger's.
const EXTENSIONS: [&str; 2] = ["journal-1", "journal-2"];

/// Number of bytes of a line before its object.
const HEAD: usize = 9;

/// A hand as in its line; the fields are the columns of `docs/ledger.md`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalHand<'a> {
    pub(super) hand: u64,
    pub(super) deal: u64,
    pub(super) betting: Cow<'a, str>,
    pub(super) cards: Cow<'a, str>,
    pub(super) payoffs: Vec<i64>,
    /// The line-up, unless everyone moved by one seat after each hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) entrants: Option<Vec<u8>>,
    /// The lines of its decisions.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub(super) lines: Cow<'a, str>,
}

/// The journal of a ledger that is open for writing. A hand in it may be acknowledged before it is
/// committed.
///
/// A committer calls [`turn`](Self::turn) when it takes the queued hands, so that every hand
/// appended before is among them, and empties the file from [`spent`](Self::spent) when they are
/// committed.
#[derive(Debug)]
pub struct Journal {
    files: [Arc<File>; 2],
    /// Valid length of each file in bytes.
    lengths: [u64; 2],
    /// Index of the file that hands are written to.
    current: usize,
    /// A buffer for the line, reused to save allocations.
    line: Vec<u8>,
}

impl Journal {
    /// Creates an empty journal for the ledger at `path`.
    pub(super) fn create(path: &Path) -> io::Result<Journal> {
        let [first, second] = paths(path);
        let open = |path: PathBuf| {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true).open(path).map(Arc::new)
        };
        let files = [open(first)?, open(second)?];
        Ok(Journal { files, lengths: [0; 2], current: 0, line: Vec::new() })
    }

    /// Writes a hand. It will be in the ledger even if this process ends.
    ///
    /// # Errors
    /// When the file cannot be written; this hand is then not in it, but later ones may be.
    pub fn append(&mut self, record: &HandRecord, decisions: &[DecisionRecord]) -> io::Result<()> {
        let (mut betting, mut cards, mut lines) = (String::new(), String::new(), String::new());
        notation::write_betting(&record.public, &mut betting);
        notation::write_cards(&record.public, &record.hole, &mut cards);
        decisions.iter().for_each(|decision| decisions::write_line(decision, &mut lines));
        let hand = JournalHand {
            hand: record.hand,
            deal: record.deal,
            betting: betting.into(),
            cards: cards.into(),
            payoffs: record.payoffs.as_slice().iter().map(|payoff| payoff.parts()).collect(),
            entrants: (!is_rotated(record)).then(|| record.entrants.as_slice().to_vec()),
            lines: lines.into(),
        };
        self.line.clear();
        self.line.resize(HEAD, b' ');
        serde_json::to_writer(&mut self.line, &hand)?;
        let sum = format!("{:08x}", checksum(&self.line[HEAD..]));
        self.line[..sum.len()].copy_from_slice(sum.as_bytes());
        self.line.push(b'\n');
        let (file, length) = (&self.files[self.current], &mut self.lengths[self.current]);
        match file.write_all_at(&self.line, *length) {
            Ok(()) => {
                *length += self.line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Any rest would be read as an incomplete line and ignored, too.
                let _ = file.set_len(*length);
                Err(error)
            }
        }
    }

    /// Directs later hands to the other file, if that is empty.
    pub fn turn(&mut self) {
        let other = 1 - self.current;
        if self.lengths[other] == 0 {
            self.current = other;
        }
    }

    /// The inactive file, if it has hands: to be emptied when all hands that were appended before
    /// the last [`turn`](Self::turn) are committed.
    pub fn spent(&self) -> Option<Spent> {
        let other = 1 - self.current;
        (self.lengths[other] > 0).then(|| Spent { file: Arc::clone(&self.files[other]) })
    }

    /// Marks the file from [`spent`](Self::spent) as empty.
    pub fn emptied(&mut self) {
        self.lengths[1 - self.current] = 0;
    }
}

/// The inactive file of a journal, to be emptied once its hands are committed.
#[derive(Debug)]
pub struct Spent {
    file: Arc<File>,
}

impl Spent {
    /// Truncates the file. May wait for the disk, so it is separate from the journal.
    ///
    /// # Errors
    /// When the system refuses; the hands then stay in the file, which is harmless.
    pub fn empty(self) -> io::Result<()> {
        self.file.set_len(0)
    }
}

fn paths(ledger: &Path) -> [PathBuf; 2] {
    EXTENSIONS.map(|extension| ledger.with_extension(extension))
}

/// Whether the journal has hands that may not be in this ledger yet. Opening the ledger for writing
/// adds them.
pub fn in_journal(ledger: &Path) -> bool {
    paths(ledger).iter().any(|path| path.metadata().is_ok_and(|file| file.len() > 0))
}

/// Removes the journal of a ledger, if there is one.
pub(super) fn remove(ledger: &Path) {
    for path in paths(ledger) {
        let _ = std::fs::remove_file(path);
    }
}

/// The hands in the journal of a ledger with `players` players, by number.
pub(super) fn read(
    ledger: &Path,
    players: usize,
) -> Result<Vec<JournalHand<'static>>, LedgerError> {
    let mut hands = Vec::new();
    for path in paths(ledger) {
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            read => read.map_err(LedgerError::io(&path))?,
        };
        let lines: Vec<_> =
            bytes.split_inclusive(|&byte| byte == b'\n').map(|line| parse(line, players)).collect();
        let whole = lines.iter().take_while(|line| line.is_some()).count();
        if lines[whole..].iter().any(Option::is_some) {
            return Err(LedgerError::Journal { path, line: whole + 1 });
        }
        hands.extend(lines.into_iter().flatten());
    }
    hands.sort_unstable_by_key(|hand: &JournalHand<'_>| hand.hand);
    hands.dedup_by_key(|hand| hand.hand);
    Ok(hands)
}

/// Parses a line with its end; `None` when it is damaged.
fn parse(line: &[u8], players: usize) -> Option<JournalHand<'static>> {
    let (head, object) = line.strip_suffix(b"\n")?.split_at_checked(HEAD)?;
    let sum = u32::from_str_radix(std::str::from_utf8(head).ok()?.strip_suffix(' ')?, 16).ok()?;
    if sum != checksum(object) {
        return None;
    }
    let hand: JournalHand<'_> = serde_json::from_slice(object).ok()?;
    let seats = hand.entrants.as_ref().map_or(players, Vec::len);
    (hand.payoffs.len() == players && seats == players).then_some(hand)
}

/// The FNV-1a hash.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811C_9DC5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
