//! What a host answers, read strictly: JSON of the right shape, cards that are cards, each standing
//! once.
//!
//! Whether an answer fits the hand that was played is for [`Client`](super::Client) to say.

use cards::{Board, Card, CardSet, HoleCards};
use game::{Seat, escape};
use serde_json::{Map, Value};

use super::action::{ActionError, ActionReason};

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The hand as it stands.
    Hand(Box<Shown>),
    /// The request is refused and nothing has changed.
    Error {
        /// Why.
        error_msg: String,
        /// The betting so far, where it is told.
        old_action: Option<String>,
    },
    /// A session, the answer to `login`.
    Token(String),
}

/// A hand as the host shows it.
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
    /// The cards on the table: none, three, four or five.
    pub board: Board,
    /// What came of the hand, when it is over.
    pub end: Option<End>,
    /// A session to use from now on.
    pub token: Option<String>,
}

/// What came of a hand, in chips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The bot's two cards.
    pub bot_hole_cards: HoleCards,
    /// What the client won or lost.
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

/// Why an answer cannot be what a Slumbot server sends: their bytes are wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// A web page.
    #[error("the answer is a web page, not JSON: `{0}`")]
    WebPage(String),
    /// Not JSON, or JSON that ends too early.
    #[error("the answer is not JSON ({reason}): `{excerpt}`")]
    NotJson {
        /// What the reader says.
        reason: String,
        /// How the answer begins.
        excerpt: String,
    },
    /// JSON, but no object.
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
        /// What stands there, cut.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// A field has the wrong number of cards.
    #[error("the answer's field `{field}` holds {found} cards")]
    Count {
        /// The field.
        field: &'static str,
        /// Cards there.
        found: usize,
    },
    /// A number is far beyond all that can be won, lost or counted.
    #[error("the answer's field `{field}` is {found}, which is beyond all chips")]
    Beyond {
        /// The field.
        field: &'static str,
        /// What stands there, cut.
        found: String,
    },
    /// A card stands twice.
    #[error("the card {0} stands twice in the answer")]
    Repeated(Card),
    /// The session's token is empty.
    #[error("the answer's token is empty")]
    EmptyToken,
    /// A new session without a token.
    #[error("the first answer has no token")]
    NoToken,
    /// A token where a hand should be, or the other way round.
    #[error("the answer is {found}, not {expected}")]
    Kind {
        /// What it is.
        found: &'static str,
        /// What was asked for.
        expected: &'static str,
    },
    /// The betting makes no sense.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// The betting does not go on from where it was.
    #[error("the betting `{now}` does not go on from `{before}` with `{sent}`")]
    NotExtending {
        /// The betting as it was.
        before: String,
        /// The action sent.
        sent: String,
        /// The betting in the answer.
        now: String,
    },
    /// `old_action` is not how the betting began.
    #[error("`old_action` is `{old}`, but the betting is `{now}`")]
    OldAction {
        /// What `old_action` says.
        old: String,
        /// The betting.
        now: String,
    },
    /// A new hand in which the client is said to have acted.
    #[error("a new hand begins with `{0}`, in which this side has acted already")]
    NotNew(String),
    /// The hand goes on, but it is not this side's turn.
    #[error("after `{0}` it is not this side's turn, and the hand is not over")]
    NotOurTurn(String),
    /// `winnings`, but the hand is not over.
    #[error("the answer has winnings, but after `{0}` the hand is not over")]
    EarlyEnd(String),
    /// The hand is over, but there is no `winnings`.
    #[error("after `{0}` the hand is over, but the answer has no winnings")]
    NoEnd(String),
    /// Cards are not those shown before.
    #[error("the answer's field `{field}` is {now}, but was {before}")]
    Changed {
        /// The field.
        field: &'static str,
        /// What was shown before.
        before: String,
        /// What is shown now.
        now: String,
    },
    /// The hand as it was before the action that was sent.
    #[error("the answer shows the hand as it was before (`{0}`)")]
    Unchanged(String),
    /// A hand that was shown and ended before.
    #[error("the answer shows an earlier hand again (`{0}`)")]
    Earlier(String),
    /// The end of a hand, told before and otherwise.
    #[error("the end of a hand is told twice: now as {now}, before as {before}")]
    EndTwice {
        /// How it was told before.
        before: String,
        /// How it is told now.
        now: String,
    },
    /// A hand ends that is not counted as one more.
    #[error("a hand ends as number {now} of the session, of which {before} had ended before")]
    Counted {
        /// Hands that had ended.
        before: u64,
        /// The number of this one.
        now: u64,
    },
}

/// What an answer that cannot be taken tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It was cut on the way, or comes from something in between: as good as no answer.
    Line,
    /// It was given before: as good as no answer, unless it goes on.
    Again,
    /// It is not what a Slumbot server sends: such as one that has changed its format.
    Unusable,
    /// It says what cannot be, or something else than what was said before.
    Contradiction,
}

impl AnswerError {
    /// Whether the answer looks like the beginning of a good one.
    pub fn is_cut(&self) -> bool {
        let begins = |excerpt: &str| excerpt.is_empty() || excerpt.starts_with('{');
        matches!(self, AnswerError::NotJson { excerpt, .. } if begins(excerpt))
    }

    /// What it tells.
    pub fn fault(&self) -> Fault {
        use AnswerError as E;
        match self {
            E::WebPage(_) | E::NotJson { .. } => Fault::Line,
            E::Unchanged(_) | E::Earlier(_) => Fault::Again,
            E::Count { field: "board", .. }
            | E::Beyond { .. }
            | E::Repeated(_)
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
            | E::NotNew(_)
            | E::NotOurTurn(_)
            | E::NoEnd(_) => Fault::Unusable,
        }
    }
}

/// An answer's body as it may be shown, without the session's token.
pub fn shown_body(body: &[u8]) -> String {
    const MOST: usize = 500;
    let text = String::from_utf8_lossy(body);
    let value = serde_json::from_slice::<Value>(body).ok();
    let token = value.as_ref().and_then(|value| value.get("token")?.as_str());
    let token = token.map(|token| format!("\"{token}\"")).filter(|token| text.contains(token));
    let text = match token {
        Some(token) => text.replace(&token, "\"…\""),
        // Wherever it may stand, it stands after its name.
        None => text.split("\"token\"").next().unwrap_or_default().to_owned(),
    };
    escape::excerpt_of(text.trim().as_bytes(), MOST)
}

/// Reads an answer's body.
///
/// # Errors When it is not what a host sends. Fields that are not known count for nothing, `null`
/// counts as absent.
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
/// Beyond any sum of chips that can be, and far from where sums overflow.
const MOST: i64 = 999_999_999_999_999;

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
        // What a token is must not show in a message.
        Some(_) if field == "token" => {
            Err(AnswerError::Type { field, found: "something else".into(), expected: "a text" })
        }
        Some(other) => Err(wrong(field, other, "a text")),
    }
}

fn number(fields: &Map<String, Value>, field: &'static str) -> Result<Option<i64>, AnswerError> {
    let Some(value) = present(fields, field) else { return Ok(None) };
    if value.as_f64().is_some_and(|number| number.abs() > MOST as f64) {
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

/// The beginning of a text, on one line, without a token.
fn excerpt(text: &str) -> String {
    let text = text.split("token").next().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(20).collect();
    escape::excerpt_of(words.join(" ").as_bytes(), 80)
}
