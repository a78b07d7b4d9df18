//! What a player's hands win where a hand ends, against the hands of the opponent that get there.
//!
//! Takes time in proportion to the number of hands: those that hold a card which the player also holds are
//! taken off again by sums for each card. Several ends that only differ in how often the opponent has
//! each hand are computed at once, one in each *lane*, so that a vector register holds a sum of all of them.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

use super::boards::Board;
use super::rows::WIDTH;
use crate::Player;

/// How many ends are computed at once.
pub(super) const LANES: usize = 8;

/// A number for each of the ends that are computed at once.
pub(super) type Lanes<R> = [R; LANES];

/// The numbers to compute with: `f32` to learn, `f64` to judge.
pub(super) trait Real:
    Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + From<f32>
{
    /// The nearest number.
    fn of(number: f64) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn of(number: f64) -> f32 {
        number as f32
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(number: f64) -> f64 {
        number
    }
}

/// Sums over hands: of all, and of those that hold each card.
#[derive(Debug, Clone)]
pub(super) struct Sums<R> {
    all: Lanes<R>,
    /// By the number of the card; 64 of them so that no number needs to be checked.
    holding: [Lanes<R>; 64],
}

impl<R: Real> Default for Sums<R> {
    fn default() -> Self {
        Sums { all: [R::default(); LANES], holding: [[R::default(); LANES]; 64] }
    }
}

impl<R: Real> Sums<R> {
    #[inline(always)]
    fn add(&mut self, [a, b]: [u8; 2], weight: &Lanes<R>) {
        plus(&mut self.all, weight);
        plus(&mut self.holding[a as usize % 64], weight);
        plus(&mut self.holding[b as usize % 64], weight);
    }

    /// The sum over hands with neither card, if the hand of both is not among them.
    #[inline(always)]
    fn without(&self, [a, b]: [u8; 2]) -> Lanes<R> {
        let (a, b) = (&self.holding[a as usize % 64], &self.holding[b as usize % 64]);
        std::array::from_fn(|lane| self.all[lane] - (a[lane] + b[lane]))
    }
}

#[inline(always)]
fn plus<R: Real>(sum: &mut Lanes<R>, weight: &Lanes<R>) {
    for (sum, &weight) in sum.iter_mut().zip(weight) {
        *sum += weight;
    }
}

/// For each hand of the player the weight of the opponent's hands that it can meet.
///
/// `weights` are those of the opponent's hands in order, and one of zero at least; `met` has a place for each
/// number in a row of the player's.
#[inline(always)]
pub(super) fn meet<R: Real>(
    board: &Board,
    player: Player,
    weights: &[Lanes<R>],
    met: &mut [Lanes<R>],
) {
    let [own, other] = [player, player.other()].map(|player| &board.hands[player.index()]);
    let mut sums = Sums::default();
    for (&cards, weight) in other.cards.iter().zip(weights) {
        sums.add(cards, weight);
    }
    for ((met, &cards), &twin) in met.iter_mut().zip(&own.cards).zip(&own.twins) {
        *met = sums.without(cards);
        // The same hand was taken off twice.
        plus(met, &weights[twin as usize]);
    }
    met[own.len()..own.row()].fill(Default::default());
}

/// For each hand of the player, on the river, twice the weight of the opponent's hands that it beats
/// less twice that of those that beat it. Shapes as in [`meet`].
#[inline(always)]
pub(super) fn show<R: Real>(
    board: &Board,
    player: Player,
    weights: &[Lanes<R>],
    won: &mut [Lanes<R>],
) {
    let (own, other) = (player.index(), player.other().index());
    let (own_cards, other_cards) = (&board.hands[own].cards, &board.hands[other].cards);
    // Twice the weight of the weaker hands less that of all, which is the weight of the weaker less that of
    // the others. Halfway through a group of equals is the mean of before and after; the hand of the same
    // cards, counted on one side before and on the other after, is no part of it.
    let mut sums = Sums::default();
    for (&cards, weight) in other_cards.iter().zip(weights) {
        sums.add(cards, weight);
    }
    let turned = |lanes: &mut Lanes<R>| {
        for lane in lanes {
            *lane = R::default() - *lane;
        }
    };
    turned(&mut sums.all);
    sums.holding.iter_mut().for_each(turned);
    let mut from = [0; 2];
    for to in &board.groups {
        let (mine, theirs) =
            (from[own] as usize..to[own] as usize, from[other] as usize..to[other] as usize);
        let before = won[mine.clone()].iter_mut().zip(&own_cards[mine.clone()]);
        before.for_each(|(won, &cards)| *won = sums.without(cards));
        for (&cards, weight) in other_cards[theirs.clone()].iter().zip(&weights[theirs]) {
            let twice = weight.map(|weight| weight + weight);
            sums.add(cards, &twice);
        }
        let after = won[mine.clone()].iter_mut().zip(&own_cards[mine]);
        after.for_each(|(won, &cards)| plus(won, &sums.without(cards)));
        from = *to;
    }
    won[own_cards.len()..board.hands[own].row()].fill(Default::default());
}

/// The weights of hands on a later board, from what they were before; then zeros.
#[inline(always)]
pub(super) fn gather_lanes<R: Real>(
    weights: &[Lanes<R>],
    before: &[u16],
    chance: R,
    later: &mut [Lanes<R>],
) {
    for (later, &before) in later.iter_mut().zip(before) {
        *later = weights[before as usize].map(|weight| weight * chance);
    }
    later[before.len()..=before.len().next_multiple_of(WIDTH)].fill(Default::default());
}

/// Adds what hands win on a later board to what they win before.
#[inline(always)]
pub(super) fn scatter_lanes<R: Real>(later: &[Lanes<R>], before: &[u16], won: &mut [Lanes<R>]) {
    for (later, &before) in later.iter().zip(before) {
        plus(&mut won[before as usize], later);
    }
}
