//! One writer at a time: a lock on a small file beside the ledger.
//!
//! The operating system holds the lock for the open file and drops it when the process ends, however
//! it ends. The file itself stays and means nothing without the lock; it holds the number of the
//! process that locked it last, for the other one's error message.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::LedgerError;

/// Held as long as the value lives.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of this ledger, or says who has it.
    pub(super) fn take(ledger: &Path) -> Result<Lock, LedgerError> {
        let path = ledger.with_extension("lock");
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(LedgerError::io(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let process =
                    file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                return Err(LedgerError::InUse { path: ledger.to_path_buf(), process });
            }
            Err(TryLockError::Error(source)) => return Err(LedgerError::io(&path)(source)),
        }
        // The number only serves a message, so failing to write it is no reason to stop.
        let _ = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| writeln!(file, "{}", std::process::id()));
        Ok(Lock { _file: file })
    }
}
