//! Makes the table of all-in counts before the flop, which is part of the crate.
//!
//! `cargo run --release -p cards --example preflop_all_in -- crates/cards/data/preflop_all_in.bin`
//!
//! Counts the boards for each of 47,008 pairs of hands, in seconds. Needed only when the order of
//! the entries changes: the counts are those of the game.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("say which file to write")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::fs::write(&path, cards::PreflopTable::compute(threads).as_bytes())?;
    Ok(())
}
