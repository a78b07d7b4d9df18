//! Reader of a ledger.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::{BySeat, GameDef, Payoff};
use rusqlite::{Connection, OptionalExtension, Row};

use super::select::HandFilter;
use super::writer::read_note;
use super::{LedgerError, Problem, schema};
use crate::formats::jsonl::read_decision;
use crate::info::MatchInfo;
use crate::record::{line_up, replay};
use crate::{DecisionRecord, HandRecord};

/// Number of hands fetched at a time: enough to amortise a query, few enough to need little memory.
const PAGE_HANDS: usize = 1024;

/// A reader of the hands of one match. Usable while a [`LedgerWriter`](super::LedgerWriter) writes;
/// it then sees what has been committed.
#[derive(Debug)]
pub struct LedgerReader {
    path: PathBuf,
    info: MatchInfo,
    def: Arc<GameDef>,
    connection: Connection,
    /// Of the hands, and of the hands with their decisions.
    selects: [String; 2],
    hashed: bool,
}

impl LedgerReader {
    /// Opens the ledger at this path, or in this match folder. A finished one may be read-only.
    pub fn open(path: &Path) -> Result<LedgerReader, LedgerError> {
        let path = if path.is_dir() { path.join(super::FILE_NAME) } else { path.to_path_buf() };
        let (connection, info) = schema::open_to_read(&path)?;
        let payoffs = schema::columns(info.players(), |k| format!("payoff_{k}"));
        let entrants = schema::columns(info.players(), |k| format!("entrant_{k}"));
        let lines = "(SELECT lines FROM decisions WHERE decisions.hand = hands.hand)";
        let selects = ["NULL", lines].map(|lines| {
            format!("SELECT hand, deal, betting, cards, {lines}, {payoffs}, {entrants} FROM hands")
        });
        let def = Arc::new(info.game.clone());
        let hashed = schema::is_hashed(&connection).map_err(LedgerError::sqlite(&path))?;
        Ok(LedgerReader { path, info, def, connection, selects, hashed })
    }

    /// The match.
    pub fn info(&self) -> &MatchInfo {
        &self.info
    }

    /// The game, shared by all records of this reader.
    pub fn def(&self) -> &Arc<GameDef> {
        &self.def
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether the rows have hashes, which ledgers of earlier versions lack.
    pub fn is_hashed(&self) -> bool {
        self.hashed
    }

    /// Number of hands in the ledger.
    pub fn count(&self) -> Result<u64, LedgerError> {
        let count =
            self.connection.query_row("SELECT count(*) FROM hands", (), |row| row.get::<_, i64>(0));
        count.map(|count| count as u64).map_err(LedgerError::sqlite(&self.path))
    }

    /// The hands in the ledger as ordered, maximal ranges.
    pub fn present(&self) -> Result<Vec<RangeInclusive<u64>>, LedgerError> {
        present(&self.connection, "hands").map_err(LedgerError::sqlite(&self.path))
    }

    /// The planned hands that are not in the ledger. For one part of a match these include the
    /// hands of all other parts.
    pub fn missing(&self) -> Result<Vec<RangeInclusive<u64>>, LedgerError> {
        Ok(gaps(&self.present()?, self.info.hands))
    }

    /// The hand with this number, or `None`.
    pub fn hand(&self, hand: u64) -> Result<Option<HandRecord>, LedgerError> {
        let players = self.info.players();
        let row = self
            .connection
            .prepare_cached(&format!("{} WHERE hand = ?", self.selects[0]))
            .and_then(|mut query| {
                query.query_row([stored(hand)], |row| RawRow::read(row, players)).optional()
            })
            .map_err(LedgerError::sqlite(&self.path))?;
        row.map(|row| self.replay(row)).transpose()
    }

    /// All hands in order.
    pub fn hands(&self) -> Hands<'_> {
        self.hands_from(0)
    }

    /// The hands from `first` on, in order.
    pub fn hands_from(&self, first: u64) -> Hands<'_> {
        self.hands_in(first..u64::MAX)
    }

    /// The hands in this range, in order.
    pub fn hands_in(&self, hands: Range<u64>) -> Hands<'_> {
        Hands(Pages::new(self, &self.selects[0], hands))
    }

    /// The hands in this range, in order, with the decisions of those whose deal is wanted. A page
    /// of them is one query.
    pub fn hands_and_decisions<'a>(
        &'a self,
        hands: Range<u64>,
        wanted: impl Fn(u64) -> bool + 'a,
    ) -> impl Iterator<Item = Result<(HandRecord, Vec<DecisionRecord>), LedgerError>> + 'a {
        self.with_decisions(Pages::new(self, &self.selects[1], hands), wanted)
    }

    fn with_decisions<'a>(
        &'a self,
        mut pages: Pages<'a>,
        wanted: impl Fn(u64) -> bool + 'a,
    ) -> impl Iterator<Item = Result<(HandRecord, Vec<DecisionRecord>), LedgerError>> + 'a {
        std::iter::from_fn(move || {
            let mut lines = None;
            let record = pages.next(|row| lines = row.lines.take())?;
            let both = record.and_then(|record| {
                let lines = lines.filter(|_| wanted(record.deal)).unwrap_or_default();
                Ok((self.decisions_in(record.hand, &lines)?, record))
            });
            Some(both.map(|(decisions, record)| (record, decisions)))
        })
    }

    /// The hands that a filter leaves, in order, with their decisions. A page of them is one query.
    pub fn hands_matching(
        &self,
        filter: &HandFilter,
    ) -> impl Iterator<Item = Result<(HandRecord, Vec<DecisionRecord>), LedgerError>> + '_ {
        let condition = filter.condition(self.info.players(), self.info.group());
        let which = usize::from(filter.valued);
        let select = format!(
            "{} FROM (SELECT * FROM hands WHERE {condition}) AS hands",
            self.selects[which].trim_end_matches(" FROM hands")
        );
        self.with_decisions(Pages::new(self, select, 0..u64::MAX), |_| true)
    }

    /// The numbers, in order, of the hands whose deal is wanted.
    pub fn hands_where(&self, wanted: impl Fn(u64) -> bool) -> Result<Vec<u64>, LedgerError> {
        let mut found = Vec::new();
        (|| {
            let mut query =
                self.connection.prepare("SELECT hand, deal FROM hands ORDER BY hand")?;
            let mut rows = query.query(())?;
            while let Some(row) = rows.next()? {
                if wanted(row.get::<_, i64>(1)? as u64) {
                    found.push(row.get::<_, i64>(0)? as u64);
                }
            }
            Ok(found)
        })()
        .map_err(LedgerError::sqlite(&self.path))
    }

    /// The hands from `first` on whose deals are in this range, in order. Takes a little time for
    /// every hand in between.
    pub fn hands_of_deals(
        &self,
        first: u64,
        deals: Range<u64>,
    ) -> Result<Vec<HandRecord>, LedgerError> {
        let players = self.info.players();
        let query =
            format!("{} WHERE hand >= ? AND deal >= ? AND deal < ? ORDER BY hand", self.selects[0]);
        let rows = (|| {
            let mut query = self.connection.prepare_cached(&query)?;
            let ends = [stored(first), stored(deals.start), stored(deals.end)];
            let rows = query.query_map(ends, |row| RawRow::read(row, players))?;
            rows.collect::<rusqlite::Result<Vec<RawRow>>>()
        })()
        .map_err(LedgerError::sqlite(&self.path))?;
        rows.into_iter().map(|row| self.replay(row)).collect()
    }

    /// The recorded decisions of a hand, in order; empty when there are none.
    pub fn decisions(&self, hand: u64) -> Result<Vec<DecisionRecord>, LedgerError> {
        let lines: Option<String> = self
            .connection
            .prepare_cached("SELECT lines FROM decisions WHERE hand = ?")
            .and_then(|mut query| query.query_row([stored(hand)], |row| row.get(0)).optional())
            .map_err(LedgerError::sqlite(&self.path))?;
        self.decisions_in(hand, &lines.unwrap_or_default())
    }

    fn decisions_in(&self, hand: u64, lines: &str) -> Result<Vec<DecisionRecord>, LedgerError> {
        let read = (1..).zip(lines.lines()).map(|(number, line)| read_decision(line, number));
        read.collect::<Result<_, _>>().map_err(|error| {
            LedgerError::from(Problem::Row {
                path: self.path.clone(),
                hand,
                reason: error.to_string(),
            })
        })
    }

    /// The committed note with this key, if there is one.
    pub fn note(&self, key: &str) -> Result<Option<String>, LedgerError> {
        read_note(&self.connection, key).map_err(LedgerError::sqlite(&self.path))
    }

    fn replay(&self, row: RawRow) -> Result<HandRecord, LedgerError> {
        let hand = row.hand;
        row.into_record(&self.def).map_err(|reason| {
            LedgerError::from(Problem::Row { path: self.path.clone(), hand, reason })
        })
    }

    fn page(&self, select: &str, hands: &Range<u64>) -> Result<Vec<RawRow>, LedgerError> {
        let players = self.info.players();
        let query =
            format!("{select} WHERE hand >= ? AND hand < ? ORDER BY hand LIMIT {PAGE_HANDS}");
        (|| {
            let mut query = self.connection.prepare_cached(&query)?;
            let ends = [stored(hands.start), stored(hands.end)];
            let rows = query.query_map(ends, |row| RawRow::read(row, players))?;
            rows.collect::<rusqlite::Result<Vec<RawRow>>>()
        })()
        .map_err(LedgerError::sqlite(&self.path))
    }
}

/// A hand's number as stored in SQLite, saturated; no hand has a larger one.
pub(super) fn stored(hand: u64) -> i64 {
    i64::try_from(hand).unwrap_or(i64::MAX)
}

/// An iterator over the hands of a ledger in order, read a page at a time.
#[derive(Debug)]
pub struct Hands<'a>(Pages<'a>);

impl Iterator for Hands<'_> {
    type Item = Result<HandRecord, LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next(|_| {})
    }
}

/// The rows of a ledger in order, read a page at a time.
#[derive(Debug)]
struct Pages<'a> {
    reader: &'a LedgerReader,
    select: Cow<'a, str>,
    page: std::vec::IntoIter<RawRow>,
    /// The range of the remaining pages; `None` after the last or after an error.
    rest: Option<Range<u64>>,
}

impl<'a> Pages<'a> {
    fn new(
        reader: &'a LedgerReader,
        select: impl Into<Cow<'a, str>>,
        hands: Range<u64>,
    ) -> Pages<'a> {
        Pages { reader, select: select.into(), page: Vec::new().into_iter(), rest: Some(hands) }
    }

    /// The next hand; `before` sees its row.
    fn next(
        &mut self,
        before: impl FnOnce(&mut RawRow),
    ) -> Option<Result<HandRecord, LedgerError>> {
        if self.page.len() == 0 {
            let rest = self.rest.take()?;
            match self.reader.page(&self.select, &rest) {
                Ok(page) => {
                    let full = page.len() == PAGE_HANDS;
                    let last = page.last().filter(|_| full);
                    self.rest = last.map(|row| row.hand + 1..rest.end);
                    self.page = page.into_iter();
                }
                Err(error) => return Some(Err(error)),
            }
        }
        let mut row = self.page.next()?;
        before(&mut row);
        let record = self.reader.replay(row);
        if record.is_err() {
            self.rest = None;
            self.page = Vec::new().into_iter();
        }
        Some(record)
    }
}

/// The hands in a table as ranges.
pub(super) fn present(
    connection: &Connection,
    table: &str,
) -> rusqlite::Result<Vec<RangeInclusive<u64>>> {
    let ends = format!("SELECT count(*), min(hand), max(hand) FROM {table}");
    let (count, first, last) = connection.query_row(&ends, (), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?, row.get::<_, Option<i64>>(2)?))
    })?;
    let (Some(first), Some(last)) = (first, last) else { return Ok(Vec::new()) };
    // The usual case needs no scan of the hands.
    if last - first + 1 == count {
        return Ok(vec![first as u64..=last as u64]);
    }
    let mut ranges: Vec<RangeInclusive<u64>> = Vec::new();
    let mut query = connection.prepare(&format!("SELECT hand FROM {table} ORDER BY hand"))?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let hand = row.get::<_, i64>(0)? as u64;
        match ranges.last_mut() {
            Some(range) if *range.end() + 1 == hand => *range = *range.start()..=hand,
            _ => ranges.push(hand..=hand),
        }
    }
    Ok(ranges)
}

/// The gaps between the ranges, from 0 up to `planned`.
pub(super) fn gaps(present: &[RangeInclusive<u64>], planned: u64) -> Vec<RangeInclusive<u64>> {
    let mut gaps = Vec::new();
    let mut next = 0;
    for range in present {
        if *range.start() > next {
            gaps.push(next..=(*range.start() - 1).min(planned.saturating_sub(1)));
        }
        next = next.max(*range.end() + 1);
    }
    if next < planned {
        gaps.push(next..=planned - 1);
    }
    gaps
}

/// The columns of a row as read.
#[derive(Debug)]
struct RawRow {
    hand: u64,
    deal: u64,
    betting: String,
    cards: String,
    /// The decisions, a JSON object a line, if they were asked for and recorded.
    lines: Option<String>,
    payoffs: Vec<i64>,
    entrants: Vec<Option<i64>>,
}

impl RawRow {
    /// Reads `hand, deal, betting, cards, lines, payoff_0 …, entrant_0 …`.
    fn read(row: &Row<'_>, players: usize) -> rusqlite::Result<RawRow> {
        Ok(RawRow {
            hand: row.get::<_, i64>(0)? as u64,
            deal: row.get::<_, i64>(1)? as u64,
            betting: row.get(2)?,
            cards: row.get(3)?,
            lines: row.get(4)?,
            payoffs: (0..players).map(|k| row.get(5 + k)).collect::<Result<_, _>>()?,
            entrants: (0..players).map(|k| row.get(5 + players + k)).collect::<Result<_, _>>()?,
        })
    }

    /// Replays the hand; the error, in words, when it is not legal.
    fn into_record(self, def: &Arc<GameDef>) -> Result<HandRecord, String> {
        let payoffs: Vec<Payoff> = self.payoffs.into_iter().map(Payoff::from_parts).collect();
        let payoffs = BySeat::from_slice(&payoffs).ok_or("too many seats")?;
        let mut entrants = line_up(self.hand, def.players);
        for (seat, number) in def.seats().zip(&self.entrants) {
            if let Some(number) = *number {
                let number = u8::try_from(number).ok().filter(|&n| usize::from(n) < def.players);
                entrants[seat] = number.ok_or("there is no such entrant")?;
            }
        }
        replay(def, self.hand, self.deal, &self.betting, &self.cards, Some(payoffs), entrants)
    }
}
