//! All hands on one board of the river against each other, by the first player's row and the
//! second's column.
//!
//! As in [`crate::blueprint::exact`], hands are looked at from the weakest on, and of those passed
//! it is known how many there are of each column, and how many of these hold each card. Equally
//! strong hands count once before they are looked at and once more afterwards, so that the sums are
//! twice the wins and once the ties: with how often a row and a column meet at all, that gives the
//! margin of wins over losses. All are whole numbers below 2^24, which single precision holds.

use cards::{Card, CardSet, Combo, OnBoard};

const CARDS: usize = Card::COUNT as usize;
/// Rows of numbers by column: one for each card, and one for all hands.
const ROWS: usize = CARDS + 1;
const ALL: usize = CARDS;

/// Rows are a multiple of this long, so that their ends need no loops of their own.
const WIDTH: usize = 8;

/// Numbers as they come, and for each a place counted from 0 among those of one board.
#[derive(Default)]
struct Places {
    numbers: Vec<u32>,
    places: Vec<u16>,
}

impl Places {
    fn clear(&mut self) {
        for &number in &self.numbers {
            self.places[number as usize] = u16::MAX;
        }
        self.numbers.clear();
    }

    #[inline]
    fn of(&mut self, number: u32) -> u16 {
        let at = number as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, u16::MAX);
        }
        if self.places[at] == u16::MAX {
            self.places[at] = self.numbers.len() as u16;
            self.numbers.push(number);
        }
        self.places[at]
    }
}

/// A workspace for one board after the other.
#[derive(Default)]
pub(super) struct Counter {
    strengths: Option<Box<OnBoard>>,
    /// The hands added: strength, place of the row and number of the combo.
    hands: Vec<u64>,
    /// By the combo's number, the place of its column.
    columns_of: Vec<u16>,
    rows: Places,
    columns: Places,
    passed: Vec<f32>,
    sums: Vec<f32>,
    met: Vec<f32>,
    width: usize,
}

/// What was counted on a board.
pub(super) struct Counted<'a> {
    /// The rows and columns that there are.
    pub(super) rows: &'a [u32],
    pub(super) columns: &'a [u32],
    sums: &'a [f32],
    met: &'a [f32],
    width: usize,
}

impl Counted<'_> {
    /// How often a row meets a column, by their places, and by how many deals it wins more often
    /// than it loses. The margin means nothing where only meetings were counted.
    #[inline]
    pub(super) fn cell(&self, row: usize, column: usize) -> [i64; 2] {
        let at = row * self.width + column;
        let met = self.met[at] as i64;
        [met, self.sums.get(at).map_or(0, |&sum| sum as i64 - met)]
    }
}

impl Counter {
    /// Takes another board of five cards, or of fewer to count meetings alone, without hands.
    pub(super) fn deal(&mut self, board: CardSet) {
        self.rows.clear();
        self.columns.clear();
        self.hands.clear();
        self.strengths = (board.len() == 5).then(|| Box::new(OnBoard::new(board)));
    }

    /// Adds a hand: where it belongs as the first player's, and as the second's.
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

    /// Counts how the hands added meet.
    pub(super) fn count(&mut self) -> Counted<'_> {
        let rows = self.rows.numbers.len();
        self.width = self.columns.numbers.len().next_multiple_of(WIDTH);
        let compared = if self.strengths.is_some() { rows } else { 0 };
        for (numbers, many) in
            [(&mut self.passed, ROWS), (&mut self.sums, compared), (&mut self.met, rows)]
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
        self.meet();
        let (rows, columns) = (&self.rows.numbers, &self.columns.numbers);
        Counted { rows, columns, sums: &self.sums, met: &self.met, width: self.width }
    }

    #[inline]
    fn pass(&mut self, hand: u64, times: f32) {
        let [a, b] = cards(hand);
        let column = usize::from(self.columns_of[combo(hand)]);
        for row in [a, b, ALL] {
            self.passed[row * self.width + column] += times;
        }
    }

    /// Twice the wins and once the ties.
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
                let row = place(same[0]);
                let sums = &mut self.sums[row * self.width..][..self.width];
                take_off(&self.passed, same.len() as f32, sums, held, |card| {
                    f32::from(holding[card])
                });
                for &hand in same {
                    // Itself was added once, and taken off for both of its cards.
                    sums[usize::from(self.columns_of[combo(hand)])] += 1.0;
                }
            }
            equal.iter().for_each(|&hand| self.pass(hand, 1.0));
        }
        self.hands = hands;
    }

    /// How often rows and columns meet, once all hands are passed twice.
    fn meet(&mut self) {
        let rows = self.rows.numbers.len();
        let (mut holding, mut held) = (vec![0.0f32; rows * CARDS], vec![0u64; rows]);
        let mut many = vec![0.0f32; rows];
        for &hand in &self.hands {
            let row = place(hand);
            many[row] += 1.0;
            for card in cards(hand) {
                holding[row * CARDS + card] += 1.0;
                held[row] |= 1 << card;
            }
            self.met[row * self.width + usize::from(self.columns_of[combo(hand)])] += 2.0;
        }
        for (row, met) in self.met.chunks_mut(self.width.max(1)).enumerate() {
            let holding = &holding[row * CARDS..][..CARDS];
            take_off(&self.passed, many[row], met, held[row], |card| holding[card]);
            met.iter_mut().for_each(|met| *met *= 0.5);
        }
    }
}

/// Adds so many times all that were passed, less those that hold each card as often as it is held.
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

/// The place of a hand's row.
#[inline]
fn place(hand: u64) -> usize {
    usize::from((hand >> 16) as u16)
}

#[inline]
fn combo(hand: u64) -> usize {
    usize::from(hand as u16)
}

/// The numbers of a hand's cards.
#[inline]
fn cards(hand: u64) -> [usize; 2] {
    let combo = Combo::from_index(combo(hand)).expect("hands are made from combos");
    combo.cards().map(|card| card.index().into())
}
