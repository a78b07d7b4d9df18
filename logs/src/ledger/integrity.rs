//! Hashes over a ledger's rows and their check, which reveals rows that were changed, removed or
//! added by other programs.
//!
//! Every row of `hands` and `decisions` has the first eight bytes of its SHA-256 beside it. For
//! each block of 256 hands the table `hashes` has, for either table, a bit mask of the hands
//! present and the sum of their full hashes modulo 2^256. A sum does not depend on the order in
//! which hands end, so threads, parts of a match and later hands are independent of each other; it
//! is written in the transaction of the hands. (Sums of hashes as marks of sets: Bellare and
//! Micciancio, *A new paradigm for collision-free hashing*, 1997, section 3.)
//!
//! A change of rows together with their hashes is not found this way, but by the SHA-256 over all
//! hands in order, if that was published before ([`Integrity::sha256`]).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use crate::ledger::{LedgerError, LedgerReader, Ranges, schema};

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
    fn compare(&mut self, block: u64, stored: &Marked, found: &Marked) {
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
            let hash = hash_of_hand(hand, deal, texts, numbers.into_iter());
            all.update(hash);
            if hashed {
                found.add_hand(hand, &hash);
                if row.get::<_, i64>(4)? != stored_mark(&hash) {
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
                let hash = hash_of_decisions(hand, row.get_ref(1)?.as_str()?);
                found.add_decisions(hand, &hash);
                everything.update(hash);
                if row.get::<_, i64>(2)? != stored_mark(&hash) {
                    push(&mut decisions.changed, hand);
                }
            }
            for (number, stored, found) in Blocks::read(&connection)?.beside(&found) {
                hands.compare(number, &stored.hands, &found.hands);
                decisions.compare(number, &stored.decisions, &found.decisions);
            }
            let info: String = connection.query_row("SELECT info FROM match", (), |r| r.get(0))?;
            everything.update(&info);
            everything.update(crate::ledger::web_run::hash(&connection)?);
            contents = Some(hexadecimal(&everything.finalize()));
            let noted = crate::ledger::writer::read_note(&connection, MATCH_NOTE)?;
            if noted != Some(hash_of_text(&info)) {
                faults.push("the description of the match was changed".to_owned());
            }
            faults.extend(hands.words(""));
            faults.extend(decisions.words("the decisions"));
        }
        let sha256 = hexadecimal(&all.finalize());
        Ok(Integrity { hashed, hands: count, sha256, faults, contents })
    }
}

/// Number of hands in a block.
pub(super) const HANDS: u64 = 256;

/// Key of the note with the SHA-256 of the match's description, in hexadecimal.
pub(super) const MATCH_NOTE: &str = "match-sha256";

/// A row's hash.
pub(super) type Hash = [u8; 32];

/// The hash of a row of `hands`. Numbers are eight bytes, little-endian; each text is preceded by
/// its length. `entrants` are those of the row, −1 where it has none.
pub(super) fn hash_of_hand(
    hand: u64,
    deal: u64,
    [betting, cards]: [&str; 2],
    numbers: impl Iterator<Item = i64>,
) -> Hash {
    let mut hash = Sha256::new();
    hash.update(hand.to_le_bytes());
    hash.update(deal.to_le_bytes());
    for text in [betting, cards] {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    numbers.for_each(|number| hash.update(number.to_le_bytes()));
    hash.finalize().into()
}

/// The hash of a row of `decisions`.
pub(super) fn hash_of_decisions(hand: u64, lines: &str) -> Hash {
    Sha256::new().chain_update(hand.to_le_bytes()).chain_update(lines).finalize().into()
}

/// The prefix of a hash that is stored in the row itself.
pub(super) fn stored_mark(hash: &Hash) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = *hash;
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The SHA-256 of a text, in hexadecimal.
pub(super) fn hash_of_text(text: &str) -> String {
    show::number::hexadecimal(&Sha256::digest(text))
}

/// The set of hands of a block in one table, with the sum of their hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Marked {
    /// A bit for each hand present, the lowest bit of the first byte for the first.
    present: [u8; 32],
    /// The sum of their hashes, little-endian.
    sum: Hash,
}

impl Marked {
    fn add(&mut self, hand: u64, hash: &Hash) {
        let place = (hand % HANDS) as usize;
        self.present[place / 8] |= 1 << (place % 8);
        self.add_sum(hash);
    }

    fn merge(&mut self, other: &Marked) {
        for (byte, more) in self.present.iter_mut().zip(other.present) {
            *byte |= more;
        }
        self.add_sum(&other.sum);
    }

    fn add_sum(&mut self, other: &Hash) {
        let mut carry = 0;
        for (byte, more) in self.sum.iter_mut().zip(other) {
            let sum = u16::from(*byte) + u16::from(*more) + carry;
            [*byte, _] = sum.to_le_bytes();
            carry = sum >> 8;
        }
    }

    /// The hands that are in this set but not in the other.
    pub(super) fn without<'a>(
        &'a self,
        other: &'a Marked,
        block: u64,
    ) -> impl Iterator<Item = u64> + 'a {
        let has = |marked: &Marked, place: usize| marked.present[place / 8] >> (place % 8) & 1 == 1;
        (0..HANDS)
            .filter(move |&place| has(self, place as usize) && !has(other, place as usize))
            .map(move |place| block * HANDS + place)
    }

    /// Whether both have the same hands with different sums.
    fn differs_in_sum(&self, other: &Marked) -> bool {
        self.present == other.present && self.sum != other.sum
    }
}

/// A block's sets in both tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Block {
    pub(super) hands: Marked,
    pub(super) decisions: Marked,
}

/// The blocks of a ledger, by number.
#[derive(Debug, Default)]
pub(super) struct Blocks(BTreeMap<u64, Block>);

impl Blocks {
    pub(super) fn add_hand(&mut self, hand: u64, hash: &Hash) {
        self.0.entry(hand / HANDS).or_default().hands.add(hand, hash);
    }

    pub(super) fn add_decisions(&mut self, hand: u64, hash: &Hash) {
        self.0.entry(hand / HANDS).or_default().decisions.add(hand, hash);
    }

    /// The blocks that either has, in order, paired.
    fn beside<'a>(&'a self, other: &'a Blocks) -> impl Iterator<Item = (u64, Block, Block)> + 'a {
        let numbers: BTreeSet<u64> = self.0.keys().chain(other.0.keys()).copied().collect();
        let block = |of: &Blocks, number| of.0.get(&number).copied().unwrap_or_default();
        numbers.into_iter().map(move |number| (number, block(self, number), block(other, number)))
    }

    /// Merges these hands into the table `hashes`, on a connection with an open transaction.
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        // A ledger without hashes lacks the table.
        if self.0.is_empty() {
            return Ok(());
        }
        let mut read = connection.prepare_cached(&format!("{SELECT} WHERE block = ?"))?;
        let mut write =
            connection.prepare_cached("INSERT OR REPLACE INTO hashes VALUES (?, ?, ?, ?, ?)")?;
        for (&number, block) in &self.0 {
            let before = read.query_row([number as i64], read_block).optional()?;
            let mut block = *block;
            if let Some((_, before)) = before {
                block.hands.merge(&before.hands);
                block.decisions.merge(&before.decisions);
            }
            let Block { hands, decisions } = block;
            write.execute((
                number as i64,
                hands.present,
                hands.sum,
                decisions.present,
                decisions.sum,
            ))?;
        }
        Ok(())
    }

    /// Reads all blocks of the table `hashes`.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Blocks> {
        let mut query = connection.prepare(SELECT)?;
        let blocks = query.query_map((), read_block)?;
        blocks.collect::<rusqlite::Result<_>>().map(Blocks)
    }
}

const SELECT: &str = "SELECT block, hands, hands_sum, decisions, decisions_sum FROM hashes";

fn read_block(row: &rusqlite::Row<'_>) -> rusqlite::Result<(u64, Block)> {
    let marked = |at: usize| -> rusqlite::Result<Marked> {
        Ok(Marked { present: row.get(at)?, sum: row.get(at + 1)? })
    };
    let block = Block { hands: marked(1)?, decisions: marked(3)? };
    Ok((row.get::<_, i64>(0)? as u64, block))
}
