//! One match of a hosted table: [`drive`] with what this table records and how it stops.
//!
//! Every finished hand is in the ledger before anybody is sent its last state.

use std::io;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game::{Action, Seat};
use logs::{DecisionRecord, Fallback, HandRecord};
use matches::runner::Played;
use protocol::acpc::Dealer;
use protocol::acpc::dealer::{Config, Event, Failure, HandOver};
use protocol::acpc::reply::Correction;
use protocol::acpc::transaction::Transaction;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::lobby::Guest;
use super::local_player::LocalPlayer;
use super::recorder::{RecordError, Recorder};
use super::{Ending, Stops};
use crate::dealer::{Clock, EntrantConnection, Observer, SocketLimits, Stopped, drive};

/// The time limit for a bot to read bytes that were sent to it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The time limit for a bot to read the last lines after the match.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The player in a seat.
pub(super) enum SeatOccupant {
    /// An outside bot.
    Guest(Guest),
    /// An agent of this process.
    Agent(Box<LocalPlayer>),
}

/// Decisions reported by the agents of this process; the dealer knows only the actions.
pub(super) type OwnDecisions = Arc<Mutex<Vec<DecisionRecord>>>;

/// Plays the match and returns how it ended, with all sockets closed. `own` is the buffer that the
/// local agents report their decisions to.
pub(super) async fn play(
    config: Config,
    seats: Vec<SeatOccupant>,
    own: OwnDecisions,
    recorder: &mut Recorder,
    stops: &Stops,
) -> Result<Ending, RecordError> {
    let clock = Clock::start();
    let mut host = Host {
        hands: config.hands,
        players: config.def.players,
        recorder,
        stops,
        own,
        decisions: Vec::new(),
        correction: None,
        ending: None,
        failed: None,
    };
    let mut dealer = Dealer::new(config);
    let mut connections = Vec::with_capacity(seats.len());
    for (entrant, occupant) in seats.into_iter().enumerate() {
        let (connection, early) = match occupant {
            SeatOccupant::Guest(Guest { stream, early, .. }) => {
                (EntrantConnection::Connected(stream), early)
            }
            SeatOccupant::Agent(mut local_player) => {
                let version = local_player.output();
                (EntrantConnection::InProcess(local_player), version)
            }
        };
        connections.push(connection);
        dealer.receive(entrant, &early, clock.now());
    }
    // Everybody is connected: no limit for the start is needed.
    let limits = SocketLimits { start: None, write: WRITE_TIMEOUT, busy_wait: Duration::ZERO };
    let stop = stops.abort.cancelled();
    let stopped = drive(&mut dealer, &mut connections, limits, clock, &mut host, stop).await.err();
    let result = host.result(stopped);
    let last_line = match &result {
        Ok(Ending::Finished) => None,
        Ok(ending) => Some(ending.words(host.recorder.names())),
        Err(_) => Some("the server cannot record the match any more".to_owned()),
    };
    close_connections(connections, &dealer, last_line.as_deref()).await;
    result
}

/// Sends the remaining output and closes the connections; `last_line` is sent as a comment.
async fn close_connections(
    connections: Vec<EntrantConnection>,
    dealer: &Dealer,
    last_line: Option<&str>,
) {
    let mut closing = tokio::task::JoinSet::new();
    for (entrant, connection) in connections.into_iter().enumerate() {
        let EntrantConnection::Connected(stream) = connection else { continue };
        let mut bytes = dealer.output(entrant).to_vec();
        if let Some(words) = last_line {
            bytes.extend_from_slice(format!("# {words}\r\n").as_bytes());
        }
        closing.spawn(tokio::time::timeout(DRAIN_TIMEOUT, drain_and_close(stream, bytes)));
    }
    // The connections are closed, whether the bots read everything or not.
    while closing.join_next().await.is_some() {}
}

/// Writes the bytes, then reads until the other side closes: closing with unread bytes would
/// discard what was written.
async fn drain_and_close(mut stream: TcpStream, bytes: Vec<u8>) -> io::Result<()> {
    stream.write_all(&bytes).await?;
    stream.shutdown().await?;
    let mut rest = [0; 256];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// The observer of the match: records its events, and makes the hand in play the last one when the
/// server is to stop.
struct Host<'a> {
    /// Planned hands of the match.
    hands: u32,
    players: usize,
    recorder: &'a mut Recorder,
    stops: &'a Stops,
    own: OwnDecisions,
    /// The decisions of the hand being played.
    decisions: Vec<DecisionRecord>,
    /// The correction of the reply whose action comes next.
    correction: Option<Correction>,
    ending: Option<Ending>,
    /// The error after which the match cannot be recorded any more.
    failed: Option<RecordError>,
}

impl Observer for Host<'_> {
    fn event(&mut self, dealer: &mut Dealer, event: Event) -> io::Result<()> {
        match event {
            Event::Corrected { correction, .. } => self.correction = Some(correction),
            Event::Acted { entrant, transaction } => self.acted(entrant, &transaction),
            Event::HandOver(over) => {
                let played = self.played(*over);
                if let Err(error) = self.recorder.keep(&played) {
                    self.failed = Some(error);
                    return Err(io::Error::other("the hand cannot be recorded"));
                }
            }
            Event::Ignored { entrant, reason } => {
                let name = &self.recorder.names()[entrant];
                tracing::debug!(name, ?reason, "ignored a line");
            }
            Event::OtherVersion { entrant } => {
                let name = &self.recorder.names()[entrant];
                tracing::warn!(name, "speaks another version of the protocol");
            }
            Event::Finished => {
                let early = dealer.hand() < self.hands;
                self.ending = Some(if early { Ending::Stopped } else { Ending::Finished });
            }
            Event::Failed(Failure { entrant, hand, cause }) => {
                let reason = cause.to_string();
                self.ending = Some(Ending::Failed { entrant, hand, reason });
            }
            Event::Started { .. }
            | Event::Sent { .. }
            | Event::Received { .. }
            | Event::TimeUsed { .. } => {}
        }
        if self.stops.drain.is_cancelled() {
            dealer.finish_after_this_hand();
        }
        Ok(())
    }
}

impl Host<'_> {
    fn result(&mut self, stopped: Option<Stopped>) -> Result<Ending, RecordError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let ending = self.ending.take();
        Ok(ending.unwrap_or_else(|| match stopped {
            None | Some(Stopped::Interrupted) => Ending::Stopped,
            Some(error) => Ending::ServerFault { reason: error.to_string() },
        }))
    }

    /// Adds the record of an action's decision: the agent's own, or one made from what the dealer
    /// saw.
    fn acted(&mut self, entrant: usize, transaction: &Transaction) {
        let correction = self.correction.take();
        let index = self.decisions.len() as u32;
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let found = own.iter().position(|own| {
            usize::from(own.entrant) == entrant
                && own.hand == u64::from(transaction.hand)
                && own.index == index
        });
        let decision = match found {
            Some(i) => own.swap_remove(i),
            None => DecisionRecord {
                hand: transaction.hand.into(),
                index,
                entrant: entrant as u8,
                seat: self.seat(entrant, transaction.hand),
                action: transaction.action,
                corrected_from: correction.as_ref().and_then(asked_for),
                fallback: correction
                    .filter(|correction| asked_for(correction).is_none())
                    .map(|_| Fallback::BadAnswer),
                strategy: None,
                values: Vec::new(),
                note: None,
                beyond_model: false,
                elapsed: transaction.received.saturating_sub(transaction.sent),
            },
        };
        self.decisions.push(decision);
    }

    fn seat(&self, entrant: usize, hand: u32) -> Seat {
        let players = self.players;
        let seat = (entrant + players - hand as usize % players) % players;
        Seat::new(seat).expect("a seat of the game")
    }

    fn played(&mut self, over: HandOver) -> Played {
        let HandOver { hand, state, payoffs, entrants, .. } = over;
        let decisions = mem::take(&mut self.decisions);
        self.own.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let record = HandRecord {
            hand: hand.into(),
            deal: hand.into(),
            public: state.public,
            hole: state.hole,
            payoffs,
            entrants,
        };
        Played { record, decisions }
    }
}

/// The raise that was asked for, if the correction changed a raise.
fn asked_for(correction: &Correction) -> Option<Action> {
    match correction {
        Correction::Increased { from, .. } | Correction::Decreased { from, .. } => {
            Some(Action::RaiseTo(u32::try_from(*from).unwrap_or(0)))
        }
        Correction::BadFormat | Correction::Invalid { .. } => None,
    }
}
