//! `cardroom config`: shows and checks the configuration without running anything.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::config::{Loaded, check};
use crate::exit::Failure;
use crate::output::{Output, Report};
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
        #[arg(from_global)]
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
        Command::Show { named, json } => Output::report(&Settings::new(&named.load()?), json),
    }
}

/// Every value with where it comes from.
#[derive(Serialize)]
struct Settings {
    #[serde(serialize_with = "by_key")]
    values: Vec<(String, Setting)>,
}

#[derive(Serialize)]
struct Setting {
    value: String,
    origin: String,
}

impl Settings {
    fn new(loaded: &Loaded) -> Settings {
        let setting = |(key, value): (String, String)| {
            let origin = loaded.origin(&key).to_string();
            (key, Setting { value, origin })
        };
        Settings { values: loaded.values().into_iter().map(setting).collect() }
    }
}

fn by_key<S: Serializer>(values: &[(String, Setting)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(key, setting)| (key, setting)))
}

impl Report for Settings {
    const SCHEMA: &'static str = "cardroom-config/1";
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = |length: fn(&(String, Setting)) -> usize| {
            self.values.iter().map(length).max().unwrap_or(0)
        };
        let key_width = longest(|(key, _)| key.len());
        let value_width = longest(|(_, setting)| setting.value.len()).min(40);
        for (key, Setting { value, origin }) in &self.values {
            writeln!(f, "{key:key_width$} = {value:value_width$}  # {origin}")?;
        }
        Ok(())
    }
}
