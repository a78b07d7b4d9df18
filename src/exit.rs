//! How a command ends: the exit codes, and failures that carry one.

use std::fmt;
use std::process::ExitCode;

use game::escape;

/// The exit codes of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The command line cannot be understood.
    Usage = 2,
    /// A configuration, model or other input is bad.
    Input = 3,
    /// The other side is gone; the run can be resumed.
    Gone = 4,
    /// A claim that was to be checked does not hold.
    Claim = 5,
    /// Interrupted; the run can be resumed.
    Interrupted = 130,
}

/// Why a command ended without success.
#[derive(Debug)]
pub struct Failure {
    code: Code,
    error: anyhow::Error,
}

impl Failure {
    /// The command line asks for something that cannot be.
    pub fn usage(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Usage, error: anyhow::anyhow!("{message}") }
    }

    /// Bad input: a file, a configuration, a model.
    pub fn input(error: impl Into<anyhow::Error>) -> Failure {
        Failure { code: Code::Input, error: error.into() }
    }

    /// The other side is gone.
    pub fn gone(error: impl Into<anyhow::Error>) -> Failure {
        Failure { code: Code::Gone, error: error.into() }
    }

    /// A checked claim failed.
    pub fn claim(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Claim, error: anyhow::anyhow!("{message}") }
    }

    /// Interrupted by the user; the message says how to resume.
    pub fn interrupted(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Interrupted, error: anyhow::anyhow!("{message}") }
    }

    /// Whether it was interrupted, and nothing was wrong.
    #[cfg(feature = "queue")]
    pub fn is_interruption(&self) -> bool {
        self.code == Code::Interrupted
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code as u8)
    }
}

impl From<anyhow::Error> for Failure {
    /// What is not said to be anything else is bad input.
    fn from(error: anyhow::Error) -> Failure {
        Failure::input(error)
    }
}

impl fmt::Display for Failure {
    /// One line: the error and those of its causes that it does not tell itself, safe to show.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.error.to_string();
        for cause in self.error.chain().skip(1).map(ToString::to_string) {
            if !line.contains(&cause) {
                line.push_str(": ");
                line.push_str(&cause);
            }
        }
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        // Whatever a server, a peer or a file has said, in an error that tells it as it is.
        f.write_str(&escape::visible(&line))
    }
}
