//! `cardroom play`: plays as an agent at a remote table.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use game::{GameDef, Quirks};
use matches::games::load_game;
use matches::plan::fresh_seed;
use protocol::acpc::gamedef::Reading;
use protocol::pokerbots::{DISCARD_GAME, Dialect, GAME};
use serde::Serialize;
use show::number;
use wire::Error;
use wire::package_acpc::UNANSWERED;
use wire::play_acpc::{AcpcSettings, End, Protocol, Record, Summary, play_blocking};

use crate::config::units::Time;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{Output, Report};
use crate::resolve_names::{Game, Named};

mod gtowizard;
mod slumbot;
mod web_run;

/// Play as an agent at a table elsewhere: an ACPC dealer, a Pokerbots engine, Slumbot or GTO
/// Wizard.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    opponent: Opponent,
}

#[derive(clap::Subcommand)]
enum Opponent {
    Acpc(Box<AcpcArgs>),
    Gtowizard(Box<gtowizard::Args>),
    Pokerbots(Box<PokerbotsArgs>),
    Slumbot(Box<slumbot::Args>),
}

/// Connect to an ACPC dealer and play until it closes the connection.
///
/// Exit codes: 0 when the dealer closed between two hands; 2 on a bad command line; 3 when the
/// agent, the game or the record is bad; 4 when the dealer could not be reached, stayed silent,
/// closed in the middle of a hand or sent something invalid (the line is shown); 130 when
/// interrupted, after the hand in play.
#[derive(clap::Args)]
struct AcpcArgs {
    /// The dealer's host: a name, an IPv4 or an IPv6 address
    host: String,
    /// The port of the seat
    port: u16,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    seat: SeatArgs,
}

/// Connect to the engine of MIT Pokerbots, or of a competition with the same protocol, and play
/// until it says that the game is over.
///
/// The base game, with blinds of 1 and 2 and 400 chips, or that of 2026, in which three cards are
/// dealt and one is put on the board (`--game pokerbots.discard.2p`). A decision may take a tenth
/// of the clock that is left; agents for 50 and 100 are asked in their own chips. Exit codes: as
/// those of `play acpc`; 4 also when the engine breaks its protocol or the rules.
#[derive(clap::Args)]
struct PokerbotsArgs {
    /// The engine's address, HOST:PORT; a port alone is on this machine, as engines tell their bots
    #[arg(value_name = "ADDRESS")]
    address: Address,
    /// The engine's game: pokerbots.nolimit.2p or pokerbots.discard.2p
    #[arg(long, value_name = "GAME", default_value = GAME)]
    game: String,
    #[command(flatten)]
    seat: SeatArgs,
}

/// A host and a port, parsed from `HOST:PORT` or `PORT`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Address {
    host: String,
    port: u16,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("localhost", text));
        let port = port.parse().ok().filter(|&port| port > 0 && !host.is_empty());
        let port = port.ok_or_else(|| {
            format!("`{text}` is neither HOST:PORT, as in localhost:9000, nor a port")
        })?;
        Ok(Address { host: host.to_owned(), port })
    }
}

/// Options of a seat at a table elsewhere.
#[derive(clap::Args)]
struct SeatArgs {
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`)
    #[arg(long, value_name = "NAME")]
    agent: String,
    #[command(flatten)]
    named: Named,
    /// Seed for the agent [default: random]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// How long to retry while the dealer cannot be reached
    #[arg(long, value_name = "TIME", default_value = "30s")]
    connect_timeout: Time,
    /// How long the dealer may stay silent, for example while others think; 0s for no limit
    #[arg(long, value_name = "TIME", default_value = "20min")]
    silence_timeout: Time,
    /// Time limit per decision, after which the hand is checked or folded; agents that decide in
    /// microseconds (`inline` in `agents list`) are not interrupted [default: no limit]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Time>,
    /// Write each decision (decisions.jsonl) and the final state of each hand (states.txt) to this
    /// folder
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// The name of another player, for agents that use it; may be given several times
    #[arg(long, value_name = "NAME")]
    against: Vec<String>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Result<(), Failure> {
    match args.opponent {
        Opponent::Acpc(args) => {
            let AcpcArgs { host, port, game, seat } = *args;
            // With the original dealer's deviations from the rules, so that nothing it sends counts
            // as an error.
            let def = Arc::new(game.load()?.with_quirks(Quirks::ORIGINAL));
            sit(Address { host, port }, Protocol::Acpc, def, seat)
        }
        Opponent::Pokerbots(args) => {
            let PokerbotsArgs { address, game, seat } = *args;
            if ![GAME, DISCARD_GAME].contains(&game.as_str()) {
                return Err(Failure::usage(format!(
                    "--game: `{game}` is no game of these engines: use {GAME} or {DISCARD_GAME}"
                )));
            }
            let def = load_game(&game, Reading::Strict).map_err(Failure::input)?;
            sit(address, Protocol::Pokerbots(Dialect::of_game(&def)), def, seat)
        }
        Opponent::Gtowizard(args) => gtowizard::run(&args),
        Opponent::Slumbot(args) => slumbot::run(&args),
    }
}

/// Plays at a table elsewhere and prints the report.
fn sit(
    Address { host, port }: Address,
    protocol: Protocol,
    def: Arc<GameDef>,
    args: SeatArgs,
) -> Result<(), Failure> {
    let plan = AcpcSettings {
        host,
        port,
        protocol,
        def,
        agent: args.named.resolve(&args.agent)?,
        seed: args.seed.unwrap_or_else(fresh_seed),
        connect_timeout: args.connect_timeout.0,
        silence: (!args.silence_timeout.0.is_zero()).then_some(args.silence_timeout.0),
        deadline: args.deadline.map(|time| time.0),
        opponents: args.against,
    };
    let mut record = args.record.as_deref().map(Record::open).transpose().map_err(failure)?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let (summary, end) = play_blocking(&plan, record.as_mut(), &stop).map_err(failure)?;
    if args.json || end.is_ok() || summary.hands > 0 {
        let summary = &summary;
        match protocol {
            Protocol::Acpc => Output::report(&AcpcReport { summary }, args.json)?.print()?,
            Protocol::Pokerbots(_) => {
                let report = PokerbotsReport(AcpcReport { summary });
                Output::report(&report, args.json)?.print()?;
            }
        }
    }
    match end.map_err(failure)? {
        End::MatchOver => Ok(()),
        End::Stopped => {
            let hands = summary.hands;
            Err(Failure::interrupted(format!("left the table; hands played: {hands}")))
        }
    }
}

fn failure(error: Error) -> Failure {
    if error.is_gone() { Failure::gone(error) } else { Failure::input(error) }
}

/// What was played at a dealer.
#[derive(Serialize)]
struct AcpcReport<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
}

impl Report for AcpcReport<'_> {
    const SCHEMA: &'static str = "cardroom-play-acpc/1";
}

/// What was played at an engine of Pokerbots: the same, under another name.
#[derive(Serialize)]
struct PokerbotsReport<'a>(AcpcReport<'a>);

impl Report for PokerbotsReport<'_> {
    const SCHEMA: &'static str = "cardroom-play-pokerbots/1";
}

impl fmt::Display for PokerbotsReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for AcpcReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { agent, dealer, hands, chips, decisions, .. } = self.summary;
        write!(f, "{agent} at {dealer}: {hands} hands, {chips:+} chips")?;
        if let Some(rate) = &self.summary.rate {
            write!(f, ", {:+.0} ± {:.0} mbb/hand", rate.mbb, rate.half_width())?;
        }
        write!(f, "\n{} decisions", decisions.total)?;
        if let (Some(median), Some(p99), Some(max)) =
            (decisions.median_ms, decisions.p99_ms, decisions.max_ms)
        {
            let time = |milliseconds: f64| number::duration((milliseconds * 1e6).round() as u64);
            let (median, p99, max) = (time(median), time(p99), time(max));
            write!(f, "; thinking time {median} (median), {p99} (p99), {max} (longest)")?;
        }
        let (fallbacks, corrected) = (decisions.fallback_total(), decisions.corrected);
        if fallbacks + corrected > 0 {
            let noun = number::plural(fallbacks, "decision");
            write!(f, "\n{fallbacks} {noun} {UNANSWERED}, {corrected} corrected")?;
        }
        if decisions.beyond_model > 0 {
            let noun = number::plural(decisions.beyond_model, "decision");
            write!(
                f,
                "\n{} {noun} not by the agent's model, which is for other situations",
                decisions.beyond_model
            )?;
        }
        writeln!(f)
    }
}
