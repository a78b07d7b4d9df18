//! The files of a match folder.

use std::path::Path;

use runs::write_whole;

use crate::MatchInfo;

/// File name of the ACPC log.
pub const ACPC_LOG: &str = "acpc.log";
/// File name of the analysis that the server keeps; it may be deleted.
pub const ANALYSIS: &str = "analysis.json";
/// File name of the decisions, one JSON object a line.
pub const DECISIONS: &str = "decisions.jsonl";
/// File name of the estimates that `cardroom stats` keeps; it may be deleted.
pub const ESTIMATES: &str = "estimates.json";
/// File name of the manifest, for people: [`MatchInfo`] as TOML.
pub const MANIFEST: &str = "manifest.toml";
/// File name of the statistics: a [`Report`](crate::stats::Report) as JSON.
pub const REPORT: &str = "report.json";

/// Every file that a match folder may hold.
pub const FILES: [&str; 12] = [
    crate::ledger::FILE_NAME,
    "ledger.sqlite-wal",
    "ledger.sqlite-shm",
    "ledger.lock",
    "ledger.journal-1",
    "ledger.journal-2",
    ACPC_LOG,
    ANALYSIS,
    DECISIONS,
    ESTIMATES,
    MANIFEST,
    REPORT,
];

/// Writes `manifest.toml` into a match folder.
pub fn write_manifest(folder: &Path, info: &MatchInfo) -> std::io::Result<()> {
    let text = toml::to_string(info).map_err(std::io::Error::other)?;
    write_whole(&folder.join(MANIFEST), |out| out.write_all(text.as_bytes()))
}

/// Parses a manifest's text.
pub fn read_manifest(text: &str) -> Result<MatchInfo, toml::de::Error> {
    text.parse().and_then(toml::Table::try_into)
}
