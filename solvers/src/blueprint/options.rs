//! How a blueprint is trained.

use std::fmt;
use std::str::FromStr;

use super::TrainerError;

/// What the numbers of every information set are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Single precision: 8 bytes for each action.
    #[default]
    Single,
    /// Floating-point numbers of 16 bits, rounded at random: 4 bytes for each action. Twice the
    /// game in the same memory, at more noise.
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

/// What an iteration weighs against those before it.
///
/// Time is cut into periods of equally many iterations, numbered `t` from 1. Texts: `plain`,
/// `linear`, `weighted(A,G)` and `discounted(A,B,G)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Averaging {
    /// Iterations of period `t` weigh tᵃ in the regrets and tᵍ in the average: what discounting all
    /// older iterations again and again comes to, without a pass over the tables. `plain` is
    /// (0, 0), `linear` (1, 1), which is linear CFR.
    Weighted {
        /// The exponent of regrets, 0 to 4.
        regrets: f64,
        /// The exponent of the average strategy, 0 to 4.
        average: f64,
    },
    /// Discounted CFR (Brown and Sandholm, "Solving imperfect-information games via discounted
    /// regret minimization", AAAI 2019, section 4): at the end of period `t` positive regrets are
    /// multiplied by tᵃ / (tᵃ + 1), negative ones by tᵇ / (tᵇ + 1), in a pass over the tables;
    /// iterations weigh tᵍ in the average.
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
    /// All iterations weigh the same.
    pub const PLAIN: Averaging = Averaging::Weighted { regrets: 0.0, average: 0.0 };
    /// Iterations weigh what their number is: linear CFR.
    pub const LINEAR: Averaging = Averaging::Weighted { regrets: 1.0, average: 1.0 };

    /// What regrets and strategies of the iterations of a period weigh.
    pub(super) fn weights(self, period: f64) -> (f64, f64) {
        match self {
            Averaging::Weighted { regrets, average } => {
                (period.powf(regrets), period.powf(average))
            }
            Averaging::Discounted { average, .. } => (1.0, period.powf(average)),
        }
    }

    /// What positive and negative regrets are multiplied by at the end of a period.
    pub(super) fn factors(self, period: f64) -> Option<(f32, f32)> {
        let factor = |exponent: f64| (period.powf(exponent) / (period.powf(exponent) + 1.0)) as f32;
        match self {
            Averaging::Weighted { .. } => None,
            Averaging::Discounted { positive, negative, .. } => {
                Some((factor(positive), factor(negative)))
            }
        }
    }

    /// Whether exponents are in their ranges.
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

/// Text that names no averaging.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no averaging: write plain, linear, weighted(A,G) or discounted(A,B,G) with exponents \
     from 0 to 4, B from -4"
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

/// When actions that have done very badly are skipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skipping {
    /// An action is skipped, but in one traversal of twenty, while its regret is below minus this
    /// many big blinds times the weight of an iteration. Regrets do not fall further than a tenth
    /// below that.
    pub below: f64,
    /// Nothing is skipped in so many iterations at the beginning.
    pub after: u64,
}

impl Default for Skipping {
    /// Below 20,000 big blinds, after a million iterations.
    fn default() -> Skipping {
        Skipping { below: 20_000.0, after: 1_000_000 }
    }
}

/// How a blueprint is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingOptions {
    /// What numbers are kept in.
    pub precision: Precision,
    /// What an iteration weighs.
    pub averaging: Averaging,
    /// Iterations of one weight, at least one.
    pub period: u64,
    /// Which actions are skipped, if any.
    pub skipping: Option<Skipping>,
    /// Where the deals and draws begin.
    pub seed: u64,
    /// The most bytes that the tables may take.
    pub memory: u64,
}

impl Default for TrainingOptions {
    /// Single precision, linear weights in periods of 100,000 iterations, bad actions skipped, 8
    /// GiB.
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
    /// All that a resumed training must have in common with the one before: everything but the
    /// memory.
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

    /// Refuses options out of their ranges.
    pub(super) fn check(&self) -> Result<(), TrainerError> {
        let refuse =
            |what, found: String, wanted| Err(TrainerError::Option { what, found, wanted });
        if self.period == 0 {
            return refuse("the period", "0".to_owned(), "at least one iteration");
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
