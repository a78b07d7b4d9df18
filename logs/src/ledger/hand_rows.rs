//! Finished hands as the rows of a ledger, made on the threads that play them: texts and hashes are
//! most of the work of recording a hand, and the one writer is left with the insertions.

use std::path::Path;

use game::{BySeat, Payoff, notation};
use rusqlite::{ErrorCode, Statement};

use super::LedgerError;
use super::hashes::{self, Hash};
use super::journal::JournalHand;
use crate::replay::is_rotated;
use crate::{DecisionRecord, HandRecord, decisions};

/// Finished hands, in the form in which a [`LedgerWriter`](super::LedgerWriter) commits them. Takes
/// about 250 bytes a hand, and those of its decisions.
#[derive(Debug, Clone, Default)]
pub struct HandRows {
    rows: Vec<HandRow>,
    /// The texts of all rows, concatenated, so that a row needs no allocation.
    text: String,
}

/// A hand; its texts are slices of `HandRows::text`, one after the other.
#[derive(Debug, Clone)]
pub(super) struct HandRow {
    pub(super) hand: u64,
    deal: u64,
    betting: usize,
    cards: usize,
    /// Length of the lines of its decisions; 0 when there are none.
    decisions: usize,
    payoffs: BySeat<Payoff>,
    /// The line-up, unless everyone moved by one seat after each hand.
    line_up: Option<BySeat<u8>>,
    pub(super) hash: Hash,
    /// The hash of the lines of its decisions, if there are any.
    pub(super) decisions_hash: Option<Hash>,
}

impl HandRows {
    /// Adds a hand and the decisions made in it.
    pub fn push(&mut self, record: &HandRecord, made: &[DecisionRecord]) {
        let begin = self.push_hand(record);
        made.iter().for_each(|decision| decisions::write_line(decision, &mut self.text));
        self.finish(record.hand, record.deal, begin, record.payoffs, line_up(record));
    }

    /// Adds a hand whose decisions are these lines, as [`decisions::write_line`] writes them.
    pub fn push_with_lines(&mut self, record: &HandRecord, lines: &str) {
        let begin = self.push_hand(record);
        self.text.push_str(lines);
        self.finish(record.hand, record.deal, begin, record.payoffs, line_up(record));
    }

    /// Adds a hand of a journal.
    pub(super) fn push_from_journal(&mut self, hand: &JournalHand<'_>) {
        let begin = self.text.len();
        self.text.push_str(&hand.betting);
        let betting = self.text.len();
        self.text.push_str(&hand.cards);
        let cards = self.text.len();
        self.text.push_str(&hand.lines);
        let payoffs: Vec<Payoff> = hand.payoffs.iter().copied().map(Payoff::from_parts).collect();
        let payoffs = BySeat::from_slice(&payoffs).expect("as many as there are players");
        let line_up = hand.entrants.as_deref();
        let line_up = line_up.map(|seats| BySeat::from_slice(seats).expect("the same"));
        self.finish(hand.hand, hand.deal, [begin, betting, cards], payoffs, line_up);
    }

    /// Number of hands.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the hands of another list.
    pub fn extend(&mut self, other: &HandRows) {
        self.rows.extend_from_slice(&other.rows);
        self.text.push_str(&other.text);
    }

    /// Removes all hands, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.text.clear();
    }

    /// The hands in order, each with its betting, its cards and the lines of its decisions.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&HandRow, [&str; 3])> {
        let mut rest = self.text.as_str();
        self.rows.iter().map(move |row| {
            let texts = [row.betting, row.cards, row.decisions].map(|length| {
                let (text, behind) = rest.split_at(length);
                rest = behind;
                text
            });
            (row, texts)
        })
    }

    /// Writes betting and cards; returns where the texts of the hand begin, and both end.
    fn push_hand(&mut self, record: &HandRecord) -> [usize; 3] {
        let begin = self.text.len();
        notation::write_betting(&record.public, &mut self.text);
        let betting = self.text.len();
        notation::write_cards(&record.public, &record.hole, &mut self.text);
        [begin, betting, self.text.len()]
    }

    fn finish(
        &mut self,
        hand: u64,
        deal: u64,
        [begin, betting, cards]: [usize; 3],
        payoffs: BySeat<Payoff>,
        line_up: Option<BySeat<u8>>,
    ) {
        let lines = &self.text[cards..];
        let decisions_hash = (!lines.is_empty()).then(|| hashes::of_decisions(hand, lines));
        let texts = [&self.text[begin..betting], &self.text[betting..cards]];
        let entrants = line_up.iter().flat_map(BySeat::as_slice).map(|&one| i64::from(one));
        let usual = if line_up.is_none() { payoffs.len() } else { 0 };
        let numbers = payoffs.as_slice().iter().map(|payoff| payoff.parts()).chain(entrants);
        let numbers = numbers.chain(std::iter::repeat_n(-1, usual));
        let hash = hashes::of_hand(hand, deal, texts, numbers);
        self.rows.push(HandRow {
            hand,
            deal,
            betting: betting - begin,
            cards: cards - betting,
            decisions: self.text.len() - cards,
            payoffs,
            line_up,
            hash,
            decisions_hash,
        });
    }
}

fn line_up(record: &HandRecord) -> Option<BySeat<u8>> {
    (!is_rotated(record)).then_some(record.entrants)
}

impl HandRow {
    /// Whether the row has its line-up.
    pub(super) fn has_line_up(&self) -> bool {
        self.line_up.is_some()
    }

    /// Inserts the row by a statement for it, with its hash if the ledger has hashes.
    pub(super) fn insert(
        &self,
        statement: &mut Statement<'_>,
        [betting, cards]: [&str; 2],
        hashed: bool,
    ) -> rusqlite::Result<()> {
        statement.raw_bind_parameter(1, self.hand as i64)?;
        statement.raw_bind_parameter(2, self.deal as i64)?;
        statement.raw_bind_parameter(3, betting)?;
        statement.raw_bind_parameter(4, cards)?;
        let mut next = 5;
        for payoff in self.payoffs.as_slice() {
            statement.raw_bind_parameter(next, payoff.parts())?;
            next += 1;
        }
        for &entrant in self.line_up.iter().flat_map(BySeat::as_slice) {
            statement.raw_bind_parameter(next, entrant)?;
            next += 1;
        }
        if hashed {
            statement.raw_bind_parameter(next, hashes::mark(&self.hash))?;
        }
        statement.raw_execute()?;
        Ok(())
    }

    /// The error of its insertion, in words.
    pub(super) fn explain(&self, path: &Path, error: rusqlite::Error) -> LedgerError {
        match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => {
                LedgerError::Twice { path: path.to_path_buf(), hand: self.hand }
            }
            _ => LedgerError::sqlite(path)(error),
        }
    }
}
