//! Memory-mapped files. Besides `network::gemm` the only module of this crate with unsafe code.
//!
//! A map is safe as long as nobody changes or shortens the file while it is mapped. Models and
//! databases are never changed after writing: they are written under another name and renamed,
//! which keeps a mapped file until its last map is gone. Overwriting one in place may change the
//! numbers read, and truncating one ends the process with a bus error, as with every program that
//! maps files; no byte that is read affects memory safety, so nothing worse can happen.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;

/// A mapped file.
pub type Mapped = memmap2::Mmap;

/// Maps a regular file for reading.
pub fn map(path: &Path) -> io::Result<Mapped> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    // SAFETY: the map is read-only and private to this process; the conditions on the file are
    // stated above, and every read from it goes through slices of plain bytes with bounds checks.
    unsafe { Mapped::map(&file) }
}
