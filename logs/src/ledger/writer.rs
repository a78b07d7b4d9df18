//! Writer of a ledger, and background checkpointing of its write-ahead log.
//!
//! SQLite checkpoints at the end of a commit, which then waits for the disk. Here a thread with its
//! own connection checkpoints while commits go on, and the writer only handles the rest: only it
//! can restart the log (<https://www.sqlite.org/wal.html#ckpt>).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::formats::jsonl::read_decision;
use crate::info::MatchInfo;
use crate::ledger::integrity::{Blocks, stored_mark};
use crate::ledger::journal::Journal;
use crate::ledger::{HandRows, LedgerError, LedgerReader, Problem, journal, reader, schema};
use crate::stats::DecisionTally;
use crate::{DecisionRecord, HandRecord};
use runs::Lock;

/// Number of hands written before yielding the processor to other threads, when commits are to be
/// even: about half a millisecond. A busy processor comes back after some milliseconds, so with
/// fewer hands the ledger would not keep up.
const YIELD_INTERVAL: usize = 64;

/// A writer of the hands of one match. It holds the match's lock.
///
/// Dropping it loses uncommitted hands, as a crash would.
#[derive(Debug)]
pub struct LedgerWriter {
    path: PathBuf,
    info: MatchInfo,
    connection: Connection,
    pending: HandRows,
    insert: String,
    insert_line_up: String,
    insert_decisions: &'static str,
    /// Whether the rows have hashes.
    hashed: bool,
    checkpointer: Option<Checkpointer>,
    _lock: Lock,
}

/// The SQLite setting of the page cache.
const CACHE: &str = "cache_size";

impl LedgerWriter {
    /// Creates a ledger in an existing folder.
    ///
    /// # Errors
    /// When there is one, when another process is
    /// creating one, when the match cannot be recorded.
    pub fn create(path: &Path, info: &MatchInfo) -> Result<LedgerWriter, LedgerError> {
        info.check()?;
        let lock = crate::ledger::lock(path)?;
        if path.exists() {
            return Err(Problem::Exists { path: path.to_path_buf() }.into());
        }
        // A leftover journal belongs to another match.
        journal::remove_journal(path);
        // Created under another name, so that a ledger appears atomically.
        let unfinished = path.with_extension("new");
        schema::remove(&unfinished);
        let mut made = schema::open(&unfinished, true)?;
        schema::create(&mut made, info, true).map_err(LedgerError::sqlite(path))?;
        made.close().map_err(|(_, error)| LedgerError::sqlite(path)(error))?;
        std::fs::rename(&unfinished, path).map_err(LedgerError::io(path))?;
        let connection = schema::open(path, false)?;
        schema::tune(&connection).map_err(LedgerError::sqlite(path))?;
        Ok(LedgerWriter::new(path, info.clone(), connection, true, lock))
    }

    /// Opens a ledger to continue its match; [`info`](Self::info) gives the match, and
    /// [`LedgerReader::present`] the hands. Hands that a killed process left in the [`Journal`] are
    /// added.
    pub fn open_for_resume(path: &Path) -> Result<LedgerWriter, LedgerError> {
        if !path.is_file() {
            return Err(Problem::Missing { path: path.to_path_buf() }.into());
        }
        let lock = crate::ledger::lock(path)?;
        let connection = schema::open(path, false)?;
        let info = schema::read_info(&connection, path)?;
        schema::tune(&connection).map_err(LedgerError::sqlite(path))?;
        let hashed = schema::is_hashed(&connection).map_err(LedgerError::sqlite(path))?;
        let mut writer = LedgerWriter::new(path, info, connection, hashed, lock);
        writer.recover()?;
        Ok(writer)
    }

    /// Commits the hands that are only in the journal, with the counts of their decisions.
    fn recover(&mut self) -> Result<(), LedgerError> {
        if !journal::in_journal(&self.path) {
            return Ok(());
        }
        let players = self.info.players();
        let mut hands = journal::read_journal(&self.path, players)?;
        let present = reader::present(&self.connection, "hands");
        let present = present.map_err(LedgerError::sqlite(&self.path))?;
        hands.retain(|hand| !present.iter().any(|range| range.contains(&hand.hand)));
        let note = self.note(DecisionTally::NOTE)?;
        let tally = note.and_then(|note| DecisionTally::from_note(&note));
        let mut tally = tally.unwrap_or_else(|| DecisionTally::new(players));
        for hand in &hands {
            for (number, line) in (1..).zip(hand.lines.lines()) {
                let decision = read_decision(line, number);
                tally.add(&decision.map_err(|error| {
                    LedgerError::from(Problem::Row {
                        path: self.path.clone(),
                        hand: hand.hand,
                        reason: error.to_string(),
                    })
                })?);
            }
            self.pending.push_from_journal(hand);
        }
        self.commit_with_note(DecisionTally::NOTE, &tally.to_note())?;
        journal::remove_journal(&self.path);
        Ok(())
    }

    /// Creates a journal for this ledger, which replaces any other.
    ///
    /// # Errors
    /// When its files cannot be created.
    pub fn journal(&self) -> Result<Journal, LedgerError> {
        Journal::create(&self.path).map_err(LedgerError::io(&self.path))
    }

    fn new(
        path: &Path,
        info: MatchInfo,
        connection: Connection,
        hashed: bool,
        lock: Lock,
    ) -> LedgerWriter {
        let players = info.players();
        let payoffs = schema::columns(players, |k| format!("payoff_{k}"));
        let marks = |count| schema::columns(count, |_| "?".to_owned());
        let columns = format!("hand, deal, betting, cards, {payoffs}");
        let entrants = schema::columns(players, |k| format!("entrant_{k}"));
        let (hash, one) = if hashed { (", hash", 1) } else { ("", 0) };
        LedgerWriter {
            path: path.to_path_buf(),
            insert: format!(
                "INSERT INTO hands ({columns}{hash}) VALUES ({})",
                marks(4 + players + one)
            ),
            insert_line_up: format!(
                "INSERT INTO hands ({columns}, {entrants}{hash}) VALUES ({})",
                marks(4 + 2 * players + one)
            ),
            insert_decisions: if hashed {
                "INSERT INTO decisions (hand, lines, hash) VALUES (?, ?, ?)"
            } else {
                "INSERT INTO decisions (hand, lines) VALUES (?, ?)"
            },
            hashed,
            info,
            connection,
            pending: HandRows::default(),
            checkpointer: None,
            _lock: lock,
        }
    }

    /// Configures the ledger for a process that must also answer requests: a separate thread
    /// checkpoints the write-ahead log, so that commits rarely wait for the disk, and commits yield
    /// the processor every few hands.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn with_even_commits(mut self) -> Result<LedgerWriter, LedgerError> {
        let set = self.connection.pragma_update(None, "wal_autocheckpoint", WRITER_PAGES);
        set.map_err(LedgerError::sqlite(&self.path))?;
        self.checkpointer = Some(Checkpointer::start(&self.path)?);
        Ok(self)
    }

    /// Limits the size of the ledger's page cache, for a process with many ledgers.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn bound_cache(&self, bytes: u64) -> Result<(), LedgerError> {
        let kibibytes = i64::try_from(bytes / 1024).unwrap_or(i64::MAX);
        let set = self.connection.pragma_update(None, CACHE, -kibibytes);
        set.map_err(LedgerError::sqlite(&self.path))
    }

    /// The limit of the ledger's page cache in bytes.
    ///
    /// # Errors
    /// When SQLite does not report it.
    pub fn cache_bound(&self) -> Result<u64, LedgerError> {
        let size = self.connection.pragma_query_value(None, CACHE, |row| row.get::<_, i64>(0));
        // A negative value is in KiB.
        Ok(size.map_err(LedgerError::sqlite(&self.path))?.unsigned_abs() * 1024)
    }

    /// The match.
    pub fn info(&self) -> &MatchInfo {
        &self.info
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the journal, all of whose hands are committed, and checkpoints the write-ahead log
    /// at the end of the match: one file is left, which can be copied alone and read from a
    /// read-only disk. While somebody reads the ledger the log stays, which is harmless.
    pub fn close(mut self) {
        // It also reads the ledger.
        self.checkpointer = None;
        journal::remove_journal(&self.path);
        // A failure does not change the ledger's contents.
        let _ = self.connection.pragma_update(None, "journal_mode", "DELETE");
    }

    /// A reader of the committed hands.
    pub fn reader(&self) -> Result<LedgerReader, LedgerError> {
        LedgerReader::open(&self.path)
    }

    /// Queues a finished hand for the next commit.
    pub fn append(&mut self, record: &HandRecord) {
        self.append_with_decisions(record, &[]);
    }

    /// Queues a finished hand and the decisions made in it for the next commit.
    pub fn append_with_decisions(&mut self, record: &HandRecord, decisions: &[DecisionRecord]) {
        self.pending.push(record, decisions);
    }

    /// Queues hands whose rows are made already.
    pub fn append_rows(&mut self, rows: &HandRows) {
        self.pending.extend(rows);
    }

    /// Number of hands appended since the last commit.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Writes all appended hands, all or none. Committed hands survive any end of this process; a
    /// power cut may lose the last commits, but never a part of one.
    ///
    /// # Errors
    /// The hands of a failed commit are dropped; those committed before are kept.
    pub fn commit(&mut self) -> Result<(), LedgerError> {
        self.commit_with(None)
    }

    /// The same as [`commit`](Self::commit), and sets a note in the same transaction: a text with a
    /// key that must stay consistent with the hands, such as counts of fallbacks.
    pub fn commit_with_note(&mut self, key: &str, value: &str) -> Result<(), LedgerError> {
        self.commit_with(Some((key, value)))
    }

    fn commit_with(&mut self, note: Option<(&str, &str)>) -> Result<(), LedgerError> {
        self.commit_and(note, |_| Ok(()))
    }

    /// Commits, and runs `more` in the same transaction.
    pub(super) fn commit_and(
        &mut self,
        note: Option<(&str, &str)>,
        more: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), LedgerError> {
        let result = self.write(note, more);
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.committed(&self.connection);
        }
        self.pending.clear();
        result
    }

    fn write(
        &mut self,
        note: Option<(&str, &str)>,
        more: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), LedgerError> {
        let sql = || LedgerError::sqlite(&self.path);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql())?;
        let mut blocks = Blocks::default();
        {
            let mut usual = transaction.prepare_cached(&self.insert).map_err(sql())?;
            let mut special = transaction.prepare_cached(&self.insert_line_up).map_err(sql())?;
            let mut decisions = transaction.prepare_cached(self.insert_decisions).map_err(sql())?;
            for (number, (row, [betting, cards, lines])) in self.pending.iter().enumerate() {
                if self.checkpointer.is_some() && number % YIELD_INTERVAL == 0 {
                    std::thread::yield_now();
                }
                let statement = if row.has_line_up() { &mut special } else { &mut usual };
                row.insert(statement, [betting, cards], self.hashed)
                    .and_then(|()| match (row.decisions_hash, self.hashed) {
                        (None, _) => Ok(()),
                        (Some(_), false) => decisions.execute((row.hand as i64, lines)).map(drop),
                        (Some(hash), true) => {
                            blocks.add_decisions(row.hand, &hash);
                            let row = (row.hand as i64, lines, stored_mark(&hash));
                            decisions.execute(row).map(drop)
                        }
                    })
                    .map_err(|error| row.explain(&self.path, error))?;
                if self.hashed {
                    blocks.add_hand(row.hand, &row.hash);
                }
            }
        }
        blocks.write(&transaction).map_err(sql())?;
        if let Some((key, value)) = note {
            transaction
                .prepare_cached("INSERT OR REPLACE INTO notes VALUES (?, ?)")
                .and_then(|mut statement| statement.execute((key, value)))
                .map_err(sql())?;
        }
        more(&transaction).map_err(sql())?;
        transaction.commit().map_err(sql())
    }

    /// Sets or removes a note on its own.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn set_note(&self, key: &str, value: Option<&str>) -> Result<(), LedgerError> {
        let changed = match value {
            Some(value) => {
                self.connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (key, value))
            }
            None => self.connection.execute("DELETE FROM notes WHERE key = ?", [key]),
        };
        changed.map(drop).map_err(LedgerError::sqlite(&self.path))
    }

    /// Extends the match to `hands` hands under a new name; its first hands are the existing ones.
    ///
    /// # Errors
    /// When the number is too large.
    pub fn extend(&mut self, name: &str, hands: u64) -> Result<(), LedgerError> {
        let info = MatchInfo { name: name.to_owned(), hands, ..self.info.clone() };
        info.check()?;
        let text = serde_json::to_string(&info).map_err(|error| {
            LedgerError::from(Problem::Damaged {
                path: self.path.clone(),
                detail: format!("its match: {error}"),
            })
        })?;
        (|| {
            let transaction =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute(
                "UPDATE match SET name = ?, hands = ?, info = ? WHERE id = 1",
                (name, hands as i64, text),
            )?;
            if self.hashed {
                schema::note_match(&transaction)?;
            }
            transaction.commit()
        })()
        .map_err(LedgerError::sqlite(&self.path))?;
        self.info = info;
        Ok(())
    }

    /// The note with this key, if there is one.
    pub fn note(&self, key: &str) -> Result<Option<String>, LedgerError> {
        read_note(&self.connection, key).map_err(LedgerError::sqlite(&self.path))
    }
}

pub(super) fn read_note(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection
        .query_row("SELECT value FROM notes WHERE key = ?", [key], |row| row.get(0))
        .optional()
}

/// Interval between checkpoints.
const INTERVAL: Duration = Duration::from_secs(1);

/// Log size, in pages, above which the writer is asked to restart the log: 32 MB.
const RESTART_PAGES: i64 = 2048;

/// Log size, in pages, at which the writer checkpoints itself, should the thread not keep up.
const WRITER_PAGES: i64 = 8 * RESTART_PAGES;

/// A handle of the checkpointing thread, which stops when dropped.
#[derive(Debug)]
struct Checkpointer {
    flags: Arc<Flags>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Flags {
    /// Whether there was a commit since the last checkpoint.
    committed: AtomicBool,
    /// Whether a long log is nearly checkpointed, so that the writer should restart it.
    nearly_done: AtomicBool,
    /// Whether the thread should stop.
    stop: AtomicBool,
}

impl Checkpointer {
    /// Starts the thread for a ledger whose writer uses a write-ahead log.
    ///
    /// # Errors
    /// When the ledger cannot be opened again.
    pub(super) fn start(path: &Path) -> Result<Checkpointer, LedgerError> {
        let connection = schema::open(path, false)?;
        let flags = Arc::new(Flags::default());
        let theirs = Arc::clone(&flags);
        let thread = std::thread::Builder::new().name("ledger-fold".into());
        // Without a thread the writer checkpoints at its own limit.
        let thread = thread.spawn(move || theirs.checkpoint(&connection)).ok();
        Ok(Checkpointer { flags, thread })
    }

    /// Reports a commit on the writer's connection, and restarts the log there when it is time.
    pub(super) fn committed(&self, connection: &Connection) {
        self.flags.committed.store(true, Ordering::Relaxed);
        if self.flags.nearly_done.swap(false, Ordering::Relaxed) {
            // If a reader prevents it, the next attempt will do.
            let _ = checkpoint(connection);
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.flags.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Flags {
    fn checkpoint(&self, connection: &Connection) {
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::park_timeout(INTERVAL);
            if self.committed.swap(false, Ordering::Relaxed) {
                // The second pass has little left. The writer will meet any error itself.
                let _ = checkpoint(connection);
                let pages = checkpoint(connection).unwrap_or(0);
                self.nearly_done.store(pages > RESTART_PAGES, Ordering::Relaxed);
            }
        }
    }
}

/// Checkpoints what is possible without blocking; gives the number of pages in the log.
fn checkpoint(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1))
}
