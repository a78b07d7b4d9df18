//! `cardroom config`: shows and checks the configuration without running anything.

use serde_json::json;

use crate::config::{Loaded, check};
use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::resolve_names::Named;

/// Check the configuration, or show every value and where it comes from.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Read the configuration and check its agents and games.
    Check(Named),
    /// Print every value and where it comes from; secrets are not shown.
    Show {
        #[command(flatten)]
        named: Named,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub fn run(args: Args) -> Result<Output, Failure> {
    match args.command {
        Command::Check(named) => {
            let loaded = named.load()?;
            let setup = check::check(&loaded).map_err(Failure::input)?;
            let source = loaded
                .file
                .as_ref()
                .map_or("the defaults".to_owned(), |path| path.display().to_string());
            Ok(Output::from(format!(
                "{source}: {} tables, {} outside dealers, {} agents: all can be used\n",
                setup.tables.len(),
                setup.dealers.len(),
                loaded.config.agents.len(),
            )))
        }
        Command::Show { named, json } => Output::of(&named.load()?, json),
    }
}

/// Every value with where it comes from.
impl Shown for Loaded {
    fn text(&self) -> String {
        let values = self.values();
        let key_width = values.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let value_width = values.iter().map(|(_, value)| value.len()).max().unwrap_or(0).min(40);
        let line = |(key, value): &(String, String)| {
            format!("{key:key_width$} = {value:value_width$}  # {}\n", self.origin(key))
        };
        values.iter().map(line).collect()
    }

    fn document(&self) -> impl serde::Serialize {
        let value = |(key, value): (String, String)| {
            let origin = self.origin(&key).to_string();
            (key, json!({ "value": value, "origin": origin }))
        };
        let values: serde_json::Map<_, _> = self.values().into_iter().map(value).collect();
        json!({ "schema": "cardroom-config/1", "values": values })
    }
}
