//! Hands in other formats: a file for each, with a writer and, where other programs write the
//! format, a reader; and the export of a whole match, in constant memory.
//!
//! Each writer takes records and appends text; each reader replays what it reads with the rules
//! engine, so every hand read is a legal one. Amounts are converted once, at the edge of the
//! format; the rest of the program counts raises as totals over the whole hand.

pub mod acpc;
pub mod csv;
pub mod gamelog;
pub mod jsonl;
mod kaggle;
pub mod ohh;
pub mod phh;
pub mod pokerstars;
mod sites;

use std::fmt;
use std::io::{BufRead, Write};

use game::{Payoff, escape};

use crate::{HandRecord, MatchInfo};

pub use sites::{SiteFormat, SiteHand, SiteHands};

/// Error of all readers: text that is not valid in its format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{format}, line {line}: {reason}")]
pub struct ReadError {
    /// The format that was expected.
    pub format: &'static str,
    /// The line of the error, from 1.
    pub line: u64,
    /// The problem.
    pub reason: String,
    /// What the hand is, as in: 3 hands `with antes`, if it is sound but records cannot hold it.
    pub unsupported: Option<&'static str>,
    /// Whether the text ends in the middle of the hand, so that this is the last one.
    pub cut: bool,
}

impl ReadError {
    pub(crate) fn new(format: &'static str, line: u64, reason: impl Into<String>) -> ReadError {
        // The message quotes the file.
        let reason = escape::excerpt_of(reason.into().as_bytes(), 400);
        ReadError { format, line, reason, unsupported: None, cut: false }
    }
}

/// The lines of a text, counted from 1.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    /// The number of the line read last; 0 before the first.
    pub(crate) number: u64,
    /// Whether that line had an end, which the last one of a file that was cut short lacks.
    pub(crate) ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines { input, number: 0, ended: true }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<String, String>;

    /// The next line without its end, and without a byte-order mark at the start of the file.
    fn next(&mut self) -> Option<Self::Item> {
        let mut line = String::new();
        match self.input.read_line(&mut line) {
            Ok(0) => return None,
            Err(error) => {
                self.number += 1;
                return Some(Err(error.to_string()));
            }
            Ok(_) => {}
        }
        self.number += 1;
        self.ended = line.ends_with('\n');
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        if self.number == 1 && line.starts_with('\u{feff}') {
            line = line.trim_start_matches('\u{feff}').to_owned();
        }
        Some(Ok(line))
    }
}

/// The line of a fault in TOML text, and the fault in words on one line.
pub(crate) fn toml_fault(text: &str, error: &toml::de::Error) -> (u64, String) {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
    let words = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    (before.matches('\n').count() as u64 + 1, words)
}

/// Error for a game that a format cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{format} cannot express this game: {reason}")]
pub struct CannotExpress {
    /// The format.
    pub format: &'static str,
    /// The reason.
    pub reason: String,
}

/// An export format for hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// The ACPC dealer's log.
    Acpc,
    /// Poker hand history, many hands to a file.
    Phhs,
    /// Comma-separated values, a row for each hand and seat.
    Csv,
    /// A JSON object for each hand and line.
    Jsonl,
    /// PokerStars' text.
    PokerStars,
    /// Open Hand History, a JSON object for each hand.
    Ohh,
    /// The log of the engine of MIT Pokerbots.
    Gamelog,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Acpc,
        Format::Phhs,
        Format::Csv,
        Format::Jsonl,
        Format::PokerStars,
        Format::Ohh,
        Format::Gamelog,
    ];

    /// The format's name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Acpc => "acpc",
            Format::Phhs => "phhs",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::PokerStars => "pokerstars",
            Format::Ohh => "ohh",
            Format::Gamelog => "gamelog",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The numbers of hands and files written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of hands.
    pub hands: u64,
    /// Number of files.
    pub files: u64,
}

/// Error of exporting a match. `E` is the error of the hands' source.
#[derive(Debug, thiserror::Error)]
pub enum ExportError<E: std::error::Error + 'static> {
    /// The hands could not be read.
    #[error(transparent)]
    Source(E),
    /// The format cannot express the game.
    #[error(transparent)]
    CannotExpress(#[from] CannotExpress),
    /// The file could not be written.
    #[error("cannot write")]
    Write(#[from] std::io::Error),
}

/// Size of the buffer that is passed on at once, in bytes.
const BUFFER_SIZE: usize = 64 * 1024;

/// Writes hands, in order of arrival. `open` is called for each file, from 1 on; all formats but
/// PHH, which takes `hands_per_file`, fill one. The ACPC log ends with its score when all planned
/// hands have been written.
pub fn write_match<E: std::error::Error + 'static>(
    format: Format,
    info: &MatchInfo,
    hands: impl Iterator<Item = Result<HandRecord, E>>,
    hands_per_file: u64,
    open: &mut dyn FnMut(u64) -> std::io::Result<Box<dyn Write>>,
) -> Result<Summary, ExportError<E>> {
    match format {
        Format::Phhs => phh::check(&info.game)?,
        Format::Ohh => ohh::check(&info.game)?,
        _ => {}
    }
    let pokerstars = match format {
        Format::PokerStars => Some(pokerstars::Writer::new(info)?),
        _ => None,
    };
    let mut gamelog = match format {
        Format::Gamelog => Some(gamelog::Writer::new(info)?),
        _ => None,
    };
    let names = info.names();
    let mut totals = vec![Payoff::ZERO; info.players()];
    let mut summary = Summary { hands: 0, files: 1 };
    let mut out = open(1)?;
    let mut text = String::with_capacity(BUFFER_SIZE + 4096);
    match format {
        Format::Acpc => acpc::write_header(info, &mut text),
        Format::Csv => csv::write_header(&mut text),
        Format::Gamelog => gamelog.iter().for_each(|writer| writer.write_header(&mut text)),
        Format::Phhs | Format::Jsonl | Format::PokerStars | Format::Ohh => {}
    }
    for record in hands {
        let record = record.map_err(ExportError::Source)?;
        let in_file = summary.hands - (summary.files - 1) * hands_per_file.max(1);
        if format == Format::Phhs && in_file == hands_per_file.max(1) {
            out.write_all(text.as_bytes())?;
            out.flush()?;
            text.clear();
            summary.files += 1;
            out = open(summary.files)?;
        }
        match format {
            Format::Acpc => acpc::write_hand(&record, &names, &mut text),
            Format::Csv => csv::write_hand(&record, &names, &mut text),
            Format::Jsonl => jsonl::write_hand(&record, &mut text),
            Format::Ohh => ohh::write_hand(&record, info, &names, &mut text),
            Format::PokerStars => {
                let writer = pokerstars.as_ref().expect("made above");
                writer.write_hand(&record, &mut text);
            }
            Format::Gamelog => {
                let writer = gamelog.as_mut().expect("made above");
                writer.write_hand(&record, &mut text);
            }
            Format::Phhs => {
                let table = summary.hands - (summary.files - 1) * hands_per_file.max(1) + 1;
                phh::write_hand(&record, info, table, &mut text)?;
            }
        }
        summary.hands += 1;
        for (seat, &entrant) in record.entrants.iter() {
            if let Some(total) = totals.get_mut(usize::from(entrant)) {
                *total += record.payoffs[seat];
            }
        }
        if text.len() >= BUFFER_SIZE {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    if format == Format::Acpc && summary.hands == info.hands {
        acpc::write_score(&totals, &names, &mut text);
    }
    gamelog.iter().for_each(|writer| writer.write_end(&mut text));
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(summary)
}

/// More chips than any number of hands is about.
const TOO_LARGE: i64 = 100_000_000_000_000;

/// Parses an amount in chips as [`Payoff`] prints it: at most six decimals. Exact: no two amounts
/// in 2,520ths of a chip round to the same six decimals. Amounts are below [`TOO_LARGE`], so that
/// those of a hand can be added up.
pub(crate) fn parse_payoff(text: &str) -> Option<Payoff> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 6 || !all_digits(whole) || !all_digits(decimals) {
        return None;
    }
    let chips = whole.parse::<i64>().ok().filter(|&chips| chips < TOO_LARGE)?;
    let millionths: i64 = format!("{decimals:0<6}").parse().ok()?;
    let fraction = (millionths * Payoff::PER_CHIP + 500_000) / 1_000_000;
    let parts = chips.checked_mul(Payoff::PER_CHIP)?.checked_add(fraction)?;
    Some(Payoff::from_parts(if negative { -parts } else { parts }))
}
