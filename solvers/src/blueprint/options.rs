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
/// Time is cut into periods of equally many iterations; those of period `t`, from 1, weigh tᵃ in
/// the regrets and tᵍ in the average. That is what discounting all older iterations again and again
/// comes to, without a pass over the tables. Texts: `plain` (0, 0), `linear` (1, 1), and
/// `weighted(A,G)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Averaging {
    /// The exponent of regrets, 0 to 4.
    pub regrets: f64,
    /// The exponent of the average strategy, 0 to 4.
    pub average: f64,
}

impl Averaging {
    /// All iterations weigh the same.
    pub const PLAIN: Averaging = Averaging { regrets: 0.0, average: 0.0 };
    /// Iterations weigh what their number is: linear CFR.
    pub const LINEAR: Averaging = Averaging { regrets: 1.0, average: 1.0 };
}

impl fmt::Display for Averaging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Averaging::PLAIN => f.write_str("plain"),
            Averaging::LINEAR => f.write_str("linear"),
            Averaging { regrets, average } => write!(f, "weighted({regrets},{average})"),
        }
    }
}

/// Text that names no averaging.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no averaging: write plain, linear or weighted(A,G) with exponents from 0 to 4")]
pub struct ParseAveragingError(pub String);

impl FromStr for Averaging {
    type Err = ParseAveragingError;

    fn from_str(text: &str) -> Result<Averaging, ParseAveragingError> {
        let refuse = || ParseAveragingError(text.chars().take(40).collect());
        match text {
            "plain" => return Ok(Averaging::PLAIN),
            "linear" => return Ok(Averaging::LINEAR),
            _ => {}
        }
        let inside = text.strip_prefix("weighted(").and_then(|rest| rest.strip_suffix(')'));
        let (regrets, average) = inside.and_then(|both| both.split_once(',')).ok_or_else(refuse)?;
        let exponent = |text: &str| {
            let number: f64 = text.trim().parse().map_err(|_| refuse())?;
            if (0.0..=4.0).contains(&number) { Ok(number) } else { Err(refuse()) }
        };
        Ok(Averaging { regrets: exponent(regrets)?, average: exponent(average)? })
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
    /// Refuses options out of their ranges.
    pub(super) fn check(&self) -> Result<(), TrainerError> {
        let refuse =
            |what, found: String, wanted| Err(TrainerError::Option { what, found, wanted });
        let Averaging { regrets, average } = self.averaging;
        if self.period == 0 {
            return refuse("the period", "0".to_owned(), "at least one iteration");
        }
        if !(0.0..=4.0).contains(&regrets) || !(0.0..=4.0).contains(&average) {
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
