//! A single-writer lock on a small file beside the data.
//!
//! The operating system ties the lock to the open file and releases it when the process ends in any
//! way. The file's content is only informative: the id of the process that locked it last, for the
//! other one's error message.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A held lock, released on drop.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Error of taking a lock.
#[derive(Debug)]
pub enum LockError {
    /// Another process has the lock: its id, when known.
    Taken(Option<u32>),
    /// The file cannot be created or locked.
    Io(io::Error),
}

impl Lock {
    /// Locks this file, creating it if needed.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn take(path: &Path) -> Result<Lock, LockError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(LockError::Io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let process =
                    file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                return Err(LockError::Taken(process));
            }
            Err(TryLockError::Error(source)) => return Err(LockError::Io(source)),
        }
        // The id only serves a message, so failing to write it is ignored.
        let _ = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| writeln!(file, "{}", std::process::id()));
        Ok(Lock { file })
    }

    /// The locked file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for Lock {
    /// Closing the file would not release the lock while a program that another thread is starting
    /// still has a copy of it.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}
