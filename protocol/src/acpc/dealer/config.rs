//! The settings of a match.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use game::GameDef;

/// The settings of a match.
#[derive(Debug, Clone)]
pub struct Config {
    /// The game. To treat replies as the original does, use
    /// [`Quirks::ORIGINAL`](game::Quirks::ORIGINAL).
    pub def: Arc<GameDef>,
    /// Number of hands.
    pub hands: u32,
    /// Seed of the deals.
    pub seed: u32,
    /// Entrants keep their positions instead of moving by one after every hand.
    pub fixed_seats: bool,
    /// Handling of bad replies.
    pub replies: Replies,
    /// Time limits.
    pub limits: Limits,
    /// Whether to report every line sent and received, and the time used.
    pub transcript: bool,
}

impl Config {
    /// A match with the original's defaults and no transcript.
    pub fn new(def: Arc<GameDef>, hands: u32, seed: u32) -> Config {
        Config {
            def,
            hands,
            seed,
            fixed_seats: false,
            replies: Replies::Compatible,
            limits: Limits::new(hands),
            transcript: false,
        }
    }
}

/// Handling of replies that are not exactly right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replies {
    /// The original's handling: lines that do not answer are ignored, illegal actions become calls,
    /// raises move into the legal range.
    #[default]
    Compatible,
    /// The first line that is not the state sent, `:` and a legal action, ends the match.
    Strict,
    /// The original's handling, but the match ends when a player has had more than this many
    /// replies corrected.
    Limit(u32),
}

impl FromStr for Replies {
    type Err = String;

    fn from_str(text: &str) -> Result<Replies, String> {
        match text.split_once('=') {
            None if text == "compatible" => Ok(Replies::Compatible),
            None if text == "strict" => Ok(Replies::Strict),
            Some(("limit", number)) if number.parse::<u32>().is_ok() => {
                Ok(Replies::Limit(number.parse().unwrap_or_default()))
            }
            _ => Err("write `compatible`, `strict` or `limit=N`".to_owned()),
        }
    }
}

/// Time limits. A limit is exceeded by what takes longer, not by what takes exactly as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For the version lines, once everybody is connected; `None`: no limit.
    pub version: Option<Duration>,
    /// For one reply.
    pub response: Duration,
    /// For all replies of one player in one hand.
    pub hand: Duration,
    /// For all replies of one player in the match.
    pub whole_match: Duration,
    /// The time for which a match goes on after a player who is not to act has closed its
    /// connection.
    pub absence: Duration,
}

impl Limits {
    /// The original's defaults: ten minutes for a reply and for a hand, seven seconds a hand on
    /// average; besides, a minute for the version and two seconds of absence.
    pub fn new(hands: u32) -> Limits {
        Limits {
            version: Some(Duration::from_secs(60)),
            response: Duration::from_secs(600),
            hand: Duration::from_secs(600),
            whole_match: Duration::from_secs(7).saturating_mul(hands),
            absence: Duration::from_secs(2),
        }
    }
}
