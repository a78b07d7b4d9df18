//! The file format of linear rules: TOML with named weights, one table `[[stack]]` for each stack.

use std::fmt;
use std::str::FromStr;

use super::{FEATURES, LinearModel, PUBLISHED_FEATURES, Theta, VERSION, Weights};

/// The format version that this program reads and writes.
const FORMAT: i64 = 1;

/// Error for a file that is not a linear rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LinearError {
    /// The text is not TOML, or a field is missing or has another type.
    #[error("{0}; write it with `cardroom train linear`")]
    Text(String),
    /// The format has another version.
    #[error("format {0}, and this program reads {FORMAT}: train it again")]
    Format(i64),
    /// The features have another version.
    #[error("weights of the features `{0}`, and this program has `{VERSION}`: train it again")]
    Features(String),
    /// There are no weights.
    #[error("there is no [[stack]]: train one with `cardroom train linear --stack 10`")]
    Empty,
    /// A stack is not valid.
    #[error("a stack of {0} big blinds: write a number of at least 1")]
    Stack(f64),
    /// A stack occurs twice.
    #[error("the stack of {0} big blinds appears twice: leave one out")]
    Twice(f64),
    /// A weight for an unknown feature.
    #[error("stack {stack}: there is no feature `{name}`; known: {}", FEATURES.join(", "))]
    Unknown {
        /// The stack in big blinds.
        stack: f64,
        /// The unknown name.
        name: String,
    },
    /// A feature without a weight.
    #[error("stack {stack}: `{name}` has no weight; give it one, 0 if it does not count")]
    Missing {
        /// The stack in big blinds.
        stack: f64,
        /// The feature.
        name: &'static str,
    },
    /// A weight is not finite.
    #[error("stack {stack}: the weight of `{name}` is not a finite number; train it again")]
    NotFinite {
        /// The stack in big blinds.
        stack: f64,
        /// The feature.
        name: &'static str,
    },
}

/// Checks weights sorted by stack.
pub(super) fn check(stacks: &[(f64, Weights)]) -> Result<(), LinearError> {
    if stacks.is_empty() {
        return Err(LinearError::Empty);
    }
    for (at, &(stack, weights)) in stacks.iter().enumerate() {
        if !(stack.is_finite() && stack >= 1.0) {
            return Err(LinearError::Stack(stack));
        }
        if at > 0 && stacks[at - 1].0 == stack {
            return Err(LinearError::Twice(stack));
        }
        for (at, name) in FEATURES.into_iter().enumerate() {
            if !(weights.small[at].is_finite() && weights.big[at].is_finite()) {
                return Err(LinearError::NotFinite { stack, name });
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
    type Err = LinearError;

    fn from_str(text: &str) -> Result<LinearModel, LinearError> {
        let file: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            LinearError::Text(error.message().trim().replace('\n', ", "))
        })?;
        let lacks = |what: &str| LinearError::Text(format!("there is no {what}"));
        only(&file, "the file", &["format", "features", "made-by", "method", "stack"])?;
        let format = file.get("format").and_then(toml::Value::as_integer);
        let word = |name: &str| {
            let word = file.get(name).and_then(toml::Value::as_str);
            word.map(str::to_owned).ok_or_else(|| lacks(&format!("text `{name}`")))
        };
        match format.ok_or_else(|| lacks("number `format`"))? {
            FORMAT => {}
            other => return Err(LinearError::Format(other)),
        }
        let features = word("features")?;
        if features != VERSION {
            return Err(LinearError::Features(features));
        }
        let tables = match file.get("stack") {
            None => return Err(LinearError::Empty),
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
        let stacks = stacks.collect::<Result<Vec<_>, LinearError>>()?;
        LinearModel::new(word("made-by")?, word("method")?, stacks)
    }
}

/// Checks that a table has no other keys than these.
fn only(table: &toml::Table, of: &str, known: &[&str]) -> Result<(), LinearError> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(LinearError::Text(format!(
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
fn theta(stack: f64, table: &toml::Value) -> Result<Theta, LinearError> {
    let table = table.as_table().ok_or_else(|| {
        LinearError::Text(format!("the weights of the stack {stack} are not a table"))
    })?;
    if let Some(name) = table.keys().find(|name| !FEATURES.contains(&name.as_str())) {
        return Err(LinearError::Unknown { stack, name: name.clone() });
    }
    let mut theta = [0.0; FEATURES.len()];
    for (at, name) in FEATURES.into_iter().enumerate() {
        theta[at] = match table.get(name) {
            Some(value) => number(value).ok_or(LinearError::NotFinite { stack, name })?,
            None if at < PUBLISHED_FEATURES => return Err(LinearError::Missing { stack, name }),
            None => 0.0,
        };
    }
    Ok(theta)
}
