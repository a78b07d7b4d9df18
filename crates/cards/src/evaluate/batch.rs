//! Evaluation of many hands at once, in the widest vector registers that the processor has.
//!
//! The only module with `unsafe` code besides `tables`: it calls functions compiled for instruction
//! sets that the build does not assume, each after a run-time check that the processor has them.
#![allow(unsafe_code)]

use super::lanes::{self, BLOCK};
use super::{HandRank, evaluate};
use crate::{Card, CardSet};

/// Evaluates every set of `hands` into the same place of `ranks`, with the results of [`evaluate`].
///
/// Several times as fast as one by one, from some hundred hands on.
///
/// # Panics
///
/// When the two slices differ in length.
pub fn evaluate_all(hands: &[CardSet], ranks: &mut [HandRank]) {
    in_blocks(hands, ranks, CardSet::EMPTY, evaluate);
}

/// Evaluates every hand of `hands`, each of up to seven different cards, into the same place of
/// `ranks`, with the results of [`evaluate`] for their sets.
///
/// Faster than making the sets for [`evaluate_all`].
///
/// # Panics
///
/// When the two slices differ in length.
pub fn evaluate_hands<const N: usize>(hands: &[[Card; N]], ranks: &mut [HandRank]) {
    const { assert!(N <= 7, "hands of up to seven cards") };
    let first = Card::all().next().expect("there are cards");
    in_blocks(hands, ranks, [first; N], |hand| evaluate(hand.into_iter().collect()));
}

type Block<T> = [T; BLOCK];

/// An input of the block evaluator: a card set or an array of cards.
trait Hand: Copy {
    /// Evaluates a block of hands.
    fn block(hands: &Block<Self>, ranks: &mut Block<HandRank>);
}

impl Hand for CardSet {
    #[inline(always)]
    fn block(hands: &Block<CardSet>, ranks: &mut Block<HandRank>) {
        // SAFETY: a set is the word of which the four numbers are the quarters.
        let suits = unsafe { &*std::ptr::from_ref(hands).cast::<Block<[u16; 4]>>() };
        lanes::evaluate_block(suits, ranks);
    }
}

impl<const N: usize> Hand for [Card; N] {
    #[inline(always)]
    fn block(hands: &Block<[Card; N]>, ranks: &mut Block<HandRank>) {
        let mut sets = [CardSet::EMPTY; BLOCK];
        lanes::sets(hands, &mut sets);
        CardSet::block(&sets, ranks);
    }
}

/// Evaluates whole blocks; the rest is evaluated one by one or padded with `any` to a block.
fn in_blocks<H: Hand>(hands: &[H], ranks: &mut [HandRank], any: H, one: fn(H) -> HandRank) {
    assert_eq!(hands.len(), ranks.len(), "one rank for each hand");
    let (blocks, rest) = hands.as_chunks::<BLOCK>();
    let (block_ranks, rest_ranks) = ranks.as_chunks_mut::<BLOCK>();
    evaluate_blocks(blocks, block_ranks);
    if rest.len() < BLOCK / 4 {
        for (hand, rank) in rest.iter().zip(rest_ranks) {
            *rank = one(*hand);
        }
    } else {
        let (mut block, mut block_ranks) = ([any; BLOCK], [HandRank::default(); BLOCK]);
        block[..rest.len()].copy_from_slice(rest);
        evaluate_blocks(&[block], std::slice::from_mut(&mut block_ranks));
        rest_ranks.copy_from_slice(&block_ranks[..rest.len()]);
    }
}

/// A barrier at the end of a loop of loads that keeps the loads scalar. The compiler would
/// otherwise gather them in AVX-512: slower, and much slower on AMD up to Zen 4, where gathers are
/// in microcode.
#[inline(always)]
pub(super) fn one_load() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: an empty assembly block.
    unsafe {
        std::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

#[cfg(target_arch = "x86_64")]
fn evaluate_blocks<H: Hand>(hands: &[Block<H>], ranks: &mut [Block<HandRank>]) {
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bitalg")
    {
        // SAFETY: the processor has the instructions that the function is compiled for.
        unsafe { avx512(hands, ranks) }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        unsafe { avx2(hands, ranks) }
    } else {
        portable(hands, ranks);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn evaluate_blocks<H: Hand>(hands: &[Block<H>], ranks: &mut [Block<HandRank>]) {
    portable(hands, ranks);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bitalg")]
fn avx512<H: Hand>(hands: &[Block<H>], ranks: &mut [Block<HandRank>]) {
    portable(hands, ranks);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<H: Hand>(hands: &[Block<H>], ranks: &mut [Block<HandRank>]) {
    portable(hands, ranks);
}

#[inline(always)]
fn portable<H: Hand>(hands: &[Block<H>], ranks: &mut [Block<HandRank>]) {
    for (hands, ranks) in hands.iter().zip(ranks) {
        H::block(hands, ranks);
    }
}
