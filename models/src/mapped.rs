//! Files mapped into memory: besides `network::gemm` the one place of this crate with unsafe code.
//!
//! A map is safe as long as nobody changes or shortens the file while it is mapped. Models and
//! databases are never changed once they are written: they are made under another name and renamed,
//! which leaves the mapped file as it was until the last map of it is gone. Whoever overwrites one
//! in place may see other numbers, and whoever cuts it short ends the process with a bus error, as
//! with every program that maps files; no byte that is read decides about memory, so that is all
//! that can happen.

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
    // SAFETY: the map is read-only and private to this process; what the file must not suffer
    // meanwhile is said above, and every read from it goes through slices of plain bytes whose
    // bounds are checked.
    unsafe { Mapped::map(&file) }
}
