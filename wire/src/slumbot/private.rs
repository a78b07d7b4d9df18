//! Access to the run's folder and ledger, which hold session tokens: for their owner only.

use std::io;
use std::path::{Path, PathBuf};

use logs::ledger;

use super::RunError;
use crate::permissions::{self, FILE, FOLDER, take_from_others};

/// Makes the run's folder with access for its owner only; restricts an existing one if it holds a
/// run. Other folders, such as the current directory, are left as they are.
pub(super) fn folder(path: &Path) -> Result<(), RunError> {
    let fail = |source| RunError::File { path: path.to_path_buf(), source };
    if !path.exists() {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(fail)?;
        }
        return permissions::make_folder(path).map_err(fail);
    }
    match path.join(ledger::FILE_NAME).exists() {
        true => keep(path, FOLDER),
        false => Ok(()),
    }
}

/// Restricts the ledger's files to their owner.
pub(super) fn files(folder: &Path) -> Result<(), RunError> {
    // SQLite gives its further files the permissions of the first.
    let suffixes = ["", "-wal", "-shm", "-journal"];
    let path = |suffix| folder.join(format!("{}{suffix}", ledger::FILE_NAME));
    let there = suffixes.into_iter().map(path).filter(|path| path.exists());
    there.collect::<Vec<PathBuf>>().iter().try_for_each(|path| keep(path, FILE))
}

fn keep(path: &Path, mode: u32) -> Result<(), RunError> {
    let unkept = || io::Error::other("the file system does not store permissions");
    let kept = take_from_others(path, mode).and_then(|kept| kept.then_some(()).ok_or_else(unkept));
    kept.map_err(|error| RunError::Open {
        path: path.to_path_buf(),
        mode,
        reason: error.to_string(),
    })
}
