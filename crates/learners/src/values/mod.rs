//! Counterfactual value networks: their training samples from situations, and the errors of their
//! values.
//!
//! - [`samples`]: situations as rows of a network that sees both ranges at once ([`Encoding`]): the
//!   networks of DeepStack and of Hopner and Loza Mencía.
//! - [`by_hand`]: a small network that sees one hand at a time.
//! - [`end_of_flop`]: the same before the turn card is known.
//! - [`training`]: the situations of a file as a lesson, and the errors of what was learned.
//! - [`curve`]: losses by the number of situations, and where they cross.
//! - [`ValueModel`]: a model of the values of all hands of a situation; [`Errors`]: its errors.

pub mod by_hand;
pub mod curve;
pub mod end_of_flop;
pub mod training;

use std::ops::Range;

use cards::{Combo, SuitPermutation};
use models::network::Network;
use models::values::Encoding;

use crate::Error;
use crate::data::situations::{Database, Solved};
use crate::mlp::{Samples, huber};

pub use by_hand::ByHand;
pub use end_of_flop::EndOfFlop;

/// A model of the values of all hands of a situation.
pub trait ValueModel: Sync {
    /// The values of both players' hands by combo index, as in
    /// [`Values`](solvers::situation::Values); those of hands that share a card with the board do
    /// not matter. The situation's own values are not used.
    fn values(&self, situation: &Solved<'_>) -> [Vec<f32>; 2];
}

/// The model in which all values are zero.
pub struct Zero;

impl ValueModel for Zero {
    fn values(&self, _: &Solved<'_>) -> [Vec<f32>; 2] {
        [0, 1].map(|_| vec![0.0; Combo::COUNT])
    }
}

/// The model in which nobody bets any more: each hand has its equity in the pot.
pub struct CheckDown;

impl ValueModel for CheckDown {
    fn values(&self, situation: &Solved<'_>) -> [Vec<f32>; 2] {
        models::values::by_hand::HandEquities::new(&situation.seen()).check_down
    }
}

/// A value model from a network that sees both ranges at once.
pub struct Encoded<'a> {
    /// The encoding of situations as its rows.
    pub encoding: &'a Encoding,
    /// The network, trained on rows of that encoding.
    pub network: &'a Network,
}

impl Encoded<'_> {
    /// The network's answers: the values of both players' buckets, one after the other.
    fn answers(&self, situation: &Solved<'_>) -> Vec<f32> {
        let row = row(self.encoding, situation);
        let mut answers = vec![0.0; 2 * self.encoding.buckets()];
        self.network.answer(&row, &mut answers);
        answers
    }

    /// The errors of its answers against the mean values of the hands of each non-empty bucket:
    /// those on what the paper calls the abstracted set.
    pub fn errors_of_buckets(&self, database: &Database, situations: Range<usize>) -> Errors {
        let each = |index: usize| {
            let situation = database.game(index);
            let buckets = on_board(self.encoding, &situation);
            let counts = buckets.counts();
            let answers = self.answers(&situation);
            let mut errors = Errors::default();
            for player in 0..2 {
                let shares = buckets.sums(situation.ranges[player]);
                let means = buckets.means(situation.values[player]);
                let answers = &answers[player * self.encoding.buckets()..];
                errors.add_player(&shares, &means, answers, |at| counts[at] > 0);
            }
            errors
        };
        Errors::mean(&parallel::map(situations, each))
    }
}

impl ValueModel for Encoded<'_> {
    fn values(&self, situation: &Solved<'_>) -> [Vec<f32>; 2] {
        let buckets = on_board(self.encoding, situation);
        let answers = self.answers(situation);
        let (first, second) = answers.split_at(self.encoding.buckets());
        [first, second].map(|of_buckets| buckets.values(of_buckets))
    }
}

fn on_board(encoding: &Encoding, situation: &Solved<'_>) -> models::values::HandBuckets {
    encoding.on_board(situation.board).expect("boards of situations have four or five cards")
}

/// The row of a situation.
fn row(encoding: &Encoding, situation: &Solved<'_>) -> Vec<f32> {
    let buckets = on_board(encoding, situation);
    let mut row = Vec::with_capacity(encoding.columns());
    encoding.row(&buckets, &situation.seen(), &mut row);
    row
}

/// Training samples from some situations, with the values of the buckets as targets; each situation
/// occurs with `renamings` permutations of the suits, 1 to 24, of which the first is the
/// identity.
///
/// # Errors
/// When there are no samples.
pub fn samples(
    encoding: &Encoding,
    database: &Database,
    situations: Range<usize>,
    renamings: usize,
) -> Result<Samples, Error> {
    let each = |index: usize| {
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        for suits in SuitPermutation::all().take(renamings.max(1)) {
            let situation = self::by_hand::SuitPermuted::new(&database.game(index), suits);
            let situation = situation.solved();
            let buckets = on_board(encoding, &situation);
            rows.extend(row(encoding, &situation));
            situation.values.iter().for_each(|values| targets.extend(buckets.means(values)));
        }
        (rows, targets)
    };
    joined(situations, encoding.columns(), 2 * encoding.buckets(), each)
}

/// Training samples of `columns` inputs and `outputs` targets: the rows and targets of each
/// situation, in order.
fn joined(
    situations: Range<usize>,
    columns: usize,
    outputs: usize,
    each: impl Fn(usize) -> (Vec<f32>, Vec<f32>) + Send + Sync,
) -> Result<Samples, Error> {
    let parts = parallel::map(situations, each);
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for (of_rows, of_targets) in parts {
        rows.extend(of_rows);
        targets.extend(of_targets);
    }
    let weights = vec![1.0; rows.len() / columns];
    Samples::new(columns, outputs, rows, targets, weights)
}

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
    fn add_player(
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
            let huber = f64::from(huber(away, 1.0).0);
            let square = f64::from(away).powi(2);
            let own = 0.5 * f64::from(shares[at]);
            self.huber += even * huber;
            self.squares += even * square;
            self.weighted_huber += own * huber;
            self.weighted_squares += own * square;
        }
    }

    /// The errors of the values `others` for a situation's hands.
    fn between(situation: &Solved<'_>, others: [&[f32]; 2]) -> Errors {
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
    fn mean(all: &[Errors]) -> Errors {
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
        let situation = database.game(index);
        let values = model.values(&situation);
        Errors::between(&situation, [&values[0], &values[1]])
    };
    Errors::mean(&parallel::map(situations, each))
}

/// The error of encoding values by buckets before anything is learned: the hands of a bucket share
/// the mean of their values, situation by situation (Hopner and Loza Mencía, 2018, section 3.1).
pub fn encoding_error(encoding: &Encoding, database: &Database) -> Errors {
    let each = |index: usize| {
        let situation = database.game(index);
        let buckets = on_board(encoding, &situation);
        let [first, second] = situation.values.map(|values| buckets.values(&buckets.means(values)));
        Errors::between(&situation, [&first, &second])
    };
    Errors::mean(&parallel::map(0..database.games(), each))
}

/// The errors between two solutions of the same situations, such as databases solved with different
/// numbers of iterations, for each situation that both have, from the first on. `None` if a
/// situation differs.
pub fn between_solutions(one: &Database, other: &Database) -> Option<Vec<Errors>> {
    let both = 0..one.games().min(other.games());
    let each = |index: usize| {
        let (one, other) = (one.game(index), other.game(index));
        let same = one.board == other.board && one.pot == other.pot && one.ranges == other.ranges;
        same.then(|| Errors::between(&one, other.values))
    };
    parallel::map(both, each).into_iter().collect()
}
