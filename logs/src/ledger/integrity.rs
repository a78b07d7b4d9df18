//! Integrity check of a ledger, by the hashes over its rows.

use std::ops::RangeInclusive;

use serde::Serialize;
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use super::hashes::{self, Blocks, HANDS, MATCH_NOTE};
use super::{LedgerError, LedgerReader, Ranges, schema};

/// The result of an integrity check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Integrity {
    /// Whether the ledger has hashes. Without them only [`sha256`](Self::sha256) is known.
    pub hashed: bool,
    /// Number of hands present.
    pub hands: u64,
    /// The SHA-256 over the hashes of all hands present, in order, in hexadecimal. Ledgers with the
    /// same one have the same hands: cards, betting, results and line-ups.
    pub sha256: String,
    /// The faults found, in words; empty when the record is intact.
    pub faults: Vec<String>,
    /// The SHA-256 over all that statistics are computed from: the match's description, hands,
    /// decisions, and what is known of hands over the Slumbot API. `None` without hashes.
    #[serde(skip)]
    pub contents: Option<String>,
}

impl Integrity {
    /// Whether the ledger has hashes and all match.
    pub fn is_whole(&self) -> bool {
        self.hashed && self.faults.is_empty()
    }

    /// The state in a word: `whole`, `broken` or `not-recorded`.
    pub fn state(&self) -> &'static str {
        match self.hashed {
            true if self.faults.is_empty() => "whole",
            true => "broken",
            false => "not-recorded",
        }
    }

    /// The result in one line.
    pub fn words(&self) -> String {
        let short = self.sha256.get(..16).unwrap_or_default();
        match self.state() {
            "whole" => format!("record: whole by its hashes; SHA-256 of all hands {short}…"),
            "broken" => format!("record: NOT WHOLE: {}", self.faults.join("; ")),
            _ => format!("record: hashes not recorded; SHA-256 of all hands {short}…"),
        }
    }
}

/// The faulty rows of one table.
#[derive(Debug, Default)]
struct Mismatches {
    changed: Vec<RangeInclusive<u64>>,
    removed: Vec<RangeInclusive<u64>>,
    added: Vec<RangeInclusive<u64>>,
    /// Blocks in which rows were changed together with their hashes.
    replaced: Vec<RangeInclusive<u64>>,
}

fn push(ranges: &mut Vec<RangeInclusive<u64>>, hand: u64) {
    match ranges.last_mut() {
        Some(range) if *range.end() + 1 == hand => *range = *range.start()..=hand,
        _ => ranges.push(hand..=hand),
    }
}

impl Mismatches {
    /// Compares a block's stored set with the one found.
    fn compare(&mut self, block: u64, stored: &hashes::Marked, found: &hashes::Marked) {
        stored.without(found, block).for_each(|hand| push(&mut self.removed, hand));
        found.without(stored, block).for_each(|hand| push(&mut self.added, hand));
        let hands = block * HANDS..=block * HANDS + HANDS - 1;
        let named = self
            .changed
            .iter()
            .any(|changed| changed.start() <= hands.end() && hands.start() <= changed.end());
        if stored.differs_in_sum(found) && !named {
            self.replaced.push(hands);
        }
    }

    fn words(&self, what: &str) -> Vec<String> {
        let kinds = [
            (&self.changed, "changed"),
            (&self.removed, "removed"),
            (&self.added, "added"),
            (&self.replaced, "changed together with their hashes"),
        ];
        let words = |(ranges, how): (&Vec<RangeInclusive<u64>>, &str)| {
            let one = matches!(ranges.as_slice(), [range] if range.start() == range.end());
            let (hands, were) = match (what.is_empty(), one) {
                (true, true) => ("hand", "was"),
                (true, false) => ("hands", "were"),
                (false, true) => ("of hand", "were"),
                (false, false) => ("of hands", "were"),
            };
            let among = if how.contains("together") { "some among " } else { "" };
            let blank = if what.is_empty() { "" } else { " " };
            (!ranges.is_empty())
                .then(|| format!("{among}{what}{blank}{hands} {} {were} {how}", Ranges(ranges)))
        };
        kinds.into_iter().filter_map(words).collect()
    }
}

impl LedgerReader {
    /// Recomputes and compares the hashes of all rows. Reads the whole ledger, about as fast as the
    /// disk does; `seen` is called from time to time with the number of hands read.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn integrity(&self, seen: &mut dyn FnMut(u64)) -> Result<Integrity, LedgerError> {
        self.check(seen).map_err(LedgerError::sqlite(self.path()))
    }

    fn check(&self, seen: &mut dyn FnMut(u64)) -> rusqlite::Result<Integrity> {
        // A consistent snapshot, also while another process writes.
        let connection = self.connection().unchecked_transaction()?;
        let hashed = self.is_hashed();
        let players = self.info().players();
        let mut found = Blocks::default();
        let (mut hands, mut decisions) = (Mismatches::default(), Mismatches::default());
        let mut all = Sha256::new();
        let mut count = 0;
        let mark = if hashed { "hash" } else { "0" };
        let payoffs = schema::columns(players, |k| format!("payoff_{k}"));
        let entrants = schema::columns(players, |k| format!("entrant_{k}"));
        let select = format!(
            "SELECT hand, deal, betting, cards, {mark}, {payoffs}, {entrants} FROM hands \
             ORDER BY hand"
        );
        let mut query = connection.prepare(&select)?;
        let mut rows = query.query(())?;
        while let Some(row) = rows.next()? {
            let (hand, deal) = (row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64);
            let texts = [row.get_ref(2)?.as_str()?, row.get_ref(3)?.as_str()?];
            let mut numbers = Vec::with_capacity(2 * players);
            for at in 0..2 * players {
                numbers.push(row.get::<_, Option<i64>>(5 + at)?.unwrap_or(-1));
            }
            let hash = hashes::of_hand(hand, deal, texts, numbers.into_iter());
            all.update(hash);
            if hashed {
                found.add_hand(hand, &hash);
                if row.get::<_, i64>(4)? != hashes::mark(&hash) {
                    push(&mut hands.changed, hand);
                }
            }
            count += 1;
            if count % 4096 == 0 {
                seen(count);
            }
        }
        let mut faults = Vec::new();
        let mut contents = None;
        if hashed {
            let mut everything = all.clone();
            let mut query =
                connection.prepare("SELECT hand, lines, hash FROM decisions ORDER BY hand")?;
            let mut rows = query.query(())?;
            while let Some(row) = rows.next()? {
                let hand = row.get::<_, i64>(0)? as u64;
                let hash = hashes::of_decisions(hand, row.get_ref(1)?.as_str()?);
                found.add_decisions(hand, &hash);
                everything.update(hash);
                if row.get::<_, i64>(2)? != hashes::mark(&hash) {
                    push(&mut decisions.changed, hand);
                }
            }
            for (number, stored, found) in Blocks::read(&connection)?.beside(&found) {
                hands.compare(number, &stored.hands, &found.hands);
                decisions.compare(number, &stored.decisions, &found.decisions);
            }
            let info: String = connection.query_row("SELECT info FROM match", (), |r| r.get(0))?;
            everything.update(&info);
            everything.update(super::slumbot::hash(&connection)?);
            contents = Some(hexadecimal(&everything.finalize()));
            let noted = super::writer::read_note(&connection, MATCH_NOTE)?;
            if noted != Some(hashes::of_text(&info)) {
                faults.push("the description of the match was changed".to_owned());
            }
            faults.extend(hands.words(""));
            faults.extend(decisions.words("the decisions"));
        }
        let sha256 = hexadecimal(&all.finalize());
        Ok(Integrity { hashed, hands: count, sha256, faults, contents })
    }
}
