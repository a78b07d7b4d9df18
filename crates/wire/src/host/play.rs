//! One match of a hosted table: [`drive`] with what this table records and how it stops; the
//! agents of this process in their seats, which see exactly the bytes that an outside bot would
//! see; and the records.
//!
//! Every finished hand is in the ledger before anybody is sent its last state. The folder is that
//! of a local match, with `result.json`, which says how the match ended. A folder without it
//! belongs to a match in play or to a server that was killed; [`mark_interrupted`] marks the latter
//! at the next start.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fmt, fs, io, mem};

use agents::{AgentChoice, AgentError, HandOutcome};
use game::{Action, BySeat, GameDef, Seat};
use jiff::Timestamp;
use logs::folder::REPORT;
use logs::ledger::{self, HandRows};
use logs::stats::{DecisionTally, Report, Tally};
use logs::{DecisionRecord, Fallback, HandRecord, LedgerReader, MatchInfo};
use matches::bot::Bot;
use matches::bot::Request;
use matches::folder::Folder;
use matches::runner::{Archive, Level, Lines, Played, Sink};
use parallel::lock;
use protocol::acpc::dealer::{Config, Event, Failure, HandOver};
use protocol::acpc::reply::Correction;
use protocol::acpc::transaction::Transaction;
use protocol::acpc::{self, Dealer, MatchState, Player};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::lobby::{DRAIN_TIMEOUT, Guest, drain};
use super::{Ended, Ending, Stops, TableView};
use crate::bots::count_replaced;
use crate::dealer::{
    Clock, EntrantConnection, InProcessPlayer, Observer, SocketLimits, Stopped, drive,
};
use crate::{Error, write_json};

/// The time limit for a bot to read bytes that were sent to it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

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
) -> Result<Ending, Error> {
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
    drain(stream).await;
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
    failed: Option<Error>,
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
    fn result(&mut self, stopped: Option<Stopped>) -> Result<Ending, Error> {
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
        let mut own = lock(&self.own);
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
        lock(&self.own).clear();
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

/// An agent and the client's state machine of the protocol.
pub(super) struct LocalPlayer {
    player: Player,
    agent: Bot,
    entrant: u8,
    seed: u64,
    time_left: Duration,
    decisions: OwnDecisions,
}

impl fmt::Debug for LocalPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalPlayer").field("entrant", &self.entrant).finish_non_exhaustive()
    }
}

impl InProcessPlayer for LocalPlayer {
    fn exchange(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.receive(bytes);
        self.output()
    }
}

impl LocalPlayer {
    /// Builds the agent. `time_left` is its time limit for one action; its decisions go to
    /// `decisions`.
    pub(super) fn new(
        choice: &AgentChoice,
        def: &Arc<GameDef>,
        entrant: u8,
        seed: u64,
        time_left: Duration,
        opponents: &[String],
        decisions: &OwnDecisions,
    ) -> Result<LocalPlayer, AgentError> {
        choice.prepare(def, u64::MAX);
        let mut agent = Bot::new(choice, def)?;
        agent.meet(opponents);
        let (player, decisions) = (Player::new(Arc::clone(def)), Arc::clone(decisions));
        Ok(LocalPlayer { player, agent, entrant, seed, time_left, decisions })
    }

    /// The bytes the player has to send; at first its version line.
    pub(super) fn output(&mut self) -> Vec<u8> {
        self.player.poll_transmit()
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.player.receive(bytes);
        while let Some(event) = self.player.poll_event().expect("our dealer sends match states") {
            match event {
                acpc::Event::Turn { hand, infoset } => {
                    let hand = u64::from(hand);
                    let time_left = Some(self.time_left);
                    let request = Request { seed: self.seed, hand, time_left };
                    let before = Instant::now();
                    let decided = self.agent.decide(&infoset, request);
                    self.player.act(decided.action).expect("decide returns legal actions");
                    let elapsed = before.elapsed();
                    let record = decided.record(&infoset, hand, self.entrant, elapsed);
                    lock(&self.decisions).push(record);
                }
                acpc::Event::HandOver(state) => self.hand_over(&state),
                acpc::Event::Update(_) | acpc::Event::MatchOver => {}
            }
        }
    }

    fn hand_over(&mut self, state: &MatchState) {
        let payoffs = state.payoffs().unwrap_or_else(|| BySeat::new(state.public.def().players));
        self.agent.hand_over(&HandOutcome {
            hand: state.hand.into(),
            public: &state.public,
            seat: state.seat,
            shown: &state.hole,
            payoffs: &payoffs,
        });
    }
}

/// The file, in JSON, that says how a match ended.
pub const RESULT_FILE: &str = "result.json";

/// The file, in JSON, with the table and the addresses of outside bots; written before the first
/// hand.
pub const HOSTED_FILE: &str = "hosted.json";

/// Hands read from a ledger at a time.
const CHUNK_HANDS: u64 = 1000;

/// The content of `hosted.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Hosted {
    table: String,
    guests: Vec<Option<std::net::SocketAddr>>,
}

/// The writer of one match's records.
pub(super) struct Recorder {
    folder: Folder,
    id: String,
    info: MatchInfo,
    view: TableView,
    names: Vec<String>,
    hands: u64,
    planned: u64,
    totals: Vec<game::Payoff>,
    lines: Lines,
}

impl Recorder {
    /// Makes the match's folder and the files in it.
    pub(super) fn create(
        path: &Path,
        info: &MatchInfo,
        guests: Vec<Option<std::net::SocketAddr>>,
        view: &TableView,
    ) -> Result<Recorder, Error> {
        let folder = Folder::open(path, info, Level::Decisions)?;
        let hosted = Hosted { table: view.plan().name.clone(), guests: guests.clone() };
        write_json(&path.join(HOSTED_FILE), &hosted)?;
        view.begin(&info.name, path.to_owned(), guests, Tally::new(info));
        Ok(Recorder {
            folder,
            id: info.name.clone(),
            info: info.clone(),
            view: view.clone(),
            names: info.names(),
            hands: 0,
            planned: info.hands,
            totals: vec![game::Payoff::ZERO; info.players()],
            lines: Lines::default(),
        })
    }

    /// The names of the entrants.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Writes a finished hand to the ledger and the logs.
    pub(super) fn keep(&mut self, played: &Played) -> Result<(), Error> {
        let Played { record, decisions } = played;
        let hand = record.hand;
        for decision in decisions {
            self.count_decision(decision, record);
        }
        for (seat, &entrant) in record.entrants.iter() {
            self.totals[usize::from(entrant)] += record.payoffs[seat];
        }
        let counted = self.view.count(played);
        let (known, writing) = self.folder.parts();
        self.lines.hands.clear();
        self.lines.decisions.clear();
        known.render(played, &mut self.lines);
        let before = Instant::now();
        let mut rows = HandRows::default();
        rows.push_with_lines(record, &self.lines.decisions);
        writing.keep(&rows, &counted)?;
        writing.write(&self.lines)?;
        writing.flush()?;
        metrics::histogram!("cardroom_db_commit_seconds").record(before.elapsed());
        let table = self.view.plan().name.clone();
        metrics::counter!("cardroom_hands_total", "table" => table).increment(1);
        self.hands += 1;
        tracing::debug!(match_id = %self.id, hand, "hand kept");
        Ok(())
    }

    fn count_decision(&self, decision: &logs::DecisionRecord, record: &logs::HandRecord) {
        let agent = || self.names[usize::from(decision.entrant)].clone();
        let index = decision.index as usize;
        let street = record.public.history().get(index).map_or("preflop", |p| p.street.name());
        let action = match decision.action {
            game::Action::Fold => "fold",
            game::Action::Call => "call",
            game::Action::RaiseTo(_) => "raise",
        };
        metrics::counter!(
            "cardroom_decisions_total", "agent" => agent(), "street" => street, "action" => action
        )
        .increment(1);
        metrics::histogram!("cardroom_decision_seconds", "agent" => agent())
            .record(decision.elapsed);
        count_replaced(&agent(), decision.fallback, decision.corrected_from.is_some());
        tracing::trace!(
            match_id = %self.id, hand = decision.hand, decision = decision.index,
            agent = agent(), ?action, micros = decision.elapsed.as_micros() as u64, "decision"
        );
    }

    /// Writes the result. The folder of a match without hands is removed.
    pub(super) fn finish(self, ending: Ending) -> Result<Ended, Error> {
        let path = self.folder.path().to_owned();
        let ended = Ended {
            id: self.id,
            at: Timestamp::now(),
            hands: self.hands,
            of: self.planned,
            words: ending.words(&self.names),
            ending,
        };
        if ended.ending == Ending::Finished {
            self.folder.finish(&self.totals)?;
        }
        if self.hands == 0 {
            let removed = fs::remove_dir_all(&path);
            removed.map_err(|reason| Error::file(&path, &reason))?;
            return Ok(ended);
        }
        let (tally, decisions) =
            self.view.sums().unwrap_or_else(|| (Tally::new(&self.info), DecisionTally::default()));
        conclude(&path, &self.info, &tally, &decisions, &ended)?;
        Ok(ended)
    }
}

/// Writes the report of a finished ledger, then `result.json`.
fn conclude(
    path: &Path,
    info: &MatchInfo,
    tally: &Tally,
    decisions: &DecisionTally,
    ended: &Ended,
) -> Result<(), Error> {
    write_json(&path.join(REPORT), &Report::new(info, tally, Some(decisions), None))?;
    write_json(&path.join(RESULT_FILE), ended)
}

/// Marks the matches under `matches` that a killed server left unfinished. They cannot go on, since
/// outside bots lost their connections, and all their finished hands count. Returns the ones
/// marked; folders that cannot be read are logged and left alone.
pub fn mark_interrupted(matches: &Path) -> io::Result<Vec<Ended>> {
    let mut marked = Vec::new();
    for path in runs::paths_in(matches)? {
        if !path.join(HOSTED_FILE).is_file() || path.join(RESULT_FILE).exists() {
            continue;
        }
        match interrupted(&path) {
            Ok(Some(ended)) => marked.push(ended),
            Ok(None) => {}
            Err(error) => {
                let path = path.display();
                tracing::warn!(%path, %error, "cannot mark an interrupted match");
            }
        }
    }
    Ok(marked)
}

fn interrupted(path: &Path) -> Result<Option<Ended>, Box<dyn std::error::Error>> {
    let ledger = path.join(ledger::FILE_NAME);
    // A match that somebody is still writing has its ledger locked.
    let writer = match logs::LedgerWriter::open_for_resume(&ledger) {
        Err(error) if error.is_in_use() => return Ok(None),
        writer => writer?,
    };
    let info = writer.info().clone();
    drop(writer);
    let hands = LedgerReader::open(&ledger)?.count()?;
    let ending = Ending::Interrupted;
    let ended = Ended {
        id: info.name.clone(),
        at: Timestamp::now(),
        hands,
        of: info.hands,
        words: ending.words(&info.names()),
        ending,
    };
    let mut folder = Folder::open(path, &info, Level::Decisions)?;
    let tally = rewrite_logs(&mut folder, &info, hands)?;
    let decisions = folder.parts().0.decisions()?;
    conclude(path, &info, &tally, &decisions, &ended)?;
    Ok(Some(ended))
}

/// Writes the log files of a killed match again, since they may end in an incomplete line. Returns
/// the match's sums.
fn rewrite_logs(
    folder: &mut Folder,
    info: &MatchInfo,
    hands: u64,
) -> Result<Tally, matches::Error> {
    let (known, writing) = folder.parts();
    let mut tally = Tally::new(info);
    let mut from = 0;
    while from < hands {
        let mut lines = Lines::default();
        for played in known.recorded(from..from + CHUNK_HANDS)? {
            known.render(&played, &mut lines);
            tally.add(&played.record);
        }
        writing.write(&lines)?;
        from += CHUNK_HANDS;
    }
    writing.flush()?;
    Ok(tally)
}
