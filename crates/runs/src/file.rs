//! Files of runs: replaced whole, locked by their one writer.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Makes a folder and those above it.
///
/// # Errors
/// Those of the system; says so where a file has the folder's name.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if path.exists() && !path.is_dir() {
        let reason = "a file has this name: choose another folder with --out";
        return Err(io::Error::new(io::ErrorKind::NotADirectory, reason));
    }
    fs::create_dir_all(path)
}

/// The paths of what is in a folder, in no order; none where there is no such folder.
///
/// # Errors
/// Those of the system.
pub fn paths_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.path())).collect(),
    }
}

/// Writes a file atomically: under a temporary name, then renamed.
///
/// An existing path that is not a regular file (a device, a pipe, a link) is written into directly:
/// renaming would replace it by a file.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        let mut file = io::BufWriter::new(fs::File::create(path)?);
        write(&mut file)?;
        return file.flush();
    }
    let mut name = path.as_os_str().to_os_string();
    name.push(".tmp");
    let temporary = Path::new(&name);
    let written = (|| {
        let mut file = io::BufWriter::new(fs::File::create(temporary)?);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(temporary, path)
    })();
    if written.is_err() {
        // The first error is the relevant one.
        let _ = fs::remove_file(temporary);
    }
    written
}

/// A held lock of the single writer, released on drop. The operating system ties it to the open
/// file and releases it when the process ends in any way.
#[derive(Debug)]
pub struct Lock {
    file: File,
    /// The file's path, if it has no meaning without the lock: it is then removed with it.
    temporary: Option<PathBuf>,
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
            let lock = Lock::from_file(file).map_err(|error| match error {
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

    /// As [`Lock::take`], for a file that is removed with the lock.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn temporary(path: PathBuf) -> Result<Lock, LockError> {
        let mut lock = Lock::take(&path)?;
        lock.temporary = Some(path);
        Ok(lock)
    }

    /// Locks an open file, whose content is left as it is.
    ///
    /// # Errors
    /// See [`LockError`]; the id of the other process is not known.
    pub fn from_file(file: File) -> Result<Lock, LockError> {
        match file.try_lock() {
            Ok(()) => Ok(Lock { file, temporary: None }),
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
        if let Some(path) = &self.temporary {
            // A file that stays does no harm: it is not locked.
            let _ = fs::remove_file(path);
        }
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

/// The path with this ending appended to its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    name.into()
}

/// One file that a long run replaces from time to time, and from which the same run goes on.
///
/// It is written under a temporary name and renamed, so that after any kind of end the file is the
/// last checkpoint or the one before. Only one process at a time writes it: it holds a lock on a
/// small file beside it, which the operating system releases with the process.
pub struct Checkpoint {
    path: PathBuf,
    /// Time between checkpoints.
    pause: Duration,
    /// Time of the last one, or of the beginning.
    last: Instant,
    lock: Option<Lock>,
}

impl Checkpoint {
    /// A checkpoint in this file, to be written after each `pause`.
    pub fn new(path: PathBuf, pause: Duration) -> Checkpoint {
        Checkpoint { path, pause, last: Instant::now(), lock: None }
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of the file; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> io::Result<Option<Vec<u8>>> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Whether the next checkpoint is due.
    pub fn due(&self) -> bool {
        self.last.elapsed() >= self.pause
    }

    /// Takes the lock, if this process does not have it, and makes the file's folder.
    ///
    /// # Errors
    /// See [`LockError`].
    pub fn lock(&mut self) -> Result<(), LockError> {
        if self.lock.is_none() {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder).map_err(LockError::Io)?;
            }
            self.lock = Some(Lock::temporary(beside(&self.path, ".lock"))?);
        }
        Ok(())
    }

    /// Replaces the file. Even on a slow disk, writing takes at most a tenth of the time.
    ///
    /// # Errors
    /// When the file cannot be written, or another process writes it; the file is then as before.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let begun = Instant::now();
        let written = match self.lock() {
            Ok(()) => write_whole(&self.path, write),
            Err(LockError::Taken(_)) => {
                Err(io::Error::other("another process keeps the same run there"))
            }
            Err(LockError::Io(error)) => Err(error),
        };
        self.pause = self.pause.max(10 * begun.elapsed());
        self.last = Instant::now();
        written
    }

    /// Removes the file, unless another process has its lock: the run is done. A file that cannot
    /// be removed stays, and does no harm.
    pub fn remove(&mut self) {
        let unfinished = beside(&self.path, ".tmp");
        if (self.path.exists() || unfinished.exists()) && self.lock().is_ok() {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(unfinished);
        }
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

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("it works");
        let path = folder.path().join("report.json");
        fs::write(&path, "old").expect("it works");
        let failed = write_whole(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).expect("it works"), "old");
        write_whole(&path, |out| out.write_all(b"new")).expect("it works");
        assert_eq!(fs::read_to_string(&path).expect("it works"), "new");
        assert_eq!(fs::read_dir(folder.path()).expect("it works").count(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_no_regular_file_is_written_into_and_stays() {
        let folder = tempfile::tempdir().expect("it works");
        let [full, link, target] = ["full", "link", "target"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink("/dev/full", &full).expect("it works");
        let error = write_whole(&full, |out| out.write_all(b"text")).expect_err("refused");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(full.is_symlink());

        std::os::unix::fs::symlink(&target, &link).expect("it works");
        write_whole(&link, |out| out.write_all(b"text")).expect("it works");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).expect("it works"), "text");
    }
}
