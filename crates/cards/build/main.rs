//! Writes the evaluator's tables, which `src/evaluate/tables.rs` describes: each as a file of
//! numbers in the target's byte order, and the Rust source that includes them. As literals they
//! would take the compiler seconds.
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

/// One hand without a flush: its key's bits below the row, and what it holds: in place `k` the mask
/// of the ranks that it has more than `k` times.
type Entry = (u32, [u32; 4]);

fn main() {
    let hands = collected(7);
    let (offsets, positions) = pack(&hands);
    let strengths = filled(&hands, &positions, rules::of_ranks);

    let unfinished = collected(6);
    let (next_offsets, positions) = pack(&unfinished);
    let next = filled(&unfinished, &positions, |held| {
        std::array::from_fn::<_, 13, _>(|rank| add_rank(held, rank).map_or(0, rules::of_ranks))
    });

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
        ("NEXT_OFFSETS", next_offsets),
    ];
    for (name, table) in tables {
        write_table(&mut text, name, &format!("[u32; {}]", table.len()), &table);
    }
    write_table(&mut text, "NEXT", &format!("[[u32; 13]; {}]", next.len()), next.as_flattened());
    write("tables.rs", text.as_bytes());
    let mut cargo = std::io::stdout().lock();
    writeln!(cargo, "cargo::rerun-if-changed=build").expect("cargo listens");
}

/// Writes a table's numbers, and appends its declaration to the source.
fn write_table(text: &mut String, name: &str, of: &str, numbers: &[u32]) {
    let big = std::env::var("CARGO_CFG_TARGET_ENDIAN").expect("cargo sets it") == "big";
    let bytes = |number: &u32| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    write(name, numbers.iter().map(bytes).collect::<Vec<_>>().as_flattened());
    writeln!(text, "table!({name}: {of});").expect("memory does not fail");
}

/// Writes a file into the folder for what the build makes.
fn write(name: &str, bytes: &[u8]) {
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&folder).join(name), bytes).expect("OUT_DIR can be written");
}

/// All hands of up to `cards` cards, in rows.
fn collected(cards: usize) -> Vec<Vec<Entry>> {
    let mut rows = vec![Vec::new(); ROWS];
    collect(0, cards, 0, [0; 4], &mut rows);
    rows
}

/// Sorts into rows every hand that adds up to `left` cards of `rank` and above to the hand with
/// this key.
fn collect(rank: usize, left: usize, key: u32, held: [u32; 4], rows: &mut [Vec<Entry>]) {
    if rank == RANK_KEYS.len() {
        rows[(key >> ROW_SHIFT) as usize].push((key % (1 << ROW_SHIFT), held));
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

/// A hand and one more card of this rank; `None` if it has all four.
fn add_rank(mut held: [u32; 4], rank: usize) -> Option<[u32; 4]> {
    *held.iter_mut().find(|ranks| **ranks & 1 << rank == 0)? |= 1 << rank;
    Some(held)
}

/// The table with the value of each hand at its place, and nothing elsewhere.
fn filled<T: Clone + Default>(
    rows: &[Vec<Entry>],
    positions: &[Vec<usize>],
    value: impl Fn([u32; 4]) -> T,
) -> Vec<T> {
    let len = positions.iter().flatten().max().map_or(0, |last| last + 1);
    let mut table = vec![T::default(); len];
    for (position, entry) in positions.iter().flatten().zip(rows.iter().flatten()) {
        table[*position] = value(entry.1);
    }
    table
}

/// The offset of each row, to be added to a whole key with wrapping, and the places that its hands
/// get.
fn pack(rows: &[Vec<Entry>]) -> (Vec<u32>, Vec<Vec<usize>>) {
    let mut order: Vec<usize> = (0..rows.len()).filter(|&row| !rows[row].is_empty()).collect();
    order.sort_by_key(|&row| std::cmp::Reverse(rows[row].len()));
    let (mut offsets, mut positions) = (vec![0; rows.len()], vec![Vec::new(); rows.len()]);
    let mut taken = vec![0_u64; (1 << 18) / 64];
    let mut first_free = 0;
    for row in order {
        let lowest =
            rows[row].iter().map(|entry| entry.0).min().expect("rows in order have entries");
        let slots: Vec<usize> = rows[row].iter().map(|entry| (entry.0 - lowest) as usize).collect();
        while taken[first_free] == u64::MAX {
            first_free += 1;
        }
        let start = (first_free..).find_map(|word| first_fit(&taken, 64 * word, &slots));
        let start = start.expect("the search ends in free slots or with a panic");
        positions[row] = slots.iter().map(|slot| start + slot).collect();
        for position in &positions[row] {
            taken[position / 64] |= 1 << (position % 64);
        }
        let moved = (start as u32).wrapping_sub(lowest);
        offsets[row] = moved.wrapping_sub((row as u32) << ROW_SHIFT);
    }
    (offsets, positions)
}

/// The first of the 64 places from `start` on where none of the slots is taken.
fn first_fit(taken: &[u64], start: usize, slots: &[usize]) -> Option<usize> {
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
