//! Game definitions by name or by file, as `--game` takes them.

use std::fs;
use std::fs::File;
use std::io;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use game::GameDef;
use protocol::acpc;
use protocol::acpc::gamedef;
use protocol::acpc::gamedef::{GameFile, Reading};

use crate::Error;

/// The largest game file that is read, in bytes; game files have a few hundred.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Loads the game file at a path, or the built-in game of that name.
pub fn load_game(name_or_path: &str, reading: Reading) -> Result<Arc<GameDef>, Error> {
    Ok(Arc::new(load_game_file(name_or_path, reading)?.def))
}

/// [`load_game`], with the warnings of the original reading.
pub fn load_game_file(name_or_path: &str, reading: Reading) -> Result<GameFile, Error> {
    let path = Path::new(name_or_path);
    match read(path) {
        Ok(text) => Ok(gamedef::read(&text, name_or_path, reading)?),
        Err(error) => match acpc::find(name_or_path) {
            Some(game) => Ok(gamedef::read(game.text.as_bytes(), game.name, reading)?),
            None if error.kind() == ErrorKind::NotFound => {
                let nearest = acpc::nearest(name_or_path);
                let hint = nearest.map(|game| format!("; did you mean `{game}`?"));
                let hint = hint.unwrap_or_default();
                Err(Error::new(format!(
                    "`{name_or_path}` is neither a file nor a built-in game{hint}"
                )))
            }
            None => Err(Error::new(format!("cannot read the game file {name_or_path}: {error}"))),
        },
    }
}

/// Refuses a game in which cards of a hand are put on the board, for drivers that do not play it.
///
/// # Errors
/// When it is one; the error names those that do.
pub fn without_discards(name: &str, def: &GameDef) -> Result<(), Error> {
    if !def.discards {
        return Ok(());
    }
    Err(Error::new(format!(
        "`{name}` is a game in which cards are put on the board: only `match`, `tournament`, \
         scrimmages and `play pokerbots --game {name}` play it"
    )))
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
