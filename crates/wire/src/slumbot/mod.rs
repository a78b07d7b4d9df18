//! Playing at a Slumbot server: many sessions side by side, for days, without losing a hand.
//!
//! `protocol::slumbot::Client` decides what a session sends and what the answers mean; it never
//! repeats an action blindly. Here are the connection (`http`), the pace of all sessions together
//! (`pace`), the ledger (`store`), one session (`session`) and the run ([`run`]).
//!
//! Unusable answers and hands without an end are counted (`failure_limits`), over resumed runs as
//! well, and end the run when there are too many. A contradiction ends it, too.
//!
//! Every hand is in the ledger before its session's next request, and every action, with the
//! session's token, before it is sent: a killed run resumes as if an answer had been lost.

mod failure_limits;
mod http;
mod pace;
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

/// The address of the public server.
pub const LIVE: &str = "https://slumbot.com";
/// The other player's name in the records.
pub const OPPONENT: &str = "slumbot";

/// The settings of a run: the agent, the server, the pace and the folder.
#[derive(Debug, Clone)]
pub struct SlumbotRunSettings {
    /// The agent that plays.
    pub agent: AgentChoice,
    /// Hands to play.
    pub hands: u64,
    /// The server to play at.
    pub server: Server,
    /// The number of concurrent sessions.
    pub sessions: usize,
    /// The rate of requests and the pauses after failures.
    pub pace: Pace,
    /// Seed of the agent's random source; `None` draws one for a new run, and keeps that of a
    /// resumed one.
    pub seed: Option<u64>,
    /// The time limit for a decision; `None` for no limit.
    pub deadline: Option<Duration>,
    /// The account that the hands are counted for, if any.
    pub login: Option<Login>,
    /// The agent to play against, which only servers of this project let clients choose.
    pub opponent: Option<String>,
    /// The run's folder.
    pub folder: PathBuf,
    /// The run's name: one word.
    pub name: String,
    /// The program and its version, for the records.
    pub provenance: Provenance,
}

/// A server's address and how to connect to it.
#[derive(Debug, Clone)]
pub struct Server {
    /// Scheme, host and port: `https://slumbot.com`.
    pub url: String,
    /// The prefix of the API's paths; `None` to find it out.
    pub prefix: Option<String>,
    /// The time limit for an answer.
    pub timeout: Duration,
    /// A PEM file of further certificates to trust.
    pub certificates: Option<PathBuf>,
}

/// The rate of requests, the pauses after failures, and the time limits of an outage.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Requests a second, of all sessions together; `None` for no limit.
    pub rate: Option<f64>,
    /// The first pause after a failure; it doubles up to `longest_pause`.
    pub first_pause: Duration,
    /// The longest pause after a failure.
    pub longest_pause: Duration,
    /// The time limit for the server's first answer.
    pub connect_timeout: Duration,
    /// The duration of an outage after which the run ends, to be resumed later.
    pub give_up: Duration,
}

/// The reason why a run ends before all hands are played.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The agent cannot be built.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// Threads, sockets or random numbers cannot be had.
    #[error("{0}")]
    System(String),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A file of the run's folder cannot be used.
    #[error("{}: {source}", .path.display())]
    File {
        /// The path of the file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Others than the owner can use what holds session tokens, and that cannot be changed.
    #[error(
        "{} holds session tokens, and users other than its owner have access: {reason}; remove \
         their rights (chmod {mode:o}), or choose another folder with --out",
        .path.display()
    )]
    Open {
        /// The path of the file or folder.
        path: PathBuf,
        /// The permissions it should have.
        mode: u32,
        /// The reason why they cannot be changed.
        reason: String,
    },
    /// The folder holds the records of another run.
    #[error(
        "{} holds another run: {difference}; choose another folder with --out, or remove this one",
        .path.display()
    )]
    OtherRun {
        /// The run's folder.
        path: PathBuf,
        /// The difference between the two, ours first.
        difference: Box<Difference>,
    },
    /// The folder holds a match that was not played over the Slumbot API.
    #[error("{} holds a match that was not played over the Slumbot API; choose another folder with \
             --out", .0.display())]
    OtherKind(PathBuf),
    /// The server's address cannot be used.
    #[error("`{url}` is not the address of a server: {reason}; write it as in {LIVE}")]
    Address {
        /// The address as given.
        url: String,
        /// The reason why the address is invalid.
        reason: String,
    },
    /// Certificates cannot be read, or the file has none.
    #[error("certificates: {0}")]
    Certificates(String),
    /// The server is not a Slumbot server.
    #[error("{url} is not a Slumbot server: {reason}; {remedy}")]
    NotSlumbot {
        /// The server's address.
        url: String,
        /// The answer, described.
        reason: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The server refuses a request that should be valid.
    #[error("{url} refuses to continue: {reason}")]
    Rejected {
        /// The server's address.
        url: String,
        /// The server's message.
        reason: String,
    },
    /// The server refuses such requests.
    #[error("{url} does not let us play: {reason}; {remedy}")]
    Barred {
        /// The server's address.
        url: String,
        /// The server's answer.
        reason: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The server has not answered for too long.
    #[error("{url} has not answered for {waited:.0?}: {reason}")]
    Gone {
        /// The server's address.
        url: String,
        /// The time without an answer.
        waited: Duration,
        /// The latest failure.
        reason: String,
    },
    /// The server keeps sending unusable answers.
    #[error("{url} gives answers that are not Slumbot's, {often}: {reason}: `{text}`")]
    Unusable {
        /// The server's address.
        url: String,
        /// The count of such answers, in words.
        often: String,
        /// The reason why the last answer is unusable.
        reason: String,
        /// The last answer, without the token.
        text: String,
    },
    /// Hands are begun, but none can be finished.
    #[error("{url}: {hands} hands in a row had no visible end: {reason}")]
    NoEnd {
        /// The server's address.
        url: String,
        /// The number of hands given up in a row.
        hands: u64,
        /// The latest trouble.
        reason: String,
        /// Whether the server answered: then the connection is not at fault.
        answered: bool,
    },
    /// The server's results contradict the cards, the betting or its sums.
    #[error("session {session} at {url}, hand {hand}: {reason}; the session is abandoned")]
    Contradiction {
        /// The server's address.
        url: String,
        /// The session's number in the run.
        session: u64,
        /// The hand's number in the run.
        hand: u64,
        /// The contradiction.
        reason: Contradiction,
    },
}

/// A contradiction in what the server says.
#[derive(Debug, thiserror::Error)]
pub enum Contradiction {
    /// In the sums of the session.
    #[error(transparent)]
    Drift(protocol::slumbot::Drift),
    /// In the result of a hand, or in what is legal in it.
    #[error(transparent)]
    Hand(ClientError),
}

impl RunError {
    /// Whether the server or the network is at fault, so that the run can be resumed later.
    pub fn is_gone(&self) -> bool {
        matches!(self, RunError::Gone { .. } | RunError::NoEnd { answered: false, .. })
    }

    /// Whether the server contradicts itself or the rules, or does not behave as a Slumbot server.
    pub fn is_server_fault(&self) -> bool {
        use RunError::{Contradiction, NoEnd, Unusable};
        matches!(self, Contradiction { .. } | Unusable { .. } | NoEnd { answered: true, .. })
    }
}
