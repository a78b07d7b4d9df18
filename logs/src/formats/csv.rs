//! Hands as CSV, of this program and of others.
//!
//! This program's files have one row for each hand and seat, after a row of column names:
//!
//! | column | value |
//! |---|---|
//! | `hand`, `deal` | number of the hand, and of its deal, which a duplicate group shares |
//! | `seat`, `position` | the seat from 0 in the order of the game definition, and its role |
//! | `entrant`, `name` | who sat there, by number and name |
//! | `hole` | their cards, empty when unknown |
//! | `board` | the board as far as it was dealt, without separators |
//! | `betting` | the hand's betting in ACPC notation |
//! | `street` | the last street whose cards were dealt |
//! | `showdown` | 1 when cards were shown, else 0 |
//! | `chips` | what the seat won, with at most six decimals |
//!
//! When a file is read its columns may be in any order. `position`, `street` and `showdown` follow
//! from the others and may be missing; a missing `deal` is the hand's number, and without `entrant`
//! entrants are numbered by name, in the order of first occurrence. Other columns are ignored
//! ([`Reader::passed_over`] has their names).
//!
//! Quoting as in RFC 4180; lines end with a line feed. A name that a spreadsheet would interpret as
//! a formula gets an apostrophe before it, which the reader removes.
//!
//! **Files of other programs** have one row for each hand, with columns named by a map:
//!
//! ```toml
//! betting = ["Pre-flop", "Flop", "Turn", "River"]   # one column, or one for each street
//! board = ["Flop Cards", "Turn Card", "River Card"]
//! raises = "hand"                                   # what a raise counts: "hand" or "street"
//! hand = "Game"                                     # the hand's number [default: the row's]
//!
//! [[player]]
//! name = "DeepStack"                                # the same in all rows, or:
//! name_column = "Player"
//! hole = "DeepStack Hand"
//! position = "Position"                             # all players but one need it
//! chips = "Chips"                                   # what was won, where cards are not known
//! ```
//!
//! Betting has `f` for a fold, `c`, `k` or `x` for a call or check, `r` or `b` with a whole number
//! of chips (none in limit games) for a bet or raise; `/`, commas and blanks may separate them.
//! Positions are `bb`, `sb`, `button` and the like, or seats from 0. Cards are `AhKd`, with any
//! separators that are not letters or digits; an empty field, `-` or `?` is unknown.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::BufRead;
use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{
    Action, Betting, BySeat, Chips, GameDef, Payoff, Position, PublicState, Seat, Turn, notation,
};
use serde::Deserialize;

use crate::HandRecord;
use crate::formats::{Lines, ReadError, csv, parse_payoff, toml_fault};
use crate::record::finished;

const FORMAT: &str = "CSV";
const COLUMNS: &str =
    "hand,deal,seat,position,entrant,name,hole,board,betting,street,showdown,chips";
const COUNT: usize = 12;
/// Indices of the columns that may be missing.
const OPTIONAL: [usize; 5] = [DEAL, 3, ENTRANT, 9, 10];
const DEAL: usize = 1;
const ENTRANT: usize = 4;
const NAME: usize = 5;

/// Appends the row of column names.
pub fn write_header(out: &mut String) {
    out.push_str(COLUMNS);
    out.push('\n');
}

/// Appends a hand's rows, one for each seat. `names` are those of the entrants, in order.
pub fn write_hand(record: &HandRecord, names: &[String], out: &mut String) {
    let HandRecord { hand, deal, public, .. } = record;
    let betting = notation::betting(public);
    let (board, street) = (public.board(), public.street());
    let showdown = u8::from(public.is_showdown());
    for (seat, entrant) in record.entrants.iter() {
        let position = public.def().position(seat);
        let name = names.get(usize::from(*entrant)).map_or("", String::as_str);
        let (hole, chips) = (record.hole[seat], record.payoffs[seat]);
        let written = "writing to a string cannot fail";
        write!(out, "{hand},{deal},{seat},{position},{entrant},").expect(written);
        write_text(name, out);
        writeln!(out, ",{hole},{board},{betting},{street},{showdown},{chips}").expect(written);
    }
}

/// Appends foreign text as a field: quoted where needed, and with an apostrophe before it where a
/// spreadsheet would interpret it as a formula. [`fields`] and [`text`] restore it.
pub fn write_text(text: &str, out: &mut String) {
    let apostrophe = if is_formula(text) { "'" } else { "" };
    if text.contains([',', '"', '\n', '\r']) {
        let text = text.replace('"', "\"\"");
        write!(out, "\"{apostrophe}{text}\"").expect("writing to a string cannot fail");
    } else {
        out.push_str(apostrophe);
        out.push_str(text);
    }
}

/// The original text of a field written by [`write_text`].
pub fn text(field: &str) -> &str {
    field.strip_prefix('\'').filter(|text| is_formula(text)).unwrap_or(field)
}

/// Whether a spreadsheet would interpret the text as a formula, also after apostrophes, so that the
/// text's own apostrophes can be told from added ones.
fn is_formula(text: &str) -> bool {
    let starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    text.trim_start_matches('\'').starts_with(starts)
}

/// A streaming reader of the hands of a file.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    def: Arc<GameDef>,
    names: Vec<String>,
    /// Index of each column in the file.
    field_indices: [Option<usize>; COUNT],
    /// Number of fields of a row.
    width: usize,
    /// Whether the file ends in the middle of a hand.
    cut: bool,
    passed_over: Vec<String>,
}

impl<R: BufRead> Reader<R> {
    /// A reader of a file of this game.
    pub fn new(def: &Arc<GameDef>, input: R) -> Reader<R> {
        let names = vec![String::new(); def.players];
        Reader {
            lines: Lines::new(input),
            def: Arc::clone(def),
            names,
            field_indices: [None; COUNT],
            width: 0,
            cut: false,
            passed_over: Vec::new(),
        }
    }

    /// The entrants' names found so far, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of ignored columns, once the first hand has been read.
    pub fn passed_over(&self) -> &[String] {
        &self.passed_over
    }

    /// Locates the columns by their names.
    fn find_columns(&mut self, line: &str) -> Result<(), String> {
        let found = fields(line)?;
        for (index, column) in COLUMNS.split(',').enumerate() {
            let mut named = (0..found.len()).filter(|&at| found[at] == column);
            self.field_indices[index] = named.next();
            if named.next().is_some() {
                return Err(format!("two columns are named {column}"));
            }
            if self.field_indices[index].is_none() && !OPTIONAL.contains(&index) {
                return Err(format!("there is no column {column}; the columns are {COLUMNS}"));
            }
        }
        self.width = found.len();
        let known = |name: &String| COLUMNS.split(',').any(|column| column == name);
        self.passed_over = found.into_iter().filter(|name| !known(name)).collect();
        Ok(())
    }

    /// The number of the entrant with this name, who may be new.
    fn number(&mut self, name: &str) -> Result<String, String> {
        if name.is_empty() {
            return Err("there is neither a name nor an entrant's number".to_owned());
        }
        let known = self.names.iter().position(|known| known == name);
        let number = known.or_else(|| self.names.iter().position(String::is_empty));
        let number = number.ok_or_else(|| format!("`{name}` is one player too many"))?;
        name.clone_into(&mut self.names[number]);
        Ok(number.to_string())
    }

    /// The next row's fields; `None` at the end.
    fn row(&mut self) -> Result<Option<Vec<String>>, String> {
        loop {
            let Some(line) = self.lines.next() else { return Ok(None) };
            let line = line?;
            if self.lines.number == 1 {
                self.find_columns(&line)?;
                continue;
            }
            let fields = fields(&line)?;
            if fields.len() != self.width {
                self.cut = fields.len() < self.width && !self.lines.ended;
                return Err(format!("{} fields instead of {}", fields.len(), self.width));
            }
            let field = |index: &Option<usize>| index.map(|at| fields[at].clone());
            let mut row: Vec<String> =
                self.field_indices.iter().map(|index| field(index).unwrap_or_default()).collect();
            if self.field_indices[DEAL].is_none() {
                row[DEAL] = row[0].clone();
            }
            if self.field_indices[ENTRANT].is_none() {
                row[ENTRANT] = self.number(text(&row[NAME]))?;
            }
            return Ok(Some(row));
        }
    }

    fn hand(&mut self) -> Result<Option<HandRecord>, String> {
        let Some(first) = self.row()? else { return Ok(None) };
        let players = self.def.players;
        let mut hole = BySeat::new(players);
        let mut payoffs = BySeat::new(players);
        let mut entrants = BySeat::new(players);
        let mut row = first.clone();
        for seat in Arc::clone(&self.def).seats() {
            if seat.index() > 0 {
                let Some(next) = self.row()? else {
                    self.cut = true;
                    return Err("the file ends within a hand".to_owned());
                };
                row = next;
            }
            let same = [0, 1, 7, 8].iter().all(|&column| row[column] == first[column]);
            if !same || row[2] != seat.to_string() {
                return Err(format!("this must be seat {seat} of hand {}", first[0]));
            }
            entrants[seat] = row[4]
                .parse()
                .ok()
                .filter(|&e| usize::from(e) < players)
                .ok_or_else(|| format!("`{}` is not an entrant", row[4]))?;
            text(&row[5]).clone_into(&mut self.names[usize::from(entrants[seat])]);
            hole[seat] = row[6].parse().map_err(|error| format!("hole cards: {error}"))?;
            payoffs[seat] = parse_payoff(&row[11])
                .ok_or_else(|| format!("`{}` is not an amount with at most 6 decimals", row[11]))?;
        }
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number"));
        let board: Board = first[7].parse().map_err(|error| format!("board: {error}"))?;
        let public = notation::replay(&self.def, &first[8], &board).map_err(|e| e.to_string())?;
        if public.turn() != Turn::Over {
            return Err(format!("betting `{}` does not end the hand", first[8]));
        }
        let (hand, deal) = (number(&first[0])?, number(&first[1])?);
        finished(HandRecord { hand, deal, public, hole, payoffs, entrants }, Some(payoffs))
            .map_err(|reason| format!("hand {hand}: {reason}"))
            .map(Some)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<HandRecord, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let hand = self.hand();
        let located = |reason| ReadError::new(FORMAT, self.lines.number, reason);
        hand.map_err(|reason| ReadError { cut: self.cut, ..located(reason) }).transpose()
    }
}

/// Splits a row into its fields.
///
/// # Errors
/// When a quotation mark is not closed.
pub fn fields(line: &str) -> Result<Vec<String>, String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars().peekable();
    let mut in_quotes = false;
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("never empty");
        match letter {
            '"' if in_quotes && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' if in_quotes || field.is_empty() => in_quotes = !in_quotes,
            ',' if !in_quotes => fields.push(String::new()),
            other => field.push(other),
        }
    }
    if in_quotes { Err("a quotation mark is not closed".to_owned()) } else { Ok(fields) }
}

/// A map from the parts of a hand to columns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnMap {
    /// The column of the hand's number; by default rows are counted from 0.
    hand: Option<String>,
    betting: OneOrMore,
    board: OneOrMore,
    #[serde(default)]
    raises: Raises,
    player: Vec<PlayerColumns>,
}

/// A column, or columns whose fields belong together.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "there must be a column's name, or a list of them")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// The meaning of a raise's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Raises {
    /// The player's chips in the whole hand.
    #[default]
    Hand,
    /// The player's chips on this street.
    Street,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerColumns {
    name: Option<String>,
    name_column: Option<String>,
    hole: Option<String>,
    position: Option<String>,
    chips: Option<String>,
}

/// Error for a map that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MapError(String);

impl ColumnMap {
    /// Parses a map from TOML, for files of this game.
    ///
    /// # Errors
    /// When it is not TOML of this form, or does not have the game's players.
    pub fn parse(text: &str, def: &GameDef) -> Result<ColumnMap, MapError> {
        let map: ColumnMap = toml::from_str(text).map_err(|error| {
            let (line, words) = toml_fault(text, &error);
            MapError(format!("line {line}: {words}"))
        })?;
        let fail = |reason: String| Err(MapError(reason));
        if map.player.len() != def.players {
            let (found, needed) = (map.player.len(), def.players);
            return fail(format!("the game has {needed} players, and the map has {found}"));
        }
        for (number, player) in (1..).zip(&map.player) {
            if player.name.is_some() == player.name_column.is_some() {
                return fail(format!("player {number} needs either name or name_column"));
            }
        }
        if map.player.iter().filter(|player| player.position.is_none()).count() > 1 {
            return fail("all players but one need a position".to_owned());
        }
        let streets = def.last_street().index() + 1;
        match &map.betting {
            OneOrMore::More(columns) if columns.len() != streets => {
                let found = columns.len();
                fail(format!("betting needs one column, or {streets}: one a street, not {found}"))
            }
            _ => Ok(map),
        }
    }

    /// All mapped columns.
    fn columns(&self) -> impl Iterator<Item = &String> {
        let players = self.player.iter().flat_map(|player| {
            [&player.name_column, &player.hole, &player.position, &player.chips]
        });
        let one = self.hand.iter().chain(players.flatten());
        one.chain(self.betting.columns()).chain(self.board.columns())
    }
}

impl OneOrMore {
    fn columns(&self) -> &[String] {
        match self {
            OneOrMore::One(column) => std::slice::from_ref(column),
            OneOrMore::More(columns) => columns,
        }
    }
}

/// A streaming reader of the hands of a file: records, and the players' names by seat.
#[derive(Debug)]
pub struct ColumnReader<R> {
    lines: Lines<R>,
    def: Arc<GameDef>,
    map: ColumnMap,
    header: Vec<String>,
    /// Whether the file ends in the middle of a row.
    cut: bool,
}

impl<R: BufRead> ColumnReader<R> {
    /// A reader of a file of this game.
    pub fn new(def: &Arc<GameDef>, map: ColumnMap, input: R) -> ColumnReader<R> {
        let (lines, def) = (Lines::new(input), Arc::clone(def));
        ColumnReader { lines, def, map, header: Vec::new(), cut: false }
    }

    /// The ignored columns, once the first hand has been read.
    pub fn passed_over(&self) -> BTreeSet<String> {
        let read: BTreeSet<&String> = self.map.columns().collect();
        let other = self.header.iter().filter(|name| !name.is_empty() && !read.contains(name));
        other.cloned().collect()
    }

    /// The next nonempty line, as trimmed fields.
    fn fields(&mut self) -> Result<Option<Vec<String>>, String> {
        loop {
            let Some(line) = self.lines.next() else { return Ok(None) };
            let line = line?;
            if !line.trim().is_empty() {
                let fields = csv::fields(&line)?.into_iter();
                return Ok(Some(fields.map(|field| field.trim().to_owned()).collect()));
            }
        }
    }

    fn read_header(&mut self) -> Result<(), String> {
        let Some(header) = self.fields()? else { return Err("there are no columns".to_owned()) };
        for column in self.map.columns() {
            match header.iter().filter(|name| *name == column).count() {
                0 => {
                    let found = header.join(", ");
                    return Err(format!("there is no column {column}; the columns are {found}"));
                }
                1 => {}
                _ => return Err(format!("two columns are named {column}")),
            }
        }
        self.header = header;
        Ok(())
    }

    fn hand(&mut self) -> Result<Option<(HandRecord, Vec<String>)>, String> {
        if self.header.is_empty() {
            self.read_header()?;
        }
        let Some(fields) = self.fields()? else { return Ok(None) };
        if fields.len() != self.header.len() {
            self.cut = fields.len() < self.header.len() && !self.lines.ended;
            return Err(format!("{} fields instead of {}", fields.len(), self.header.len()));
        }
        let row = Row { map: &self.map, header: &self.header, fields: &fields };
        row.hand(&self.def, self.lines.number - 2).map(Some)
    }
}

impl<R: BufRead> Iterator for ColumnReader<R> {
    type Item = Result<(HandRecord, Vec<String>), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let hand = self.hand();
        let located = |reason| ReadError::new(FORMAT, self.lines.number, reason);
        hand.map_err(|reason| ReadError { cut: self.cut, ..located(reason) }).transpose()
    }
}

/// A row of the file.
struct Row<'a> {
    map: &'a ColumnMap,
    header: &'a [String],
    fields: &'a [String],
}

impl Row<'_> {
    /// The field of a column; empty for an unmapped one.
    fn field(&self, column: Option<&String>) -> &str {
        let place = column.and_then(|column| self.header.iter().position(|name| name == column));
        place.map_or("", |place| &self.fields[place])
    }

    fn hand(&self, def: &Arc<GameDef>, number: u64) -> Result<(HandRecord, Vec<String>), String> {
        let number = match &self.map.hand {
            None => number,
            column => {
                let text = self.field(column.as_ref());
                text.parse().map_err(|_| format!("`{text}` is not the number of a hand"))?
            }
        };
        let seats = self.seats(def)?;
        let mut hole = BySeat::new(def.players);
        let mut players = vec![String::new(); def.players];
        for (player, &seat) in self.map.player.iter().zip(&seats) {
            hole[seat] = hole_cards(self.field(player.hole.as_ref()))?;
            let name = player.name.as_deref();
            let name = name.unwrap_or_else(|| self.field(player.name_column.as_ref()));
            csv::text(name).clone_into(&mut players[seat.index()]);
        }
        let public = self.replay(def)?;
        let payoffs = self.payoffs(&seats)?;
        let entrants = BySeat::from_fn(def.players, |seat| seat.index() as u8);
        let empty = BySeat::new(def.players);
        let hand =
            HandRecord { hand: number, deal: number, public, hole, payoffs: empty, entrants };
        let record = finished(hand, payoffs);
        Ok((record.map_err(|reason| format!("hand {number}: {reason}"))?, players))
    }

    /// The players' seats, in the map's order.
    fn seats(&self, def: &GameDef) -> Result<Vec<Seat>, String> {
        let named = |player: &PlayerColumns| {
            let column = player.position.as_ref()?;
            Some(seat_of(def, self.field(Some(column))))
        };
        let named: Vec<Option<Seat>> = self
            .map
            .player
            .iter()
            .map(|player| named(player).transpose())
            .collect::<Result<_, _>>()?;
        let free = || def.seats().find(|seat| !named.contains(&Some(*seat)));
        let seats: Option<Vec<Seat>> = named.iter().map(|seat| seat.or_else(free)).collect();
        let all =
            |seats: &Vec<Seat>| seats.iter().map(|seat| seat.index()).collect::<BTreeSet<_>>();
        seats
            .filter(|seats| all(seats).len() == def.players)
            .ok_or_else(|| "two players have the same position".to_owned())
    }

    /// Replays the betting by the rules.
    fn replay(&self, def: &Arc<GameDef>) -> Result<PublicState, String> {
        let mut board = Board::EMPTY;
        for column in self.map.board.columns() {
            for card in card_texts(self.field(Some(column))) {
                let card = card.parse().map_err(|error| format!("{column}: {error}"))?;
                if !board.push(card) {
                    return Err("the board has more cards than there can be".to_owned());
                }
            }
        }
        let mut state = PublicState::new(def);
        let columns = self.map.betting.columns();
        for (street, column) in columns.iter().enumerate() {
            let text = self.field(Some(column));
            let fail = |reason: &str| format!("{column} `{text}`: {reason}");
            let mut letters = text.chars().peekable();
            while let Some(letter) = letters.next() {
                if matches!(letter, '/' | ',' | ';' | '-') || letter.is_whitespace() {
                    continue;
                }
                deal(&mut state, &board).map_err(|reason| fail(&reason))?;
                if columns.len() > 1 && state.street().index() != street {
                    return Err(fail(&format!(
                        "the hand is on the {} here",
                        state.street().name()
                    )));
                }
                let mut digits = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                let action = self.action(letter, &digits, &state).map_err(|e| fail(&e))?;
                state.apply(action).map_err(|error| fail(&error.to_string()))?;
            }
        }
        // The rest of the board, for a hand that was all-in before its last street.
        deal(&mut state, &board)?;
        if state.turn() != Turn::Over {
            return Err("the betting does not end the hand".to_owned());
        }
        Ok(state)
    }

    /// The action of a letter and the number after it.
    fn action(&self, letter: char, digits: &str, state: &PublicState) -> Result<Action, String> {
        let limit = state.def().betting == Betting::Limit;
        match letter.to_ascii_lowercase() {
            'f' => Ok(Action::Fold),
            'c' | 'k' | 'x' => Ok(Action::Call),
            'r' | 'b' if limit => {
                Ok(Action::RaiseTo(state.legal().raise.map_or(0, |raise| raise.min)))
            }
            'r' | 'b' => {
                let chips: Option<Chips> = digits.parse().ok();
                let chips = chips.ok_or("a bet or raise needs a whole number of chips")?;
                let before = match (self.map.raises, state.turn()) {
                    (Raises::Street, Turn::Act(seat)) => {
                        state.committed()[seat] - state.committed_street(seat)
                    }
                    _ => 0,
                };
                let total = chips.checked_add(before).ok_or("the raise is too large")?;
                Ok(Action::RaiseTo(total))
            }
            other => Err(format!("`{other}` is not an action")),
        }
    }

    /// The payoff of each seat, where the map has them; one player's may follow from the others'.
    fn payoffs(&self, seats: &[Seat]) -> Result<Option<BySeat<Payoff>>, String> {
        let mut payoffs = BySeat::new(seats.len());
        let (mut sum, mut missing) = (Payoff::ZERO, Vec::new());
        for (player, &seat) in self.map.player.iter().zip(seats) {
            let text = self.field(player.chips.as_ref());
            if text.is_empty() {
                missing.push(seat);
                continue;
            }
            let text = text.trim_start_matches('+');
            let won = parse_payoff(text)
                .ok_or_else(|| format!("`{text}` is not an amount with at most 6 decimals"))?;
            payoffs[seat] = won;
            sum += won;
        }
        match missing[..] {
            [] => {}
            [seat] if seats.len() > 1 => payoffs[seat] = -sum,
            _ => return Ok(None),
        }
        Ok(Some(payoffs))
    }
}

/// Deals all streets that are due.
fn deal(state: &mut PublicState, board: &Board) -> Result<(), String> {
    while let Turn::Deal(street) = state.turn() {
        let start = state.board().len();
        let end = start + usize::from(state.def().board_cards[street.index()]);
        let cards = board.get(start..end);
        let cards =
            cards.ok_or_else(|| format!("the cards of the {} are missing", street.name()))?;
        state.deal(cards).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The cards of a field, each as text.
fn card_texts(field: &str) -> Vec<String> {
    let letters: Vec<char> = field.chars().filter(char::is_ascii_alphanumeric).collect();
    let text = String::from_iter(letters).replace("10", "T");
    let letters: Vec<char> = text.chars().collect();
    let card = |pair: &[char]| {
        let mut pair = pair.iter();
        let rank = pair.next().map(char::to_ascii_uppercase);
        rank.into_iter().chain(pair.map(char::to_ascii_lowercase)).collect()
    };
    letters.chunks(2).map(card).collect()
}

/// Parses hole cards; empty where unknown.
fn hole_cards(field: &str) -> Result<HoleCards, String> {
    let text = card_texts(field).concat();
    text.parse().map_err(|error| format!("hole cards `{field}`: {error}"))
}

/// The seat for a position's name, or for its number.
fn seat_of(def: &GameDef, text: &str) -> Result<Seat, String> {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    let name = String::from_iter(letters).to_ascii_lowercase();
    let is = |seat: &Seat| {
        let position = def.position(*seat);
        match name.as_str() {
            "bb" | "bigblind" => position == Position::BigBlind,
            "sb" | "smallblind" if def.players == 2 => position == Position::Button,
            "sb" | "smallblind" => position == Position::SmallBlind,
            "btn" | "bu" | "button" | "dealer" | "d" => position == Position::Button,
            "co" | "cutoff" => position == Position::BeforeButton(1),
            _ => name.parse() == Ok(seat.index()),
        }
    };
    def.seats().find(is).ok_or_else(|| {
        format!("`{text}` is not a position: bb, sb, button, cutoff, or a seat from 0")
    })
}
