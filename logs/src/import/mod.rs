//! Import of hands from other records into one match.
//!
//! A match has one game and as many entrants as that has players. The first hand defines them;
//! hands of another game (with other blinds or stacks, for example) or with other players are left
//! out and counted, or refused. Hands keep their numbers if these are unique, else they are
//! renumbered in order of arrival.

pub mod columns;

use std::collections::BTreeSet;
use std::sync::Arc;

use game::BySeat;

use crate::{Entrant, HandRecord, MatchInfo, Provenance};

/// A hand from another record.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedHand {
    /// The hand.
    pub record: HandRecord,
    /// Names by seat; when empty the line-up of `record` is kept.
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
    /// Number of hands of other games, which were left out.
    pub other_games: u64,
    /// Number of hands with other players, which were left out.
    pub other_players: u64,
}

/// Error for hands that are not one match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatherError {
    /// There are no hands.
    #[error("there are no hands")]
    Nothing,
    /// A hand of another game than the first one.
    #[error(
        "{place}: its game differs from that of the first hand (blinds, stacks, bets or \
         players): import it separately, or leave such hands out with --leave-out"
    )]
    OtherGame {
        /// The hand's place.
        place: String,
    },
    /// A hand with a player who is not in the first hand.
    #[error(
        "{place}: `{player}` is not among the players of the first hand: import it separately, \
         or leave \
         such hands out with --leave-out"
    )]
    OtherPlayer {
        /// The hand's place.
        place: String,
        /// The player.
        player: String,
    },
}

/// Collects hands into one match with this name. With `leave_out`, hands that do not belong to it
/// are left out instead of refused.
///
/// # Errors
/// When there are no hands, or one does not belong to the match of the first.
pub fn gather(
    hands: Vec<ImportedHand>,
    name: &str,
    game_name: &str,
    provenance: Provenance,
    leave_out: bool,
) -> Result<Gathered, GatherError> {
    let first = hands.first().ok_or(GatherError::Nothing)?;
    let def = Arc::clone(first.record.public.def());
    let names = names(first);
    let mut records = Vec::with_capacity(hands.len());
    let (mut other_games, mut other_players) = (0, 0);
    for ImportedHand { mut record, players, place } in hands {
        if **record.public.def() != *def {
            if !leave_out {
                return Err(GatherError::OtherGame { place });
            }
            other_games += 1;
            continue;
        }
        match line_up(&names, &players) {
            Ok(Some(line_up)) => record.entrants = line_up,
            Ok(None) => {}
            Err(_) if leave_out => {
                other_players += 1;
                continue;
            }
            Err(player) => return Err(GatherError::OtherPlayer { place, player }),
        }
        records.push(record);
    }
    let numbers: BTreeSet<u64> = records.iter().map(|record| record.hand).collect();
    let renumbered = numbers.len() != records.len();
    if renumbered {
        for (number, record) in (0..).zip(&mut records) {
            (record.hand, record.deal) = (number, number);
        }
    }
    records.sort_unstable_by_key(|record| record.hand);
    let entrants = match names {
        Some(names) => names,
        None => (1..=def.players).map(|number| format!("player-{number}")).collect(),
    };
    let info = MatchInfo {
        name: name.to_owned(),
        game_name: game_name.to_owned(),
        hands: records.last().map_or(0, |record| record.hand + 1),
        seed: 0,
        duplicate: is_duplicate(&records, def.players as u64),
        shard: None,
        provenance,
        entrants: entrants.into_iter().map(Entrant::named).collect(),
        game: (*def).clone(),
    };
    Ok(Gathered { info, hands: records, renumbered, other_games, other_players })
}

/// The entrants' names by number, from the first hand: valid in records and distinct; `None` where
/// it has none.
fn names(first: &ImportedHand) -> Option<Vec<String>> {
    let players = first.record.entrants.len();
    let mut names = vec![String::new(); players];
    for ((_, &entrant), name) in first.record.entrants.iter().zip(&first.players) {
        *names.get_mut(usize::from(entrant))? = plain(name);
    }
    let different = names.iter().collect::<BTreeSet<_>>().len() == players;
    (different && names.iter().all(|name| !name.is_empty())).then_some(names)
}

/// A name with characters removed that records cannot hold.
fn plain(name: &str) -> String {
    let bad = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|';
    name.replace(bad, "_")
}

/// The line-up by these names; `None` where there are none.
///
/// # Errors
/// The name that is unknown or repeated.
fn line_up(names: &Option<Vec<String>>, players: &[String]) -> Result<Option<BySeat<u8>>, String> {
    let Some(names) = names.as_ref().filter(|_| !players.is_empty()) else { return Ok(None) };
    let number = |player: &String| {
        let plain = plain(player);
        let place = names.iter().position(|name| *name == plain);
        place.map(|place| place as u8).ok_or_else(|| player.clone())
    };
    let numbers = players.iter().map(number).collect::<Result<Vec<u8>, String>>()?;
    let twice = (1..numbers.len()).find(|&seat| numbers[..seat].contains(&numbers[seat]));
    if let Some(seat) = twice {
        return Err(players[seat].clone());
    }
    let by_seat = BySeat::from_slice(&numbers).filter(|all| all.len() == names.len());
    by_seat.map(Some).ok_or_else(|| players.first().cloned().unwrap_or_default())
}

/// Whether every `players` hands share a deal, with everybody moving by one seat, from hand 0 on.
fn is_duplicate(hands: &[HandRecord], players: u64) -> bool {
    (hands.len() as u64).is_multiple_of(players)
        && (0..).zip(hands).all(|(number, record)| {
            record.hand == number
                && record.deal == number / players
                && crate::replay::is_rotated(record)
        })
        && hands
            .chunks(players as usize)
            .all(|group| group.iter().all(|record| record.hole == group[0].hole))
}
