//! Hashes over a ledger's rows, which reveal rows that were changed, removed or added by other
//! programs.
//!
//! Every row of `hands` and `decisions` has the first eight bytes of its SHA-256 beside it. For
//! each block of 256 hands the table `hashes` has, for either table, a bit mask of the hands
//! present and the sum of their full hashes modulo 2^256. A sum does not depend on the order in
//! which hands end, so threads, parts of a match and later hands are independent of each other; it
//! is written in the transaction of the hands. (Sums of hashes as marks of sets: Bellare and
//! Micciancio, *A new paradigm for collision-free hashing*, 1997, section 3.)
//!
//! A change of rows together with their hashes is not found this way, but by the SHA-256 over all
//! hands in order, if that was published before ([`super::Integrity::sha256`]).

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

/// Number of hands in a block.
pub(super) const HANDS: u64 = 256;

/// Key of the note with the SHA-256 of the match's description, in hexadecimal.
pub(super) const MATCH_NOTE: &str = "match-sha256";

/// A row's hash.
pub(super) type Hash = [u8; 32];

/// The hash of a row of `hands`. Numbers are eight bytes, little-endian; each text is preceded by
/// its length. `entrants` are those of the row, −1 where it has none.
pub(super) fn of_hand(
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
pub(super) fn of_decisions(hand: u64, lines: &str) -> Hash {
    Sha256::new().chain_update(hand.to_le_bytes()).chain_update(lines).finalize().into()
}

/// The prefix of a hash that is stored in the row itself.
pub(super) fn mark(hash: &Hash) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = *hash;
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The SHA-256 of a text, in hexadecimal.
pub(super) fn of_text(text: &str) -> String {
    show::number::hexadecimal(&Sha256::digest(text))
}

/// The set of hands of a block in one table, with the sum of their hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marked {
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
    pub(super) fn differs_in_sum(&self, other: &Marked) -> bool {
        self.present == other.present && self.sum != other.sum
    }
}

/// A block's sets in both tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Block {
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
    pub(super) fn beside<'a>(
        &'a self,
        other: &'a Blocks,
    ) -> impl Iterator<Item = (u64, Block, Block)> + 'a {
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
