//! Values at terminal nodes: what a player's hands win against the opponent's hands that reach
//! them.
//!
//! Takes time proportional to the number of hands: opponent hands that share a card with the
//! player's hand are subtracted using sums per card. Several terminal nodes that differ only in the
//! opponent's weights are computed at once, one in each *lane*, so that a vector register holds a
//! sum for all of them.
//!
//! Loops are written out, here and in [`rows`](super::rows): what the standard library does with a
//! closure may become a function of its own, which is not compiled for the registers of the loop.

use std::ops::{Add, AddAssign, Div, Mul, Range, Sub};

use super::boards::Board;
use super::rows::WIDTH;
use super::vector;
use super::vector::{PrefetchQueue, one_hand};
use crate::Player;

/// Number of terminal nodes computed at once.
pub(crate) const LANES: usize = 8;

/// A number for each of the terminal nodes computed at once.
pub(crate) type Lanes<R> = [R; LANES];

/// The floating-point type of a computation: `f32` to learn, `f64` to evaluate.
pub(crate) trait Real:
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
    /// The nearest representable number.
    fn from_f64(number: f64) -> Self;

    /// See [`rows::into_lanes`](super::rows::into_lanes).
    fn into_lanes(numbers: &[Self], rows: [usize; LANES], lanes: &mut [Lanes<Self>]) {
        vector::into_lanes(numbers, rows, lanes);
    }

    /// See [`rows::from_lanes`](super::rows::from_lanes).
    fn from_lanes(lanes: &[Lanes<Self>], rows: &[(usize, usize, Self)], numbers: &mut [Self]) {
        vector::from_lanes(lanes, rows, numbers);
    }
}

impl Real for f32 {
    #[inline(always)]
    fn from_f64(number: f64) -> f32 {
        number as f32
    }

    fn into_lanes(numbers: &[f32], rows: [usize; LANES], lanes: &mut [Lanes<f32>]) {
        vector::singles_into_lanes(numbers, rows, lanes);
    }

    fn from_lanes(lanes: &[Lanes<f32>], rows: &[(usize, usize, f32)], numbers: &mut [f32]) {
        vector::singles_from_lanes(lanes, rows, numbers);
    }
}

impl Real for f64 {
    #[inline(always)]
    fn from_f64(number: f64) -> f64 {
        number
    }
}

/// Sums of weights over all hands and over the hands that hold each card. Aligned to cache lines:
/// sums of 64 bytes that straddle two lines made an exact evaluation up to a quarter slower in
/// AVX-512.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(crate) struct Sums<R> {
    all: Lanes<R>,
    /// Entries by card index; 64 entries so that no index needs a bounds check.
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

    /// The sum over hands with neither card, provided that the hand with both has weight 0.
    #[inline(always)]
    fn without(&self, [a, b]: [u8; 2]) -> Lanes<R> {
        let (mut both, b) = (self.holding[a as usize % 64], &self.holding[b as usize % 64]);
        plus(&mut both, b);
        let mut rest = self.all;
        minus(&mut rest, &both);
        rest
    }
}

#[inline(always)]
fn plus<R: Real>(sum: &mut Lanes<R>, weight: &Lanes<R>) {
    for (sum, &weight) in sum.iter_mut().zip(weight) {
        *sum += weight;
    }
}

/// Computes the sums over the opponent's hands from their weights, in order.
#[inline(always)]
pub(crate) fn total<R: Real>(
    board: &Board,
    player: Player,
    weights: &[Lanes<R>],
    sums: &mut Sums<R>,
) {
    *sums = Sums::default();
    for (&cards, weight) in board.hands[player.other().index()].cards.iter().zip(weights) {
        sums.add(cards, weight);
        one_hand();
    }
}

#[inline(always)]
fn minus<R: Real>(sum: &mut Lanes<R>, weight: &Lanes<R>) {
    for (sum, &weight) in sum.iter_mut().zip(weight) {
        *sum = *sum - weight;
    }
}

/// Computes, for each of the player's hands in `range`, the weight of the opponent's hands that it
/// can meet.
///
/// `weights` are those of the opponent's hands in order, followed by at least one zero; `sums` is
/// their [`total`]; `unblocked` has an entry for each in `range`.
#[inline(always)]
pub(crate) fn unblocked_weights<R: Real>(
    board: &Board,
    player: Player,
    range: Range<usize>,
    weights: &[Lanes<R>],
    sums: &Sums<R>,
    unblocked: &mut [Lanes<R>],
) {
    let own = &board.hands[player.index()];
    let range = range.start.min(own.len())..range.end.min(own.len());
    let hands = own.cards[range.clone()].iter().zip(&own.twins[range]);
    let (begun, padding) = unblocked.split_at_mut(hands.len());
    for (unblocked, (&cards, &twin)) in begun.iter_mut().zip(hands) {
        let mut rest = sums.without(cards);
        // The hand with the same cards was subtracted twice.
        plus(&mut rest, &weights[twin as usize]);
        *unblocked = rest;
        one_hand();
    }
    padding.fill(Default::default());
}

/// The same as [`unblocked_weights`], and also completes the result of [`show()`] in `won`, which
/// has the same shape as `unblocked`.
#[inline(always)]
pub(crate) fn settle<R: Real>(
    board: &Board,
    player: Player,
    range: Range<usize>,
    weights: &[Lanes<R>],
    sums: &Sums<R>,
    unblocked: &mut [Lanes<R>],
    won: &mut [Lanes<R>],
) {
    let own = &board.hands[player.index()];
    let range = range.start.min(own.len())..range.end.min(own.len());
    let hands = own.cards[range.clone()].iter().zip(&own.twins[range]);
    let (begun, padding) = unblocked.split_at_mut(hands.len());
    won[begun.len()..].fill(Default::default());
    padding.fill(Default::default());
    for ((unblocked, won), (&cards, &twin)) in begun.iter_mut().zip(won).zip(hands) {
        let mut rest = sums.without(cards);
        minus(won, &rest);
        plus(&mut rest, &weights[twin as usize]);
        *unblocked = rest;
        one_hand();
    }
}

/// Computes, for each of the player's hands on the river, the weight of the opponent's hands that
/// it beats minus that of the hands that beat it, after [`settle`] has subtracted the total weight.
/// `sums` becomes the [`total`]; shapes as in [`unblocked_weights`]. Prefetches a cache line
/// of `prefetch` for each of the opponent's hands.
#[inline(always)]
pub(crate) fn show<R: Real>(
    board: &Board,
    player: Player,
    weights: &[Lanes<R>],
    sums: &mut Sums<R>,
    won: &mut [Lanes<R>],
    prefetch: &mut PrefetchQueue,
) {
    let (own, other) = (player.index(), player.other().index());
    let (own_cards, other_cards) = (&board.hands[own].cards, &board.hands[other].cards);
    // Twice the weight of the weaker hands minus the total is the weight of the weaker minus that
    // of the others. For a group of ties, the sum of the weights before and after the group is
    // used. The hand with the same cards does not count: it is subtracted twice after the group and
    // not included before it.
    *sums = Sums::default();
    let mut from = [0; 2];
    for to in &board.groups {
        let (mine, theirs) =
            (from[own] as usize..to[own] as usize, from[other] as usize..to[other] as usize);
        for (won, &cards) in won[mine.clone()].iter_mut().zip(&own_cards[mine.clone()]) {
            *won = sums.without(cards);
            one_hand();
        }
        for (&cards, weight) in other_cards[theirs.clone()].iter().zip(&weights[theirs]) {
            sums.add(cards, weight);
            prefetch.fetch();
            one_hand();
        }
        for (won, &cards) in won[mine.clone()].iter_mut().zip(&own_cards[mine]) {
            plus(won, &sums.without(cards));
            one_hand();
        }
        from = *to;
    }
}

/// Computes the weights of hands on a later board from those on the board before; pads with zeros.
#[inline(always)]
pub(crate) fn gather_lanes<R: Real>(
    weights: &[Lanes<R>],
    before: &[u16],
    chance: R,
    later: &mut [Lanes<R>],
) {
    for (later, &before) in later.iter_mut().zip(before) {
        for (later, &weight) in later.iter_mut().zip(&weights[before as usize]) {
            *later = weight * chance;
        }
        one_hand();
    }
    later[before.len()..=before.len().next_multiple_of(WIDTH)].fill(Default::default());
}

/// Adds what hands win on a later board to what the corresponding hands win on the board before.
#[inline(always)]
pub(crate) fn scatter_lanes<R: Real>(later: &[Lanes<R>], before: &[u16], won: &mut [Lanes<R>]) {
    for (later, &before) in later.iter().zip(before) {
        plus(&mut won[before as usize], later);
        one_hand();
    }
}
