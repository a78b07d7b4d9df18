//! Conversion between hands and rows.

use std::sync::Arc;

use game::{BySeat, GameDef, Payoff};
use rusqlite::Row;

use crate::HandRecord;
use crate::replay::{line_up, replay};

/// The columns of a row as read.
#[derive(Debug)]
pub(super) struct RawRow {
    pub(super) hand: u64,
    deal: u64,
    betting: String,
    cards: String,
    payoffs: Vec<i64>,
    entrants: Vec<Option<i64>>,
}

impl RawRow {
    /// Reads `hand, deal, betting, cards, payoff_0 …, entrant_0 …`.
    pub(super) fn read(row: &Row<'_>, players: usize) -> rusqlite::Result<RawRow> {
        Ok(RawRow {
            hand: row.get::<_, i64>(0)? as u64,
            deal: row.get::<_, i64>(1)? as u64,
            betting: row.get(2)?,
            cards: row.get(3)?,
            payoffs: (0..players).map(|k| row.get(4 + k)).collect::<Result<_, _>>()?,
            entrants: (0..players).map(|k| row.get(4 + players + k)).collect::<Result<_, _>>()?,
        })
    }

    /// Replays the hand; the error, in words, when it is not legal.
    pub(super) fn into_record(self, def: &Arc<GameDef>) -> Result<HandRecord, String> {
        let payoffs: Vec<Payoff> = self.payoffs.into_iter().map(Payoff::from_parts).collect();
        let payoffs = BySeat::from_slice(&payoffs).ok_or("too many seats")?;
        let mut entrants = line_up(self.hand, def.players);
        for (seat, number) in def.seats().zip(&self.entrants) {
            if let Some(number) = *number {
                let number = u8::try_from(number).ok().filter(|&n| usize::from(n) < def.players);
                entrants[seat] = number.ok_or("there is no such entrant")?;
            }
        }
        replay(def, self.hand, self.deal, &self.betting, &self.cards, Some(payoffs), entrants)
    }
}
