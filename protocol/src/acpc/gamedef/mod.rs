//! Reader, in a strict and a lenient variant, and printer of game definition files.
//!
//! A file is lines of a key and numbers (`blind = 100 50`) between `GAMEDEF` and `END GAMEDEF`;
//! lines that begin with `#` are comments. Two readings exist:
//!
//! - [`Reading::Strict`]: whatever is not understood is an error that says where, why and what to
//!   write instead.
//! - [`Reading::Original`]: the original server's reading. It skips what it does not know, lets
//!   later lines win and truncates numbers to the width of its variables. What it skipped is
//!   returned as warnings.
//!
//! [`print()`] writes a definition in a form that both variants read as the same game.

mod error;
mod original;
mod strict;

use std::fmt::Write;

pub use error::{GameFileError, GameFileProblem, Warning, WarningKind};

use game::{Betting, GameDef, GameSpec};

/// The strictness of reading a game file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// Everything must be understood.
    #[default]
    Strict,
    /// The reading of the original server.
    Original,
}

/// The result of reading a game file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFile {
    /// The game.
    pub def: GameDef,
    /// Warnings of the original reading; empty after a strict reading.
    pub warnings: Vec<Warning>,
}

/// The cap of 255 raises that the original assumes where a file names none.
const NO_CAP_IN_FILES: u32 = 255;

/// The keys that take numbers, in the usual spelling.
const KEYS: [&str; 11] = [
    "numPlayers",
    "numRounds",
    "stack",
    "blind",
    "raiseSize",
    "firstPlayer",
    "maxRaises",
    "numSuits",
    "numRanks",
    "numHoleCards",
    "numBoardCards",
];

/// Reads a game file. `file` is its name in error messages.
pub fn read(text: &[u8], file: &str, reading: Reading) -> Result<GameFile, GameFileError> {
    let result = match reading {
        Reading::Strict => strict::read(text).map(|def| GameFile { def, warnings: Vec::new() }),
        Reading::Original => original::read(text),
    };
    result.map_err(|(line, problem)| GameFileError { file: file.to_owned(), line, problem })
}

fn cap_from_file(cap: u32) -> u32 {
    if cap == NO_CAP_IN_FILES { GameSpec::NO_CAP } else { cap }
}

/// Prints the definition as a game file. Lines that only repeat a default are left out; a cap above
/// 254 raises, which files cannot hold, is printed as none.
pub fn print(spec: &GameSpec) -> String {
    let mut out = String::from("GAMEDEF\n");
    out.push_str(match spec.betting {
        Betting::Limit => "limit\n",
        Betting::NoLimit => "nolimit\n",
    });
    line(&mut out, "numPlayers", [spec.players]);
    line(&mut out, "numRounds", [spec.streets]);
    if spec.stacks.iter().any(|&stack| stack < GameSpec::MAX_STACK) {
        line(&mut out, "stack", &spec.stacks);
    }
    line(&mut out, "blind", &spec.blinds);
    if spec.betting == Betting::Limit {
        line(&mut out, "raiseSize", &spec.raise_sizes);
    }
    if spec.first_to_act.iter().any(|&first| first > 0) {
        line(&mut out, "firstPlayer", spec.first_to_act.iter().map(|first| first + 1));
    }
    if spec.max_raises.iter().any(|&cap| cap < NO_CAP_IN_FILES) {
        line(&mut out, "maxRaises", spec.max_raises.iter().map(|&cap| cap.min(NO_CAP_IN_FILES)));
    }
    line(&mut out, "numSuits", [spec.suits]);
    line(&mut out, "numRanks", [spec.ranks]);
    line(&mut out, "numHoleCards", [spec.hole_cards]);
    line(&mut out, "numBoardCards", &spec.board_cards);
    out.push_str("END GAMEDEF\n");
    out
}

fn line<T: std::fmt::Display>(out: &mut String, key: &str, numbers: impl IntoIterator<Item = T>) {
    out.push_str(key);
    out.push_str(" =");
    for number in numbers {
        write!(out, " {number}").expect("writing to a string cannot fail");
    }
    out.push('\n');
}
