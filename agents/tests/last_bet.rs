//! Range-against-range solver for the last bet of a river, to measure rules exactly: one player
//! bets one of some sizes or checks, the other calls or folds, and the better hand wins.
//!
//! The value of a betting strategy against the best response, and of the best bets against a
//! calling strategy, is exact on all cards: each hand meets the other range without the cards it
//! holds ([`Showdown::sums_against`]). Values are in units of the pot before the bet; the first
//! player's and the second's sum to 1. Equilibria are approximated by CFR+ (O. Tammelin, *Solving
//! Large Imperfect Information Games Using CFR+*, 2014): regrets never below 0, alternating
//! updates, averages weighted by the number of the iteration.

use cards::{CardSet, Combo, Range, Showdown, ShowdownSums, evaluate};

use crate::table::{self, combo};

/// A number for each of the 1,326 combos.
type PerCombo = [f64; Combo::COUNT];

/// A river with both ranges and the bet sizes.
pub(crate) struct LastBet {
    showdown: Showdown,
    /// The weights of the player who bets, then of the other.
    ranges: [Box<PerCombo>; 2],
    /// Bet sizes in pots.
    sizes: Vec<f64>,
    /// The total weight of all pairs of hands that share no card.
    deals: f64,
    sums: Box<[ShowdownSums; Combo::COUNT]>,
}

/// Strategies of both players: for each column the probabilities of the 1,326 combos.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LastBetPlay {
    /// Probability of a check, then of each size; those of each combo sum to one.
    pub(crate) bets: Vec<Vec<f64>>,
    /// Probability of a call, for each size.
    pub(crate) calls: Vec<Vec<f64>>,
}

impl LastBet {
    /// Builds the game on a five-card board from the ranges of the player who may bet and of the
    /// other, and the bet sizes in pots, all above 0. Returns `Ok(None)` if no deal is possible.
    ///
    /// # Errors
    /// When the board does not have five cards.
    pub(crate) fn new(
        board: CardSet,
        ranges: [&Range; 2],
        sizes: &[f64],
    ) -> Result<Option<LastBet>, cards::Error> {
        let showdown = Showdown::new(board)?;
        let ranges = ranges.map(|range| Box::new(*range.clone().without(board).weights()));
        let sums = Box::new([ShowdownSums::default(); Combo::COUNT]);
        let mut last = LastBet { showdown, ranges, sizes: sizes.to_vec(), deals: 0.0, sums };
        last.showdown.sums_against(&last.ranges[1], &mut last.sums);
        last.deals =
            last.ranges[0].iter().zip(&*last.sums).map(|(own, sums)| own * sums.total).sum();
        Ok((last.deals > 0.0).then_some(last))
    }

    /// Value in pots of a betting strategy against the best response. `bets` as in
    /// [`LastBetPlay::bets`].
    pub(crate) fn value_of_bets(&mut self, bets: &[Vec<f64>]) -> f64 {
        let mut value = 0.0;
        for (column, chances) in bets.iter().enumerate() {
            self.compute_sums(0, chances);
            for (own, sums) in self.ranges[1].iter().zip(&*self.sums) {
                value += own
                    * match column.checked_sub(1) {
                        None => sums.losses() + 0.5 * sums.ties,
                        Some(size) => sums.total - called(sums, self.sizes[size]).max(0.0),
                    };
            }
        }
        value / self.deals
    }

    /// Value in pots of the best bets against a calling strategy. `calls` as in
    /// [`LastBetPlay::calls`].
    pub(crate) fn value_against_calls(&mut self, calls: &[Vec<f64>]) -> f64 {
        let values = self.values_of_bets(calls);
        let best = |combo| values.iter().map(|column| column[combo]).fold(f64::MIN, f64::max);
        let value = self.ranges[0].iter().enumerate().map(|(combo, own)| own * best(combo));
        value.sum::<f64>() / self.deals
    }

    /// Returns both players' average strategies after a number of iterations of CFR+. The two
    /// values above tell how far they are from an equilibrium.
    pub(crate) fn solve(&mut self, iterations: u32) -> LastBetPlay {
        let columns = 1 + self.sizes.len();
        let mut bets = Side::new(columns);
        // For each size: fold, call.
        let mut answers: Vec<Side> = (0..self.sizes.len()).map(|_| Side::new(2)).collect();
        let mut calls = vec![vec![0.5; Combo::COUNT]; self.sizes.len()];
        for iteration in 1..=iterations {
            let values = self.values_of_bets(&calls);
            bets.update(&values, f64::from(iteration));
            let now = bets.now();
            for (size, answer) in answers.iter_mut().enumerate() {
                self.compute_sums(0, &now[1 + size]);
                let value = self.sums.iter().map(|sums| called(sums, self.sizes[size])).collect();
                answer.update(&[vec![0.0; Combo::COUNT], value], f64::from(iteration));
                calls[size] = answer.now().swap_remove(1);
            }
        }
        let calls = answers.iter().map(|answer| answer.mean().swap_remove(1)).collect();
        LastBetPlay { bets: bets.mean(), calls }
    }

    /// For a check and each size, the value of every combo with it against the whole range, in
    /// pots.
    fn values_of_bets(&mut self, calls: &[Vec<f64>]) -> Vec<Vec<f64>> {
        self.compute_sums(1, &[1.0; Combo::COUNT]);
        let all: Vec<ShowdownSums> = self.sums.to_vec();
        let checks = all.iter().map(|sums| sums.wins + 0.5 * sums.ties).collect();
        let mut values = vec![checks];
        for (size, calls) in calls.iter().enumerate() {
            self.compute_sums(1, calls);
            let sums = all.iter().zip(&*self.sums);
            let size = self.sizes[size];
            values.push(
                sums.map(|(all, sums)| all.total - sums.total + called(sums, size)).collect(),
            );
        }
        values
    }

    /// Computes what every combo meets of a player's range, weighted with these probabilities.
    fn compute_sums(&mut self, player: usize, chances: &[f64]) {
        let mut range = [0.0; Combo::COUNT];
        let weights = self.ranges[player].iter().zip(chances);
        range
            .iter_mut()
            .zip(weights)
            .for_each(|(entry, (weight, chance))| *entry = weight * chance);
        self.showdown.sums_against(&range, &mut self.sums);
    }
}

/// The winnings of a hand of either player when a bet is called, in pots.
fn called(sums: &ShowdownSums, bet: f64) -> f64 {
    (1.0 + bet) * sums.wins + 0.5 * sums.ties - bet * sums.losses()
}

/// The regrets of a decision and the weighted sum of its strategies, by column and combo.
struct Side {
    regrets: Vec<Vec<f64>>,
    played: Vec<Vec<f64>>,
}

impl Side {
    fn new(columns: usize) -> Side {
        let zeros = vec![vec![0.0; Combo::COUNT]; columns];
        Side { regrets: zeros.clone(), played: zeros }
    }

    /// Updates the regrets with the values of the columns, and adds the new strategy with this
    /// weight.
    fn update(&mut self, values: &[Vec<f64>], weight: f64) {
        let now = self.now();
        for combo in 0..Combo::COUNT {
            let mean: f64 = now.iter().zip(values).map(|(p, value)| p[combo] * value[combo]).sum();
            for (regret, value) in self.regrets.iter_mut().zip(values) {
                regret[combo] = (regret[combo] + value[combo] - mean).max(0.0);
            }
        }
        let now = self.now();
        for (sum, now) in self.played.iter_mut().zip(now) {
            sum.iter_mut().zip(now).for_each(|(sum, p)| *sum += weight * p);
        }
    }

    /// The current strategy: probabilities in proportion to the regrets.
    fn now(&self) -> Vec<Vec<f64>> {
        shares(&self.regrets)
    }

    fn mean(&self) -> Vec<Vec<f64>> {
        shares(&self.played)
    }
}

/// Normalises each combo's numbers over the columns; uniform where their sum is 0.
fn shares(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let sum = |combo: usize| columns.iter().map(|column| column[combo]).sum::<f64>();
    let sums: Vec<f64> = (0..Combo::COUNT).map(sum).collect();
    let alike = 1.0 / columns.len() as f64;
    let share = |(&part, &sum): (&f64, &f64)| if sum > 0.0 { part / sum } else { alike };
    columns.iter().map(|column| column.iter().zip(&sums).map(share).collect()).collect()
}

fn board() -> CardSet {
    table::board("2c7d9hJsKd").set()
}

fn range(text: &str) -> Range {
    text.parse().expect("a range")
}

#[test]
fn the_best_and_the_worst_hand_against_one_between_bet_all_and_bluff_as_often_as_it_pays() {
    // The highest straight or nothing, against a pair of eights; no hand holds a card of another.
    let (first, second) = (range("QhTh,4s3s"), range("8c8d"));
    let mut last = LastBet::new(board(), [&first, &second], &[1.0, 3.0]).unwrap().expect("deals");
    let play = last.solve(4_000);
    // Half of the deals win 1, and b/(1+b) = 3/4 of the others are given up to.
    let (low, high) = (last.value_of_bets(&play.bets), last.value_against_calls(&play.calls));
    assert!((low - 0.875).abs() < 1e-3 && (high - 0.875).abs() < 1e-3, "{low} {high}");
    let at = |text: &str| combo(text).index();
    assert!((play.bets[2][at("QhTh")] - 1.0).abs() < 1e-2, "the best hand bets 3");
    assert!((play.bets[2][at("4s3s")] - 0.75).abs() < 1e-2, "{}", play.bets[2][at("4s3s")]);
    assert!((play.calls[1][at("8c8d")] - 0.25).abs() < 2e-2, "calls 1/(1+b)");
}

#[test]
fn values_are_those_of_comparing_every_two_hands() {
    let (first, second) = (range("22+,AQ,T8:0.5"), range("66-JJ,KQ:0.25,54s"));
    let sizes = [0.5, 2.0];
    let mut last = LastBet::new(board(), [&first, &second], &sizes).unwrap().expect("deals");
    // Any chances that differ from hand to hand.
    let chance = |combo: usize, column: usize| ((combo * 7 + column * 13) % 11) as f64;
    let bets: Vec<Vec<f64>> = (0..3)
        .map(|column| {
            let sum = |combo| (0..3).map(|column| chance(combo, column)).sum::<f64>();
            (0..Combo::COUNT).map(|combo| chance(combo, column) / sum(combo)).collect()
        })
        .collect();
    let calls: Vec<Vec<f64>> = (0..2)
        .map(|size| (0..Combo::COUNT).map(|combo| chance(combo, size) / 10.0).collect())
        .collect();
    let free = |range: &Range| -> Vec<(Combo, f64)> {
        range.combos().filter(|(combo, _)| !combo.set().intersects(board())).collect()
    };
    let (ours, theirs) = (free(&first), free(&second));
    // What the first player wins of a deal: with a check (`None`) or a bet, called or not.
    let wins = |own: Combo, other: Combo, bet: Option<f64>, called: f64| {
        let mine = evaluate(own.set() | board());
        let order = mine.cmp(&evaluate(other.set() | board())) as i32;
        let share = f64::from(order + 1) / 2.0;
        match bet {
            None => share,
            Some(bet) => called * (share + bet * f64::from(order)) + (1.0 - called),
        }
    };
    let meets = |own: Combo, other: Combo| !own.set().intersects(other.set());
    let mut deals = 0.0;
    let (mut worth, mut against) = (0.0, 0.0);
    for &(other, weight) in &theirs {
        let of = |bet: Option<f64>, column: usize, called: f64| -> f64 {
            let met = ours.iter().filter(|&&(own, _)| meets(own, other));
            met.map(|&(own, w)| w * bets[column][own.index()] * wins(own, other, bet, called)).sum()
        };
        worth += weight * of(None, 0, 0.0);
        for (size, &bet) in sizes.iter().enumerate() {
            let answers = [0.0, 1.0].map(|called| of(Some(bet), size + 1, called));
            worth += weight * answers[0].min(answers[1]);
        }
        let met = ours.iter().filter(|&&(own, _)| meets(own, other));
        deals += weight * met.map(|(_, w)| w).sum::<f64>();
    }
    for &(own, weight) in &ours {
        let of = |bet: Option<f64>, size: usize| -> f64 {
            let met = theirs.iter().filter(|&&(other, _)| meets(own, other));
            met.map(|&(other, w)| w * wins(own, other, bet, calls[size][other.index()])).sum()
        };
        let values = [of(None, 0), of(Some(sizes[0]), 0), of(Some(sizes[1]), 1)];
        against += weight * values.into_iter().fold(f64::MIN, f64::max);
    }
    assert!((last.value_of_bets(&bets) - worth / deals).abs() < 1e-9);
    assert!((last.value_against_calls(&calls) - against / deals).abs() < 1e-9);
}

#[test]
fn always_checking_is_worth_half_the_pot_and_solving_more() {
    let any = Range::uniform();
    let mut last = LastBet::new(board(), [&any, &any], &[0.5, 1.0, 3.0]).unwrap().expect("deals");
    let mut checks = vec![vec![0.0; Combo::COUNT]; 4];
    checks[0].fill(1.0);
    assert!((last.value_of_bets(&checks) - 0.5).abs() < 1e-12);
    let play = last.solve(300);
    let (low, high) = (last.value_of_bets(&play.bets), last.value_against_calls(&play.calls));
    assert!(low > 0.53 && low <= high && high - low < 1e-3, "{low} {high}");
}

#[test]
fn ranges_that_cannot_meet_are_no_deal() {
    let one = range("AhKh");
    assert!(LastBet::new(board(), [&one, &one], &[1.0]).unwrap().is_none());
    let cards = table::board("2c7d9h").set();
    assert!(LastBet::new(cards, [&one, &one], &[1.0]).is_err());
}
