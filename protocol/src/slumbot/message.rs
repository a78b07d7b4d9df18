//! The JSON bodies of requests and answers.
//!
//! Fields are written in the order in which the live server sends them, without blanks, `token`
//! last: some clients cut the token out of the end of the first answer.

use cards::Card;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The live server's answer, with status 400, to a body that is not JSON or has another content
/// type.
pub const BADLY_FORMED: &str = "Badly formed request";
/// The live server's answer, with status 400, to a field of the wrong type.
pub const WRONG_TYPE: &str = "Object type exception: Expected string";

/// The body of `new_hand`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewHandRequest {
    /// The session token; without it a new session is begun. An empty one counts as none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The agent to play against: not part of the live server's interface.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// The body of `act`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ActRequest {
    /// The session token.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// One action: see [`Incr`](super::Incr).
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub incr: Option<String>,
}

/// The body of `login`. `Debug` omits the password.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoginRequest {
    /// The account's user name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The account's password.
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

/// Deserializes a text that may be absent but not `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

/// Error for an unusable body: the live server answers both kinds with status 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    Malformed(String),
    /// The body is JSON, but not an object whose known fields are texts.
    #[error("the body is not what is expected: {0}")]
    Type(String),
}

impl BadRequest {
    /// The live server's message.
    pub const fn error_msg(&self) -> &'static str {
        match self {
            BadRequest::Malformed(_) => BADLY_FORMED,
            BadRequest::Type(_) => WRONG_TYPE,
        }
    }
}

/// Parses a request's body. Unknown fields are ignored.
pub fn read_request<T: DeserializeOwned>(body: &[u8]) -> Result<T, BadRequest> {
    // An array would be parsed as the fields in order.
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    let object = first == Some(&b'{');
    match serde_json::from_slice(body) {
        Ok(_) if !object => Err(BadRequest::Type("it is not an object".into())),
        Ok(request) => Ok(request),
        // A value of the wrong type may precede invalid JSON.
        Err(error) if error.is_data() => match serde_json::from_slice::<IgnoredAny>(body) {
            Ok(_) => Err(BadRequest::Type(error.to_string())),
            Err(error) => Err(BadRequest::Malformed(error.to_string())),
        },
        Err(error) => Err(BadRequest::Malformed(error.to_string())),
    }
}

/// The host's view of a hand.
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
    /// The board cards, the flop high to low.
    #[serde(serialize_with = "texts")]
    pub board: cards::Board,
    /// The result, once the hand is over.
    #[serde(flatten)]
    pub end: Option<HandEnd>,
    /// The session token: in the first answer to `new_hand` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// The result of a hand. All amounts are chips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandEnd {
    /// The bot's cards, high to low; shown after folds too.
    #[serde(serialize_with = "texts")]
    pub bot_hole_cards: cards::HoleCards,
    /// The client's winnings or, negative, losses.
    pub winnings: i64,
    /// All chips in the pot, including an uncalled bet, with the sign of the result; 0 for a tie.
    pub won_pot: i64,
    /// Finished hands of the session, this one included.
    pub session_num_hands: u64,
    /// `winnings` minus the bot's result in the client's seat when it plays itself with the same
    /// cards.
    pub baseline_winnings: i64,
    /// Sum of `winnings` over the session.
    pub session_total: i64,
    /// Sum of `baseline_winnings` over the session.
    pub session_baseline_total: i64,
}

/// The answer to a refused action, an unknown token and the like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// The error message.
    pub error_msg: String,
    /// The betting so far, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_action: Option<String>,
}

/// The answer to `login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenObject {
    /// The session token.
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

/// Serializes a body as compact JSON.
pub fn json(body: &impl Serialize) -> String {
    serde_json::to_string(body).expect("plain data with text keys")
}

/// `won_pot` of a hand: the pot with the sign of the result.
pub fn won_pot(winnings: i64, pot: u64) -> i64 {
    winnings.signum() * pot as i64
}
