//! Files that hold session tokens, which are as good as passwords: nobody but their owner may use them.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use logs::ledger;

use super::RunError;

/// Makes the run's folder for its owner only, or makes it so when it holds a run. A folder of somebody's that
/// holds none yet, such as the present one, is left as it is.
pub(super) fn folder(path: &Path) -> Result<(), RunError> {
    let fail = |source| RunError::File { path: path.to_path_buf(), source };
    if !path.exists() {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(fail)?;
        }
        return match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(fail(error)),
            _ => Ok(()),
        };
    }
    match path.join(ledger::FILE_NAME).exists() {
        true => keep(path, 0o700),
        false => Ok(()),
    }
}

/// Takes the rights of all others away from the ledger's files.
pub(super) fn files(folder: &Path) -> Result<(), RunError> {
    // SQLite gives its other files the rights of the first.
    let suffixes = ["", "-wal", "-shm", "-journal"];
    let path = |suffix| folder.join(format!("{}{suffix}", ledger::FILE_NAME));
    let there = suffixes.into_iter().map(path).filter(|path| path.exists());
    there.collect::<Vec<PathBuf>>().iter().try_for_each(|path| keep(path, 0o600))
}

/// Takes the rights of all but the owner away, and looks whether that has helped.
fn keep(path: &Path, mode: u32) -> Result<(), RunError> {
    let rights = || Ok::<u32, io::Error>(fs::metadata(path)?.permissions().mode() & 0o077);
    let open = |reason: String| RunError::Open { path: path.to_path_buf(), mode, reason };
    if rights().map_err(|error| open(error.to_string()))? == 0 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
        .map_err(|error| open(error.to_string()))?;
    match rights() {
        Ok(0) => {
            tracing::warn!(path = %path.display(), "others could use it, which holds session tokens; no longer");
            Ok(())
        }
        Ok(_) => Err(open("the file system does not keep rights".to_owned())),
        Err(error) => Err(open(error.to_string())),
    }
}
