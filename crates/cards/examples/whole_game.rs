//! The features of the whole game: equities and deciles of all hands on every river, turn and flop
//! that suits keep apart, and before the flop, with the time of each street and the most memory
//! that was in use.
//!
//! `cargo run --release -p cards --example whole_game`, on one core. Memory is read from Linux's
//! `/proc/self/status`; elsewhere it is left out.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::time::Instant;

use cards::{Card, CardSet, Combo, HandEquity, RiverTable, Ties};

/// Calls `visit` with one board of each kind up to the names of suits: those whose suits' ranks do
/// not rise.
fn each_board(board: CardSet, from: u8, missing: usize, visit: &mut impl FnMut(CardSet)) {
    let masks = [0, 16, 32, 48].map(|shift| board.bits() >> shift & 0x1FFF);
    if missing == 0 && masks.is_sorted_by(|a, b| a >= b) {
        visit(board);
    }
    for index in (from..Card::COUNT).take_while(|_| missing > 0) {
        let card = Card::from_index(index).expect("below 52");
        each_board(board.with(card), index + 1, missing - 1, visit);
    }
}

/// Something that needs the equity and all deciles.
fn features(hand_equity: &HandEquity) -> u64 {
    let deciles = hand_equity.later().iter().map(|later| later.decile_numerators()[4]);
    hand_equity.ratio().0 + deciles.map(u64::from).sum::<u64>()
}

/// The most memory in use so far, in MB.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1000.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let mut last = begun;
    let mut done = |what: &str, sum: u64| {
        println!("{what:40} {:6.2} s   (sum {sum})", last.elapsed().as_secs_f64());
        last = Instant::now();
    };
    let table = RiverTable::build(Ties::Half);
    done("the river table", 0);
    let mut sum = 0;
    let mut values = [0; Combo::COUNT];
    each_board(CardSet::EMPTY, 0, 5, &mut |board| {
        table.all(board, &mut values).expect("a river");
        sum += values.iter().map(|&value| u64::from(value)).sum::<u64>();
    });
    done("all rivers, equities", sum);
    for (what, size) in
        [("all turns, equities and deciles", 4), ("all flops, equities and deciles", 3)]
    {
        sum = 0;
        each_board(CardSet::EMPTY, 0, size, &mut |board| {
            table.each_hand(board, |_, hand_equity| sum += features(hand_equity)).expect("a board");
        });
        done(what, sum);
    }
    sum = 0;
    table.each_starting_hand(|_, hand_equity| sum += features(hand_equity));
    done("169 starting hands, the same", sum);
    println!("{:40} {:6.2} s", "in all", begun.elapsed().as_secs_f64());
    if let Some(most) = peak_memory() {
        println!("{:40} {most:6.1} MB", "most memory in use");
    }
    Ok(())
}
