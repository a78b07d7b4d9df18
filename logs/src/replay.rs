//! Reconstruction of records from a finished hand's texts, by the rules.

use std::sync::Arc;

use cards::HoleCards;
use game::{BySeat, GameDef, Payoff, PublicState, Seat, Turn, notation};

use crate::HandRecord;
use crate::results::explained;

/// The entrant at a seat in the usual line-up: everyone moves by one seat after each hand.
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

/// Replays a finished hand from its texts in ACPC notation; the error, in words, when it is not
/// legal. For payoffs see [`finished`].
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
    let record =
        HandRecord { hand, deal, public, hole: cards.hole, payoffs: BySeat::new(0), entrants };
    finished(record, payoffs)
}

/// Completes a record with its payoffs; those in it are ignored.
///
/// Where all relevant cards are known, the payoffs follow from the rules, and given ones must
/// agree. Otherwise (opponents who never showed) the given ones are used, if there are cards that
/// give them.
pub(crate) fn finished(
    record: HandRecord,
    given: Option<BySeat<Payoff>>,
) -> Result<HandRecord, String> {
    finish(record, given, false)
}

/// [`finished`] for results that may have the indivisible chips of a split pot with any of its
/// winners, as other programs hand them out: the record has the exact fractions.
pub(crate) fn finished_in_whole_chips(
    record: HandRecord,
    given: Option<BySeat<Payoff>>,
) -> Result<HandRecord, String> {
    finish(record, given, true)
}

fn finish(
    mut record: HandRecord,
    given: Option<BySeat<Payoff>>,
    odd_chips: bool,
) -> Result<HandRecord, String> {
    let HandRecord { public, hole, .. } = &record;
    check_cards(public, hole)?;
    check_entrants(&record.entrants)?;
    let computed = result_is_known(public, hole).then(|| public.payoffs(hole));
    record.payoffs = match (computed, given) {
        (Some(computed), None) => computed,
        (None, None) => return Err("the result is unknown: cards are missing".to_owned()),
        (Some(computed), Some(given)) if computed == given => computed,
        (computed, Some(given)) => {
            let pot = Payoff::from_chips(public.pot() as i64);
            // Larger ones might not even be added up.
            let within = given.as_slice().iter().all(|&payoff| -pot <= payoff && payoff <= pot);
            if within && given.as_slice().iter().copied().sum::<Payoff>() != Payoff::ZERO {
                return Err(format!("payoffs {given:?} do not add up to zero"));
            }
            let by_cards = |odd_chips| explained(public, hole, &given, odd_chips);
            let exact = (within && computed.is_none()).then(|| by_cards(false));
            let odd = || (within && odd_chips).then(|| by_cards(true)).flatten();
            exact.flatten().or_else(odd).ok_or_else(|| match computed {
                Some(rules) => format!("payoffs are {given:?}, but the rules give {rules:?}"),
                None => format!(
                    "payoffs {given:?} are impossible: the seats put in {:?}, and no hidden \
                     cards divide the pot like that",
                    public.committed()
                ),
            })?
        }
    };
    Ok(record)
}

/// Whether the cards that decide a finished hand are known.
pub(crate) fn result_is_known(public: &PublicState, hole: &BySeat<HoleCards>) -> bool {
    let remaining = public.remaining();
    remaining.len() == 1 || remaining.iter().all(|seat| !hole[seat].is_empty())
}

/// Checks that every seat has all its cards or none known, and that no card is repeated or not in
/// the deck.
fn check_cards(public: &PublicState, hole: &BySeat<HoleCards>) -> Result<(), String> {
    let def = public.def();
    let mut seen = public.board().set();
    for (seat, cards) in hole.iter() {
        if !cards.is_empty() && cards.len() != usize::from(def.hole_cards) {
            return Err(format!("seat {seat} holds {} cards, not {}", cards.len(), def.hole_cards));
        }
        for &card in cards.iter() {
            if !def.has_card(card) {
                return Err(format!("{card} is not in this game's deck"));
            }
            if !seen.insert(card) {
                return Err(format!("{card} appears twice"));
            }
        }
    }
    Ok(())
}

/// Checks that nobody sits in two seats.
fn check_entrants(entrants: &BySeat<u8>) -> Result<(), String> {
    let all = entrants.as_slice();
    match (1..all.len()).find(|&seat| all[..seat].contains(&all[seat])) {
        Some(seat) => Err(format!("the player in seat {seat} has another seat too")),
        None => Ok(()),
    }
}
