//! The original server's reading of game files.
//!
//! Keys are prefixes, in any case, at the first column; `=` and blanks before numbers are skipped;
//! numbers are read as `scanf` reads them and truncated to 8 or 32 bits; the unreadable rest of a
//! line is dropped; later lines overwrite what they name. Refusals are in the original's words and
//! order. Games it would accept but cannot play soundly (negative blinds, more than seven cards for
//! a player to choose from) are refused here as well.

use game::{Betting, GameDef, GameSpec, MAX_PLAYERS, Quirks};

use super::error::shorten;
use super::{GameFile, GameFileProblem, KEYS, Warning, WarningKind, cap_from_file};
use crate::acpc::scan;

type Fault = (Option<usize>, GameFileProblem);

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

pub(super) fn read(text: &[u8]) -> Result<GameFile, Fault> {
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
        } else if let Some(key) = KEYS.iter().position(|key| has_key(line, key)) {
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
