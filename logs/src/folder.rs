//! The files of a match folder, and atomic writing of them.

use std::io::Write;
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
