//! `cardroom config`: shows and checks the configuration without running anything.

use std::fmt::Write;
use std::path::PathBuf;

use crate::config::{Loaded, check, variables};
use crate::exit::Failure;

/// Check the configuration, or show every value and where it comes from.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Read the configuration and check its agents and games.
    Check(FileArgs),
    /// Print every value and where it comes from; secrets are not shown.
    Show {
        #[command(flatten)]
        file: FileArgs,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct FileArgs {
    /// The configuration file [default: ./cardroom.toml if there is one]
    #[arg(long, value_name = "FILE", env = "CARDROOM_CONFIG")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Check(file) => {
            let loaded = load(&file)?;
            let setup = check::check(&loaded).map_err(Failure::input)?;
            let source = loaded
                .file
                .as_ref()
                .map_or("the defaults".to_owned(), |path| path.display().to_string());
            crate::output::print(&format!(
                "{source}: {} tables, {} outside dealers, {} agents: all can be used\n",
                setup.tables.len(),
                setup.dealers.len(),
                loaded.config.agents.len(),
            ))
        }
        Command::Show { file, json } => {
            let loaded = load(&file)?;
            let text = if json { as_json(&loaded) } else { as_text(&loaded) };
            crate::output::print(&text)
        }
    }
}

fn load(file: &FileArgs) -> Result<Loaded, Failure> {
    Loaded::load(file.config.as_deref(), variables(), &[]).map_err(Failure::input)
}

fn as_text(loaded: &Loaded) -> String {
    let values = loaded.values();
    let key_width = values.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let value_width = values.iter().map(|(_, value)| value.len()).max().unwrap_or(0).min(40);
    values.iter().fold(String::new(), |mut text, (key, value)| {
        // Writing to a string cannot fail.
        let place = loaded.origin(key);
        let _ = writeln!(text, "{key:key_width$} = {value:value_width$}  # {place}");
        text
    })
}

fn as_json(loaded: &Loaded) -> String {
    let values: serde_json::Map<String, serde_json::Value> = loaded
        .values()
        .into_iter()
        .map(|(key, value)| {
            let origin = loaded.origin(&key).to_string();
            (key, serde_json::json!({ "value": value, "origin": origin }))
        })
        .collect();
    format!("{:#}\n", serde_json::json!({ "schema": "cardroom-config/1", "values": values }))
}
