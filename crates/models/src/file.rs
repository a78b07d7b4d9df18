//! Files: mapped into memory, with checksums.
//!
//! - [`map`]: a file mapped into memory.
//! - [`close`] and [`fits`]: checksums embedded in foreign formats, forests and networks.
//!
//! Besides `network::gemm` the only module of this crate with unsafe code, in [`map`].

use std::fs::File;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};
use show::number::hexadecimal;

/// A mapped file.
pub type Mapped = memmap2::Mmap;

/// Maps a regular file for reading.
///
/// A map is safe as long as nobody changes or shortens the file while it is mapped. Models and
/// databases are never changed after writing: they are written under another name and renamed,
/// which keeps a mapped file until its last map is gone. Overwriting one in place may change the
/// numbers read, and truncating one ends the process with a bus error, as with every program that
/// maps files; no byte that is read affects memory safety, so nothing worse can happen.
#[allow(unsafe_code)]
pub fn map(path: &Path) -> io::Result<Mapped> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    // SAFETY: the map is read-only and private to this process; the conditions on the file are
    // stated above, and every read from it goes through slices of plain bytes with bounds checks.
    unsafe { Mapped::map(&file) }
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

// Checksums embedded in foreign file formats: the SHA-256 of all bytes, with its own 64 digits
// read as zeros.

/// The key of a checksum, in forests and in networks.
pub(crate) const KEY: &str = "cardroom.sha256";

/// The placeholder of a checksum: zeros.
pub(crate) const OPEN: &str = match std::str::from_utf8(&[b'0'; DIGITS]) {
    Ok(zeros) => zeros,
    Err(_) => unreachable!(),
};

const DIGITS: usize = 64;

/// Writes the checksum of the bytes over the placeholder at `at`.
pub(crate) fn close(bytes: &mut [u8], at: usize) {
    let sum = sum(bytes, at);
    bytes[at..at + DIGITS].copy_from_slice(sum.as_bytes());
}

/// Whether the checksum at `at` matches the bytes.
pub(crate) fn fits(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + DIGITS).is_some_and(|found| found == sum(bytes, at).as_bytes())
}

fn sum(bytes: &[u8], at: usize) -> String {
    let parts = [&bytes[..at], OPEN.as_bytes(), &bytes[at + DIGITS..]];
    let hash = parts.iter().fold(Sha256::new(), Digest::chain_update);
    hexadecimal(&hash.finalize())
}
