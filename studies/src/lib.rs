//! Published systems, reproduced: one module for each.
//!
//! A study is a list of [`Step`]s, each a `cardroom` command that anybody may type, whose results stay in the
//! study's folder. When all are done the module reads these results, sets them beside the published ones and says
//! what reproduces. The command line performs the steps; nothing here runs anything.

use std::path::{Path, PathBuf};

mod picture;
mod read;
pub mod record;
pub mod study_000;

pub use read::ReadError;

/// How a study is done.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where everything goes; the commands name it as it is given.
    pub folder: PathBuf,
    /// How much of the full size, above 0 and at most 1.
    pub scale: f64,
    /// Whether the models inside the program are taken, instead of making all from nothing.
    pub shipped: bool,
}

/// A published system that is reproduced.
#[derive(Clone, Copy)]
pub struct Study {
    /// Its number, which is its name.
    pub number: &'static str,
    /// What it is of.
    pub title: &'static str,
    /// The steps, in order.
    pub steps: fn(&Options) -> Vec<Step>,
    /// What came of it: read from the folder once all steps are done.
    pub report: fn(&Options, &record::Record) -> Result<Report, ReadError>,
}

impl std::fmt::Debug for Study {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Study").field("number", &self.number).finish_non_exhaustive()
    }
}

/// Every study.
pub const STUDIES: [Study; 1] = [study_000::STUDY];

/// One step of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it is, in a few words; no two steps of a study have the same.
    pub title: String,
    /// What is done.
    pub action: Action,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Runs `cardroom` with these arguments.
    Command {
        /// The arguments.
        arguments: Vec<String>,
        /// Where what it prints is kept.
        prints: Option<PathBuf>,
        /// A folder that it makes whole or not at all, and refuses to make again.
        makes: Option<PathBuf>,
    },
    /// Copies a file, whole or not at all.
    Copy {
        /// The file.
        from: PathBuf,
        /// Its copy.
        to: PathBuf,
    },
}

/// What came of a study.
#[derive(Debug, Clone)]
pub struct Report {
    /// The result, for a terminal.
    pub text: String,
    /// The same as a document.
    pub document: serde_json::Value,
    /// Files for the study's folder, by name: tables, pictures, the page.
    pub files: Vec<(&'static str, String)>,
}

impl Step {
    /// A command; `words` are split at spaces, so names with spaces go into `more`.
    fn command(title: impl Into<String>, words: &str) -> Step {
        let arguments = words.split_whitespace().map(str::to_owned).collect();
        let action = Action::Command { arguments, prints: None, makes: None };
        Step { title: title.into(), action }
    }

    /// With these arguments, too.
    fn with<const N: usize>(mut self, more: [&str; N]) -> Step {
        if let Action::Command { arguments, .. } = &mut self.action {
            arguments.extend(more.map(str::to_owned));
        }
        self
    }

    /// What it prints is kept.
    fn prints_into(mut self, path: &Path) -> Step {
        if let Action::Command { prints, .. } = &mut self.action {
            *prints = Some(path.to_owned());
        }
        self
    }

    /// It makes a folder.
    fn makes(mut self, path: &Path) -> Step {
        if let Action::Command { makes, .. } = &mut self.action {
            *makes = Some(path.to_owned());
        }
        self
    }
}

/// A path as an argument.
fn argument(path: &Path) -> String {
    path.display().to_string()
}
