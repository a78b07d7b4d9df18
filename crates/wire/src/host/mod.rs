//! ACPC tables hosted on ports: outside bots sit down, wait, play, and sit down again.
//!
//! A table has seats for agents of this process and open seats, each with a port of its own. Once a
//! bot waits at every open seat a match begins; when it ends, for any reason, its connections
//! are closed, its records are complete, and the next bots in the queues begin the next match.
//! The effects of a misbehaving bot end with its match. A [`TableView`] gives the table's status at
//! any time, to any thread.
//!
//! A match in which the server is killed cannot go on, because the protocol has no way to join a
//! hand again; its finished hands are in its ledger, and [`mark_interrupted`] says so at the next
//! start.

mod lobby;
mod play;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use agents::AgentChoice;
use game::{GameDef, Quirks};
use jiff::Timestamp;
use logs::stats::{DecisionTally, Rate, Tally};
use logs::{Entrant, MatchInfo, Provenance};
use matches::plan::fresh_seed;
use parallel::lock;
use protocol::acpc::dealer::{Config, Limits, Replies};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::Error;
use lobby::{Guest, Lobby, LobbyEvent};
use play::{LocalPlayer, OwnDecisions, Recorder, SeatOccupant, play};

pub use play::{HOSTED_FILE, RESULT_FILE, mark_interrupted};

/// The pause after a match that could not be recorded.
const FAILURE_PAUSE: Duration = Duration::from_secs(2);

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
    /// The handling of bad replies.
    pub replies: Replies,
    /// The folder in which match folders are made.
    pub matches: PathBuf,
    /// The program and its version, for the records.
    pub provenance: Provenance,
}

/// The player of a seat of a table.
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

/// The end of a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        /// The act of that entrant, as the end of a sentence.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// The match's name.
    pub id: String,
    /// The time of its end; if interrupted, the time when that was noticed.
    pub at: Timestamp,
    /// The number of hands in its ledger.
    pub hands: u64,
    /// The number of hands planned.
    pub of: u64,
    /// The ending in one sentence.
    pub words: String,
    /// The ending, for programs.
    #[serde(flatten)]
    pub ending: Ending,
}

/// A table whose ports are open.
#[derive(Debug)]
pub struct HostedTable {
    plan: Arc<TablePlan>,
    listeners: Vec<TcpListener>,
    /// The seat that each listener belongs to.
    open_seats: Vec<usize>,
    view: TableView,
}

impl HostedTable {
    /// Opens the ports. Bots can connect now, but are accepted by [`run`](Self::run) only.
    pub async fn open(plan: TablePlan) -> Result<HostedTable, Error> {
        let mut listeners = Vec::new();
        let mut open_seats = Vec::new();
        let mut addresses = vec![None; plan.seats.len()];
        for (i, seat) in plan.seats.iter().enumerate() {
            let SeatPlan::Open { address, .. } = seat else { continue };
            let bound = TcpListener::bind(address).await;
            let bound = bound.and_then(|listener| Ok((listener.local_addr()?, listener)));
            let (local, listener) = bound.map_err(|reason| {
                let table = &plan.name;
                Error::here(format!("table {table}: cannot listen on {address}: {reason}"))
            })?;
            addresses[i] = Some(local);
            listeners.push(listener);
            open_seats.push(i);
        }
        let plan = Arc::new(plan);
        let view = TableView::new(Arc::clone(&plan), addresses);
        Ok(HostedTable { plan, listeners, open_seats, view })
    }

    /// A handle to the table's status.
    pub fn view(&self) -> TableView {
        self.view.clone()
    }

    /// Accepts bots and plays matches until asked to stop.
    pub async fn run(self, stops: Stops) {
        let HostedTable { plan, listeners, open_seats, view } = self;
        let mut lobby = Lobby::new(listeners, plan.queue, plan.version_timeout);
        let host = Host { plan, open_seats, view, stops };
        loop {
            if host.stops.drain.is_cancelled() || host.stops.abort.is_cancelled() {
                break;
            }
            let Some(guests) = lobby.take_guests() else {
                tokio::select! {
                    event = lobby.next() => host.note(event, &lobby),
                    () = host.stops.drain.cancelled() => {}
                    () = host.stops.abort.cancelled() => {}
                }
                continue;
            };
            host.note_waiting(&lobby);
            let mut playing = std::pin::pin!(host.play(guests));
            let recorded = loop {
                tokio::select! {
                    recorded = &mut playing => break recorded,
                    event = lobby.next() => host.note(event, &lobby),
                }
            };
            if !recorded {
                // Without a pause, bots that come back at once would keep a full disk busy.
                tokio::time::sleep(FAILURE_PAUSE).await;
            }
        }
        lobby.close().await;
    }
}

/// The state of a running table besides its lobby.
struct Host {
    plan: Arc<TablePlan>,
    open_seats: Vec<usize>,
    view: TableView,
    stops: Stops,
}

impl Host {
    fn note_waiting(&self, lobby: &Lobby) {
        for (open_seat, &seat) in self.open_seats.iter().enumerate() {
            self.view.set_waiting(seat, lobby.waiting(open_seat));
        }
    }

    fn note(&self, event: LobbyEvent, lobby: &Lobby) {
        let table = &self.plan.name;
        let name = |open_seat: usize| self.plan.seats[self.open_seats[open_seat]].name();
        match event {
            LobbyEvent::Waiting { open_seat, peer } => {
                tracing::info!(%table, seat = name(open_seat), %peer, "a bot has sat down");
            }
            LobbyEvent::Left { open_seat, peer } => {
                tracing::info!(%table, seat = name(open_seat), %peer, "a bot has left before its \
                    match");
            }
            LobbyEvent::Refused { open_seat, peer, why } => {
                self.view.count_refused();
                metrics::counter!("cardroom_refused_total", "table" => table.clone()).increment(1);
                tracing::info!(%table, seat = name(open_seat), %peer, why, "a bot was turned away");
            }
            LobbyEvent::Failed { open_seat, error } => {
                tracing::warn!(%table, seat = name(open_seat), %error, "cannot accept connections");
            }
        }
        self.note_waiting(lobby);
    }

    /// Plays one match on a thread of its own, since agents compute; `false` if it could not be
    /// recorded.
    fn play(&self, guests: Vec<Guest>) -> impl Future<Output = bool> + use<> {
        let (plan, view, stops) = (Arc::clone(&self.plan), self.view.clone(), self.stops.clone());
        let open_seats = self.open_seats.clone();
        async move {
            let table = plan.name.clone();
            let handle = Handle::current();
            let shown = view.clone();
            let played = tokio::task::spawn_blocking(move || {
                handle.block_on(play_match(&plan, &open_seats, guests, &shown, &stops))
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
    open_seats: &[usize],
    guests: Vec<Guest>,
    view: &TableView,
    stops: &Stops,
) -> Result<Ended, Error> {
    let seed = plan.seed.unwrap_or_else(|| fresh_seed() as u32);
    let last = view.status().last.map(|last| last.id);
    let (id, path) = new_folder(plan, last.as_deref());
    let info = match_info(plan, &id, seed);
    let mut peers = vec![None; plan.seats.len()];
    for (guest, &seat) in guests.iter().zip(open_seats) {
        peers[seat] = Some(guest.peer);
    }
    tracing::info!(table = %plan.name, match_id = %id, seed, "match begins");
    let mut recorder = Recorder::create(&path, &info, peers, view)?;
    let def = Arc::new(plan.def.with_quirks(Quirks::ORIGINAL));
    let mut config = Config::new(Arc::clone(&def), plan.hands, seed);
    config.limits = plan.limits;
    config.replies = plan.replies;
    let own = OwnDecisions::default();
    let ending = match seat_players(plan, &def, guests, seed, &own) {
        Ok(seats) => play(config, seats, own, &mut recorder, stops).await?,
        Err(error) => Ending::ServerFault { reason: error.to_string() },
    };
    recorder.finish(ending)
}

fn seat_players(
    plan: &TablePlan,
    def: &Arc<GameDef>,
    guests: Vec<Guest>,
    seed: u32,
    own: &OwnDecisions,
) -> Result<Vec<SeatOccupant>, agents::AgentError> {
    let mut guests = guests.into_iter();
    let seat = |(entrant, seat): (usize, &SeatPlan)| match seat {
        SeatPlan::Agent { choice, .. } => {
            let limit = plan.limits.response;
            let others = plan.seats.iter().enumerate().filter(|&(other, _)| other != entrant);
            let others: Vec<String> = others.map(|(_, seat)| seat.name().to_owned()).collect();
            let local_player =
                LocalPlayer::new(choice, def, entrant as u8, seed.into(), limit, &others, own)?;
            Ok(SeatOccupant::Agent(Box::new(local_player)))
        }
        SeatPlan::Open { .. } => {
            Ok(SeatOccupant::Guest(guests.next().expect("a guest came to every open seat")))
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

/// A shared handle to the status of a hosted table.
#[derive(Debug, Clone)]
pub struct TableView {
    plan: Arc<TablePlan>,
    addresses: Arc<[Option<SocketAddr>]>,
    live: Arc<Mutex<Live>>,
}

/// The part of the status that changes while the table is open.
#[derive(Debug, Default)]
struct Live {
    waiting: Vec<usize>,
    playing: Option<Current>,
    matches: u64,
    hands: u64,
    refused: u64,
    last: Option<Ended>,
}

#[derive(Debug)]
struct Current {
    id: String,
    folder: PathBuf,
    started: Timestamp,
    clock: Instant,
    guests: Vec<Option<SocketAddr>>,
    hands: u64,
    tally: Tally,
    decisions: DecisionTally,
}

/// The status of a table at one moment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Table")]
pub struct TableStatus {
    /// The table's name.
    pub name: String,
    /// The game, as named in the configuration.
    pub game: String,
    /// Hands of a match.
    pub hands: u32,
    /// The seats, in the order of the entrants.
    pub seats: Vec<SeatStatus>,
    /// The match in play.
    pub playing: Option<Playing>,
    /// Matches that ended here since the start.
    pub matches: u64,
    /// Hands played here since the start.
    pub hands_played: u64,
    /// Bots that were turned away since the start.
    pub refused: u64,
    /// The result of the last match.
    pub last: Option<Ended>,
}

/// The status of a seat at one moment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Seat")]
pub struct SeatStatus {
    /// The player's name in the records.
    pub name: String,
    /// The agent that sits here; `null` for a seat that outside bots take.
    pub agent: Option<String>,
    /// The address for outside bots.
    pub address: Option<SocketAddr>,
    /// The address of the outside bot that plays here now.
    pub guest: Option<SocketAddr>,
    /// The number of bots that wait for this seat.
    pub waiting: usize,
}

/// The status of a running match at one moment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Playing {
    /// The match's name, which is that of its folder.
    pub id: String,
    /// The match's folder.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The time of its beginning.
    pub started: Timestamp,
    /// Hands finished.
    pub hands: u64,
    /// Hands to play.
    pub of: u32,
    /// Hands a second since it began.
    pub hands_per_second: f64,
    /// The win rate so far, by entrant; `null` before the second hand.
    pub rates: Vec<Option<Rate>>,
    /// The sums behind the rates.
    #[serde(skip)]
    pub tally: Tally,
    /// Counts of the decisions so far.
    #[serde(skip)]
    pub decisions: DecisionTally,
}

impl TableView {
    fn new(plan: Arc<TablePlan>, addresses: Vec<Option<SocketAddr>>) -> TableView {
        let live = Live { waiting: vec![0; addresses.len()], ..Live::default() };
        TableView { plan, addresses: addresses.into(), live: Arc::new(Mutex::new(live)) }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        lock(&self.live)
    }

    /// The table's settings.
    pub fn plan(&self) -> &TablePlan {
        &self.plan
    }

    /// The addresses for outside bots, by seat.
    pub fn addresses(&self) -> &[Option<SocketAddr>] {
        &self.addresses
    }

    /// A snapshot of the present status.
    pub fn status(&self) -> TableStatus {
        let live = self.live();
        let plan = &self.plan;
        let seat = |(i, seat): (usize, &SeatPlan)| SeatStatus {
            name: seat.name().to_owned(),
            agent: match seat {
                SeatPlan::Agent { choice, .. } => Some(choice.name().to_owned()),
                SeatPlan::Open { .. } => None,
            },
            address: self.addresses[i],
            guest: live.playing.as_ref().and_then(|current| current.guests[i]),
            waiting: live.waiting[i],
        };
        TableStatus {
            name: plan.name.clone(),
            game: plan.game_name.clone(),
            hands: plan.hands,
            seats: plan.seats.iter().enumerate().map(seat).collect(),
            playing: live.playing.as_ref().map(|current| current.status(plan)),
            matches: live.matches,
            hands_played: live.hands,
            refused: live.refused,
            last: live.last.clone(),
        }
    }

    fn set_waiting(&self, seat: usize, waiting: usize) {
        self.live().waiting[seat] = waiting;
    }

    fn count_refused(&self) {
        self.live().refused += 1;
    }

    fn begin(&self, id: &str, folder: PathBuf, guests: Vec<Option<SocketAddr>>, tally: Tally) {
        self.live().playing = Some(Current {
            id: id.to_owned(),
            folder,
            started: Timestamp::now(),
            clock: Instant::now(),
            guests,
            hands: 0,
            tally,
            decisions: DecisionTally::new(self.plan.seats.len()),
        });
    }

    /// Counts a finished hand and its decisions; returns the counts of the match's decisions.
    fn count(&self, played: &matches::runner::Played) -> DecisionTally {
        let mut live = self.live();
        live.hands += 1;
        let Some(current) = &mut live.playing else { return DecisionTally::default() };
        current.hands += 1;
        current.tally.add(&played.record);
        for decision in &played.decisions {
            current.decisions.add(decision);
        }
        current.decisions.clone()
    }

    /// The sums of the match being played.
    fn sums(&self) -> Option<(Tally, DecisionTally)> {
        let live = self.live();
        let current = live.playing.as_ref()?;
        Some((current.tally.clone(), current.decisions.clone()))
    }

    /// Clears the match in play, which ended without a result.
    fn abandon(&self) {
        self.live().playing = None;
    }

    fn end(&self, ended: Ended) {
        let mut live = self.live();
        live.playing = None;
        live.matches += 1;
        live.last = Some(ended);
    }
}

impl Current {
    fn status(&self, plan: &TablePlan) -> Playing {
        let elapsed = self.clock.elapsed().max(Duration::from_millis(1));
        Playing {
            id: self.id.clone(),
            folder: self.folder.clone(),
            started: self.started,
            hands: self.hands,
            of: plan.hands,
            hands_per_second: self.hands as f64 / elapsed.as_secs_f64(),
            rates: (0..plan.seats.len()).map(|entrant| self.tally.rate(entrant).ok()).collect(),
            tally: self.tally.clone(),
            decisions: self.decisions.clone(),
        }
    }
}
