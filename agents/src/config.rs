//! An agent as configured: its kind and the options given to it.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use show::nearest;

use crate::AgentError;
use crate::registry::AgentSpec;

/// A kind of agent with options: a table `[agents.NAME]` of a configuration file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentConfig {
    /// The name of a kind in the registry.
    pub kind: String,
    /// All other keys of the table. Which keys are allowed depends on the kind.
    #[serde(flatten)]
    pub options: toml::Table,
    /// The base folder of relative paths in the options: the configuration file's folder, or empty
    /// for the current one. Not part of the table.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl AgentConfig {
    /// Creates a configuration of this kind with all options at their defaults.
    pub fn new(kind: &str) -> AgentConfig {
        AgentConfig { kind: kind.to_owned(), options: toml::Table::new(), folder: PathBuf::new() }
    }

    /// Parses `KIND:ARGUMENT`.
    ///
    /// For kinds with a principal option the whole argument is that option's value. For others it
    /// is a list of `OPTION=VALUE` pairs separated by commas. Values are parsed as TOML if
    /// possible, and as plain text otherwise. A comma between double quotes does not end a value.
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

    /// Deserializes the options to the kind's own type, rejecting unknown keys by name.
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

/// Splits at commas that are not between double quotes.
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

/// The options of kinds without options.
#[derive(Deserialize)]
pub(crate) struct NoOptions {}
