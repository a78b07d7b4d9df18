//! `cardroom dealer`: the ACPC dealer over sockets, with the original's streams and files.
//!
//! - [`run`]: one match, from opening its files and ports to its result, with the agents that it
//!   starts itself.
//! - [`drive()`]: the loop around the dealer's state machine alone, for hosted tables.
//! - `record`: what a match leaves behind.
//!
//! Files: `NAME.log` (hands and score), `NAME.tlog` (one line for each action; a match is continued
//! from it), `NAME.playerN.std` and `.err` (output of agents started here), and a summary as JSON;
//! while the match lasts also `NAME.lock`, so that no two matches share these files.

mod drive;
mod record;

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::GameDef;
use matches::program::{Program, Running};
use protocol::acpc::Dealer;
use protocol::acpc::dealer::{Config, Limits, Replies};
use tokio::signal::unix::{SignalKind, signal};

use crate::Error;
use record::{MatchLog, Recorder, TransactionLog, claim, overwritten};

pub use drive::{
    Clock, EntrantConnection, InProcessPlayer, Observer, SocketLimits, Stopped, drive,
};

/// The settings of a match.
#[derive(Debug, Clone)]
pub struct Options {
    /// The match's name: files are called after it.
    pub name: String,
    /// The game as the user named it.
    pub game: String,
    /// The game's definition.
    pub def: Arc<GameDef>,
    /// Hands to play, at least one.
    pub hands: u32,
    /// Seed of the deck.
    pub seed: u32,
    /// The players' names, one for each seat.
    pub names: Vec<String>,
    /// Whether players keep their seats instead of moving after each hand.
    pub fixed_seats: bool,
    /// Whether to write `NAME.log`.
    pub log: bool,
    /// Whether to write `NAME.tlog`.
    pub transactions: bool,
    /// Whether to append to these files and continue the match in `NAME.tlog`.
    pub append: bool,
    /// Whether to leave out the transcript on the error stream.
    pub quiet: bool,
    /// Ports by seat; where missing or 0, the system chooses.
    pub ports: Vec<u16>,
    /// The address to listen on.
    pub bind: IpAddr,
    /// Time limits in milliseconds: for one reply, for one hand, and for a hand on average.
    pub milliseconds: [u64; 3],
    /// Time limit for all version lines.
    pub version_limit: Option<Duration>,
    /// Time limits of the sockets.
    pub sockets: SocketLimits,
    /// The handling of bad replies.
    pub replies: Replies,
    /// Command lines of agents to start, in the order of the seats.
    pub run: Vec<String>,
    /// The file for the summary; `None` for no summary.
    pub summary: Option<PathBuf>,
}

impl Options {
    /// Default settings: those of the original dealer, but listening on this machine only, and with
    /// a limit on every wait.
    pub fn new(name: &str, game: &str, def: Arc<GameDef>, hands: u32, seed: u32) -> Options {
        let names = (1..=def.players).map(|i| format!("p{i}")).collect();
        Options {
            name: name.to_owned(),
            game: game.to_owned(),
            def,
            hands,
            seed,
            names,
            fixed_seats: false,
            log: true,
            transactions: false,
            append: false,
            quiet: false,
            ports: Vec::new(),
            bind: Ipv4Addr::LOCALHOST.into(),
            milliseconds: [600_000, 600_000, 7_000],
            version_limit: Some(Duration::from_secs(60)),
            sockets: SocketLimits {
                start: Some(Duration::from_secs(600)),
                write: Duration::from_secs(60),
                busy_wait: Duration::from_micros(50),
            },
            replies: Replies::Compatible,
            run: Vec::new(),
            summary: None,
        }
    }

    fn config(&self) -> Config {
        let [response, hand, per_hand] = self.milliseconds;
        let whole = per_hand.saturating_mul(self.hands.into());
        Config {
            def: Arc::clone(&self.def),
            hands: self.hands,
            seed: self.seed,
            fixed_seats: self.fixed_seats,
            replies: self.replies,
            limits: Limits {
                version: self.version_limit,
                response: Duration::from_millis(response),
                hand: Duration::from_millis(hand),
                whole_match: Duration::from_millis(whole),
                ..Limits::new(self.hands)
            },
            transcript: !self.quiet,
        }
    }

    /// Whether the match writes files whose names follow from its own.
    fn keeps_files(&self) -> bool {
        self.log || self.transactions || !self.run.is_empty()
    }

    /// The lines with which the log and the error stream begin.
    fn header(&self) -> String {
        let [response, hand, per_hand] = self.milliseconds;
        format!(
            "# name/game/hands/seed {} {} {} {}\n#--t_response {response}\n#--t_hand {hand}\n\
             #--t_per_hand {per_hand}\n",
            self.name, self.game, self.hands, self.seed
        )
    }
}

/// Deals a match to its end. The ports and the score go to `out`, everything else to `err`, in the
/// original's words. SIGINT and SIGTERM end the match at once.
///
/// # Errors
/// When a port or file cannot be used, an agent cannot be started, or the match comes to an early
/// end; then the message is its result line. Whatever happens, agents that were started are gone
/// when this returns, and the files hold every finished hand and every action.
pub fn run(options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Error> {
    let mut dealer = Dealer::new(options.config());
    let header = options.header();
    // Before any file is touched: a port in use must not cost an earlier match its log.
    let (listeners, ports) = listen(options, err)?;
    let _claim = options.keeps_files().then(|| claim(&options.name)).transpose()?;
    let older = overwritten(options);
    let mut log = options.log.then(|| MatchLog::open(options, &header)).transpose()?;
    let transactions =
        if options.transactions { Some(TransactionLog::open(options, &mut dealer)?) } else { None };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| refused(&error))?;
    let line = ports.iter().map(u16::to_string).collect::<Vec<_>>().join(" ");
    put_out(out, &format!("{line}\n"))?;
    let _ = err.write_all(header.as_bytes());
    if !older.is_empty() {
        let names: Vec<String> = older.iter().map(|path| path.display().to_string()).collect();
        let names = names.join(", ");
        let _ =
            writeln!(err, "# overwriting what an earlier match left: {names} (-a appends to logs)");
    }
    if let Some(log) = &mut log {
        log.begin(&header)?;
    }
    // From here on a signal no longer ends the process, so that it leaves no agent behind.
    let signals = runtime.block_on(async {
        Ok((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
    });
    let (mut interrupt, mut terminate) = signals.map_err(|error| refused(&error))?;
    let agents = Agents::start(options, &ports)?;
    let clock = Clock::start();
    let mut recorder = Recorder::new(options, clock, out, err, log, transactions, agents);
    let result = runtime.block_on(async {
        let stop = async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        let mut connections = listeners
            .into_iter()
            .map(|listener| {
                Ok(EntrantConnection::Listening(tokio::net::TcpListener::from_std(listener)?))
            })
            .collect::<std::io::Result<Vec<_>>>()?;
        drive(&mut dealer, &mut connections, options.sockets, clock, &mut recorder, stop).await
    });
    recorder.finish(&dealer, result)
}

/// The error that the operating system refuses something that a dealer needs.
fn refused(error: &std::io::Error) -> Error {
    Error::here(format!("the system refused a request: {error}"))
}

/// Writes the ports or the score. A closed stream is no error: the caller does not want to know.
fn put_out(out: &mut dyn Write, text: &str) -> Result<(), Error> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::here(format!("cannot write to the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Opens one port for each seat.
fn listen(options: &Options, err: &mut dyn Write) -> Result<(Vec<TcpListener>, Vec<u16>), Error> {
    let mut listeners = Vec::new();
    let mut ports = Vec::new();
    for entrant in 0..options.def.players {
        let port = options.ports.get(entrant).copied().unwrap_or_default();
        let address = SocketAddr::new(options.bind, port);
        let open = || {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        };
        let (listener, port) = open().map_err(|source: std::io::Error| {
            let seat = entrant + 1;
            let _ = writeln!(err, "ERROR: could not create listen socket for player {seat}");
            Error::here(format!("cannot listen on {address} for seat {seat}: {source}"))
        })?;
        listeners.push(listener);
        ports.push(port);
    }
    Ok((listeners, ports))
}

/// The time limit for agents to end after the match, after which they are killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The running agents, by seat. Dropping it kills them and everything they started.
#[derive(Debug, Default)]
struct Agents {
    agents: Vec<Option<(Running, PathBuf)>>,
}

impl Agents {
    /// Starts the agents, with host and port appended to their commands. An empty command leaves
    /// its seat to an outside player.
    fn start(options: &Options, ports: &[u16]) -> Result<Agents, Error> {
        let mut agents = Agents::default();
        let host = match options.bind {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
            address => address,
        };
        if let Some(command) = options.run.get(ports.len()) {
            let reason = format!("this game has {} seats only", ports.len());
            return Err(Error::here(format!("--run {command}: {reason}")));
        }
        for (index, (command, port)) in options.run.iter().zip(ports).enumerate() {
            if command.trim().is_empty() {
                agents.agents.push(None);
                continue;
            }
            let program = Program::parse(command, Path::new("")).ok_or_else(|| {
                Error::here(format!("--run {command}: a quotation mark is not closed"))
            })?;
            let create = |kind: &str| {
                let path = PathBuf::from(format!("{}.player{index}.{kind}", options.name));
                match File::create(&path) {
                    Ok(file) => Ok((Stdio::from(file), path)),
                    Err(error) => Err(Error::file(&path, &error)),
                }
            };
            let (output, _) = create("std")?;
            let (errors, path) = create("err")?;
            let further = [host.to_string(), port.to_string()];
            let running = program.start_into(&further, output, errors).map_err(|source| {
                let seat = index + 1;
                Error::here(format!("cannot start the agent of seat {seat}, `{command}`: {source}"))
            })?;
            agents.agents.push(Some((running, path)));
        }
        Ok(agents)
    }

    /// The reason why the seat's agent can no longer connect, if its program has ended.
    fn ended(&mut self, entrant: usize) -> Option<String> {
        let (running, errors) = self.agents.get_mut(entrant)?.as_mut()?;
        let status = running.ended()?;
        Some(format!("its agent ended ({status}) before it connected; see {}", errors.display()))
    }

    /// Waits a short time for the agents to end, then kills those that still run.
    fn finish(&mut self) {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        for (running, _) in self.agents.iter_mut().flatten() {
            running.wait(deadline.saturating_duration_since(Instant::now()));
        }
        self.agents.clear();
    }
}
