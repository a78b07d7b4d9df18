//! Monte Carlo learning of linear action values by self-play, as published.
//!
//! In each hand both players take the action with the larger value or, with a probability that
//! falls to zero, the other one. Then the weights move by `alpha` times the error of the estimated
//! value of the action taken, times its features. Rewards are whole stacks at the end of a hand.

use std::sync::OnceLock;

use cards::{CardSet, Combo, StartingHand, Ties, all_in};
use models::linear::{Blind, FEATURES, Theta, Weights, features};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Form;

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

/// The error that the weights are no longer finite.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the weights stopped being numbers at hand {hand} of a stack of {stack} big blinds: give a \
     smaller --alpha than {alpha}"
)]
pub struct Diverged {
    /// The first such hand, from 1.
    pub hand: u64,
    /// The stack in big blinds.
    pub stack: f64,
    /// The learning rate.
    pub alpha: f64,
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
pub fn learn(lesson: &LearningOptions, seed: u64) -> Result<Weights, Diverged> {
    let mut learner = Learner::new(lesson, seed);
    for hand in 0..lesson.hands {
        let exploration = (lesson.hands - hand) as f64 / lesson.hands as f64;
        learner.hand(exploration);
        // Not after every hand: a weight that is not finite stays so.
        let check = hand % CHECK_INTERVAL == CHECK_INTERVAL - 1 || hand + 1 == lesson.hands;
        if check && !learner.is_finite() {
            return Err(learner.first_bad_hand(
                lesson,
                seed,
                hand / CHECK_INTERVAL * CHECK_INTERVAL,
            ));
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
    fn first_bad_hand(&self, lesson: &LearningOptions, seed: u64, from: u64) -> Diverged {
        let mut again = Learner::new(lesson, seed);
        let mut played = 0;
        while played < lesson.hands && (played < from || again.is_finite()) {
            again.hand((lesson.hands - played) as f64 / lesson.hands as f64);
            played += 1;
        }
        Diverged { hand: played, stack: lesson.stack, alpha: lesson.alpha }
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
                let share = match self.with(Quirk::CoinFlips) {
                    true => f64::from(u8::from(self.rng.random::<u32>() < equity)),
                    false => f64::from(equity) / 2f64.powi(32),
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
