//! Prints the table of equities before the flop that `agents` embeds.
//!
//! `cargo run --release -p agents --example preflop_table > agents/models/preflop/equities.txt`

#![allow(clippy::print_stdout, reason = "printing is its purpose")]

use agents::random_hands::drawn_equity;
use cards::{Board, Card, HoleCards, Rank, Suit};

const SAMPLES: u32 = 1_000_000;

fn main() {
    let def = game::games::nolimit_holdem();
    let suit = |index| Suit::new(index).expect("there are four suits");
    println!("# Equities before the flop against 2 to 9 hands of any two cards, ties shared.");
    println!("# {SAMPLES} draws each; standard error at most 0.0005.");
    for high in Rank::all().rev() {
        for low in Rank::all().rev().filter(|&low| low <= high) {
            let kinds: &[(&str, u8)] = if high == low { &[("", 1)] } else { &[("s", 0), ("o", 1)] };
            for &(letter, low_suit) in kinds {
                let cards = [Card::new(high, suit(0)), Card::new(low, suit(low_suit))];
                let hole = HoleCards::new(&cards).expect("two cards fit");
                print!("{high}{low}{letter}");
                for opponents in 2..=9 {
                    let rate = drawn_equity(&def, hole, Board::EMPTY, opponents, SAMPLES);
                    print!(" {rate:.4}");
                }
                println!();
            }
        }
    }
}
