//! Hands as lines of JSON, one object a line.
//!
//! | key | value |
//! |---|---|
//! | `hand`, `deal` | number of the hand, and of its deal, which a duplicate group shares |
//! | `betting`, `cards` | in ACPC notation |
//! | `entrants` | the entrant in each seat, by number |
//! | `chips` | what each seat won, as decimal text with at most six decimals |

use std::sync::Arc;

use game::{BySeat, GameDef, Payoff, notation};
use serde::{Deserialize, Serialize};

use super::{ReadError, parse_payoff};
use crate::HandRecord;
use crate::replay::replay;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    hand: u64,
    deal: u64,
    betting: String,
    cards: String,
    entrants: Vec<u8>,
    chips: Vec<String>,
}

/// Appends a hand's line.
pub fn write_hand(record: &HandRecord, out: &mut String) {
    let line = Line {
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
pub fn read_line(def: &Arc<GameDef>, text: &str, line: u64) -> Result<HandRecord, ReadError> {
    let read = || {
        let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
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
