//! Folding a ledger's write-ahead log into it in the background.
//!
//! SQLite folds the log in at the end of a commit, which then waits for the disk. Here a thread
//! with a connection of its own does it while commits go on, and the writer is left what came in
//! meanwhile: only it can begin the log anew (<https://www.sqlite.org/wal.html#ckpt>).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::{LedgerError, schema};

/// How long commits come in before they are folded in together.
const REST: Duration = Duration::from_secs(1);

/// The pages that the log may hold before the writer is asked to empty it: 32 MB.
const MOST: i64 = 2048;

/// The pages at which the writer folds the log in by itself, should the thread not keep up.
pub(super) const TOO_MANY: i64 = 8 * MOST;

/// The thread.
#[derive(Debug)]
pub(super) struct Folder {
    flags: Arc<Flags>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Flags {
    /// There was a commit since the log was folded in.
    committed: AtomicBool,
    /// Little is left in a long log: the writer should empty it.
    nearly_done: AtomicBool,
    /// The thread should end.
    stop: AtomicBool,
}

impl Folder {
    /// Starts the thread for a ledger whose writer uses a write-ahead log.
    ///
    /// # Errors
    /// When the ledger cannot be opened once more.
    pub(super) fn start(path: &Path) -> Result<Folder, LedgerError> {
        let connection = schema::open(path, false)?;
        let flags = Arc::new(Flags::default());
        let theirs = Arc::clone(&flags);
        let thread = std::thread::Builder::new().name("ledger-fold".into());
        // Without a thread the writer does everything, later.
        let thread = thread.spawn(move || theirs.fold(&connection)).ok();
        Ok(Folder { flags, thread })
    }

    /// Tells of a commit on the writer's connection, and empties the log there when it is time.
    pub(super) fn committed(&self, connection: &Connection) {
        self.flags.committed.store(true, Ordering::Relaxed);
        if self.flags.nearly_done.swap(false, Ordering::Relaxed) {
            // Should a reader prevent it, the next time will do.
            let _ = fold(connection);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.flags.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Flags {
    fn fold(&self, connection: &Connection) {
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::park_timeout(REST);
            if self.committed.swap(false, Ordering::Relaxed) {
                // The second pass has little to do. What fails here the writer will find.
                let _ = fold(connection);
                let pages = fold(connection).unwrap_or(0);
                self.nearly_done.store(pages > MOST, Ordering::Relaxed);
            }
        }
    }
}

/// Folds in what can be without waiting for anybody; gives the pages of the log.
fn fold(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1))
}
