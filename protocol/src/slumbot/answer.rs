//! Strict reading of a host's answers: JSON of the right shape, and valid cards without duplicates.
//!
//! Whether an answer fits the hand being played is checked by [`Client`](super::Client).

use cards::{Board, Card, CardSet, HoleCards};
use crate::{slumbot::action::ActionError, slumbot::action::ActionReason};
use game::{Seat, escape};
use serde_json::{Map, Value};

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

// Explaining a difference between two sums by the hands that may be in it.

/// The most steps of a search; a difference with more explanations than that is not explained
/// hand by hand.
const MAX_STEPS: u32 = 200_000;

/// One way in which a hand, or several that are alike, may be in the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    /// Number of hands counted.
    count: u64,
    /// The least chips, and the most.
    chips: [i64; 2],
}

impl Share {
    /// `count` hands with exactly these chips.
    fn exactly(count: u64, chips: i64) -> Share {
        Share { count, chips: [chips; 2] }
    }
}

/// What all explanations agree on about one unit; `None` where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Agreed {
    /// The share, as an index.
    share: Option<usize>,
    /// Number of hands counted.
    count: Option<u64>,
    /// Their chips.
    chips: Option<i64>,
}

/// Takes one share of each unit so that together they have `count` hands and can have `chips`;
/// gives what all such choices agree on, and `None` if there is no such choice.
fn explain(units: &[Vec<Share>], count: u64, chips: i64) -> Option<Vec<Agreed>> {
    // What the units from each on can add at the most, and their chips at the least.
    let mut reach = vec![(0, [0, 0])];
    for shares in units.iter().rev() {
        let (most, [low, high]) = reach[reach.len() - 1];
        let ends = |end: usize| shares.iter().map(move |share| share.chips[end]);
        let count = shares.iter().map(|share| share.count).max().unwrap_or_default();
        let low = low + ends(0).min().unwrap_or_default();
        reach.push((most + count, [low, high + ends(1).max().unwrap_or_default()]));
    }
    reach.reverse();
    let chosen = Vec::with_capacity(units.len());
    let mut search = Search { units, reach, chosen, agreed: None, steps: 0 };
    search.go(count, [chips; 2]);
    let open = Agreed { share: None, count: None, chips: None };
    if search.steps > MAX_STEPS { Some(vec![open; units.len()]) } else { search.agreed }
}

struct Search<'a> {
    units: &'a [Vec<Share>],
    reach: Vec<(u64, [i64; 2])>,
    chosen: Vec<usize>,
    agreed: Option<Vec<Agreed>>,
    steps: u32,
}

impl Search<'_> {
    /// Goes on with `count` hands left to explain, and chips left: all of them less the most that
    /// was chosen, and less the least.
    fn go(&mut self, count: u64, left: [i64; 2]) {
        let at = self.chosen.len();
        let (most, [low, high]) = self.reach[at];
        self.steps += 1;
        if count > most || left[1] < low || left[0] > high || self.steps > MAX_STEPS {
            return;
        }
        let Some(shares) = self.units.get(at) else {
            if count == 0 {
                self.agree(left);
            }
            return;
        };
        for (index, share) in shares.iter().enumerate().filter(|(_, share)| share.count <= count) {
            self.chosen.push(index);
            let [least, most] = share.chips;
            self.go(count - share.count, [left[0] - most, left[1] - least]);
            self.chosen.pop();
        }
    }

    /// Compares an explanation with those before it. What is left is for the one share that is not
    /// exact, if there is only one.
    fn agree(&mut self, left: [i64; 2]) {
        let shares = self.units.iter().zip(&self.chosen).map(|(shares, &index)| shares[index]);
        let vague = shares.clone().filter(|share| share.chips[0] < share.chips[1]).count();
        let found = shares.zip(&self.chosen).map(|(share, &index)| {
            let [low, high] = share.chips;
            let chips = match (low == high, vague) {
                (true, _) => Some(low),
                (false, 1) => Some(low + left[1]),
                _ => None,
            };
            Agreed { share: Some(index), count: Some(share.count), chips }
        });
        match &mut self.agreed {
            None => self.agreed = Some(found.collect()),
            Some(agreed) => {
                for (agreed, found) in agreed.iter_mut().zip(found) {
                    agreed.share = agreed.share.filter(|_| agreed.share == found.share);
                    agreed.count = agreed.count.filter(|_| agreed.count == found.count);
                    agreed.chips = agreed.chips.filter(|_| agreed.chips == found.chips);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Agreed, Share, explain};

    /// All choices, one by one.
    fn slowly(units: &[Vec<Share>], count: u64, chips: i64) -> Option<Vec<Agreed>> {
        let mut choices = vec![Vec::new()];
        for shares in units {
            choices = choices
                .into_iter()
                .flat_map(|choice: Vec<usize>| {
                    (0..shares.len()).map(move |index| [&choice[..], &[index]].concat())
                })
                .collect();
        }
        let share = |choice: &[usize], unit: usize| units[unit][choice[unit]];
        let fits = |choice: &Vec<usize>| {
            let sum = |end: usize| (0..units.len()).map(|u| share(choice, u).chips[end]).sum();
            let counted: u64 = (0..units.len()).map(|u| share(choice, u).count).sum();
            counted == count && (sum(0)..=sum(1)).contains(&chips)
        };
        let fitting: Vec<_> = choices.into_iter().filter(fits).collect();
        let same = |values: Vec<Option<i64>>| {
            let first = values[0]?;
            values.iter().all(|value| *value == Some(first)).then_some(first)
        };
        let agreed = |unit: usize| {
            let each = |of: &dyn Fn(&Vec<usize>) -> Option<i64>| {
                same(fitting.iter().map(of).collect::<Vec<_>>())
            };
            let worth = |choice: &Vec<usize>| {
                let [low, high] = share(choice, unit).chips;
                let others = (0..units.len()).filter(|&other| other != unit);
                let exact = |other: usize| share(choice, other).chips;
                if low == high {
                    return Some(low);
                }
                let mut left = chips;
                for other in others {
                    let [low, high] = exact(other);
                    if low < high {
                        return None;
                    }
                    left -= low;
                }
                Some(left)
            };
            Agreed {
                share: each(&|choice| Some(choice[unit] as i64)).map(|index| index as usize),
                count: each(&|choice| Some(share(choice, unit).count as i64)).map(|n| n as u64),
                chips: each(&worth),
            }
        };
        (!fitting.is_empty()).then(|| (0..units.len()).map(agreed).collect())
    }

    fn unit() -> impl Strategy<Value = Vec<Share>> {
        let share = (0..3u64, -4..4i64, 0..8i64)
            .prop_map(|(count, low, more)| Share { count, chips: [low, low + (more - 5).max(0)] });
        proptest::collection::vec(share, 1..4)
    }

    proptest! {
        #[test]
        fn what_is_agreed_on_is_in_every_explanation(
            units in proptest::collection::vec(unit(), 0..5), count in 0..5u64, chips in -9..9i64,
        ) {
            prop_assert_eq!(explain(&units, count, chips), slowly(&units, count, chips));
        }
    }

    #[test]
    fn too_many_explanations_agree_on_nothing() {
        let unit: Vec<Share> = (0..9).map(|chips| Share::exactly(1, chips)).collect();
        let agreed = explain(&vec![unit; 20], 20, 90).expect("there are many");
        assert!(agreed.iter().all(|agreed| agreed.count.is_none() && agreed.chips.is_none()));
    }
}
