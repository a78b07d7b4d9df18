//! Game definitions by name or by file, as `--game` takes them.

use std::fs;
use std::fs::File;
use std::io;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::GameDef;
use protocol::acpc;
use protocol::acpc::gamedef;
use protocol::acpc::gamedef::{GameFile, GameFileError, Reading};

/// The largest game file that is read, in bytes; game files have a few hundred.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The reason why a game cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadGameError {
    /// There is neither such a file nor a built-in game of this name.
    #[error(
        "`{name}` is neither a file nor a built-in game{}",
        .nearest.map(|game| format!("; did you mean `{game}`?")).unwrap_or_default()
    )]
    NotFound {
        /// The name or path that was given.
        name: String,
        /// The built-in game with the nearest name.
        nearest: Option<&'static str>,
    },
    /// The file cannot be read.
    #[error("cannot read the game file {}: {source}", .path.display())]
    Io {
        /// The file's path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a valid game definition.
    #[error(transparent)]
    File(#[from] GameFileError),
}

/// Loads the game file at a path, or the built-in game of that name.
pub fn load_game(name_or_path: &str, reading: Reading) -> Result<Arc<GameDef>, LoadGameError> {
    Ok(Arc::new(load_game_file(name_or_path, reading)?.def))
}

/// [`load_game`], with the warnings of the original reading.
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

/// Reads a regular file of limited size: a device or a pipe might never end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let refuse = |reason: &str| Err(io::Error::new(ErrorKind::InvalidInput, reason));
    if !fs::metadata(path)?.is_file() {
        return refuse("it is not a regular file");
    }
    let mut text = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return refuse("it is larger than 1 MiB, which no game definition is");
    }
    Ok(text)
}
