//! Why something on a socket cannot be begun, or ends early: one error for the whole crate.
//!
//! The message names the thing, the place and the remedy. Callers see whose fault it is, by which
//! they choose an exit code, and nothing else.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;

use agents::AgentError;
use logs::LedgerError;

/// An error of a dealer, a table, a player, a client or a host.
#[derive(Debug)]
pub struct Error {
    fault: Fault,
    text: String,
    /// The error that this one passes on.
    passed_on: Option<Box<dyn StdError + Send + Sync>>,
}

/// Whose fault an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// That of the settings, the files or the system here.
    Here,
    /// The other side or the network fails: what was begun can be resumed or begun again.
    Gone,
    /// The other side contradicts itself or the rules.
    Contradiction,
    /// The other side does not behave as its protocol demands, again and again.
    Useless,
    /// A competition entry does not work.
    Entry,
    /// A signal ended it.
    Interrupted,
}

impl Error {
    fn new(fault: Fault, text: impl fmt::Display) -> Error {
        Error { fault, text: text.to_string(), passed_on: None }
    }

    /// Something here is wrong.
    pub(crate) fn here(text: impl fmt::Display) -> Error {
        Error::new(Fault::Here, text)
    }

    /// A file or folder cannot be used.
    pub(crate) fn file(path: &Path, reason: &io::Error) -> Error {
        Error::here(format!("{}: {reason}", path.display()))
    }

    /// The other side or the network fails.
    pub(crate) fn gone(text: impl fmt::Display) -> Error {
        Error::new(Fault::Gone, text)
    }

    /// The other side contradicts itself or the rules.
    pub(crate) fn contradiction(text: impl fmt::Display) -> Error {
        Error::new(Fault::Contradiction, text)
    }

    /// The other side does not behave as its protocol demands, again and again.
    pub(crate) fn useless(text: impl fmt::Display) -> Error {
        Error::new(Fault::Useless, text)
    }

    /// A competition entry does not work.
    pub(crate) fn entry(folder: &Path, reason: impl fmt::Display) -> Error {
        let folder = folder.display();
        Error::new(Fault::Entry, format!("the entry in {folder} does not work: {reason}"))
    }

    /// A signal ended it.
    pub(crate) fn interrupted(text: impl fmt::Display) -> Error {
        Error::new(Fault::Interrupted, text)
    }

    fn pass_on(error: impl StdError + Send + Sync + 'static) -> Error {
        Error { passed_on: Some(Box::new(error)), ..Error::here("") }
    }

    /// Whether the other side or the network is at fault, so that it can be resumed later.
    pub fn is_gone(&self) -> bool {
        self.fault == Fault::Gone
    }

    /// Whether the other side contradicts itself or the rules, or does not behave as it should.
    pub fn is_server_fault(&self) -> bool {
        matches!(self.fault, Fault::Contradiction | Fault::Useless)
    }

    /// Whether further requests are useless until the other side has changed.
    pub fn is_useless(&self) -> bool {
        self.fault == Fault::Useless
    }

    /// Whether a competition entry does not work.
    pub fn is_failed_entry(&self) -> bool {
        self.fault == Fault::Entry
    }

    /// Whether a signal ended it.
    pub fn is_interruption(&self) -> bool {
        self.fault == Fault::Interrupted
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.passed_on {
            Some(error) => error.fmt(f),
            None => f.write_str(&self.text),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.passed_on.as_ref().and_then(|error| error.source())
    }
}

impl From<AgentError> for Error {
    fn from(error: AgentError) -> Error {
        Error::pass_on(error)
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Error {
        Error::pass_on(error)
    }
}

impl From<matches::Error> for Error {
    fn from(error: matches::Error) -> Error {
        Error::pass_on(error)
    }
}
