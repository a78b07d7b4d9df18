//! What a team hands in, a zip or a folder, becomes a folder of our own, within limits.
//!
//! Nothing in it is believed: sizes are those that come out, paths may not lead elsewhere, and
//! there are no links. It is read into a fresh folder, which is dropped with everything in it if
//! anything is wrong.

use std::fs;
use std::fs::{File, OpenOptions};
use std::io;
use std::io::{Cursor, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

// Which of its implementations `zip` inflates with.
use flate2 as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;
use tempfile::TempDir;
use zip::ZipArchive;
use zip::result::ZipError;

/// The file that every bot has.
const COMMANDS: &str = "commands.json";

/// Most folders within each other.
const DEPTH: usize = 16;

/// Most bytes of a path.
const PATH: usize = 400;

/// What a team may hand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Most bytes of a zip.
    pub packed: u64,
    /// Most bytes of all files.
    pub unpacked: u64,
    /// Most files and folders.
    pub entries: usize,
}

/// Why something is not taken, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub(crate) String);

impl Refused {
    fn new(text: impl Into<String>) -> Refused {
        Refused(text.into())
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Refused {
        Refused(format!("it cannot be stored here: {error}"))
    }
}

/// A bot's folder that has been taken in and has no place yet; dropped with its files.
#[derive(Debug)]
pub struct Taken {
    holder: TempDir,
    /// The folder with `commands.json`.
    root: PathBuf,
    /// What is in it.
    pub content: Content,
}

/// What identifies a bot's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The number of files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The SHA-256 of paths and bytes.
    pub sha256: String,
}

impl Taken {
    /// Unpacks a zip into a fresh folder in `home`.
    ///
    /// # Errors
    /// When it is no whole zip, is larger than the limits, or leads out of its folder.
    pub fn zip(bytes: &[u8], home: &Path, limits: &IntakeLimits) -> Result<Taken, Refused> {
        if bytes.len() as u64 > limits.packed {
            return Err(too_much("zip", bytes.len() as u64, limits.packed));
        }
        let damaged = |error: ZipError| {
            Refused::new(format!(
                "it is not a whole zip ({error}): make one with `zip -r bot.zip .` in the bot's \
                 folder"
            ))
        };
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        if archive.len() > limits.entries {
            return Err(too_many(archive.len(), limits));
        }
        // The reader keeps one of several entries of a name.
        if let Some(written) = entries_written(bytes)
            && written != archive.len()
        {
            return Err(Refused::new(format!(
                "two of its files have one name: it has {written} entries and {} names",
                archive.len()
            )));
        }
        if archive.has_overlapping_files().map_err(damaged)? {
            return Err(Refused::new("its files share bytes, which those of a usual zip do not"));
        }
        let mut writer = Writer::new(home, limits)?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(damaged)?;
            let name = entry.name().to_owned();
            let mode = entry.unix_mode();
            let path = inner_path(&name)?;
            match mode.map(|mode| mode & 0o170_000) {
                None | Some(0 | 0o100_000 | 0o040_000) => {}
                Some(_) => {
                    return Err(Refused::new(format!(
                        "{name:?} is a link or a device: hand in files and folders only"
                    )));
                }
            }
            if entry.is_dir() {
                writer.folder(&path)?;
            } else {
                writer.file(&path, mode.is_some_and(|mode| mode & 0o111 != 0), &mut entry)?;
            }
        }
        writer.finish()
    }

    /// Copies a folder into a fresh one in `home`. Names that begin with a dot are left out: they
    /// are those of tools, such as `.git`.
    ///
    /// # Errors
    /// When it cannot be read, is larger than the limits, or has links.
    pub fn folder(from: &Path, home: &Path, limits: &IntakeLimits) -> Result<Taken, Refused> {
        let mut writer = Writer::new(home, limits)?;
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            let mut entries = fs::read_dir(from.join(&folder))?.collect::<io::Result<Vec<_>>>()?;
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let name = entry.file_name();
                if name.to_string_lossy().starts_with('.') {
                    continue;
                }
                let path = inner_path(&folder.join(&name).to_string_lossy())?;
                // Not that of what a link leads to.
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    writer.folder(&path)?;
                    open.push(path);
                } else if kind.is_file() {
                    let mut file = File::open(entry.path())?;
                    let executable = file.metadata()?.permissions().mode() & 0o111 != 0;
                    writer.file(&path, executable, &mut file)?;
                } else {
                    return Err(Refused::new(format!(
                        "{} is a link or a device: hand in files and folders only",
                        entry.path().display()
                    )));
                }
            }
        }
        writer.finish()
    }

    /// Gives it its place: the folder appears there whole, or not at all.
    ///
    /// # Errors
    /// When it cannot be moved there.
    pub fn place(self, at: &Path) -> io::Result<()> {
        fs::rename(&self.root, at)?;
        self.holder.close()
    }
}

fn too_much(what: &str, bytes: u64, most: u64) -> Refused {
    Refused::new(format!(
        "the {what} has at least {bytes} bytes, and {most} are allowed: leave out what the bot \
         does not need"
    ))
}

fn too_many(entries: usize, limits: &IntakeLimits) -> Refused {
    Refused::new(format!(
        "it has at least {entries} files and folders, and {} are allowed: leave out what the bot \
         does not need",
        limits.entries
    ))
}

/// The path as one below a folder.
fn inner_path(name: &str) -> Result<PathBuf, Refused> {
    let bad = |reason: &str| Err(Refused::new(format!("the path {name:?} {reason}")));
    if name.len() > PATH {
        return bad("is too long");
    }
    if name.contains('\\') || name.contains(char::is_control) {
        return bad("has a backslash or a control character");
    }
    let mut path = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            _ => return bad("leads out of the bot's folder"),
        }
    }
    match path.components().count() {
        0 => bad("names nothing"),
        depth if depth > DEPTH => bad("has too many folders within each other"),
        _ => Ok(path),
    }
}

/// Writes files into a fresh folder, within limits.
struct Writer {
    holder: TempDir,
    /// The folder in it for what is written.
    files: PathBuf,
    limits: IntakeLimits,
    entries: usize,
    bytes: u64,
}

impl Writer {
    fn new(home: &Path, limits: &IntakeLimits) -> Result<Writer, Refused> {
        fs::create_dir_all(home)?;
        // Only this user can read it.
        let holder = tempfile::Builder::new().prefix("incoming-").tempdir_in(home)?;
        let files = holder.path().join("files");
        fs::create_dir(&files)?;
        Ok(Writer { holder, files, limits: *limits, entries: 0, bytes: 0 })
    }

    fn count(&mut self) -> Result<(), Refused> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(too_many(self.entries, &self.limits));
        }
        Ok(())
    }

    fn folder(&mut self, path: &Path) -> Result<(), Refused> {
        self.count()?;
        fs::create_dir_all(self.files.join(path)).map_err(|error| clash(path, &error))
    }

    fn file(
        &mut self,
        path: &Path,
        executable: bool,
        content: &mut dyn Read,
    ) -> Result<(), Refused> {
        self.count()?;
        let full = self.files.join(path);
        if let Some(parent) = full.parent() {
            fs::create_dir_all(parent).map_err(|error| clash(path, &error))?;
        }
        let mode = if executable { 0o700 } else { 0o600 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&full);
        let mut file = file.map_err(|error| clash(path, &error))?;
        let room = self.limits.unpacked.saturating_sub(self.bytes);
        let mut chunk = [0; 1 << 14];
        let mut written = 0;
        loop {
            let read = content.read(&mut chunk).map_err(|error| {
                Refused::new(format!("{} cannot be read: {error}", path.display()))
            })?;
            if read == 0 {
                break;
            }
            written += read as u64;
            if written > room {
                let most = self.limits.unpacked;
                return Err(too_much("bot", self.bytes + written, most));
            }
            file.write_all(&chunk[..read])?;
        }
        self.bytes += written;
        Ok(())
    }

    /// Finds the bot in what was written: `commands.json`, beside which or in whose folder all is.
    fn finish(self) -> Result<Taken, Refused> {
        let top = self.files;
        let root = if top.join(COMMANDS).is_file() {
            top
        } else {
            let entries = fs::read_dir(&top)?.collect::<io::Result<Vec<_>>>()?;
            let with = entries.iter().map(fs::DirEntry::path);
            let mut with = with.filter(|path| path.join(COMMANDS).is_file());
            match (with.next(), with.next()) {
                (Some(root), None) => root,
                _ => {
                    return Err(Refused::new(format!(
                        "it has no {COMMANDS}, with the commands `build` and `run`, at its top or \
                         in one folder there"
                    )));
                }
            }
        };
        let content = Content::of_folder(&root)?;
        Ok(Taken { holder: self.holder, root, content })
    }
}

/// The number of entries that the end of a zip's directory states (APPNOTE.TXT, section 4.3.16);
/// `None` where another record has it, as in zips of more than 65,534 entries.
fn entries_written(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let entries = bytes.get(end + 10..end + 12)?;
    let entries = u16::from_le_bytes([entries[0], entries[1]]);
    (entries != u16::MAX).then_some(entries.into())
}

/// The error for a path that another one is in the way of.
fn clash(path: &Path, error: &io::Error) -> Refused {
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            Refused::new(format!("{} is there twice", path.display()))
        }
        _ => Refused::new(format!("{} cannot be stored here: {error}", path.display())),
    }
}

impl Content {
    /// The content of a folder without links.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_folder(folder: &Path) -> io::Result<Content> {
        let mut files = Vec::new();
        let mut open = vec![folder.to_owned()];
        while let Some(inner) = open.pop() {
            for entry in fs::read_dir(inner)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    open.push(entry.path());
                } else {
                    files.push(entry.path());
                }
            }
        }
        files.sort();
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        for path in &files {
            let text = fs::read(path)?;
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
            let executable = fs::metadata(path)?.permissions().mode() & 0o111 != 0;
            hash.update(format!("{} {} {executable} {name}\n", name.len(), text.len()));
            hash.update(&text);
            bytes += text.len() as u64;
        }
        Ok(Content { files: files.len(), bytes, sha256: hexadecimal(&hash.finalize()) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_path_of_a_zip_never_leaves_its_folder(name in "[./a\\\\:\0-]{0,24}|\\PC{0,24}") {
            if let Ok(path) = inner_path(&name) {
                prop_assert!(path.components().all(|part| matches!(part, Component::Normal(_))));
                prop_assert!(Path::new("/home").join(path).starts_with("/home"));
            }
        }

        #[test]
        fn bytes_that_are_no_zip_are_refused_and_leave_nothing(
            bytes in prop::collection::vec(any::<u8>(), 0..200)
        ) {
            let home = tempfile::tempdir().expect("a folder");
            let limits = IntakeLimits { packed: 1000, unpacked: 1000, entries: 10 };
            prop_assert!(Taken::zip(&bytes, home.path(), &limits).is_err());
            prop_assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 0);
        }
    }
}
