//! Shove or fold: heads-up hold'em in which the small blind moves all-in or folds, and the big
//! blind calls or folds.
//!
//! - [`Payoffs`]: the game at one stack, on the 169 starting hands: values, gains of each hand, and
//!   best responses to [`Ranges`], two products of a dense matrix with a vector.
//! - [`equilibrium`]: by CFR+ (Tammelin, "Solving large imperfect information games using CFR+",
//!   2014) with alternating updates and averages weighted by t². Once the averages show which hands
//!   mix, the frequencies that make the other player's mixed hands indifferent are the solution of
//!   one linear system for each player; they are accepted where best responses confirm them.
//! - [`sage`]: a rule to memorise, and its extension to larger stacks. James Kittock and Lee Jones,
//!   the "Sit And Go Endgame" system (SAGE), 2005: twice the higher rank plus the lower one, an ace
//!   as 15, plus 22 for a pair and 2 for one suit; the sum is compared with a threshold for the
//!   shorter stack, counted in big blinds once the blinds are posted. Rule, table and two examples
//!   are those of <http://archives1.twoplustwo.com/showthreaded.php?Number=3948416>. The table ends
//!   at 7; beyond it the thresholds that lose least are used.
//! - [`range_trees`]: the best small trees of questions for either player, proven optimal.
//! - [`report`]: the equilibrium and rules measured against it, as text, document and charts.
//!
//! [`solvers::games::ShoveFold`] is the same game as a tree, for every other solver of small games.
//!
//! Blinds are 0.5 and 1; all amounts are in big blinds. With `p(i, j)` the probability that the
//! small blind holds hand `i` and the big blind hand `j`, `e(i, j)` the small blind's equity, `s`
//! the stack and `a` the ante of each, an all-in with `i` against a call with `j` wins `s (2 e(i,
//! j) - 1)` instead of the `1 + a` of a fold. So with `A(i, j) = p(i, j) (s (2 e(i, j) - 1) - (1 +
//! a))` the gain of an all-in over a fold is `(1.5 + 2 a) p(i) + sum over j of A(i, j) call(j)`,
//! and that of a call over a fold is `-(sum over i of jam(i) A(i, j))`, both times the probability
//! of the hand.

pub mod range_trees;
pub mod report;

use std::sync::OnceLock;

use cards::{PreflopTable, Rank, StartingHand, Ties};
use solvers::showdown::{End, Equilibria, Interval, Mixed, ShowdownGame, Standing};
use solvers::{Choice, Player, normalise};

use crate::Error;

const KINDS: usize = StartingHand::COUNT;

/// A range: the frequency with which each of the 169 starting hands is played, from 0 to 1.
pub type Range = [f64; KINDS];

/// The range that plays the hands for which this holds.
pub fn range_of(plays: impl Fn(StartingHand) -> bool) -> Range {
    let mut range = [0.0; KINDS];
    for hand in StartingHand::all() {
        range[hand.index()] = f64::from(u8::from(plays(hand)));
    }
    range
}

/// A blind, which identifies a player in this game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blind {
    /// The small blind, which moves all-in or folds.
    Small,
    /// The big blind, which calls or folds.
    Big,
}

impl Blind {
    /// Both, in the order of acting.
    pub const BOTH: [Blind; 2] = [Blind::Small, Blind::Big];

    /// Its size, in big blinds.
    pub fn posts(self) -> f64 {
        match self {
            Blind::Small => 0.5,
            Blind::Big => 1.0,
        }
    }
}

/// Length of a matrix row, padded to whole vector registers.
const WIDE: usize = 176;

/// Both players' ranges.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranges {
    /// The small blind's frequency of an all-in with each hand.
    pub jam: Range,
    /// The big blind's frequency of a call with each hand.
    pub call: Range,
}

/// Probabilities and equities of the 169 × 169 pairs of starting hands, over all deals and boards.
#[derive(Debug)]
struct Matchups {
    /// The probability of each pair, the small blind's hand first.
    probability: Vec<f64>,
    /// The probability times the small blind's all-in winnings, as a share of the stack: from -1 to
    /// 1.
    edge: Vec<f64>,
    hand: Range,
}

impl Matchups {
    /// The matchups of hold'em, computed on first use from the built-in table.
    fn holdem() -> &'static Matchups {
        static MATCHUPS: OnceLock<Matchups> = OnceLock::new();
        MATCHUPS.get_or_init(|| {
            let matrix = PreflopTable::embedded().matrix();
            let pairs = StartingHand::all().flat_map(|a| StartingHand::all().map(move |b| (a, b)));
            let counts: Vec<_> = pairs.map(|(a, b)| matrix.get(a, b)).collect();
            let sum: u64 = counts.iter().map(|pair| pair.total).sum();
            let share = |total: u64| total as f64 / sum as f64;
            let probability: Vec<f64> = counts.iter().map(|pair| share(pair.total)).collect();
            let edges = counts.iter().zip(&probability);
            let edge =
                edges.map(|(pair, share)| share * (2.0 * pair.value(Ties::Half) - 1.0)).collect();
            let hand =
                std::array::from_fn(|hand| probability[hand * KINDS..][..KINDS].iter().sum());
            Matchups { probability, edge, hand }
        })
    }
}

/// The payoffs of the game at one stack and ante, laid out for products with ranges.
#[derive(Debug, Clone)]
pub struct Payoffs {
    /// Big blinds of each player, including the ante.
    pub stack: f64,
    /// Big blinds that each player pays in addition to the blinds.
    pub ante: f64,
    hand: Range,
    /// `A` of the module's documentation: a row for each hand of the small blind.
    by_small: Vec<[f64; WIDE]>,
    /// The transpose: a row for each hand of the big blind.
    by_big: Vec<[f64; WIDE]>,
}

impl Payoffs {
    /// The game with `stack` big blinds for each player and an `ante` from each.
    ///
    /// # Errors
    /// When the stack does not cover the big blind and the ante, or one of them is not a number.
    pub fn new(stack: f64, ante: f64) -> Result<Payoffs, Error> {
        if !(ante.is_finite() && ante >= 0.0) {
            return Err(Error::new(format!("an ante of {ante} big blinds: give 0 or more")));
        }
        if !(stack.is_finite() && stack >= 1.0 + ante) {
            let least = 1.0 + ante;
            return Err(Error::new(format!(
                "a stack of {stack} big blinds with an ante of {ante}: give at least {least}"
            )));
        }
        let matchups = Matchups::holdem();
        let payoff =
            |at: usize| stack * matchups.edge[at] - (1.0 + ante) * matchups.probability[at];
        let mut by_small = vec![[0.0; WIDE]; KINDS];
        let mut by_big = by_small.clone();
        for small in 0..KINDS {
            for big in 0..KINDS {
                let payoff = payoff(small * KINDS + big);
                by_small[small][big] = payoff;
                by_big[big][small] = payoff;
            }
        }
        Ok(Payoffs { stack, ante, hand: matchups.hand, by_small, by_big })
    }

    /// The small blind's winnings from folding every hand.
    fn folding(&self) -> f64 {
        -(0.5 + self.ante)
    }

    /// The gain of an uncalled all-in over a fold.
    fn pot(&self) -> f64 {
        1.5 + 2.0 * self.ante
    }

    /// The gain of an all-in over a fold with each hand of the small blind, times the probability
    /// of the hand, against these calls.
    fn jam_gains(&self, call: &Range) -> Range {
        let sums = product(&self.by_big, call);
        std::array::from_fn(|hand| self.pot() * self.hand[hand] + sums[hand])
    }

    /// The gain of a call over a fold with each hand of the big blind, times the probability of the
    /// hand and of an all-in against it, for these all-ins.
    fn call_gains(&self, jam: &Range) -> Range {
        let sums = product(&self.by_small, jam);
        std::array::from_fn(|hand| -sums[hand])
    }

    /// What a starting hand gains by an all-in, or by a call of one, beyond a fold, against the
    /// other player's range, in big blinds; 0 for a call where the other never moves all-in.
    pub fn gain(&self, ranges: &Ranges, blind: Blind, hand: StartingHand) -> f64 {
        let hand = hand.index();
        let (gains, met) = match blind {
            Blind::Small => (self.jam_gains(&ranges.call), self.hand[hand]),
            Blind::Big => {
                // The sum of the probabilities of both hands, with an all-in of the other.
                let matchups = &Matchups::holdem().probability;
                let jams = ranges.jam.iter().enumerate();
                let met = jams.map(|(small, jam)| jam * matchups[small * KINDS + hand]).sum();
                (self.call_gains(&ranges.jam), met)
            }
        };
        if met > 0.0 { gains[hand] / met } else { 0.0 }
    }

    /// The small blind's expected winnings per hand.
    pub fn value(&self, ranges: &Ranges) -> f64 {
        let gains = self.jam_gains(&ranges.call);
        self.folding() + ranges.jam.iter().zip(gains).map(|(jam, gain)| jam * gain).sum::<f64>()
    }

    /// The small blind's expected winnings with these all-ins against the best calls.
    pub fn at_least(&self, jam: &Range) -> f64 {
        let uncalled: f64 = jam.iter().zip(self.hand).map(|(jam, share)| jam * share).sum();
        let lost: f64 = self.call_gains(jam).iter().map(|gain| gain.max(0.0)).sum();
        self.folding() + self.pot() * uncalled - lost
    }

    /// The small blind's expected winnings with the best all-ins against these calls.
    pub fn at_most(&self, call: &Range) -> f64 {
        self.folding() + self.jam_gains(call).iter().map(|gain| gain.max(0.0)).sum::<f64>()
    }

    /// The exploitability, averaged over both players.
    pub fn exploitability(&self, ranges: &Ranges) -> f64 {
        0.5 * (self.at_most(&ranges.call) - self.at_least(&ranges.jam))
    }

    /// For all-ins with the first hand of an order, the first two, and so on: the small blind's
    /// winnings against the best calls. All of them together cost about as much as one.
    pub fn at_least_by_prefix(&self, order: &[usize], mut visit: impl FnMut(usize, f64)) {
        let (mut sums, mut uncalled) = ([0.0; WIDE], 0.0);
        for (before, &hand) in order.iter().enumerate() {
            uncalled += self.hand[hand];
            let mut lost = [0.0; 8];
            for (sums, row) in sums.chunks_exact_mut(8).zip(self.by_small[hand].chunks_exact(8)) {
                for lane in 0..8 {
                    sums[lane] += row[lane];
                    lost[lane] += sums[lane].min(0.0);
                }
            }
            let lost: f64 = lost.iter().sum();
            visit(before + 1, self.folding() + self.pot() * uncalled + lost);
        }
    }

    /// For calls with the first hand of an order, the first two, and so on: the small blind's
    /// winnings with the best all-ins.
    pub fn at_most_by_prefix(&self, order: &[usize], mut visit: impl FnMut(usize, f64)) {
        let mut sums = [0.0; WIDE];
        for (sum, share) in sums.iter_mut().zip(self.hand) {
            *sum = self.pot() * share;
        }
        for (before, &hand) in order.iter().enumerate() {
            let mut won = [0.0; 8];
            for (sums, row) in sums.chunks_exact_mut(8).zip(self.by_big[hand].chunks_exact(8)) {
                for lane in 0..8 {
                    sums[lane] += row[lane];
                    won[lane] += sums[lane].max(0.0);
                }
            }
            visit(before + 1, self.folding() + won.iter().sum::<f64>());
        }
    }
}

/// The weighted sum of the rows, four rows at a time.
fn product(rows: &[[f64; WIDE]], weights: &Range) -> [f64; WIDE] {
    let mut sums = [0.0; WIDE];
    let (rows, weights) = (rows.chunks(4), weights.chunks(4));
    for (rows, weights) in rows.zip(weights) {
        match (rows, weights) {
            (_, weights) if weights.iter().all(|&weight| weight == 0.0) => {}
            ([a, b, c, d], &[wa, wb, wc, wd]) => {
                for at in 0..WIDE {
                    sums[at] += wa * a[at] + wb * b[at] + (wc * c[at] + wd * d[at]);
                }
            }
            (rows, weights) => {
                for (row, weight) in rows.iter().zip(weights) {
                    for at in 0..WIDE {
                        sums[at] += weight * row[at];
                    }
                }
            }
        }
    }
    sums
}

/// The share of all combos that a range plays, from 0 to 1.
pub fn share(range: &Range) -> f64 {
    let weights = StartingHand::all().map(|hand| hand.combos().count() as f64);
    weights.zip(range).map(|(combos, played)| combos * played).sum::<f64>() / 1326.0
}

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
                let mut next = [*fold, *play];
                normalise(&mut next);
                let next = next[1];
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

/// The thresholds for an all-in and for a call, by the stack behind the big blind: 1 to 7.
const TABLE: [[u32; 2]; 7] = [[17, 0], [21, 17], [22, 24], [23, 26], [24, 28], [25, 29], [26, 30]];

/// The power index of a hand.
pub fn power_index(hand: StartingHand) -> u32 {
    let [high, low] = hand.ranks().map(|rank| match rank {
        Rank::ACE => 15,
        rank => 2 + u32::from(rank.index()),
    });
    let bonus = match (hand.is_pair(), hand.is_suited()) {
        (true, _) => 22,
        (false, true) => 2,
        (false, false) => 0,
    };
    2 * high + low + bonus
}

/// The published thresholds for an all-in and for a call at this stack, including the blinds;
/// `None` beyond the table.
pub fn sage(stack: f64) -> Option<[u32; 2]> {
    let behind = (stack - 1.0).round().max(1.0) as usize;
    TABLE.get(behind - 1).copied()
}

/// The thresholds that lose least against best responses.
pub fn best_sage(payoffs: &Payoffs) -> [u32; 2] {
    let sums: Vec<u32> = StartingHand::all().map(power_index).collect();
    let mut order: Vec<usize> = (0..KINDS).collect();
    order.sort_by_key(|&hand| std::cmp::Reverse(sums[hand]));
    // Hands with the same index are played together.
    let last =
        |played: usize| played == order.len() || sums[order[played]] < sums[order[played - 1]];
    let mut best = [(f64::NEG_INFINITY, 0), (f64::INFINITY, 0)];
    payoffs.at_least_by_prefix(&order, |played, value| {
        if last(played) && value > best[0].0 {
            best[0] = (value, sums[order[played - 1]]);
        }
    });
    payoffs.at_most_by_prefix(&order, |played, value| {
        if last(played) && value < best[1].0 {
            best[1] = (value, sums[order[played - 1]]);
        }
    });
    best.map(|(_, threshold)| threshold)
}

/// The ranges of these thresholds.
pub fn sage_ranges([jam, call]: [u32; 2]) -> Ranges {
    let range = |threshold: u32| range_of(|hand| power_index(hand) >= threshold);
    Ranges { jam: range(jam), call: range(call) }
}

/// A hand that does not do the same in all equilibria, or mixes in them.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedHand {
    /// The blind who holds it.
    pub blind: Blind,
    /// The hand.
    pub hand: StartingHand,
    /// How often it is all-in or calls, over all equilibria.
    pub interval: Interval,
}

impl Payoffs {
    /// The game as one of one street: fold and all-in, fold and call.
    ///
    /// # Errors
    /// Never: any stack makes a game.
    pub fn game(&self) -> Result<ShowdownGame, Error> {
        let matchups = Matchups::holdem();
        let choice = Choice { parent: 0, first: 1, count: 2 };
        let ends = vec![
            End { sequences: [1, 0], fold: -(0.5 + self.ante), showdown: 0.0 },
            End { sequences: [2, 1], fold: 1.0 + self.ante, showdown: 0.0 },
            End { sequences: [2, 2], fold: 0.0, showdown: self.stack },
        ];
        let pair = |i: usize, j: usize| {
            let chance = matchups.probability[i * KINDS + j];
            (chance, if chance > 0.0 { matchups.edge[i * KINDS + j] / chance } else { 0.0 })
        };
        let pot = 1.5 + 2.0 * self.ante;
        let decisions = [vec![(choice, 0)], vec![(choice, 2)]];
        ShowdownGame::new(decisions, ends, [KINDS; 2], pair, pot).map_err(Error::new)
    }
}

/// The hands that mix in some equilibrium, with how often over all of them.
///
/// # Errors
/// When a linear program has no optimum that can be found.
pub fn mixed_hands(payoffs: &Payoffs, found: &Ranges) -> Result<Vec<MixedHand>, Error> {
    let game = payoffs.game()?;
    let start = [&found.jam, &found.call].map(|range| range);
    let strategies = [Player::First, Player::Second].map(|player| {
        let mut strategy = Mixed::uniform(&game, player);
        for (hand, &plays) in start[player.index()].iter().enumerate() {
            strategy.set(1, hand, 1.0 - plays);
            strategy.set(2, hand, plays);
        }
        strategy
    });
    let equilibria = Equilibria::solve(&game, strategies.each_ref()).map_err(Error::new)?;
    let mut mixed = Vec::new();
    for (player, blind) in Player::BOTH.into_iter().zip(Blind::BOTH) {
        let mut plane = equilibria.face(player);
        for hand in StartingHand::all() {
            let at = hand.index();
            if let Standing::Mixes(_) = equilibria.standing(player, 0, at) {
                let interval = plane.interval(0, 1, &[(at, 1.0)]).map_err(Error::new)?;
                mixed.extend(interval.map(|interval| MixedHand { blind, hand, interval }));
            }
        }
    }
    Ok(mixed)
}
