//! A scrimmage at work: two threads, one for trials and one for rounds, and what is shown of it.
//!
//! Nothing is asked of the clock but here. Rounds are played one at a time; trials go on meanwhile,
//! for the next round.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use logs::stats::{CrossTable, Interval};
use matches::confine::{self, Restriction};
use matches::plan::fresh_seed;
use matches::runner::Stop;
use protocol::pokerbots::GAME as BASE_GAME;
use runs::{Lock, LockError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::intake::{IntakeLimits, Refused, Taken};
use crate::round::{Cause, Entry, Round, RoundMatch, Rules};
use crate::schedule::Nightly;
use crate::team::{HandedIn, Origin, Record, Team, check_name, remove_folder};

/// The pause between two looks at the clock.
const TICK: Duration = Duration::from_millis(500);

/// The rounds that are listed.
const LISTED: usize = 20;

/// The settings of a scrimmage.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The folder for its records.
    pub home: PathBuf,
    /// The folder of tournaments, in which its rounds are.
    pub tournaments: PathBuf,
    /// The folder in which each team has one, if there is one.
    pub teams: Option<PathBuf>,
    /// When rounds are played; `None` for on request only.
    pub nightly: Option<Nightly>,
    /// How bots play.
    pub rules: Rules,
    /// What a team may hand in.
    pub limits: IntakeLimits,
    /// Most teams.
    pub most_teams: usize,
}

/// A scrimmage; cheap to clone.
#[derive(Debug, Clone)]
pub struct Scrimmage(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    plan: Plan,
    state: Mutex<State>,
    /// Something is to be done.
    changed: Condvar,
    stop: Stop,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// One process has the folder.
    _lock: Lock,
}

#[derive(Debug)]
struct State {
    teams: BTreeMap<String, Team>,
    /// All rounds, the latest last.
    rounds: Vec<Round>,
    /// Hands so far of the match in play.
    hands: u64,
    /// All nightly rounds up to this time have been played.
    since: Timestamp,
    /// Whether somebody has asked for a round.
    asked: bool,
    /// Why there was no round when there should have been one.
    notice: Option<String>,
}

/// All that is shown of a scrimmage.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Scrimmage")]
pub struct View {
    /// The time of the next round that nobody need ask for.
    pub next: Option<Timestamp>,
    /// Whether somebody has asked for a round that has not begun.
    pub asked: bool,
    /// Why there was no round when there should have been one.
    pub notice: Option<String>,
    /// The teams, by name.
    pub teams: Vec<TeamView>,
    /// The last twenty rounds, the latest first.
    pub rounds: Vec<RoundView>,
    /// What bots are kept from on this system.
    pub confinement: Vec<Restriction>,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ScrimmageTeam")]
pub struct TeamView {
    /// Its name.
    pub name: String,
    /// What it has handed in, and which version plays.
    #[serde(flatten)]
    pub record: Record,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ScrimmageRound")]
pub struct RoundView {
    /// Its number, from 1.
    pub number: u64,
    /// Its name, with which those of its matches begin.
    pub name: String,
    /// Why it is played.
    pub cause: Cause,
    /// When it began.
    pub began: Timestamp,
    /// When it was over; `null` while it is played.
    pub ended: Option<Timestamp>,
    /// Hands of every pair.
    pub hands: u64,
    /// The number of its matches.
    pub planned: usize,
    /// The teams with the versions that play.
    pub entries: Vec<Entry>,
    /// The matches that are over.
    pub matches: Vec<RoundMatch>,
    /// Hands so far of the match in play.
    pub hands_in_play: u64,
    /// The results of every pair so far.
    pub table: CrossTable,
    /// The teams that have met all others, best first.
    pub standings: Vec<StandingView>,
}

/// A team's place in a round.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ScrimmageStanding")]
pub struct StandingView {
    /// The team.
    pub team: String,
    /// The mean of its rates, in mbb/hand.
    pub mbb: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// The groups it is in, a letter for each: teams that share a letter are not separated.
    pub groups: String,
}

impl Scrimmage {
    /// Opens the folder of a scrimmage and reads what is in it.
    ///
    /// # Errors
    /// When it cannot be read, or another process has it.
    pub fn open(plan: Plan) -> io::Result<Scrimmage> {
        let at = |path: &Path, error: &dyn std::fmt::Display| {
            io::Error::other(format!("the scrimmage's folder {}: {error}", path.display()))
        };
        let home = plan.home.clone();
        runs::create_folder(&home).map_err(|error| at(&home, &error))?;
        // Teams must not read each other's bots, nor other users of the machine.
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700))
            .map_err(|error| at(&home, &error))?;
        let lock = Lock::take(&home.join("lock")).map_err(|error| match error {
            LockError::Io(error) => at(&home, &error),
            _ => at(&home, &"another cardroom has it"),
        })?;
        let incoming = home.join("incoming");
        remove_folder(&incoming).map_err(|error| at(&incoming, &error))?;
        let mut teams = Team::all(&home.join("teams")).map_err(|error| at(&home, &error))?;
        let file = home.join("game");
        let before = fs::read_to_string(&file).unwrap_or_else(|_| BASE_GAME.to_owned());
        if before.trim() != plan.rules.game {
            // Bots for one game are none for the other.
            let tried = teams.iter_mut().try_for_each(Team::try_for_another_game);
            tried.map_err(|error| at(&home, &error))?;
        }
        let game = &plan.rules.game;
        runs::write_whole(&file, |out| writeln!(out, "{game}"))
            .map_err(|error| at(&file, &error))?;
        let rounds = Round::all(&home.join("rounds")).map_err(|error| at(&home, &error))?;
        let file = home.join("since");
        let since = match fs::read_to_string(&file) {
            // Nights on which none was wanted are not made up for.
            Ok(text) if plan.nightly.is_some() => {
                text.trim().parse().map_err(|error| at(&file, &error))?
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(at(&file, &error));
            }
            _ => {
                let now = Timestamp::now();
                write_since(&home, now).map_err(|error| at(&file, &error))?;
                now
            }
        };
        let teams = teams.into_iter().map(|team| (team.name.clone(), team)).collect();
        let state = State { teams, rounds, hands: 0, since, asked: false, notice: None };
        for lack in confine::missing() {
            tracing::warn!("bots of the scrimmage are not kept from {lack}");
        }
        Ok(Scrimmage(Arc::new(Inner {
            plan,
            state: Mutex::new(state),
            changed: Condvar::new(),
            stop: Stop::new(),
            threads: Mutex::default(),
            _lock: lock,
        })))
    }

    /// Starts the threads; a round that was not finished goes on.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start(&self) -> io::Result<()> {
        let mut threads = self.0.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let (trials, rounds) = (Arc::clone(&self.0), Arc::clone(&self.0));
        threads.push(named("trials").spawn(move || trials.try_all())?);
        threads.push(named("rounds").spawn(move || rounds.play_all())?);
        Ok(())
    }

    /// Asks the threads to stop: hands in play are finished.
    pub fn ask_to_stop(&self) {
        self.0.stop.ask();
        self.0.changed.notify_all();
    }

    /// Waits for the threads to stop.
    pub fn wait(&self) {
        let threads: Vec<_> =
            self.0.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for thread in threads {
            // A panic has been told by its thread.
            let _ = thread.join();
        }
    }

    /// Takes a zip from a team; its trial follows.
    ///
    /// # Errors
    /// When it is not taken, for the team.
    pub fn hand_in(&self, team: &str, zip: &[u8]) -> Result<HandedIn, Refused> {
        let inner = &self.0;
        check_name(team)?;
        inner.state().room_for(team, inner.plan.most_teams)?;
        let taken = Taken::zip(zip, &inner.plan.home.join("incoming"), &inner.plan.limits);
        inner.enter(team, taken, Origin::Upload)
    }

    /// Asks for a round.
    ///
    /// # Errors
    /// When one is being played.
    pub fn ask_for_round(&self) -> Result<(), Refused> {
        let mut state = self.0.state();
        if let Some(round) = state.rounds.last().filter(|round| round.ended.is_none()) {
            let number = round.number;
            return Err(Refused(format!("round {number} is being played: ask again after it")));
        }
        state.asked = true;
        drop(state);
        self.0.changed.notify_all();
        Ok(())
    }

    /// Has a team's last bot tried again, which has failed its trial.
    ///
    /// # Errors
    /// When there is none, or it has not failed.
    pub fn try_again(&self, team: &str) -> Result<HandedIn, Refused> {
        let mut state = self.0.state();
        let none = || Refused(format!("the team {team} has no bot that has failed its trial"));
        let found = state.teams.get_mut(team).ok_or_else(none)?;
        let again = found.try_again()?;
        let last = found.record.handed_in.last().filter(|_| again).cloned();
        drop(state);
        self.0.changed.notify_all();
        last.ok_or_else(none)
    }

    /// The most bytes of a zip.
    pub fn most_bytes(&self) -> u64 {
        self.0.plan.limits.packed
    }

    /// The end of what a team's bot has said in its last trial and round.
    pub fn output(&self, team: &str) -> Option<String> {
        let state = self.0.state();
        let plays = |round: &&Round| round.entries.iter().any(|entry| entry.team == team);
        let round = state.rounds.iter().rev().find(plays).map(|round| round.number);
        let team = state.teams.get(team)?.clone();
        drop(state);
        Some(team.output(round))
    }

    /// All that is shown.
    pub fn view(&self) -> View {
        let state = self.0.state();
        let teams = state.teams.values();
        let teams =
            teams.map(|team| TeamView { name: team.name.clone(), record: team.record.clone() });
        let rounds = state.rounds.iter().rev().take(LISTED);
        let nightly = self.0.plan.nightly.as_ref();
        View {
            next: nightly.and_then(|nightly| nightly.after(Timestamp::now().max(state.since))),
            asked: state.asked,
            notice: state.notice.clone(),
            teams: teams.collect(),
            rounds: rounds.map(|round| RoundView::new(round, state.hands)).collect(),
            confinement: confine::restrictions().to_vec(),
        }
    }
}

impl RoundView {
    fn new(round: &Round, hands: u64) -> RoundView {
        let standings = round.table.standings().into_iter().map(|standing| StandingView {
            team: round.table.names[standing.entrant].clone(),
            mbb: standing.rate.mbb,
            interval: standing.rate.interval,
            groups: standing.letters,
        });
        RoundView {
            number: round.number,
            name: round.name(),
            cause: round.cause,
            began: round.began,
            ended: round.ended,
            hands: round.hands,
            planned: round.planned(),
            entries: round.entries.clone(),
            matches: round.matches.clone(),
            hands_in_play: if round.ended.is_none() { hands } else { 0 },
            table: round.table.clone(),
            standings: standings.collect(),
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters what a team has handed in, or why it is not taken.
    fn enter(
        &self,
        name: &str,
        taken: Result<Taken, Refused>,
        origin: Origin,
    ) -> Result<HandedIn, Refused> {
        let now = Timestamp::now();
        let mut state = self.state();
        state.room_for(name, self.plan.most_teams)?;
        let known = state.teams.contains_key(name);
        let team = state.teams.entry(name.to_owned());
        let team = team.or_insert_with(|| Team::new(&self.plan.home.join("teams"), name));
        let entered = match taken {
            Ok(taken) => team.add(taken, origin, now).map_err(Refused::from),
            Err(refused) => {
                // A name that nothing was ever taken from is not a team.
                if known || origin == Origin::Folder {
                    team.refuse(&refused, now)?;
                }
                Err(refused)
            }
        };
        if entered.is_err() && !known && origin == Origin::Upload {
            state.teams.remove(name);
        }
        drop(state);
        match &entered {
            Ok(new) => tracing::info!(team = name, version = new.version, "a bot was handed in"),
            Err(refused) => tracing::info!(team = name, %refused, "a bot was not taken"),
        }
        self.changed.notify_all();
        entered
    }

    /// Takes in the teams' folders that have changed.
    fn look_at_folders(&self) {
        let Some(folder) = &self.plan.teams else { return };
        let entries = match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "cannot read the teams' folder");
                return;
            }
        };
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if name.starts_with('.') || !is_folder {
                continue;
            }
            if let Err(refused) =
                check_name(&name).and_then(|()| self.state().room_for(&name, self.plan.most_teams))
            {
                tracing::warn!(%refused, "a folder is no team's");
                continue;
            }
            let home = self.plan.home.join("incoming");
            let taken = Taken::folder(&entry.path(), &home, &self.plan.limits);
            let same = taken.as_ref().is_ok_and(|taken| {
                let state = self.state();
                state.teams.get(&name).is_some_and(|team| team.has(&taken.content.sha256))
            });
            if !same {
                // It is in the team's record.
                let _ = self.enter(&name, taken, Origin::Folder);
            }
        }
    }

    /// Tries what is waiting, one after the other, until the stop.
    fn try_all(&self) {
        self.look_at_folders();
        while !self.stop.asked() {
            let state = self.state();
            let next = state.teams.values().find_map(|team| {
                let version = team.waiting().next()?.version;
                Some((team.clone(), version))
            });
            let Some((team, version)) = next else {
                drop(self.changed.wait_timeout(state, TICK));
                continue;
            };
            drop(state);
            let result = self.plan.rules.trial(&team, version, &self.stop);
            if self.stop.asked() {
                // It is tried again after the start.
                return;
            }
            match &result {
                Ok(()) => tracing::info!(team = team.name, version, "a bot has passed its trial"),
                Err(reason) => {
                    tracing::info!(team = team.name, version, reason, "a bot has failed its trial");
                }
            }
            let mut state = self.state();
            let in_use = state.in_use(&team.name);
            if let Some(team) = state.teams.get_mut(&team.name) {
                if let Err(error) = team.enter_result(version, result) {
                    tracing::error!(team = team.name, %error, "cannot store the result of a trial");
                    drop(state);
                    std::thread::sleep(TICK);
                    continue;
                }
                team.tidy(&in_use);
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Plays rounds when they are due or asked for, until the stop.
    fn play_all(&self) {
        while !self.stop.asked() {
            let state = self.state();
            let open = state.rounds.last().filter(|round| round.ended.is_none()).cloned();
            if let Some(round) = open {
                let teams = state.teams.values().cloned().collect::<Vec<_>>();
                drop(state);
                self.go_on(round, &teams);
                continue;
            }
            let nightly = self.plan.nightly.as_ref();
            let due = nightly.and_then(|nightly| nightly.due(state.since, Timestamp::now()));
            if due.is_none() && !state.asked {
                drop(self.changed.wait_timeout(state, TICK));
                continue;
            }
            drop(state);
            self.look_at_folders();
            self.try_failed_again();
            if self.wait_for_trials() {
                self.begin(due);
            }
        }
    }

    /// Has the last bots that have failed tried again, before a round: the machine may have been
    /// busy.
    fn try_failed_again(&self) {
        let mut state = self.state();
        for team in state.teams.values_mut() {
            if let Err(error) = team.try_again() {
                tracing::error!(team = team.name, %error, "cannot store that a bot is tried again");
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until nothing is to be tried; `false` at the stop.
    fn wait_for_trials(&self) -> bool {
        let mut state = self.state();
        while state.teams.values().any(|team| team.waiting().next().is_some()) {
            if self.stop.asked() {
                return false;
            }
            state = match self.changed.wait_timeout(state, TICK) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        !self.stop.asked()
    }

    /// Begins a round with all teams that have a version to play.
    fn begin(&self, due: Option<Timestamp>) {
        let home = &self.plan.home;
        let mut state = self.state();
        let entry =
            |team: &Team| Some(Entry { team: team.name.clone(), version: team.record.plays? });
        let entries: Vec<Entry> = state.teams.values().filter_map(entry).collect();
        let cause = if due.is_some() { Cause::Nightly } else { Cause::Request };
        state.asked = false;
        state.notice = None;
        if let Some(due) = due {
            state.since = due;
            if let Err(error) = write_since(home, due) {
                tracing::error!(%error, "cannot store the time of a round");
            }
        }
        if entries.len() < 2 {
            let notice = format!(
                "There was no round: it needs two teams whose bots have passed their trial, and \
                 there are {}.",
                entries.len()
            );
            tracing::warn!(notice);
            state.notice = Some(notice);
            return;
        }
        let number = state.rounds.last().map_or(1, |last| last.number + 1);
        let rules = &self.plan.rules;
        let round = Round::new(number, cause, fresh_seed(), entries, rules, Timestamp::now());
        tracing::info!(round = number, teams = round.entries.len(), "a round of the scrimmage");
        match round.keep(&home.join("rounds")) {
            Ok(()) => state.rounds.push(round),
            Err(error) => {
                tracing::error!(%error, "cannot begin a round");
                state.notice = Some(format!("There was no round: it cannot be stored: {error}"));
            }
        }
    }

    /// Plays what is left of a round.
    fn go_on(&self, mut round: Round, teams: &[Team]) {
        let (game, hands) = (round.game.clone(), round.hands);
        let rules = Rules { game, hands, ..self.plan.rules.clone() };
        let rounds = self.plan.home.join("rounds");
        let mut told = |round: &Round, hands: Option<u64>| {
            if hands.is_none() {
                round.keep(&rounds)?;
            }
            let mut state = self.state();
            state.hands = hands.unwrap_or(0);
            if hands.is_none()
                && let Some(last) = state.rounds.last_mut()
            {
                last.clone_from(round);
            }
            Ok(())
        };
        let played = round.play(teams, &self.plan.tournaments, &rules, &self.stop, &mut told);
        if let Err(error) = played {
            tracing::error!(round = round.number, %error, "a round cannot go on");
            round.ended = Some(Timestamp::now());
            let mut state = self.state();
            state.notice = Some(format!("Round {} could not go on: {error}", round.number));
            // Whether or not it can be stored: it is not tried for ever.
            if let Err(error) = round.keep(&rounds) {
                tracing::error!(%error, "cannot store a round");
            }
            if let Some(last) = state.rounds.last_mut() {
                last.clone_from(&round);
            }
        } else if round.ended.is_some() {
            tracing::info!(round = round.number, "a round of the scrimmage is over");
            let mut state = self.state();
            state.teams.values_mut().for_each(|team| team.tidy(&[]));
        }
    }
}

impl State {
    /// Whether there may be a team of this name, among at most so many.
    fn room_for(&self, team: &str, most: usize) -> Result<(), Refused> {
        if !self.teams.contains_key(team) && self.teams.len() >= most {
            return Err(Refused(format!("there are {most} teams, and no more are allowed")));
        }
        Ok(())
    }

    /// The versions of a team that a round in progress plays.
    fn in_use(&self, team: &str) -> Vec<u64> {
        let open = self.rounds.last().filter(|round| round.ended.is_none());
        let entries = open.into_iter().flat_map(|round| &round.entries);
        entries.filter(|entry| entry.team == team).map(|entry| entry.version).collect()
    }
}

fn write_since(home: &Path, since: Timestamp) -> io::Result<()> {
    runs::write_whole(&home.join("since"), |out| writeln!(out, "{since}"))
}
