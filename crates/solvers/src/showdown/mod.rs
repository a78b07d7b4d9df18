//! Games of one street: each player is dealt a hand, they bet, and hands that nobody folds are
//! compared. River subgames are such games ([`River`]), and so are all-in or fold before the flop
//! and Kuhn poker.
//!
//! A [`ShowdownGame`] is a betting tree and two matrices over pairs of hands: the chance of each
//! pair, and the same times the margin by which the first hand wins. Everything here is exact up to
//! the rounding of 64 bits: values and best responses by plain sums over pairs; equilibria and the
//! intervals of frequencies over all equilibria by linear programs ([`equilibria`]), which are
//! solved for the hands that have a choice (`program`), and then checked against best responses in
//! the whole game; best deterministic or rounded strategies by local search ([`rounding`]).

pub mod equilibria;
mod program;
mod river;
pub mod rounding;

pub use equilibria::{Equilibria, Interval, KeptEquilibria, Plane, Restriction, Standing};
pub use river::{Place, River};

use crate::{Choice, Error, Player};

/// A game of one street.
///
/// A player's sequences are its own choices: sequence 0 is the empty one, and the actions of a
/// decision are consecutive. Decisions come after those before them.
#[derive(Debug, Clone)]
pub struct ShowdownGame {
    choices: [Vec<Choice>; 2],
    /// The other player's last sequence at each decision.
    met: [Vec<usize>; 2],
    sequences: [usize; 2],
    ends: Vec<End>,
    hands: [usize; 2],
    /// The chance of each pair of hands, a row for each hand of the first player. They sum to 1.
    pairs: Vec<f64>,
    /// The same times what the first player wins of each chip at a showdown, -1 to 1.
    margins: Vec<f64>,
    /// The chance of each hand of each player.
    chances: [Vec<f64>; 2],
    pot: f64,
}

/// An end of the betting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// The last sequence of each player.
    pub sequences: [usize; 2],
    /// Chips that the first player wins whatever the hands are.
    pub fold: f64,
    /// Chips that are won by the better hand.
    pub showdown: f64,
}

/// A strategy of a player: for each sequence and hand, the probability of the sequence's last
/// action where the hand gets there. Those of the empty sequence are 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixed {
    hands: usize,
    numbers: Vec<f64>,
}

impl Mixed {
    /// The uniform strategy.
    pub fn uniform(game: &ShowdownGame, player: Player) -> Mixed {
        let hands = game.hands(player);
        let mut numbers = vec![1.0; game.sequences[player.index()] * hands];
        for choice in game.choices(player) {
            for sequence in choice.sequences() {
                numbers[sequence * hands..][..hands].fill(1.0 / f64::from(choice.count));
            }
        }
        Mixed { hands, numbers }
    }

    /// The probability of a sequence's last action.
    #[inline]
    pub fn share(&self, sequence: usize, hand: usize) -> f64 {
        self.numbers[sequence * self.hands + hand]
    }

    /// Sets the probability of a sequence's last action.
    #[inline]
    pub fn set(&mut self, sequence: usize, hand: usize, share: f64) {
        self.numbers[sequence * self.hands + hand] = share;
    }

    /// The probabilities of a hand's actions at a decision.
    pub fn shares(&self, choice: Choice, hand: usize) -> Vec<f64> {
        choice.sequences().map(|sequence| self.share(sequence, hand)).collect()
    }
}

/// What each hand of a player gets by best responses: chips times the chance of the pairs, as all
/// sums over hands of the other player.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    /// For each hand.
    pub(crate) values: Vec<f64>,
    /// For each sequence and hand, what is lost by its last action against the best one there.
    pub(crate) slack: Vec<f64>,
}

impl ShowdownGame {
    /// A game from the decisions of both players, each with the other's last sequence there, the
    /// ends of the betting, and for each pair of
    /// hands (by rows of the first player's) its weight and what the first player wins of each chip
    /// at a showdown. `pot` is the unit of tolerances.
    ///
    /// # Errors
    /// When the parts do not fit together, or no pair can be dealt.
    pub fn new(
        decisions: [Vec<(Choice, usize)>; 2],
        ends: Vec<End>,
        hands: [usize; 2],
        pair: impl Fn(usize, usize) -> (f64, f64),
        pot: f64,
    ) -> Result<ShowdownGame, Error> {
        let met = decisions.each_ref().map(|all| all.iter().map(|&(_, met)| met).collect());
        let choices = decisions.map(|all| all.into_iter().map(|(choice, _)| choice).collect());
        let choices: [Vec<Choice>; 2] = choices;
        let sequences = choices
            .each_ref()
            .map(|choices| 1 + choices.iter().map(|choice| choice.count as usize).sum::<usize>());
        for (choices, all) in choices.iter().zip(sequences) {
            let mut next = 1;
            for choice in choices {
                let in_order = choice.first as usize == next && choice.parent < choice.first;
                if !in_order || choice.count == 0 {
                    return Err(Error::new(
                        "the actions of decisions are not numbered one after another: number them \
                         from 1, each decision after those before it",
                    ));
                }
                next += choice.count as usize;
            }
            debug_assert_eq!(next, all, "counted alike");
        }
        let met: [Vec<usize>; 2] = met;
        let beyond = ends.iter().any(|end| (0..2).any(|p| end.sequences[p] >= sequences[p]));
        if beyond || (0..2).any(|p| met[p].iter().any(|&met| met >= sequences[1 - p])) {
            return Err(Error::new("an end or a decision has a sequence that there is not"));
        }
        let [first, second] = hands;
        let (mut pairs, mut margins) = (vec![0.0; first * second], vec![0.0; first * second]);
        for i in 0..first {
            for j in 0..second {
                let (weight, margin) = pair(i, j);
                pairs[i * second + j] = weight;
                margins[i * second + j] = weight * margin;
            }
        }
        let all: f64 = pairs.iter().sum();
        if all.is_nan() || all <= 0.0 || !pot.is_finite() || pot <= 0.0 {
            return Err(Error::new(
                "no two hands can be dealt together, or the pot is not above 0",
            ));
        }
        for number in pairs.iter_mut().chain(&mut margins) {
            *number /= all;
        }
        let rows = pairs.chunks(second.max(1));
        let own = rows.clone().map(|row| row.iter().sum()).collect();
        let mut other = vec![0.0; second];
        for row in rows {
            other.iter_mut().zip(row).for_each(|(sum, pair)| *sum += pair);
        }
        Ok(ShowdownGame {
            choices,
            met,
            sequences,
            ends,
            hands,
            pairs,
            margins,
            chances: [own, other],
            pot,
        })
    }

    /// A player's decisions.
    pub fn choices(&self, player: Player) -> &[Choice] {
        &self.choices[player.index()]
    }

    /// The number of a player's sequences, the empty one included.
    pub fn sequences(&self, player: Player) -> usize {
        self.sequences[player.index()]
    }

    /// The number of a player's hands.
    pub fn hands(&self, player: Player) -> usize {
        self.hands[player.index()]
    }

    /// The chance of each hand of a player.
    pub fn chances(&self, player: Player) -> &[f64] {
        &self.chances[player.index()]
    }

    /// The pot at the beginning, in chips.
    pub fn pot(&self) -> f64 {
        self.pot
    }

    /// The other player's last sequence at a decision.
    pub fn met(&self, player: Player, decision: usize) -> usize {
        self.met[player.index()][decision]
    }

    /// The chance of a pair of hands, times what the first player wins of each chip at a showdown.
    pub fn margin(&self, first: usize, second: usize) -> f64 {
        self.margins[first * self.hands[1] + second]
    }

    /// The chance of a pair of hands.
    pub fn pair(&self, first: usize, second: usize) -> f64 {
        self.pairs[first * self.hands[1] + second]
    }

    pub(crate) fn ends(&self) -> &[End] {
        &self.ends
    }

    /// The chips that the first player wins at an end, times the chance of the pair.
    #[inline]
    pub(crate) fn won(&self, end: &End, i: usize, j: usize) -> f64 {
        let at = i * self.hands[1] + j;
        end.fold * self.pairs[at] + end.showdown * self.margins[at]
    }

    /// The probability with which each hand plays each sequence: the product of its choices.
    pub fn reach(&self, player: Player, strategy: &Mixed) -> Vec<f64> {
        let hands = self.hands(player);
        let mut reach = strategy.numbers.clone();
        for choice in self.choices(player) {
            let parent = choice.parent as usize * hands;
            for sequence in choice.sequences() {
                for hand in 0..hands {
                    reach[sequence * hands + hand] *= reach[parent + hand];
                }
            }
        }
        reach
    }

    /// For each sequence and hand of a player, the chips that it wins at the ends which follow the
    /// sequence directly, times the chance of the pairs, given how the other's hands play.
    pub fn gains(&self, player: Player, others: &[f64]) -> Vec<f64> {
        let (own, other) = (self.hands(player), self.hands(player.other()));
        let sign = if player == Player::First { 1.0 } else { -1.0 };
        let mut gains = vec![0.0; self.sequences(player) * own];
        let (p, o) = (player.index(), player.other().index());
        for sequence in 0..self.sequences(player.other()) {
            let ends = self.ends.iter().filter(|end| end.sequences[o] == sequence);
            if ends.clone().next().is_none() {
                continue;
            }
            let reach = &others[sequence * other..][..other];
            let folds = ends.clone().any(|end| end.fold != 0.0);
            let showdowns = ends.clone().any(|end| end.showdown != 0.0);
            let met = if folds { self.product(player, &self.pairs, reach) } else { Vec::new() };
            let won =
                if showdowns { self.product(player, &self.margins, reach) } else { Vec::new() };
            for end in ends {
                let gains = &mut gains[end.sequences[p] * own..][..own];
                for (matrix, chips) in [(&met, end.fold), (&won, end.showdown)] {
                    if chips != 0.0 {
                        let of = gains.iter_mut().zip(matrix);
                        of.for_each(|(gain, sum)| *gain += sign * chips * sum);
                    }
                }
            }
        }
        gains
    }

    /// The product of a matrix over pairs with numbers of the other player's hands.
    fn product(&self, player: Player, matrix: &[f64], others: &[f64]) -> Vec<f64> {
        let columns = self.hands[1];
        match player {
            Player::First => matrix
                .chunks(columns)
                .map(|row| row.iter().zip(others).map(|(pair, reach)| pair * reach).sum())
                .collect(),
            Player::Second => {
                let mut sums = vec![0.0; columns];
                for (row, &reach) in matrix.chunks(columns).zip(others) {
                    if reach > 0.0 {
                        sums.iter_mut().zip(row).for_each(|(sum, pair)| *sum += pair * reach);
                    }
                }
                sums
            }
        }
    }

    /// Best responses from the last decisions to the first, given [gains](ShowdownGame::gains) of
    /// so many hands, or of groups of hands that play alike. Sequences that are not `open` are not
    /// played.
    pub(crate) fn sweep(
        &self,
        player: Player,
        mut gains: Vec<f64>,
        hands: usize,
        open: Option<&[bool]>,
    ) -> Sweep {
        let is_open = |sequence: usize| open.is_none_or(|open| open[sequence]);
        let choices = self.choices(player);
        let mut slack = vec![0.0; gains.len()];
        for choice in choices.iter().rev() {
            for hand in 0..hands {
                let mut most = f64::NEG_INFINITY;
                for sequence in choice.sequences().filter(|&sequence| is_open(sequence)) {
                    most = most.max(gains[sequence * hands + hand]);
                }
                for sequence in choice.sequences() {
                    let gain = gains[sequence * hands + hand];
                    slack[sequence * hands + hand] =
                        if is_open(sequence) { most - gain } else { f64::INFINITY };
                }
                gains[choice.parent as usize * hands + hand] += most;
            }
        }
        gains.truncate(hands);
        Sweep { values: gains, slack }
    }

    /// What hands of a player get together when they play alike and as well as they can, given
    /// [gains](ShowdownGame::gains).
    pub fn best_alike(&self, player: Player, gains: &[f64], hands: &[usize]) -> f64 {
        let all = self.hands(player);
        let sum = |row: &[f64]| hands.iter().map(|&hand| row[hand]).sum::<f64>();
        let sums: Vec<f64> = gains.chunks(all).map(sum).collect();
        self.sweep(player, sums, 1, None).values.iter().sum()
    }

    /// What a player wins by a best response to the other's strategy, in chips.
    pub fn best_response_value(&self, player: Player, other: &Mixed) -> f64 {
        let reach = self.reach(player.other(), other);
        let gains = self.gains(player, &reach);
        self.sweep(player, gains, self.hands(player), None).values.iter().sum()
    }

    /// What the first player wins when both play so, in chips.
    pub fn value(&self, strategies: [&Mixed; 2]) -> f64 {
        let others = self.reach(Player::Second, strategies[1]);
        let gains = self.gains(Player::First, &others);
        let reach = self.reach(Player::First, strategies[0]);
        reach.iter().zip(&gains).map(|(reach, gain)| reach * gain).sum()
    }
}
