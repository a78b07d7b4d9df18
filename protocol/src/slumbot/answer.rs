//! Strict reading of a host's answers: JSON of the right shape, and valid cards without duplicates.
//!
//! Whether an answer fits the hand being played is checked by [`Client`](super::Client).

use cards::{Board, Card, CardSet, HoleCards};
use game::{Seat, escape};
use serde_json::{Map, Value};

use super::action::{ActionError, ActionReason};

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The current view of the hand.
    Hand(Box<Shown>),
    /// A refused request; the session is unchanged.
    Error {
        /// The reason, in the host's words.
        error_msg: String,
        /// The betting so far, if the host includes it.
        old_action: Option<String>,
    },
    /// A session, the answer to `login`.
    Token(String),
}

/// The host's view of a hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The betting before the client's last action.
    pub old_action: Option<String>,
    /// The betting so far.
    pub action: String,
    /// The client's seat.
    pub client_pos: Seat,
    /// The client's two cards.
    pub hole_cards: HoleCards,
    /// The board cards: none, three, four or five.
    pub board: Board,
    /// The result, when the hand is over.
    pub end: Option<End>,
    /// A new session token to use from now on.
    pub token: Option<String>,
}

/// The result of a hand, in chips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The bot's two cards.
    pub bot_hole_cards: HoleCards,
    /// The client's winnings or, negative, losses.
    pub winnings: i64,
    /// The pot with the sign of the result, if given.
    pub won_pot: Option<i64>,
    /// Finished hands of the session, this one included.
    pub session_num_hands: u64,
    /// Winnings less those of the bot's self-play in the client's seat, if given.
    pub baseline_winnings: Option<i64>,
    /// Sum of the winnings over the session.
    pub session_total: i64,
    /// Sum of the baselines over the session, if given.
    pub session_baseline_total: Option<i64>,
}

/// The class of an answer error, which decides how the session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The answer was truncated, or comes from an intermediary: treated as no answer.
    Line,
    /// The answer repeats an earlier one: treated as no answer, unless it keeps recurring.
    Again,
    /// The answer has a format that a Slumbot server does not send.
    Unusable,
    /// The answer is impossible or contradicts earlier ones.
    Contradiction,
}

/// Error for an answer that cannot be used. It displays what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AnswerError {
    fault: Fault,
    message: String,
    is_cut: bool,
}

impl AnswerError {
    fn new(fault: Fault, message: String) -> AnswerError {
        AnswerError { fault, message, is_cut: false }
    }

    pub(super) fn unusable(message: impl Into<String>) -> AnswerError {
        AnswerError::new(Fault::Unusable, message.into())
    }

    pub(super) fn contradiction(message: impl Into<String>) -> AnswerError {
        AnswerError::new(Fault::Contradiction, message.into())
    }

    /// The answer shows the hand as it was before the action that was sent.
    pub(super) fn unchanged(action: &str) -> AnswerError {
        let message = format!("the answer shows the hand as it was before (`{action}`)");
        AnswerError::new(Fault::Again, message)
    }

    /// The answer shows a hand that was shown and ended before.
    pub(super) fn earlier(action: &str) -> AnswerError {
        let message = format!("the answer shows an earlier hand again (`{action}`)");
        AnswerError::new(Fault::Again, message)
    }

    /// The value of a field differs from the one shown before.
    pub(super) fn changed(field: &str, before: &str, now: &str) -> AnswerError {
        let message = format!("the answer's field `{field}` is {now}, but was {before}");
        AnswerError::contradiction(message)
    }

    /// The betting does not extend the betting before it by the action sent.
    pub(super) fn not_extending(before: &str, sent: &str, now: &str) -> AnswerError {
        let message =
            format!("the betting `{now}` does not continue from `{before}` with `{sent}`");
        AnswerError::contradiction(message)
    }

    /// A sum differs from the one that follows from the hand and the sums before.
    pub(super) fn figure(field: &str, theirs: i64, ours: i64) -> AnswerError {
        let message = format!("the answer's field `{field}` is {theirs}, but must be {ours}");
        AnswerError::contradiction(message)
    }

    /// A number is beyond any possible sum or count.
    pub(super) fn beyond(field: &str, found: impl std::fmt::Display) -> AnswerError {
        let message =
            format!("the answer's field `{field}` is {found}, which is more than all chips");
        AnswerError::contradiction(message)
    }

    /// Whether the answer looks like a truncated valid one.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The class of this error.
    pub fn fault(&self) -> Fault {
        self.fault
    }
}

impl From<ActionError> for AnswerError {
    fn from(error: ActionError) -> AnswerError {
        let fault = match error.reason {
            ActionReason::Illegal(_) | ActionReason::Deal(_) | ActionReason::Board { .. } => {
                Fault::Contradiction
            }
            _ => Fault::Unusable,
        };
        AnswerError::new(fault, error.to_string())
    }
}

/// An answer's body for display, without the session's token.
pub fn shown_body(body: &[u8]) -> String {
    const MAX_LENGTH: usize = 500;
    let text = String::from_utf8_lossy(body);
    let value = serde_json::from_slice::<Value>(body).ok();
    let token = value.as_ref().and_then(|value| value.get("token")?.as_str());
    let token = token.map(|token| format!("\"{token}\"")).filter(|token| text.contains(token));
    let text = match token {
        Some(token) => text.replace(&token, "\"…\""),
        // The token cannot be located: cut the text before its field's name.
        None => text.split("\"token\"").next().unwrap_or_default().to_owned(),
    };
    escape::excerpt_of(text.trim().as_bytes(), MAX_LENGTH)
}

/// Parses an answer's body. Unknown fields are ignored, `null` is read as absent.
///
/// # Errors
/// When it is not what a host sends.
pub fn read(body: &[u8]) -> Result<Answer, AnswerError> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let text = String::from_utf8_lossy(body);
        let start = text.trim_start();
        if start.starts_with('<') {
            let message = format!("the answer is a web page, not JSON: `{}`", excerpt(start));
            AnswerError::new(Fault::Line, message)
        } else {
            let excerpt = excerpt(start);
            let is_cut = excerpt.is_empty() || excerpt.starts_with('{');
            let message = format!("the answer is not JSON ({error}): `{excerpt}`");
            AnswerError { is_cut, ..AnswerError::new(Fault::Line, message) }
        }
    })?;
    let Value::Object(fields) = value else {
        let excerpt = excerpt(&value.to_string());
        return Err(AnswerError::unusable(format!("the answer is not a JSON object: `{excerpt}`")));
    };
    if let Some(error_msg) = text(&fields, "error_msg")? {
        let old_action = text(&fields, "old_action")?;
        return Ok(Answer::Error { error_msg: escape::excerpt(&error_msg), old_action });
    }
    let token = text(&fields, "token")?;
    if token.as_deref() == Some("") {
        return Err(AnswerError::unusable("the answer's token is empty"));
    }
    match token {
        Some(token) if !fields.contains_key("action") => Ok(Answer::Token(token)),
        token => Ok(Answer::Hand(Box::new(shown(&fields, token)?))),
    }
}

fn shown(fields: &Map<String, Value>, token: Option<String>) -> Result<Shown, AnswerError> {
    let shown = Shown {
        old_action: text(fields, "old_action")?,
        action: needed("action", text(fields, "action")?)?,
        client_pos: seat(fields)?,
        hole_cards: hole(fields, "hole_cards")?,
        board: board(fields)?,
        end: if present(fields, "winnings").is_some() { Some(end(fields)?) } else { None },
        token,
    };
    let bot = shown.end.as_ref().map(|end| end.bot_hole_cards).unwrap_or_default();
    let mut seen = CardSet::EMPTY;
    for &card in shown.hole_cards.iter().chain(shown.board.iter()).chain(bot.iter()) {
        if !seen.insert(card) {
            let message = format!("the card {card} appears twice in the answer");
            return Err(AnswerError::contradiction(message));
        }
    }
    Ok(shown)
}

fn end(fields: &Map<String, Value>) -> Result<End, AnswerError> {
    let field = "session_num_hands";
    let hands = needed(field, number(fields, field)?)?;
    Ok(End {
        bot_hole_cards: hole(fields, "bot_hole_cards")?,
        winnings: needed("winnings", number(fields, "winnings")?)?,
        won_pot: number(fields, "won_pot")?,
        session_num_hands: u64::try_from(hands).map_err(|_| wrong(field, &hands.into(), COUNT))?,
        baseline_winnings: number(fields, "baseline_winnings")?,
        session_total: needed("session_total", number(fields, "session_total")?)?,
        session_baseline_total: number(fields, "session_baseline_total")?,
    })
}

const COUNT: &str = "a whole number from 0";
const CHIPS: &str = "a whole number of at most 15 digits";
/// A bound beyond any sum of chips that can occur, and far from overflow.
const MAX_NUMBER: i64 = 999_999_999_999_999;

fn present<'a>(fields: &'a Map<String, Value>, field: &str) -> Option<&'a Value> {
    fields.get(field).filter(|value| !value.is_null())
}

fn needed<T>(field: &str, value: Option<T>) -> Result<T, AnswerError> {
    value.ok_or_else(|| AnswerError::unusable(format!("the answer has no field `{field}`")))
}

fn wrong(field: &str, found: &Value, expected: &str) -> AnswerError {
    wrong_type(field, &excerpt(&found.to_string()), expected)
}

fn wrong_type(field: &str, found: &str, expected: &str) -> AnswerError {
    AnswerError::unusable(format!("the answer's field `{field}` is {found}, not {expected}"))
}

fn text(fields: &Map<String, Value>, field: &str) -> Result<Option<String>, AnswerError> {
    match present(fields, field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        // A token must not be shown in a message.
        Some(_) if field == "token" => Err(wrong_type(field, "something else", "a text")),
        Some(other) => Err(wrong(field, other, "a text")),
    }
}

fn number(fields: &Map<String, Value>, field: &str) -> Result<Option<i64>, AnswerError> {
    let Some(value) = present(fields, field) else { return Ok(None) };
    if value.as_f64().is_some_and(|number| number.abs() > MAX_NUMBER as f64) {
        return Err(AnswerError::beyond(field, excerpt(&value.to_string())));
    }
    value.as_i64().map(Some).ok_or_else(|| wrong(field, value, CHIPS))
}

fn seat(fields: &Map<String, Value>) -> Result<Seat, AnswerError> {
    let field = "client_pos";
    let value = needed(field, present(fields, field))?;
    let seat = value.as_u64().filter(|&seat| seat < 2).and_then(|seat| Seat::new(seat as usize));
    seat.ok_or_else(|| wrong(field, value, "0 or 1"))
}

fn cards(fields: &Map<String, Value>, field: &str) -> Result<Vec<Card>, AnswerError> {
    const EXPECTED: &str = "a list of cards such as \"Ac\"";
    let value = needed(field, present(fields, field))?;
    let list = value.as_array().ok_or_else(|| wrong(field, value, EXPECTED))?;
    let card = |value: &Value| value.as_str().and_then(|text| text.parse::<Card>().ok());
    list.iter().map(|value| card(value).ok_or_else(|| wrong(field, value, EXPECTED))).collect()
}

fn hole(fields: &Map<String, Value>, field: &str) -> Result<HoleCards, AnswerError> {
    let cards = cards(fields, field)?;
    let two = HoleCards::new(&cards).filter(|hole| hole.len() == 2);
    let message = || format!("the answer's field `{field}` holds {} cards", cards.len());
    two.ok_or_else(|| AnswerError::unusable(message()))
}

fn board(fields: &Map<String, Value>) -> Result<Board, AnswerError> {
    let field = "board";
    let cards = cards(fields, field)?;
    let board = Board::new(&cards).filter(|board| matches!(board.len(), 0 | 3..=5));
    let message = || format!("the answer's field `{field}` holds {} cards", cards.len());
    board.ok_or_else(|| AnswerError::contradiction(message()))
}

/// The beginning of a text for display, on one line, without a token.
fn excerpt(text: &str) -> String {
    let text = text.split("token").next().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    escape::excerpt_of(words.join(" ").as_bytes(), 80)
}
