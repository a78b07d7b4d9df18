//! Imaginary observations: a hand's terms, averaged over the hole cards its player could have held.
//!
//! The public betting and the other side's cards give the reach probability of each possible own
//! hand: cards are dealt uniformly, and the player's strategy tells how often it would have acted
//! so with them. The mean over all those hands, weighted by reach, has the same expectation as the
//! hand as it was played, and less variance (Bowling, Johanson, Burch and Szafron, *Strategy
//! evaluation in extensive games with importance sampling*, 2008; an application of the
//! Rao-Blackwell theorem).
//!
//! Evaluating a strategy for 1,000 hands may be slow. So the possible hands are partitioned into
//! groups of a given size, by the board and the hand's number but not by the cards held, and the
//! mean is taken over the group of the held hand: conditioning on less is still unbiased, and a
//! group of 16 gives most of the gain. Hands are sorted by strength and each group takes one of
//! each stretch, so that groups differ little from each other.

use cards::{CardSet, Combo, HoleCards};
use game::{Action, InfoSet, LegalActions, Policy, Strategy, ValueFunction};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::equity::{order, shares};
use super::next::Effort;
use super::terms::{COUNT, Line, Terms};

/// The outcome of averaging a hand.
pub(super) enum Averaged {
    /// The weighted mean of the terms.
    Mean(Box<Terms>),
    /// A decision was not the policy's own: the hand counts as played.
    AsPlayed,
    /// The policy's strategy differs from the recorded one.
    Differs,
}

/// The mean of a hand's terms over a group of `size` possible hands that contains the held one.
pub(super) fn average(
    line: &Line,
    policy: &dyn Policy,
    size: usize,
    hand: u64,
    values: Option<&dyn ValueFunction>,
) -> Averaged {
    if line.acts().any(|act| act.own && act.strategy.is_none()) {
        return Averaged::AsPlayed;
    }
    let mut held = Vec::new();
    for hole in group(line, size, hand) {
        let Some(strategies) = reach(line, policy, hole) else { continue };
        let actual = hole == line.hole;
        if actual && !agrees(line, &strategies.1) {
            return Averaged::Differs;
        }
        held.push((hole, strategies));
    }
    if !held.iter().any(|&(hole, _)| hole == line.hole) {
        return Averaged::Differs;
    }
    let holes: Vec<CardSet> = held.iter().map(|&(hole, _)| hole).collect();
    let by_street: Vec<Vec<f64>> =
        line.boards.iter().map(|&board| shares(&holes, line.other, board)).collect();
    let mut mean = [0.0; COUNT];
    let mut total = 0.0;
    for (i, (hole, (weight, own))) in held.iter().enumerate() {
        let shares: Vec<f64> = by_street.iter().map(|shares| shares[i]).collect();
        let equities = line.equities_of(*hole, &shares);
        let mut own = own.iter();
        let strategies =
            line.acts().map(|act| if act.own { own.next() } else { act.strategy.as_ref() });
        let effort = Effort::shared(held.len());
        let terms = line.terms(*hole, &equities, strategies, effort, values);
        mean.iter_mut().zip(terms).for_each(|(mean, term)| *mean += weight * term);
        total += weight;
    }
    mean.iter_mut().for_each(|mean| *mean /= total);
    Averaged::Mean(Box::new(mean))
}

/// The group of possible hands that contains the held one.
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
    // In each stretch of `groups` hands, hand i belongs to group i + shift, modulo `groups`.
    let mut rng = Pcg64Mcg::seed_from_u64(hand);
    let shifts: Vec<usize> =
        sorted.chunks(groups).map(|_| rng.random_range(0..groups as u32) as usize).collect();
    let group = (at % groups + shifts[at / groups]) % groups;
    let member = |(stretch, shift): (&[(u32, CardSet)], &usize)| {
        stretch.get((group + groups - shift) % groups).map(|&(_, set)| set)
    };
    sorted.chunks(groups).zip(&shifts).filter_map(member).collect()
}

/// The player's reach probability with these cards, and its strategy at each decision; `None` when
/// the probability is zero.
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

/// The probability that a strategy leads to this action, counting corrections of illegal ones.
fn probability(strategy: &Strategy, action: Action, legal: LegalActions) -> f64 {
    let leads = strategy.actions.iter().filter(|&&(drawn, _)| legal.nearest(drawn) == action);
    leads.map(|&(_, p)| p).sum()
}

/// Whether the recorded strategies for the held cards equal those of the policy.
fn agrees(line: &Line, strategies: &[Strategy]) -> bool {
    let same = |one: &Strategy, other: &Strategy| {
        one.actions.iter().all(|&(action, p)| (p - other.probability(action)).abs() < 1e-9)
    };
    let recorded = line.acts().filter(|act| act.own).filter_map(|act| act.strategy.as_ref());
    recorded.zip(strategies).all(|(one, other)| same(one, other) && same(other, one))
}
