//! What learners learn from: datasets of decisions, tables of rows, situations, solved games.

pub mod database;
pub mod dataset;
pub mod situations;
pub(crate) mod table;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use show::number::hexadecimal;

pub use table::{Bins, Codes, Table};
pub(crate) use table::{between, cuts};

/// Where a file or folder is made before it is complete and renamed: `NAME.partial`.
pub(crate) fn partial_path(out: &Path) -> PathBuf {
    runs::beside(out, ".partial")
}

/// The SHA-256 of what is left of a file, in hexadecimal digits.
fn sha256_of_rest(mut file: impl Read) -> io::Result<String> {
    let (mut sum, mut piece) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hexadecimal(&sum.finalize())),
            read => sum.update(&piece[..read]),
        }
    }
}
