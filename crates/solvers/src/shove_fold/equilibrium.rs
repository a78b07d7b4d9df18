//! The equilibrium of shove or fold, by CFR+ and an exact solution for the mixed hands.
//!
//! CFR+ (Tammelin, "Solving large imperfect information games using CFR+", 2014) with alternating
//! updates and averages weighted by t². Once the averages show which hands mix, the frequencies
//! that make the other player's mixed hands indifferent are the solution of one linear system for
//! each player; they are accepted where best responses confirm them.

use super::ranges::{Payoffs, Range, Ranges};

const KINDS: usize = 169;

/// An equilibrium of shove or fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// Both players' ranges.
    pub ranges: Ranges,
    /// The small blind's expected winnings, in big blinds per hand.
    pub value: f64,
    /// The exploitability, averaged over both players, in big blinds per hand.
    pub exploitability: f64,
    /// Number of CFR+ iterations.
    pub iterations: u32,
}

impl Equilibrium {
    /// The losses of other ranges of the same game against best responses, relative to the value of
    /// the game, in big blinds per hand: of the small blind's range, and of the big blind's.
    pub fn losses(&self, payoffs: &Payoffs, ranges: &Ranges) -> [f64; 2] {
        let [low, high] = [payoffs.at_least(&ranges.jam), payoffs.at_most(&ranges.call)];
        [self.value - low, high - self.value]
    }
}

/// Exploitability in big blinds at which averages are accepted if no exact solution is found;
/// below, the maximum number of iterations.
const ENOUGH: f64 = 1e-7;
const MAX_ITERATIONS: u32 = 20_000;
/// Number of iterations between checks of the averages.
const STRETCH: u32 = 50;
/// Maximum exploitability of an exact solution, in big blinds.
const EXACT: f64 = 1e-12;
/// Maximum number of mixed hands of each player; at whole stacks up to 20 big blinds there are at
/// most two.
const MIXED: usize = 6;

/// The equilibrium of the game, with an exploitability of at most 1e-6 big blinds, and nearly
/// always exact up to rounding.
pub fn equilibrium(payoffs: &Payoffs) -> Equilibrium {
    let mut run = Run::new(payoffs);
    let mut best: Option<Equilibrium> = None;
    while run.iterations < MAX_ITERATIONS {
        for _ in 0..STRETCH {
            run.step();
        }
        let average = run.average();
        let exact = supports(&average).into_iter().find_map(|mixed| {
            let found = run.found(mixed_exactly(payoffs, &average, &mixed)?);
            (found.exploitability < EXACT).then_some(found)
        });
        if let Some(exact) = exact {
            return exact;
        }
        let found = run.found(average);
        if best.as_ref().is_none_or(|best| found.exploitability < best.exploitability) {
            best = Some(found);
        }
        // Limited waiting for an exact solution, which rounding may hide.
        let near = best.as_ref().is_some_and(|best| best.exploitability < ENOUGH);
        if near && run.iterations >= MAX_ITERATIONS / 4 {
            break;
        }
    }
    best.expect("there was a stretch of iterations")
}

/// A run of CFR+.
struct Run<'a> {
    payoffs: &'a Payoffs,
    iterations: u32,
    /// Regrets of folding and of playing each hand, for the small blind, then the big blind.
    regrets: [[[f64; 2]; KINDS]; 2],
    now: [Range; 2],
    sums: [Range; 2],
    weight: f64,
}

impl<'a> Run<'a> {
    fn new(payoffs: &'a Payoffs) -> Run<'a> {
        Run {
            payoffs,
            iterations: 0,
            regrets: [[[0.0; 2]; KINDS]; 2],
            now: [[0.5; KINDS]; 2],
            sums: [[0.0; KINDS]; 2],
            weight: 0.0,
        }
    }

    fn step(&mut self) {
        self.iterations += 1;
        let weight = f64::from(self.iterations).powi(2);
        self.weight += weight;
        for player in 0..2 {
            let gains = match player {
                0 => self.payoffs.jam_gains(&self.now[1]),
                _ => self.payoffs.call_gains(&self.now[0]),
            };
            for (hand, gain) in gains.into_iter().enumerate() {
                let played = self.now[player][hand];
                let [fold, play] = &mut self.regrets[player][hand];
                *fold = (*fold - played * gain).max(0.0);
                *play = (*play + (1.0 - played) * gain).max(0.0);
                let sum = *fold + *play;
                let next = if sum > 0.0 { *play / sum } else { 0.5 };
                self.now[player][hand] = next;
                self.sums[player][hand] += weight * next;
            }
        }
    }

    fn average(&self) -> Ranges {
        let [jam, call] = self.sums.map(|sums| sums.map(|sum| sum / self.weight));
        Ranges { jam, call }
    }

    fn found(&self, ranges: Ranges) -> Equilibrium {
        let (value, exploitability) =
            (self.payoffs.value(&ranges), self.payoffs.exploitability(&ranges));
        Equilibrium { ranges, value, exploitability, iterations: self.iterations }
    }
}

/// Candidate sets of mixed hands, the likeliest first: as many of one player as of the other, of
/// those whose average frequencies are farthest from 0 and 1.
fn supports(near: &Ranges) -> Vec<[Vec<usize>; 2]> {
    let order = |range: &Range| -> Vec<usize> {
        let distance = |hand: usize| (range[hand] - range[hand].round()).abs();
        let mut hands: Vec<usize> = (0..KINDS).collect();
        hands.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)));
        hands
    };
    let (jams, calls) = (order(&near.jam), order(&near.call));
    let first = |count: usize| [jams[..count].to_vec(), calls[..count].to_vec()];
    let pairs = (0..3).flat_map(|jam| (0..3).map(move |call| [jam, call]));
    let pairs = pairs.map(|[jam, call]| [vec![jams[jam]], vec![calls[call]]]);
    [first(0)].into_iter().chain(pairs).chain((2..=MIXED).map(first)).collect()
}

/// Ranges near these in which the mixed hands of each player make those of the other indifferent,
/// and all others are pure; `None` where there are none.
fn mixed_exactly(payoffs: &Payoffs, near: &Ranges, mixed: &[Vec<usize>; 2]) -> Option<Ranges> {
    let [jams, calls] = mixed;
    let purely = |range: &Range, mixed: &[usize]| -> Range {
        let mut pure = range.map(f64::round);
        mixed.iter().for_each(|&hand| pure[hand] = 0.0);
        pure
    };
    let (jam, call) = (purely(&near.jam, jams), purely(&near.call, calls));
    let jam = fill(jam, jams, calls, |range| payoffs.call_gains(range))?;
    let call = fill(call, calls, jams, |range| payoffs.jam_gains(range))?;
    Some(Ranges { jam, call })
}

/// A range whose mixed hands are played with the frequencies that make the other player's hands
/// indifferent.
fn fill(
    pure: Range,
    mixed: &[usize],
    indifferent: &[usize],
    gains: impl Fn(&Range) -> Range,
) -> Option<Range> {
    let base = gains(&pure);
    let slopes: Vec<Range> = mixed
        .iter()
        .map(|&hand| {
            let mut one = pure;
            one[hand] = 1.0;
            let with = gains(&one);
            std::array::from_fn(|other| with[other] - base[other])
        })
        .collect();
    let rows = indifferent.iter().map(|&other| {
        let row = slopes.iter().map(|slope| slope[other]);
        row.chain([-base[other]]).collect()
    });
    let shares = eliminate(rows.collect())?;
    let mut filled = pure;
    for (&hand, share) in mixed.iter().zip(shares) {
        if !(-1e-9..=1.0 + 1e-9).contains(&share) {
            return None;
        }
        filled[hand] = share.clamp(0.0, 1.0);
    }
    Some(filled)
}

/// The solution of a linear system, given by rows with the right-hand side at the end, by
/// elimination with pivoting; `None` where it is not unique.
fn eliminate(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let largest =
            |&a: &usize, &b: &usize| rows[a][column].abs().total_cmp(&rows[b][column].abs());
        let pivot = (column..size).max_by(largest)?;
        rows.swap(column, pivot);
        let top = rows[column].clone();
        if top[column].abs() < 1e-14 {
            return None;
        }
        for (at, row) in rows.iter_mut().enumerate() {
            if at == column {
                continue;
            }
            let factor = row[column] / top[column];
            row.iter_mut().zip(&top).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    Some(rows.iter().enumerate().map(|(at, row)| row[size] / row[at]).collect())
}
