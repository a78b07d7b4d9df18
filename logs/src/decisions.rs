//! Reader and writer of decisions as lines of JSON: `decisions.jsonl`.
//!
//! One object a line, sorted by hand and, within a hand, by decision. Keys, in this order:
//!
//! | key | value |
//! |---|---|
//! | `hand` | the hand's number, from 0 |
//! | `index` | number of earlier actions of any seat in the hand |
//! | `entrant`, `seat` | who decided, and where they sat, from 0 |
//! | `action` | `f`, `c`, or `r` and the total in chips over the whole hand (also in limit games) |
//! | `corrected_from` | what had been asked for, when it was not legal |
//! | `fallback` | reason for a check or fold: `panic`, `timeout`, `gone` or `bad-answer` |
//! | `strategy` | pairs of action and probability, when the agent gave them |
//! | `values` | pairs of action and value in chips over the whole hand, when the agent gave them |
//! | `note` | the agent's explanation, when it gave one |
//! | `elapsed_ns` | thinking time in nanoseconds |
//!
//! The five optional keys are absent when there is nothing to say.

use std::fmt::Write;
use std::time::Duration;

use game::{Action, Seat, Strategy, notation};
use serde::{Deserialize, Serialize};

use crate::export::ReadError;
use crate::{DecisionRecord, Fallback};

/// A decision as its line has it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    hand: u64,
    index: u32,
    entrant: u8,
    seat: u8,
    action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    corrected_from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fallback: Option<Fallback>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strategy: Option<Vec<(String, f64)>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(String, f64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    beyond_model: bool,
    elapsed_ns: u64,
}

/// Appends a decision's line, with its end of line.
pub fn write_line(decision: &DecisionRecord, out: &mut String) {
    let extras = decision.strategy.is_some() || decision.note.is_some() || decision.beyond_model;
    let valued = !decision.values.is_empty();
    if extras || valued || decision.corrected_from.is_some() || decision.fallback.is_some() {
        let line = Line::from(decision);
        out.push_str(&serde_json::to_string(&line).expect("plain data with text keys"));
    } else {
        // The common line, without detours: there may be a million of them in a second.
        let DecisionRecord { hand, index, entrant, seat, .. } = decision;
        write!(
            out,
            r#"{{"hand":{hand},"index":{index},"entrant":{entrant},"seat":{seat},"action":""#
        )
        .expect("writing to a string cannot fail");
        notation::write_action(decision.action, false, out);
        write!(out, r#"","elapsed_ns":{}}}"#, nanoseconds(decision.elapsed))
            .expect("writing to a string cannot fail");
    }
    out.push('\n');
}

/// Reads a decision's line; `line` is its number, for the error message.
pub fn read_line(text: &str, line: u64) -> Result<DecisionRecord, ReadError> {
    let fail = |reason: String| ReadError::new("decisions", line, reason);
    let read: Line = serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
    read.into_record().map_err(fail)
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn action_text(action: Action) -> String {
    let mut text = String::new();
    notation::write_action(action, false, &mut text);
    text
}

fn parse_action(text: &str) -> Result<Action, String> {
    let action = match text.split_at_checked(1) {
        Some(("f", "")) => Some(Action::Fold),
        Some(("c", "")) => Some(Action::Call),
        Some(("r", total)) => total.parse().ok().map(Action::RaiseTo),
        _ => None,
    };
    action.ok_or_else(|| format!("`{text}` is not an action: write f, c, or r and a total"))
}

impl From<&DecisionRecord> for Line {
    fn from(decision: &DecisionRecord) -> Line {
        let texts = |pairs: &[(Action, f64)]| {
            pairs.iter().map(|&(action, number)| (action_text(action), number)).collect()
        };
        Line {
            hand: decision.hand,
            index: decision.index,
            entrant: decision.entrant,
            seat: decision.seat.index() as u8,
            action: action_text(decision.action),
            corrected_from: decision.corrected_from.map(action_text),
            fallback: decision.fallback,
            strategy: decision.strategy.as_ref().map(|strategy| texts(&strategy.actions)),
            values: texts(&decision.values),
            note: decision.note.clone(),
            beyond_model: decision.beyond_model,
            elapsed_ns: nanoseconds(decision.elapsed),
        }
    }
}

impl Line {
    fn into_record(self) -> Result<DecisionRecord, String> {
        let seat = Seat::new(self.seat.into()).ok_or(format!("there is no seat {}", self.seat))?;
        let pairs = |texts: Vec<(String, f64)>| {
            let pairs = texts.iter().map(|(text, number)| Ok((parse_action(text)?, *number)));
            pairs.collect::<Result<Vec<_>, String>>()
        };
        let strategy = self.strategy.map(pairs).transpose()?;
        Ok(DecisionRecord {
            hand: self.hand,
            index: self.index,
            entrant: self.entrant,
            seat,
            action: parse_action(&self.action)?,
            corrected_from: self.corrected_from.as_deref().map(parse_action).transpose()?,
            fallback: self.fallback,
            strategy: strategy.map(|actions| Strategy { actions }),
            values: pairs(self.values)?,
            note: self.note,
            beyond_model: self.beyond_model,
            elapsed: Duration::from_nanos(self.elapsed_ns),
        })
    }
}
