//! The description of a match: its game, its entrants, its deals.
//!
//! Stored in the ledger and, for people, in `manifest.toml` beside it. Two runs without a
//! [`MatchInfo::difference`] play the same hands.

use std::fmt;
use std::str::FromStr;

use game::{Betting, GameDef, GameSpec, Quirks};
use serde::{Deserialize, Serialize};

/// The description of a match: all that determines it, and its provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchInfo {
    /// The match's name: one word, without blanks, `:` or `|`.
    pub name: String,
    /// The game as specified: a built-in name or the path of a definition file.
    pub game_name: String,
    /// Number of hands planned in the whole match, all shards together.
    pub hands: u64,
    /// Seed of the deals and of the agents' random choices; at most 2^63 − 1.
    pub seed: u64,
    /// Whether deals are shared by as many hands as there are players, with the entrants rotating
    /// through the seats.
    pub duplicate: bool,
    /// The part of the match, when it is played in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The program, command line and time of the run.
    pub provenance: Provenance,
    /// The entrants, in the order of their numbers.
    pub entrants: Vec<Entrant>,
    /// The game's rules.
    pub game: GameDef,
}

/// A participant of a match.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// The name in logs and tables. Entrants of one match may share a name (self-play).
    pub name: String,
    /// The agent with its settings, as on the command line; empty when not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// SHA-256 of the agent's model in hexadecimal, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_sha256: Option<String>,
    /// The names of the model's files, for messages; not recorded.
    #[serde(skip)]
    pub files: Vec<String>,
}

impl Entrant {
    /// An entrant with a name only.
    pub fn named(name: impl Into<String>) -> Entrant {
        Entrant { name: name.into(), ..Entrant::default() }
    }
}

/// A part of a match that is played separately and merged later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The part's number, from 1.
    pub index: u32,
    /// Number of parts.
    pub of: u32,
}

impl Shard {
    /// The suffix of a part's match name; a merged match has the name without it.
    pub fn suffix(self) -> String {
        format!("-part{}of{}", self.index, self.of)
    }

    /// Checks that these are all parts of one whole, each once.
    ///
    /// # Errors
    /// The problem.
    pub fn all(parts: &[Shard]) -> Result<(), ShardsError> {
        let Some(&Shard { of, .. }) = parts.first() else { return Ok(()) };
        if let Some(other) = parts.iter().find(|part| part.of != of) {
            return Err(ShardsError::Counts(of, other.of));
        }
        let mut sorted = parts.to_vec();
        sorted.sort_by_key(|part| part.index);
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ShardsError::Twice(pair[0]));
        }
        let missing = (1..=of).filter(|&index| sorted.iter().all(|part| part.index != index));
        let missing: Vec<Shard> = missing.map(|index| Shard { index, of }).collect();
        if missing.is_empty() { Ok(()) } else { Err(ShardsError::Missing(missing)) }
    }

    /// Whether the item with this number, from 0, belongs to this part, when items are assigned to
    /// the parts in turn.
    pub fn has(self, item: u64) -> bool {
        item % u64::from(self.of) == u64::from(self.index - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Error for parts that do not form a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardsError {
    /// Parts of different numbers of parts.
    #[error("these are parts of {0} and parts of {1}: give those of one run")]
    Counts(u32, u32),
    /// A part is given twice.
    #[error("part {0} is given twice")]
    Twice(Shard),
    /// Parts are missing.
    #[error("missing: {}", .0.iter().map(|part| format!("part \
                                                         {part}")).collect::<Vec<_>>().join(", "))]
    Missing(Vec<Shard>),
}

/// Error for text that is not a part of a match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a part of a run: write i/N with i from 1 to N, as in 2/4")]
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

/// The provenance of a match: the program, its command line and the time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The program's version.
    pub version: String,
    /// The git commit it was built from, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Time at which the match was begun, as RFC 3339 text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub created: String,
    /// The command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

/// Error for a [`MatchInfo`] that cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InfoError {
    /// The number of entrants is wrong.
    #[error("{found} entrants in a game for {needed} players")]
    Entrants {
        /// Number of entrants.
        found: usize,
        /// Number of players of the game.
        needed: usize,
    },
    /// A name that would break the line formats of the logs.
    #[error("the name `{0}` is empty or holds a blank, `:`, `|` or a control character")]
    Name(String),
    /// A number beyond the ledger's range.
    #[error("the {what} {found} is larger than 9223372036854775807")]
    TooLarge {
        /// The number's name.
        what: &'static str,
        /// The number's value.
        found: u64,
    },
    /// A shard whose number is beyond its number of parts.
    #[error("there is no part {0}: parts are counted from 1")]
    Shard(Shard),
}

impl MatchInfo {
    /// Number of entrants, which is the number of players.
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

    /// The match without anything that identifies its players: they are named `player-1`,
    /// `player-2` and so on; agents, models and the provenance except the program's version are
    /// removed. Players of one name keep one.
    #[must_use]
    pub fn anonymised(&self) -> MatchInfo {
        let first = |entrant: &Entrant| {
            let index = self.entrants.iter().position(|other| other.name == entrant.name);
            index.unwrap_or_default() + 1
        };
        let entrant = |one: &Entrant| Entrant::named(format!("player-{}", first(one)));
        let Provenance { version, .. } = &self.provenance;
        MatchInfo {
            name: "anonymous".to_owned(),
            // Only the last part of a path, which may identify its owner.
            game_name: self.game_name.rsplit('/').next().unwrap_or_default().to_owned(),
            entrants: self.entrants.iter().map(entrant).collect(),
            provenance: Provenance { version: version.clone(), ..Provenance::default() },
            ..self.clone()
        }
    }

    /// Number of hands that share a deal: the number of players in a duplicate match, else one.
    pub fn group(&self) -> usize {
        if self.duplicate { self.players() } else { 1 }
    }

    /// Checks that this can be recorded: entrants fit the game, names fit the log formats.
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

    /// The first difference between two matches, with both values, or `None` when they play the
    /// same hands. Shard, name, creation time and arguments are ignored.
    pub fn difference(&self, other: &MatchInfo) -> Option<Difference> {
        let (a, b) = (&self.provenance, &other.provenance);
        let yes = |duplicate| if duplicate { "yes" } else { "no" };
        let commit = |commit: &Option<String>| commit.clone().unwrap_or("unknown".to_owned());
        game_difference(self.game.spec(), other.game.spec())
            .or_else(|| entrant_difference(&self.entrants, &other.entrants))
            .or_else(|| differ("the seed is", self.seed, other.seed))
            .or_else(|| differ("the number of hands is", self.hands, other.hands))
            .or_else(|| differ("duplicate is", yes(self.duplicate), yes(other.duplicate)))
            .or_else(|| differ("the program's version is", &a.version, &b.version))
            .or_else(|| differ("the program's commit is", commit(&a.commit), commit(&b.commit)))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "most values are made for the call")]
fn differ(what: &'static str, ours: impl ToString, theirs: impl ToString) -> Option<Difference> {
    let (ours, theirs) = (ours.to_string(), theirs.to_string());
    (ours != theirs).then_some(Difference::Values { what, ours, theirs })
}

/// The first difference between entrants: in their names, or else in their agents or models.
fn entrant_difference(ours: &[Entrant], theirs: &[Entrant]) -> Option<Difference> {
    let list = |entrants: &[Entrant], show: fn(&Entrant) -> String| {
        entrants.iter().map(show).collect::<Vec<_>>().join(", ")
    };
    let model = |(a, b): (&Entrant, &Entrant)| {
        let (entrant, files) = (a.name.clone(), a.files.clone());
        (a.model_sha256 != b.model_sha256).then_some(Difference::Model { entrant, files })
    };
    let agent = |entrant: &Entrant| format!("{} ({})", entrant.name, entrant.agent);
    let by = |what, show| differ(what, list(ours, show), list(theirs, show));
    by("the entrants are", |entrant| entrant.name.clone())
        .or_else(|| by("the entrants are", agent))
        .or_else(|| ours.iter().zip(theirs).find_map(model))
}

/// The first difference between two games' rules.
fn game_difference(ours: &GameSpec, theirs: &GameSpec) -> Option<Difference> {
    fn list<T: ToString>(values: &[T]) -> String {
        match values {
            [] => "none".to_owned(),
            values => values.iter().map(T::to_string).collect::<Vec<_>>().join(" "),
        }
    }
    let betting = |betting| match betting {
        Betting::Limit => "limit",
        Betting::NoLimit => "no-limit",
    };
    let caps = |caps: &[u32]| {
        let cap = |&cap: &u32| match cap {
            GameSpec::NO_CAP => "any".to_owned(),
            cap => cap.to_string(),
        };
        list(&caps.iter().map(cap).collect::<Vec<_>>())
    };
    let first = |seats: &[usize]| list(&seats.iter().map(|seat| seat + 1).collect::<Vec<_>>());
    let actions = |quirks: Quirks| match quirks.max_actions {
        Some(most) => most.to_string(),
        None => "any".to_owned(),
    };
    let short = |quirks: Quirks| if quirks.short_limit_raise { "legal" } else { "illegal" };
    let (a, b) = (ours, theirs);
    differ("the game's betting is", betting(a.betting), betting(b.betting))
        .or_else(|| differ("the game's players are", a.players, b.players))
        .or_else(|| differ("the game's streets are", a.streets, b.streets))
        .or_else(|| differ("the game's stacks are", list(&a.stacks), list(&b.stacks)))
        .or_else(|| differ("the game's blinds are", list(&a.blinds), list(&b.blinds)))
        .or_else(|| {
            differ("the game's raise sizes are", list(&a.raise_sizes), list(&b.raise_sizes))
        })
        .or_else(|| {
            differ("the game's first players are", first(&a.first_to_act), first(&b.first_to_act))
        })
        .or_else(|| {
            differ("the game's maximum raises are", caps(&a.max_raises), caps(&b.max_raises))
        })
        .or_else(|| differ("the game's suits are", a.suits, b.suits))
        .or_else(|| differ("the game's ranks are", a.ranks, b.ranks))
        .or_else(|| differ("the game's hole cards are", a.hole_cards, b.hole_cards))
        .or_else(|| {
            differ("the game's board cards are", list(&a.board_cards), list(&b.board_cards))
        })
        .or_else(|| {
            differ(
                "the game's maximum actions on a street are",
                actions(a.quirks),
                actions(b.quirks),
            )
        })
        .or_else(|| differ("the game's raises below a bet are", short(a.quirks), short(b.quirks)))
}

/// A difference between two matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// A setting has two values.
    Values {
        /// The subject, as the beginning of a sentence: `the seed is`.
        what: &'static str,
        /// The first match's value.
        ours: String,
        /// The second match's value.
        theirs: String,
    },
    /// An entrant's model, or the program that it is, has changed.
    Model {
        /// The entrant's name.
        entrant: String,
        /// The names of its files, where they are known.
        files: Vec<String>,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Values { what, ours, theirs } => {
                write!(f, "{what} {ours} in one and {theirs} in the other")
            }
            Difference::Model { entrant, files } if files.is_empty() => {
                write!(f, "the model or program of {entrant} changed")
            }
            Difference::Model { files, .. } => write!(f, "{} changed", files.join(" or ")),
        }
    }
}
