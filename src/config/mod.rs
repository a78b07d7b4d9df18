//! The configuration from `cardroom.toml`, the environment and flags.
//!
//! Layers, later ones overriding earlier ones: built-in defaults, the file, environment variables
//! (`CARDROOM_SERVER__BIND`, `CARDROOM_TABLES__0__HANDS`: two underscores between the parts of a
//! key), flags. Unknown keys are errors. The sample `cardroom.toml` in the repository explains
//! every key; [`check`](mod@check) turns a configuration into objects that can be run.

pub mod check;
mod load;
pub mod units;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use agents::AgentConfig;
use serde::{Deserialize, Serialize};

pub use load::{Flag, Loaded, USUAL_FILE, ignore_variables, variables};
use units::{Size, Time};

/// What is wrong with a configuration or a value, where, and what to write. It is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    pub(crate) fn new(text: impl Into<String>) -> ConfigError {
        ConfigError(text.into())
    }
}

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The server process.
    pub server: Server,
    /// Agents by name.
    pub agents: BTreeMap<String, AgentConfig>,
    /// ACPC tables that outside bots can join.
    pub tables: Vec<Table>,
    /// Outside ACPC dealers to play at.
    pub dealers: Vec<OutsideDealer>,
    /// The Slumbot API.
    pub slumbot: Slumbot,
    /// The decision API.
    pub decide: Decide,
    /// The tools for language models.
    pub mcp: Mcp,
    /// The queue whose runs are shown.
    pub queue: Queue,
    /// The scrimmage of a course.
    pub scrimmage: Scrimmage,
    /// Solving for the study page.
    pub study: Study,
    /// Matches and measurements that are started from the page.
    pub run: Run,
    /// Reading and analysing hands for the page that does.
    pub analyse: Analyse,
}

/// The table `[server]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Server {
    /// The address of the web page, the API and the metrics.
    #[serde(deserialize_with = "units::address_and_port")]
    pub bind: SocketAddr,
    /// Further host names and addresses, without ports, that requests may name.
    pub hosts: Vec<String>,
    /// Addresses of trusted proxies, whose `X-Forwarded-For` is used.
    pub proxies: Vec<IpAddr>,
    /// The folder for records; made when it does not exist.
    pub data: PathBuf,
    /// The time limit of matches for their current hands after SIGTERM.
    pub grace: Time,
    /// The filter for log lines: a level, or `level,target=level`.
    pub log: String,
    /// The format of log lines.
    pub log_format: LogFormat,
    /// Most web connections at once.
    pub max_connections: usize,
    /// Largest body of a web request.
    pub max_body: Size,
    /// The time limit for the header of a web client's next request.
    pub header_timeout: Time,
    /// The time limit of a web request.
    pub request_timeout: Time,
    /// The login that is required, if any.
    pub login: Login,
}

/// The table `[server.login]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Login {
    /// The user's name.
    pub user: String,
    /// The file with the user's password; empty for no password.
    pub password_file: PathBuf,
    /// The file with a token for programs; empty for no token.
    pub token_file: PathBuf,
    /// Whether sessions of the Slumbot API need the login, too.
    pub slumbot: bool,
}

/// The table `[slumbot]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Slumbot {
    /// Whether the API is enabled.
    pub enabled: bool,
    /// The default agent.
    pub agent: String,
    /// The agents that clients may choose; empty for all that need no options, and all of `agents`.
    pub agents: Vec<String>,
    /// The agents of users who log in, by user name.
    pub users: BTreeMap<String, String>,
    /// Whether the agent also plays the cards of every hand against itself, for
    /// `baseline_winnings`.
    pub baseline: bool,
    /// The number of this process among several behind one address, with which its tokens begin; 0
    /// for a single process.
    pub process: u8,
    /// Most sessions at once.
    pub max_sessions: usize,
    /// Most sessions of one user; 0 for no limit.
    pub max_sessions_of_user: usize,
    /// The idle time after which a session expires.
    pub session_life: Time,
    /// The idle time after which a hand is forfeited.
    pub forfeit_after: Time,
    /// The time limit for a decision of the agent.
    pub decision_timeout: Time,
    /// Most concurrent decisions of agents that are not inline.
    pub workers: usize,
    /// Largest body of a request.
    pub max_body: Size,
    /// Requests a second from one address; 0 for no limit.
    pub rate: u32,
}

/// The table `[decide]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Decide {
    /// Whether the API is enabled.
    pub enabled: bool,
    /// The agents that may be asked; empty for all that need no options, and all of `agents`.
    pub agents: Vec<String>,
    /// The time limit for a decision of an agent.
    pub decision_timeout: Time,
    /// Most concurrent decisions.
    pub workers: usize,
}

/// The table `[mcp]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mcp {
    /// Whether the server offers the tools; `cardroom mcp` does anyway.
    pub enabled: bool,
    /// The agents on offer; empty for all that need no options, and all of `agents`.
    pub agents: Vec<String>,
    /// Most tables at once.
    pub max_tables: usize,
    /// The idle time after which a table may be closed for another one.
    pub table_life: Time,
    /// Most hands of a table or a match.
    pub max_hands: u64,
    /// The time limit for the work of one call.
    pub max_time: Time,
    /// Most memory of a solve.
    pub max_memory: Size,
    /// The time limit for a decision of an agent.
    pub decision_timeout: Time,
    /// Most calls that compute at once.
    pub workers: usize,
}

/// The table `[queue]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Queue {
    /// The NATS server of the queue; empty for none.
    pub nats: String,
    /// A file with a user's credentials; empty for none.
    pub creds: PathBuf,
    /// A file with the certificates of the server's authority; empty for none.
    pub ca: PathBuf,
}

/// The table `[scrimmage]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scrimmage {
    /// Whether there is one.
    pub enabled: bool,
    /// The folder in which each team has a folder with its bot; empty for none.
    pub teams: PathBuf,
    /// The file with a team and its token on each line; empty for no tokens.
    pub tokens_file: PathBuf,
    /// The time of day of the nightly round, in the system's time zone; empty for none.
    pub at: String,
    /// The game: `pokerbots.nolimit.2p`, or `pokerbots.discard.2p` for bots of 2026.
    pub game: String,
    /// Hands of every pair.
    pub hands: u64,
    /// Time for all answers of a bot in 1,000 hands.
    pub clock: Time,
    /// Time for one answer.
    pub answer_timeout: Time,
    /// Time for a bot's build command.
    pub build_timeout: Time,
    /// Pairs of processes that play at the same time.
    pub threads: usize,
    /// Most memory of each process of a bot.
    pub memory: Size,
    /// Most processes and threads that a bot may add to those of the server's user.
    pub processes: u64,
    /// Most processor time of each process of a bot.
    pub cpu: Time,
    /// Further folders that bots may read.
    pub readable: Vec<PathBuf>,
    /// Largest zip.
    pub max_upload: Size,
    /// Most bytes of a bot's files.
    pub max_unpacked: Size,
    /// Most files and folders of a bot.
    pub max_files: usize,
    /// Most teams.
    pub max_teams: usize,
}

/// The table `[study]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Study {
    /// Who may have the server solve spots.
    pub solve: SolveFor,
    /// Most memory of all solutions together.
    pub memory: Size,
    /// Most bytes of all solutions that outlive the server, in `study` in the data folder; 0 to
    /// keep none.
    pub disk: Size,
    /// Threads that solve; 0 for all processors but one.
    pub threads: usize,
    /// Most solutions that are kept.
    pub kept: usize,
    /// Most solves that wait.
    pub queue: usize,
    /// The longest time of one solve until it has to be resumed.
    pub max_time: Time,
}

/// The table `[run]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Whether the page starts matches, tournaments and evaluations.
    pub enabled: bool,
    /// The agents that may play; empty for all that start no program.
    pub agents: Vec<String>,
    /// Most runs at the same time.
    pub at_once: usize,
    /// Most runs that wait.
    pub queue: usize,
    /// Most runs in the list.
    pub kept: usize,
    /// Most hands of a run, all its matches together.
    pub max_hands: u64,
    /// Threads of a run; 0 for all processors but one.
    pub threads: usize,
}

/// The table `[analyse]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Analyse {
    /// Who may have the server import and analyse hands.
    pub offer: SolveFor,
    /// Most bytes of the files of an import.
    pub max_upload: Size,
    /// Most files of an import.
    pub max_files: usize,
    /// Most hands of an import, and of a match that is analysed.
    pub max_hands: u64,
    /// Threads that analyse; 0 for all processors but one.
    pub threads: usize,
    /// Most imports, and most analyses, that wait or are under way.
    pub queue: usize,
    /// The longest time of one analysis.
    pub max_time: Time,
}

/// Who may have the server solve spots, or do other work that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SolveFor {
    /// This machine, where only it can reach the server.
    Local,
    /// Everybody who can reach the server and has its login, if there is one.
    All,
    /// Nobody.
    Nobody,
}

impl Config {
    /// All paths with their keys. Those in a file start from its folder.
    fn paths(&mut self) -> [(&'static str, &mut PathBuf); 7] {
        let Server { data, login, .. } = &mut self.server;
        [
            ("server.data", data),
            ("server.login.password_file", &mut login.password_file),
            ("server.login.token_file", &mut login.token_file),
            ("queue.creds", &mut self.queue.creds),
            ("queue.ca", &mut self.queue.ca),
            ("scrimmage.teams", &mut self.scrimmage.teams),
            ("scrimmage.tokens_file", &mut self.scrimmage.tokens_file),
        ]
    }
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// `Human` on a terminal, otherwise `Json`.
    Auto,
    /// One readable line for each event.
    Human,
    /// One JSON object for each event.
    Json,
}

/// An entry of `[[tables]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The table's name; matches are named after it.
    pub name: String,
    /// A built-in game or the path of a game file.
    pub game: String,
    /// Hands of a match.
    #[serde(default = "default_hands")]
    pub hands: u32,
    /// The seed of the cards.
    #[serde(default)]
    pub seed: Seed,
    /// The address on which the ports of this table are opened.
    #[serde(default = "default_address", deserialize_with = "units::address")]
    pub bind: IpAddr,
    /// The seats in order: one for each player of the game.
    pub seats: Vec<Seat>,
    /// Most bots that may wait for one seat.
    #[serde(default = "default_queue")]
    pub queue: usize,
    /// The time limit for a bot's version line after connecting.
    #[serde(default = "default_version_timeout")]
    pub version_timeout: Time,
    /// The time limit for one action.
    #[serde(default = "default_response")]
    pub response_timeout: Time,
    /// The time limit for all actions of one seat in one hand.
    #[serde(default = "default_response")]
    pub hand_timeout: Time,
    /// The time limit for all actions of one seat in the match, divided by the number of hands.
    #[serde(default = "default_per_hand")]
    pub per_hand: Time,
    /// The treatment of illegal replies: `compatible`, `strict` or `limit=N`.
    #[serde(default = "default_replies")]
    pub replies: String,
}

/// An entry of `seats`: an agent, or a port for an outside bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The agent in the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The port for an outside bot; 0 lets the system choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The name in records; by default the agent's, or `seat-N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The seed of a table's cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seed {
    /// A new random seed for every match.
    #[default]
    Fresh,
    /// The same cards in every match.
    Fixed(u32),
}

/// An entry of `[[dealers]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutsideDealer {
    /// The connection's name.
    pub name: String,
    /// The dealer's host name or address.
    pub host: String,
    /// The dealer's port, which determines the seat.
    pub port: u16,
    /// A built-in game or the path of a game file.
    pub game: String,
    /// The agent that plays.
    pub agent: String,
    /// The time limit for one attempt to connect.
    #[serde(default = "default_connect_timeout")]
    pub connect_timeout: Time,
    /// The first pause before reconnecting; each further one is twice as long.
    #[serde(default = "default_retry_first")]
    pub retry_first: Time,
    /// The longest pause before reconnecting.
    #[serde(default = "default_retry_most")]
    pub retry_most: Time,
    /// The maximum time without a message of the dealer.
    #[serde(default = "default_silence")]
    pub silence: Time,
    /// The time limit for a decision.
    #[serde(default = "default_dealer_decision")]
    pub decision_timeout: Time,
}

fn default_hands() -> u32 {
    3000
}
fn default_address() -> IpAddr {
    IpAddr::V4(Ipv4Addr::LOCALHOST)
}
fn default_queue() -> usize {
    16
}
fn default_replies() -> String {
    "compatible".to_owned()
}
fn seconds(seconds: u64) -> Time {
    Time(std::time::Duration::from_secs(seconds))
}
fn default_version_timeout() -> Time {
    seconds(10)
}
fn default_response() -> Time {
    seconds(600)
}
fn default_per_hand() -> Time {
    seconds(7)
}
fn default_connect_timeout() -> Time {
    seconds(10)
}
fn default_retry_first() -> Time {
    seconds(1)
}
fn default_silence() -> Time {
    seconds(3600)
}
fn default_dealer_decision() -> Time {
    seconds(60)
}
fn default_retry_most() -> Time {
    seconds(300)
}

impl Default for Config {
    /// A configuration with one heads-up table: an agent in one seat and a port for the other.
    fn default() -> Config {
        let agent = Seat { agent: Some("cfr".to_owned()), port: None, name: None };
        let open = Seat { agent: None, port: Some(0), name: None };
        let table = Table {
            name: "heads-up".to_owned(),
            game: "holdem.nolimit.2p.reverse_blinds".to_owned(),
            hands: default_hands(),
            seed: Seed::Fresh,
            bind: default_address(),
            seats: vec![agent, open],
            queue: default_queue(),
            version_timeout: default_version_timeout(),
            response_timeout: default_response(),
            hand_timeout: default_response(),
            per_hand: default_per_hand(),
            replies: default_replies(),
        };
        Config {
            server: Server::default(),
            agents: BTreeMap::new(),
            tables: vec![table],
            dealers: Vec::new(),
            slumbot: Slumbot::default(),
            decide: Decide::default(),
            mcp: Mcp::default(),
            queue: Queue::default(),
            scrimmage: Scrimmage::default(),
            study: Study::default(),
            run: Run::default(),
            analyse: Analyse::default(),
        }
    }
}

impl Default for Analyse {
    fn default() -> Analyse {
        Analyse {
            offer: SolveFor::Local,
            max_upload: Size(32 << 20),
            max_files: 50,
            max_hands: 20_000,
            threads: 0,
            queue: 4,
            max_time: seconds(3600),
        }
    }
}

impl Default for Scrimmage {
    fn default() -> Scrimmage {
        Scrimmage {
            enabled: false,
            teams: PathBuf::new(),
            tokens_file: PathBuf::new(),
            at: String::new(),
            game: protocol::pokerbots::GAME.to_owned(),
            hands: 1000,
            clock: seconds(30),
            answer_timeout: seconds(10),
            build_timeout: seconds(60),
            threads: 1,
            memory: Size(4 << 30),
            processes: 64,
            cpu: seconds(300),
            readable: Vec::new(),
            max_upload: Size(16 << 20),
            max_unpacked: Size(64 << 20),
            max_files: 2000,
            max_teams: 100,
        }
    }
}

impl Default for Study {
    fn default() -> Study {
        Study {
            solve: SolveFor::Local,
            memory: Size(2 << 30),
            disk: Size(4 << 30),
            threads: 0,
            kept: 50,
            queue: 16,
            max_time: seconds(3600),
        }
    }
}

impl Default for Run {
    fn default() -> Run {
        Run {
            enabled: true,
            agents: Vec::new(),
            at_once: 1,
            queue: 16,
            kept: 100,
            max_hands: 10_000_000,
            threads: 0,
        }
    }
}

impl Default for Decide {
    fn default() -> Decide {
        Decide { enabled: true, agents: Vec::new(), decision_timeout: seconds(10), workers: 4 }
    }
}

impl Default for Mcp {
    fn default() -> Mcp {
        Mcp {
            enabled: false,
            agents: Vec::new(),
            max_tables: 16,
            table_life: seconds(3600),
            max_hands: 10_000,
            max_time: seconds(30),
            max_memory: Size(1 << 30),
            decision_timeout: seconds(10),
            workers: 2,
        }
    }
}

impl Default for Slumbot {
    fn default() -> Slumbot {
        let hours = |hours: u64| seconds(hours * 3600);
        Slumbot {
            enabled: true,
            agent: "cfr".to_owned(),
            agents: Vec::new(),
            users: BTreeMap::new(),
            baseline: true,
            process: 0,
            max_sessions: 100_000,
            max_sessions_of_user: 0,
            session_life: hours(30 * 24),
            forfeit_after: hours(24),
            decision_timeout: seconds(10),
            workers: 4,
            max_body: Size(4 << 10),
            rate: 0,
        }
    }
}

impl Default for Server {
    fn default() -> Server {
        Server {
            bind: SocketAddr::new(default_address(), 5252),
            data: PathBuf::from("data"),
            grace: seconds(30),
            log: "info".to_owned(),
            log_format: LogFormat::Auto,
            max_connections: 256,
            max_body: Size(64 << 10),
            header_timeout: seconds(10),
            request_timeout: seconds(10),
            hosts: Vec::new(),
            proxies: Vec::new(),
            login: Login::default(),
        }
    }
}

impl Default for Login {
    fn default() -> Login {
        let (password_file, token_file) = (PathBuf::new(), PathBuf::new());
        Login { user: "cardroom".to_owned(), password_file, token_file, slumbot: true }
    }
}

impl Serialize for Seed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Seed::Fresh => serializer.serialize_str("fresh"),
            Seed::Fixed(seed) => serializer.serialize_u32(*seed),
        }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        match &value {
            toml::Value::String(text) if text == "fresh" => Ok(Seed::Fresh),
            toml::Value::Integer(seed) if u32::try_from(*seed).is_ok() => {
                Ok(Seed::Fixed(*seed as u32))
            }
            _ => Err(serde::de::Error::custom(format!(
                "{value} is not a seed: write a number from 0 to {} or \"fresh\"",
                u32::MAX
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_of_the_configuration_starts_from_its_folder() {
        let fields = include_str!("mod.rs").matches(": PathBuf,\n").count();
        assert_eq!(Config::default().paths().len(), fields, "Config::paths lacks a path");
    }
}
