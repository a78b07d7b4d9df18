//! Playing at an ACPC dealer: connect, send the version, answer every turn until the dealer closes;
//! and at an engine of Pokerbots, in the same way and by its protocol.
//!
//! One connection, one agent. An inline agent decides on the task that reads; a worker decides on a
//! thread of its own while this task keeps watching the connection, so that the end of the match is
//! noticed whatever the agent is doing. The seat's results are known from the states alone: the
//! dealer never sends chips.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::{AgentChoice, HandOutcome};
use game::{Action, BySeat, GameDef, InfoSet};
use logs::formats::jsonl::write_decision;
use logs::stats::{DecisionTally, Sums};
use logs::{DecisionRecord, Fallback, Rate};
use matches::bot::Bot;
use matches::bot::{Decided, Request};
use matches::runner::Stop;
use matches::waiting::{FIRST_NOTICE, NOTICE_INTERVAL, Wait};
use protocol::acpc::{Event, MatchState};
use protocol::{ActError, acpc, pokerbots};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use schemars::JsonSchema;
use serde::Serialize;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{sleep, timeout, timeout_at};

use crate::{Error, bots};

/// The interval at which a waiting task checks whether it should stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The protocol of a seat. A Pokerbots engine is called a dealer here, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// An ACPC dealer's.
    Acpc,
    /// That of the engine of MIT Pokerbots, in this dialect.
    Pokerbots(pokerbots::Dialect),
}

/// The part of the clock that is left which a decision may take, so that it never runs out.
const CLOCK_PART: u32 = 10;

/// The player's side of either protocol.
#[derive(Debug)]
enum Player {
    Acpc(acpc::Player),
    Pokerbots {
        player: pokerbots::Player,
        /// The time left for all answers.
        left: Option<Duration>,
    },
}

impl Player {
    fn new(protocol: Protocol, def: &Arc<GameDef>) -> Player {
        let def = Arc::clone(def);
        match protocol {
            Protocol::Acpc => Player::Acpc(acpc::Player::new(def)),
            Protocol::Pokerbots(dialect) => {
                Player::Pokerbots { player: pokerbots::Player::new(def, dialect), left: None }
            }
        }
    }

    fn receive(&mut self, bytes: &[u8]) {
        match self {
            Player::Acpc(player) => player.receive(bytes),
            Player::Pokerbots { player, .. } => player.receive(bytes),
        }
    }

    fn end(&mut self) {
        match self {
            Player::Acpc(player) => player.end(),
            Player::Pokerbots { player, .. } => player.end(),
        }
    }

    /// The next event; the error is what the dealer has done.
    fn poll_event(&mut self) -> Result<Option<Event>, String> {
        let (player, clock) = match self {
            Player::Acpc(player) => {
                let error = |error: acpc::PlayerError| error.to_string();
                return player.poll_event().map_err(error);
            }
            Player::Pokerbots { player, left } => (player, left),
        };
        let event = player.poll_event().map_err(|error| error.to_string())?;
        Ok(event.map(|event| match event {
            pokerbots::Event::Turn { hand, infoset, left }
            | pokerbots::Event::Discard { hand, infoset, left } => {
                *clock = Some(left);
                Event::Turn { hand, infoset }
            }
            pokerbots::Event::HandOver(finished) => {
                let pokerbots::Finished { hand, public, seat, hole, .. } = finished;
                Event::HandOver(MatchState { hand, seat, public, hole })
            }
            pokerbots::Event::GameOver => Event::MatchOver,
        }))
    }

    fn act(&mut self, action: Action) -> Result<(), ActError> {
        match self {
            Player::Acpc(player) => player.act(action),
            Player::Pokerbots { player, .. } => player.act(action),
        }
    }

    /// Puts the card at this place in the hand on the board.
    fn discard(&mut self, place: u8) {
        if let Player::Pokerbots { player, .. } = self {
            player.discard(place).expect("the card that is asked for is one of the hand");
        }
    }

    fn poll_transmit(&mut self) -> Vec<u8> {
        match self {
            Player::Acpc(player) => player.poll_transmit(),
            Player::Pokerbots { player, .. } => player.poll_transmit(),
        }
    }

    /// The time that the protocol leaves for the decision that is asked for.
    fn time_left(&self) -> Option<Duration> {
        match self {
            Player::Acpc(_) => None,
            Player::Pokerbots { left, .. } => left.map(|left| left / CLOCK_PART),
        }
    }
}

/// The settings of a match: the dealer, the agent, and the time limits.
#[derive(Debug, Clone)]
pub struct AcpcSettings {
    /// The dealer's host: a name, an IPv4 or an IPv6 address, the latter with or without brackets.
    pub host: String,
    /// The port of the seat.
    pub port: u16,
    /// The protocol that the dealer speaks.
    pub protocol: Protocol,
    /// The definition of the game that the dealer deals.
    pub def: Arc<GameDef>,
    /// The agent that plays.
    pub agent: AgentChoice,
    /// Seed of the agent's random source.
    pub seed: u64,
    /// The time limit for connecting, all attempts together.
    pub connect_timeout: Duration,
    /// The time limit for silence of the dealer; `None` for no limit.
    pub silence: Option<Duration>,
    /// The time limit for a decision; `None` for no limit.
    pub deadline: Option<Duration>,
    /// The other players' names, if known; agents may adapt to them.
    pub opponents: Vec<String>,
}

impl AcpcSettings {
    /// The address as `HOST:PORT` for messages, with brackets around an IPv6 address.
    pub fn target(&self) -> String {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let port = self.port;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

/// The end of a match without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The dealer closed the connection between two hands: the match is over.
    MatchOver,
    /// The player was asked to stop and left between two hands.
    Stopped,
}

/// Plays a match. The summary covers everything up to its end, even if that is an error.
///
/// Asked to stop, it finishes the hand in play and leaves.
pub async fn play(
    plan: &AcpcSettings,
    record: Option<&mut Record>,
    stop: &Stop,
) -> (Summary, Result<End, Error>) {
    let mut table = DealerSession {
        plan,
        record,
        stop,
        agent: None,
        player: Player::new(plan.protocol, &plan.def),
        summary: Summary::new(plan),
        sums: Sums::default(),
        decisions: DecisionTally::default(),
        pending: Vec::new(),
        closed: false,
        in_hand: false,
    };
    let end = table.play().await;
    bots::dismiss(table.agent.take()).await;
    let DealerSession { mut summary, sums, decisions, .. } = table;
    summary.decisions = DecisionSummary::new(decisions);
    summary.finish(&sums, &plan.def, &end);
    (summary, end)
}

/// [`play`] for callers that are not asynchronous. Returns within a second of the match's end even
/// if the agent still computes; its thread is left behind.
///
/// # Errors
/// Those of [`play`] are in the inner result; the outer one is that of a runtime that cannot be
/// started.
pub fn play_blocking(
    plan: &AcpcSettings,
    record: Option<&mut Record>,
    stop: &Stop,
) -> Result<(Summary, Result<End, Error>), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Error::here(format!("there is no thread for the agent: {error}")))?;
    let played = runtime.block_on(play(plan, record, stop));
    runtime.shutdown_background();
    Ok(played)
}

struct DealerSession<'a> {
    plan: &'a AcpcSettings,
    record: Option<&'a mut Record>,
    stop: &'a Stop,
    /// `None` while it decides on another thread.
    agent: Option<Bot>,
    player: Player,
    summary: Summary,
    sums: Sums,
    decisions: DecisionTally,
    /// Bytes received but not yet given to the protocol's state machine.
    pending: Vec<u8>,
    /// Whether the dealer has closed the connection.
    closed: bool,
    /// Whether a hand is in play.
    in_hand: bool,
}

impl DealerSession<'_> {
    async fn play(&mut self) -> Result<End, Error> {
        let plan = self.plan;
        self.agent = Some(bots::build(&plan.agent, &plan.def, &plan.opponents).await?);
        let Some(mut stream) = connect(self.plan, self.stop).await? else {
            return Ok(End::Stopped);
        };
        self.transmit(&mut stream).await?;
        loop {
            if !self.receive(&mut stream).await? {
                return Ok(End::Stopped);
            }
            loop {
                let event = self.event()?;
                self.transmit(&mut stream).await?;
                let Some(event) = event else { break };
                self.in_hand = !matches!(event, Event::HandOver(_) | Event::MatchOver);
                match event {
                    Event::Turn { hand, infoset } => {
                        self.turn(&mut stream, hand.into(), infoset).await?;
                    }
                    Event::Update(_) => {}
                    Event::HandOver(state) => {
                        self.hand_over(&state)?;
                        if self.stop.asked() {
                            return Ok(End::Stopped);
                        }
                    }
                    Event::MatchOver => return Ok(End::MatchOver),
                }
            }
        }
    }

    fn event(&mut self) -> Result<Option<Event>, Error> {
        self.player.poll_event().map_err(|error| self.dealer_error(&error))
    }

    fn dealer_error(&self, reason: &dyn std::fmt::Display) -> Error {
        Error::gone(format!("dealer at {}: {reason}", self.plan.target()))
    }

    fn lost(&self, error: &io::Error) -> Error {
        self.dealer_error(&format!("the connection failed: {error}"))
    }

    async fn transmit(&mut self, stream: &mut TcpStream) -> Result<(), Error> {
        let bytes = self.player.poll_transmit();
        if bytes.is_empty() {
            return Ok(());
        }
        match stream.write_all(&bytes).await {
            Ok(()) => Ok(()),
            // What the dealer sent before it closed still counts: it is read next.
            Err(error) if is_closed(&error) => Ok(()),
            Err(error) => Err(self.lost(&error)),
        }
    }

    /// Waits for bytes and passes them to the protocol's state machine; `false` when asked to stop.
    async fn receive(&mut self, stream: &mut TcpStream) -> Result<bool, Error> {
        let since = Instant::now();
        // Before the first hand the wait is for players to connect, later for a decision of one.
        let before = self.summary.hands == 0 && !self.in_hand;
        let mut wait = Wait::begin(if before { FIRST_NOTICE } else { NOTICE_INTERVAL });
        let what = if before { "begin: players may be missing" } else { "go on" };
        let mut chunk = [0; 16_384];
        while self.pending.is_empty() && !self.closed {
            match timeout(POLL_INTERVAL, stream.read(&mut chunk)).await {
                Ok(read) => self.take(read, &chunk)?,
                Err(_) if self.stop.asked() && !self.in_hand => return Ok(false),
                Err(_) => {
                    wait.say(|| format!("the dealer at {} to {what}", self.plan.target()));
                    if let Some(most) = self.plan.silence
                        && since.elapsed() >= most
                    {
                        let waited = format!("nothing was heard for {most:?}");
                        return Err(self.dealer_error(&waited));
                    }
                }
            }
        }
        self.player.receive(&std::mem::take(&mut self.pending));
        if self.closed {
            self.player.end();
        }
        Ok(true)
    }

    fn take(&mut self, read: std::io::Result<usize>, chunk: &[u8]) -> Result<(), Error> {
        match read {
            Ok(0) => self.closed = true,
            Ok(count) => self.pending.extend_from_slice(&chunk[..count]),
            Err(error) if is_closed(&error) => self.closed = true,
            Err(error) => return Err(self.lost(&error)),
        }
        Ok(())
    }

    async fn turn(
        &mut self,
        stream: &mut TcpStream,
        hand: u64,
        infoset: InfoSet,
    ) -> Result<(), Error> {
        let limits = [self.plan.deadline, self.player.time_left()];
        let time_left = limits.into_iter().flatten().min();
        let request = Request { seed: self.plan.seed, hand, time_left };
        let before = Instant::now();
        let Some(mut agent) = self.agent.take() else { return Ok(()) };
        if infoset.public.discarding().is_some() {
            let (agent, infoset, place) = bots::put_away(agent, infoset, request).await;
            self.agent = Some(agent);
            self.player.discard(place.as_ref().copied().unwrap_or_default());
            self.transmit(stream).await?;
            // The first card, which costs less than the fold that the engine would play.
            let Err(decided) = place else { return Ok(()) };
            let decided = Decided { action: Action::Call, ..decided };
            return self.note(&decided.record(&infoset, hand, 0, before.elapsed()));
        }
        let (infoset, decided) = if agent.is_inline() {
            let decided = agent.decide(&infoset, request);
            self.agent = Some(agent);
            (infoset, decided)
        } else {
            match self.think(stream, agent, infoset, request).await? {
                Some(decided) => decided,
                // The dealer has closed: no answer is needed.
                None => return Ok(()),
            }
        };
        let elapsed = before.elapsed();
        self.player.act(decided.action).expect("decide returns legal actions for the turn");
        self.transmit(stream).await?;
        let decision = decided.record(&infoset, hand, 0, elapsed);
        self.note(&decision)
    }

    /// Lets the agent decide on another thread, and reads from the connection meanwhile. `None`
    /// when the dealer closes first.
    async fn think(
        &mut self,
        stream: &mut TcpStream,
        agent: Bot,
        infoset: InfoSet,
        request: Request,
    ) -> Result<Option<(InfoSet, Decided)>, Error> {
        let mut thought = bots::think(agent, infoset, request);
        let mut chunk = [0; 4096];
        loop {
            // A dealer sends little out of turn; beyond this limit it has to wait.
            let below_limit = self.pending.len() < 1 << 20;
            tokio::select! {
                thought = &mut thought => {
                    let (agent, infoset, decided) = thought.expect("a bot's panics are its own");
                    self.agent = Some(agent);
                    return Ok(Some((infoset, decided)));
                }
                read = stream.read(&mut chunk), if below_limit => {
                    self.take(read, &chunk)?;
                    if self.closed {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn note(&mut self, decision: &DecisionRecord) -> Result<(), Error> {
        self.decisions.add(decision);
        match &mut self.record {
            Some(record) => record.decision(decision),
            None => Ok(()),
        }
    }

    fn hand_over(&mut self, state: &MatchState) -> Result<(), Error> {
        let nothing = BySeat::new(self.plan.def.players);
        let payoffs = state.payoffs().unwrap_or(nothing);
        self.sums.add(payoffs[state.seat], 1);
        self.summary.hands += 1;
        if let Some(agent) = &mut self.agent {
            agent.hand_over(&HandOutcome {
                hand: state.hand.into(),
                public: &state.public,
                seat: state.seat,
                shown: &state.hole,
                payoffs: &payoffs,
            });
        }
        match &mut self.record {
            Some(record) => record.hand(state),
            None => Ok(()),
        }
    }
}

/// Whether the error means that the other side has closed the connection.
fn is_closed(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
}

/// The first pause between attempts; it grows by half each time, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// The time limit for a single address.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The idle time before the first keep-alive probe and between probes: firewalls drop idle
/// connections.
const KEEP_ALIVE_IDLE: Duration = Duration::from_secs(60);
const PROBE_INTERVAL: Duration = Duration::from_secs(15);

/// Connects to the dealer, with `TCP_NODELAY` and keep-alive; `None` when asked to stop first.
async fn connect(plan: &AcpcSettings, stop: &Stop) -> Result<Option<TcpStream>, Error> {
    let begun = Instant::now();
    let deadline = begun + plan.connect_timeout;
    // Spreads the attempts of players that start together. No result depends on it.
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(std::process::id()));
    let mut pause = FIRST_PAUSE;
    let mut wait = Wait::begin(FIRST_NOTICE);
    let most = plan.connect_timeout;
    let mut last = "no answer yet".to_owned();
    loop {
        let mut attempt = pin!(attempt(plan, deadline));
        let reasons = loop {
            match timeout_at(wait.next().into(), &mut attempt).await {
                Ok(Ok(stream)) => return Ok(Some(stream)),
                Ok(Err(reasons)) => break reasons,
                Err(_) => {}
            }
            if stop.asked() {
                return Ok(None);
            }
            wait.say(|| format!("a dealer at {}, at most {most:?}: {last}", plan.target()));
        };
        last.clone_from(&reasons);
        let rest = pause.mul_f64(rng.random_range(0.5..1.5));
        pause = pause.mul_f64(1.5).min(MAX_PAUSE);
        if Instant::now() + rest >= deadline {
            let (target, waited) = (plan.target(), plan.connect_timeout);
            return Err(Error::gone(format!(
                "cannot connect to {target} within {waited:?}: {reasons}"
            )));
        }
        let again = Instant::now() + rest;
        while Instant::now() < again {
            if stop.asked() {
                return Ok(None);
            }
            wait.say(|| format!("a dealer at {}, at most {most:?}: {last}", plan.target()));
            sleep(again.saturating_duration_since(Instant::now()).min(POLL_INTERVAL)).await;
        }
    }
}

/// Tries each address once; the error lists what each answered.
async fn attempt(plan: &AcpcSettings, deadline: Instant) -> Result<TcpStream, String> {
    let host = plan.host.trim_start_matches('[').trim_end_matches(']');
    let addresses: Vec<SocketAddr> = match lookup_host((host, plan.port)).await {
        Ok(addresses) => addresses.collect(),
        Err(error) => return Err(format!("the name `{host}` cannot be resolved: {error}")),
    };
    let mut reasons: Vec<String> = Vec::new();
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        let most = left.min(ATTEMPT_TIMEOUT).max(POLL_INTERVAL);
        let tried = match timeout(most, TcpStream::connect(address)).await {
            Ok(tried) => tried.and_then(prepare),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer")),
        };
        match tried {
            Ok(stream) => return Ok(stream),
            Err(error) => reasons.push(format!("{}: {error}", address.ip())),
        }
    }
    Err(if reasons.is_empty() { "the name has no address".into() } else { reasons.join("; ") })
}

fn prepare(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    let keep_alive = TcpKeepalive::new().with_time(KEEP_ALIVE_IDLE).with_interval(PROBE_INTERVAL);
    SockRef::from(&stream).set_tcp_keepalive(&keep_alive)?;
    Ok(stream)
}

/// The files of a match, in a folder: `decisions.jsonl` (see [`logs::formats::jsonl`]) and
/// `states.txt`, one line for each finished hand. Both are appended to and complete up to the last
/// finished hand.
#[derive(Debug)]
pub struct Record {
    decisions: LogFile,
    states: LogFile,
}

impl Record {
    /// Opens the files in this folder, which is made when it does not exist.
    ///
    /// # Errors
    /// When they cannot be opened.
    pub fn open(folder: &Path) -> Result<Record, Error> {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        let decisions = LogFile::open(folder.join("decisions.jsonl"))?;
        let states = LogFile::open(folder.join("states.txt"))?;
        Ok(Record { decisions, states })
    }

    fn decision(&mut self, decision: &DecisionRecord) -> Result<(), Error> {
        let mut line = String::new();
        write_decision(decision, &mut line);
        self.decisions.write(&line)
    }

    fn hand(&mut self, state: &MatchState) -> Result<(), Error> {
        self.states.write(&format!("{state}\n"))?;
        self.decisions.flush()?;
        self.states.flush()
    }
}

/// The error that a file of a match's record cannot be written.
fn cannot_write(path: &Path, reason: &io::Error) -> Error {
    Error::here(format!("cannot write {}: {reason}", path.display()))
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl LogFile {
    fn open(path: PathBuf) -> Result<LogFile, Error> {
        match File::options().create(true).append(true).open(&path) {
            Ok(file) => Ok(LogFile { path, file: BufWriter::new(file) }),
            Err(error) => Err(cannot_write(&path, &error)),
        }
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        let written = self.file.write_all(text.as_bytes());
        self.explain(written)
    }

    fn flush(&mut self) -> Result<(), Error> {
        let flushed = self.file.flush();
        self.explain(flushed)
    }

    fn explain(&self, result: io::Result<()>) -> Result<(), Error> {
        result.map_err(|error| cannot_write(&self.path, &error))
    }
}

/// The summary of a match as one player saw it; in JSON, the output of `cardroom play acpc --json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OutsideMatch")]
pub struct Summary {
    /// The dealer, `HOST:PORT`.
    pub dealer: String,
    /// The agent as it was named.
    pub agent: String,
    /// Seed of the agent's random source.
    pub seed: u64,
    /// The end of the match: `match-over`, `stopped`; absent when an error ended it.
    pub end: Option<End>,
    /// The error that ended it.
    pub error: Option<String>,
    /// Hands played to their end.
    pub hands: u64,
    /// Chips won in these hands, negative if lost.
    pub chips: f64,
    /// The win rate with its interval; absent with fewer than two hands.
    pub rate: Option<Rate>,
    /// Counts and times of the decisions.
    pub decisions: DecisionSummary,
}

/// Counts of decisions, and how long they took.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(rename = "Decisions")]
pub struct DecisionSummary {
    /// All decisions.
    pub total: u64,
    /// Decisions whose action had to be made legal.
    pub corrected: u64,
    /// Decisions in which a check or fold replaced the agent's answer, by reason.
    pub fallbacks: BTreeMap<Fallback, u64>,
    /// Decisions outside of what the agent's model is for.
    pub beyond_model: u64,
    /// The median decision time in milliseconds; absent without decisions, like the next two.
    pub median_ms: Option<f64>,
    /// The 99th percentile of the decision times, in milliseconds.
    pub p99_ms: Option<f64>,
    /// The longest decision time, in milliseconds.
    pub max_ms: Option<f64>,
}

impl DecisionSummary {
    fn new(tally: DecisionTally) -> DecisionSummary {
        let counts = tally.entrants.into_iter().next().unwrap_or_default();
        let milliseconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64() * 1e3);
        DecisionSummary {
            total: counts.decisions,
            corrected: counts.corrected,
            fallbacks: counts.fallbacks,
            beyond_model: counts.beyond_model,
            median_ms: milliseconds(counts.latencies.quantile(0.5)),
            p99_ms: milliseconds(counts.latencies.quantile(0.99)),
            max_ms: milliseconds(counts.latencies.max()),
        }
    }

    /// The number of fallbacks, for whatever reason.
    pub fn fallback_total(&self) -> u64 {
        self.fallbacks.values().sum()
    }
}

impl Summary {
    fn new(plan: &AcpcSettings) -> Summary {
        Summary {
            dealer: plan.target(),
            agent: plan.agent.name().to_owned(),
            seed: plan.seed,
            end: None,
            error: None,
            hands: 0,
            chips: 0.0,
            rate: None,
            decisions: DecisionSummary::default(),
        }
    }

    fn finish(&mut self, sums: &Sums, def: &GameDef, end: &Result<End, Error>) {
        match end {
            Ok(end) => self.end = Some(*end),
            Err(error) => self.error = Some(error.to_string()),
        }
        self.chips = sums.chips();
        self.rate = Rate::from_sums(sums, def.big_blind()).ok();
    }
}
