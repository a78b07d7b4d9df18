//! Strict reading of a host's answers: JSON of the right shape, of our game, with a betting that
//! the rules engine can replay and figures that agree with it.
//!
//! Fields that are not known are left aside, except for those that could mean another game: every
//! further field of `game` that says something, and fields elsewhere whose name tells of an ante, a
//! straddle, a rake and the like. Such an answer ends a run, with the field named.
//!
//! Whether an answer fits the hand as it was before is checked by [`Client`](super::Client).

use std::sync::Arc;

use cards::{Board, CardSet, HoleCards};
use game::{BySeat, GameDef, Payoff, PublicState, Seat, Turn, escape};
use serde_json::{Map, Value};

use super::history::{self, HistoryError};
use super::message::ResultsObject;
use super::{GAME_NAME, OPPONENT};

/// A hand as the host shows it; it is the client's turn, or the hand is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The hand's number at the host.
    pub id: u64,
    /// The client's seat.
    pub seat: Seat,
    /// The betting and the board.
    pub public: PublicState,
    /// The client's cards.
    pub hole: HoleCards,
    /// The result, when the hand is over.
    pub end: Option<End>,
}

/// The end of a hand.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The other player's cards; none when they are not shown.
    pub other: HoleCards,
    /// The client's winnings in chips.
    pub winnings: i64,
    /// The host's estimate of the winnings without luck, in chips.
    pub aivat_score: Option<f64>,
}

/// The class of an answer error, which decides how the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The answer was cut off, or comes from an intermediary: treated as no answer.
    Line,
    /// The answer repeats an earlier one: treated as no answer.
    Again,
    /// The answer has a format that a host of this API does not send.
    Unusable,
    /// The answer is about another game.
    OtherGame,
    /// The answer is impossible or contradicts earlier ones.
    Contradiction,
}

/// Error for an answer that cannot be used. It displays what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AnswerError {
    fault: Fault,
    message: String,
}

impl AnswerError {
    pub(super) fn new(fault: Fault, message: impl Into<String>) -> AnswerError {
        AnswerError { fault, message: message.into() }
    }

    pub(super) fn contradiction(message: impl Into<String>) -> AnswerError {
        AnswerError::new(Fault::Contradiction, message)
    }

    fn unusable(message: impl Into<String>) -> AnswerError {
        AnswerError::new(Fault::Unusable, message)
    }

    fn other_game(message: impl Into<String>) -> AnswerError {
        AnswerError::new(Fault::OtherGame, message)
    }

    /// The class of this error.
    pub fn fault(&self) -> Fault {
        self.fault
    }
}

impl From<HistoryError> for AnswerError {
    fn from(error: HistoryError) -> AnswerError {
        let contradiction = error.reason.is_contradiction();
        let fault = if contradiction { Fault::Contradiction } else { Fault::Unusable };
        AnswerError::new(fault, error.to_string())
    }
}

/// An answer's body for display.
pub fn shown_body(body: &[u8]) -> String {
    const MAX_LENGTH: usize = 1500;
    escape::excerpt_of(body.trim_ascii(), MAX_LENGTH)
}

/// Parses the answer to a new hand or an action. `version` is that of the opponent that the run is
/// against.
///
/// # Errors
/// When it is not what a host sends.
pub fn read(def: &Arc<GameDef>, version: u32, body: &[u8]) -> Result<Shown, AnswerError> {
    hand(def, version, &json(body)?)
}

/// An entry of the list of open hands: its number, and the hand or what is wrong with it.
pub type OpenHand = (u64, Result<Shown, AnswerError>);

/// Parses the list of open hands.
///
/// # Errors
/// When it is no list, or an entry has no number.
pub fn read_list(
    def: &Arc<GameDef>,
    version: u32,
    body: &[u8],
) -> Result<Vec<OpenHand>, AnswerError> {
    let value = json(body)?;
    let Value::Array(entries) = &value else {
        let found = excerpt(&value.to_string());
        return Err(AnswerError::unusable(format!("the answer is not a list of hands: `{found}`")));
    };
    entries.iter().map(|entry| Ok((id(object(entry)?)?, hand(def, version, entry)))).collect()
}

/// Parses the host's results of a key. Fields that are not known are left aside.
///
/// # Errors
/// When one of the known fields is missing or no number.
pub fn read_results(body: &[u8]) -> Result<ResultsObject, AnswerError> {
    let value = json(body)?;
    let shown = excerpt(&value.to_string());
    serde_json::from_value(value).map_err(|error| {
        AnswerError::unusable(format!(
            "the answer is not the results of a key ({error}): `{shown}`"
        ))
    })
}

fn json(body: &[u8]) -> Result<Value, AnswerError> {
    serde_json::from_slice(body).map_err(|error| {
        let start = excerpt(String::from_utf8_lossy(body).trim_start());
        AnswerError::new(Fault::Line, format!("the answer is not JSON ({error}): `{start}`"))
    })
}

fn hand(def: &Arc<GameDef>, version: u32, value: &Value) -> Result<Shown, AnswerError> {
    let fields = object(value)?;
    let id = id(fields)?;
    check_game(def, version, part(fields, "game")?)?;
    check_unknown(fields, &["hand_id", "game", "game_state"], version)?;
    let state = part(fields, "game_state")?;
    check_unknown(state, &STATE_FIELDS, version)?;
    let (seat, holes) = players(state, version)?;
    let other = Seat::new(1 - seat.index()).expect("two seats");
    let Some(hole) = holes[seat.index()].cards else {
        return Err(AnswerError::unusable("the answer does not show this player's own cards"));
    };
    let board: Board = cards(state, "board_cards")?.unwrap_or_default();
    if !matches!(board.len(), 0 | 3..=5) {
        let message = format!("the answer's field `board_cards` holds {} cards", board.len());
        return Err(AnswerError::contradiction(message));
    }
    let mut seen = CardSet::EMPTY;
    let shown = holes.iter().filter_map(|player| player.cards);
    for card in shown.flat_map(|hole| hole.to_vec()).chain(board.to_vec()) {
        if !seen.insert(card) {
            let message = format!("the card {card} appears twice in the answer");
            return Err(AnswerError::contradiction(message));
        }
    }
    let public = history::replay(def, &list(state, "action_history")?, &board)?;
    let over = flag(state, "is_hand_over")?;
    check_turn(&public, seat, over)?;
    let end = if over {
        Some(end(state, &public, seat, [hole, holes[other.index()].cards.unwrap_or_default()])?)
    } else {
        check_open(state, &public, &holes)?;
        None
    };
    Ok(Shown { id, seat, public, hole, end })
}

/// The known fields of `game_state`.
const STATE_FIELDS: [&str; 13] = [
    "street",
    "common_pot",
    "total_pot",
    "board_cards",
    "is_hand_over",
    "players",
    "legal_actions",
    "raise_range",
    "action_history",
    "has_gto_wizard_folded",
    "winnings",
    "aivat_score",
    "gto_wizard_version",
];

/// The known fields of `game`; any other that says something could mean another game.
const GAME_FIELDS: [&str; 6] =
    ["game_id", "game_name", "game_format", "starting_stack", "blinds", "stack_reset_per_hand"];

/// Fields of `game` that describe it and change nothing.
const WORDS: [&str; 6] =
    ["description", "display_name", "created_at", "updated_at", "num_players", "currency"];

/// Parts of names of fields that could change a hand, wherever they stand.
const CHANGING: [&str; 9] =
    ["ante", "straddle", "rake", "bomb", "blind", "button_blind", "run_it", "deck", "stack_depth"];

fn check_game(def: &GameDef, version: u32, game: &Map<String, Value>) -> Result<(), AnswerError> {
    check_version(game, version)?;
    let other = |field: &str, expected: &str| {
        let found = excerpt(&game.get(field).unwrap_or(&Value::Null).to_string());
        AnswerError::other_game(format!(
            "the answer's field `game.{field}` is {found}, not {expected}: this is another game \
             than {GAME_NAME}"
        ))
    };
    if game.get("game_name").and_then(Value::as_str) != Some(GAME_NAME) {
        return Err(other("game_name", &format!("\"{GAME_NAME}\"")));
    }
    let stack = f64::from(def.stacks.iter().copied().max().unwrap_or_default());
    if game.get("starting_stack").and_then(Value::as_f64) != Some(stack) {
        return Err(other("starting_stack", &stack.to_string()));
    }
    // In either order: clients have seen both.
    let ours = def.blinds.iter().map(|&blind| f64::from(blind));
    let (ours, mut blinds): (Vec<f64>, Vec<f64>) = (ours.collect(), Vec::new());
    if let Some(theirs) = game.get("blinds").and_then(Value::as_array) {
        blinds.extend(theirs.iter().map(|blind| blind.as_f64().unwrap_or(f64::NAN)));
    }
    let reversed: Vec<f64> = blinds.iter().rev().copied().collect();
    if blinds != ours && reversed != ours {
        return Err(other("blinds", "50 and 100"));
    }
    if game.get("stack_reset_per_hand") != Some(&Value::Bool(true)) {
        return Err(other("stack_reset_per_hand", "true"));
    }
    let known = |field: &str| {
        GAME_FIELDS.contains(&field) || WORDS.contains(&field) || field == "gto_wizard_version"
    };
    let says = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) => true,
    };
    match game.iter().find(|(field, value)| !known(field) && says(value)) {
        Some((field, value)) => Err(could_change(&format!("game.{field}"), value)),
        None => Ok(()),
    }
}

fn could_change(field: &str, value: &Value) -> AnswerError {
    AnswerError::other_game(format!(
        "the answer's field `{}` is {}: it is not known here and could mean another game",
        escape::excerpt(field),
        excerpt(&value.to_string())
    ))
}

/// Refuses fields whose names tell that the hand could be another game's.
fn check_unknown(
    fields: &Map<String, Value>,
    known: &[&str],
    version: u32,
) -> Result<(), AnswerError> {
    check_version(fields, version)?;
    let changing = |(field, value): &(&String, &Value)| {
        let lower = field.to_lowercase();
        !known.contains(&field.as_str())
            && CHANGING.iter().any(|word| lower.contains(word))
            && !(value.is_null() || value.as_f64() == Some(0.0) || value.as_bool() == Some(false))
    };
    fields.iter().find(changing).map_or(Ok(()), |(field, value)| Err(could_change(field, value)))
}

/// Refuses an answer that names another version of the opponent.
fn check_version(fields: &Map<String, Value>, version: u32) -> Result<(), AnswerError> {
    let said = fields.get("gto_wizard_version").filter(|said| !said.is_null());
    match said {
        Some(said) if said.as_u64() != Some(version.into()) => {
            Err(AnswerError::other_game(format!(
                "the opponent's version is {}, and the run is against {version}: versions are \
                 different opponents",
                excerpt(&said.to_string())
            )))
        }
        _ => Ok(()),
    }
}

/// A player as shown.
#[derive(Debug, Clone, Copy, Default)]
struct Player {
    stack: f64,
    cards: Option<HoleCards>,
}

/// The client's seat, and the players by seat: the opponent has its usual name, and the client is
/// the other one, whichever cards are visible.
fn players(state: &Map<String, Value>, version: u32) -> Result<(Seat, [Player; 2]), AnswerError> {
    const KNOWN: [&str; 4] = ["name", "stack", "position", "hole_cards"];
    let field = "players";
    let value = needed(state, field)?;
    let list = value.as_array().filter(|list| list.len() == 2);
    let list = list.ok_or_else(|| wrong(field, value, "a list of two players"))?;
    let mut players = [None; 2];
    let mut opponents = Vec::new();
    for player in list {
        let player = object(player)?;
        check_unknown(player, &KNOWN, version)?;
        let seat = match text(player, "position")? {
            "BB" => 0,
            "SB" => 1,
            _ => return Err(wrong("position", needed(player, "position")?, "\"SB\" or \"BB\"")),
        };
        let name = text(player, "name")?;
        if name.trim().eq_ignore_ascii_case(OPPONENT) {
            opponents.push(seat);
        }
        let cards: Option<HoleCards> = cards(player, "hole_cards")?;
        if let Some(cards) = cards.filter(|cards| cards.len() != 2) {
            let message = format!("the answer's field `hole_cards` holds {} cards", cards.len());
            return Err(AnswerError::unusable(message));
        }
        players[seat] = Some(Player { stack: number(player, "stack")?, cards });
    }
    let [Some(big), Some(small)] = players else {
        return Err(AnswerError::contradiction("both players have the same position"));
    };
    let [opponent] = opponents[..] else {
        let names: Vec<&str> = list.iter().filter_map(|player| player["name"].as_str()).collect();
        let names = escape::excerpt(&names.join(", "));
        return Err(AnswerError::unusable(format!(
            "one player must be named {OPPONENT}, but the players are {names}"
        )));
    };
    let seat = Seat::new(1 - opponent).expect("two seats");
    Ok((seat, [big, small]))
}

/// Checks that it is the client's turn, or the hand is over.
fn check_turn(public: &PublicState, seat: Seat, over: bool) -> Result<(), AnswerError> {
    let said = |said: &str, is: &str| {
        let betting = history::write(public).join(" ");
        Err(AnswerError::contradiction(format!(
            "after `{betting}` the answer says that {said}, but by the rules {is}"
        )))
    };
    match public.turn() {
        Turn::Over if over => Ok(()),
        Turn::Over => said("the hand goes on", "it is over"),
        _ if over => said("the hand is over", "it goes on"),
        Turn::Act(actor) if actor == seat => Ok(()),
        Turn::Act(_) | Turn::Deal(_) => said("this side is to act", "the other side is"),
    }
}

/// Compares the figures of a hand in play with the rules engine's.
fn check_open(
    state: &Map<String, Value>,
    public: &PublicState,
    players: &[Player; 2],
) -> Result<(), AnswerError> {
    let betting = || history::write(public).join(" ");
    let differs = |what: &str, theirs: String, ours: String| {
        Err(AnswerError::contradiction(format!(
            "after `{}` the answer's {what} is {theirs}, but by the rules {ours}",
            betting()
        )))
    };
    let street = text(state, "street")?;
    if street != public.street().name() {
        let ours = format!("`{}`", public.street().name());
        return differs("street", format!("`{}`", escape::excerpt(street)), ours);
    }
    for (seat, player) in public.def().seats().zip(players) {
        let ours = public.stack(seat);
        if player.stack != f64::from(ours) {
            let position = if seat.index() == 0 { "stack of the BB" } else { "stack of the SB" };
            return differs(position, player.stack.to_string(), ours.to_string());
        }
    }
    let legal = public.legal();
    let before = public.before_street();
    let ours = legal.raise.map(|raise| [raise.min - before, raise.max - before].map(f64::from));
    let range = state.get("raise_range").filter(|range| !range.is_null());
    let theirs = match range {
        None => None,
        Some(range) => {
            let range = object(range)?;
            Some([number(range, "min")?, number(range, "max")?])
        }
    };
    // Where no bet is possible some may still write a range.
    if let Some(ours) = ours
        && theirs != Some(ours)
    {
        let shown = |range: Option<[f64; 2]>| match range {
            None => "nothing".to_owned(),
            Some([min, max]) => format!("{min} to {max}"),
        };
        return differs("raise_range", shown(theirs), shown(Some(ours)));
    }
    let actions = list(state, "legal_actions")?;
    let needed = [if legal.fold { "c" } else { "k" }, if legal.fold { "f" } else { "k" }];
    let bets = legal.raise.is_some().then_some("b");
    let missing =
        needed.into_iter().chain(bets).find(|needed| !actions.iter().any(|a| a == needed));
    let excess = actions.iter().find(|action| match action.as_str() {
        "c" => !legal.fold,
        "k" => legal.fold,
        "b" => legal.raise.is_none(),
        // A fold where nothing is owed is of no use, but no contradiction.
        "f" => false,
        _ => true,
    });
    if missing.is_some() || excess.is_some() {
        let ours: Vec<&str> = needed.into_iter().chain(bets).collect();
        let theirs = escape::excerpt(&actions.join(" "));
        return differs("legal_actions", theirs, ours.join(" "));
    }
    Ok(())
}

/// The end of a hand, compared with the rules engine's.
fn end(
    state: &Map<String, Value>,
    public: &PublicState,
    seat: Seat,
    [hole, other]: [HoleCards; 2],
) -> Result<End, AnswerError> {
    let betting = || history::write(public).join(" ");
    let folded = public.folded().contains(Seat::new(1 - seat.index()).expect("two seats"));
    if let Some(theirs) = state.get("has_gto_wizard_folded").and_then(Value::as_bool)
        && theirs != folded
    {
        return Err(AnswerError::contradiction(format!(
            "after `{}` the answer's has_gto_wizard_folded is {theirs}, but must be {folded}",
            betting()
        )));
    }
    let winnings = number(state, "winnings")?;
    if public.is_showdown() && other.len() != 2 {
        return Err(AnswerError::unusable("the answer does not show the other cards at showdown"));
    }
    let holes = BySeat::from_fn(2, |s| if s == seat { hole } else { other });
    let ours = public.payoffs(&holes)[seat];
    // Both have put in the same amount at a showdown, so results are whole.
    let whole = winnings as i64;
    if winnings.fract() != 0.0 || Payoff::from_chips(whole) != ours {
        return Err(AnswerError::contradiction(format!(
            "after `{}` on {} the answer's winnings are {winnings}, but the cards ({hole} and \
             {other}) and the betting give {ours}",
            betting(),
            if public.board().is_empty() {
                "no board".to_owned()
            } else {
                public.board().to_string()
            }
        )));
    }
    let aivat_score = match state.get("aivat_score").filter(|score| !score.is_null()) {
        None => None,
        Some(score) => {
            let stack = f64::from(public.def().stacks[0]);
            let value = score.as_f64();
            let value = value.filter(|value| value.is_finite() && value.abs() <= 10.0 * stack);
            Some(value.ok_or_else(|| wrong("aivat_score", score, "a possible number of chips"))?)
        }
    };
    Ok(End { other, winnings: whole, aivat_score })
}

/// A bound beyond any sum of chips that can occur, and far from overflow.
const MAX_NUMBER: f64 = 999_999_999_999_999.0;

fn object(value: &Value) -> Result<&Map<String, Value>, AnswerError> {
    let message = || format!("the answer is not a JSON object: `{}`", excerpt(&value.to_string()));
    value.as_object().ok_or_else(|| AnswerError::unusable(message()))
}

fn needed<'a>(fields: &'a Map<String, Value>, field: &str) -> Result<&'a Value, AnswerError> {
    let value = fields.get(field).filter(|value| !value.is_null());
    value.ok_or_else(|| AnswerError::unusable(format!("the answer has no field `{field}`")))
}

fn wrong(field: &str, found: &Value, expected: &str) -> AnswerError {
    let found = excerpt(&found.to_string());
    AnswerError::unusable(format!("the answer's field `{field}` is {found}, not {expected}"))
}

fn part<'a>(
    fields: &'a Map<String, Value>,
    field: &str,
) -> Result<&'a Map<String, Value>, AnswerError> {
    let value = needed(fields, field)?;
    value.as_object().ok_or_else(|| wrong(field, value, "an object"))
}

fn id(fields: &Map<String, Value>) -> Result<u64, AnswerError> {
    let value = needed(fields, "hand_id")?;
    let id = value.as_u64().filter(|&id| id as f64 <= MAX_NUMBER);
    id.ok_or_else(|| wrong("hand_id", value, "a whole number of at most 15 digits"))
}

fn text<'a>(fields: &'a Map<String, Value>, field: &str) -> Result<&'a str, AnswerError> {
    let value = needed(fields, field)?;
    value.as_str().ok_or_else(|| wrong(field, value, "a text"))
}

fn flag(fields: &Map<String, Value>, field: &str) -> Result<bool, AnswerError> {
    let value = needed(fields, field)?;
    value.as_bool().ok_or_else(|| wrong(field, value, "true or false"))
}

fn number(fields: &Map<String, Value>, field: &str) -> Result<f64, AnswerError> {
    let value = needed(fields, field)?;
    let number = value.as_f64().filter(|number| number.abs() <= MAX_NUMBER);
    number.ok_or_else(|| wrong(field, value, "a number of chips"))
}

fn list(fields: &Map<String, Value>, field: &str) -> Result<Vec<String>, AnswerError> {
    let value = needed(fields, field)?;
    let texts =
        |list: &Vec<Value>| list.iter().map(|text| text.as_str().map(str::to_owned)).collect();
    let list: Option<Vec<String>> = value.as_array().and_then(texts);
    list.ok_or_else(|| wrong(field, value, "a list of texts"))
}

/// Cards without separators; `None` when there is no text.
fn cards<T: std::str::FromStr>(
    fields: &Map<String, Value>,
    field: &str,
) -> Result<Option<T>, AnswerError> {
    let Some(value) = fields.get(field).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.as_str().map(str::trim);
    if text == Some("") {
        return Ok(None);
    }
    let cards = text.and_then(|text| text.parse().ok());
    cards.map(Some).ok_or_else(|| wrong(field, value, "cards such as \"9c4d5h\""))
}

/// The beginning of a text for display, on one line.
fn excerpt(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    escape::excerpt_of(words.join(" ").as_bytes(), 80)
}
