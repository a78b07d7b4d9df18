//! Exit codes, and failures that carry one.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use game::escape;

/// The exit codes of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The command line is invalid.
    Usage = 2,
    /// A configuration, model or other input is invalid.
    Input = 3,
    /// The other side cannot be reached; the run can be resumed.
    Gone = 4,
    /// A checked claim does not hold.
    Claim = 5,
    /// Interrupted; the run can be resumed.
    Interrupted = 130,
}

impl Code {
    /// What a process's exit code says, in words.
    pub fn words(code: i32) -> &'static str {
        match code {
            code if code == Code::Usage as i32 => "the command line is invalid",
            code if code == Code::Input as i32 => "an input is invalid",
            code if code == Code::Gone as i32 => "the other side cannot be reached",
            code if code == Code::Claim as i32 => "what was checked does not hold",
            code if code == Code::Interrupted as i32 => "it was interrupted",
            _ => "it ended in a way that it should not",
        }
    }
}

/// A command's error with its exit code.
#[derive(Debug)]
pub struct Failure {
    code: Code,
    error: anyhow::Error,
}

impl Failure {
    /// The command line is invalid.
    pub fn usage(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Usage, error: anyhow::anyhow!("{message}") }
    }

    /// An input is invalid: a file, a configuration, a model.
    pub fn input(error: impl Into<anyhow::Error>) -> Failure {
        Failure { code: Code::Input, error: error.into() }
    }

    /// A file cannot be read or written, or its content is invalid.
    pub fn file(path: &Path, error: impl fmt::Display) -> Failure {
        Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
    }

    /// The other side cannot be reached.
    pub fn gone(error: impl Into<anyhow::Error>) -> Failure {
        Failure { code: Code::Gone, error: error.into() }
    }

    /// A checked claim does not hold.
    pub fn claim(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Claim, error: anyhow::anyhow!("{message}") }
    }

    /// Interrupted by the user; the message says how to resume.
    pub fn interrupted(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Interrupted, error: anyhow::anyhow!("{message}") }
    }

    /// Whether it is an interruption rather than an error.
    pub fn is_interruption(&self) -> bool {
        self.code == Code::Interrupted
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code as u8)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    /// Errors without a code of their own count as bad input; a queue's temporary errors have
    /// another code than those that must be fixed.
    fn from(error: E) -> Failure {
        let error = error.into();
        match error.downcast_ref::<queue::Error>() {
            Some(queue) if queue.is_passing() => Failure::gone(error),
            _ => Failure::input(error),
        }
    }
}

impl fmt::Display for Failure {
    /// One line: the error and those of its causes that it does not repeat, with control characters
    /// escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.error.to_string();
        for cause in self.error.chain().skip(1).map(ToString::to_string) {
            if !line.contains(&cause) {
                line.push_str(": ");
                line.push_str(&cause);
            }
        }
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        // Errors may quote a server, a peer or a file.
        f.write_str(&escape::visible(&line))
    }
}
