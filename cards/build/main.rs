//! Writes the evaluator's tables, which `src/evaluate/tables.rs` describes, as Rust source.
//!
//! The keys of one row keep their distances in the table of strengths; only where the row begins
//! is free. Rows are placed one after another, the largest first, each at the first place where it
//! meets nothing placed before. A bit for every taken slot lets 64 places be tried at once.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

mod keys;
mod rules;

use keys::{RANK_KEYS, ROW_SHIFT, ROWS};

/// One hand without a flush: its key's bits below the row, and its strength.
type Entry = (u32, u32);

fn main() {
    let mut rows = vec![Vec::new(); ROWS];
    collect(0, 7, 0, [0; 4], &mut rows);
    let (offsets, strengths) = place(&rows);

    let flushes = (0..1 << 13).map(
        |ranks: u32| {
            if ranks.count_ones() >= 5 { rules::of_suit(ranks) } else { 0 }
        },
    );

    let mut text = String::new();
    let tables = [
        ("RANK_KEYS", RANK_KEYS.to_vec()),
        ("OFFSETS", offsets),
        ("STRENGTHS", strengths),
        ("FLUSHES", flushes.collect()),
    ];
    for (name, table) in tables {
        writeln!(text, "pub(super) static {name}: [u32; {}] = {table:?};", table.len())
            .expect("memory does not fail");
    }
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&folder).join("tables.rs"), text).expect("OUT_DIR can be written");
    let mut cargo = std::io::stdout().lock();
    writeln!(cargo, "cargo::rerun-if-changed=build").expect("cargo listens");
}

/// Sorts into rows every hand that adds up to `left` cards of `rank` and above to the hand with this
/// key; `held[k]` is the mask of the ranks that it holds more than `k` times.
fn collect(rank: usize, left: usize, key: u32, held: [u32; 4], rows: &mut [Vec<Entry>]) {
    if rank == RANK_KEYS.len() {
        rows[(key >> ROW_SHIFT) as usize].push((key % (1 << ROW_SHIFT), rules::of_ranks(held)));
        return;
    }
    let (mut key, mut held) = (key, held);
    collect(rank + 1, left, key, held, rows);
    for more in 0..left.min(4) {
        key += RANK_KEYS[rank];
        held[more] |= 1 << rank;
        collect(rank + 1, left - more - 1, key, held, rows);
    }
}

/// The offset of each row, to be added to a whole key with wrapping, and the strengths.
fn place(rows: &[Vec<Entry>]) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<usize> = (0..rows.len()).filter(|&row| !rows[row].is_empty()).collect();
    order.sort_by_key(|&row| std::cmp::Reverse(rows[row].len()));
    let (mut offsets, mut strengths) = (vec![0; rows.len()], vec![0; 1 << 18]);
    let mut taken = vec![0_u64; strengths.len() / 64];
    let (mut first_free, mut len) = (0, 0);
    for row in order {
        let lowest =
            rows[row].iter().map(|entry| entry.0).min().expect("rows in order have entries");
        let slots: Vec<usize> = rows[row].iter().map(|entry| (entry.0 - lowest) as usize).collect();
        while taken[first_free] == u64::MAX {
            first_free += 1;
        }
        let start = (first_free..).find_map(|word| first_place(&taken, 64 * word, &slots));
        let start = start.expect("the search ends in free slots or with a panic");
        for (slot, entry) in slots.iter().map(|slot| start + slot).zip(&rows[row]) {
            taken[slot / 64] |= 1 << (slot % 64);
            strengths[slot] = entry.1;
            len = len.max(slot + 1);
        }
        let moved = (start as u32).wrapping_sub(lowest);
        offsets[row] = moved.wrapping_sub((row as u32) << ROW_SHIFT);
    }
    strengths.truncate(len);
    (offsets, strengths)
}

/// The first of the 64 places from `start` on where none of the slots is taken.
fn first_place(taken: &[u64], start: usize, slots: &[usize]) -> Option<usize> {
    let mut free = u64::MAX;
    for slot in slots {
        let (word, bit) = ((start + slot) / 64, (start + slot) % 64);
        free &= !(taken[word] >> bit);
        if bit > 0 {
            free &= !(taken[word + 1] << (64 - bit));
        }
        if free == 0 {
            return None;
        }
    }
    Some(start + free.trailing_zeros() as usize)
}
