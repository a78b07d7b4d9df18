//! The status of a hosted table: a snapshot at any time, from any thread.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use logs::stats::{DecisionTally, Rate, Tally};
use serde::Serialize;

use super::{Ended, SeatPlan, TablePlan};

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
#[derive(Debug, Clone, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
pub struct SeatStatus {
    /// The player's name in the records.
    pub name: String,
    /// The agent that sits here; `None` for a seat that outside bots take.
    pub agent: Option<String>,
    /// The address for outside bots.
    pub address: Option<SocketAddr>,
    /// The address of the outside bot that plays here now.
    pub guest: Option<SocketAddr>,
    /// The number of bots that wait for this seat.
    pub waiting: usize,
}

/// The status of a running match at one moment.
#[derive(Debug, Clone, Serialize)]
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
    /// The win rate so far, by entrant; `None` before the second hand.
    pub rates: Vec<Option<Rate>>,
    /// The sums behind the rates.
    #[serde(skip)]
    pub tally: Tally,
    /// Counts of the decisions so far.
    #[serde(skip)]
    pub decisions: DecisionTally,
}

impl TableView {
    pub(super) fn new(plan: Arc<TablePlan>, addresses: Vec<Option<SocketAddr>>) -> TableView {
        let live = Live { waiting: vec![0; addresses.len()], ..Live::default() };
        TableView { plan, addresses: addresses.into(), live: Arc::new(Mutex::new(live)) }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
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

    pub(super) fn set_waiting(&self, seat: usize, waiting: usize) {
        self.live().waiting[seat] = waiting;
    }

    pub(super) fn count_refused(&self) {
        self.live().refused += 1;
    }

    pub(super) fn begin(
        &self,
        id: &str,
        folder: PathBuf,
        guests: Vec<Option<SocketAddr>>,
        tally: Tally,
    ) {
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
    pub(super) fn count(&self, played: &matches::runner::Played) -> DecisionTally {
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
    pub(super) fn sums(&self) -> Option<(Tally, DecisionTally)> {
        let live = self.live();
        let current = live.playing.as_ref()?;
        Some((current.tally.clone(), current.decisions.clone()))
    }

    /// Clears the match in play, which ended without a result.
    pub(super) fn abandon(&self) {
        self.live().playing = None;
    }

    pub(super) fn end(&self, ended: Ended) {
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
