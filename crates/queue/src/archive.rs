//! Results as one compressed file: a tar.gz archive with reproducible bytes.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::QueueError;

/// The name of a result inside its archive.
const ROOT: &str = "part";

/// Packs a file, or those files of a folder (and its subfolders) whose name is `included`.
///
/// # Errors
/// When something cannot be read or written.
pub fn pack(from: &Path, included: impl Fn(&str) -> bool, to: &Path) -> Result<(), QueueError> {
    let write = || -> io::Result<()> {
        let zip = GzEncoder::new(BufWriter::new(File::create(to)?), Compression::fast());
        let mut archive = tar::Builder::new(zip);
        archive.mode(tar::HeaderMode::Deterministic);
        if from.is_dir() {
            add(&mut archive, from, Path::new(ROOT), &included)?;
        } else {
            archive.append_path_with_name(from, ROOT)?;
        }
        archive.into_inner()?.finish()?.flush()
    };
    write().map_err(QueueError::io(from))
}

fn add(
    archive: &mut tar::Builder<impl Write>,
    folder: &Path,
    name: &Path,
    included: &impl Fn(&str) -> bool,
) -> io::Result<()> {
    archive.append_dir(name, folder)?;
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, inner) = (entry.path(), name.join(entry.file_name()));
        if path.is_dir() {
            add(archive, &path, &inner, included)?;
        } else if included(&entry.file_name().to_string_lossy()) {
            archive.append_path_with_name(&path, inner)?;
        }
    }
    Ok(())
}

/// Unpacks an archive made by [`pack`] to this path, which must not exist. The archive is
/// untrusted: nothing is written outside that path.
///
/// # Errors
/// When it is not such an archive, or cannot be written.
pub fn unpack(from: &Path, to: &Path) -> Result<(), QueueError> {
    let read = || -> io::Result<()> {
        let beside = tempfile::tempdir_in(to.parent().unwrap_or(Path::new(".")))?;
        let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(File::open(from)?)));
        archive.set_preserve_permissions(false);
        archive.unpack(beside.path())?;
        // The checksum is only verified at the end of the stream.
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
        fs::rename(beside.path().join(ROOT), to)
    };
    read().map_err(QueueError::io(from))
}
