//! Background checkpointing of a ledger's write-ahead log.
//!
//! SQLite checkpoints at the end of a commit, which then waits for the disk. Here a thread with its
//! own connection checkpoints while commits go on, and the writer only handles the rest: only it
//! can restart the log (<https://www.sqlite.org/wal.html#ckpt>).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::{LedgerError, schema};

/// Interval between checkpoints.
const INTERVAL: Duration = Duration::from_secs(1);

/// Log size, in pages, above which the writer is asked to restart the log: 32 MB.
const RESTART_PAGES: i64 = 2048;

/// Log size, in pages, at which the writer checkpoints itself, should the thread not keep up.
pub(super) const WRITER_PAGES: i64 = 8 * RESTART_PAGES;

/// A handle of the checkpointing thread, which stops when dropped.
#[derive(Debug)]
pub(super) struct Checkpointer {
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
