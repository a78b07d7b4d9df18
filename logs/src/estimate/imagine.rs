//! Imaginary observations: a hand's terms averaged over the hole cards its player could have held.
//!
//! The public course of a hand and the other side's cards say how likely each own hand was: the
//! cards were dealt evenly, and the player's own strategy tells how often it would have acted so
//! with them. The mean over all those hands has the same expectation as the hand as it was played,
//! and less spread (Bowling, Johanson, Burch and Szafron, *Strategy evaluation in extensive games
//! with importance sampling*, 2008; it is the Rao-Blackwell theorem).
//!
//! To ask a strategy for 1,000 hands may be slow. So the possible hands are cut into groups of a
//! given size, in a way that depends on the board and the number of the hand but not on the cards
//! held, and the mean is taken over the group in which the hand lies: conditioning on less, it is
//! as unbiased, and a group of 16 gives most of the gain. Hands are sorted by strength and each
//! group takes one of each stretch, so that groups differ little from each other.

use cards::{CardSet, Combo, HoleCards};
use game::{Action, InfoSet, LegalActions, Policy, Strategy, ValueFunction};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::equity::{order, shares};
use super::next::Effort;
use super::terms::{COUNT, Line, Terms};

/// What came of imagining.
pub(super) enum Imagined {
    /// The mean of the terms.
    Mean(Box<Terms>),
    /// A decision was not the policy's own: the hand counts as it was played.
    AsPlayed,
    /// The policy does not give the strategy that is recorded.
    Differs,
}

/// The mean of a hand's terms over `size` hands, the one held among them.
pub(super) fn imagine(
    line: &Line,
    policy: &dyn Policy,
    size: usize,
    hand: u64,
    values: Option<&dyn ValueFunction>,
) -> Imagined {
    if line.acts().any(|act| act.own && act.strategy.is_none()) {
        return Imagined::AsPlayed;
    }
    let mut held = Vec::new();
    for hole in group(line, size, hand) {
        let Some(strategies) = reach(line, policy, hole) else { continue };
        let actual = hole == line.hole;
        if actual && !agrees(line, &strategies.1) {
            return Imagined::Differs;
        }
        held.push((hole, strategies));
    }
    if !held.iter().any(|&(hole, _)| hole == line.hole) {
        return Imagined::Differs;
    }
    let holes: Vec<CardSet> = held.iter().map(|&(hole, _)| hole).collect();
    let by_street: Vec<Vec<f64>> =
        line.boards.iter().map(|&board| shares(&holes, line.other, board)).collect();
    let mut mean = [0.0; COUNT];
    let mut total = 0.0;
    for (i, (hole, (weight, own))) in held.iter().enumerate() {
        let shares: Vec<f64> = by_street.iter().map(|shares| shares[i]).collect();
        let worth = line.worth_of(*hole, &shares);
        let mut own = own.iter();
        let strategies =
            line.acts().map(|act| if act.own { own.next() } else { act.strategy.as_ref() });
        let effort = Effort::shared(held.len());
        let terms = line.terms(*hole, &worth, strategies, effort, values);
        mean.iter_mut().zip(terms).for_each(|(mean, term)| *mean += weight * term);
        total += weight;
    }
    mean.iter_mut().for_each(|mean| *mean /= total);
    Imagined::Mean(Box::new(mean))
}

/// The group of possible hands that holds the one that was held.
fn group(line: &Line, size: usize, hand: u64) -> Vec<CardSet> {
    let board = line.boards.last().copied().unwrap_or_default();
    let dead = line.other | board;
    let possible = Combo::all().map(Combo::set).filter(|set| !set.intersects(dead));
    let mut sorted: Vec<(u32, CardSet)> = possible.map(|set| (order(set, board), set)).collect();
    sorted.sort_unstable_by_key(|&(order, set)| (order, set.bits()));
    let groups = sorted.len().div_ceil(size.max(1)).max(1);
    let Some(at) = sorted.iter().position(|&(_, set)| set == line.hole) else {
        return vec![line.hole];
    };
    // In each stretch of as many hands as there are groups, hand i belongs to group i + shift.
    let mut rng = Pcg64Mcg::seed_from_u64(hand);
    let shifts: Vec<usize> =
        sorted.chunks(groups).map(|_| rng.random_range(0..groups as u32) as usize).collect();
    let group = (at % groups + shifts[at / groups]) % groups;
    let member = |(stretch, shift): (&[(u32, CardSet)], &usize)| {
        stretch.get((group + groups - shift) % groups).map(|&(_, set)| set)
    };
    sorted.chunks(groups).zip(&shifts).filter_map(member).collect()
}

/// How likely the player acts as it did with these cards, and its strategy at each decision; `None`
/// when it would not.
fn reach(line: &Line, policy: &dyn Policy, hole: CardSet) -> Option<(f64, Vec<Strategy>)> {
    let cards: Vec<cards::Card> = hole.iter().collect();
    let hole = HoleCards::new(&cards)?;
    let mut weight = 1.0;
    let mut strategies = Vec::new();
    for act in line.acts().filter(|act| act.own) {
        let infoset = InfoSet { public: act.public.clone(), seat: line.seat, hole };
        let strategy = policy.strategy(&infoset);
        weight *= probability(&strategy, act.action, infoset.legal());
        if weight <= 0.0 {
            return None;
        }
        strategies.push(strategy);
    }
    Some((weight, strategies))
}

/// How likely the strategy leads to this action being played, corrections included.
fn probability(strategy: &Strategy, action: Action, legal: LegalActions) -> f64 {
    let leads = strategy.actions.iter().filter(|&&(drawn, _)| legal.nearest(drawn) == action);
    leads.map(|&(_, p)| p).sum()
}

/// Whether the strategies recorded for the cards held are those the policy gives.
fn agrees(line: &Line, strategies: &[Strategy]) -> bool {
    let same = |one: &Strategy, other: &Strategy| {
        one.actions.iter().all(|&(action, p)| (p - other.probability(action)).abs() < 1e-9)
    };
    let recorded = line.acts().filter(|act| act.own).filter_map(|act| act.strategy.as_ref());
    recorded.zip(strategies).all(|(one, other)| same(one, other) && same(other, one))
}
