//! Import of hands from other records into one match.
//!
//! A match has one game and as many entrants as that has players. The first hand defines them;
//! hands of another game (with other blinds or stacks, for example) or with other players are left
//! out and counted, or refused. Players are told apart by the names that the source gives them.
//! Hands keep their numbers if these are unique, else they are renumbered in order of arrival.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use game::{BySeat, GameDef, notation};
use show::number::counted;

use crate::info::{game_difference, plain_name};
use crate::{Entrant, HandRecord, MatchInfo, Provenance, distinct_names};

/// A hand from another record.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedHand {
    /// The hand.
    pub record: HandRecord,
    /// Names by seat; empty when the source does not tell the players apart.
    pub players: Vec<String>,
    /// The position in the source, for messages: `hands.phhs, hand 17`.
    pub place: String,
}

/// Hands collected into one match.
#[derive(Debug, Clone, PartialEq)]
pub struct Gathered {
    /// The match.
    pub info: MatchInfo,
    /// The hands in order.
    pub hands: Vec<HandRecord>,
    /// Whether hands were renumbered.
    pub renumbered: bool,
    /// Number of hands that are the same as another, with its number.
    pub repeated: u64,
    /// The names that the match writes differently: as given, and as written.
    pub renamed: Vec<(String, String)>,
    /// Numbers of hands that were left out, by what they are: `with other players`.
    pub left_out: BTreeMap<String, u64>,
}

/// Error for hands that are not one match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum GatherError {
    #[error("there are no hands{}", left_out_words(.0))]
    Nothing(BTreeMap<String, u64>),
    #[error(
        "{place}: its game differs from that of the first hand, {first}: {what}: import it \
         separately, or leave such hands out with --leave-out"
    )]
    OtherGame { place: String, first: String, what: String },
    #[error(
        "{place}: `{player}` is not among the players of the first hand: import it separately, \
         or leave such hands out with --leave-out"
    )]
    OtherPlayer { place: String, player: String },
    #[error(
        "{place}: not all its players have a name of their own, so who won what cannot be told: \
         name them in the file (in PHH by `players`, or by the numbers of their `seats`), or \
         leave such hands out with --leave-out"
    )]
    Unnamed { place: String },
}

impl GatherError {
    /// What a hand is that is left out for it, as in: 3 hands `with other players`.
    fn kind(&self) -> String {
        match self {
            GatherError::Nothing(_) => String::new(),
            GatherError::OtherGame { what, .. } => {
                let what = what.trim_start_matches("the game's ");
                let end = what.find(" is ").or_else(|| what.find(" are "));
                format!("with other {}", &what[..end.unwrap_or(what.len())])
            }
            GatherError::OtherPlayer { .. } => "with other players".to_owned(),
            GatherError::Unnamed { .. } => "whose players have no names of their own".to_owned(),
        }
    }
}

fn left_out_words(hands: &BTreeMap<String, u64>) -> String {
    let words: Vec<String> =
        hands.iter().map(|(what, &count)| format!("{} {what}", counted(count, "hand"))).collect();
    if words.is_empty() { String::new() } else { format!(" but {}", words.join(", ")) }
}

/// Collects hands into one match with this name. With `leave_out`, hands that do not belong to it
/// are left out instead of refused.
///
/// # Errors
/// When there are no hands, or one does not belong to the match of the first.
pub fn gather(
    hands: Vec<ImportedHand>,
    name: &str,
    game_name: impl FnOnce(&GameDef) -> String,
    provenance: Provenance,
    leave_out: bool,
) -> Result<Gathered, GatherError> {
    let mut records = Vec::with_capacity(hands.len());
    let mut left_out = BTreeMap::new();
    let mut first: Option<First> = None;
    for mut hand in hands {
        match belongs(&mut first, &mut hand) {
            Ok(()) => records.push(hand.record),
            Err(error) if leave_out => *left_out.entry(error.kind()).or_default() += 1,
            Err(error) => return Err(error),
        }
    }
    let First { def, names, .. } = first.ok_or_else(|| GatherError::Nothing(left_out.clone()))?;
    let numbers: BTreeSet<u64> = records.iter().map(|record| record.hand).collect();
    let too_large = |&number: &u64| i64::try_from(number).is_err();
    let unique = numbers.len() == records.len();
    let renumbered = !unique || numbers.last().is_some_and(too_large);
    let repeated = if unique { 0 } else { repeated(&records) };
    if renumbered {
        for (number, record) in (0..).zip(&mut records) {
            (record.hand, record.deal) = (number, number);
        }
    }
    records.sort_unstable_by_key(|record| record.hand);
    let written = distinct_names(names.iter().map(|name| plain_name(name)));
    let pairs = names.into_iter().zip(written.clone());
    let info = MatchInfo {
        name: name.to_owned(),
        game_name: game_name(&def),
        hands: records.len() as u64,
        seed: 0,
        duplicate: is_duplicate(&records, def.players as u64),
        shard: None,
        provenance,
        entrants: written.into_iter().map(Entrant::named).collect(),
        game: (*def).clone(),
    };
    let renamed = pairs.filter(|(given, written)| given != written).collect();
    Ok(Gathered { info, hands: records, renumbered, repeated, renamed, left_out })
}

/// The number of hands that are the same as an earlier one, in their number too.
fn repeated(hands: &[HandRecord]) -> u64 {
    let mut seen = HashSet::new();
    let again = |record: &&HandRecord| {
        let HandRecord { hand, public, hole, payoffs, entrants, .. } = record;
        let mut text = format!("{hand} {payoffs:?} {entrants:?} ");
        notation::write_betting(public, &mut text);
        notation::write_cards(public, hole, &mut text);
        !seen.insert(text)
    };
    hands.iter().filter(again).count() as u64
}

/// What the first hand says about the match.
struct First {
    def: Arc<GameDef>,
    /// The entrants' names by number, as given.
    names: Vec<String>,
    place: String,
}

/// Seats a hand's players, or says why the hand does not belong to the match of the first one.
fn belongs(first: &mut Option<First>, hand: &mut ImportedHand) -> Result<(), GatherError> {
    let ImportedHand { record, players, place } = hand;
    let def = record.public.def();
    let twice = |seat: &usize| players[..*seat].contains(&players[*seat]);
    let unnamed = players.iter().any(String::is_empty) || (0..players.len()).any(|s| twice(&s));
    if players.len() != def.players || unnamed {
        return Err(GatherError::Unnamed { place: place.clone() });
    }
    let First { def: same, names, place: first } = first.get_or_insert_with(|| {
        let mut names = players.clone();
        for (&entrant, name) in record.entrants.as_slice().iter().zip(players.iter()) {
            name.clone_into(&mut names[usize::from(entrant)]);
        }
        First { def: Arc::clone(def), names, place: place.clone() }
    });
    if !Arc::ptr_eq(same, def)
        && let Some(difference) = game_difference(same, def)
    {
        let (place, first, what) = (place.clone(), first.clone(), difference.to_string());
        return Err(GatherError::OtherGame { place, first, what });
    }
    let number = |player: &String| {
        let place = names.iter().position(|name| name == player);
        place.map(|place| place as u8).ok_or_else(|| player.clone())
    };
    let numbers: Result<Vec<u8>, String> = players.iter().map(number).collect();
    let numbers =
        numbers.map_err(|player| GatherError::OtherPlayer { place: place.clone(), player })?;
    record.entrants = BySeat::from_slice(&numbers).expect("as many as the game's players");
    Ok(())
}

/// Whether every `players` hands share a deal, with everybody moving by one seat, from hand 0 on.
fn is_duplicate(hands: &[HandRecord], players: u64) -> bool {
    (hands.len() as u64).is_multiple_of(players)
        && (0..).zip(hands).all(|(number, record)| {
            record.hand == number
                && record.deal == number / players
                && crate::record::is_rotated(record)
        })
        && hands
            .chunks(players as usize)
            .all(|group| group.iter().all(|record| record.hole == group[0].hole))
}
