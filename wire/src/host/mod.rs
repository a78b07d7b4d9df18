//! ACPC tables hosted on ports: outside bots sit down, wait, play, and sit down again.
//!
//! A table has seats for agents of this process and open seats, each with a port of its own. Once a
//! bot waits at every open seat a match begins; when it ends, for whatever reason, its connections
//! are closed, its records are complete, and the next bots in the queues begin the next match.
//! Nothing that a bot does or fails to do outlasts its match.
//!
//! A match in which the server is killed cannot go on, because the protocol has no way to join a
//! hand again; its finished hands are in its ledger, and [`mark_interrupted`] says so at the next
//! start.

mod lobby;
mod play;
mod recorder;
mod seated;
mod status;

use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agents::AgentChoice;
use game::{GameDef, Quirks};
use jiff::Timestamp;
use logs::{Entrant, MatchInfo, Provenance};
use protocol::acpc::dealer::{Config, Limits, Replies};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use lobby::{Arrival, Guest, Lobby};
use play::{OwnDecisions, Sitting, play};
use recorder::Recorder;
use seated::Seated;

pub use recorder::{HOSTED_FILE, RESULT_FILE, RecordError, mark_interrupted};
pub use status::{Playing, SeatStatus, TableStatus, TableView};

/// The pause after a match that could not be recorded.
const AFTER_FAILURE: Duration = Duration::from_secs(2);

/// The settings of a table.
#[derive(Debug, Clone)]
pub struct TablePlan {
    /// The table's name: one word.
    pub name: String,
    /// The game as named in the configuration.
    pub game_name: String,
    /// The game's definition.
    pub def: Arc<GameDef>,
    /// Hands of a match.
    pub hands: u32,
    /// The seed of every match; `None` draws a new one for each.
    pub seed: Option<u32>,
    /// The seats: one for each player of the game, at least one of them open.
    pub seats: Vec<SeatPlan>,
    /// Most bots that may wait for one seat.
    pub queue: usize,
    /// The time limit for a bot's version line.
    pub version_timeout: Duration,
    /// Time limits of a match.
    pub limits: Limits,
    /// How bad replies are treated.
    pub replies: Replies,
    /// The folder in which match folders are made.
    pub matches: PathBuf,
    /// The program and its version, for the records.
    pub provenance: Provenance,
}

/// Who can sit in a seat of a table.
#[derive(Debug, Clone)]
pub enum SeatPlan {
    /// An agent of this process.
    Agent {
        /// The player's name in the records.
        name: String,
        /// The agent.
        choice: AgentChoice,
    },
    /// Outside bots, on a port of its own.
    Open {
        /// The player's name in the records, whoever it is.
        name: String,
        /// The address to listen on.
        address: SocketAddr,
    },
}

impl SeatPlan {
    /// The player's name in the records.
    pub fn name(&self) -> &str {
        match self {
            SeatPlan::Agent { name, .. } | SeatPlan::Open { name, .. } => name,
        }
    }
}

/// Cancellation tokens that stop a table or a connection.
#[derive(Debug, Clone, Default)]
pub struct Stops {
    /// Finishes the hands in play, then stops.
    pub drain: CancellationToken,
    /// Stops now.
    pub abort: CancellationToken,
}

/// How a match ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "kebab-case")]
pub enum Ending {
    /// All hands were played.
    Finished,
    /// A player made it impossible to go on.
    Failed {
        /// The number of the entrant at fault, from 0.
        entrant: Option<usize>,
        /// The hand, from 0.
        hand: u32,
        /// What they did, as the end of a sentence.
        reason: String,
    },
    /// The match was stopped when the server was asked to stop.
    Stopped,
    /// The server was killed during the match.
    Interrupted,
    /// The match stopped because of an error of the server.
    ServerFault {
        /// The error.
        reason: String,
    },
}

impl Ending {
    /// The ending in one sentence, without a full stop.
    pub fn words(&self, names: &[String]) -> String {
        match self {
            Ending::Finished => "all hands were played".to_owned(),
            Ending::Failed { entrant, hand, reason } => {
                let who = entrant.and_then(|entrant| names.get(entrant));
                let who = who.map_or("a player", String::as_str);
                format!("{who} {reason} (hand {hand})")
            }
            Ending::Stopped => "the server was asked to stop".to_owned(),
            Ending::Interrupted => "the server was killed or lost power".to_owned(),
            Ending::ServerFault { reason } => format!("the server could not continue: {reason}"),
        }
    }
}

/// The result of a match, as in `result.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The match's name.
    pub id: String,
    /// When it ended; if interrupted, when that was noticed.
    pub at: Timestamp,
    /// The number of hands in its ledger.
    pub hands: u64,
    /// The number of hands planned.
    pub of: u64,
    /// How it ended, in one sentence.
    pub words: String,
    /// How it ended, for programs.
    #[serde(flatten)]
    pub ending: Ending,
}

/// A port that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("table {table}: cannot listen on {address}: {reason}")]
pub struct OpenError {
    /// The table's name.
    pub table: String,
    /// The address that was to be opened.
    pub address: SocketAddr,
    /// The system's error.
    pub reason: io::Error,
}

/// A table whose ports are open.
#[derive(Debug)]
pub struct HostedTable {
    plan: Arc<TablePlan>,
    listeners: Vec<TcpListener>,
    /// The seat that each listener belongs to.
    doors: Vec<usize>,
    view: TableView,
}

impl HostedTable {
    /// Opens the ports. Bots can connect now, but are accepted by [`run`](Self::run) only.
    pub async fn open(plan: TablePlan) -> Result<HostedTable, OpenError> {
        let mut listeners = Vec::new();
        let mut doors = Vec::new();
        let mut addresses = vec![None; plan.seats.len()];
        for (i, seat) in plan.seats.iter().enumerate() {
            let SeatPlan::Open { address, .. } = seat else { continue };
            let bound = TcpListener::bind(address).await;
            let bound = bound.and_then(|listener| Ok((listener.local_addr()?, listener)));
            let (local, listener) = bound.map_err(|reason| OpenError {
                table: plan.name.clone(),
                address: *address,
                reason,
            })?;
            addresses[i] = Some(local);
            listeners.push(listener);
            doors.push(i);
        }
        let plan = Arc::new(plan);
        let view = TableView::new(Arc::clone(&plan), addresses);
        Ok(HostedTable { plan, listeners, doors, view })
    }

    /// A handle to the table's status.
    pub fn view(&self) -> TableView {
        self.view.clone()
    }

    /// Accepts bots and plays matches until asked to stop.
    pub async fn run(self, stops: Stops) {
        let HostedTable { plan, listeners, doors, view } = self;
        let mut lobby = Lobby::new(listeners, plan.queue, plan.version_timeout);
        let host = Host { plan, doors, view, stops };
        loop {
            if host.stops.drain.is_cancelled() || host.stops.abort.is_cancelled() {
                break;
            }
            let Some(party) = lobby.party() else {
                tokio::select! {
                    arrival = lobby.next() => host.note(arrival, &lobby),
                    () = host.stops.drain.cancelled() => {}
                    () = host.stops.abort.cancelled() => {}
                }
                continue;
            };
            host.note_waiting(&lobby);
            let mut playing = std::pin::pin!(host.play(party));
            let recorded = loop {
                tokio::select! {
                    recorded = &mut playing => break recorded,
                    arrival = lobby.next() => host.note(arrival, &lobby),
                }
            };
            if !recorded {
                // Without a pause, bots that come back at once would keep a full disk busy.
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
        lobby.close().await;
    }
}

/// The state of a running table besides its lobby.
struct Host {
    plan: Arc<TablePlan>,
    doors: Vec<usize>,
    view: TableView,
    stops: Stops,
}

impl Host {
    fn note_waiting(&self, lobby: &Lobby) {
        for (door, &seat) in self.doors.iter().enumerate() {
            self.view.set_waiting(seat, lobby.waiting(door));
        }
    }

    fn note(&self, arrival: Arrival, lobby: &Lobby) {
        let table = &self.plan.name;
        let name = |door: usize| self.plan.seats[self.doors[door]].name();
        match arrival {
            Arrival::Waiting { door, peer } => {
                tracing::info!(%table, seat = name(door), %peer, "a bot has sat down");
            }
            Arrival::Left { door, peer } => {
                tracing::info!(%table, seat = name(door), %peer, "a bot has left before its match");
            }
            Arrival::Refused { door, peer, why } => {
                self.view.count_refused();
                metrics::counter!("cardroom_refused_total", "table" => table.clone()).increment(1);
                tracing::info!(%table, seat = name(door), %peer, why, "a bot was turned away");
            }
            Arrival::Failed { door, error } => {
                tracing::warn!(%table, seat = name(door), %error, "cannot accept connections");
            }
        }
        self.note_waiting(lobby);
    }

    /// Plays one match on a thread of its own, since agents compute; `false` if it could not be
    /// recorded.
    fn play(&self, party: Vec<Guest>) -> impl Future<Output = bool> + use<> {
        let (plan, view, stops) = (Arc::clone(&self.plan), self.view.clone(), self.stops.clone());
        let doors = self.doors.clone();
        async move {
            let table = plan.name.clone();
            let handle = Handle::current();
            let shown = view.clone();
            let played = tokio::task::spawn_blocking(move || {
                handle.block_on(play_match(&plan, &doors, party, &shown, &stops))
            });
            let ended = match played.await {
                Ok(Ok(ended)) => ended,
                Ok(Err(error)) => {
                    tracing::error!(%table, %error, "a match could not be recorded");
                    view.abandon();
                    return false;
                }
                Err(error) => {
                    tracing::error!(%table, %error, "a match was abandoned");
                    view.abandon();
                    return false;
                }
            };
            let Ended { id, hands, of, words, .. } = &ended;
            tracing::info!(%table, match_id = id, hands, of, "match over: {words}");
            view.end(ended);
            true
        }
    }
}

async fn play_match(
    plan: &TablePlan,
    doors: &[usize],
    party: Vec<Guest>,
    view: &TableView,
    stops: &Stops,
) -> Result<Ended, RecordError> {
    let seed = plan.seed.unwrap_or_else(fresh_seed);
    let last = view.status().last.map(|last| last.id);
    let (id, path) = new_folder(plan, last.as_deref());
    let info = match_info(plan, &id, seed);
    let mut peers = vec![None; plan.seats.len()];
    for (guest, &seat) in party.iter().zip(doors) {
        peers[seat] = Some(guest.peer);
    }
    tracing::info!(table = %plan.name, match_id = %id, seed, "match begins");
    let mut recorder = Recorder::create(&path, &info, peers, view)?;
    let def = Arc::new(plan.def.with_quirks(Quirks::ORIGINAL));
    let mut config = Config::new(Arc::clone(&def), plan.hands, seed);
    config.limits = plan.limits;
    config.replies = plan.replies;
    let own = OwnDecisions::default();
    let ending = match seat_everybody(plan, &def, party, seed, &own) {
        Ok(seats) => play(config, seats, own, &mut recorder, stops).await?,
        Err(error) => Ending::ServerFault { reason: error.to_string() },
    };
    recorder.finish(ending)
}

fn seat_everybody(
    plan: &TablePlan,
    def: &Arc<GameDef>,
    party: Vec<Guest>,
    seed: u32,
    own: &OwnDecisions,
) -> Result<Vec<Sitting>, agents::AgentError> {
    let mut party = party.into_iter();
    let seat = |(entrant, seat): (usize, &SeatPlan)| match seat {
        SeatPlan::Agent { choice, .. } => {
            let limit = plan.limits.response;
            let others = plan.seats.iter().enumerate().filter(|&(other, _)| other != entrant);
            let others: Vec<String> = others.map(|(_, seat)| seat.name().to_owned()).collect();
            let seated = Seated::new(choice, def, entrant as u8, seed.into(), limit, &others, own)?;
            Ok(Sitting::Agent(Box::new(seated)))
        }
        SeatPlan::Open { .. } => {
            Ok(Sitting::Guest(party.next().expect("a guest came through every door")))
        }
    };
    plan.seats.iter().enumerate().map(seat).collect()
}

fn match_info(plan: &TablePlan, id: &str, seed: u32) -> MatchInfo {
    let entrant = |seat: &SeatPlan| match seat {
        SeatPlan::Agent { name, choice } => {
            Entrant { agent: choice.name().to_owned(), ..Entrant::named(name.clone()) }
        }
        SeatPlan::Open { name, .. } => Entrant::named(name.clone()),
    };
    MatchInfo {
        name: id.to_owned(),
        game_name: plan.game_name.clone(),
        hands: plan.hands.into(),
        seed: seed.into(),
        duplicate: false,
        shard: None,
        provenance: Provenance { created: Timestamp::now().to_string(), ..plan.provenance.clone() },
        entrants: plan.seats.iter().map(entrant).collect(),
        game: (*plan.def).clone(),
    }
}

/// A new match name, made of the table's name and the time, and its folder.
fn new_folder(plan: &TablePlan, last: Option<&str>) -> (String, PathBuf) {
    let time = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let first = format!("{}-{time}", plan.name);
    let mut id = first.clone();
    let mut number = 2;
    while plan.matches.join(&id).exists() || last == Some(&id) {
        id = format!("{first}-{number}");
        number += 1;
    }
    let path = plan.matches.join(&id);
    (id, path)
}

/// A seed that cannot be guessed from earlier ones: from the system's randomness, through the keys
/// of the standard library's hash maps.
pub fn fresh_seed() -> u32 {
    std::collections::hash_map::RandomState::new().build_hasher().finish() as u32
}
