//! The formats of poker sites: which one a file has, and its hands.

use std::collections::BTreeSet;

use super::{ohh, pokerstars};
use crate::HandRecord;
use crate::export::ReadError;

/// A format of poker sites, recognised by how a file begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteFormat {
    /// PokerStars' text.
    PokerStars,
    /// Open Hand History.
    OpenHandHistory,
}

/// A hand, and the names of its players by seat.
pub type SiteHand = (HandRecord, Vec<String>);

/// The hands of a file.
#[derive(Debug, Default)]
pub struct SiteHands {
    /// The hands in order, or an error for each that cannot be read.
    pub hands: Vec<Result<SiteHand, ReadError>>,
    /// The lines of hands whose number an earlier hand has.
    pub repeated: Vec<u64>,
    /// The units of money of which each is 100 chips, such as `$1`.
    pub money: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl SiteHands {
    /// Notes the number of a hand that begins on this line.
    pub(super) fn number(&mut self, number: &str, line: u64) {
        if !self.numbers.insert(number.to_owned()) {
            self.repeated.push(line);
        }
    }
}

impl SiteFormat {
    /// The format of a file that begins with this text; `None` for others.
    pub fn of(start: &str) -> Option<SiteFormat> {
        let start = start.trim_start_matches('\u{feff}').trim_start();
        let first = start.lines().next().unwrap_or_default();
        if pokerstars::is_start(first) {
            return Some(SiteFormat::PokerStars);
        }
        ohh::is_start(start).then_some(SiteFormat::OpenHandHistory)
    }

    /// The format's name.
    pub const fn name(self) -> &'static str {
        match self {
            SiteFormat::PokerStars => "PokerStars text",
            SiteFormat::OpenHandHistory => "Open Hand History",
        }
    }

    /// Parses a file's text. Hands of the same game share its definition.
    pub fn read(self, text: &str) -> SiteHands {
        match self {
            SiteFormat::PokerStars => pokerstars::read(text),
            SiteFormat::OpenHandHistory => ohh::read(text),
        }
    }

    /// What hands of this format say that is not kept.
    pub const fn not_kept(self) -> &'static [&'static str] {
        match self {
            SiteFormat::PokerStars => &["table", "time"],
            SiteFormat::OpenHandHistory => &["site", "table", "time"],
        }
    }
}
