//! Games by name or by file: what `--game` takes everywhere.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::GameDef;
use protocol::acpc;
use protocol::acpc::gamedef::{self, GameFile, GameFileError, Reading};

/// The largest game file that is read, in bytes; game files have some hundred.
const LARGEST: u64 = 1 << 20;

/// A game that cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadGameError {
    /// There is no such file and no built-in game of this name.
    #[error(
        "`{name}` is neither a file nor a built-in game{}",
        .nearest.map(|game| format!("; did you mean `{game}`?")).unwrap_or_default()
    )]
    NotFound {
        /// What was asked for.
        name: String,
        /// The built-in game nearest to it.
        nearest: Option<&'static str>,
    },
    /// The file cannot be read.
    #[error("cannot read the game file {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file does not give a game.
    #[error(transparent)]
    File(#[from] GameFileError),
}

/// Loads the game file at a path, or else the built-in game of that name.
pub fn load_game(name_or_path: &str, reading: Reading) -> Result<Arc<GameDef>, LoadGameError> {
    Ok(Arc::new(load_game_file(name_or_path, reading)?.def))
}

/// As [`load_game`], with the warnings of the original reading.
pub fn load_game_file(name_or_path: &str, reading: Reading) -> Result<GameFile, LoadGameError> {
    let path = Path::new(name_or_path);
    match read(path) {
        Ok(text) => Ok(gamedef::read(&text, name_or_path, reading)?),
        Err(source) => match acpc::find(name_or_path) {
            Some(game) => Ok(gamedef::read(game.text.as_bytes(), game.name, reading)?),
            None if source.kind() == ErrorKind::NotFound => Err(LoadGameError::NotFound {
                name: name_or_path.to_owned(),
                nearest: acpc::nearest(name_or_path),
            }),
            None => Err(LoadGameError::Io { path: path.to_owned(), source }),
        },
    }
}

/// The bytes of a regular file of sensible size: a device or a pipe might never end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let refuse = |reason: &str| Err(io::Error::new(ErrorKind::InvalidInput, reason));
    if !fs::metadata(path)?.is_file() {
        return refuse("it is not a regular file");
    }
    let mut text = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        return refuse("it is larger than 1 MiB, which no game definition is");
    }
    Ok(text)
}
