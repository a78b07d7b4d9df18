//! Which options were given on the command line, and the refusal of those without effect.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

use crate::exit::Failure;

/// The options that were given, not set by default. The first field of a command's arguments, with
/// `#[command(flatten)]`: the fields after it take their values away.
pub(crate) struct Given(Vec<String>);

impl Given {
    /// Whether an option was given, by the name of its field.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.0.iter().any(|given| given == field)
    }

    /// Refuses options that have no effect here; `why` says where they have.
    pub(crate) fn refuse(&self, fields: &[&str], why: &str) -> Result<(), Failure> {
        self.refuse_where(|given| fields.contains(&given), why)
    }

    /// Refuses all options but these.
    pub(crate) fn allow_only(&self, fields: &[&str], why: &str) -> Result<(), Failure> {
        self.refuse_where(|given| !fields.contains(&given), why)
    }

    fn refuse_where(&self, wrong: impl Fn(&str) -> bool, why: &str) -> Result<(), Failure> {
        match self.0.iter().find(|given| wrong(given)) {
            Some(field) => {
                Err(Failure::usage(format!("--{} has no effect: {why}", field.replace('_', "-"))))
            }
            None => Ok(()),
        }
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given, clap::Error> {
        // Groups have the names of types.
        let options = matches.ids().map(clap::Id::as_str).filter(|id| {
            id.starts_with(char::is_lowercase)
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        });
        Ok(Given(options.map(str::to_owned).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}
