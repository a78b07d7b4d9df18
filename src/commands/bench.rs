//! `cardroom bench`: benchmarks of this machine's playing speed.

use std::sync::Arc;
use std::time::Duration;

use evaluation::speed::{self, Speed};
use game::GameDef;
use matches::runner::Level;
use protocol::acpc::gamedef::Reading;
use serde_json::json;
use show::Table;
use show::number::whole;

use crate::config::units::Time;
use crate::exit::Failure;
use crate::match_options::DEFAULT_GAME;
use crate::output::{Output, Shown};

/// Measure this machine's speed: the rules, matches without records, matches with records.
///
/// Everything runs on one thread. `cardroom agents bench` measures agents.
#[derive(clap::Args)]
pub struct Args {
    /// The agents that play the matches
    #[arg(value_name = "AGENT", default_values = ["call", "random"])]
    agents: Vec<String>,
    /// The game: a built-in name, or the path of an ACPC game definition
    #[arg(long, value_name = "GAME", default_value = DEFAULT_GAME)]
    game: String,
    /// Minimum time for each measurement
    #[arg(long, value_name = "TIME", default_value = "2s")]
    time: Time,
    /// Print one JSON document instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs the command: runs the benchmarks and prints the results.
pub fn run(args: Args) -> Result<Output, Failure> {
    let Args { agents, game, time: Time(time), json } = args;
    let def = matches::games::load_game(&game, Reading::Strict).map_err(Failure::input)?;
    let speeds = measure(&def, &agents, time)?;
    Output::of(&Speeds { game, speeds }, json)
}

/// The measured speeds at a game.
struct Speeds {
    game: String,
    /// Each benchmark's name, and its speed.
    speeds: Vec<(String, Speed)>,
}

impl Shown for Speeds {
    fn text(&self) -> String {
        let rows = self.speeds.iter().map(|(what, speed)| {
            [what.clone(), whole(speed.per_second().round() as u64), "hands/s".to_owned()]
        });
        format!("{}\n", Table::of(rows).right(1..2).at_the_margin())
    }

    fn document(&self) -> impl serde::Serialize {
        let speeds = self.speeds.iter().map(|(what, speed)| {
            json!({
                "what": what,
                "hands": speed.hands,
                "seconds": speed.time.as_secs_f64(),
                "hands_per_second": speed.per_second(),
            })
        });
        let speeds: Vec<_> = speeds.collect();
        json!({ "schema": "cardroom-bench/1", "game": self.game, "speeds": speeds })
    }
}

fn measure(
    def: &Arc<GameDef>,
    agents: &[String],
    time: Duration,
) -> Result<Vec<(String, Speed)>, Failure> {
    let registry = matches::registry::registry();
    let choices = agents
        .iter()
        .map(|name| registry.resolve(name).map_err(Failure::input))
        .collect::<Result<Vec<_>, _>>()?;
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::input(anyhow::anyhow!("no temporary folder: {error}")))?;
    let mut speeds = vec![("rules, random legal actions".to_owned(), speed::rules(def, 1, time))];
    let names = agents.join(" ");
    for (level, records) in [
        (Level::Nothing, "no records"),
        (Level::Hands, "ledger and ACPC log"),
        (Level::Decisions, "ledger, ACPC log and decisions"),
    ] {
        let speed =
            speed::matches(def, &choices, level, folder.path(), time).map_err(Failure::input)?;
        speeds.push((format!("match {names}, {records}"), speed));
    }
    Ok(speeds)
}
