//! The errors of values against those of the solutions.

use std::ops::Range;

use cards::Combo;
use models::values::Encoding;

use super::{ValueModel, on_board};
use crate::mlp::Huber;
use crate::situations::{Database, Solved};

/// Errors of values, as means over situations and both players.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Errors {
    /// The mean Huber loss (δ = 1) over all hands that the board allows.
    pub huber: f64,
    /// The mean squared error over the same hands.
    #[serde(rename = "mean_square")]
    pub squares: f64,
    /// The Huber loss weighted by each hand's probability in its player's range.
    pub weighted_huber: f64,
    /// The squared error, weighted likewise.
    #[serde(rename = "weighted_mean_square")]
    pub weighted_squares: f64,
}

impl Errors {
    /// Adds one player's half of a situation, over the hands or buckets for which `holds` is true.
    pub(super) fn add_player(
        &mut self,
        shares: &[f32],
        values: &[f32],
        others: &[f32],
        holds: impl Fn(usize) -> bool,
    ) {
        let held: Vec<usize> = (0..values.len()).filter(|&at| holds(at)).collect();
        let even = 0.5 / held.len().max(1) as f64;
        for at in held {
            let away = others[at] - values[at];
            let huber = f64::from(Huber { delta: 1.0 }.of(away).0);
            let square = f64::from(away).powi(2);
            let own = 0.5 * f64::from(shares[at]);
            self.huber += even * huber;
            self.squares += even * square;
            self.weighted_huber += own * huber;
            self.weighted_squares += own * square;
        }
    }

    /// The errors of the values `others` for a situation's hands.
    fn of(situation: &Solved<'_>, others: [&[f32]; 2]) -> Errors {
        let mut held = vec![true; Combo::COUNT];
        for hand in Combo::all().filter(|hand| hand.set().intersects(situation.board)) {
            held[hand.index()] = false;
        }
        let mut errors = Errors::default();
        for (player, others) in others.into_iter().enumerate() {
            let (shares, values) = (situation.ranges[player], situation.values[player]);
            errors.add_player(shares, values, others, |at| held[at]);
        }
        errors
    }

    /// The mean, summed in order, so that it does not depend on the number of threads.
    pub(super) fn mean(all: &[Errors]) -> Errors {
        let count = all.len().max(1) as f64;
        let mean = |of: fn(&Errors) -> f64| all.iter().map(of).sum::<f64>() / count;
        Errors {
            huber: mean(|errors| errors.huber),
            squares: mean(|errors| errors.squares),
            weighted_huber: mean(|errors| errors.weighted_huber),
            weighted_squares: mean(|errors| errors.weighted_squares),
        }
    }
}

/// The errors of a model's values over some situations.
pub fn errors(model: &dyn ValueModel, database: &Database, situations: Range<usize>) -> Errors {
    let each = |index: usize| {
        let situation = database.situation(index);
        let values = model.values(&situation);
        Errors::of(&situation, [&values[0], &values[1]])
    };
    Errors::mean(&parallel::map(situations, each))
}

/// The error of encoding values by buckets before anything is learned: the hands of a bucket share
/// the mean of their values, situation by situation (Hopner and Loza Mencía, 2018, section 3.1).
pub fn encoding_error(encoding: &Encoding, database: &Database) -> Errors {
    let each = |index: usize| {
        let situation = database.situation(index);
        let buckets = on_board(encoding, &situation);
        let [first, second] = situation.values.map(|values| buckets.values(&buckets.means(values)));
        Errors::of(&situation, [&first, &second])
    };
    Errors::mean(&parallel::map(0..database.games(), each))
}

/// The errors between two solutions of the same situations, such as databases solved with different
/// numbers of iterations, for each situation that both have, from the first on. `None` if a
/// situation differs.
pub fn between_solutions(one: &Database, other: &Database) -> Option<Vec<Errors>> {
    let both = 0..one.games().min(other.games());
    let each = |index: usize| {
        let (one, other) = (one.situation(index), other.situation(index));
        let same = one.board == other.board && one.pot == other.pot && one.ranges == other.ranges;
        same.then(|| Errors::of(&one, other.values))
    };
    parallel::map(both, each).into_iter().collect()
}
