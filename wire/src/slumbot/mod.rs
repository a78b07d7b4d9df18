//! Playing at a Slumbot server: many sessions side by side, for days, without losing a hand.
//!
//! What a session sends and what the answers mean is decided by `protocol::slumbot::Client`, which
//! never repeats an action blindly. Here are the connection (`http`), the pace of all sessions
//! together (`pace`), the ledger (`store`), one session (`session`) and the run ([`run`]).
//!
//! A server is never asked for ever in vain: answers that are not Slumbot's, and hands whose end is
//! not seen, are counted (`failure_limits`), also over the runs that go on with each other, and a
//! contradiction ends the run.
//!
//! Every hand is in the ledger before its session's next request leaves, and so is every action
//! before it is sent, with the session's token: a run that is killed goes on as if an answer had
//! been lost.

mod failure_limits;
mod http;
mod pace;
mod private;
mod run;
mod session;
mod store;
mod summary;
mod tls;

use std::path::PathBuf;
use std::time::Duration;

use agents::{AgentChoice, AgentError};
use logs::{Difference, LedgerError, Provenance};
use protocol::slumbot::ClientError;
use protocol::slumbot::client::Login;

pub use pace::Outage;
pub use run::{End, Played, Progress, play_blocking};
pub use summary::{PerSeat, Summary};

/// The live server.
pub const LIVE: &str = "https://slumbot.com";
/// What the other player is called in records.
pub const OPPONENT: &str = "slumbot";

/// Whom to play as, where, and how patiently.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The agent that decides.
    pub agent: AgentChoice,
    /// Hands to play.
    pub hands: u64,
    /// Where.
    pub server: Server,
    /// Sessions side by side.
    pub sessions: usize,
    /// How fast, and how patiently.
    pub pace: Pace,
    /// Seed of the agent's random source; a new run draws one if not given, a resumed one keeps its
    /// own.
    pub seed: Option<u64>,
    /// How long a decision may take; as long as the agent likes if not given.
    pub deadline: Option<Duration>,
    /// The account that the hands are counted for.
    pub login: Option<Login>,
    /// The agent to play against: only servers of this project know how to choose.
    pub opponent: Option<String>,
    /// The run's folder.
    pub folder: PathBuf,
    /// The run's name: one word.
    pub name: String,
    /// Where the run is started from.
    pub provenance: Provenance,
}

/// A server.
#[derive(Debug, Clone)]
pub struct Server {
    /// Scheme, name and port: `https://slumbot.com`.
    pub url: String,
    /// What the paths begin with; found out if not given.
    pub prefix: Option<String>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// A file of further certificates to trust, in PEM.
    pub certificates: Option<PathBuf>,
}

/// How fast and how patiently.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Requests a second, of all sessions together; any number if not given.
    pub rate: Option<f64>,
    /// The first pause after a failure; it doubles up to the longest.
    pub first_pause: Duration,
    /// The longest pause after a failure.
    pub longest_pause: Duration,
    /// How long to try while the server has not answered once.
    pub connect_timeout: Duration,
    /// How long an outage may last before the run ends, to be resumed later.
    pub give_up: Duration,
}

/// Why a run ends before all hands are played.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The agent cannot be built.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// There are no threads, sockets or random numbers to be had.
    #[error("{0}")]
    System(String),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A file of the run's folder cannot be used.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Others can use what holds session tokens, and that cannot be changed.
    #[error(
        "{} holds session tokens and can be used by others than its owner: {reason}; take their rights away \
         (chmod {mode:o}), or choose another folder with --out",
        .path.display()
    )]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// The rights it should have.
        mode: u32,
        /// Why they cannot be changed.
        reason: String,
    },
    /// The folder holds another run.
    #[error(
        "{} holds another run: {difference}; choose another folder with --out, or remove this one",
        .path.display()
    )]
    OtherRun {
        /// The folder.
        path: PathBuf,
        /// How they differ, ours first.
        difference: Box<Difference>,
    },
    /// The folder holds a match that was not played over the Slumbot API.
    #[error("{} holds a match that was played otherwise; choose another folder with --out", .0.display())]
    OtherKind(PathBuf),
    /// The address of the server makes no sense.
    #[error("`{url}` is not the address of a server: {reason}; write it as in {LIVE}")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// Certificates cannot be read, or there are none.
    #[error("certificates: {0}")]
    Certificates(String),
    /// Something answers, but no Slumbot server.
    #[error("{url} is no Slumbot server: {reason}; {remedy}")]
    NotSlumbot {
        /// The address.
        url: String,
        /// What it does.
        reason: String,
        /// What can be done.
        remedy: &'static str,
    },
    /// The server refuses a request that should be right.
    #[error("{url} refuses to go on: {reason}")]
    Rejected {
        /// The address.
        url: String,
        /// What it says.
        reason: String,
    },
    /// The server does not answer such requests.
    #[error("{url} does not let us play: {reason}; {remedy}")]
    Barred {
        /// The address.
        url: String,
        /// What it says.
        reason: String,
        /// What can be done.
        remedy: &'static str,
    },
    /// No answer for too long.
    #[error("{url} has not answered for {waited:.0?}: {reason}")]
    Gone {
        /// The address.
        url: String,
        /// How long.
        waited: Duration,
        /// The latest failure.
        reason: String,
    },
    /// The server goes on giving answers that are not what a Slumbot server sends.
    #[error("{url} gives answers that are not Slumbot's, {often}: {reason}: `{text}`")]
    Unusable {
        /// The address.
        url: String,
        /// How often.
        often: String,
        /// What is wrong with the last one.
        reason: String,
        /// The last one, as it may be shown.
        text: String,
    },
    /// Hand after hand is begun, and none can be seen to its end.
    #[error("{url}: of {hands} hands in a row no end was to be seen: {reason}")]
    NoEnd {
        /// The address.
        url: String,
        /// How many hands.
        hands: u64,
        /// The latest trouble.
        reason: String,
        /// The server has answered: it is not the way there that is at fault.
        answered: bool,
    },
    /// The server's results are not what cards, betting and sums say.
    #[error("session {session} at {url}, hand {hand}: {reason}; the session is not gone on with")]
    Claim {
        /// The address.
        url: String,
        /// The session's number in the run.
        session: u64,
        /// The hand's number.
        hand: u64,
        /// What does not agree.
        reason: Claim,
    },
}

/// What does not agree.
#[derive(Debug, thiserror::Error)]
pub enum Claim {
    /// The sums of the session.
    #[error(transparent)]
    Drift(protocol::slumbot::Drift),
    /// The result of a hand, or what is legal in it.
    #[error(transparent)]
    Hand(ClientError),
}

impl RunError {
    /// Whether the other side or the way there is at fault and the run can be resumed later.
    pub fn is_gone(&self) -> bool {
        matches!(self, RunError::Gone { .. } | RunError::NoEnd { answered: false, .. })
    }

    /// Whether a claim of the server does not hold: to be a Slumbot server, or what it says of
    /// hands.
    pub fn is_claim(&self) -> bool {
        use RunError::{Claim, NoEnd, Unusable};
        matches!(self, Claim { .. } | Unusable { .. } | NoEnd { answered: true, .. })
    }
}
