//! A match folder: which files it holds, and writing them whole.

use std::io::Write;
use std::path::Path;

use crate::MatchInfo;

/// The ACPC log.
pub const ACPC_LOG: &str = "acpc.log";
/// The decisions, one JSON object a line.
pub const DECISIONS: &str = "decisions.jsonl";
/// What the match is, for people: [`MatchInfo`] as TOML.
pub const MANIFEST: &str = "manifest.toml";
/// The statistics: a [`Report`](crate::stats::Report) as JSON.
pub const REPORT: &str = "report.json";

/// Every file that a match folder may hold.
pub const FILES: [&str; 10] = [
    crate::ledger::FILE_NAME,
    "ledger.sqlite-wal",
    "ledger.sqlite-shm",
    "ledger.lock",
    "ledger.journal-1",
    "ledger.journal-2",
    ACPC_LOG,
    DECISIONS,
    MANIFEST,
    REPORT,
];

/// Writes a file under a temporary name and renames it, so that it is there whole or not at all.
///
/// What is there and no regular file (a device, a pipe, a link) is kept and written into: renaming
/// would put a file in its place.
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
        // The error that matters is the first one.
        let _ = std::fs::remove_file(temporary);
    }
    written
}

/// Writes `manifest.toml` into a match folder.
pub fn write_manifest(folder: &Path, info: &MatchInfo) -> std::io::Result<()> {
    let text = toml::to_string(info).map_err(std::io::Error::other)?;
    write_whole(&folder.join(MANIFEST), |out| out.write_all(text.as_bytes()))
}

/// Reads a manifest's text.
pub fn read_manifest(text: &str) -> Result<MatchInfo, toml::de::Error> {
    toml::from_str(text)
}
