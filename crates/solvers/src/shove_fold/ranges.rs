//! Ranges of all-ins and calls, and their values: two products of a dense matrix with a vector.
//!
//! With `p(i, j)` the probability that the small blind holds hand `i` and the big blind hand `j`,
//! `e(i, j)` the small blind's equity, `s` the stack and `a` the ante of each, an all-in with `i`
//! against a call with `j` wins `s (2 e(i, j) - 1)` instead of the `1 + a` of a fold. So with
//! `A(i, j) = p(i, j) (s (2 e(i, j) - 1) - (1 + a))` the gain of an all-in over a fold is
//! `(1.5 + 2 a) p(i) + sum over j of A(i, j) call(j)`, and that of a call over a fold is
//! `-(sum over i of jam(i) A(i, j))`, both times the probability of the hand.

use std::sync::OnceLock;

use cards::{PreflopTable, StartingHand, Ties};

const KINDS: usize = StartingHand::COUNT;

/// A range: the frequency with which each of the 169 starting hands is played, from 0 to 1.
pub type Range = [f64; KINDS];

/// Length of a matrix row, padded to whole vector registers.
const WIDE: usize = 176;

/// Error for stack and ante that do not form a game.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RulesError {
    /// The stack is not finite, or does not cover the big blind and the ante.
    #[error("a stack of {stack} big blinds with an ante of {ante}: give at least {}", 1.0 + ante)]
    Stack {
        /// The stack of each player, in big blinds.
        stack: f64,
        /// The ante of each player, in big blinds.
        ante: f64,
    },
    /// The ante is not finite, or negative.
    #[error("an ante of {0} big blinds: give 0 or more")]
    Ante(f64),
}

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
pub struct Matchups {
    /// The probability of each pair, the small blind's hand first.
    probability: Vec<f64>,
    /// The probability times the small blind's all-in winnings, as a share of the stack: from -1 to
    /// 1.
    edge: Vec<f64>,
    hand: Range,
}

impl Matchups {
    /// The matchups of hold'em, computed on first use from the built-in table.
    pub fn holdem() -> &'static Matchups {
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
    pub fn new(stack: f64, ante: f64) -> Result<Payoffs, RulesError> {
        if !(ante.is_finite() && ante >= 0.0) {
            return Err(RulesError::Ante(ante));
        }
        if !(stack.is_finite() && stack >= 1.0 + ante) {
            return Err(RulesError::Stack { stack, ante });
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
    pub fn jam_gains(&self, call: &Range) -> Range {
        let sums = product(&self.by_big, call);
        std::array::from_fn(|hand| self.pot() * self.hand[hand] + sums[hand])
    }

    /// The gain of a call over a fold with each hand of the big blind, times the probability of the
    /// hand and of an all-in against it, for these all-ins.
    pub fn call_gains(&self, jam: &Range) -> Range {
        let sums = product(&self.by_small, jam);
        std::array::from_fn(|hand| -sums[hand])
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

/// Number of combos of a starting hand: 6 of a pair, 4 suited, 12 offsuit.
pub fn combos(hand: StartingHand) -> u32 {
    match (hand.is_pair(), hand.is_suited()) {
        (true, _) => 6,
        (false, true) => 4,
        (false, false) => 12,
    }
}

/// The share of all combos that a range plays, from 0 to 1.
pub fn share(range: &Range) -> f64 {
    let weights = StartingHand::all().map(|hand| f64::from(combos(hand)));
    weights.zip(range).map(|(combos, played)| combos * played).sum::<f64>() / 1326.0
}
