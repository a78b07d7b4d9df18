//! Many hands at once, in the widest vector registers that the processor has.
//!
//! The only module with `unsafe` code: calls of functions compiled for instructions that the build in
//! general may not assume, each after asking the processor whether it has them.
#![allow(unsafe_code)]

use super::lanes::{self, BLOCK};
use super::{HandRank, evaluate};
use crate::CardSet;

/// Evaluates every set of `hands` into the same place of `ranks`; each as [`evaluate`] would.
///
/// Several times as fast as one by one, from some hundred hands on.
///
/// # Panics
///
/// When the two slices differ in length.
pub fn evaluate_all(hands: &[CardSet], ranks: &mut [HandRank]) {
    assert_eq!(hands.len(), ranks.len(), "one rank for each hand");
    let (blocks, rest) = hands.as_chunks::<BLOCK>();
    let (block_ranks, rest_ranks) = ranks.as_chunks_mut::<BLOCK>();
    evaluate_blocks(blocks, block_ranks);
    if rest.len() < BLOCK / 4 {
        for (hand, rank) in rest.iter().zip(rest_ranks) {
            *rank = evaluate(*hand);
        }
    } else {
        let (mut block, mut block_ranks) = ([CardSet::EMPTY; BLOCK], [HandRank::default(); BLOCK]);
        block[..rest.len()].copy_from_slice(rest);
        evaluate_blocks(&[block], std::slice::from_mut(&mut block_ranks));
        rest_ranks.copy_from_slice(&block_ranks[..rest.len()]);
    }
}

type Block<T> = [T; BLOCK];

#[cfg(target_arch = "x86_64")]
fn evaluate_blocks(hands: &[Block<CardSet>], ranks: &mut [Block<HandRank>]) {
    if is_x86_feature_detected!("avx512bw")
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
fn evaluate_blocks(hands: &[Block<CardSet>], ranks: &mut [Block<HandRank>]) {
    portable(hands, ranks);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bitalg")]
fn avx512(hands: &[Block<CardSet>], ranks: &mut [Block<HandRank>]) {
    portable(hands, ranks);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(hands: &[Block<CardSet>], ranks: &mut [Block<HandRank>]) {
    portable(hands, ranks);
}

#[inline(always)]
fn portable(hands: &[Block<CardSet>], ranks: &mut [Block<HandRank>]) {
    for (hands, ranks) in hands.iter().zip(ranks) {
        lanes::evaluate_block(hands, ranks);
    }
}
