//! What is fixed before a match begins: its game, its entrants, its deals.
//!
//! Stored in the ledger and, for people, in `manifest.toml` beside it. Two runs without a
//! [`MatchInfo::difference`] play the same hands.

use std::fmt;
use std::str::FromStr;

use game::GameDef;
use serde::{Deserialize, Serialize};

/// Everything that determines a match, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchInfo {
    /// The match's name: one word, without blanks, `:` or `|`.
    pub name: String,
    /// The game as it was named: a built-in name or the path of a definition file.
    pub game_name: String,
    /// Hands planned in the whole match, all shards together.
    pub hands: u64,
    /// The seed of the deals and of the agents' random choices; at most 2^63 − 1.
    pub seed: u64,
    /// Whether as many hands as there are players share a deal, the entrants moving round the seats.
    pub duplicate: bool,
    /// Which part of the match this is, when it is played in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Where the match was played from.
    pub provenance: Provenance,
    /// Who plays, in the order of their numbers.
    pub entrants: Vec<Entrant>,
    /// The game's rules.
    pub game: GameDef,
}

/// One who plays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// The name in logs and tables. Entrants of one match may share a name (self-play).
    pub name: String,
    /// The agent with its settings, as given on the command line; empty when not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// SHA-256 of the agent's model in hexadecimal, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_sha256: Option<String>,
}

impl Entrant {
    /// An entrant known by name only.
    pub fn named(name: impl Into<String>) -> Entrant {
        Entrant { name: name.into(), ..Entrant::default() }
    }
}

/// A part of a match that is played by itself and merged later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The part's number, from 1.
    pub index: u32,
    /// How many parts there are.
    pub of: u32,
}

impl Shard {
    /// What a part's match name ends with; a merged match goes by the name without it.
    pub fn suffix(self) -> String {
        format!("-part{}of{}", self.index, self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Text that is not a part of a match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a part of a match: write i/N with i from 1 to N, as in 2/4")]
pub struct ParseShardError(String);

impl FromStr for Shard {
    type Err = ParseShardError;

    fn from_str(text: &str) -> Result<Shard, ParseShardError> {
        let parse = || {
            let (index, of) = text.split_once('/')?;
            let (index, of) = (index.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&index).then_some(Shard { index, of })
        };
        parse().ok_or_else(|| ParseShardError(text.to_owned()))
    }
}

/// Which program played, called how, and when.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The program's version.
    pub version: String,
    /// The git commit it was built from, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When the match was begun, as RFC 3339 text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub created: String,
    /// The command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

/// Why a [`MatchInfo`] cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InfoError {
    /// Too few or too many entrants.
    #[error("{found} entrants in a game for {needed} players")]
    Entrants {
        /// Entrants named.
        found: usize,
        /// Players of the game.
        needed: usize,
    },
    /// A name that would break the line formats of the logs.
    #[error("the name `{0}` is empty or holds a blank, `:`, `|` or a control character")]
    Name(String),
    /// A number beyond what the ledger stores.
    #[error("the {what} {found} is larger than 9223372036854775807")]
    TooLarge {
        /// Which number.
        what: &'static str,
        /// Its value.
        found: u64,
    },
    /// A shard that is not one of its parts.
    #[error("there is no part {0}: parts are counted from 1")]
    Shard(Shard),
}

impl MatchInfo {
    /// The number of entrants, which is the number of players.
    pub fn players(&self) -> usize {
        self.entrants.len()
    }

    /// The entrants' names in order.
    pub fn names(&self) -> Vec<String> {
        self.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }

    /// The whole match that this is a part of.
    pub fn whole(&self) -> MatchInfo {
        let suffix = self.shard.map(Shard::suffix).unwrap_or_default();
        let name = self.name.strip_suffix(&suffix).unwrap_or(&self.name).to_owned();
        MatchInfo { name, shard: None, ..self.clone() }
    }

    /// Hands that share a deal: as many as there are players in a duplicate match, else one.
    pub fn group(&self) -> usize {
        if self.duplicate { self.players() } else { 1 }
    }

    /// Whether this can be recorded: entrants fit the game, names fit the log formats.
    pub fn check(&self) -> Result<(), InfoError> {
        if self.entrants.len() != self.game.players {
            let (found, needed) = (self.entrants.len(), self.game.players);
            return Err(InfoError::Entrants { found, needed });
        }
        let names = self.entrants.iter().map(|entrant| &entrant.name).chain([&self.name]);
        for name in names {
            let bad = |c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '|';
            if name.is_empty() || name.contains(bad) {
                return Err(InfoError::Name(name.clone()));
            }
        }
        for (what, found) in [("number of hands", self.hands), ("seed", self.seed)] {
            if i64::try_from(found).is_err() {
                return Err(InfoError::TooLarge { what, found });
            }
        }
        match self.shard {
            Some(shard) if shard.index == 0 || shard.index > shard.of => {
                Err(InfoError::Shard(shard))
            }
            _ => Ok(()),
        }
    }

    /// The first respect in which two matches differ, with both values, or `None` when the same
    /// hands are played in both. Shard, name, creation time and arguments do not count.
    pub fn difference(&self, other: &MatchInfo) -> Option<Difference> {
        let differ = |what, ours: &dyn fmt::Debug, theirs: &dyn fmt::Debug| {
            let (ours, theirs) = (format!("{ours:?}"), format!("{theirs:?}"));
            (ours != theirs).then_some(Difference { what, ours, theirs })
        };
        let (a, b) = (&self.provenance, &other.provenance);
        differ("game", self.game.spec(), other.game.spec())
            .or_else(|| differ("entrants", &self.entrants, &other.entrants))
            .or_else(|| differ("seed", &self.seed, &other.seed))
            .or_else(|| differ("number of hands", &self.hands, &other.hands))
            .or_else(|| differ("duplicate setting", &self.duplicate, &other.duplicate))
            .or_else(|| differ("program version", &a.version, &b.version))
            .or_else(|| differ("program commit", &a.commit, &b.commit))
    }
}

/// A respect in which two matches differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs, in words.
    pub what: &'static str,
    /// The first match's value.
    pub ours: String,
    /// The second match's value.
    pub theirs: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} is {} in one and {} in the other", self.what, self.ours, self.theirs)
    }
}
