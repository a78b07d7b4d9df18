//! `cardroom games`: the built-in games.

use game::Betting;
use matches::games::load_game;
use protocol::acpc;
use protocol::acpc::gamedef::Reading;
use serde_json::json;
use show::Table;
use show::number::counted;

use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::resolve_names::built_in;

/// List the built-in games, or print the definition of one.
#[derive(clap::Args)]
pub struct Args {
    /// Print the definition of this game, in the ACPC format
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print the list as JSON
    #[arg(long, conflicts_with = "name")]
    json: bool,
}

/// Runs the command: prints the list or a definition.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if let Some(name) = &args.name {
        return Ok(Output::from(built_in(name)?.text.to_owned()));
    }
    let games = acpc::games().iter().map(|game| {
        let def = load_game(game.name, Reading::Strict).map_err(Failure::input)?;
        let betting = match def.betting {
            Betting::Limit => "limit",
            Betting::NoLimit => "no-limit",
        };
        let (name, players, streets) = (game.name, def.players, def.streets);
        Ok(Listed { name, players, betting, streets })
    });
    Output::of(&Games(games.collect::<Result<_, Failure>>()?), args.json)
}

/// The built-in games.
struct Games(Vec<Listed>);

#[derive(serde::Serialize)]
struct Listed {
    name: &'static str,
    players: usize,
    betting: &'static str,
    streets: usize,
}

impl Shown for Games {
    fn text(&self) -> String {
        let rows = self.0.iter().map(|Listed { name, players, betting, streets }| {
            let streets = counted(*streets as u64, "street");
            [(*name).to_owned(), format!("{players} players"), (*betting).to_owned(), streets]
        });
        format!("{}\n", Table::of(rows).right(1..2).at_the_margin())
    }

    fn document(&self) -> impl serde::Serialize {
        json!({ "schema": "cardroom-games/1", "games": self.0 })
    }
}
