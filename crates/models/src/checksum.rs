//! Checksums embedded in foreign file formats: the SHA-256 of all bytes, with its own 64 digits
//! read as zeros.

use sha2::{Digest, Sha256};
use show::number::hexadecimal;

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
