//! Finished hands as the rows of a ledger, made on the threads that play them (texts and hashes are
//! most of the work of recording a hand, and the one writer is left with the insertions); and the
//! journal of a ledger: two files beside it that hold hands until they are committed, for
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

use game::{BySeat, Payoff, notation};
use rusqlite::{ErrorCode, Statement};
use serde::{Deserialize, Serialize};

use crate::formats::jsonl::write_decision;
use crate::ledger::integrity::{Hash, hash_of_decisions, hash_of_hand, stored_mark};
use crate::ledger::{LedgerError, Problem};
use crate::record::is_rotated;
use crate::{DecisionRecord, HandRecord};

/// Finished hands, in the form in which a [`LedgerWriter`](crate::ledger::LedgerWriter) commits
/// them. Takes about 250 bytes a hand, and those of its decisions.
#[derive(Debug, Clone, Default)]
pub struct HandRows {
    rows: Vec<HandRow>,
    /// The texts of all rows, concatenated, so that a row needs no allocation.
    text: String,
}

/// A hand; its texts are slices of `HandRows::text`, one after the other.
#[derive(Debug, Clone)]
pub(super) struct HandRow {
    pub(super) hand: u64,
    deal: u64,
    betting: usize,
    cards: usize,
    /// Length of the lines of its decisions; 0 when there are none.
    decisions: usize,
    payoffs: BySeat<Payoff>,
    /// The line-up, unless everyone moved by one seat after each hand.
    line_up: Option<BySeat<u8>>,
    pub(super) hash: Hash,
    /// The hash of the lines of its decisions, if there are any.
    pub(super) decisions_hash: Option<Hash>,
}

impl HandRows {
    /// Adds a hand and the decisions made in it.
    pub fn push(&mut self, record: &HandRecord, made: &[DecisionRecord]) {
        let begin = self.push_hand(record);
        made.iter().for_each(|decision| write_decision(decision, &mut self.text));
        self.finish(record.hand, record.deal, begin, record.payoffs, line_up(record));
    }

    /// Adds a hand whose decisions are these lines, as [`write_decision`] writes them.
    pub fn push_with_lines(&mut self, record: &HandRecord, lines: &str) {
        let begin = self.push_hand(record);
        self.text.push_str(lines);
        self.finish(record.hand, record.deal, begin, record.payoffs, line_up(record));
    }

    /// Adds a hand of a journal.
    pub(super) fn push_from_journal(&mut self, hand: &JournalHand<'_>) {
        let begin = self.text.len();
        self.text.push_str(&hand.betting);
        let betting = self.text.len();
        self.text.push_str(&hand.cards);
        let cards = self.text.len();
        self.text.push_str(&hand.lines);
        let payoffs: Vec<Payoff> = hand.payoffs.iter().copied().map(Payoff::from_parts).collect();
        let payoffs = BySeat::from_slice(&payoffs).expect("as many as there are players");
        let line_up = hand.entrants.as_deref();
        let line_up = line_up.map(|seats| BySeat::from_slice(seats).expect("the same"));
        self.finish(hand.hand, hand.deal, [begin, betting, cards], payoffs, line_up);
    }

    /// Number of hands.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the hands of another list.
    pub fn extend(&mut self, other: &HandRows) {
        self.rows.extend_from_slice(&other.rows);
        self.text.push_str(&other.text);
    }

    /// Removes all hands, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.text.clear();
    }

    /// The hands in order, each with its betting, its cards and the lines of its decisions.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&HandRow, [&str; 3])> {
        let mut rest = self.text.as_str();
        self.rows.iter().map(move |row| {
            let texts = [row.betting, row.cards, row.decisions].map(|length| {
                let (text, behind) = rest.split_at(length);
                rest = behind;
                text
            });
            (row, texts)
        })
    }

    /// Writes betting and cards; returns where the texts of the hand begin, and both end.
    fn push_hand(&mut self, record: &HandRecord) -> [usize; 3] {
        let begin = self.text.len();
        notation::write_betting(&record.public, &mut self.text);
        let betting = self.text.len();
        notation::write_cards(&record.public, &record.hole, &mut self.text);
        [begin, betting, self.text.len()]
    }

    fn finish(
        &mut self,
        hand: u64,
        deal: u64,
        [begin, betting, cards]: [usize; 3],
        payoffs: BySeat<Payoff>,
        line_up: Option<BySeat<u8>>,
    ) {
        let lines = &self.text[cards..];
        let decisions_hash = (!lines.is_empty()).then(|| hash_of_decisions(hand, lines));
        let texts = [&self.text[begin..betting], &self.text[betting..cards]];
        let entrants = line_up.iter().flat_map(BySeat::as_slice).map(|&one| i64::from(one));
        let usual = if line_up.is_none() { payoffs.len() } else { 0 };
        let numbers = payoffs.as_slice().iter().map(|payoff| payoff.parts()).chain(entrants);
        let numbers = numbers.chain(std::iter::repeat_n(-1, usual));
        let hash = hash_of_hand(hand, deal, texts, numbers);
        self.rows.push(HandRow {
            hand,
            deal,
            betting: betting - begin,
            cards: cards - betting,
            decisions: self.text.len() - cards,
            payoffs,
            line_up,
            hash,
            decisions_hash,
        });
    }
}

fn line_up(record: &HandRecord) -> Option<BySeat<u8>> {
    (!is_rotated(record)).then_some(record.entrants)
}

impl HandRow {
    /// Whether the row has its line-up.
    pub(super) fn has_line_up(&self) -> bool {
        self.line_up.is_some()
    }

    /// Inserts the row by a statement for it, with its hash if the ledger has hashes.
    pub(super) fn insert(
        &self,
        statement: &mut Statement<'_>,
        [betting, cards]: [&str; 2],
        hashed: bool,
    ) -> rusqlite::Result<()> {
        statement.raw_bind_parameter(1, self.hand as i64)?;
        statement.raw_bind_parameter(2, self.deal as i64)?;
        statement.raw_bind_parameter(3, betting)?;
        statement.raw_bind_parameter(4, cards)?;
        let mut next = 5;
        for payoff in self.payoffs.as_slice() {
            statement.raw_bind_parameter(next, payoff.parts())?;
            next += 1;
        }
        for &entrant in self.line_up.iter().flat_map(BySeat::as_slice) {
            statement.raw_bind_parameter(next, entrant)?;
            next += 1;
        }
        if hashed {
            statement.raw_bind_parameter(next, stored_mark(&self.hash))?;
        }
        statement.raw_execute()?;
        Ok(())
    }

    /// The error of its insertion, in words.
    pub(super) fn explain(&self, path: &Path, error: rusqlite::Error) -> LedgerError {
        match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => {
                LedgerError::from(Problem::Twice { path: path.to_path_buf(), hand: self.hand })
            }
            _ => LedgerError::sqlite(path)(error),
        }
    }
}

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
        decisions.iter().for_each(|decision| write_decision(decision, &mut lines));
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
pub(super) fn remove_journal(ledger: &Path) {
    for path in paths(ledger) {
        let _ = std::fs::remove_file(path);
    }
}

/// The hands in the journal of a ledger with `players` players, by number.
pub(super) fn read_journal(
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
            return Err(Problem::Journal { path, line: whole + 1 }.into());
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
