//! Hands as CSV: one row for each hand and seat, after a row of column names.
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

use std::fmt::Write;
use std::io::BufRead;
use std::sync::Arc;

use cards::Board;
use game::{BySeat, GameDef, Turn, notation};

use super::{Lines, ReadError, parse_payoff};
use crate::HandRecord;
use crate::replay::finished;

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
