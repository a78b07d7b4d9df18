//! One writer at a time: a lock on a small file beside what is written.
//!
//! The operating system holds the lock for the open file and drops it when the process ends,
//! however it ends. The file itself means nothing without the lock; it holds the number of the
//! process that locked it last, for the other one's error message.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Held as long as the value lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Why a lock cannot be had.
#[derive(Debug)]
pub enum LockError {
    /// Another process has it: its number, when it is known.
    Taken(Option<u32>),
    /// The file cannot be made or locked.
    Io(io::Error),
}

impl Lock {
    /// Locks this file, which is made if it is not there; or says who has it.
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
        // The number only serves a message, so failing to write it is no reason to stop.
        let _ = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| writeln!(file, "{}", std::process::id()));
        Ok(Lock { file })
    }

    /// The file that is locked.
    pub fn file(&self) -> &File {
        &self.file
    }
}
