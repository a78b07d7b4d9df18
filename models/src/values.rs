//! Situations as rows of a counterfactual value network, and its answers as values of hands.
//!
//! A situation is a board, a pot and the probability of every hand of both players. A row has the
//! probabilities of both players' places, the pot and, where places are hands, the board; the
//! answers are the values of the same places. Places are the 1,326 hands themselves, or buckets of
//! hands (Hopner and Loza Mencía, "Analysis and Optimization of Deep Counterfactual Value
//! Networks", 2018, section 3; with buckets as in DeepStack, Moravčík and others, Science 2017).

use std::sync::Arc;

use abstraction::buckets::{Buckets, BucketsError};
use cards::{Card, CardSet, Combo};
use game::Street;

/// Numbers for the board in a row whose places are hands: one for each card of the deck.
const CARDS: usize = 52;

/// The place of a hand that shares a card with the board.
const NO_PLACE: u16 = u16::MAX;

/// How situations become rows.
pub enum Encoding {
    /// Each hand has its own place, and the row has the board.
    Direct,
    /// Hands share the places of their buckets on a street.
    Buckets(Arc<Buckets>, Street),
}

impl Encoding {
    /// Places of a player.
    pub fn places(&self) -> usize {
        match self {
            Encoding::Direct => Combo::COUNT,
            Encoding::Buckets(buckets, street) => buckets.count(*street) as usize,
        }
    }

    /// Numbers of a row: the places of both players, the pot, and the board where places are hands.
    pub fn columns(&self) -> usize {
        let board = if matches!(self, Encoding::Direct) { CARDS } else { 0 };
        2 * self.places() + 1 + board
    }

    /// Where every hand is on a board.
    ///
    /// # Errors
    /// When no street has a board of so many cards.
    pub fn on_board(&self, board: CardSet) -> Result<Places, BucketsError> {
        let mut of_hand: Box<[u16]> = match self {
            Encoding::Direct => (0..Combo::COUNT as u16).collect(),
            Encoding::Buckets(buckets, _) => buckets.on_board(board)?,
        };
        for hand in Combo::all().filter(|hand| hand.set().intersects(board)) {
            of_hand[hand.index()] = NO_PLACE;
        }
        Ok(Places { of_hand, count: self.places() })
    }

    /// The row of a situation: `pot` is a share of both players' stacks, `ranges` have the
    /// probability of each hand by the combos' numbers.
    pub fn row(
        &self,
        places: &Places,
        board: CardSet,
        pot: f32,
        ranges: [&[f32]; 2],
        row: &mut Vec<f32>,
    ) {
        ranges.into_iter().for_each(|range| row.extend(places.sums(range)));
        row.push(pot);
        if matches!(self, Encoding::Direct) {
            row.extend(Card::all().map(|card| if board.contains(card) { 1.0_f32 } else { 0.0 }));
        }
    }
}

/// The places of all hands on a board.
pub struct Places {
    of_hand: Box<[u16]>,
    count: usize,
}

impl Places {
    /// The hands that the board leaves, with their places.
    fn hands(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let placed = self.of_hand.iter().enumerate().filter(|&(_, &place)| place != NO_PLACE);
        placed.map(|(hand, &place)| (hand, usize::from(place)))
    }

    /// The probability of each place where hands have these.
    pub fn sums(&self, shares: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.count];
        self.hands().for_each(|(hand, place)| sums[place] += shares[hand]);
        sums
    }

    /// How many hands have each place.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.count];
        self.hands().for_each(|(_, place)| counts[place] += 1);
        counts
    }

    /// The mean of the values of the hands of each place; 0 where there are none.
    pub fn means(&self, values: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0_f64; self.count];
        self.hands().for_each(|(hand, place)| sums[place] += f64::from(values[hand]));
        let means = sums.iter().zip(self.counts());
        means
            .map(|(sum, count)| if count == 0 { 0.0 } else { (sum / f64::from(count)) as f32 })
            .collect()
    }

    /// The value of each hand, by the combos' numbers, where places have these; 0 where the board
    /// has a card of the hand.
    pub fn values(&self, of_places: &[f32]) -> Vec<f32> {
        let mut values = vec![0.0; Combo::COUNT];
        self.hands().for_each(|(hand, place)| values[hand] = of_places[place]);
        values
    }
}
