//! Export of a whole match in another format, in constant memory.

use std::fmt;
use std::io::Write;

use game::Payoff;

use super::{CannotExpress, acpc, csv, jsonl, ohh, phh, pokerstars};
use crate::{HandRecord, MatchInfo};

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
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] =
        [Format::Acpc, Format::Phhs, Format::Csv, Format::Jsonl, Format::PokerStars, Format::Ohh];

    /// The format's name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Acpc => "acpc",
            Format::Phhs => "phhs",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::PokerStars => "pokerstars",
            Format::Ohh => "ohh",
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
    let names = info.names();
    let mut totals = vec![Payoff::ZERO; info.players()];
    let mut summary = Summary { hands: 0, files: 1 };
    let mut out = open(1)?;
    let mut text = String::with_capacity(BUFFER_SIZE + 4096);
    match format {
        Format::Acpc => acpc::write_header(info, &mut text),
        Format::Csv => csv::write_header(&mut text),
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
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(summary)
}
