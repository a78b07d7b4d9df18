//! Linear rules for shove or fold, found in two ways.
//!
//! - [`learn`]: Monte Carlo learning of linear action values by self-play, as published; each
//!   peculiarity of the published algorithm is a [`Quirk`] that can be left out.
//! - [`search()`]: a direct search for the weights with the smallest loss to best responses.
//!
//! A [`TrainingPlan`] does either for several stacks, and writes the file of rules.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, fs};

use cards::{CardSet, Combo, StartingHand, Ties, all_in};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use runs::write_whole;
use serde::Serialize;
use show::Table;
use show::number::percent;

use super::{FEATURES, LinearModel, PUBLISHED, PUBLISHED_FEATURES, Theta, Weights, features};
use crate::Error;
use crate::shove_fold::{Blind, Equilibrium, Payoffs, equilibrium, share};

/// The set of a rule's weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One weight for each of the seven published features, shared by both blinds.
    Published,
    /// The published features without the last, which is of all-ins of the small blind: what either
    /// blind plays depends on the cards alone.
    NoCross,
    /// The published features, the last one for either blind that plays.
    AllIn,
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
            Form::NoCross => CONSTANTS[0],
            Form::Published | Form::AllIn => PUBLISHED_FEATURES,
            Form::Call => PUBLISHED_FEATURES + 1,
            Form::Pair | Form::Own => FEATURES.len(),
        }
    }

    /// The constants of an all-in and of a call that a search may choose.
    fn constants(self) -> Constants {
        match self {
            Form::NoCross => Constants::None,
            Form::Published => Constants::AllIn,
            Form::AllIn => Constants::Shared,
            Form::Call | Form::Pair | Form::Own => Constants::Each,
        }
    }
}

/// Which constants a form of weights has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Constants {
    None,
    /// For the small blind's all-ins.
    AllIn,
    /// One for both blinds.
    Shared,
    /// One for each blind.
    Each,
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
    let [mut small, mut big] = [0, learner.own].map(|at| learner.theta[at]);
    if lesson.form == Form::AllIn {
        // The last weight is also that of calls.
        let [jam, call] = CONSTANTS;
        (small[call], big[call]) = (small[jam], big[jam]);
    }
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
            if lesson.form == Form::AllIn {
                all[CONSTANTS[0]] = f64::from(u8::from(plays));
            }
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

    fn has(&self, quirk: Quirk) -> bool {
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
        let half = self.has(Quirk::HalfExploration);
        let reverse = if half { 0.5 * exploration } else { exploration };
        let one = self.act(small.kind, 0, reverse);
        let mut other = self.act(big.kind, 1, reverse);
        let rewards = match (one.plays, other.plays) {
            (false, _) => [self.stack - 0.5, self.stack + 0.5],
            (true, false) => [self.stack + 1.0, self.stack - 1.0],
            (true, true) => {
                let equity = self.equities[small.combo.index() * Combo::COUNT + big.combo.index()];
                let share = if self.has(Quirk::CoinFlips) {
                    f64::from(u8::from(self.rng.random::<u32>() < equity))
                } else {
                    f64::from(equity) / 2f64.powi(32)
                };
                [2.0 * self.stack * share, 2.0 * self.stack * (1.0 - share)]
            }
        };
        let any = self.has(Quirk::ExploringOpponents);
        if any || !other.explored || !one.plays {
            self.update(small.kind, 0, &one, rewards[0]);
        }
        if (one.plays || self.has(Quirk::UpdateAfterFold)) && (any || !one.explored) {
            if !self.has(Quirk::StaleEstimate) {
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
        let constants = form.constants();
        // What each blind loses if it plays the best hand, the best two, and so on.
        let mut lost: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        let free = match constants {
            Constants::None => [false; 2],
            Constants::AllIn => [true, false],
            Constants::Shared | Constants::Each => [true; 2],
        };
        if seats[0] && free[0] {
            let visit = |_, value| lost[0].push(self.value - value);
            self.payoffs.at_least_by_prefix(&order, visit);
        }
        if seats[1] && free[1] {
            self.payoffs.at_most_by_prefix(&order, |_, value| lost[1].push(value - self.value));
        }
        if constants == Constants::Shared && seats == [true; 2] {
            for (at, (small, big)) in lost[0].iter().zip(&lost[1]).enumerate() {
                let better = small + big < point.losses.iter().sum();
                if let Some(constant) = cut(at + 1).filter(|_| better) {
                    (point.losses, point.constants) = ([*small, *big], [constant; 2]);
                }
            }
            return point;
        }
        for (blind, lost) in lost.iter().enumerate() {
            for (at, &lost) in lost.iter().enumerate() {
                if let Some(constant) = cut(at + 1).filter(|_| lost < point.losses[blind]) {
                    point.losses[blind] = lost;
                    point.constants[blind] = constant;
                }
            }
        }
        let mut positive = [0.0; StartingHand::COUNT];
        hands.iter().filter(|(score, _)| *score > 0.0).for_each(|&(_, hand)| positive[hand] = 1.0);
        if seats[0] && !free[0] {
            point.losses[0] = self.value - self.payoffs.at_least(&positive);
        }
        if seats[1] && !free[1] {
            point.losses[1] = self.payoffs.at_most(&positive) - self.value;
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

// Training of the rules of several stacks, with several runs each, which are kept while it lasts.

/// How the weights of a rule are found.
#[derive(Debug, Clone, PartialEq)]
pub enum Training {
    /// [`learn`], in several runs whose mean counts.
    Q {
        /// The number of hands of a run.
        hands: u64,
        /// The learning rate.
        alpha: f64,
        /// The quirks to leave out.
        without: Vec<Quirk>,
        /// The number of runs.
        runs: u32,
    },
    /// [`search()`].
    Search {
        /// The number of directions to try.
        evaluations: u32,
    },
}

/// The rules to train.
#[derive(Debug)]
pub struct TrainingPlan {
    /// The stacks, in big blinds.
    pub stacks: Vec<f64>,
    /// The method.
    pub method: Training,
    /// The weights of the rules.
    pub form: Form,
    /// The seed of the first run; the next run has the next.
    pub seed: u64,
}

/// The result of a training.
#[derive(Debug)]
pub enum Trained<'a> {
    /// The rules, which are written.
    Whole(TrainedRules<'a>),
    /// It was stopped after as many runs.
    Stopped(usize),
}

impl TrainingPlan {
    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.stacks.len() as u64 * self.runs_of_stack()
    }

    fn runs_of_stack(&self) -> u64 {
        match self.method {
            Training::Q { runs, .. } => runs.into(),
            Training::Search { .. } => 1,
        }
    }

    /// Trains the rules and writes them to a file. Finished runs are kept in a folder beside it
    /// until all are done. `seen` is called with the number of runs done.
    ///
    /// # Errors
    /// When a run fails, or a file cannot be read or written.
    pub fn train<'a>(
        &self,
        out: &'a Path,
        made_by: &str,
        is_stopped: &(dyn Fn() -> bool + Sync),
        seen: &(dyn Fn(u64) + Sync),
    ) -> Result<Trained<'a>, Error> {
        let solved = self.stacks.iter().map(|&stack| {
            let payoffs = Payoffs::new(stack, 0.0)?;
            let found = equilibrium(&payoffs);
            Ok((payoffs, found))
        });
        let solved = solved.collect::<Result<Vec<_>, Error>>()?;
        let runs =
            FinishedRuns { folder: runs::beside(out, ".training"), method: self.method(), made_by };
        let done = AtomicU64::new(0);
        let one = |&(stack, seed): &(usize, u64)| {
            let weights = match runs.read(self.stacks[stack], seed)? {
                Some(weights) => weights,
                None if is_stopped() => return Ok(None),
                None => {
                    let weights = self.weights(self.stacks[stack], &solved[stack].0, seed)?;
                    runs.keep(self.stacks[stack], seed, weights)?;
                    weights
                }
            };
            seen(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(Some((stack, TrainedRule::new(seed, weights, &solved[stack]))))
        };
        let jobs: Vec<(usize, u64)> = (0..self.stacks.len())
            .flat_map(|stack| {
                (0..self.runs_of_stack()).map(move |run| (stack, self.seed.wrapping_add(run)))
            })
            .collect();
        let made = parallel::map(&jobs, one).into_iter();
        let made = made.collect::<Result<Vec<_>, Error>>()?;
        let made: Vec<(usize, TrainedRule)> = made.into_iter().flatten().collect();
        if made.len() < jobs.len() {
            return Ok(Trained::Stopped(made.len()));
        }
        let mut by_stack: Vec<Vec<TrainedRule>> = self.stacks.iter().map(|_| Vec::new()).collect();
        made.into_iter().for_each(|(stack, made)| by_stack[stack].push(made));
        let stacks = by_stack.into_iter().zip(solved.iter().zip(&self.stacks));
        let stacks: Vec<Stack> = stacks
            .map(|(runs, (solved, &stack))| {
                let weights = Weights {
                    small: mean(runs.iter().map(|run| &run.weights)),
                    big: mean(runs.iter().map(|run| &run.big_blind_weights)),
                };
                Stack { stack, runs, mean: TrainedRule::new(self.seed, weights, solved) }
            })
            .collect();
        let means = stacks.iter().map(|stack| (stack.stack, stack.mean.both())).collect();
        runs.write(out, means)?;
        fs::remove_dir_all(&runs.folder).map_err(|error| Error::file(&runs.folder, error))?;
        Ok(Trained::Whole(TrainedRules { out, features: FEATURES, method: runs.method, stacks }))
    }

    /// Trains the weights of one run.
    fn weights(&self, stack: f64, payoffs: &Payoffs, seed: u64) -> Result<Weights, Error> {
        match &self.method {
            Training::Search { evaluations } => {
                Ok(search(payoffs, self.form, *evaluations, seed).weights)
            }
            Training::Q { hands, alpha, without, .. } => {
                let (hands, alpha, without) = (*hands, *alpha, without.clone());
                let options = LearningOptions { stack, hands, alpha, form: self.form, without };
                Ok(learn(&options, seed)?)
            }
        }
    }

    /// The method in words.
    fn method(&self) -> String {
        let weights = match self.form {
            Form::Published => "the published weights",
            Form::NoCross => "without the weight of all-ins of the small blind",
            Form::AllIn => "with a weight of all-ins and calls for that of all-ins",
            Form::Call => "with a constant for calls",
            Form::Pair => "with weights for calls and pairs",
            Form::Own => "with weights for each blind",
        };
        match &self.method {
            Training::Search { evaluations } => {
                format!("search of {evaluations} directions, seed {}, {weights}", self.seed)
            }
            Training::Q { hands, alpha, without, runs } => format!(
                "linear Q, {hands} hands, alpha {alpha}, mean of {runs} seeds from {} on, \
                 {weights}{}",
                self.seed,
                without.iter().map(|quirk| format!(", without {quirk:?}")).collect::<String>()
            ),
        }
    }
}

/// A rule at a stack, with what it loses to best responses and the shares of hands that it plays.
#[derive(Debug, Serialize)]
struct TrainedRule {
    seed: u64,
    weights: Theta,
    big_blind_weights: Theta,
    small_blind_loses_mbb: f64,
    big_blind_loses_mbb: f64,
    jam_share: f64,
    call_share: f64,
}

/// All runs of a stack.
#[derive(Debug, Serialize)]
struct Stack {
    stack: f64,
    runs: Vec<TrainedRule>,
    /// The rule with the mean weights of all runs.
    mean: TrainedRule,
}

impl TrainedRule {
    fn new(seed: u64, weights: Weights, (payoffs, found): &(Payoffs, Equilibrium)) -> TrainedRule {
        let ranges = weights.ranges();
        let [small, big] = found.losses(payoffs, &ranges).map(|loss| 1000.0 * loss);
        TrainedRule {
            seed,
            weights: weights.small,
            big_blind_weights: weights.big,
            small_blind_loses_mbb: small,
            big_blind_loses_mbb: big,
            jam_share: share(&ranges.jam),
            call_share: share(&ranges.call),
        }
    }

    /// The weights of both blinds.
    fn both(&self) -> Weights {
        Weights { small: self.weights, big: self.big_blind_weights }
    }

    /// The mean loss of both blinds.
    fn loss(&self) -> f64 {
        0.5 * (self.small_blind_loses_mbb + self.big_blind_loses_mbb)
    }
}

fn mean<'a>(runs: impl ExactSizeIterator<Item = &'a Theta>) -> Theta {
    let count = runs.len() as f64;
    let mut mean = [0.0; FEATURES.len()];
    for theta in runs {
        mean.iter_mut().zip(theta).for_each(|(mean, weight)| *mean += weight / count);
    }
    mean
}

/// The rules that were found.
#[derive(Debug, Serialize)]
pub struct TrainedRules<'a> {
    #[serde(skip)]
    out: &'a Path,
    features: [&'static str; FEATURES.len()],
    method: String,
    stacks: Vec<Stack>,
}

impl fmt::Display for TrainedRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}", table(&self.stacks), self.out.display())
    }
}

/// A table of what the rules lose: over several runs, mean and standard deviation.
fn table(stacks: &[Stack]) -> Table {
    let head =
        ["stack", "small blind loses", "big blind", "mean, mbb", "all-in", "call", "of the mean"];
    let mut table = Table::new(head).right(0..);
    for Stack { stack, runs, mean } in stacks {
        let over = |of: &dyn Fn(&TrainedRule) -> f64, decimals: usize| {
            let values: Vec<f64> = runs.iter().map(of).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            let text = format!("{mean:.decimals$}");
            match values.len() {
                1 => text,
                count => {
                    let deviation = (squares / (count - 1) as f64).sqrt();
                    format!("{text} (sd {deviation:.decimals$})")
                }
            }
        };
        table.row([
            stack.to_string(),
            over(&|rule| rule.small_blind_loses_mbb, 1),
            over(&|rule| rule.big_blind_loses_mbb, 1),
            over(&TrainedRule::loss, 1),
            percent(mean.jam_share, 1),
            percent(mean.call_share, 1),
            format!("{:.1}", mean.loss()),
        ]);
    }
    table
}

/// A folder with a file of weights for each stack and seed.
struct FinishedRuns<'a> {
    folder: PathBuf,
    /// The method of all runs, in words.
    method: String,
    made_by: &'a str,
}

impl FinishedRuns<'_> {
    fn path(&self, stack: f64, seed: u64) -> PathBuf {
        self.folder.join(format!("{stack}-{seed}.toml"))
    }

    /// The saved weights of a run; `None` if it is not done. An error if they are of another
    /// method.
    fn read(&self, stack: f64, seed: u64) -> Result<Option<Weights>, Error> {
        let path = self.path(stack, seed);
        let wrong = |why: String| Error::file(&path, format!("{why}; remove it to start again"));
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| wrong(error.to_string()))?,
        };
        let model: LinearModel = text.parse().map_err(|error: Error| wrong(error.to_string()))?;
        if model.method != self.method {
            let found = &model.method;
            return Err(wrong(format!("it is of `{found}`, and this is `{}`", self.method)));
        }
        Ok(Some(model.at_stack(stack)))
    }

    /// Saves the weights of a run.
    fn keep(&self, stack: f64, seed: u64, weights: Weights) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|error| Error::file(&self.folder, error))?;
        self.write(&self.path(stack, seed), vec![(stack, weights)])
    }

    /// Writes a file of weights by stack.
    fn write(&self, path: &Path, stacks: Vec<(f64, Weights)>) -> Result<(), Error> {
        let model = LinearModel::new(self.made_by.to_owned(), self.method.clone(), stacks)?;
        write_whole(path, |out| write!(out, "{model}")).map_err(|error| Error::file(path, error))
    }
}
