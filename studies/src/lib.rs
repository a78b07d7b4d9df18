//! Reproductions of published systems, one module for each.
//!
//! A study is a list of [`Step`]s, each a `cardroom` command or the copy of a file, with its
//! results in the study's folder. When all are done the module reads the results, compares them
//! with the published ones and reports what reproduces. The command line runs the steps; nothing
//! here runs anything.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use logs::Shard;

mod claim;
mod page;
mod picture;
mod read;
pub mod record;
mod render;
mod sections;
mod shard;
pub mod study_000;
pub mod study_001;
pub mod study_002;
pub mod study_003;
pub mod study_004;

pub use read::ReadError;
pub use shard::{independent, shard_steps};

use page::{Frame, page};
use record::Record;
use sections::Section;

/// The options of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The study's folder; the commands name it as given.
    pub folder: PathBuf,
    /// The scale as a share of the full size, above 0 and at most 1.
    pub scale: f64,
    /// Whether the built-in models are used instead of training all.
    pub shipped: bool,
    /// A file of `cardroom train cfr` to use as the teacher instead of training one.
    pub teacher: Option<PathBuf>,
    /// The only part to do; `None` for the whole study.
    pub only: Option<StudySection>,
    /// An additional network among the students.
    pub network: Option<Network>,
    /// Runs of students against Slumbot.
    pub slumbot: Vec<SlumbotRun>,
    /// The `--device` that networks are trained on; `None` for the processor.
    pub device: Option<&'static str>,
    /// The shard whose steps are done, without the report; `None` for all steps.
    pub shard: Option<Shard>,
}

impl Options {
    /// The whole study at full size, with everything trained.
    pub fn new(folder: PathBuf) -> Options {
        Options {
            folder,
            scale: 1.0,
            shipped: false,
            teacher: None,
            only: None,
            network: None,
            slumbot: Vec::new(),
            device: None,
            shard: None,
        }
    }

    /// Whether it is smaller than the study: then its figures decide nothing about the claims.
    pub(crate) fn is_trial(&self) -> bool {
        self.scale < 1.0
    }

    /// The scale, for the head of a report.
    pub(crate) fn scale_in_words(&self) -> String {
        let trial = if self.is_trial() { ": a trial, whose figures judge no claim" } else { "" };
        format!("The scale is {}{trial}.", self.scale)
    }
}

/// A part of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudySection {
    /// Training and matches of trees of several depths.
    Depths,
}

/// The hidden layers of a network, all of one width: `7x512`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    layers: u16,
    units: u16,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let number = |text: &str| text.parse::<u16>().ok().filter(|&number| number > 0);
        let network = text.split_once('x').and_then(|(layers, units)| {
            Some(Network { layers: number(layers)?, units: number(units)? })
        });
        network.ok_or_else(|| "write hidden layers and the units of each, as in 7x512".to_owned())
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.layers, self.units)
    }
}

/// A run of `cardroom play slumbot`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlumbotRun {
    /// The student's kind.
    pub kind: String,
    /// The run's folder.
    pub folder: PathBuf,
    /// The server, if it was not slumbot.com.
    pub server: Option<String>,
}

/// The reproduction of a published system.
#[derive(Clone, Copy)]
pub struct Study {
    /// The study's number, which is its name.
    pub number: &'static str,
    /// A short description of the published system.
    pub title: &'static str,
    /// Whether it trains students of a blueprint; other studies use only the folder and the scale
    /// of [`Options`].
    pub students: bool,
    /// Whether it trains networks, which can be done on a GPU.
    pub networks: bool,
    /// Makes the steps, in order.
    pub steps: fn(&Options) -> Vec<Step>,
    /// Makes the report from the results in the folder, once all steps are done.
    pub report: fn(&Options, &record::Record) -> Result<Report, ReadError>,
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Study").field("number", &self.number).finish_non_exhaustive()
    }
}

/// All studies.
pub const STUDIES: [Study; 5] =
    [study_000::STUDY, study_001::STUDY, study_002::STUDY, study_003::STUDY, study_004::STUDY];

/// A step of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// A short title, different for every step of a study.
    pub title: String,
    /// The command or the copy that it performs.
    pub action: Action,
}

/// The action of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Runs `cardroom` with these arguments.
    Command {
        /// The command line after the program's name.
        arguments: Vec<String>,
        /// The file that its output is written to.
        prints: Option<PathBuf>,
        /// A folder that it makes completely or not at all, and refuses to overwrite.
        makes: Option<PathBuf>,
    },
    /// Copies a file, completely or not at all.
    Copy {
        /// The file to copy.
        from: PathBuf,
        /// The path of the copy.
        to: PathBuf,
    },
}

/// The report of a study.
#[derive(Debug, Clone)]
pub struct Report {
    /// The report for a terminal.
    pub text: String,
    /// The report as JSON.
    pub document: serde_json::Value,
    /// Files for the study's folder, by name: tables, pictures and the page.
    pub files: Vec<(&'static str, String)>,
}

impl Report {
    /// Makes a report of these sections: for a terminal, as Markdown and as a page. `files` are
    /// further tables, `pictures` the names of the sections' pictures that also become files.
    fn new(
        frame: &Frame<'_>,
        record: &Record,
        sections: &[Section],
        mut files: Vec<(&'static str, String)>,
        pictures: &[&'static str],
        document: serde_json::Value,
    ) -> Result<Report, ReadError> {
        files.push(("tables.md", render::markdown(sections)));
        files.push(("report.html", page(frame, record, sections)?));
        for &name in pictures {
            let mut all = sections.iter().flat_map(|section| &section.pictures);
            let own = all.find(|picture| picture.file == name);
            files.extend(own.map(|picture| (name, picture.svg.clone())));
        }
        Ok(Report { text: render::text(sections), document, files })
    }
}

impl Step {
    /// A step that runs a command; `words` are split at spaces, so arguments with spaces are added
    /// by `with`.
    fn command(title: impl Into<String>, words: &str) -> Step {
        let arguments = words.split_whitespace().map(str::to_owned).collect();
        let action = Action::Command { arguments, prints: None, makes: None };
        Step { title: title.into(), action }
    }

    /// Adds arguments.
    fn with<const N: usize>(mut self, more: [&str; N]) -> Step {
        if let Action::Command { arguments, .. } = &mut self.action {
            arguments.extend(more.map(str::to_owned));
        }
        self
    }

    /// Adds the device that a network is trained on, if one was chosen.
    fn on(self, device: Option<&'static str>) -> Step {
        match device {
            Some(device) => self.with(["--device", device]),
            None => self,
        }
    }

    /// Sets the file that the output is written to.
    fn prints_into(mut self, path: &Path) -> Step {
        if let Action::Command { prints, .. } = &mut self.action {
            *prints = Some(path.to_owned());
        }
        self
    }

    /// Sets the folder that the command makes.
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
