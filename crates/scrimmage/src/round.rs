//! A round: every team's bot against every other's, and the table of the results.
//!
//! A round is a tournament of the usual kind: its matches are folders with ledgers, and what was
//! played is never played again. Its file has the versions that play, which do not change while it
//! lasts, and the results so far; it is replaced whole after every match.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::{AgentChoice, AgentConfig};
use jiff::Timestamp;
use logs::stats::{CrossTable, Report};
use logs::{Provenance, folder};
use matches::confine::Bounds;
use matches::games::load_game;
use matches::plan::{self, MatchPlan, Pairing};
use matches::play::{Settings, play};
use matches::runner::{Level, Stop};
use protocol::acpc::gamedef::Reading;
use protocol::pokerbots::GAME;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::team::Team;

/// The agent that a bot meets in its trial.
const SPARRING: &str = "call";

/// The hands of a trial: one deal from both seats.
const TRIAL_HANDS: u64 = 2;

/// Why a round is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It was time.
    Nightly,
    /// Somebody asked.
    Request,
}

/// How bots play: the same in trials and rounds.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The game: that of the base engine, or that of 2026.
    pub game: String,
    /// Hands of every pair.
    pub hands: u64,
    /// Time for all answers of 1,000 hands; `None` for no limit.
    pub clock: Option<Duration>,
    /// Time for one answer.
    pub answer: Duration,
    /// Time for the build command.
    pub build: Duration,
    /// Pairs of processes that play at the same time.
    pub threads: usize,
    /// What a bot may do.
    pub bounds: Bounds,
    /// The program, for the manifests of matches.
    pub provenance: Provenance,
}

/// A team in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The team.
    pub team: String,
    /// The version that plays.
    pub version: u64,
}

/// A match of a round that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundMatch {
    /// The two teams.
    pub teams: [String; 2],
    /// The match's name, as in `/api/v1/matches/{id}`.
    pub id: String,
    /// The hands that count.
    pub hands: u64,
    /// What was wrong with the bots' answers, with the last words of one that has ended.
    pub faults: Vec<Fault>,
    /// Why there is no result, if there is none.
    pub error: Option<String>,
}

/// What was wrong with a bot's answers in a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The team.
    pub team: String,
    /// What it was.
    pub text: String,
}

/// A round, being played or over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Its number, from 1.
    pub number: u64,
    /// Why it is played.
    pub cause: Cause,
    /// When it began.
    pub began: Timestamp,
    /// When it was over, if it is.
    pub ended: Option<Timestamp>,
    /// The game.
    #[serde(default = "base_game")]
    pub game: String,
    /// Hands of every pair.
    pub hands: u64,
    /// The seed of the cards. Bots must not know it.
    pub seed: u64,
    /// The teams, by name.
    pub entries: Vec<Entry>,
    /// The matches that are over.
    pub matches: Vec<RoundMatch>,
    /// Their results.
    pub table: CrossTable,
}

/// The game of rounds that were begun when there was no other.
fn base_game() -> String {
    GAME.to_owned()
}

impl Round {
    /// A round between these teams by these rules.
    pub fn new(
        number: u64,
        cause: Cause,
        seed: u64,
        entries: Vec<Entry>,
        rules: &Rules,
        now: Timestamp,
    ) -> Round {
        let (game, hands) = (rules.game.clone(), rules.hands);
        let names = entries.iter().map(|entry| entry.team.clone()).collect();
        let (matches, table) = (Vec::new(), CrossTable::new(names));
        // The ledger stores seeds below 2^63.
        let seed = seed >> 1;
        Round { number, cause, began: now, ended: None, game, hands, seed, entries, matches, table }
    }

    /// The number of its matches.
    pub fn planned(&self) -> usize {
        self.entries.len() * self.entries.len().saturating_sub(1) / 2
    }

    /// Its name, which is that of its folder among the tournaments.
    pub fn name(&self) -> String {
        format!("scrimmage-{:04}", self.number)
    }

    /// Reads all rounds in a folder, which need not exist, the latest last.
    ///
    /// # Errors
    /// When one cannot be read: the file is named.
    pub fn all(home: &Path) -> io::Result<Vec<Round>> {
        let mut rounds = Vec::new();
        for path in runs::paths_in(home)? {
            if path.extension().is_some_and(|extension| extension == "json") {
                let round: Round = serde_json::from_slice(&fs::read(&path)?)
                    .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
                rounds.push(round);
            }
        }
        rounds.sort_by_key(|round| round.number);
        Ok(rounds)
    }

    /// Writes it down.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, home: &Path) -> io::Result<()> {
        fs::create_dir_all(home)?;
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        runs::write_whole(&home.join(format!("{:04}.json", self.number)), |out| {
            writeln!(out, "{text}")
        })
    }

    /// Plays the matches that are left, one after the other, until all are over or `stop`. `told`
    /// is called about ten times a second with the hands of the match in play, and with `None` and
    /// the round after every match.
    ///
    /// A match that cannot be played is one without a result, and the others go on.
    ///
    /// # Errors
    /// When a bot's options are not valid.
    pub fn play(
        &mut self,
        teams: &[Team],
        tournaments: &Path,
        rules: &Rules,
        stop: &Stop,
        told: &mut dyn FnMut(&Round, Option<u64>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut agents = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let team = teams.iter().find(|team| team.name == entry.team).ok_or_else(|| {
                io::Error::other(format!("the record of the team {} is gone", entry.team))
            })?;
            let output = team.round_output(self.number);
            agents.push(rules.agent(team, entry.version, &output, true)?);
        }
        let names = self.entries.iter().map(|entry| entry.team.clone()).collect();
        let pattern = rules.plan(names, Vec::new(), self.hands, self.seed)?;
        let home = tournaments.join(self.name());
        let matches = plan::matches(&pattern, &agents, Pairing::All);
        for (line_up, plan) in matches.iter().skip(self.matches.len()) {
            let name = plan.match_name();
            let settings = Settings {
                level: Level::Hands,
                folder: home.join(&name),
                jobs: rules.threads,
                provenance: rules.provenance.clone(),
            };
            let so_far = self.clone();
            let mut seen = |progress: &matches::runner::Progress<'_>| {
                // What is shown is not worth ending the round for.
                let _ = told(&so_far, Some(progress.hands));
            };
            let played = play(plan, &settings, stop, &mut seen);
            let pair = [&plan.given_names[0], &plan.given_names[1]].map(Clone::clone);
            let id = format!("{}/{name}", self.name());
            let met = match played {
                Ok(played) if !played.outcome.complete => return Ok(()),
                Ok(played) => {
                    let outcome = &played.outcome;
                    if let Ok(rate) = outcome.tally.rate(0) {
                        self.table.set(line_up[0], line_up[1], rate);
                    }
                    let decisions = Some(&outcome.decisions);
                    let report = Report::new(&played.info, &outcome.tally, decisions, None);
                    let file = settings.folder.join(folder::REPORT);
                    runs::write_whole(&file, |out| writeln!(out, "{}", report.to_json()))?;
                    let counts = outcome.decisions.entrants.iter().zip(&pair);
                    let faults = counts.filter_map(|(counts, team)| {
                        Some(Fault { team: team.clone(), text: counts.fault(team)? })
                    });
                    let (hands, faults) = (outcome.hands, faults.collect());
                    RoundMatch { teams: pair, id, hands, faults, error: None }
                }
                Err(error) => {
                    tracing::warn!(match_id = id, %error, "a match of a scrimmage has no result");
                    let error = Some(error.to_string());
                    RoundMatch { teams: pair, id, hands: 0, faults: Vec::new(), error }
                }
            };
            self.matches.push(met);
            told(self, None)?;
        }
        self.ended = Some(Timestamp::now());
        told(self, None)
    }
}

impl Rules {
    fn plan(
        &self,
        given_names: Vec<String>,
        entrants: Vec<AgentChoice>,
        hands: u64,
        seed: u64,
    ) -> io::Result<MatchPlan> {
        let def = load_game(&self.game, Reading::Strict).map_err(io::Error::other)?;
        Ok(MatchPlan {
            def,
            game_name: self.game.clone(),
            entrants,
            given_names,
            hands,
            seed,
            duplicate: true,
            shard: None,
            deadline: None,
            rule: None,
        })
    }

    /// A version of a team's bot as an agent.
    fn agent(
        &self,
        team: &Team,
        version: u64,
        output: &Path,
        built: bool,
    ) -> io::Result<AgentChoice> {
        let path = |path: &Path| {
            let path = std::path::absolute(path)?;
            let text = path.to_str().ok_or_else(|| io::Error::other("a path is not text"))?;
            Ok::<_, io::Error>(toml::Value::from(text))
        };
        let whole = |value: u64| toml::Value::from(i64::try_from(value).unwrap_or(i64::MAX));
        let time = |time: Duration| toml::Value::from(format!("{}ms", time.as_millis().max(1)));
        let clock = self.clock.map_or_else(|| toml::Value::from("none"), time);
        let mut readable = Vec::new();
        for folder in &self.bounds.readable {
            readable.push(path(folder)?);
        }
        let mut config = AgentConfig::new("pokerbots");
        config.options = [
            ("folder", path(&team.folder(version))?),
            ("output", path(output)?),
            ("clock", clock),
            ("timeout", time(self.answer)),
            ("build-timeout", time(self.build)),
            ("confined", true.into()),
            ("memory", whole(self.bounds.memory)),
            ("processes", whole(self.bounds.processes)),
            ("cpu", whole(self.bounds.cpu)),
            ("readable", readable.into()),
            ("built", built.into()),
            ("forfeits", built.into()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect();
        // Not the team's name alone, which may be that of a kind of agent.
        let name = format!("{}@{version}", team.name);
        let mut registry = matches::external::registry();
        registry.define(&name, config).map_err(io::Error::other)?;
        registry.resolve(&name).map_err(io::Error::other)
    }

    /// Tries a version: builds it and plays two hands, in which every answer must be legal.
    ///
    /// # Errors
    /// Why it has failed, for the team.
    pub fn trial(&self, team: &Team, version: u64, stop: &Stop) -> Result<(), String> {
        let text = |error: io::Error| error.to_string();
        let bot = self.agent(team, version, &team.trial_output(version), false).map_err(text)?;
        let registry = matches::external::registry();
        let sparring = registry.resolve(SPARRING).map_err(|error| error.to_string())?;
        // No team can have a name with a dot.
        let names = vec![team.name.clone(), format!("{SPARRING}.trial")];
        let plan = self.plan(names, vec![bot, sparring], TRIAL_HANDS, 0).map_err(text)?;
        let settings = Settings {
            level: Level::Nothing,
            folder: PathBuf::new(),
            jobs: 1,
            provenance: self.provenance.clone(),
        };
        let played = play(&plan, &settings, stop, &mut |_| {});
        let outcome = played.map_err(|error| self.with_limit(error.to_string()))?.outcome;
        let counts = outcome.decisions.entrants.first();
        match counts.and_then(|counts| counts.fault(&team.name)) {
            Some(fault) => Err(self.with_limit(fault)),
            None => Ok(()),
        }
    }

    /// The reason why a trial has failed, with the setting of the limit that was hit, if one was.
    fn with_limit(&self, reason: String) -> String {
        let (build, answer) = (self.build, self.answer);
        let limit = [
            ("did not end within", format!("`scrimmage.build_timeout`, which is {build:?}")),
            ("has not connected", "the 10 s that a bot has to connect".to_owned()),
            ("did not answer within", format!("`scrimmage.answer_timeout`, which is {answer:?}")),
            ("has run out", format!("`scrimmage.clock`, which is {:?}", self.clock)),
        ];
        match limit.into_iter().find(|(words, _)| reason.contains(words)) {
            None => reason,
            Some((_, limit)) => format!(
                "{reason} (the limit is {limit}; where the machine was busy, it can be tried \
                 again: the next round does, and so does \
                 `PUT /api/v1/scrimmage/teams/TEAM/trial`)"
            ),
        }
    }
}
