//! Counting of all hands against each other on one river board, by the first player's row and the
//! second's column.
//!
//! As in [`crate::response::in_buckets`], hands are processed in increasing strength, with running
//! counts of the passed hands by column, in total and by card held. Equally strong hands pass once
//! before they are compared and once afterwards, so the sums are twice the wins plus the ties: with
//! the number of matchups of row and column, that gives the margin of wins over losses. All are
//! whole numbers below 2^24, which single precision represents exactly.

use cards::{Card, CardSet, Combo, OnBoard};

const CARDS: usize = Card::COUNT as usize;
/// Number of rows of counts by column: one for each card, and one for all hands.
const ROWS: usize = CARDS + 1;
const ALL: usize = CARDS;

/// The row length is a multiple of this, so that loops have no remainder.
const WIDTH: usize = 8;

/// A mapping of numbers to consecutive indices on one board, in order of occurrence.
#[derive(Default)]
struct IndexMap {
    numbers: Vec<u32>,
    indices: Vec<u16>,
}

impl IndexMap {
    fn clear(&mut self) {
        for &number in &self.numbers {
            self.indices[number as usize] = u16::MAX;
        }
        self.numbers.clear();
    }

    #[inline]
    fn of(&mut self, number: u32) -> u16 {
        let at = number as usize;
        if self.indices.len() <= at {
            self.indices.resize(at + 1, u16::MAX);
        }
        if self.indices[at] == u16::MAX {
            self.indices[at] = self.numbers.len() as u16;
            self.numbers.push(number);
        }
        self.indices[at]
    }
}

/// A reusable workspace for counting one board.
#[derive(Default)]
pub(super) struct Counter {
    strengths: Option<Box<OnBoard>>,
    /// The hands added, packed as strength, row index and combo number.
    hands: Vec<u64>,
    /// The column index of each combo.
    columns_of: Vec<u16>,
    rows: IndexMap,
    columns: IndexMap,
    passed: Vec<f32>,
    sums: Vec<f32>,
    matchups: Vec<f32>,
    width: usize,
}

/// The counts of a board.
pub(super) struct BoardCounts<'a> {
    /// The rows on the board; below, its columns.
    pub(super) rows: &'a [u32],
    pub(super) columns: &'a [u32],
    sums: &'a [f32],
    matchups: &'a [f32],
    width: usize,
}

impl BoardCounts<'_> {
    /// The number of matchups of a row and a column, by index, and the margin of wins over losses.
    /// The margin is meaningless where only matchups were counted.
    #[inline]
    pub(super) fn cell(&self, row: usize, column: usize) -> [i64; 2] {
        let at = row * self.width + column;
        let matchups = self.matchups[at] as i64;
        [matchups, self.sums.get(at).map_or(0, |&sum| sum as i64 - matchups)]
    }
}

impl Counter {
    /// Starts another board without hands: five cards, or fewer to count matchups only.
    pub(super) fn deal(&mut self, board: CardSet) {
        self.rows.clear();
        self.columns.clear();
        self.hands.clear();
        self.strengths = (board.len() == 5).then(|| Box::new(OnBoard::new(board)));
    }

    /// Adds a hand with its row as the first player's, and its column as the second's.
    #[inline]
    pub(super) fn add(&mut self, hand: Combo, row: u32, column: u32) {
        let row = u64::from(self.rows.of(row));
        self.columns_of.resize(Combo::COUNT, 0);
        self.columns_of[hand.index()] = self.columns.of(column);
        let [high, low] = hand.cards();
        let strengths = self.strengths.as_ref();
        let strength = strengths.map_or(0, |strengths| strengths.rank(high, low).value());
        self.hands.push(u64::from(strength) << 32 | row << 16 | hand.index() as u64);
    }

    /// Counts the added hands against each other.
    pub(super) fn count(&mut self) -> BoardCounts<'_> {
        let rows = self.rows.numbers.len();
        self.width = self.columns.numbers.len().next_multiple_of(WIDTH);
        let compared = if self.strengths.is_some() { rows } else { 0 };
        for (numbers, many) in
            [(&mut self.passed, ROWS), (&mut self.sums, compared), (&mut self.matchups, rows)]
        {
            numbers.clear();
            numbers.resize(many * self.width, 0.0);
        }
        if compared > 0 {
            self.compare();
        } else {
            let hands = std::mem::take(&mut self.hands);
            hands.iter().for_each(|&hand| self.pass(hand, 2.0));
            self.hands = hands;
        }
        self.count_matchups();
        let (rows, columns) = (&self.rows.numbers, &self.columns.numbers);
        BoardCounts { rows, columns, sums: &self.sums, matchups: &self.matchups, width: self.width }
    }

    #[inline]
    fn pass(&mut self, hand: u64, times: f32) {
        let [a, b] = cards(hand);
        let column = usize::from(self.columns_of[combo(hand)]);
        for row in [a, b, ALL] {
            self.passed[row * self.width + column] += times;
        }
    }

    /// Computes twice the wins plus the ties.
    fn compare(&mut self) {
        self.hands.sort_unstable();
        let hands = std::mem::take(&mut self.hands);
        for equal in hands.chunk_by(|a, b| a >> 32 == b >> 32) {
            equal.iter().for_each(|&hand| self.pass(hand, 1.0));
            for same in equal.chunk_by(|a, b| a >> 16 == b >> 16) {
                let (mut holding, mut held) = ([0u8; CARDS], 0u64);
                for &hand in same {
                    for card in cards(hand) {
                        holding[card] += 1;
                        held |= 1 << card;
                    }
                }
                let row = row_index(same[0]);
                let sums = &mut self.sums[row * self.width..][..self.width];
                take_off(&self.passed, same.len() as f32, sums, held, |card| {
                    f32::from(holding[card])
                });
                for &hand in same {
                    // The hand itself was added once, and subtracted for both of its cards.
                    sums[usize::from(self.columns_of[combo(hand)])] += 1.0;
                }
            }
            equal.iter().for_each(|&hand| self.pass(hand, 1.0));
        }
        self.hands = hands;
    }

    /// Computes the number of matchups of rows and columns, after all hands have passed twice.
    fn count_matchups(&mut self) {
        let rows = self.rows.numbers.len();
        let (mut holding, mut held) = (vec![0.0f32; rows * CARDS], vec![0u64; rows]);
        let mut many = vec![0.0f32; rows];
        for &hand in &self.hands {
            let row = row_index(hand);
            many[row] += 1.0;
            for card in cards(hand) {
                holding[row * CARDS + card] += 1.0;
                held[row] |= 1 << card;
            }
            self.matchups[row * self.width + usize::from(self.columns_of[combo(hand)])] += 2.0;
        }
        for (row, matchups) in self.matchups.chunks_mut(self.width.max(1)).enumerate() {
            let holding = &holding[row * CARDS..][..CARDS];
            take_off(&self.passed, many[row], matchups, held[row], |card| holding[card]);
            matchups.iter_mut().for_each(|matchups| *matchups *= 0.5);
        }
    }
}

/// Adds `many` times the passed counts, minus those of each held card as often as it is held.
fn take_off(passed: &[f32], many: f32, row: &mut [f32], mut held: u64, of: impl Fn(usize) -> f32) {
    let width = row.len();
    let mut add = |number: usize, times: f32| {
        let passed = &passed[number * width..][..width];
        row.iter_mut().zip(passed).for_each(|(sum, number)| *sum += times * number);
    };
    add(ALL, many);
    while held != 0 {
        let card = held.trailing_zeros() as usize;
        held &= held - 1;
        add(card, -of(card));
    }
}

/// The row index of a hand.
#[inline]
fn row_index(hand: u64) -> usize {
    usize::from((hand >> 16) as u16)
}

#[inline]
fn combo(hand: u64) -> usize {
    usize::from(hand as u16)
}

/// The card indices of a hand.
#[inline]
fn cards(hand: u64) -> [usize; 2] {
    let combo = Combo::from_index(combo(hand)).expect("hands are made from combos");
    combo.cards().map(|card| card.index().into())
}
