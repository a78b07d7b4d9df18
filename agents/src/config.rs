//! An agent as configured: its kind and the options given to it.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use show::nearest;

use crate::AgentError;
use crate::registry::AgentSpec;

/// A kind of agent with options, as a table `[agents.NAME]` of a configuration file holds them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentConfig {
    /// One of the registry's kinds.
    pub kind: String,
    /// Everything else in the table. Which keys are allowed depends on the kind.
    #[serde(flatten)]
    pub options: toml::Table,
    /// The folder that relative paths in the options start from: that of the configuration file;
    /// empty for the current one. Not part of the table.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl AgentConfig {
    /// This kind with all options at their defaults.
    pub fn new(kind: &str) -> AgentConfig {
        AgentConfig { kind: kind.to_owned(), options: toml::Table::new(), folder: PathBuf::new() }
    }

    /// The configuration that `KIND:ARGUMENT` stands for.
    ///
    /// Kinds with a principal option take the whole argument as its value; others take
    /// `OPTION=VALUE` pairs separated by commas. Values are read as TOML where they can be, and as
    /// plain text otherwise; a comma between double quotes does not end a value.
    pub(crate) fn from_argument(
        spec: &AgentSpec,
        text: &str,
        argument: &str,
        folder: &Path,
    ) -> Result<AgentConfig, AgentError> {
        let mut config = AgentConfig { folder: folder.to_owned(), ..AgentConfig::new(spec.kind) };
        if let Some(option) = spec.argument {
            config.options.insert(option.to_owned(), toml::Value::String(argument.to_owned()));
            return Ok(config);
        }
        for pair in outside_quotes(argument) {
            let (option, value) = pair.split_once('=').ok_or_else(|| AgentError::BadOption {
                agent: text.to_owned(),
                reason: format!("`{pair}` is not of the form OPTION=VALUE"),
            })?;
            config.options.insert(option.trim().to_owned(), parse_value(value.trim()));
        }
        Ok(config)
    }

    /// The options as the kind's own type, with unknown keys refused by name.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        agent: &str,
        spec: &AgentSpec,
    ) -> Result<T, AgentError> {
        for option in self.options.keys() {
            let known = || spec.options.iter().map(|o| o.name);
            if !known().any(|k| k == option) {
                return Err(AgentError::UnknownOption {
                    agent: agent.to_owned(),
                    option: option.clone(),
                    nearest: nearest::nearest(option, known()).map(str::to_owned),
                    known: known().map(str::to_owned).collect(),
                });
            }
        }
        toml::Value::Table(self.options.clone()).try_into().map_err(|error: toml::de::Error| {
            AgentError::BadOption {
                agent: agent.to_owned(),
                reason: error.to_string().trim().replace('\n', ", "),
            }
        })
    }
}

/// The parts between those commas that do not stand between double quotes.
fn outside_quotes(text: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |letter: char| {
        let quote = letter == '"' && !escaped;
        escaped = quoted && letter == '\\' && !escaped;
        quoted ^= quote;
        letter == ',' && !quoted
    })
}

fn parse_value(text: &str) -> toml::Value {
    let table = format!("value = {text}").parse::<toml::Table>();
    let value = table.ok().and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// The options of kinds that have none.
#[derive(Deserialize)]
pub(crate) struct NoOptions {}
