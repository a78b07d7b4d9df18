//! The description of a match: game, entrants, number of hands, seed, and the shard to play; and
//! the matches of a tournament: every set of agents of the right size plays one; in a gauntlet only
//! those sets with the first agent.
//!
//! Each match of a tournament has a seed of its own, derived from the tournament's, so that its
//! results are independent of those of all others: intervals of means over matches are then right.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agents::AgentChoice;
use game::GameDef;
use logs::stats::{CrossTable, FIRST_CHECK, Rate, StopRule, Tally};
use logs::{Entrant, MatchInfo, Provenance};
use runs::Shard;
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use crate::Error;
use crate::bot::mix;

/// The number of characters of the longest name that fits into a table.
const MAX_NAME_LENGTH: usize = 32;

/// Deals in a block. Agents forget between blocks, so this number is part of a match's definition.
pub const BLOCK_DEALS: u64 = 128;

/// The number of blocks after which a match's stopping rule is evaluated next, after an evaluation
/// at `blocks`: eight more, or a sixteenth if that is more. Part of a match's definition, as
/// [`BLOCK_DEALS`].
pub fn next_check(blocks: u64) -> u64 {
    blocks + (blocks / 16).max(8)
}

/// A seed that nobody can guess, nor compute from earlier ones: from the system's randomness, by
/// way of the keys of the standard library's hash maps.
pub fn fresh_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// A match to play: everything that determines its outcome.
#[derive(Clone)]
pub struct MatchPlan {
    /// The game's definition.
    pub def: Arc<GameDef>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The agents, one for each player of the game; entrant `k` begins in seat `k`.
    pub entrants: Vec<AgentChoice>,
    /// The entrants' names in reports and logs, one for each; if empty, the agents' names, see
    /// [`unique_names`].
    pub given_names: Vec<String>,
    /// Hands of the whole match, all shards together.
    pub hands: u64,
    /// The seed of all cards and decisions.
    pub seed: u64,
    /// Whether each deal is played once with every rotation of the entrants.
    pub duplicate: bool,
    /// The part of the match to play; `None` for all of it.
    pub shard: Option<Shard>,
    /// The time limit for a decision; `None` for no limit.
    pub deadline: Option<Duration>,
    /// The rule by which the match may end before all its hands are played.
    pub rule: Option<StopRule>,
}

/// The playable numbers of hands next to `hands`, in words.
fn whole_groups(hands: u64, players: u64) -> String {
    let below = hands - hands % players;
    let above = below + players;
    if below > 0 { format!("{below} or {above}") } else { above.to_string() }
}

impl MatchPlan {
    /// Checks that the plan can be played.
    pub fn check(&self) -> Result<(), Error> {
        let players = self.def.players;
        if self.entrants.len() != players {
            let found = self.entrants.len();
            let agents = if found == 1 { "agent is" } else { "agents are" };
            return Err(Error::usage(format!(
                "the game has {players} players, but {found} {agents} named"
            )));
        }
        if !self.given_names.is_empty() {
            check_names(&self.given_names, players)?;
        }
        if self.hands == 0 {
            return Err(Error::usage("a match needs at least one hand"));
        }
        if self.duplicate && !self.hands.is_multiple_of(players as u64) {
            return Err(Error::usage(format!(
                "{} hands are not a whole number of duplicate groups of {players}: use {}; `match` \
                 also takes --no-duplicate",
                self.hands,
                whole_groups(self.hands, players as u64)
            )));
        }
        if let Some(shard) = self.shard
            && u64::from(shard.of) > self.blocks()
        {
            return Err(Error::usage(format!(
                "{} hands are played in blocks of {}, so they have at most {} parts, not {}: use \
                 more hands",
                self.hands,
                self.block_hands(),
                self.blocks(),
                shard.of
            )));
        }
        if self.rule.is_some() {
            let least = FIRST_CHECK * if self.duplicate { players as u64 } else { 1 };
            if self.shard.is_some() {
                let text = "a stopping rule is for whole matches: leave out --shard";
                return Err(Error::usage(text));
            }
            if self.hands < least {
                return Err(Error::usage(format!(
                    "no interval exists before {least} hands, and the match has {}: give more \
                     --hands",
                    self.hands
                )));
            }
        }
        Ok(())
    }

    /// The number of hands in a block.
    pub fn block_hands(&self) -> u64 {
        BLOCK_DEALS * self.def.players as u64
    }

    /// The number of blocks of the whole match.
    fn blocks(&self) -> u64 {
        self.hands.div_ceil(self.block_hands())
    }

    /// The blocks of this shard.
    pub fn shard_blocks(&self) -> Range<u64> {
        self.shard.map_or(0..self.blocks(), |shard| shard.range(self.blocks()))
    }

    /// The hands of a block.
    pub fn hands_of(&self, block: u64) -> Range<u64> {
        let start = block * self.block_hands();
        start..(start + self.block_hands()).min(self.hands)
    }

    /// The hands of this shard.
    pub fn shard_hands(&self) -> Range<u64> {
        let blocks = self.shard_blocks();
        let start = blocks.start * self.block_hands();
        start..(blocks.end * self.block_hands()).min(self.hands)
    }

    /// An empty tally of this match.
    pub fn tally(&self) -> Tally {
        Tally::of_game(&self.def, if self.duplicate { self.def.players } else { 1 })
    }

    /// The description of the match that is recorded with it.
    ///
    /// # Errors
    /// When a file that an agent needs cannot be read (its hash is part of the match).
    pub fn info(&self, name: &str, provenance: Provenance) -> std::io::Result<MatchInfo> {
        let entrants = self.entrants.iter().zip(self.names());
        let entrants = entrants.map(|(choice, name)| entrant(choice, name));
        Ok(MatchInfo {
            name: name.to_owned(),
            game_name: self.game_name.clone(),
            hands: self.hands,
            seed: self.seed,
            duplicate: self.duplicate,
            shard: self.shard,
            provenance,
            entrants: entrants.collect::<std::io::Result<_>>()?,
            game: GameDef::clone(&self.def),
        })
    }

    /// The entrants' names in logs.
    pub fn names(&self) -> Vec<String> {
        match self.given_names.as_slice() {
            [] => unique_names(&self.entrants),
            given => given.to_vec(),
        }
    }

    /// [`match_name`](Self::match_name) of the whole match, also for a part of it.
    pub fn name_of_whole(&self) -> String {
        MatchPlan { shard: None, ..self.clone() }.match_name()
    }

    /// A name for the match, made of agents, game, seed, hands and part.
    pub fn match_name(&self) -> String {
        let file = std::path::Path::new(&self.game_name).file_name();
        let file = file.map_or_else(|| "game".into(), |name| name.to_string_lossy());
        let game = file.strip_suffix(".game").unwrap_or(&file);
        let mut name =
            format!("{}-{game}-s{}-h{}", self.names().join("-vs-"), self.seed, self.hands);
        if !self.duplicate {
            name.push_str("-single");
        }
        if let Some(shard) = self.shard {
            name.push_str(&shard.suffix());
        }
        let plain = |c: char| if c.is_alphanumeric() || "-_.#".contains(c) { c } else { '_' };
        // A folder is not hidden because it is that of `./bot`.
        name.trim_start_matches(['.', '/']).chars().map(plain).collect()
    }
}

/// Checks that there is one name for each agent, all different, and fit for logs and tables.
///
/// # Errors
/// The fault of the first name that fails.
pub fn check_names(names: &[String], agents: usize) -> Result<(), Error> {
    if names.len() != agents {
        return Err(Error::usage(format!(
            "{} names for {agents} agents: give --name once for each of them, in their order",
            names.len()
        )));
    }
    let bad = |c: char| c.is_whitespace() || c.is_control() || ":|".contains(c);
    for (index, name) in names.iter().enumerate() {
        let reason = match name {
            name if name.is_empty() => "it is empty",
            name if name.contains(bad) => {
                "names have no blanks, no `:` and no `|`, which logs need"
            }
            name if name.chars().count() > MAX_NAME_LENGTH => "it is longer than 32 letters",
            name if names[..index].contains(name) => "another player has the same name",
            _ => continue,
        };
        return Err(Error::usage(format!("`{name}` cannot be a player's name: {reason}")));
    }
    Ok(())
}

/// The agents' names without blanks, `:` and `|`; an agent that occurs several times is numbered:
/// `call`, `call#2`.
pub fn unique_names(agents: &[AgentChoice]) -> Vec<String> {
    let plain = |c: char| if c.is_whitespace() || ":|".contains(c) { '_' } else { c };
    let name =
        |choice: &AgentChoice| shortened(&choice.name().chars().map(plain).collect::<String>());
    logs::distinct_names(agents.iter().map(name))
}

/// A name shortened to fit a table: the beginning and the end of a long one (usually a command).
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MAX_NAME_LENGTH {
        return name.to_owned();
    }
    let half = MAX_NAME_LENGTH / 2;
    let (start, end) = (&letters[..half - 1], &letters[letters.len() - half..]);
    start.iter().chain(&['~']).chain(end).collect()
}

/// The agent as an entrant of a match that is recorded.
///
/// # Errors
/// When a file that the agent needs cannot be read (its hash is part of the match).
pub fn entrant(choice: &AgentChoice, name: String) -> std::io::Result<Entrant> {
    Ok(Entrant {
        name,
        agent: choice.name().to_owned(),
        model_sha256: files_sha256(choice.files())?,
        files: file_names(choice.files()),
    })
}

/// The files' names, without their folders.
pub fn file_names(files: &[PathBuf]) -> Vec<String> {
    files.iter().filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned())).collect()
}

/// The SHA-256 of the files' concatenation, in hexadecimal; `None` without files.
pub fn files_sha256(files: &[PathBuf]) -> std::io::Result<Option<String>> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut hash = Sha256::new();
    for file in files {
        let bytes = std::fs::read(file).map_err(|error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", file.display()))
        })?;
        hash.update(&bytes);
    }
    Ok(Some(hexadecimal(&hash.finalize())))
}

/// Which agents meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Every agent meets every other.
    All,
    /// The first agent meets all others.
    Gauntlet,
}

/// The matches of a tournament, in order, with the agents of each as indices into `agents`.
///
/// `plan` is the pattern: its entrants are ignored, and its names, if any, are those of `agents`.
/// In a two-player game every pair plays; in a game for `n` players every set of `n`. The matches
/// of a gauntlet are the same ones, with the same cards, as far as it has them.
pub fn matches(
    plan: &MatchPlan,
    agents: &[AgentChoice],
    pairing: Pairing,
) -> Vec<(Vec<usize>, MatchPlan)> {
    line_ups(agents.len(), plan.def.players)
        .into_iter()
        .enumerate()
        .filter(|(_, line_up)| pairing == Pairing::All || line_up.contains(&0))
        .map(|(number, line_up)| {
            let entrants = line_up.iter().map(|&agent| agents[agent].clone()).collect();
            let given = line_up.iter().filter_map(|&agent| plan.given_names.get(agent).cloned());
            let given_names = given.collect();
            // The ledger stores seeds below 2^63.
            let seed = mix(plan.seed ^ mix(number as u64)) >> 1;
            (line_up, MatchPlan { entrants, given_names, seed, ..plan.clone() })
        })
        .collect()
}

/// The agents' names in the table, all different.
pub fn names(plan: &MatchPlan, agents: &[AgentChoice]) -> Vec<String> {
    MatchPlan { entrants: agents.to_vec(), ..plan.clone() }.names()
}

/// A name for the tournament: the number of agents, game, seed, hands, and a hash of the names.
pub fn name(plan: &MatchPlan, names: &[String]) -> String {
    let mark = Sha256::digest(names.join("\n"));
    let mark = hexadecimal(&mark[..4]);
    let pattern = MatchPlan { entrants: Vec::new(), given_names: Vec::new(), ..plan.clone() };
    format!("{}-agents{}-{mark}", names.len(), pattern.match_name())
}

/// The results of a tournament, match by match.
#[derive(Debug)]
pub struct Results {
    names: Vec<String>,
    /// For each pair that has met, in the order of the pairs, the rates of the first against the
    /// second.
    met: Vec<((usize, usize), Vec<Rate>)>,
}

impl Results {
    /// Results without matches.
    pub fn new(names: Vec<String>) -> Results {
        Results { names, met: Vec::new() }
    }

    /// Adds a match between these agents. In a two-player game the result is the rate of one
    /// against the other; in larger games the difference of their rates at the same table.
    pub fn add(&mut self, line_up: &[usize], tally: &Tally) {
        self.add_rates(line_up, &Results::rates(tally));
    }

    /// The results of a match: the rates of each pair of entrants, by their places in it.
    pub fn rates(tally: &Tally) -> Vec<((usize, usize), Rate)> {
        let players = tally.entrants().len();
        let pairs = (0..players).flat_map(|i| (i + 1..players).map(move |j| (i, j)));
        let rate = |(i, j): (usize, usize)| {
            let rate = if players == 2 { tally.rate(i) } else { tally.difference(i, j) };
            Some(((i, j), rate.ok()?))
        };
        pairs.filter_map(rate).collect()
    }

    /// Adds the [`rates`](Self::rates) of a match between these agents.
    pub fn add_rates(&mut self, line_up: &[usize], rates: &[((usize, usize), Rate)]) {
        for &((i, j), rate) in rates {
            let pair = (line_up[i], line_up[j]);
            match self.met.iter_mut().find(|(met, _)| *met == pair) {
                Some((_, rates)) => rates.push(rate),
                None => self.met.push((pair, vec![rate])),
            }
        }
    }

    /// The cross table of all results.
    pub fn table(&self) -> CrossTable {
        let mut table = CrossTable::new(self.names.clone());
        for ((one, other), rates) in &self.met {
            table.set(*one, *other, mean(rates));
        }
        table
    }
}

/// The mean of independent rates, with equal weights.
fn mean(rates: &[Rate]) -> Rate {
    let count = rates.len() as f64;
    let sum = |value: &dyn Fn(&Rate) -> f64| rates.iter().map(value).sum::<f64>();
    let mbb = sum(&|rate| rate.mbb) / count;
    let standard_error = sum(&|rate| rate.standard_error.powi(2)).sqrt() / count;
    let hands = rates.iter().map(|rate| rate.hands).sum();
    let groups = rates.iter().map(|rate| rate.groups).sum();
    Rate::from_error(mbb, standard_error, hands, groups)
}

/// All sets of `seats` among `agents`, each in increasing order, in lexicographic order.
fn line_ups(agents: usize, seats: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut current: Vec<usize> = (0..seats).collect();
    if seats == 0 || seats > agents {
        return found;
    }
    loop {
        found.push(current.clone());
        // The last index that can still increase, with those behind it following closely.
        let movable = (0..seats).rev().find(|&i| current[i] < agents - seats + i);
        let Some(index) = movable else { return found };
        current[index] += 1;
        for i in index + 1..seats {
            current[i] = current[i - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line_ups;

    #[test]
    fn every_line_up_plays_once() {
        assert_eq!(line_ups(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(line_ups(6, 3).len(), 20);
        assert_eq!(line_ups(2, 3), Vec::<Vec<usize>>::new());
    }
}
