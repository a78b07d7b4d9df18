//! Playing at outside ACPC dealers for as long as the server runs: one connection to each, again
//! after every match and, with growing pauses, after every failure.
//!
//! Each match has a folder `DATA/dealers/NAME/TIME` with what a player can know of it (see
//! [`play_acpc::Record`]) and `summary.json`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use jiff::Timestamp;
use matches::bot::mix;
use matches::runner::Stop;
use parallel::lock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::host::Stops;
use crate::play_acpc::{self, AcpcSettings, End, Record, Summary};
use crate::{Error, write_json};

/// An outside dealer, the agent that plays there, and the pauses and time limits.
#[derive(Debug, Clone)]
pub struct ConnectionPlan {
    /// The connection's name: one word.
    pub name: String,
    /// The game as named in the configuration.
    pub game_name: String,
    /// The settings of every match; its seed is drawn anew for each.
    pub seat: AcpcSettings,
    /// The pause after a match and after the first failure; doubled by each further failure.
    pub retry_first: Duration,
    /// The longest pause.
    pub retry_most: Duration,
    /// The folder for the records of all connections.
    pub folder: PathBuf,
}

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionState {
    /// Connected or connecting: waiting for the other players, or playing.
    AtTheDealer,
    /// Pausing before the next attempt.
    Pausing,
    /// It has ended.
    Stopped,
}

/// The status of a connection at one moment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Dealer")]
pub struct ConnectionStatus {
    /// The connection's name.
    pub name: String,
    /// `HOST:PORT`.
    pub dealer: String,
    /// The game as named in the configuration.
    pub game: String,
    /// The agent that plays.
    pub agent: String,
    /// The connection's state.
    pub doing: ConnectionState,
    /// Matches played to their end since the start.
    pub matches: u64,
    /// Hands played since the start, in matches that are over.
    pub hands: u64,
    /// Failed attempts since the last match of which hands were played.
    pub failures: u32,
    /// The last failure, if it was later than the last good match.
    pub error: Option<String>,
    /// The last match of which at least one hand was played.
    pub last: Option<Summary>,
}

/// A shared handle to the status of a connection.
#[derive(Debug, Clone)]
pub struct ConnectionView(Arc<Mutex<ConnectionStatus>>);

impl ConnectionView {
    /// A copy of the present status.
    pub fn status(&self) -> ConnectionStatus {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionStatus> {
        lock(&self.0)
    }
}

/// A connection to an outside dealer, made again after every match and every failure.
#[derive(Debug)]
pub struct Connection {
    plan: ConnectionPlan,
    view: ConnectionView,
}

impl Connection {
    /// A connection that does nothing before [`run`](Self::run).
    pub fn new(plan: ConnectionPlan) -> Connection {
        let status = ConnectionStatus {
            name: plan.name.clone(),
            dealer: format!("{}:{}", plan.seat.host, plan.seat.port),
            game: plan.game_name.clone(),
            agent: plan.seat.agent.name().to_owned(),
            doing: ConnectionState::Pausing,
            matches: 0,
            hands: 0,
            failures: 0,
            error: None,
            last: None,
        };
        Connection { plan, view: ConnectionView(Arc::new(Mutex::new(status))) }
    }

    /// A handle to its status.
    pub fn view(&self) -> ConnectionView {
        self.view.clone()
    }

    /// Plays match after match until asked to stop.
    pub async fn run(self, stops: Stops) {
        let stop = Stop::new();
        let asked = {
            let (stop, drain) = (stop.clone(), stops.drain.clone());
            tokio::spawn(async move {
                drain.cancelled().await;
                stop.ask();
            })
        };
        tokio::select! {
            () = self.run_matches(&stop, &stops) => {}
            () = stops.abort.cancelled() => {}
        }
        asked.abort();
        self.view.lock().doing = ConnectionState::Stopped;
    }

    async fn run_matches(&self, stop: &Stop, stops: &Stops) {
        let mut number = 0;
        while !stop.asked() {
            self.view.lock().doing = ConnectionState::AtTheDealer;
            let outcome = self.play_once(number, stop).await;
            number += 1;
            let failures = self.note(&outcome);
            if matches!(outcome, Ok((_, Ok(End::Stopped)))) {
                return;
            }
            self.view.lock().doing = ConnectionState::Pausing;
            let doubled = self.plan.retry_first.saturating_mul(1 << failures.min(20));
            tokio::select! {
                () = tokio::time::sleep(doubled.min(self.plan.retry_most)) => {}
                () = stops.drain.cancelled() => return,
            }
        }
    }

    async fn play_once(
        &self,
        number: u64,
        stop: &Stop,
    ) -> Result<(Summary, Result<End, Error>), Error> {
        let plan = &self.plan;
        let time = Timestamp::now();
        let word = time.strftime("%Y%m%d-%H%M%S").to_string();
        let folder = plan.folder.join(&plan.name).join(format!("{word}-{number}"));
        let mut record = Record::open(&folder)?;
        let seed = mix(time.as_nanosecond() as u64) >> 1;
        let seat = AcpcSettings { seed, ..plan.seat.clone() };
        let (summary, end) = play_acpc::play(&seat, Some(&mut record), stop).await;
        drop(record);
        let saved = if summary.hands > 0 {
            write_json(&folder.join("summary.json"), &summary)
        } else {
            // Most attempts fail while a dealer is down: of those only the log line stays.
            std::fs::remove_dir_all(&folder).map_err(|error| Error::file(&folder, &error))
        };
        saved.map_err(|error| Error::here(format!("cannot write {error}")))?;
        Ok((summary, end))
    }

    /// Updates the status after a match; returns the number of failures in a row.
    fn note(&self, outcome: &Result<(Summary, Result<End, Error>), Error>) -> u32 {
        let (summary, error) = match outcome {
            Ok((summary, Ok(_))) => (Some(summary), None),
            Ok((summary, Err(error))) => (Some(summary), Some(error)),
            Err(error) => (None, Some(error)),
        };
        let mut status = self.view.lock();
        let hands = summary.map_or(0, |summary| summary.hands);
        if let Some(summary) = summary.filter(|summary| summary.hands > 0) {
            status.hands += summary.hands;
            status.last = Some(summary.clone());
        }
        let name = &self.plan.name;
        match error {
            None => {
                status.matches += 1;
                status.error = None;
                tracing::info!(dealer = %name, hands, "match at an outside dealer over");
            }
            Some(error) => {
                status.error = Some(error.to_string());
                tracing::warn!(dealer = %name, hands, %error, "outside dealer");
            }
        }
        status.failures = if error.is_some() && hands == 0 { status.failures + 1 } else { 0 };
        status.failures
    }
}
