//! Arguments that several commands share: which options were given, and the refusal of those
//! without effect; the number of threads; and stacks, as `10`, `5..20`, or a list of these.

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Once;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};
use show::number::plural;

use crate::exit::Failure;

/// Options that every command takes; a command that uses one has it as a field with
/// `#[arg(from_global)]`.
#[derive(clap::Args)]
pub(crate) struct Everywhere {
    /// The configuration file, whose agents can be named [default: $CARDROOM_CONFIG, or
    /// ./cardroom.toml if there is one]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    json: bool,
    /// No progress display
    #[arg(long, short, global = true)]
    quiet: bool,
}

/// The names of these options.
const EVERYWHERE: [&str; 3] = ["config", "json", "quiet"];

/// A command's own options that were given, not set by default. The first field of a command's
/// arguments, with `#[command(flatten)]`: the fields after it take their values away.
pub(crate) struct Given(Vec<String>);

impl Given {
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
                && !EVERYWHERE.contains(id)
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

/// The option of commands that share their work out.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Threads {
    /// Threads, at most 1024 [default: one per processor; more are not used]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    pub(crate) fn count(&self) -> usize {
        threads(self.threads)
    }

    /// A thread pool of the given size.
    pub(crate) fn pool(&self) -> Result<parallel::Pool, Failure> {
        pool(self.count())
    }
}

/// A thread pool with this many threads.
pub(crate) fn pool(threads: usize) -> Result<parallel::Pool, Failure> {
    parallel::Pool::new(threads)
        .map_err(|error| Failure::input(anyhow::anyhow!("cannot start threads: {error}")))
}

/// The number of threads: one for each processor, unless fewer are asked for. More would only
/// compete for memory, which is reported once.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let processors = parallel::processors();
    let asked = asked.map_or(processors, usize::from);
    if asked > processors {
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            let threads = plural(processors as u64, "thread");
            // Nothing can be done when stderr is closed.
            let _ = writeln!(
                std::io::stderr(),
                "running on {processors} {threads}, one for each processor; {asked} would not be \
                 faster"
            );
        });
    }
    asked.min(processors)
}

/// Distinct stacks in big blinds, in increasing order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stacks(Vec<f64>);

/// The most stacks that may be given.
const MAX_STACKS: usize = 1000;

impl Stacks {
    /// The stacks, checked.
    ///
    /// # Errors
    /// When one is below 1 or not a number.
    pub(crate) fn checked(&self) -> Result<&[f64], Failure> {
        match self.0.iter().find(|stack| !stack.is_finite() || **stack < 1.0) {
            Some(stack) => {
                Err(Failure::input(anyhow::anyhow!("--stack: {stack} big blinds; give 1 or more")))
            }
            None => Ok(&self.0),
        }
    }
}

impl FromStr for Stacks {
    type Err = String;

    fn from_str(text: &str) -> Result<Stacks, String> {
        let wrong = || {
            format!(
                "write stacks in big blinds from 1 on, at most {MAX_STACKS}, \
                 as in 10, 5..20 or 2.5,7"
            )
        };
        let one = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let mut stacks = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                None => stacks.push(one(part)?),
                Some((from, to)) => {
                    let (from, to) = (one(from)?, one(to)?);
                    if !(from..=from + MAX_STACKS as f64).contains(&to) {
                        return Err(wrong());
                    }
                    stacks.extend((0..=(to - from) as usize).map(|more| from + more as f64));
                }
            }
        }
        stacks.sort_by(f64::total_cmp);
        stacks.dedup();
        if stacks.len() > MAX_STACKS { Err(wrong()) } else { Ok(Stacks(stacks)) }
    }
}

#[cfg(test)]
mod tests {
    use super::Stacks;

    #[test]
    fn stacks_are_read_in_order_and_what_is_none_is_refused() {
        let read = |text: &str| text.parse::<Stacks>().map(|Stacks(stacks)| stacks);
        assert_eq!(read("7,5..6.5,2.5, 7"), Ok(vec![2.5, 5.0, 6.0, 7.0]));
        for text in ["", "ten", "9..5", "1..1e9", "5..", "5,,6", "1..nan", "nan..5"] {
            assert!(read(text).is_err(), "{text}");
        }
        for text in ["0.5", "nan", "inf", "-3", "0..4"] {
            let stacks = text.parse::<Stacks>().expect(text);
            assert!(stacks.checked().is_err(), "{text}");
        }
    }
}
