//! Published claims beside the results of a study, and the one rule that judges them.

use minijinja::{Error, ErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use show::markdown::cell;

use crate::Options;

/// What stands for a verdict in a trial.
pub(crate) const TRIAL: &str = "trial";

/// A claim of `claims.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    /// The claim in words.
    claim: String,
    /// The result in words.
    found: String,
    /// The parts of the claim; none if it was not tried.
    #[serde(default)]
    parts: Vec<Part>,
}

/// A part of a claim: a comparison of figures that are known exactly, or a figure with the range
/// that the claim gives it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Known(bool),
    Measured(Measured),
}

/// A figure with its range: from `published` − `within` to `published` + `within`, or from `least`
/// to `most`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    measured: Figure,
    published: Option<f64>,
    #[serde(default)]
    within: f64,
    least: Option<f64>,
    most: Option<f64>,
}

/// A figure, the ends of its interval, or the place of one in a command's output: `FILE#POINTER`.
/// Where the command prints an interval there, it counts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Figure {
    Number(f64),
    Interval([f64; 2]),
    Place(String),
}

/// An estimate with the ends of its 95 % interval; most are win rates in mbb/hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Estimate {
    pub(crate) mbb: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    pub(crate) fn half_width(self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// The difference other − self of independent estimates.
    pub(crate) fn difference_to(self, other: Estimate) -> Estimate {
        let half = self.half_width().hypot(other.half_width());
        let mbb = other.mbb - self.mbb;
        Estimate { mbb, low: mbb - half, high: mbb + half }
    }

    /// The sign, 1 or −1, if the interval excludes zero, otherwise 0.
    pub(crate) fn sign(self) -> i8 {
        i8::from(self.low > 0.0) - i8::from(self.high < 0.0)
    }
}

/// The outcome of a part of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Holds,
    Fails,
    /// The interval includes both.
    Open,
}

/// A claim that was judged.
pub(crate) struct Judged {
    pub(crate) claim: String,
    pub(crate) verdict: &'static str,
    pub(crate) found: String,
}

/// The verdict on a claim with these parts, the same rule for all: reproduced if all parts hold, in
/// part if some do, contradicted if some fail and none holds, undecided if intervals leave all
/// open; not tried without parts.
fn verdict(parts: &[Outcome]) -> &'static str {
    let some = |outcome| parts.contains(&outcome);
    match (some(Outcome::Holds), some(Outcome::Fails), some(Outcome::Open)) {
        (false, false, false) => "not tried",
        (true, false, false) => "reproduced",
        (true, _, _) => "in part",
        (false, true, _) => "contradicted",
        (false, false, true) => "undecided",
    }
}

impl Measured {
    /// Holds if all the figure's interval is in the range, fails if none of it is.
    fn outcome(&self, at: &Reader<'_>) -> Result<Outcome, Error> {
        let [low, high] = match &self.measured {
            Figure::Number(number) => [*number; 2],
            Figure::Interval(ends) => *ends,
            Figure::Place(place) => interval(&at(place)?).ok_or_else(|| {
                Error::new(ErrorKind::InvalidOperation, format!("there is no number at {place}"))
            })?,
        };
        let published = |sign: f64| self.published.map(|value| value + sign * self.within);
        let least = self.least.or(published(-1.0)).unwrap_or(f64::NEG_INFINITY);
        let most = self.most.or(published(1.0)).unwrap_or(f64::INFINITY);
        Ok(match (low >= least && high <= most, high < least || low > most) {
            (true, _) => Outcome::Holds,
            (_, true) => Outcome::Fails,
            _ => Outcome::Open,
        })
    }
}

/// The ends of the interval that a command prints in one of these forms, or a number twice.
pub(crate) fn interval(value: &Value) -> Option<[f64; 2]> {
    let number = |name: &str| value.pointer(name).and_then(Value::as_f64);
    let around = |mean: f64, half: f64| [mean - half, mean + half];
    let ends = [["/interval/low", "/interval/high"], ["/low", "/high"]]
        .into_iter()
        .find_map(|[low, high]| Some([number(low)?, number(high)?]));
    ends.or_else(|| Some(around(number("/mean")?, number("/half_width")?)))
        .or_else(|| number("").map(|number| [number; 2]))
}

/// Reads the value at a place.
pub(crate) type Reader<'a> = dyn Fn(&str) -> Result<Value, Error> + 'a;

/// Judges all claims.
pub(crate) fn judged(
    options: &Options,
    claims: Vec<Claim>,
    at: &Reader<'_>,
) -> Result<Vec<Judged>, Error> {
    let judged = |Claim { claim, found, parts }: Claim| {
        let outcomes = parts.iter().map(|part| match part {
            Part::Known(true) => Ok(Outcome::Holds),
            Part::Known(false) => Ok(Outcome::Fails),
            Part::Measured(measured) => measured.outcome(at),
        });
        let outcomes = outcomes.collect::<Result<Vec<_>, Error>>()?;
        let trial = options.is_trial() && !outcomes.is_empty();
        let verdict = if trial { TRIAL } else { verdict(&outcomes) };
        let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Judged { claim: words(claim), verdict, found: words(found) })
    };
    claims.into_iter().map(judged).collect()
}

/// The rule in words.
const RULE: &str = "A claim has parts, each with the range of figures that bear it out. A part \
    holds if the figure's whole 95 % interval, or what the claim names for it, is in the range, \
    fails if none of it is, and is open otherwise. A claim is reproduced if all parts hold, in \
    part if some do, contradicted if some fail and none holds, and undecided if all are open.";

/// The claims as a table of Markdown, and the rule below it.
pub(crate) fn table(claims: &[Judged]) -> String {
    let rows = claims.iter().map(|Judged { claim, verdict, found }| {
        format!("| {} | {verdict} | {} |\n", cell(claim), cell(found))
    });
    let rows = rows.collect::<String>();
    format!("| claim | verdict | found |\n|---|---|---|\n{rows}\n{RULE}\n")
}

/// The claims as part of a JSON document.
pub(crate) fn document(claims: &[Judged]) -> Value {
    let claim = |judged: &Judged| {
        json!({
            "claim": judged.claim, "verdict": judged.verdict, "found": judged.found,
        })
    };
    claims.iter().map(claim).collect()
}
