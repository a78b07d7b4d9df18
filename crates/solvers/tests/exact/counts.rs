//! Counts of deals for each pair of paths: every pair of hands looked at, one by one.

use std::collections::BTreeMap;

use abstraction::buckets::Buckets;
use cards::{Board, Card, CardSet, Combo, evaluate};
use solvers::abstracted::best_response::{ClassCounts, Path, Sum};

use super::{CATEGORIES, buckets};
use crate::board;

/// The matchups of two paths, and the margin of wins over losses.
type Found = BTreeMap<(Path, Path), [i64; 2]>;

fn all(counts: &ClassCounts) -> Found {
    assert_eq!(counts.rows(), counts.columns());
    let mut found = Found::new();
    for (row, &path) in counts.rows().iter().enumerate() {
        for (column, &other) in counts.columns().iter().enumerate() {
            let cell = counts.cell(row, column);
            if cell != [0; 2] {
                found.insert((path, other), cell);
            }
        }
    }
    found
}

/// The path of a hand on a whole board.
fn path(buckets: &Buckets, hand: Combo, board: &Board) -> Path {
    [0, 3, 4, 5].map(|cards| {
        let seen = board[..cards].iter().copied().collect();
        buckets.of_combo(hand, seen).expect("a hand beside its board") as u16
    })
}

/// Every pair of hands on a board of five cards.
fn pair_by_pair(buckets: &Buckets, board: &Board) -> Found {
    let hands: Vec<_> = Combo::all()
        .filter(|hand| !hand.set().intersects(board.set()))
        .map(|hand| (hand.set(), path(buckets, hand, board), evaluate(hand.set() | board.set())))
        .collect();
    let mut found = Found::new();
    for &(cards, path, strength) in &hands {
        for &(others, other, against) in &hands {
            if !cards.intersects(others) {
                let cell = found.entry((path, other)).or_default();
                cell[0] += 1;
                cell[1] += strength.cmp(&against) as i64;
            }
        }
    }
    found
}

#[test]
fn on_a_board_of_five_cards_every_pair_of_hands_is_counted() {
    let some = buckets(CATEGORIES);
    let many = buckets("preflop=169 flop=category turn=category river=category");
    for text in ["Td9d6hQc2s", "7s7h7d2c2h", "AsKsQsJsTs", "2c7dKhKd3s", "4h6h8hTh2d"] {
        for buckets in [&some, &many] {
            let pair_counts = ClassCounts::of_paths(buckets, &board(text)).expect("few paths");
            assert_eq!(all(&pair_counts), pair_by_pair(buckets, &board(text)), "{text}");
            assert_eq!(pair_counts.deals(), 1_081 * 990, "{text}");
        }
    }
}

/// The sum over all cards that may come next, none taken for another.
fn one_by_one(buckets: &Buckets, board: &Board) -> ClassCounts {
    let mut sum = Sum::default();
    for card in Card::all().filter(|card| !board.contains(card)) {
        let mut longer = *board;
        longer.push(card);
        let next = ClassCounts::of_paths(buckets, &longer).expect("few paths");
        sum.add(&next, 1).expect("few paths");
    }
    sum.counts()
}

#[test]
fn boards_that_differ_by_suits_are_counted_once_for_all() {
    let buckets = buckets(CATEGORIES);
    for text in ["7s7h7d", "AsKsQs", "Td9d6d2h", "Td9d6hQc", "8c8d8h8s"] {
        let board = board(text);
        let pair_counts = ClassCounts::of_paths(&buckets, &board).expect("few paths");
        assert_eq!(all(&pair_counts), all(&one_by_one(&buckets, &board)), "{text}");
        let deals = if board.len() == 3 { 1_176 * 1_081 * 45 * 44 } else { 1_128 * 1_035 * 44 };
        assert_eq!(pair_counts.deals(), deals, "{text}");
    }
}

#[test]
fn flops_that_differ_by_suits_are_worth_the_same() {
    let buckets = buckets(CATEGORIES);
    let [one, other] = ["Kc8c8d", "8hKs8s"]
        .map(|text| ClassCounts::of_paths(&buckets, &board(text)).expect("few paths"));
    assert_eq!(all(&one), all(&other));
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let few = buckets(CATEGORIES);
    for text in ["", "7s7h", "7s7h7d2c2h3d", "7s7h7s", "7s7h7d2c2c"] {
        let Ok(board) = text.parse::<Board>() else { continue };
        let refused = ClassCounts::of_paths(&few, &board).expect_err(text).to_string();
        assert!(refused.contains(&format!("not on '{board}'")), "{refused}");
    }
    let empty = ClassCounts::default();
    assert_eq!((empty.deals(), empty.rows().len()), (0, 0));
    let repeated = Board::new(&[Card::from_index(7).expect("a card"); 3]).expect("three cards");
    assert!(repeated.set() == CardSet::single(repeated[0]));
    let refused = ClassCounts::of_paths(&few, &repeated).expect_err("one card").to_string();
    assert!(refused.contains(&format!("not on '{repeated}'")), "{refused}");
}
