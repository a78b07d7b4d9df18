//! Training options of a blueprint.

use std::fmt;
use std::str::FromStr;

use super::{BLOCK, TrainerError};

/// The number format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Single precision: 8 bytes for each action.
    #[default]
    Single,
    /// 16-bit floating point with stochastic rounding: 4 bytes for each action. Twice the game in
    /// the same memory, with more noise.
    Half,
}

impl Precision {
    /// Bytes for each action of each information set.
    pub const fn bytes(self) -> u64 {
        match self {
            Precision::Single => 8,
            Precision::Half => 4,
        }
    }
}

/// The weighting of iterations.
///
/// Iterations are grouped into periods of equal length, numbered `t` from 1. Texts: `plain`,
/// `linear`, `weighted(A,G)` and `discounted(A,B,G)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Averaging {
    /// Iterations of period `t` have weight tᵃ in the regrets and tᵍ in the average: equivalent to
    /// repeatedly discounting all older iterations, without a pass over the tables. `plain` is (0,
    /// 0), `linear` (1, 1), which is linear CFR.
    Weighted {
        /// The exponent of regrets, 0 to 4.
        regrets: f64,
        /// The exponent of the average strategy, 0 to 4.
        average: f64,
    },
    /// Discounted CFR (Brown and Sandholm, "Solving imperfect-information games via discounted
    /// regret minimization", AAAI 2019, section 4): at the end of period `t` positive regrets are
    /// multiplied by tᵃ / (tᵃ + 1), negative ones by tᵇ / (tᵇ + 1), in a pass over the tables;
    /// iterations have weight tᵍ in the average.
    Discounted {
        /// The exponent of positive regrets, 0 to 4.
        positive: f64,
        /// The exponent of negative regrets, −4 to 4.
        negative: f64,
        /// The exponent of the average strategy, 0 to 4.
        average: f64,
    },
}

impl Averaging {
    /// Uniform weights.
    pub const PLAIN: Averaging = Averaging::Weighted { regrets: 0.0, average: 0.0 };
    /// Linear CFR: iterations are weighted by their period.
    pub const LINEAR: Averaging = Averaging::Weighted { regrets: 1.0, average: 1.0 };

    /// The weights of a period's iterations in the regrets and in the average.
    pub(super) fn weights(self, period: f64) -> (f64, f64) {
        match self {
            Averaging::Weighted { regrets, average } => {
                (period.powf(regrets), period.powf(average))
            }
            Averaging::Discounted { average, .. } => (1.0, period.powf(average)),
        }
    }

    /// The factors of positive and negative regrets at the end of a period.
    pub(super) fn factors(self, period: f64) -> Option<(f32, f32)> {
        let factor = |exponent: f64| (period.powf(exponent) / (period.powf(exponent) + 1.0)) as f32;
        match self {
            Averaging::Weighted { .. } => None,
            Averaging::Discounted { positive, negative, .. } => {
                Some((factor(positive), factor(negative)))
            }
        }
    }

    /// Whether the exponents are in their ranges.
    fn is_allowed(self) -> bool {
        let usual = |exponent: f64| (0.0..=4.0).contains(&exponent);
        match self {
            Averaging::Weighted { regrets, average } => usual(regrets) && usual(average),
            Averaging::Discounted { positive, negative, average } => {
                usual(positive) && (-4.0..=4.0).contains(&negative) && usual(average)
            }
        }
    }
}

impl fmt::Display for Averaging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Averaging::PLAIN => f.write_str("plain"),
            Averaging::LINEAR => f.write_str("linear"),
            Averaging::Weighted { regrets, average } => write!(f, "weighted({regrets},{average})"),
            Averaging::Discounted { positive, negative, average } => {
                write!(f, "discounted({positive},{negative},{average})")
            }
        }
    }
}

/// Error for text that is not an averaging scheme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an averaging: write plain, linear, weighted(A,G) or discounted(A,B,G) with \
     exponents from 0 to 4, B from -4"
)]
pub struct ParseAveragingError(pub String);

impl FromStr for Averaging {
    type Err = ParseAveragingError;

    fn from_str(text: &str) -> Result<Averaging, ParseAveragingError> {
        let refuse = || ParseAveragingError(text.chars().take(40).collect());
        let inside = |name: &str| {
            let rest = text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
            rest.split(',').map(|number| number.trim().parse().ok()).collect::<Option<Vec<f64>>>()
        };
        let read = match text {
            "plain" => Some(Averaging::PLAIN),
            "linear" => Some(Averaging::LINEAR),
            _ => match (inside("weighted").as_deref(), inside("discounted").as_deref()) {
                (Some(&[regrets, average]), _) => Some(Averaging::Weighted { regrets, average }),
                (_, Some(&[positive, negative, average])) => {
                    Some(Averaging::Discounted { positive, negative, average })
                }
                _ => None,
            },
        };
        read.filter(|averaging| averaging.is_allowed()).ok_or_else(refuse)
    }
}

/// Pruning of actions with very negative regret.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skipping {
    /// Threshold in big blinds times the weight of an iteration: an action with a regret below its
    /// negative is skipped, except in one traversal of twenty. Regrets are bounded a tenth below
    /// that.
    pub below: f64,
    /// Number of initial iterations in which nothing is skipped.
    pub after: u64,
}

impl Default for Skipping {
    /// Below 20,000 big blinds, after a million iterations.
    fn default() -> Skipping {
        Skipping { below: 20_000.0, after: 1_000_000 }
    }
}

/// Options of blueprint training: precision, schedule, pruning and memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingOptions {
    /// The number format.
    pub precision: Precision,
    /// The weighting of iterations.
    pub averaging: Averaging,
    /// Number of iterations with equal weight, at least a [`BLOCK`], within which weights and
    /// discounts do not change.
    pub period: u64,
    /// The pruning, if any.
    pub skipping: Option<Skipping>,
    /// Seed of the deals and draws.
    pub seed: u64,
    /// Maximum size of the tables in bytes.
    pub memory: u64,
}

impl Default for TrainingOptions {
    /// Single precision, linear weights in periods of 100,000 iterations, with pruning, 8 GiB.
    fn default() -> TrainingOptions {
        TrainingOptions {
            precision: Precision::Single,
            averaging: Averaging::LINEAR,
            period: 100_000,
            skipping: Some(Skipping::default()),
            seed: 1,
            memory: 8 << 30,
        }
    }
}

impl fmt::Display for TrainingOptions {
    /// The options that a resumed training must share: all but the memory.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = match self.precision {
            Precision::Single => "single",
            Precision::Half => "half",
        };
        let TrainingOptions { averaging, period, seed, .. } = self;
        write!(f, "{precision} precision, {averaging} weights, period {period}, ")?;
        match self.skipping {
            None => f.write_str("nothing skipped")?,
            Some(Skipping { below, after }) => write!(f, "skipping below {below} after {after}")?,
        }
        write!(f, ", seed {seed}")
    }
}

impl TrainingOptions {
    /// The period of an iteration, from 1.
    pub(super) fn period(&self, iteration: u64) -> u64 {
        iteration / self.period + 1
    }

    /// Checks that the options are in their ranges.
    pub(super) fn check(&self) -> Result<(), TrainerError> {
        let refuse =
            |what, found: String, wanted| Err(TrainerError::Option { what, found, wanted });
        if self.period < BLOCK {
            return refuse("the period", self.period.to_string(), "at least 1024 iterations");
        }
        if !self.averaging.is_allowed() {
            return refuse("the averaging", self.averaging.to_string(), "of exponents from 0 to 4");
        }
        match self.skipping {
            Some(Skipping { below, .. }) if !(below.is_finite() && below > 0.0) => refuse(
                "the regret below which actions are skipped",
                below.to_string(),
                "more than 0",
            ),
            _ => Ok(()),
        }
    }
}
