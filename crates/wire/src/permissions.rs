//! Permissions of the files and folders that hold tokens, which work like passwords: only their
//! owner may read them.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// The mode of a folder that only its owner can use.
pub(crate) const FOLDER: u32 = 0o700;
/// The mode of a file that only its owner can use.
pub(crate) const FILE: u32 = 0o600;

/// Makes a folder for its owner only, with its parents. An existing one is left as it is.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

/// Restricts a file or folder to its owner, with a log line if others had permissions. Returns
/// whether others have none now: some file systems do not keep permissions. A path that does not
/// exist, or is of another kind, is left alone.
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
            "users other than its owner had access to it ({rights:o}), and now have none; tokens \
             in it may be known"
        );
    }
    Ok(is_kept)
}
