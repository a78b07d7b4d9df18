//! The files of a match folder, atomic writing of them, and the lock of their one writer.

use std::collections::HashSet;
use std::fs;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::MatchInfo;

/// File name of the ACPC log.
pub const ACPC_LOG: &str = "acpc.log";
/// File name of the decisions, one JSON object a line.
pub const DECISIONS: &str = "decisions.jsonl";
/// File name of the estimates that `cardroom stats` keeps; it may be deleted.
pub const ESTIMATES: &str = "estimates.json";
/// File name of the manifest, for people: [`MatchInfo`] as TOML.
pub const MANIFEST: &str = "manifest.toml";
/// File name of the statistics: a [`Report`](crate::stats::Report) as JSON.
pub const REPORT: &str = "report.json";

/// Every file that a match folder may hold.
pub const FILES: [&str; 11] = [
    crate::ledger::FILE_NAME,
    "ledger.sqlite-wal",
    "ledger.sqlite-shm",
    "ledger.lock",
    "ledger.journal-1",
    "ledger.journal-2",
    ACPC_LOG,
    DECISIONS,
    ESTIMATES,
    MANIFEST,
    REPORT,
];

/// Makes a folder and those above it.
///
/// # Errors
/// Those of the system; says so where a file has the folder's name.
pub fn create(path: &Path) -> std::io::Result<()> {
    if path.exists() && !path.is_dir() {
        let reason = "a file has this name: choose another folder with --out";
        return Err(std::io::Error::new(std::io::ErrorKind::NotADirectory, reason));
    }
    std::fs::create_dir_all(path)
}

/// Writes a file atomically: under a temporary name, then renamed.
///
/// An existing path that is not a regular file (a device, a pipe, a link) is written into directly:
/// renaming would replace it by a file.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        write(&mut file)?;
        return file.flush();
    }
    let mut name = path.as_os_str().to_os_string();
    name.push(".tmp");
    let temporary = Path::new(&name);
    let written = (|| {
        let mut file = std::io::BufWriter::new(std::fs::File::create(temporary)?);
        write(&mut file)?;
        file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(temporary, path)
    })();
    if written.is_err() {
        // The first error is the relevant one.
        let _ = std::fs::remove_file(temporary);
    }
    written
}

/// Writes `manifest.toml` into a match folder.
pub fn write_manifest(folder: &Path, info: &MatchInfo) -> std::io::Result<()> {
    let text = toml::to_string(info).map_err(std::io::Error::other)?;
    write_whole(&folder.join(MANIFEST), |out| out.write_all(text.as_bytes()))
}

/// Parses a manifest's text.
pub fn read_manifest(text: &str) -> Result<MatchInfo, toml::de::Error> {
    text.parse().and_then(toml::Table::try_into)
}

/// A held lock of the single writer, released on drop. The operating system ties it to the open
/// file and releases it when the process ends in any way.
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
