//! Linear rules for shove or fold, found in two ways.
//!
//! - [`learn`]: Monte Carlo learning of linear action values by self-play, as published; each
//!   peculiarity of the published algorithm is a [`Quirk`] that can be left out.
//! - [`search()`]: a direct search for the weights with the smallest loss to best responses.

use std::sync::OnceLock;

use cards::{CardSet, Combo, StartingHand, Ties, all_in};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{FEATURES, PUBLISHED, PUBLISHED_FEATURES, Theta, Weights, features};
use crate::Error;
use crate::shove_fold::{Blind, Payoffs, equilibrium};

/// The set of a rule's weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One weight for each of the seven published features, shared by both blinds.
    Published,
    /// The published form, with a constant for the big blind's calls.
    Call,
    /// In addition a weight for pairs.
    Pair,
    /// A weight for each feature and blind.
    Own,
}

impl Form {
    /// The number of features with weights.
    fn features(self) -> usize {
        match self {
            Form::Published => PUBLISHED_FEATURES,
            Form::Call => PUBLISHED_FEATURES + 1,
            Form::Pair | Form::Own => FEATURES.len(),
        }
    }
}

// Monte Carlo learning of linear action values by self-play, as published.
//
// In each hand both players take the action with the larger value or, with a probability that
// falls to zero, the other one. Then the weights move by `alpha` times the error of the estimated
// value of the action taken, times its features. Rewards are whole stacks at the end of a hand.

/// A peculiarity of the published algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// The big blind also learns from hands in which the small blind folded.
    UpdateAfterFold,
    /// The winner of an all-in is drawn by equity, without split pots; otherwise the expectation is
    /// paid.
    CoinFlips,
    /// An action is reversed with half the exploration rate; otherwise with all of it.
    HalfExploration,
    /// Weights start uniform in [0, 1); otherwise at zero.
    RandomStart,
    /// The big blind's value is estimated before the small blind's update; otherwise after.
    StaleEstimate,
    /// A player also learns where the other one explored; otherwise only where it did not.
    ExploringOpponents,
}

impl Quirk {
    /// All quirks.
    pub const ALL: [Quirk; 6] = [
        Quirk::UpdateAfterFold,
        Quirk::CoinFlips,
        Quirk::HalfExploration,
        Quirk::RandomStart,
        Quirk::StaleEstimate,
        Quirk::ExploringOpponents,
    ];
}

/// The options of a learning run.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningOptions {
    /// The stack of each player in big blinds, at least 1.
    pub stack: f64,
    /// The number of hands to play.
    pub hands: u64,
    /// The learning rate.
    pub alpha: f64,
    /// The weights of the rule.
    pub form: Form,
    /// The quirks to leave out.
    pub without: Vec<Quirk>,
}

/// The equities of all pairs of combos in units of 2⁻³²; arbitrary for pairs that share a card.
fn equities() -> &'static [u32] {
    static EQUITIES: OnceLock<Vec<u32>> = OnceLock::new();
    EQUITIES.get_or_init(|| {
        let share = |a: Combo, b: Combo| {
            let counts = all_in(a, b, CardSet::EMPTY);
            counts.map_or(0, |counts| (counts.value(Ties::Half) * 2f64.powi(32)) as u32)
        };
        Combo::all().flat_map(|a| Combo::all().map(move |b| share(a, b))).collect()
    })
}

/// Learns the weights of a linear rule by self-play.
///
/// # Errors
/// When the weights cease to be finite.
pub fn learn(lesson: &LearningOptions, seed: u64) -> Result<Weights, Error> {
    let mut learner = Learner::new(lesson, seed);
    for hand in 0..lesson.hands {
        let exploration = (lesson.hands - hand) as f64 / lesson.hands as f64;
        learner.hand(exploration);
        // Not after every hand: a weight that is not finite stays so.
        let check = hand % CHECK_INTERVAL == CHECK_INTERVAL - 1 || hand + 1 == lesson.hands;
        if check && !learner.is_finite() {
            return Err(learner.diverged(lesson, seed, hand / CHECK_INTERVAL * CHECK_INTERVAL));
        }
    }
    let [small, big] = [0, learner.own].map(|at| learner.theta[at]);
    Ok(Weights { small, big })
}

/// The interval, in hands, between checks whether all weights are finite.
const CHECK_INTERVAL: u64 = 1024;

/// A player's hand: its combo and its kind.
struct Holding {
    combo: Combo,
    kind: StartingHand,
}

struct Learner {
    rng: Pcg64Mcg,
    stack: f64,
    alpha: f64,
    /// The index of the big blind's weights: 0 if they are shared.
    own: usize,
    theta: [Theta; 2],
    /// The features by kind, blind and action (whether it plays); zero where there is no weight.
    features: Vec<[[Theta; 2]; 2]>,
    kinds: Vec<StartingHand>,
    equities: &'static [u32],
    with: [bool; Quirk::ALL.len()],
}

/// An action taken, with its estimated value.
struct Done {
    plays: bool,
    explored: bool,
    value: f64,
}

impl Learner {
    fn new(lesson: &LearningOptions, seed: u64) -> Learner {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let with = Quirk::ALL.map(|quirk| !lesson.without.contains(&quirk));
        let used = lesson.form.features();
        let mut theta = [[0.0; FEATURES.len()]; 2];
        let own = usize::from(lesson.form == Form::Own);
        if with[Quirk::RandomStart as usize] {
            for weight in theta[..=own].iter_mut().flat_map(|theta| &mut theta[..used]) {
                *weight = rng.random();
            }
        }
        let of = |kind, blind, plays| {
            let mut all = features(kind, blind, plays);
            all[used..].fill(0.0);
            all
        };
        let of = |kind| Blind::BOTH.map(|blind| [false, true].map(|plays| of(kind, blind, plays)));
        Learner {
            rng,
            stack: lesson.stack,
            alpha: lesson.alpha,
            own,
            theta,
            features: StartingHand::all().map(of).collect(),
            kinds: Combo::all().map(Combo::starting_hand).collect(),
            equities: equities(),
            with,
        }
    }

    fn with(&self, quirk: Quirk) -> bool {
        self.with[quirk as usize]
    }

    fn is_finite(&self) -> bool {
        self.theta.iter().flatten().all(|weight| weight.is_finite())
    }

    /// Plays again from the beginning to find the first hand with a weight that is not finite.
    fn diverged(&self, lesson: &LearningOptions, seed: u64, from: u64) -> Error {
        let mut again = Learner::new(lesson, seed);
        let mut played = 0;
        while played < lesson.hands && (played < from || again.is_finite()) {
            again.hand((lesson.hands - played) as f64 / lesson.hands as f64);
            played += 1;
        }
        let LearningOptions { stack, alpha, .. } = lesson;
        Error::new(format!(
            "the weights stopped being numbers at hand {played} of a stack of {stack} big blinds: \
             give a smaller --alpha than {alpha}"
        ))
    }

    fn deal(&mut self) -> [Holding; 2] {
        loop {
            let numbers: [usize; 2] =
                std::array::from_fn(|_| self.rng.random_range(0..Combo::COUNT));
            let [small, big] =
                numbers.map(|number| Combo::from_index(number).expect("drawn from all there are"));
            if !small.set().intersects(big.set()) {
                return [small, big]
                    .map(|combo| Holding { combo, kind: self.kinds[combo.index()] });
            }
        }
    }

    fn weights(&self, blind: usize) -> usize {
        blind * self.own
    }

    fn estimate(&self, kind: StartingHand, blind: usize, plays: bool) -> f64 {
        let features = &self.features[kind.index()][blind][usize::from(plays)];
        let theta = &self.theta[self.weights(blind)];
        theta.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }

    fn act(&mut self, kind: StartingHand, blind: usize, reverse: f64) -> Done {
        let [fold, play] = [false, true].map(|plays| self.estimate(kind, blind, plays));
        let explored = self.rng.random::<f64>() < reverse;
        let plays = (play > fold) != explored;
        Done { plays, explored, value: if plays { play } else { fold } }
    }

    fn update(&mut self, kind: StartingHand, blind: usize, done: &Done, reward: f64) {
        let step = self.alpha * (reward - done.value);
        let at = self.weights(blind);
        let features = &self.features[kind.index()][blind][usize::from(done.plays)];
        for (weight, feature) in self.theta[at].iter_mut().zip(features) {
            *weight += step * feature;
        }
    }

    /// Plays one hand and learns from it.
    fn hand(&mut self, exploration: f64) {
        let [small, big] = self.deal();
        let half = self.with(Quirk::HalfExploration);
        let reverse = if half { 0.5 * exploration } else { exploration };
        let one = self.act(small.kind, 0, reverse);
        let mut other = self.act(big.kind, 1, reverse);
        let rewards = match (one.plays, other.plays) {
            (false, _) => [self.stack - 0.5, self.stack + 0.5],
            (true, false) => [self.stack + 1.0, self.stack - 1.0],
            (true, true) => {
                let equity = self.equities[small.combo.index() * Combo::COUNT + big.combo.index()];
                let share = if self.with(Quirk::CoinFlips) {
                    f64::from(u8::from(self.rng.random::<u32>() < equity))
                } else {
                    f64::from(equity) / 2f64.powi(32)
                };
                [2.0 * self.stack * share, 2.0 * self.stack * (1.0 - share)]
            }
        };
        let any = self.with(Quirk::ExploringOpponents);
        if any || !other.explored || !one.plays {
            self.update(small.kind, 0, &one, rewards[0]);
        }
        if (one.plays || self.with(Quirk::UpdateAfterFold)) && (any || !one.explored) {
            if !self.with(Quirk::StaleEstimate) {
                other.value = self.estimate(big.kind, 1, other.plays);
            }
            self.update(big.kind, 1, &other, rewards[1]);
        }
    }
}

// A direct search for the weights of a linear rule with the smallest loss to best responses.
//
// The loss of a pair of ranges is a sum over the two blinds. For given weights of the cards, the
// best constant of a blind is found exactly, by trying all 169 cut points. So only the direction
// of the card weights is searched: by random steps whose length shrinks where they do not help,
// from several starts. The result is an upper bound of the smallest possible loss.

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchResult {
    /// The weights; the vector of the card weights has length 1.
    pub weights: Weights,
    /// The losses of the small and the big blind to best responses, in big blinds a hand.
    pub losses: [f64; 2],
}

/// Weights of the cards: high, low, gap, suited, pair.
type Direction = [f64; 5];

/// The indices of these weights among the features.
const CARDS: [usize; 5] = [1, 2, 3, 4, 8];
/// The indices of the constants of an all-in and of a call.
const CONSTANTS: [usize; 2] = [6, 7];

/// The most steps from one start.
const CLIMB: u32 = 400;

/// Searches with this number of evaluated directions.
pub fn search(payoffs: &Payoffs, form: Form, evaluations: u32, seed: u64) -> SearchResult {
    let search = Search {
        payoffs,
        value: equilibrium(payoffs).value,
        card: StartingHand::all()
            .map(|hand| CARDS.map(|at| features(hand, Blind::Small, true)[at]))
            .collect(),
    };
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    match form {
        Form::Own => {
            let [small, big] = [0, 1].map(|blind| {
                let seats = [blind == 0, blind == 1];
                search.climb(evaluations, true, seats, form, &mut rng)
            });
            SearchResult {
                weights: Weights { small: small.weights.small, big: big.weights.big },
                losses: [small.losses[0], big.losses[1]],
            }
        }
        _ => search.climb(evaluations, form == Form::Pair, [true; 2], form, &mut rng),
    }
}

struct Search<'a> {
    payoffs: &'a Payoffs,
    value: f64,
    card: Vec<Direction>,
}

/// A direction with the best constants, and its losses.
#[derive(Clone, Copy)]
struct Point {
    direction: Direction,
    constants: [f64; 2],
    losses: [f64; 2],
}

impl Search<'_> {
    /// The best of several climbs; `seats` says whose losses count.
    fn climb(
        &self,
        evaluations: u32,
        pairs: bool,
        seats: [bool; 2],
        form: Form,
        rng: &mut Pcg64Mcg,
    ) -> SearchResult {
        let loss = |point: &Point| -> f64 {
            point
                .losses
                .iter()
                .zip(seats)
                .map(|(loss, counts)| loss * f64::from(u8::from(counts)))
                .sum()
        };
        let mut best: Option<Point> = None;
        let mut left = evaluations.max(1);
        while left > 0 {
            // The first climb starts from the published weights, others around them.
            let spread = if best.is_none() { 0.0 } else { rng.random_range(0.2..2.0) };
            let start: Direction =
                std::array::from_fn(|at| PUBLISHED[CARDS[at]] / 6.0 + spread * normal(rng));
            let mut here = self.evaluate(normalised(start, pairs), form, seats);
            let mut length = 0.3;
            for _ in 0..left.min(CLIMB) {
                left -= 1;
                let step = here.direction.map(|weight| weight + length * normal(rng));
                let there = self.evaluate(normalised(step, pairs), form, seats);
                if loss(&there) < loss(&here) {
                    (here, length) = (there, (length * 1.5).min(1.0));
                } else {
                    length = (length * 0.95).max(1e-4);
                }
            }
            if best.is_none_or(|best| loss(&here) < loss(&best)) {
                best = Some(here);
            }
        }
        let Point { direction, constants, losses } = best.expect("there was a start");
        let mut theta: Theta = [0.0; FEATURES.len()];
        CARDS.into_iter().zip(direction).for_each(|(at, weight)| theta[at] = weight);
        CONSTANTS.into_iter().zip(constants).for_each(|(at, weight)| theta[at] = weight);
        SearchResult { weights: Weights::shared(theta), losses }
    }

    /// Evaluates a direction with its best constants.
    fn evaluate(&self, direction: Direction, form: Form, seats: [bool; 2]) -> Point {
        let score = |hand: usize| -> f64 {
            direction.iter().zip(self.card[hand]).map(|(weight, card)| weight * card).sum()
        };
        let mut hands: Vec<(f64, usize)> =
            (0..self.card.len()).map(|hand| (score(hand), hand)).collect();
        hands.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let order: Vec<usize> = hands.iter().map(|&(_, hand)| hand).collect();
        // A constant cannot separate hands with the same score.
        let cut = |played: usize| -> Option<f64> {
            let low = hands[played - 1].0;
            let high = hands.get(played).map_or(low - 0.1, |&(score, _)| score);
            (low - high > 1e-9).then_some(-0.5 * (low + high))
        };
        let mut point = Point { direction, constants: [0.0; 2], losses: [f64::INFINITY; 2] };
        if seats[0] {
            self.payoffs.at_least_by_prefix(&order, |played, value| {
                let lost = self.value - value;
                if let Some(constant) = cut(played).filter(|_| lost < point.losses[0]) {
                    point.losses[0] = lost;
                    point.constants[0] = constant;
                }
            });
        }
        let free = form != Form::Published;
        if seats[1] && free {
            self.payoffs.at_most_by_prefix(&order, |played, value| {
                let lost = value - self.value;
                if let Some(constant) = cut(played).filter(|_| lost < point.losses[1]) {
                    point.losses[1] = lost;
                    point.constants[1] = constant;
                }
            });
        }
        if seats[1] && !free {
            let mut call = [0.0; StartingHand::COUNT];
            hands.iter().filter(|(score, _)| *score > 0.0).for_each(|&(_, hand)| call[hand] = 1.0);
            point.losses[1] = self.payoffs.at_most(&call) - self.value;
        }
        for (loss, counts) in point.losses.iter_mut().zip(seats) {
            if !counts {
                *loss = 0.0;
            }
        }
        point
    }
}

/// The direction scaled to length 1.
fn normalised(mut direction: Direction, pairs: bool) -> Direction {
    if !pairs {
        direction[4] = 0.0;
    }
    let length = direction.iter().map(|weight| weight * weight).sum::<f64>().sqrt().max(1e-9);
    direction.map(|weight| weight / length)
}

/// An approximately normal number, mean 0 and deviation 1: the sum of twelve uniform ones.
fn normal(rng: &mut Pcg64Mcg) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}
