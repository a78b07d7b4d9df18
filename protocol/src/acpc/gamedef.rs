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

use std::fmt::{self, Write};

use game::{Betting, GameDef, GameDefError, GameSpec, MAX_PLAYERS, Quirks};

use super::scan;

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
const KEYS: [&str; 12] = [
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
    DISCARDS,
];

/// The key of what no game of the original server has: 1 if each player puts a card on the board
/// with the flop, whose number of cards includes these. Only the strict reading knows it.
const DISCARDS: &str = "numDiscards";

/// Reads a game file. `file` is its name in error messages.
pub fn read(text: &[u8], file: &str, reading: Reading) -> Result<GameFile, GameFileError> {
    let result = match reading {
        Reading::Strict => read_strict(text).map(|def| GameFile { def, warnings: Vec::new() }),
        Reading::Original => read_original(text),
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
    write_line(&mut out, "numPlayers", [spec.players]);
    write_line(&mut out, "numRounds", [spec.streets]);
    if spec.stacks.iter().any(|&stack| stack < GameSpec::MAX_STACK) {
        write_line(&mut out, "stack", &spec.stacks);
    }
    write_line(&mut out, "blind", &spec.blinds);
    if spec.betting == Betting::Limit {
        write_line(&mut out, "raiseSize", &spec.raise_sizes);
    }
    if spec.first_to_act.iter().any(|&first| first > 0) {
        write_line(&mut out, "firstPlayer", spec.first_to_act.iter().map(|first| first + 1));
    }
    if spec.max_raises.iter().any(|&cap| cap < NO_CAP_IN_FILES) {
        write_line(
            &mut out,
            "maxRaises",
            spec.max_raises.iter().map(|&cap| cap.min(NO_CAP_IN_FILES)),
        );
    }
    write_line(&mut out, "numSuits", [spec.suits]);
    write_line(&mut out, "numRanks", [spec.ranks]);
    write_line(&mut out, "numHoleCards", [spec.hole_cards]);
    write_line(&mut out, "numBoardCards", &spec.board_cards);
    if spec.discards {
        write_line(&mut out, DISCARDS, [1]);
    }
    out.push_str("END GAMEDEF\n");
    out
}

fn write_line<T: fmt::Display>(out: &mut String, key: &str, numbers: impl IntoIterator<Item = T>) {
    out.push_str(key);
    out.push_str(" =");
    for number in numbers {
        write!(out, " {number}").expect("writing to a string cannot fail");
    }
    out.push('\n');
}

/// A game definition file compiled into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInGame {
    /// The game's name: the file name without `.game`.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal)*) => {
        &[$(BuiltInGame {
            name: $name,
            text: include_str!(concat!("../../games/", $name, ".game")),
        }),*]
    };
}

const GAMES: &[BuiltInGame] = built_in! {
    "holdem.limit.2p"
    "holdem.limit.2p.reverse_blinds"
    "holdem.limit.3p"
    "holdem.nolimit.2p.100bb"
    "holdem.nolimit.2p.10bb"
    "holdem.nolimit.2p.20bb"
    "holdem.nolimit.2p.50bb"
    "holdem.nolimit.2p.reverse_blinds"
    "holdem.nolimit.3p"
    "holdem.nolimit.6p"
    "kuhn.bigdeck.2round.limit.2p"
    "kuhn.bigdeck.limit.2p"
    "kuhn.limit.2p"
    "kuhn.limit.3p"
    "leduc.limit.2p"
    "leduc.nolimit.2p.deepstack"
    "pluribus.nolimit.6p"
    "pokerbots.discard.2p"
    "pokerbots.nolimit.2p"
};

/// All built-in games: the competition's files under `games/`.
pub fn games() -> &'static [BuiltInGame] {
    GAMES
}

/// The built-in game with this name; a final `.game` is allowed.
pub fn find(name: &str) -> Option<&'static BuiltInGame> {
    let name = name.strip_suffix(".game").unwrap_or(name);
    GAMES.iter().find(|game| game.name == name)
}

/// The name of the built-in game that `name` may have been meant to be.
pub fn nearest(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix(".game").unwrap_or(name);
    show::nearest::nearest(name, GAMES.iter().map(|game| game.name))
}

// The strict reading of game files.

type Fault = (Option<usize>, GameFileProblem);

/// The parsed lines of a file.
#[derive(Default)]
struct Lines {
    betting: Option<(usize, Betting)>,
    /// For each of [`KEYS`]: its line number and its numbers.
    numbers: [Option<(usize, Vec<u32>)>; KEYS.len()],
}

fn read_strict(text: &[u8]) -> Result<GameDef, Fault> {
    let text = String::from_utf8_lossy(text);
    let mut lines = Lines::default();
    let mut begun = None;
    let mut ended = false;
    for (number, line) in (1..).zip(text.lines()) {
        let fail = |problem| (Some(number), problem);
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if ended {
            return Err(fail(GameFileProblem::AfterEnd));
        }
        if line.starts_with(char::is_whitespace) {
            return Err(fail(GameFileProblem::LeadingBlank));
        }
        let split = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
        let (key, rest) = line.split_at(split);
        if key.eq_ignore_ascii_case("end") && rest.trim().eq_ignore_ascii_case("gamedef") {
            ended = true;
        } else if key.eq_ignore_ascii_case("gamedef") {
            nothing_follows(rest).map_err(fail)?;
            if let Some(first) = begun.replace(number) {
                return Err(fail(GameFileProblem::Duplicate { key: key.to_owned(), first }));
            }
        } else {
            lines.read(number, key, rest).map_err(fail)?;
        }
    }
    lines.finish()
}

fn nothing_follows(rest: &str) -> Result<(), GameFileProblem> {
    match rest.trim() {
        "" => Ok(()),
        text => Err(GameFileProblem::Trailing { text: shorten(text) }),
    }
}

/// The place of one of the [`KEYS`].
fn index_of(key: &str) -> usize {
    KEYS.iter().position(|&known| known == key).expect("one of the known keys")
}

/// The largest number that a key takes.
fn largest(key: &str) -> u32 {
    match key {
        "stack" | "blind" | "raiseSize" => GameSpec::MAX_STACK,
        DISCARDS => 1,
        _ => 255,
    }
}

impl Lines {
    fn read(&mut self, line: usize, key: &str, rest: &str) -> Result<(), GameFileProblem> {
        let betting = [("limit", Betting::Limit), ("nolimit", Betting::NoLimit)];
        if let Some((_, kind)) = betting.iter().find(|(name, _)| key.eq_ignore_ascii_case(name)) {
            nothing_follows(rest)?;
            if let Some((first, _)) = self.betting.replace((line, *kind)) {
                return Err(GameFileProblem::Duplicate { key: key.to_owned(), first });
            }
            return Ok(());
        }
        let Some(index) = KEYS.iter().position(|known| key.eq_ignore_ascii_case(known)) else {
            let known = KEYS.into_iter().chain(["limit", "nolimit", "END GAMEDEF"]);
            let nearest = show::nearest::nearest(key, known);
            let key = if key.is_empty() { rest } else { key };
            return Err(GameFileProblem::UnknownKey { key: shorten(key), nearest });
        };
        let rest = rest.trim_start();
        let rest = rest.strip_prefix('=').unwrap_or(rest);
        let most = largest(KEYS[index]);
        let mut numbers = Vec::new();
        for word in rest.split_whitespace() {
            let digits = word.bytes().all(|b| b.is_ascii_digit());
            let number = word.parse().ok().filter(|&n: &u32| digits && n <= most);
            numbers.push(number.ok_or_else(|| GameFileProblem::NotANumber {
                key: KEYS[index],
                text: shorten(word),
                most,
            })?);
        }
        if let Some((first, _)) = self.numbers[index].replace((line, numbers)) {
            return Err(GameFileProblem::Duplicate { key: key.to_owned(), first });
        }
        Ok(())
    }

    /// The numbers of a key with their count checked, or `None` if the file does not have it.
    fn list(
        &mut self,
        key: &'static str,
        needed: usize,
        per: &'static str,
    ) -> Result<Option<Vec<u32>>, Fault> {
        let Some((line, numbers)) = self.numbers[index_of(key)].take() else { return Ok(None) };
        if numbers.len() != needed {
            let found = numbers.len();
            return Err((Some(line), GameFileProblem::Count { key, found, needed, per }));
        }
        Ok(Some(numbers))
    }

    /// The line of a key whose numbers have not been taken.
    fn line_of(&self, key: &str) -> Option<usize> {
        self.numbers[index_of(key)].as_ref().map(|(line, _)| *line)
    }

    fn required(
        &mut self,
        key: &'static str,
        needed: usize,
        per: &'static str,
    ) -> Result<Vec<u32>, Fault> {
        self.list(key, needed, per)?.ok_or((None, GameFileProblem::Missing(key)))
    }

    fn one(&mut self, key: &'static str) -> Result<u32, Fault> {
        Ok(self.required(key, 1, "game")?[0])
    }

    fn finish(mut self) -> Result<GameDef, Fault> {
        let (_, betting) = self.betting.ok_or((None, GameFileProblem::NoBetting))?;
        let players = self.one("numPlayers")? as usize;
        let streets = self.one("numRounds")? as usize;
        let stacks = self.list("stack", players, "player")?;
        let blinds = self.required("blind", players, "player")?;
        let raise_line = self.line_of("raiseSize");
        let raise_sizes = match (betting, raise_line) {
            (Betting::Limit, _) => self.required("raiseSize", streets, "round")?,
            (Betting::NoLimit, None) => Vec::new(),
            (Betting::NoLimit, line) => return Err((line, GameFileProblem::RaiseSizeInNoLimit)),
        };
        let first_line = self.line_of("firstPlayer");
        let first = self.list("firstPlayer", streets, "round")?.unwrap_or(vec![1; streets]);
        if first.contains(&0) {
            let text = "0".to_owned();
            let most = players as u32;
            let problem = GameFileProblem::NotANumber { key: "firstPlayer", text, most };
            return Err((first_line, problem));
        }
        let caps = self.list("maxRaises", streets, "round")?;
        let spec = GameSpec {
            betting,
            players,
            streets,
            stacks: stacks.unwrap_or(vec![GameSpec::MAX_STACK; players]),
            blinds,
            raise_sizes,
            first_to_act: first.into_iter().map(|first| first as usize - 1).collect(),
            max_raises: caps.map_or(vec![GameSpec::NO_CAP; streets], |caps| {
                caps.into_iter().map(cap_from_file).collect()
            }),
            suits: self.one("numSuits")? as u8,
            ranks: self.one("numRanks")? as u8,
            hole_cards: self.one("numHoleCards")? as u8,
            board_cards: self
                .required("numBoardCards", streets, "round")?
                .into_iter()
                .map(|count| count as u8)
                .collect(),
            discards: self.list(DISCARDS, 1, "game")?.is_some_and(|discards| discards == [1]),
            quirks: Quirks::default(),
        };
        GameDef::new(spec).map_err(|error| (None, error.into()))
    }
}

// The original server's reading of game files.
//
// Keys are prefixes, in any case, at the first column; `=` and blanks before numbers are skipped;
// numbers are read as `scanf` reads them and truncated to 8 or 32 bits; the unreadable rest of a
// line is dropped; later lines overwrite what they name. Refusals are in the original's words and
// order. Games it would accept but cannot play soundly (negative blinds, more than seven cards for
// a player to choose from) are refused here as well.

/// The original's line buffer of 4,096 bytes, less the final zero; longer lines are read as
/// several.
const MAX_LINE: usize = 4095;

struct Reader {
    betting: Betting,
    players: u8,
    rounds: u8,
    stack: [i32; MAX_PLAYERS],
    stacks_read: usize,
    blind: [i32; MAX_PLAYERS],
    blinds_read: usize,
    raise_size: [i32; MAX_PLAYERS],
    raise_sizes_read: usize,
    first: [u8; 4],
    caps: [u8; 4],
    suits: u8,
    ranks: u8,
    hole: u8,
    board: [u8; 4],
    board_read: usize,
    seen: [bool; KEYS.len()],
    warnings: Vec<Warning>,
}

fn read_original(text: &[u8]) -> Result<GameFile, Fault> {
    let mut reader = Reader {
        betting: Betting::Limit,
        players: 0,
        rounds: 0,
        stack: [i32::MAX; MAX_PLAYERS],
        // The original sets as many default stacks as there can be rounds.
        stacks_read: 4,
        blind: [0; MAX_PLAYERS],
        blinds_read: 0,
        raise_size: [0; MAX_PLAYERS],
        raise_sizes_read: 0,
        first: [1; 4],
        caps: [u8::MAX; 4],
        suits: 0,
        ranks: 0,
        hole: 0,
        board: [0; 4],
        board_read: 0,
        seen: [false; KEYS.len()],
        warnings: Vec::new(),
    };
    let mut ended = false;
    for (number, line) in (1..).zip(text.split_inclusive(|&b| b == b'\n')) {
        for piece in line.chunks(MAX_LINE) {
            let piece = scan::c_string(piece);
            if !ended {
                ended = reader.line(number, piece);
            } else if !piece.trim_ascii().is_empty() {
                reader.warnings.push(Warning { line: number, kind: WarningKind::AfterEnd });
                return reader.finish();
            }
        }
    }
    reader.finish()
}

fn has_key(line: &[u8], key: &str) -> bool {
    line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key.as_bytes()))
}

fn text(bytes: &[u8]) -> String {
    shorten(&String::from_utf8_lossy(bytes))
}

impl Reader {
    fn warn(&mut self, line: usize, kind: WarningKind) {
        self.warnings.push(Warning { line, kind });
    }

    fn rest(&mut self, line: usize, rest: &[u8]) {
        if !rest.trim_ascii().is_empty() {
            self.warn(line, WarningKind::Rest { text: text(rest.trim_ascii()) });
        }
    }

    /// Reads one line; `true` at the end of the definition.
    fn line(&mut self, number: usize, line: &[u8]) -> bool {
        if line.is_empty() || matches!(line[0], b'#' | b'\n') {
            return false;
        }
        if has_key(line, "end gamedef") {
            return true;
        }
        if has_key(line, "gamedef") {
            self.rest(number, &line["gamedef".len()..]);
        } else if has_key(line, "limit") {
            self.betting = Betting::Limit;
            self.rest(number, &line["limit".len()..]);
        } else if has_key(line, "nolimit") {
            self.betting = Betting::NoLimit;
            self.rest(number, &line["nolimit".len()..]);
        } else if let Some(key) = KEYS.iter().position(|key| *key != DISCARDS && has_key(line, key))
        {
            if std::mem::replace(&mut self.seen[key], true) {
                self.warn(number, WarningKind::Again(KEYS[key]));
            }
            self.numbers(number, KEYS[key], &line[KEYS[key].len()..]);
        } else if !line.trim_ascii().is_empty() {
            let line = String::from_utf8_lossy(line);
            let word = line.split(|c: char| c.is_whitespace() || c == '=').find(|w| !w.is_empty());
            let known = KEYS.into_iter().chain(["limit", "nolimit", "END GAMEDEF"]);
            let nearest = show::nearest::nearest(word.unwrap_or_default(), known);
            self.warn(number, WarningKind::Ignored { text: shorten(&line), nearest });
        }
        false
    }

    fn numbers(&mut self, number: usize, key: &'static str, rest: &[u8]) {
        let small: &mut [u8] = match key {
            "stack" => {
                let (read, used) = items(&mut self.stack, rest, scan::scan_i32);
                self.stacks_read = read;
                return self.rest(number, &rest[used..]);
            }
            "blind" => {
                let (read, used) = items(&mut self.blind, rest, scan::scan_i32);
                self.blinds_read = read;
                return self.rest(number, &rest[used..]);
            }
            "raiseSize" => {
                let (read, used) = items(&mut self.raise_size, rest, scan::scan_i32);
                self.raise_sizes_read = read;
                return self.rest(number, &rest[used..]);
            }
            "numPlayers" => std::slice::from_mut(&mut self.players),
            "numRounds" => std::slice::from_mut(&mut self.rounds),
            "firstPlayer" => &mut self.first,
            "maxRaises" => &mut self.caps,
            "numSuits" => std::slice::from_mut(&mut self.suits),
            "numRanks" => std::slice::from_mut(&mut self.ranks),
            "numHoleCards" => std::slice::from_mut(&mut self.hole),
            _ => &mut self.board,
        };
        let (read, used) = items(small, rest, scan::scan_u8);
        let values = small[..read].to_vec();
        if key == "numBoardCards" {
            self.board_read = read;
        }
        let mut written = vec![0; read];
        items(&mut written, rest, scan::scan_i64);
        for (&written, &read) in written.iter().zip(&values).filter(|(w, r)| **w != i64::from(**r))
        {
            self.warn(number, WarningKind::Cut { key, written, read: read.into() });
        }
        self.rest(number, &rest[used..]);
    }

    fn check(&self) -> Result<(), String> {
        let players = self.players as usize;
        let rounds = self.rounds as usize;
        if !(1..=4).contains(&rounds) {
            return Err(format!("invalid number of rounds: {rounds}"));
        }
        if !(2..=MAX_PLAYERS).contains(&players) {
            return Err(format!("invalid number of players: {players}"));
        }
        if self.stacks_read < players {
            return Err(format!("only read {} stack sizes, need {players}", self.stacks_read));
        }
        if self.blinds_read < players {
            return Err(format!("only read {} blinds, need {players}", self.blinds_read));
        }
        if let Some(player) = (0..players).find(|&p| self.blind[p] > self.stack[p]) {
            return Err(format!("blind for player {} is greater than stack size", player + 1));
        }
        if self.betting == Betting::Limit && self.raise_sizes_read < rounds {
            return Err(format!("only read {} raise sizes, need {rounds}", self.raise_sizes_read));
        }
        for (round, &first) in (1..).zip(&self.first[..rounds]) {
            if first == 0 || first > self.players {
                return Err(format!("invalid first player {first} on round {round}"));
            }
        }
        if !(1..=4).contains(&self.suits) {
            return Err(format!("invalid number of suits: {}", self.suits));
        }
        if !(1..=13).contains(&self.ranks) {
            return Err(format!("invalid number of ranks: {}", self.ranks));
        }
        if !(1..=3).contains(&self.hole) {
            return Err(format!("invalid number of hole cards: {}", self.hole));
        }
        if self.board_read < rounds {
            return Err(format!("only read {} board card numbers, need {rounds}", self.board_read));
        }
        let board: usize = self.board[..rounds].iter().map(|&n| n as usize).sum();
        if self.hole as usize * players + board > self.suits as usize * self.ranks as usize {
            return Err("too many hole and board cards for specified deck".to_owned());
        }
        Ok(())
    }

    fn finish(self) -> Result<GameFile, Fault> {
        self.check().map_err(|words| (None, GameFileProblem::Original(words)))?;
        let players = self.players as usize;
        let rounds = self.rounds as usize;
        let chips = |key: &str, values: &[i32]| -> Result<Vec<u32>, Fault> {
            let convert = |&value: &i32| {
                u32::try_from(value).map_err(|_| {
                    let words = format!("a negative {key} ({value}) cannot be played");
                    (None, GameFileProblem::Original(words))
                })
            };
            values.iter().map(convert).collect()
        };
        let limit = self.betting == Betting::Limit;
        let spec = GameSpec {
            betting: self.betting,
            players,
            streets: rounds,
            stacks: chips("stack", &self.stack[..players])?,
            blinds: chips("blind", &self.blind[..players])?,
            raise_sizes: if limit {
                chips("raise size", &self.raise_size[..rounds])?
            } else {
                Vec::new()
            },
            first_to_act: self.first[..rounds].iter().map(|&first| first as usize - 1).collect(),
            max_raises: self.caps[..rounds].iter().map(|&c| cap_from_file(c.into())).collect(),
            suits: self.suits,
            ranks: self.ranks,
            hole_cards: self.hole,
            board_cards: self.board[..rounds].to_vec(),
            discards: false,
            quirks: Quirks::default(),
        };
        let def = GameDef::new(spec).map_err(|error| (None, error.into()))?;
        Ok(GameFile { def, warnings: self.warnings })
    }
}

/// Reads numbers into `items` as far as possible; gives their count and the bytes used.
fn items<T>(
    items: &mut [T],
    text: &[u8],
    scan: impl Fn(&[u8]) -> Option<(T, usize)>,
) -> (usize, usize) {
    let mut at = 0;
    let mut read = 0;
    for item in items {
        at += text[at..].iter().take_while(|&&b| scan::is_space(b) || b == b'=').count();
        let Some((value, used)) = scan(&text[at..]) else { break };
        *item = value;
        read += 1;
        at += used;
    }
    (read, at)
}

/// Error for a game file that defines no game. Displayed as `FILE:LINE: PROBLEM`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFileError {
    file: String,
    line: Option<usize>,
    problem: GameFileProblem,
}

impl fmt::Display for GameFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}

impl std::error::Error for GameFileError {}

/// The problem with a game file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum GameFileProblem {
    #[error("`{key}` is not a key of game files{}", did_you_mean(*.nearest))]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[error("the key `{0}` is missing: add a line `{0} = …`")]
    Missing(&'static str),
    #[error("the kind of betting is missing: add a line `limit` or `nolimit`")]
    NoBetting,
    #[error("`{key}` appears again (first in line {first}): remove one of the two lines")]
    Duplicate { key: String, first: usize },
    #[error(
        "blanks before the key: the original server skips such lines; begin at the first column"
    )]
    LeadingBlank,
    #[error(
        "`{text}` is not expected here: remove it, or put comments on lines of their own beginning \
         with `#`"
    )]
    Trailing { text: String },
    #[error("`{key}` takes whole numbers from 0 to {most}, not `{text}`")]
    NotANumber { key: &'static str, text: String, most: u32 },
    #[error("`{key}` has {found} numbers, but needs {needed}: one for each {per}")]
    Count { key: &'static str, found: usize, needed: usize, per: &'static str },
    #[error("`raiseSize` means nothing in a no-limit game: remove the line, or write `limit`")]
    RaiseSizeInNoLimit,
    #[error("text after END GAMEDEF, which is never read: remove it")]
    AfterEnd,
    #[error(transparent)]
    Game(#[from] GameDefError),
    #[error("{0}")]
    Original(String),
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|key| format!("; did you mean `{key}`?")).unwrap_or_default()
}

/// Text that the original reading skipped or changed. Displayed as `line LINE: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    line: usize,
    kind: WarningKind,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

/// The kind of text that the original reading skipped or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum WarningKind {
    #[error("ignored, since it begins with no known key: `{text}`{}", did_you_mean(*.nearest))]
    Ignored { text: String, nearest: Option<&'static str> },
    #[error("the rest of the line is ignored: `{text}`")]
    Rest { text: String },
    #[error("`{0}` appears again; the later line counts")]
    Again(&'static str),
    #[error("`{key}`: {written} is read as {read}")]
    Cut { key: &'static str, written: i64, read: i64 },
    #[error("everything from here on is ignored, since it follows END GAMEDEF")]
    AfterEnd,
}

/// The beginning of a text for a message: one line, at most 60 characters.
fn shorten(text: &str) -> String {
    game::escape::excerpt_of(text.trim_end().as_bytes(), 60)
}
