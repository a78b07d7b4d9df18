//! A direct search for the weights of a linear rule with the smallest loss to best responses.
//!
//! The loss of a pair of ranges is a sum over the two blinds. For given weights of the cards, the
//! best constant of a blind is found exactly, by trying all 169 cut points. So only the direction
//! of the card weights is searched: by random steps whose length shrinks where they do not help,
//! from several starts. The result is an upper bound of the smallest possible loss.

use cards::StartingHand;
use models::linear::{Blind, FEATURES, PUBLISHED, Theta, Weights, features};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::shove_fold::{Payoffs, equilibrium};

use super::Form;

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
        let worth = |point: &Point| -> f64 {
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
                match worth(&there) < worth(&here) {
                    true => (here, length) = (there, (length * 1.5).min(1.0)),
                    false => length = (length * 0.95).max(1e-4),
                }
            }
            if best.is_none_or(|best| worth(&here) < worth(&best)) {
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
