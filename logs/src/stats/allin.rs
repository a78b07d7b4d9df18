//! All-in adjusted results: the luck of run-outs removed.
//!
//! When all betting has ended before the last street, the rest is luck. The actual result is
//! replaced by its exact expectation over all boards that can still come, given all hole cards
//! (folded ones too, as they cannot come). The mean stays the same, the variance falls.

use std::collections::HashMap;

use cards::{CardSet, Combo, HandRank, SuitPermutation, all_in, choose, evaluate, evaluate_any};
use game::{BySeat, Payoff, Seat, Street};

use super::is_run_out;
use crate::HandRecord;
use crate::record::result_is_known;

/// A calculator of expected results. Two hands of hold'em cost next to nothing ([`cards::all_in`]).
/// Others are computed by enumerating boards, of which there can be a million; these results are
/// cached up to suit isomorphism.
#[derive(Debug, Clone)]
pub struct AllIn {
    /// Number of boards that may still be enumerated.
    budget: u64,
    known: HashMap<[u64; 4], Shares>,
}

/// Maximum number of cached situations; beyond it the cache is cleared, so that memory stays
/// bounded.
const MAX_CACHED: usize = 100_000;

/// The expected result of a hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expected {
    /// The betting reached the last street or ended with a fold: the actual result stands.
    AsPlayed,
    /// The expected payoffs, rounded to a 2,520th of a chip; they sum to zero.
    Known(BySeat<Payoff>),
    /// Cards are unknown, or the budget is used up.
    NotComputed,
}

impl Expected {
    /// The expected payoffs, for [`Tally::add_adjusted`](super::Tally::add_adjusted).
    pub fn payoffs(self) -> Option<BySeat<Payoff>> {
        match self {
            Expected::Known(payoffs) => Some(payoffs),
            Expected::AsPlayed | Expected::NotComputed => None,
        }
    }
}

/// The division of the pots over all boards: for each pot and seat, the sum of its shares in
/// 2,520ths of the pot.
#[derive(Debug, Clone)]
struct Shares {
    boards: u64,
    pots: Vec<BySeat<u64>>,
}

/// A main or side pot, with the seats that contend for it.
struct Pot {
    chips: u64,
    contenders: Vec<Seat>,
}

impl AllIn {
    /// A calculator that enumerates at most `budget` boards in all.
    pub fn new(budget: u64) -> AllIn {
        AllIn { budget, known: HashMap::new() }
    }

    /// The expected result of a finished hand.
    pub fn expected(&mut self, record: &HandRecord) -> Expected {
        if !is_run_out(record) {
            return Expected::AsPlayed;
        }
        let hole = &record.hole;
        let all_known = hole.as_slice().iter().all(|cards| !cards.is_empty());
        if !all_known || !result_is_known(&record.public, hole) {
            return Expected::NotComputed;
        }
        let pots = pots(record);
        let Some(shares) = self.shares(record, &pots) else { return Expected::NotComputed };
        let committed = record.public.committed();
        let mut payoffs =
            BySeat::from_fn(hole.len(), |seat| Payoff::from_chips(-i64::from(committed[seat])));
        for (pot, won) in pots.iter().zip(&shares.pots) {
            let mut rest = i128::from(pot.chips) * i128::from(Payoff::PER_CHIP);
            let whole = rest;
            for (i, &seat) in pot.contenders.iter().enumerate() {
                let of = i128::from(shares.boards) * i128::from(Payoff::PER_CHIP);
                // The last contender takes the rounding rest, so that payoffs sum to zero.
                let last = i + 1 == pot.contenders.len();
                let part = if last { rest } else { (whole * i128::from(won[seat]) + of / 2) / of };
                rest -= part;
                payoffs[seat] += Payoff::from_parts(part as i64);
            }
        }
        Expected::Known(payoffs)
    }

    fn shares(&mut self, record: &HandRecord, pots: &[Pot]) -> Option<Shares> {
        let public = &record.public;
        let ended = public.history().last().map_or(Street::Preflop, |played| played.street);
        // Cards that the players have put there are no luck.
        let ended = if public.def().discards { ended.max(Street::Flop) } else { ended };
        let start = public.def().board_len(ended);
        let seen = public.board()[..start].iter().copied().collect::<CardSet>();
        let dead = record.hole.as_slice().iter().fold(seen, |set, cards| set | cards.set());
        let deck: Vec<CardSet> = public.def().deck().into_iter().map(CardSet::single).collect();
        let rest: Vec<CardSet> = deck.into_iter().filter(|&card| !dead.intersects(card)).collect();
        let missing = public.def().full_board_len() - start;

        let contenders: Vec<Seat> = public.remaining().iter().collect();
        if let Some(shares) = heads_up(record, &contenders, seen) {
            return Some(with_uncontested(shares, pots, record.hole.len()));
        }
        // With more than two players left, the pots' contenders differ; these results are not
        // cached.
        let key = (contenders.len() == 2
            && pots.iter().filter(|p| p.contenders.len() == 2).count() == 1)
            .then(|| {
                let [a, b] = [0, 1].map(|i| record.hole[contenders[i]].set());
                canonical([a, b, seen, dead - a - b - seen])
            });
        let known = key.and_then(|key| self.known.get(&key)).cloned();
        let contested = pots.iter().filter(|pot| pot.contenders.len() > 1);
        let contested: Vec<&[Seat]> = contested.map(|pot| &pot.contenders[..]).collect();
        let counted = match known {
            Some(shares) => reseat(&shares, &contenders, record.hole.len()),
            None => {
                self.budget = self.budget.checked_sub(choose(rest.len() as u64, missing as u64))?;
                let shares = count(record, &contenders, &contested, seen, &rest, missing);
                if let Some(key) = key {
                    if self.known.len() == MAX_CACHED {
                        self.known.clear();
                    }
                    self.known.insert(key, unseat(&shares, &contenders));
                }
                shares
            }
        };
        Some(with_uncontested(counted, pots, record.hole.len()))
    }
}

/// The pots of a finished hand, side pots included; unmatched chips are a pot with one contender.
fn pots(record: &HandRecord) -> Vec<Pot> {
    let committed = record.public.committed();
    let remaining = record.public.remaining();
    let mut levels: Vec<u32> = committed.as_slice().to_vec();
    levels.sort_unstable();
    levels.dedup();
    let mut floor = 0;
    let mut pots: Vec<Pot> = Vec::new();
    for level in levels.into_iter().filter(|&level| level > 0) {
        let contributors: Vec<Seat> =
            committed.iter().filter(|&(_, &c)| c >= level).map(|(seat, _)| seat).collect();
        let chips = u64::from(level - floor) * contributors.len() as u64;
        floor = level;
        let contenders: Vec<Seat> =
            contributors.iter().copied().filter(|&seat| remaining.contains(seat)).collect();
        match pots.last_mut() {
            // Only folded seats reach this level: their chips come back.
            _ if contenders.is_empty() => pots.extend(contributors.iter().map(|&seat| Pot {
                chips: chips / contributors.len() as u64,
                contenders: vec![seat],
            })),
            Some(last) if last.contenders == contenders => last.chips += chips,
            _ => pots.push(Pot { chips, contenders }),
        }
    }
    pots
}

/// The shares of two remaining players of hold'em with a full deck.
fn heads_up(record: &HandRecord, contenders: &[Seat], seen: CardSet) -> Option<Shares> {
    let def = record.public.def();
    let &[one, other] = contenders else { return None };
    let holdem = record.hole.len() == 2
        && def.deck().len() == CardSet::FULL.len() as usize
        && def.full_board_len() == 5;
    let combo = |seat: Seat| match *record.hole[seat].as_slice() {
        [a, b] if holdem => Combo::new(a, b),
        _ => None,
    };
    let won = all_in(combo(one)?, combo(other)?, seen).ok()?;
    let [whole, half] = [Payoff::PER_CHIP as u64, Payoff::PER_CHIP as u64 / 2];
    let mut pot = BySeat::new(2);
    pot[one] = whole * won.wins + half * won.ties;
    pot[other] = whole * won.losses() + half * won.ties;
    Some(Shares { boards: won.total, pots: vec![pot] })
}

/// Enumerates all boards and adds up the shares of the contested pots.
fn count(
    record: &HandRecord,
    remaining: &[Seat],
    contested: &[&[Seat]],
    seen: CardSet,
    rest: &[CardSet],
    missing: usize,
) -> Shares {
    let players = record.hole.len();
    let mut pots = vec![BySeat::<u64>::new(players); contested.len()];
    let hole: Vec<(Seat, CardSet)> =
        remaining.iter().map(|&seat| (seat, record.hole[seat].set())).collect();
    let mut ranks = BySeat::<HandRank>::new(players);
    let evaluate = if record.public.def().discards { evaluate_any } else { evaluate };
    let mut boards = 0;
    each_board(rest, missing, seen, &mut |board| {
        boards += 1;
        for &(seat, cards) in &hole {
            ranks[seat] = evaluate(cards | board);
        }
        for (pot, contenders) in pots.iter_mut().zip(contested) {
            let best = contenders.iter().map(|&seat| ranks[seat]).max().unwrap_or_default();
            let winners = contenders.iter().filter(|&&seat| ranks[seat] == best);
            let share = Payoff::PER_CHIP as u64 / winners.clone().count() as u64;
            winners.for_each(|&seat| pot[seat] += share);
        }
    });
    Shares { boards, pots }
}

fn each_board(rest: &[CardSet], missing: usize, board: CardSet, see: &mut impl FnMut(CardSet)) {
    match missing {
        0 => see(board),
        1 => rest.iter().for_each(|&card| see(board | card)),
        _ => {
            for (i, &card) in rest.iter().enumerate() {
                each_board(&rest[i + 1..], missing - 1, board | card, see);
            }
        }
    }
}

/// The shares of two players in contender order, for the cache.
fn unseat(shares: &Shares, contenders: &[Seat]) -> Shares {
    let by_order = |pot: &BySeat<u64>| BySeat::from_fn(2, |k| pot[contenders[k.index()]]);
    Shares { boards: shares.boards, pots: shares.pots.iter().map(by_order).collect() }
}

/// The shares of cached contenders by seat; inverts [`unseat`].
fn reseat(shares: &Shares, contenders: &[Seat], players: usize) -> Shares {
    let by_seat = |pot: &BySeat<u64>| {
        let mut seated = BySeat::new(players);
        for (&seat, &share) in contenders.iter().zip(pot.as_slice()) {
            seated[seat] = share;
        }
        seated
    };
    Shares { boards: shares.boards, pots: shares.pots.iter().map(by_seat).collect() }
}

/// Adds the pots with one contender, who wins them on every board.
fn with_uncontested(counted: Shares, pots: &[Pot], players: usize) -> Shares {
    let mut contested = counted.pots.into_iter();
    let whole = counted.boards * Payoff::PER_CHIP as u64;
    let all = pots.iter().map(|pot| match pot.contenders[..] {
        [one] => BySeat::from_fn(players, |seat| if seat == one { whole } else { 0 }),
        _ => contested.next().unwrap_or_else(|| BySeat::new(players)),
    });
    Shares { boards: counted.boards, pots: all.collect() }
}

/// The least of the 24 suit permutations of these sets: a canonical form up to suit isomorphism.
fn canonical(sets: [CardSet; 4]) -> [u64; 4] {
    let permuted = SuitPermutation::all().map(|suits| sets.map(|set| suits.set(set).bits()));
    permuted.min().expect("24 permutations")
}
