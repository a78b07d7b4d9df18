//! Reader of the replays of Kaggle's Game Arena: matches of OpenSpiel's `repeated_poker` as
//! kaggle-environments writes them, a JSON document each.
//!
//! `info.stateHistory` has a text for every state, itself JSON: the number of the hand, the player
//! with the button, what every hand has paid, and the state of the hand in play in ACPC notation
//! (`STATE:0:r6c/cr8f:AsKd|7c7d/2c8dTh`), with the players in the order in which they entered and
//! not by position. The last state of a hand stands in the entry after it, as `prev_…`.

use std::sync::Arc;

use game::{Betting, BySeat, Chips, GameDef, GameSpec, Payoff, games};
use serde::Deserialize;

use super::sites::{Refusal, SiteHand, SiteHands};
use super::{ReadError, phh::usual_spec};
use crate::distinct_names;
use crate::record::replay;

const FORMAT: &str = "Kaggle replay";

/// More chips than anybody can win in a hand; larger numbers would not be exact.
const MOST_CHIPS: f64 = 1e12;

/// A replay; what is not named here says nothing of the hands.
#[derive(Deserialize)]
struct Replay {
    info: Info,
}

#[derive(Deserialize)]
struct Info {
    #[serde(rename = "stateHistory")]
    states: Vec<String>,
    #[serde(rename = "Agents", default)]
    agents: Vec<Agent>,
    #[serde(rename = "TeamNames", default)]
    teams: Vec<String>,
}

#[derive(Deserialize)]
struct Agent {
    #[serde(rename = "Name")]
    name: String,
}

/// A state of the match.
#[derive(Deserialize)]
struct Entry {
    hand_number: u64,
    /// The player with the button.
    dealer: usize,
    small_blind: Chips,
    big_blind: Chips,
    /// What each player has won, for each hand so far.
    hand_returns: Vec<Vec<f64>>,
    /// The state of the hand in play.
    current_universal_poker_json: String,
    /// The last state of the hand before; empty in the first hand.
    #[serde(default)]
    prev_universal_poker_json: String,
}

/// The state of a hand.
#[derive(Deserialize)]
struct HandState {
    acpc_state: String,
    starting_stacks: Vec<Chips>,
    /// Who is to act; below 0 for others than players.
    current_player: i64,
}

impl HandState {
    /// Whether the hand has ended.
    fn is_over(&self) -> bool {
        const TERMINAL: i64 = -4;
        self.current_player == TERMINAL
    }
}

/// Whether a file that begins so is a replay of poker.
pub(super) fn is_start(text: &str) -> bool {
    let object = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    object && ["\"openSpielGame", "repeated_poker"].iter().any(|name| text.contains(name))
}

/// Parses a file's text: the hands with the names by seat, or an error for each that cannot be
/// read.
///
/// Hands of the same game share its definition.
pub(super) fn read(text: &str) -> SiteHands {
    let mut found = SiteHands::default();
    let replay: Replay = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(replay) => replay,
        Err(error) => {
            let cut = error.is_eof();
            let error = ReadError::new(FORMAT, error.line() as u64, error.to_string());
            found.hands.push(Err(ReadError { cut, ..error }));
            return found;
        }
    };
    let Info { states, agents, teams } = replay.info;
    let names: Vec<String> = match agents.is_empty() {
        true => distinct_names(teams),
        false => distinct_names(agents.into_iter().map(|agent| agent.name)),
    };
    let mut shared = None;
    let mut before: Option<Entry> = None;
    for (number, state) in states.iter().enumerate() {
        let entry: Entry = match serde_json::from_str(state) {
            Ok(entry) => entry,
            Err(error) => {
                let reason = format!("state {number} of info.stateHistory: {error}");
                found.hands.push(Err(ReadError::new(FORMAT, 1, reason)));
                return found;
            }
        };
        if let Some(last) = before.filter(|last| last.hand_number != entry.hand_number) {
            let hand = if entry.hand_number == last.hand_number + 1 {
                let (state, returns) = (&entry.prev_universal_poker_json, &entry.hand_returns);
                read_hand(&last, state, returns, &names, &mut shared)
            } else {
                Err(format!("hand {} follows on it", entry.hand_number).into())
            };
            found.hands.push(hand.map_err(|refusal| refused(refusal, last.hand_number)));
        }
        before = Some(entry);
    }
    // The last hand has no entry after it.
    if let Some(last) = before {
        let (state, returns) = (&last.current_universal_poker_json, &last.hand_returns);
        let over = serde_json::from_str(state).is_ok_and(|state: HandState| state.is_over());
        let hand = read_hand(&last, state, returns, &names, &mut shared);
        let hand = hand.map_err(|refusal| refused(refusal, last.hand_number));
        found.hands.push(hand.map_err(|error| ReadError { cut: !over, ..error }));
    }
    found
}

fn refused(refusal: Refusal, hand: u64) -> ReadError {
    refusal.at_place(&format!("hand {hand}")).error(FORMAT, 1)
}

/// Replays a hand from its last state. `returns` has what each player has won, for each hand.
fn read_hand(
    entry: &Entry,
    state: &str,
    returns: &[Vec<f64>],
    names: &[String],
    shared: &mut Option<Arc<GameDef>>,
) -> Result<SiteHand, Refusal> {
    let HandState { acpc_state, starting_stacks, .. } =
        serde_json::from_str(state).map_err(|error| format!("its last state: {error}"))?;
    let count = starting_stacks.len();
    if count != names.len() {
        let reason = format!("{count} of {} players are dealt in", names.len());
        return Err(Refusal::unsupported("with players who are out", reason));
    }
    if entry.dealer >= count {
        return Err(format!("player {} has the button, of {count}", entry.dealer).into());
    }
    // The first seat of the rules is the one after the button, which is the last.
    let players: Vec<usize> = (1..=count).map(|k| (entry.dealer + k) % count).collect();
    let stacks = players.iter().map(|&player| starting_stacks[player]).collect();
    let def = game(stacks, [entry.small_blind, entry.big_blind])?;
    let def = match shared {
        Some(known) if **known == def => Arc::clone(known),
        _ => Arc::clone(shared.insert(Arc::new(def))),
    };

    let line = acpc_state.lines().next().unwrap_or_default();
    let mut parts = line.strip_prefix("STATE:").unwrap_or_default().splitn(3, ':');
    let (Some(_), Some(betting), Some(cards)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(format!("`{line}` is not STATE:HAND:BETTING:CARDS").into());
    };
    let (hole, board) = cards.split_once('/').unwrap_or((cards, ""));
    let hole: Vec<&str> = hole.split('|').collect();
    if hole.len() != count {
        return Err(format!("`{line}` has cards of {} players, not {count}", hole.len()).into());
    }
    let hole: Vec<&str> = players.iter().map(|&player| hole[player]).collect();
    let mut cards = hole.join("|");
    if !board.is_empty() {
        cards.push('/');
        cards.push_str(board);
    }

    let won = usize::try_from(entry.hand_number).ok().and_then(|hand| returns.get(hand));
    let won = won.filter(|won| won.len() == count).ok_or("hand_returns does not have it")?;
    let mut payoffs = BySeat::new(count);
    for (seat, &player) in def.seats().zip(&players) {
        let chips = won[player];
        if chips.is_nan() || chips.abs() >= MOST_CHIPS {
            return Err(format!("hand_returns has {chips}, which is no amount of chips").into());
        }
        payoffs[seat] = Payoff::from_parts((chips * Payoff::PER_CHIP as f64).round() as i64);
    }
    let seated: Vec<u8> = players.iter().map(|&player| player as u8).collect();
    let entrants = BySeat::from_slice(&seated).ok_or("these are too many players")?;
    let hand = entry.hand_number;
    let record = replay(&def, hand, hand, betting, &cards, Some(payoffs), entrants)?;
    Ok((record, players.iter().map(|&player| names[player].clone()).collect()))
}

/// The game with these stacks by seat and these blinds.
fn game(stacks: Vec<Chips>, [small, big]: [Chips; 2]) -> Result<GameDef, String> {
    let players = stacks.len();
    if players < 2 || players > usize::from(u8::MAX) {
        return Err(format!("{players} players are dealt in"));
    }
    let mut blinds = vec![0; players];
    (blinds[0], blinds[1]) = (small, big);
    let usual = games::nolimit_holdem();
    let spec =
        GameSpec { betting: Betting::NoLimit, players, stacks, blinds, ..usual.spec().clone() };
    GameDef::new(usual_spec(&spec)).map_err(|error| error.to_string())
}
