//! The seeds of a session's cards: hashes of the server's secret and the session's number.
//!
//! The secret is made once from the system's randomness and kept in a file that only its owner can
//! read. Since every seed is a hash of it, no cards seen in a session reveal others; with the
//! secret, every deal can be made again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// The system's source of randomness.
const SOURCE: &str = "/dev/urandom";

/// The server's secret, and a source of tokens.
#[derive(Debug)]
pub(super) struct Secret {
    secret: [u8; 32],
    tokens: Mutex<ChaCha20Rng>,
    process: u8,
}

/// The seeds of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seeds {
    /// The seed of the cards.
    pub(super) deals: u64,
    /// The seed of the agent's random choices.
    pub(super) decisions: u64,
    /// The seed of its choices when it plays itself.
    pub(super) baseline: u64,
}

impl Secret {
    /// Reads the secret from this file, or makes it. Tokens begin with the number of the process,
    /// unless it is 0.
    pub(super) fn open(path: &Path, process: u8) -> io::Result<Secret> {
        let secret = match fs::read(path) {
            Ok(bytes) => bytes.try_into().map_err(|_| {
                io::Error::other(
                    "it does not hold the 32 bytes of a secret; remove it to get a new one",
                )
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = system_randomness()?;
                // Complete or not at all.
                let temporary = path.with_extension("tmp");
                // A left-over file may have other permissions.
                let _ = fs::remove_file(&temporary);
                let mut options = OpenOptions::new();
                let mut file = options.write(true).create_new(true).mode(0o600).open(&temporary)?;
                file.write_all(&secret)?;
                file.sync_all()?;
                fs::rename(&temporary, path)?;
                secret
            }
            Err(error) => return Err(error),
        };
        let tokens = Mutex::new(ChaCha20Rng::from_seed(system_randomness()?));
        Ok(Secret { secret, tokens, process })
    }

    /// The seeds of the session with this number.
    pub(super) fn seeds(&self, number: u32) -> Seeds {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        hash.update(number.to_le_bytes());
        let bytes: [u8; 32] = hash.finalize().into();
        let word = |i: usize| {
            let bytes = bytes[8 * i..8 * i + 8].try_into();
            u64::from_le_bytes(bytes.expect("eight bytes"))
        };
        Seeds { deals: word(0), decisions: word(1), baseline: word(2) }
    }

    /// A new token: the 128 bits of a random UUID (version 4). If several processes share one
    /// address, the first eight bits are the process number, by which a proxy finds the session.
    pub(super) fn token(&self) -> u128 {
        let mut rng = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let random = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let version = 0xF << 76;
        let variant = 0b11 << 62;
        let token = random & !version & !variant | 4 << 76 | 0b10 << 62;
        match self.process {
            0 => token,
            process => token & !(0xFF << 120) | u128::from(process) << 120,
        }
    }
}

fn system_randomness() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    File::open(SOURCE)?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The text of a token: 8-4-4-4-12 hexadecimal digits.
pub(super) fn token_text(token: u128) -> String {
    let (a, b, c) = (token >> 96, token >> 80 & 0xFFFF, token >> 64 & 0xFFFF);
    let (d, e) = (token >> 48 & 0xFFFF, token & 0xFFFF_FFFF_FFFF);
    format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}")
}

/// Parses a token; `None` when the text is not one of ours.
pub(super) fn parse_token(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    bytes.iter().enumerate().try_fold(0, |token: u128, (i, &byte)| match (i, byte) {
        (8 | 13 | 18 | 23, b'-') => Some(token),
        (8 | 13 | 18 | 23, _) => None,
        _ => Some(token << 4 | u128::from(char::from(byte).to_digit(16)?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random_uuids_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = Secret::open(&folder.path().join("secret"), 0).expect("a secret");
        let mut seen = std::collections::HashSet::new();
        for _ in 0..1000 {
            let token = secret.token();
            let text = token_text(token);
            assert!(seen.insert(token), "{text} came twice");
            assert_eq!(text.len(), 36);
            assert_eq!(&text[14..15], "4", "{text}");
            assert!("89ab".contains(&text[19..20]), "{text}");
            assert_eq!(parse_token(&text), Some(token));
            assert_eq!(parse_token(&text.to_uppercase()), Some(token));
        }
        let behind = Secret::open(&folder.path().join("secret"), 0x0B).expect("the same");
        for _ in 0..100 {
            let text = token_text(behind.token());
            assert!(text.starts_with("0b") && &text[14..15] == "4", "{text}");
        }
        for bad in [
            "",
            "x",
            "01234567-89ab-4cde-8f01-23456789abcg",
            "0123456789ab-4cde-8f01-23456789abcd-",
        ] {
            assert_eq!(parse_token(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_secret_stays_and_nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        let first = Secret::open(&path, 0).expect("a secret");
        let again = Secret::open(&path, 0).expect("a secret");
        assert_eq!(first.seeds(3), again.seeds(3));
        assert_ne!(first.seeds(3), first.seeds(4));
        assert_ne!(first.token(), again.token());
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        fs::write(&path, "short").expect("written");
        assert!(Secret::open(&path, 0).is_err());
    }
}
