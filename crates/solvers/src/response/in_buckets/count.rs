//! Counting of all hands against each other on one river board, by path.
//!
//! Hands are processed in increasing strength, with running counts of the passed hands by path, in
//! total and by card held. A hand of cards `a` and `b` beats, of another path, all passed hands
//! minus those with `a` minus those with `b` (no passed hand has both: that is the hand itself).
//! Hands of one path with equal strength are processed together. The work is proportional to hands
//! times paths on the board.
//!
//! Counts on a board are whole numbers of at most 1,081², which single precision represents
//! exactly, and which vectorise.

use cards::{Card, CardSet, Combo, OnBoard};

use super::pair_counts::Cell;

/// Number of rows of counts by path: one for each card, and one for all hands.
const ROWS: usize = Card::COUNT as usize + 1;
const ALL: usize = Card::COUNT as usize;

/// The row length is a multiple of this, so that loops have no remainder.
const WIDTH: usize = 8;

/// A reusable workspace for counting one board.
#[derive(Default)]
pub(super) struct Counter {
    strengths: Option<Box<OnBoard>>,
    /// The hands added, each packed as strength, path and combo, so that sorting groups equal ones.
    hands: Vec<u64>,
    /// For sorting.
    runs: Vec<u64>,
    sorted: Vec<u64>,
    /// The paths on this board; below, for every path its index among them.
    paths: Vec<u32>,
    indices: Vec<u16>,
    /// Counts of passed hands by path: for each card, and in total.
    passed: Vec<f32>,
    wins: Vec<f32>,
    pairs: Vec<f32>,
    width: usize,
}

/// The counts of a board.
pub(super) struct BoardCounts<'a> {
    /// The paths on the board.
    pub(super) paths: &'a [u32],
    wins: &'a [f32],
    pairs: &'a [f32],
    width: usize,
}

impl BoardCounts<'_> {
    /// The cell of two paths, by their indices.
    #[inline]
    pub(super) fn cell(&self, path: usize, other: usize) -> Cell {
        let wins = self.wins[path * self.width + other] as u64;
        let losses = self.wins[other * self.width + path] as u64;
        let pairs = self.pairs[path * self.width + other] as u64;
        Cell { wins, ties: pairs - wins - losses }
    }
}

impl Counter {
    /// Starts another board, without hands.
    pub(super) fn deal(&mut self, board: CardSet) {
        for &path in &self.paths {
            self.indices[path as usize] = u16::MAX;
        }
        self.paths.clear();
        self.hands.clear();
        self.strengths = Some(Box::new(OnBoard::new(board)));
    }

    /// Adds a hand with this path.
    #[inline]
    pub(super) fn add(&mut self, hand: Combo, path: u32) {
        let Some(strengths) = &self.strengths else { return };
        if self.indices.len() <= path as usize {
            self.indices.resize(path as usize + 1, u16::MAX);
        }
        let index = &mut self.indices[path as usize];
        if *index == u16::MAX {
            *index = self.paths.len() as u16;
            self.paths.push(path);
        }
        let [high, low] = hand.cards();
        let strength = u64::from(strengths.rank(high, low).value());
        self.hands.push(strength << 32 | u64::from(*index) << 16 | hand.index() as u64);
    }

    /// Counts the added hands against each other.
    pub(super) fn count(&mut self) -> BoardCounts<'_> {
        let count = self.paths.len();
        self.width = count.next_multiple_of(WIDTH);
        for (rows, many) in
            [(&mut self.passed, ROWS), (&mut self.wins, count), (&mut self.pairs, count)]
        {
            rows.clear();
            rows.resize(many * self.width, 0.0);
        }
        sort(&self.hands, &mut self.runs, &mut self.sorted);
        for equal in self.sorted.chunk_by_mut(|a, b| *a >> 32 == *b >> 32) {
            equal.sort_unstable();
            let of_one_path = || equal.chunk_by(|a, b| a >> 16 == b >> 16);
            for same in of_one_path() {
                let row = &mut self.wins[path_index(same[0]) * self.width..][..self.width];
                beats(same, &self.passed, row);
            }
            for same in of_one_path() {
                let index = path_index(same[0]);
                self.passed[ALL * self.width + index] += same.len() as f32;
                for card in same.iter().flat_map(|&hand| cards(hand)) {
                    self.passed[card * self.width + index] += 1.0;
                }
            }
        }
        self.count_pairs();
        BoardCounts { paths: &self.paths, wins: &self.wins, pairs: &self.pairs, width: self.width }
    }

    /// Computes how often each two paths meet, after all hands have passed.
    fn count_pairs(&mut self) {
        let width = self.width;
        let (of_cards, all) = self.passed.split_at(ALL * width);
        for (index, row) in self.pairs.chunks_mut(width.max(1)).enumerate() {
            add(row, all, all[index]);
            for of_card in of_cards.chunks(width) {
                add(row, of_card, -of_card[index]);
            }
            // Each hand was subtracted for both of its cards.
            row[index] += all[index];
        }
    }
}

/// Copies the hands to `sorted`, by strength. Neighbours often are equally strong, such as those
/// that differ in a suit, and `runs` of them are moved together.
fn sort(hands: &[u64], runs: &mut Vec<u64>, sorted: &mut Vec<u64>) {
    runs.clear();
    sorted.clear();
    let mut start = 0;
    for run in hands.chunk_by(|a, b| a >> 32 == b >> 32) {
        runs.push(run[0] >> 32 << 32 | start << 16 | run.len() as u64);
        start += run.len() as u64;
    }
    runs.sort_unstable();
    for run in runs {
        let [length, start] = [*run as u16, (*run >> 16) as u16].map(usize::from);
        sorted.extend_from_slice(&hands[start..][..length]);
    }
}

/// Adds to each path's entry the number of passed hands that these equally strong hands beat.
fn beats(hands: &[u64], passed: &[f32], row: &mut [f32]) {
    let width = row.len();
    let of = |number: usize| &passed[number * width..][..width];
    add(row, of(ALL), hands.len() as f32);
    let mut holding = [0u8; Card::COUNT as usize];
    let mut held = 0u64;
    for &hand in hands {
        for card in cards(hand) {
            holding[card] += 1;
            held |= 1 << card;
        }
    }
    while held != 0 {
        let card = held.trailing_zeros() as usize;
        held &= held - 1;
        add(row, of(card), -f32::from(holding[card]));
    }
}

#[inline]
fn add(row: &mut [f32], other: &[f32], times: f32) {
    if times != 0.0 {
        row.iter_mut().zip(other).for_each(|(sum, number)| *sum += times * number);
    }
}

/// The index of a hand's path.
#[inline]
fn path_index(hand: u64) -> usize {
    usize::from((hand >> 16) as u16)
}

/// The card indices of a hand.
#[inline]
fn cards(hand: u64) -> [usize; 2] {
    let combo = Combo::from_index(usize::from(hand as u16)).expect("hands are made from combos");
    combo.cards().map(|card| card.index().into())
}
