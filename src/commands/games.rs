//! `cardroom games`: the built-in games.

use game::Betting;
use protocol::acpc;

use crate::exit::Failure;
use crate::named::built_in;
use crate::report;

/// List the built-in games, or print the definition of one.
#[derive(clap::Args)]
pub struct Args {
    /// The game whose definition is to be printed, in the ACPC format
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Prints the list or the definition.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        return report::out(built_in(name)?.text);
    }
    let width = acpc::games().iter().map(|game| game.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for game in acpc::games() {
        let def = matches::games::load_game(game.name, acpc::gamedef::Reading::Strict)
            .map_err(Failure::input)?;
        let betting = match def.betting {
            Betting::Limit => "limit",
            Betting::NoLimit => "no-limit",
        };
        let plural = if def.streets == 1 { "" } else { "s" };
        text.push_str(&format!(
            "{:<width$}  {:>2} players  {betting:<8}  {} street{plural}\n",
            game.name, def.players, def.streets
        ));
    }
    report::out(&text)
}
