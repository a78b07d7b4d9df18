//! The description of a match: its game, its entrants, its deals.
//!
//! Stored in the ledger and, for people, in `manifest.toml` beside it. Two runs without a
//! [`MatchInfo::difference`] play the same hands.

use game::{GameDef, GameSpec};
use runs::{Difference, Shard};
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

/// These names, all different: one that occurred before gets a number, as in `call`, `call#2`.
pub fn distinct_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    let names: Vec<String> = names.into_iter().collect();
    for (index, name) in names.iter().enumerate() {
        let earlier = names[..index].contains(name);
        let numbered = (2..).map(|number| format!("{name}#{number}"));
        let free = |new: &String| !distinct.contains(new) && !names.contains(new);
        let new = if earlier { numbered.into_iter().find(free) } else { None };
        distinct.push(new.unwrap_or_else(|| name.clone()));
    }
    distinct
}

/// A name with characters replaced that records cannot hold, and those escaped that control a
/// terminal, reverse the writing or cannot be seen: what is taken in from others passes here.
pub(crate) fn plain_name(name: &str) -> String {
    game::escape::visible(name).replace(cannot_hold, "_")
}

/// Whether names in records cannot have this character.
fn cannot_hold(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == ':' || c == '|'
}

/// Error for a match that cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InfoError(String);

impl MatchInfo {
    /// Number of entrants, which is the number of players.
    pub fn players(&self) -> usize {
        self.entrants.len()
    }

    /// The entrants' names in order; those that share a name are told apart by a number.
    pub fn names(&self) -> Vec<String> {
        distinct_names(self.entrants.iter().map(|entrant| entrant.name.clone()))
    }

    /// The whole match that this is a part of.
    pub fn whole(&self) -> MatchInfo {
        let suffix = self.shard.map(Shard::suffix).unwrap_or_default();
        let name = self.name.strip_suffix(&suffix).unwrap_or(&self.name).to_owned();
        MatchInfo { name, shard: None, ..self.clone() }
    }

    /// The match without anything that identifies its players: they are named `player-1`,
    /// `player-2` and so on; agents, models and the provenance except the program's version are
    /// removed.
    #[must_use]
    pub fn anonymised(&self) -> MatchInfo {
        let entrant = |number: usize| Entrant::named(format!("player-{number}"));
        let Provenance { version, .. } = &self.provenance;
        MatchInfo {
            name: "anonymous".to_owned(),
            // Only the last part of a path, which may identify its owner.
            game_name: self.game_name.rsplit('/').next().unwrap_or_default().to_owned(),
            entrants: (1..=self.players()).map(entrant).collect(),
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
            let reason = format!("{found} entrants in a game for {needed} players");
            return Err(InfoError(reason));
        }
        let names = self.entrants.iter().map(|entrant| &entrant.name).chain([&self.name]);
        for name in names {
            if name.is_empty() || plain_name(name) != **name {
                return Err(InfoError(format!(
                    "the name `{name}` is empty or holds a blank, `:`, `|` or a character that \
                     cannot be seen"
                )));
            }
        }
        for (what, found) in [("number of hands", self.hands), ("seed", self.seed)] {
            if i64::try_from(found).is_err() {
                let reason = format!("the {what} {found} is larger than {}", i64::MAX);
                return Err(InfoError(reason));
            }
        }
        match self.shard {
            Some(shard) if shard.index == 0 || shard.index > shard.of => {
                Err(InfoError(format!("there is no part {shard}: parts are counted from 1")))
            }
            _ => Ok(()),
        }
    }

    /// The first difference between two matches, with both values, or `None` when they play the
    /// same hands. Shard, names of match and game, creation time and arguments are ignored.
    pub fn difference(&self, other: &MatchInfo) -> Option<Difference> {
        let found = described(self, other)?;
        if found.what != MODELS {
            return Some(found);
        }
        let mut pairs = self.entrants.iter().zip(&other.entrants);
        let (changed, _) = pairs.find(|(one, other)| one.model_sha256 != other.model_sha256)?;
        Some(Difference::changed(match changed.files.as_slice() {
            [] => format!("the model or program of {}", changed.name),
            files => files.join(" or "),
        }))
    }
}

/// The word for what makes two entrants of one name and agent different.
const MODELS: &str = "entrants' models or programs";

/// The first difference between two games' rules.
pub(crate) fn game_difference(ours: &GameSpec, theirs: &GameSpec) -> Option<Difference> {
    /// A description that has a game only.
    #[derive(Serialize)]
    struct Only<'a> {
        game: &'a GameSpec,
    }
    described(&Only { game: ours }, &Only { game: theirs })
}

/// The first difference between the descriptions of two matches.
fn described<T: Serialize>(ours: &T, theirs: &T) -> Option<Difference> {
    const IGNORED: [&str; 5] =
        ["name", "game_name", "shard", "provenance.created", "provenance.arguments"];
    const NAMED: [(&str, &str); 12] = [
        ("game.betting", "game's betting"),
        ("game.players", "game's players"),
        ("game.streets", "game's streets"),
        ("game.max_raises", "game's maximum raises"),
        ("game.quirks.max_actions", "game's maximum street actions"),
        ("game.quirks.short_limit_raise", "game's raises below a bet"),
        ("entrants.name", "entrants"),
        ("entrants.agent", "entrants' agents"),
        ("entrants.model_sha256", MODELS),
        ("hands", "number of hands"),
        ("provenance.version", "program's version"),
        ("provenance.commit", "program's commit"),
    ];
    let mut found = runs::difference(ours, theirs, &IGNORED, &NAMED)?;
    if found.what == "game's maximum raises" {
        for caps in [&mut found.ours, &mut found.theirs] {
            *caps = caps.replace(&GameSpec::NO_CAP.to_string(), "any");
        }
    }
    Some(found)
}
