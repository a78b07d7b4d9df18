//! One match of a hosted table: the dealer's machine, with a socket or an agent at each seat.
//!
//! Every finished hand is in the ledger before anybody is sent its last state.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use game::{Action, BySeat, Seat};
use logs::{DecisionRecord, Fallback, HandRecord};
use protocol::acpc::dealer::{self, Dealer, Event, Failure, HandOver};
use protocol::acpc::reply::Correction;
use protocol::acpc::transaction::Transaction;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::lobby::Guest;
use super::recorder::{RecordError, Recorder};
use super::seated::Seated;
use super::{Ending, Stops};
use crate::runner::Played;

/// How long a bot may refuse to take what is sent to it.
const STALL: Duration = Duration::from_secs(30);

/// How long a bot has, after the match, to take the last lines.
const FAREWELL: Duration = Duration::from_secs(1);

/// Who sits in a seat.
pub(super) enum Sitting {
    /// A bot of somebody else's.
    Guest(Guest),
    /// An agent of this process.
    Agent(Box<Seated>),
}

/// Plays the match and says how it ended. The sockets are closed when it returns.
pub(super) async fn play(
    config: dealer::Config,
    seats: Vec<Sitting>,
    recorder: &mut Recorder,
    stops: &Stops,
) -> Result<Ending, RecordError> {
    let mut driver = Driver {
        hands: config.hands,
        pending: Pending { players: config.def.players, ..Pending::default() },
        dealer: Dealer::new(config),
        seats,
        start: Instant::now(),
        unsent_since: None,
    };
    let result = driver.run(recorder, stops).await;
    let last_words = match &result {
        Ok(Ending::Finished) => None,
        Ok(ending) => Some(ending.words(recorder.names())),
        Err(_) => Some("the server cannot record the match any more".to_owned()),
    };
    driver.part(last_words.as_deref()).await;
    result
}

struct Driver {
    /// Hands the match was set up with.
    hands: u32,
    dealer: Dealer,
    seats: Vec<Sitting>,
    pending: Pending,
    start: Instant,
    /// Since when some bot has not taken what was sent to it.
    unsent_since: Option<Instant>,
}

/// The decisions of the hand being played.
#[derive(Default)]
struct Pending {
    players: usize,
    decisions: Vec<DecisionRecord>,
    /// What the agents of this process say about their decisions; the dealer knows the rest.
    own: Vec<DecisionRecord>,
    correction: Option<Correction>,
}

impl Driver {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    async fn run(&mut self, recorder: &mut Recorder, stops: &Stops) -> Result<Ending, RecordError> {
        self.dealer.handle_timeout(Duration::ZERO);
        for entrant in 0..self.seats.len() {
            let early = match &mut self.seats[entrant] {
                Sitting::Guest(guest) => std::mem::take(&mut guest.early),
                Sitting::Agent(seated) => seated.output(),
            };
            let now = self.now();
            self.dealer.receive(entrant, &early, now);
        }
        let mut draining = false;
        loop {
            // What is reported is on record before it is sent; what is sent may call for more.
            loop {
                if let Some(ending) = self.record(recorder)? {
                    return Ok(ending);
                }
                if !self.feed_agents() {
                    break;
                }
            }
            self.write();
            let due = self.dealer.poll_timeout().map(|at| self.start + at);
            let stalled = self.unsent_since.map(|since| since + STALL);
            let timer = due.into_iter().chain(stalled).min();
            tokio::select! {
                biased;
                () = stops.abort.cancelled() => return Ok(Ending::Stopped),
                () = stops.drain.cancelled(), if !draining => {
                    draining = true;
                    self.dealer.finish_after_this_hand();
                }
                (entrant, input) = poll_fn(|cx| self.poll_sockets(cx)) => self.take(entrant, input),
                () = sleep_until(timer) => self.time_out(),
            }
        }
    }

    /// Puts everything that happened on record; says how the match ended if it did.
    fn record(&mut self, recorder: &mut Recorder) -> Result<Option<Ending>, RecordError> {
        while let Some(event) = self.dealer.poll_event() {
            match event {
                Event::Corrected { correction, .. } => self.pending.correction = Some(correction),
                Event::Acted { entrant, transaction } => self.pending.acted(entrant, &transaction),
                Event::HandOver(over) => recorder.keep(&self.pending.played(*over))?,
                Event::Ignored { entrant, reason } => {
                    let name = &recorder.names()[entrant];
                    tracing::debug!(name, ?reason, "ignored a line");
                }
                Event::OtherVersion { entrant } => {
                    let name = &recorder.names()[entrant];
                    tracing::warn!(name, "speaks another version of the protocol");
                }
                Event::Finished if self.dealer.hand() < self.hands => {
                    return Ok(Some(Ending::Stopped));
                }
                Event::Finished => return Ok(Some(Ending::Finished)),
                Event::Failed(Failure { entrant, hand, cause }) => {
                    return Ok(Some(Ending::Failed { entrant, hand, reason: cause.to_string() }));
                }
                Event::Started { .. }
                | Event::Sent { .. }
                | Event::Received { .. }
                | Event::TimeUsed { .. } => {}
            }
        }
        Ok(None)
    }

    /// Hands the agents of this process what is for them; whether there was anything.
    fn feed_agents(&mut self) -> bool {
        let mut fed = false;
        for (entrant, sitting) in self.seats.iter_mut().enumerate() {
            let Sitting::Agent(seated) = sitting else { continue };
            let bytes = self.dealer.output(entrant).to_vec();
            if bytes.is_empty() {
                continue;
            }
            self.dealer.consume_output(entrant, bytes.len());
            seated.receive(&bytes, &mut self.pending.own);
            let reply = seated.output();
            if !reply.is_empty() {
                self.dealer.receive(entrant, &reply, self.start.elapsed());
            }
            fed = true;
        }
        fed
    }

    /// Sends as much as the sockets take.
    fn write(&mut self) {
        let mut unsent = false;
        for (entrant, sitting) in self.seats.iter().enumerate() {
            let Sitting::Guest(guest) = sitting else { continue };
            while !self.dealer.output(entrant).is_empty() {
                match guest.stream.try_write(self.dealer.output(entrant)) {
                    Ok(n) => self.dealer.consume_output(entrant, n),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        unsent = true;
                        break;
                    }
                    Err(_) => {
                        self.dealer.lost(entrant, self.start.elapsed());
                        break;
                    }
                }
            }
        }
        self.unsent_since = unsent.then(|| self.unsent_since.unwrap_or_else(Instant::now));
    }

    /// The next thing a socket has: bytes to read, or room for what is unsent.
    fn poll_sockets(&self, cx: &mut Context<'_>) -> Poll<(usize, Input)> {
        for (entrant, sitting) in self.seats.iter().enumerate() {
            let Sitting::Guest(guest) = sitting else { continue };
            if !self.dealer.output(entrant).is_empty()
                && guest.stream.poll_write_ready(cx).is_ready()
            {
                return Poll::Ready((entrant, Input::Room));
            }
            if self.dealer.wants_input(entrant)
                && let Poll::Ready(input) = poll_read(&guest.stream, cx)
            {
                return Poll::Ready((entrant, input));
            }
        }
        Poll::Pending
    }

    fn take(&mut self, entrant: usize, input: Input) {
        let now = self.now();
        match input {
            Input::Room => {}
            Input::Bytes(bytes) => self.dealer.receive(entrant, &bytes, now),
            Input::Closed => self.dealer.closed(entrant, now),
            Input::Lost => self.dealer.lost(entrant, now),
        }
    }

    fn time_out(&mut self) {
        let now = self.now();
        if self.unsent_since.is_some_and(|since| since.elapsed() >= STALL) {
            let slow = (0..self.seats.len()).find(|&i| !self.dealer.output(i).is_empty());
            self.unsent_since = None;
            if let Some(slow) = slow {
                return self.dealer.stalled(slow, now);
            }
        }
        self.dealer.handle_timeout(now);
    }

    /// Sends what is left and closes, letting the bots read it; `last_words` go into a comment line.
    async fn part(self, last_words: Option<&str>) {
        let mut farewells = tokio::task::JoinSet::new();
        for (entrant, sitting) in self.seats.into_iter().enumerate() {
            let Sitting::Guest(Guest { mut stream, .. }) = sitting else { continue };
            let mut bytes = self.dealer.output(entrant).to_vec();
            if let Some(words) = last_words {
                bytes.extend_from_slice(format!("# {words}\r\n").as_bytes());
            }
            farewells.spawn(tokio::time::timeout(FAREWELL, async move {
                stream.write_all(&bytes).await?;
                stream.shutdown().await?;
                let mut rest = [0; 256];
                while stream.read(&mut rest).await? > 0 {}
                io::Result::Ok(())
            }));
        }
        // However a farewell ends, the connection is closed.
        while farewells.join_next().await.is_some() {}
    }
}

impl Pending {
    /// Notes an action: as its agent reports it, or as the dealer saw it.
    fn acted(&mut self, entrant: usize, transaction: &Transaction) {
        let correction = self.correction.take();
        let index = self.decisions.len() as u32;
        let own = self.own.iter().position(|own| {
            usize::from(own.entrant) == entrant
                && own.hand == u64::from(transaction.hand)
                && own.index == index
        });
        let decision = match own {
            Some(i) => self.own.swap_remove(i),
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
                note: None,
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
        let decisions = std::mem::take(&mut self.decisions);
        self.own.clear();
        let record = HandRecord {
            hand: hand.into(),
            deal: hand.into(),
            public: state.public,
            hole: state.hole,
            payoffs,
            entrants: BySeat::from_fn(entrants.len(), |seat| entrants[seat]),
        };
        Played { record, decisions }
    }
}

/// The raise that was asked for, when it was one.
fn asked_for(correction: &Correction) -> Option<Action> {
    match correction {
        Correction::Increased { from, .. } | Correction::Decreased { from, .. } => {
            Some(Action::RaiseTo(u32::try_from(*from).unwrap_or(0)))
        }
        Correction::BadFormat | Correction::Invalid { .. } => None,
    }
}

enum Input {
    /// There is room to write.
    Room,
    /// Bytes came.
    Bytes(Vec<u8>),
    /// Nothing more will come.
    Closed,
    /// The connection is broken.
    Lost,
}

fn poll_read(stream: &TcpStream, cx: &mut Context<'_>) -> Poll<Input> {
    loop {
        if std::task::ready!(stream.poll_read_ready(cx)).is_err() {
            return Poll::Ready(Input::Lost);
        }
        let mut bytes = [0; 4096];
        match stream.try_read(&mut bytes) {
            Ok(0) => return Poll::Ready(Input::Closed),
            Ok(n) => return Poll::Ready(Input::Bytes(bytes[..n].to_vec())),
            // The readiness was stale; polling again registers for the next one.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return Poll::Ready(Input::Lost),
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
