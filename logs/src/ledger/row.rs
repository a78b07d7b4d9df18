//! A hand as a row, and a row as a hand.

use std::sync::Arc;

use game::{BySeat, GameDef, Payoff, Seat, SeatSet, Turn, notation};
use rusqlite::Row;

use crate::HandRecord;

/// Who sits at a seat in the usual line-up: everyone moves by one seat after each hand.
pub(crate) fn rotated(hand: u64, seat: Seat, players: usize) -> u8 {
    ((hand % players as u64) as usize + seat.index()).rem_euclid(players) as u8
}

/// Whether the line-up is the usual one.
pub(crate) fn is_rotated(record: &HandRecord) -> bool {
    let players = record.entrants.len();
    record.entrants.iter().all(|(seat, &entrant)| entrant == rotated(record.hand, seat, players))
}

/// The usual line-up of a hand.
pub(crate) fn line_up(hand: u64, players: usize) -> BySeat<u8> {
    BySeat::from_fn(players, |seat| rotated(hand, seat, players))
}

/// A row's columns as read.
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

    /// Replays the hand; the reason in words when it cannot have happened.
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

/// Replays a finished hand from its texts in ACPC notation.
///
/// Where all cards that count are known, the payoffs follow from the rules; given ones must then
/// agree. Where they are not known (opponents who never showed), the given ones stand.
pub(crate) fn replay(
    def: &Arc<GameDef>,
    hand: u64,
    deal: u64,
    betting: &str,
    cards: &str,
    payoffs: Option<BySeat<Payoff>>,
    entrants: BySeat<u8>,
) -> Result<HandRecord, String> {
    let cards = notation::parse_cards(def, cards).map_err(|error| error.to_string())?;
    let public = notation::replay(def, betting, &cards.board).map_err(|error| error.to_string())?;
    if public.turn() != Turn::Over {
        return Err(format!("betting `{betting}` does not end the hand"));
    }
    let remaining: SeatSet = public.remaining();
    let known = remaining.len() == 1 || remaining.iter().all(|seat| !cards.hole[seat].is_empty());
    let computed = known.then(|| public.payoffs(&cards.hole));
    let payoffs = match (computed, payoffs) {
        (Some(computed), Some(given)) if computed != given => {
            return Err(format!("payoffs are {given:?}, but the rules give {computed:?}"));
        }
        (Some(payoffs), _) | (None, Some(payoffs)) => payoffs,
        (None, None) => return Err("the result is unknown: cards are missing".to_owned()),
    };
    if payoffs.as_slice().iter().copied().sum::<Payoff>() != Payoff::ZERO {
        return Err(format!("payoffs {payoffs:?} do not add up to zero"));
    }
    Ok(HandRecord { hand, deal, public, hole: cards.hole, payoffs, entrants })
}
