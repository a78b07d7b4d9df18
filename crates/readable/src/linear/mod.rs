//! Linear rules for shove or fold: the value of playing and of folding each starting hand as a
//! weighted sum of a few features, with weights for each stack.
//!
//! The seven features and the weights [`PUBLISHED`] are those of a published lesson in
//! reinforcement learning on this game; `docs/studies/002.md` names it. Extensions are two more
//! features, a constant for the big blind's calls and one for pairs, and separate weights for each
//! blind. [`learn`] and [`search()`] find weights.

mod learning;

use std::fmt;
use std::str::FromStr;

use cards::StartingHand;

use crate::Error;
use crate::shove_fold::{Blind, Ranges, range_of};

pub use learning::{
    Form, LearningOptions, Quirk, SearchResult, Trained, TrainedRules, Training, TrainingPlan,
    learn, search,
};

/// A weight vector, with a weight for each of [`FEATURES`].
pub type Theta = [f64; FEATURES.len()];

/// The published weights, learned at ten big blinds.
pub const PUBLISHED: Theta = [
    9.632_503_65,
    6.167_649_62,
    -1.348_433_32,
    -2.725_339_63,
    0.225_716_55,
    -0.152_303_02,
    0.145_475_32,
    0.0,
    0.0,
];

/// The weight vectors of both blinds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The weights of the small blind.
    pub small: Theta,
    /// The weights of the big blind, which may be the same.
    pub big: Theta,
}

impl Weights {
    /// The same weights for both blinds.
    pub fn shared(theta: Theta) -> Weights {
        Weights { small: theta, big: theta }
    }

    /// The weights of one blind.
    pub fn for_blind(&self, blind: Blind) -> &Theta {
        match blind {
            Blind::Small => &self.small,
            Blind::Big => &self.big,
        }
    }

    /// The estimated value of playing or folding a hand, in big blinds.
    pub fn value(&self, hand: StartingHand, blind: Blind, plays: bool) -> f64 {
        let terms = self.for_blind(blind).iter().zip(features(hand, blind, plays));
        terms.map(|(weight, feature)| weight * feature).sum()
    }

    /// The estimated advantage of playing a hand over folding it, in big blinds.
    pub fn advantage(&self, hand: StartingHand, blind: Blind) -> f64 {
        self.value(hand, blind, true) - self.value(hand, blind, false)
    }

    /// The hands that each blind plays.
    pub fn ranges(&self) -> Ranges {
        let range = |blind| range_of(|hand| self.advantage(hand, blind) > 0.0);
        Ranges { jam: range(Blind::Small), call: range(Blind::Big) }
    }

    /// Linear interpolation between these weights and others, `share` of the way to those.
    fn towards(&self, other: &Weights, share: f64) -> Weights {
        let mix = |a: &Theta, b: &Theta| -> Theta {
            std::array::from_fn(|at| a[at] + share * (b[at] - a[at]))
        };
        Weights { small: mix(&self.small, &other.small), big: mix(&self.big, &other.big) }
    }
}

/// A linear rule for several stacks.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// Name and version of the program that made it.
    pub made_by: String,
    /// The training method, in words.
    pub method: String,
    /// Weights by stack in big blinds, at least one, in increasing order.
    stacks: Vec<(f64, Weights)>,
}

impl LinearModel {
    /// A rule of these weights, by stack in big blinds.
    ///
    /// # Errors
    /// When there are none, a stack is below one big blind or occurs twice, or a number is not
    /// finite.
    pub fn new(
        made_by: String,
        method: String,
        mut stacks: Vec<(f64, Weights)>,
    ) -> Result<LinearModel, Error> {
        stacks.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        check(&stacks)?;
        Ok(LinearModel { made_by, method, stacks })
    }

    /// The weights by stack in big blinds, in increasing order.
    pub fn stacks(&self) -> &[(f64, Weights)] {
        &self.stacks
    }

    /// The stack in big blinds whose weights are those [at](Self::at_stack) a stack: this one
    /// between the least and the greatest, beyond them the nearest.
    pub fn nearest(&self, stack: f64) -> f64 {
        stack.clamp(self.stacks[0].0, self.stacks[self.stacks.len() - 1].0)
    }

    /// The weights at a stack in big blinds, interpolated between the nearest stacks below and
    /// above; beyond all stacks those of the last.
    pub fn at_stack(&self, stack: f64) -> Weights {
        let above = self.stacks.iter().position(|&(known, _)| known >= stack);
        match above {
            None => self.stacks[self.stacks.len() - 1].1,
            Some(0) => self.stacks[0].1,
            Some(above) => {
                let [(low, below), (high, above)] = [self.stacks[above - 1], self.stacks[above]];
                below.towards(&above, (stack - low) / (high - low))
            }
        }
    }
}

// The features of a linear rule, from a starting hand, the blind that holds it, and whether it is
// played.

/// The names of the features, in the order of the weights.
pub const FEATURES: [&str; 9] = [
    "constant",
    "high",
    "low",
    "gap",
    "suited",
    "small-blind",
    "small-blind-all-in",
    "big-blind-call",
    "pair",
];

/// Number of published features; the others may be missing in a file.
const PUBLISHED_FEATURES: usize = 7;

/// The version of the features; files with another one are refused.
const VERSION: &str = "shove-fold 1";

/// The features of a hand that is played or folded. Ranks count from 0 (the deuce) to 12 (the ace)
/// and are divided by thirteen, the gap is the fourth root of their difference, all others are 0 or
/// 1. Card features are 0 in a fold.
pub fn features(hand: StartingHand, blind: Blind, plays: bool) -> [f64; FEATURES.len()] {
    let [high, low] = hand.ranks().map(|rank| f64::from(rank.index()));
    let small = blind == Blind::Small;
    let one = |holds: bool| f64::from(u8::from(holds));
    if !plays {
        return [1.0, 0.0, 0.0, 0.0, 0.0, one(small), 0.0, 0.0, 0.0];
    }
    [
        1.0,
        high / 13.0,
        low / 13.0,
        (high - low).powf(0.25),
        one(hand.is_suited()),
        one(small),
        one(small),
        one(!small),
        one(hand.is_pair()),
    ]
}

/// The format version that this program reads and writes.
const FORMAT: i64 = 1;

/// The error of a text that is not a linear rule.
fn not_a_rule(what: impl fmt::Display) -> Error {
    Error::new(format!("{what}; write it with `cardroom train linear`"))
}

fn no_stack() -> Error {
    Error::new("there is no [[stack]]: train one with `cardroom train linear --stack 10`")
}

fn not_finite(stack: f64, name: &str) -> Error {
    Error::new(format!(
        "stack {stack}: the weight of `{name}` is not a finite number; train it again"
    ))
}

/// Checks weights sorted by stack.
fn check(stacks: &[(f64, Weights)]) -> Result<(), Error> {
    if stacks.is_empty() {
        return Err(no_stack());
    }
    for (at, &(stack, weights)) in stacks.iter().enumerate() {
        if !(stack.is_finite() && stack >= 1.0) {
            let what = format!("a stack of {stack} big blinds: write a number of at least 1");
            return Err(Error::new(what));
        }
        if at > 0 && stacks[at - 1].0 == stack {
            let what = format!("the stack of {stack} big blinds appears twice: leave one out");
            return Err(Error::new(what));
        }
        for (at, name) in FEATURES.into_iter().enumerate() {
            if !(weights.small[at].is_finite() && weights.big[at].is_finite()) {
                return Err(not_finite(stack, name));
            }
        }
    }
    Ok(())
}

impl fmt::Display for LinearModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |text: &str| toml::Value::from(text).to_string();
        writeln!(f, "format = {FORMAT}\nfeatures = {}", text(VERSION))?;
        writeln!(f, "made-by = {}\nmethod = {}", text(&self.made_by), text(&self.method))?;
        for (stack, weights) in self.stacks() {
            writeln!(f, "\n[[stack]]\nbig-blinds = {stack:?}")?;
            let mut table = |name: &str, theta: &Theta| {
                writeln!(f, "\n[stack.{name}]")?;
                let named = FEATURES.into_iter().zip(theta).enumerate();
                for (at, (name, weight)) in named {
                    if at < PUBLISHED_FEATURES || *weight != 0.0 {
                        writeln!(f, "{name} = {weight:?}")?;
                    }
                }
                Ok(())
            };
            table("weights", &weights.small)?;
            if weights.big != weights.small {
                table("big-blind", &weights.big)?;
            }
        }
        Ok(())
    }
}

impl FromStr for LinearModel {
    type Err = Error;

    fn from_str(text: &str) -> Result<LinearModel, Error> {
        let file: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            not_a_rule(error.message().trim().replace('\n', ", "))
        })?;
        let lacks = |what: &str| not_a_rule(format_args!("there is no {what}"));
        only(&file, "the file", &["format", "features", "made-by", "method", "stack"])?;
        let format = file.get("format").and_then(toml::Value::as_integer);
        let word = |name: &str| {
            let word = file.get(name).and_then(toml::Value::as_str);
            word.map(str::to_owned).ok_or_else(|| lacks(&format!("text `{name}`")))
        };
        match format.ok_or_else(|| lacks("number `format`"))? {
            FORMAT => {}
            other => {
                return Err(Error::new(format!(
                    "format {other}, and this program reads {FORMAT}: train it again"
                )));
            }
        }
        let features = word("features")?;
        if features != VERSION {
            return Err(Error::new(format!(
                "weights of the features `{features}`, and this program has `{VERSION}`: train it \
                 again"
            )));
        }
        let tables = match file.get("stack") {
            None => return Err(no_stack()),
            Some(tables) => tables.as_array().ok_or_else(|| lacks("list `[[stack]]`"))?,
        };
        let stacks = tables.iter().map(|table| {
            let stack = table.get("big-blinds").and_then(number);
            let stack = stack.ok_or_else(|| lacks("number `big-blinds` in a [[stack]]"))?;
            if let Some(table) = table.as_table() {
                let stack = format!("the stack {stack}");
                only(table, &stack, &["big-blinds", "weights", "big-blind"])?;
            }
            let part = |name: &str| table.get(name).map(|part| theta(stack, part)).transpose();
            let small = part("weights")?
                .ok_or_else(|| lacks(&format!("table `weights` of the stack {stack}")))?;
            Ok((stack, Weights { small, big: part("big-blind")?.unwrap_or(small) }))
        });
        let stacks = stacks.collect::<Result<Vec<_>, Error>>()?;
        LinearModel::new(word("made-by")?, word("method")?, stacks)
    }
}

/// Checks that a table has no other keys than these.
fn only(table: &toml::Table, of: &str, known: &[&str]) -> Result<(), Error> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(not_a_rule(format_args!(
            "{of} has a key `{key}`, which is not known: {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// The weight vector of a table.
fn theta(stack: f64, table: &toml::Value) -> Result<Theta, Error> {
    let table = table.as_table().ok_or_else(|| {
        not_a_rule(format_args!("the weights of the stack {stack} are not a table"))
    })?;
    if let Some(name) = table.keys().find(|name| !FEATURES.contains(&name.as_str())) {
        let known = FEATURES.join(", ");
        return Err(Error::new(format!(
            "stack {stack}: there is no feature `{name}`; known: {known}"
        )));
    }
    let mut theta = [0.0; FEATURES.len()];
    for (at, name) in FEATURES.into_iter().enumerate() {
        theta[at] = match table.get(name) {
            Some(value) => number(value).ok_or_else(|| not_finite(stack, name))?,
            None if at < PUBLISHED_FEATURES => {
                return Err(Error::new(format!(
                    "stack {stack}: `{name}` has no weight; give it one, 0 if it does not count"
                )));
            }
            None => 0.0,
        };
    }
    Ok(theta)
}
