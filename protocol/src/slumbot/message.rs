//! The JSON bodies: what clients send and hosts answer.
//!
//! Fields are written in the order in which the live server sends them, without blanks, `token`
//! last: some clients cut the token out of the end of the first answer.

use cards::Card;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What the live server answers, with status 400, to a body that is no JSON or of another content
/// type.
pub const BADLY_FORMED: &str = "Badly formed request";
/// What the live server answers, with status 400, to a field of the wrong type.
pub const WRONG_TYPE: &str = "Object type exception: Expected string";

/// The body of `new_hand`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewHandRequest {
    /// The session; a new one is begun without it. An empty one counts as none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The agent to play against: not part of the live server's interface.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// The body of `act`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ActRequest {
    /// The session.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// One action: see [`Incr`](super::Incr).
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub incr: Option<String>,
}

/// The body of `login`. Shows no password when printed for debugging.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoginRequest {
    /// The account's name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Its password.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The agent to play against: not part of the live server's interface.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl std::fmt::Debug for LoginRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoginRequest").field("username", &self.username).finish_non_exhaustive()
    }
}

/// A text that may be left out but not be `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

/// Why a request's body cannot be used: the live server answers both with status 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// The body is no JSON.
    #[error("the body is no JSON: {0}")]
    Malformed(String),
    /// It is JSON, but not an object with texts in the places where texts belong.
    #[error("the body is not what is expected: {0}")]
    Type(String),
}

impl BadRequest {
    /// The text that the live server answers.
    pub const fn error_msg(&self) -> &'static str {
        match self {
            BadRequest::Malformed(_) => BADLY_FORMED,
            BadRequest::Type(_) => WRONG_TYPE,
        }
    }
}

/// Reads a request's body. Unknown fields count for nothing.
pub fn read_request<T: DeserializeOwned>(body: &[u8]) -> Result<T, BadRequest> {
    // An array would be read as the fields in order.
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    let object = first == Some(&b'{');
    match serde_json::from_slice(body) {
        Ok(_) if !object => Err(BadRequest::Type("it is no object".into())),
        Ok(request) => Ok(request),
        // A value of the wrong type may stand in front of what is no JSON.
        Err(error) if error.is_data() => match serde_json::from_slice::<IgnoredAny>(body) {
            Ok(_) => Err(BadRequest::Type(error.to_string())),
            Err(error) => Err(BadRequest::Malformed(error.to_string())),
        },
        Err(error) => Err(BadRequest::Malformed(error.to_string())),
    }
}

/// A hand as the host shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandObject {
    /// The betting before the client's last action; empty after `new_hand`.
    pub old_action: String,
    /// The betting so far.
    pub action: String,
    /// The client's seat: 0 is the big blind, 1 the button and small blind.
    pub client_pos: u8,
    /// The client's cards, high to low.
    #[serde(serialize_with = "texts")]
    pub hole_cards: cards::HoleCards,
    /// The cards on the table, the flop high to low.
    #[serde(serialize_with = "texts")]
    pub board: cards::Board,
    /// What came of the hand, once it is over.
    #[serde(flatten)]
    pub end: Option<HandEnd>,
    /// The session: in the first answer to `new_hand` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// What came of a hand. All amounts are chips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandEnd {
    /// The bot's cards, high to low; shown after folds too.
    #[serde(serialize_with = "texts")]
    pub bot_hole_cards: cards::HoleCards,
    /// What the client won or lost.
    pub winnings: i64,
    /// All chips in the pot, those of an uncalled bet included, with the sign of the result; 0 for
    /// a tie.
    pub won_pot: i64,
    /// Finished hands of the session, this one included.
    pub session_num_hands: u64,
    /// `winnings` less what the bot, playing itself with the same cards, got in the client's seat.
    pub baseline_winnings: i64,
    /// Sum of `winnings` over the session.
    pub session_total: i64,
    /// Sum of `baseline_winnings` over the session.
    pub session_baseline_total: i64,
}

/// What is answered to an action that is refused, an unknown token and the like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// What is wrong.
    pub error_msg: String,
    /// The betting so far, which has not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_action: Option<String>,
}

/// What is answered to `login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenObject {
    /// The session.
    pub token: String,
}

fn texts<const N: usize, S: Serializer>(
    cards: &cards::CardList<N>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    struct Text(Card);
    impl Serialize for Text {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&self.0)
        }
    }
    serializer.collect_seq(cards.iter().copied().map(Text))
}

/// A body as compact JSON.
pub fn json(body: &impl Serialize) -> String {
    serde_json::to_string(body).expect("plain data with text keys")
}

/// `won_pot` of a hand: the pot with the sign of the result.
pub fn won_pot(winnings: i64, pot: u64) -> i64 {
    winnings.signum() * pot as i64
}
