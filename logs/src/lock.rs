//! A single-writer lock on a file.
//!
//! The operating system ties the lock to the open file and releases it when the process ends in any
//! way.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
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
    /// Locks a file beside the data, creating it if needed. Its content is only informative: the id
    /// of the process that locked it last, for the other one's error message. A holder may remove
    /// the file before it drops the lock.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn take(path: &Path) -> Result<Lock, LockError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        loop {
            let file = options.open(path).map_err(LockError::Io)?;
            let lock = Lock::on(file).map_err(|error| match error {
                LockError::Taken(_) => {
                    let text = fs::read_to_string(path).ok();
                    LockError::Taken(text.and_then(|text| text.trim().parse().ok()))
                }
                LockError::Io(source) => LockError::Io(source),
            })?;
            let mut file = lock.file();
            // The last holder may have removed the file after it was opened here.
            let open = file.metadata().map_err(LockError::Io)?;
            let same = |there: fs::Metadata| there.ino() == open.ino();
            if open.nlink() == 0 && !fs::metadata(path).is_ok_and(same) {
                continue;
            }
            // The id only serves a message, so failing to write it is ignored.
            let _ = file
                .set_len(0)
                .and_then(|()| file.seek(SeekFrom::Start(0)))
                .and_then(|_| writeln!(file, "{}", std::process::id()));
            return Ok(lock);
        }
    }

    /// Locks an open file, whose content is left as it is.
    ///
    /// # Errors
    /// See [`LockError`]; the id of the other process is not known.
    pub fn on(file: File) -> Result<Lock, LockError> {
        match file.try_lock() {
            Ok(()) => Ok(Lock { file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken(None)),
            Err(TryLockError::Error(source)) => Err(LockError::Io(source)),
        }
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

/// The locks that processes hold at one moment, as the system lists them: Linux does; elsewhere
/// none are known. Taking a lock to find out would turn away a process that wants it.
#[derive(Debug, Default)]
pub struct HeldLocks(HashSet<(u32, u64)>);

impl HeldLocks {
    /// The locks that are held now.
    pub fn now() -> HeldLocks {
        let list = fs::read_to_string("/proc/locks").unwrap_or_default();
        // 1: FLOCK  ADVISORY  WRITE 4711 08:01:1048583 0 EOF
        let held = |line: &str| {
            let mut words = line.split_whitespace().skip_while(|word| *word != "FLOCK").skip(3);
            let process = words.next()?.parse().ok()?;
            let inode = words.next()?.rsplit(':').next()?.parse().ok()?;
            Some((process, inode))
        };
        HeldLocks(list.lines().filter_map(held).collect())
    }

    /// The process that holds the lock on this file.
    pub fn holder(&self, path: &Path) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let inode = fs::metadata(path).ok()?.ino();
        let process = fs::read_to_string(path).ok()?.trim().parse().ok()?;
        self.0.contains(&(process, inode)).then_some(process)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_lock_is_listed_while_it_is_held() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let lock = Lock::take(&path).expect("free");
        assert_eq!(HeldLocks::now().holder(&path), Some(std::process::id()));
        drop(lock);
        assert_eq!(HeldLocks::now().holder(&path), None);
        assert_eq!(HeldLocks::now().holder(folder.path()), None);
    }
}
