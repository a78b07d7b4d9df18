//! `cardroom games`: the built-in games.

use game::Betting;
use matches::games::load_game;
use protocol::acpc;
use protocol::acpc::gamedef::Reading;
use serde_json::json;
use show::number::plural;

use crate::exit::Failure;
use crate::output;
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
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        return output::print(built_in(name)?.text);
    }
    let games = acpc::games().iter().map(|game| {
        let def = load_game(game.name, Reading::Strict).map_err(Failure::input)?;
        let betting = match def.betting {
            Betting::Limit => "limit",
            Betting::NoLimit => "no-limit",
        };
        Ok((game.name, def.players, betting, def.streets))
    });
    let games = games.collect::<Result<Vec<_>, Failure>>()?;
    if args.json {
        let games = games.iter().map(|(name, players, betting, streets)| {
            json!({ "name": name, "players": players, "betting": betting, "streets": streets })
        });
        let games: Vec<serde_json::Value> = games.collect();
        let document = json!({ "schema": "cardroom-games/1", "games": games });
        return output::print(&format!("{document:#}\n"));
    }
    let width = games.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, players, betting, streets) in games {
        let noun = plural(streets as u64, "street");
        text.push_str(&format!(
            "{name:<width$}  {players:>2} players  {betting:<8}  {streets} {noun}\n"
        ));
    }
    output::print(&text)
}
