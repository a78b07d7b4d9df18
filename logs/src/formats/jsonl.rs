//! Hands and decisions as lines of JSON, one object a line.
//!
//! A hand:
//!
//! | key | value |
//! |---|---|
//! | `hand`, `deal` | number of the hand, and of its deal, which a duplicate group shares |
//! | `betting`, `cards` | in ACPC notation |
//! | `entrants` | the entrant in each seat, by number |
//! | `chips` | what each seat won, as decimal text with at most six decimals |
//!
//! A decision, in `decisions.jsonl` sorted by hand and, within a hand, by decision:
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
use std::sync::Arc;
use std::time::Duration;

use game::{Action, BySeat, GameDef, Payoff, Seat, Strategy, notation};
use serde::{Deserialize, Serialize};

use crate::formats::{ReadError, parse_payoff};
use crate::record::replay;
use crate::{DecisionRecord, Fallback, HandRecord};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HandLine {
    hand: u64,
    deal: u64,
    betting: String,
    cards: String,
    entrants: Vec<u8>,
    chips: Vec<String>,
}

/// Appends a hand's line.
pub fn write_hand(record: &HandRecord, out: &mut String) {
    let line = HandLine {
        hand: record.hand,
        deal: record.deal,
        betting: notation::betting(&record.public),
        cards: notation::cards(&record.public, &record.hole),
        entrants: record.entrants.as_slice().to_vec(),
        chips: record.payoffs.as_slice().iter().map(Payoff::to_string).collect(),
    };
    out.push_str(&serde_json::to_string(&line).expect("plain data with text keys"));
    out.push('\n');
}

/// Parses a hand's line; `line` is its number, for the error message.
pub fn read_hand(def: &Arc<GameDef>, text: &str, line: u64) -> Result<HandRecord, ReadError> {
    let read = || {
        let line: HandLine = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let chips = line.chips.iter().map(|text| parse_payoff(text));
        let payoffs = chips.collect::<Option<Vec<_>>>().and_then(|all| BySeat::from_slice(&all));
        let entrants = BySeat::from_slice(&line.entrants);
        let (Some(payoffs), Some(entrants)) = (payoffs, entrants) else {
            return Err("entrants or chips are not right".to_owned());
        };
        if payoffs.len() != def.players || entrants.len() != def.players {
            return Err(format!("there must be {} entrants and amounts", def.players));
        }
        replay(def, line.hand, line.deal, &line.betting, &line.cards, Some(payoffs), entrants)
    };
    read().map_err(|reason| ReadError::new("JSON lines", line, reason))
}

/// A decision as its line has it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionLine {
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
pub fn write_decision(decision: &DecisionRecord, out: &mut String) {
    let extras = decision.strategy.is_some() || decision.note.is_some() || decision.beyond_model;
    let valued = !decision.values.is_empty();
    if extras || valued || decision.corrected_from.is_some() || decision.fallback.is_some() {
        let line = DecisionLine::from(decision);
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
pub fn read_decision(text: &str, line: u64) -> Result<DecisionRecord, ReadError> {
    let fail = |reason: String| ReadError::new("decisions", line, reason);
    let read: DecisionLine = serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
    read.into_record().map_err(fail)
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
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

impl From<&DecisionRecord> for DecisionLine {
    fn from(decision: &DecisionRecord) -> DecisionLine {
        let texts = |pairs: &[(Action, f64)]| {
            pairs.iter().map(|&(action, number)| (notation::action(action), number)).collect()
        };
        DecisionLine {
            hand: decision.hand,
            index: decision.index,
            entrant: decision.entrant,
            seat: decision.seat.index() as u8,
            action: notation::action(decision.action),
            corrected_from: decision.corrected_from.map(notation::action),
            fallback: decision.fallback,
            strategy: decision.strategy.as_ref().map(|strategy| texts(&strategy.actions)),
            values: texts(&decision.values),
            note: decision.note.clone(),
            beyond_model: decision.beyond_model,
            elapsed_ns: nanoseconds(decision.elapsed),
        }
    }
}

impl DecisionLine {
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
