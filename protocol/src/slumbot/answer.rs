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

/// Error for an answer that a Slumbot server cannot have meant to send: its bytes are at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The answer is a web page.
    #[error("the answer is a web page, not JSON: `{0}`")]
    WebPage(String),
    /// The answer is not JSON, or is truncated JSON.
    #[error("the answer is not JSON ({reason}): `{excerpt}`")]
    NotJson {
        /// The JSON parser's message.
        reason: String,
        /// The beginning of the answer.
        excerpt: String,
    },
    /// The answer is JSON, but not an object.
    #[error("the answer is not a JSON object: `{0}`")]
    NotAnObject(String),
    /// A field is missing.
    #[error("the answer has no field `{0}`")]
    Missing(&'static str),
    /// A field has a value of the wrong type.
    #[error("the answer's field `{field}` is {found}, not {expected}")]
    Type {
        /// The field.
        field: &'static str,
        /// The value there, shortened.
        found: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A field has the wrong number of cards.
    #[error("the answer's field `{field}` holds {found} cards")]
    Count {
        /// The field.
        field: &'static str,
        /// Number of cards there.
        found: usize,
    },
    /// A number is beyond any possible sum or count.
    #[error("the answer's field `{field}` is {found}, which is more than all chips")]
    Beyond {
        /// The field.
        field: &'static str,
        /// The value there, shortened.
        found: String,
    },
    /// A sum differs from the one that follows from the hand and the sums before.
    #[error("the answer's field `{field}` is {theirs}, but must be {ours}")]
    Figure {
        /// The field.
        field: &'static str,
        /// The host's figure.
        theirs: i64,
        /// The correct figure.
        ours: i64,
    },
    /// A card occurs twice.
    #[error("the card {0} appears twice in the answer")]
    Repeated(Card),
    /// The session's token is empty.
    #[error("the answer's token is empty")]
    EmptyToken,
    /// A new session without a token.
    #[error("the first answer has no token")]
    NoToken,
    /// A token in place of a hand, or the other way round.
    #[error("the answer is {found}, not {expected}")]
    Kind {
        /// The kind of answer received.
        found: &'static str,
        /// The kind of answer that the request calls for.
        expected: &'static str,
    },
    /// The betting is invalid.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// The betting does not extend the betting before it.
    #[error("the betting `{now}` does not continue from `{before}` with `{sent}`")]
    NotExtending {
        /// The previous betting.
        before: String,
        /// The action sent.
        sent: String,
        /// The betting in the answer.
        now: String,
    },
    /// `old_action` is not a prefix of the betting.
    #[error("`old_action` is `{old}`, but the betting is `{now}`")]
    OldAction {
        /// The value of `old_action`.
        old: String,
        /// The betting.
        now: String,
    },
    /// A new hand in which the client has already acted, according to its betting.
    #[error("a new hand begins with `{0}`, in which this side has acted already")]
    NotNew(String),
    /// A new hand in the wrong seat.
    #[error("a new hand has client_pos {now}, but the seats alternate, and {due} is due")]
    Seat {
        /// The seat in the answer.
        now: u8,
        /// The seat that is next.
        due: u8,
    },
    /// The hand goes on, but it is not this side's turn.
    #[error("after `{0}` it is not this side's turn, and the hand is not over")]
    NotOurTurn(String),
    /// `winnings`, but the hand is not over.
    #[error("the answer has winnings, but after `{0}` the hand is not over")]
    EarlyEnd(String),
    /// The hand is over, but there is no `winnings`.
    #[error("after `{0}` the hand is over, but the answer has no winnings")]
    NoEnd(String),
    /// Cards differ from those shown before.
    #[error("the answer's field `{field}` is {now}, but was {before}")]
    Changed {
        /// The field.
        field: &'static str,
        /// The cards shown before.
        before: String,
        /// The cards shown now.
        now: String,
    },
    /// The answer shows the hand as it was before the action that was sent.
    #[error("the answer shows the hand as it was before (`{0}`)")]
    Unchanged(String),
    /// The answer shows a hand that was shown and ended before.
    #[error("the answer shows an earlier hand again (`{0}`)")]
    Earlier(String),
    /// A hand's end is reported again, with other contents.
    #[error("the end of a hand is reported twice: now as {now}, before as {before}")]
    EndTwice {
        /// The first report.
        before: String,
        /// The new report.
        now: String,
    },
    /// A hand ends without the host's hand count increasing.
    #[error("a hand ends as number {now} of the session, of which {before} had ended before")]
    Counted {
        /// Number of hands that had ended.
        before: u64,
        /// Hand count in this answer.
        now: u64,
    },
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

impl AnswerError {
    /// Whether the answer looks like a truncated valid one.
    pub fn is_cut(&self) -> bool {
        let begins = |excerpt: &str| excerpt.is_empty() || excerpt.starts_with('{');
        matches!(self, AnswerError::NotJson { excerpt, .. } if begins(excerpt))
    }

    /// The class of this error.
    pub fn fault(&self) -> Fault {
        use AnswerError as E;
        match self {
            E::WebPage(_) | E::NotJson { .. } => Fault::Line,
            E::Unchanged(_) | E::Earlier(_) => Fault::Again,
            E::Count { field: "board", .. }
            | E::Beyond { .. }
            | E::Figure { .. }
            | E::Repeated(_)
            | E::NotNew(_)
            | E::Seat { .. }
            | E::NotOurTurn(_)
            | E::NotExtending { .. }
            | E::OldAction { .. }
            | E::EarlyEnd(_)
            | E::Changed { .. }
            | E::EndTwice { .. }
            | E::Counted { .. } => Fault::Contradiction,
            E::Action(error) => match error.reason {
                ActionReason::Illegal(_) | ActionReason::Deal(_) | ActionReason::Board { .. } => {
                    Fault::Contradiction
                }
                _ => Fault::Unusable,
            },
            E::NotAnObject(_)
            | E::Missing(_)
            | E::Type { .. }
            | E::Count { .. }
            | E::EmptyToken
            | E::NoToken
            | E::Kind { .. }
            | E::NoEnd(_) => Fault::Unusable,
        }
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
            AnswerError::WebPage(excerpt(start))
        } else {
            AnswerError::NotJson { reason: error.to_string(), excerpt: excerpt(start) }
        }
    })?;
    let Value::Object(fields) = value else {
        return Err(AnswerError::NotAnObject(excerpt(&value.to_string())));
    };
    if let Some(error_msg) = text(&fields, "error_msg")? {
        let old_action = text(&fields, "old_action")?;
        return Ok(Answer::Error { error_msg: escape::excerpt(&error_msg), old_action });
    }
    let token = text(&fields, "token")?;
    if token.as_deref() == Some("") {
        return Err(AnswerError::EmptyToken);
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
            return Err(AnswerError::Repeated(card));
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

fn needed<T>(field: &'static str, value: Option<T>) -> Result<T, AnswerError> {
    value.ok_or(AnswerError::Missing(field))
}

fn wrong(field: &'static str, found: &Value, expected: &'static str) -> AnswerError {
    AnswerError::Type { field, found: excerpt(&found.to_string()), expected }
}

fn text(fields: &Map<String, Value>, field: &'static str) -> Result<Option<String>, AnswerError> {
    match present(fields, field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        // A token must not be shown in a message.
        Some(_) if field == "token" => {
            Err(AnswerError::Type { field, found: "something else".into(), expected: "a text" })
        }
        Some(other) => Err(wrong(field, other, "a text")),
    }
}

fn number(fields: &Map<String, Value>, field: &'static str) -> Result<Option<i64>, AnswerError> {
    let Some(value) = present(fields, field) else { return Ok(None) };
    if value.as_f64().is_some_and(|number| number.abs() > MAX_NUMBER as f64) {
        return Err(AnswerError::Beyond { field, found: excerpt(&value.to_string()) });
    }
    value.as_i64().map(Some).ok_or_else(|| wrong(field, value, CHIPS))
}

fn seat(fields: &Map<String, Value>) -> Result<Seat, AnswerError> {
    let field = "client_pos";
    let value = needed(field, present(fields, field))?;
    let seat = value.as_u64().filter(|&seat| seat < 2).and_then(|seat| Seat::new(seat as usize));
    seat.ok_or_else(|| wrong(field, value, "0 or 1"))
}

fn cards(fields: &Map<String, Value>, field: &'static str) -> Result<Vec<Card>, AnswerError> {
    const EXPECTED: &str = "a list of cards such as \"Ac\"";
    let value = needed(field, present(fields, field))?;
    let list = value.as_array().ok_or_else(|| wrong(field, value, EXPECTED))?;
    let card = |value: &Value| value.as_str().and_then(|text| text.parse::<Card>().ok());
    list.iter().map(|value| card(value).ok_or_else(|| wrong(field, value, EXPECTED))).collect()
}

fn hole(fields: &Map<String, Value>, field: &'static str) -> Result<HoleCards, AnswerError> {
    let cards = cards(fields, field)?;
    let two = HoleCards::new(&cards).filter(|hole| hole.len() == 2);
    two.ok_or(AnswerError::Count { field, found: cards.len() })
}

fn board(fields: &Map<String, Value>) -> Result<Board, AnswerError> {
    let field = "board";
    let cards = cards(fields, field)?;
    let board = Board::new(&cards).filter(|board| matches!(board.len(), 0 | 3..=5));
    board.ok_or(AnswerError::Count { field, found: cards.len() })
}

/// The beginning of a text for display, on one line, without a token.
fn excerpt(text: &str) -> String {
    let text = text.split("token").next().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    escape::excerpt_of(words.join(" ").as_bytes(), 80)
}
