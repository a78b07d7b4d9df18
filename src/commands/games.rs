//! `cardroom show games`: the built-in games; and `cardroom bench`: how fast this machine plays
//! them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use evaluation::speed::{self, Speed};
use game::{Betting, GameDef};
use matches::games::{load_game, without_discards};
use matches::runner::Level;
use protocol::acpc;
use protocol::acpc::gamedef::Reading;
use serde::Serialize;
use show::Table;
use show::number::{counted, whole};

use crate::config::units::Time;
use crate::exit::Failure;
use crate::match_options::DEFAULT_GAME;
use crate::output::{Output, Report};
use crate::resolve_names::built_in;

/// List the built-in games, or print the definition of one.
#[derive(clap::Args)]
pub struct Args {
    /// Print the definition of this game, in the ACPC format
    #[arg(value_name = "NAME", conflicts_with = "json")]
    name: Option<String>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: prints the list or a definition.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if let Some(name) = &args.name {
        return Ok(Output::from(built_in(name)?.text.to_owned()));
    }
    let games = acpc::games().iter().map(|game| {
        let def = load_game(game.name, Reading::Strict)?;
        let betting = match def.betting {
            Betting::Limit => "limit",
            Betting::NoLimit => "no-limit",
        };
        let (name, players, streets) = (game.name, def.players, def.streets);
        Ok(ListedGame { name, players, betting, streets })
    });
    let games = games.collect::<Result<_, Failure>>()?;
    Output::report(&GameList { games }, args.json)
}

#[derive(Serialize)]
struct GameList {
    games: Vec<ListedGame>,
}

#[derive(Serialize)]
struct ListedGame {
    name: &'static str,
    players: usize,
    betting: &'static str,
    streets: usize,
}

impl Report for GameList {
    const SCHEMA: &'static str = "cardroom-games/1";
}

impl fmt::Display for GameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.games.iter().map(|game| {
            let players = format!("{} players", game.players);
            let streets = counted(game.streets as u64, "street");
            [game.name.to_owned(), players, game.betting.to_owned(), streets]
        });
        writeln!(f, "{}", Table::from_rows(rows).right(1..2).at_the_margin())
    }
}

/// Measure this machine's speed: the rules, matches without records, matches with records.
///
/// Everything runs on one thread. `cardroom agents bench` measures agents.
#[derive(clap::Args)]
pub struct BenchArgs {
    /// The agents that play the matches
    #[arg(value_name = "AGENT", default_values = ["call", "random"])]
    agents: Vec<String>,
    /// The game: a built-in name, or the path of an ACPC game definition
    #[arg(long, value_name = "GAME", default_value = DEFAULT_GAME)]
    game: String,
    /// Minimum time for each measurement
    #[arg(long, value_name = "TIME", default_value = "2s")]
    time: Time,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: runs the benchmarks and prints the results.
pub fn bench(args: BenchArgs) -> Result<Output, Failure> {
    let BenchArgs { agents, game, time: Time(time), json } = args;
    let def = load_game(&game, Reading::Strict)?;
    without_discards(&game, &def)?;
    let speeds = measure(&def, &agents, time)?;
    Output::report(&Speeds { game, speeds }, json)
}

/// The measured speeds at a game.
#[derive(Serialize)]
struct Speeds {
    game: String,
    speeds: Vec<NamedSpeed>,
}

/// The speed of one benchmark.
#[derive(Serialize)]
struct NamedSpeed {
    what: String,
    hands: u64,
    seconds: f64,
    hands_per_second: f64,
}

impl NamedSpeed {
    fn new(what: String, speed: Speed) -> NamedSpeed {
        let (seconds, hands_per_second) = (speed.time.as_secs_f64(), speed.per_second());
        NamedSpeed { what, hands: speed.hands, seconds, hands_per_second }
    }
}

impl Report for Speeds {
    const SCHEMA: &'static str = "cardroom-bench/1";
}

impl fmt::Display for Speeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.speeds.iter().map(|speed| {
            let rate = whole(speed.hands_per_second.round() as u64);
            [speed.what.clone(), rate, "hands/s".to_owned()]
        });
        writeln!(f, "{}", Table::from_rows(rows).right(1..2).at_the_margin())
    }
}

fn measure(
    def: &Arc<GameDef>,
    agents: &[String],
    time: Duration,
) -> Result<Vec<NamedSpeed>, Failure> {
    let registry = matches::external::registry();
    let choices =
        agents.iter().map(|name| registry.resolve(name)).collect::<Result<Vec<_>, _>>()?;
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::input(anyhow::anyhow!("no temporary folder: {error}")))?;
    let mut speeds =
        vec![NamedSpeed::new("rules, random legal actions".to_owned(), speed::rules(def, 1, time))];
    let names = agents.join(" ");
    for (level, records) in [
        (Level::Nothing, "no records"),
        (Level::Hands, "ledger and ACPC log"),
        (Level::Decisions, "ledger, ACPC log and decisions"),
    ] {
        let speed = speed::matches(def, &choices, level, folder.path(), time)?;
        speeds.push(NamedSpeed::new(format!("match {names}, {records}"), speed));
    }
    Ok(speeds)
}
