//! Files and folders that hold tokens, which are as good as passwords: nobody but their owner may
//! use them.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// The rights of a folder that only its owner can use.
pub(crate) const FOLDER: u32 = 0o700;
/// The rights of a file that only its owner can use.
pub(crate) const FILE: u32 = 0o600;

/// Makes a folder that only its owner can use, and those above it. One that is there is left alone.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

/// Takes the rights of all but the owner away from a file or folder, and says so when they had any.
/// Whether they have none now: some file systems do not keep rights. What is not there, or
/// something else, is left alone.
pub(crate) fn take_from_others(path: &Path, mode: u32) -> io::Result<bool> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        found => found?,
    };
    let rights = found.permissions().mode() & 0o777;
    if rights & 0o077 == 0 || !(found.is_file() || found.is_dir()) {
        return Ok(true);
    }
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    let is_kept = fs::metadata(path)?.permissions().mode() & 0o077 == 0;
    if is_kept {
        tracing::warn!(
            path = %path.display(),
            "others than its owner had rights to it ({rights:o}), now none have; tokens in it may be \
             known"
        );
    }
    Ok(is_kept)
}
