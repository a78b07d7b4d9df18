//! Published systems, reproduced: one module for each.
//!
//! A study is a list of [`Step`]s, each a `cardroom` command that anybody may type, whose results
//! stay in the study's folder. When all are done the module reads these results, sets them beside
//! the published ones and says what reproduces. The command line performs the steps; nothing here
//! runs anything.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use logs::Shard;

mod claim;
mod page;
mod part;
mod picture;
mod read;
pub mod record;
mod render;
mod sections;
pub mod study_000;
pub mod study_001;
pub mod study_002;
pub mod study_003;
pub mod study_004;

pub use part::{independent, part};
pub use read::ReadError;

use page::{Frame, page};
use record::Record;
use sections::Section;

/// How a study is done.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where everything goes; the commands name it as it is given.
    pub folder: PathBuf,
    /// How much of the full size, above 0 and at most 1.
    pub scale: f64,
    /// Whether the models inside the program are taken, instead of making all from nothing.
    pub shipped: bool,
    /// A file of `cardroom train cfr` that is taken as the teacher, instead of training one.
    pub teacher: Option<PathBuf>,
    /// Only this part.
    pub only: Option<Part>,
    /// A further network among the students.
    pub network: Option<Network>,
    /// What students have done against Slumbot.
    pub slumbot: Vec<SlumbotRun>,
    /// Only the steps of this part, without the report.
    pub shard: Option<Shard>,
}

impl Options {
    /// The whole study at full size, from nothing.
    pub fn new(folder: PathBuf) -> Options {
        let (teacher, only, network, slumbot, shard) = (None, None, None, Vec::new(), None);
        Options { folder, scale: 1.0, shipped: false, teacher, only, network, slumbot, shard }
    }
}

/// A part of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Trees of several depths, taught and played.
    Depths,
}

/// Hidden layers, all of one width: `7x512`.
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
    /// The server, where it was another one than slumbot.com.
    pub server: Option<String>,
}

/// A published system that is reproduced.
#[derive(Clone, Copy)]
pub struct Study {
    /// Its number, which is its name.
    pub number: &'static str,
    /// What it is of.
    pub title: &'static str,
    /// Whether it teaches students of a blueprint; no other study takes any of [`Options`] but the
    /// folder and the scale.
    pub students: bool,
    /// The steps, in order.
    pub steps: fn(&Options) -> Vec<Step>,
    /// What came of it: read from the folder once all steps are done.
    pub report: fn(&Options, &record::Record) -> Result<Report, ReadError>,
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Study").field("number", &self.number).finish_non_exhaustive()
    }
}

/// Every study.
pub const STUDIES: [Study; 5] =
    [study_000::STUDY, study_001::STUDY, study_002::STUDY, study_003::STUDY, study_004::STUDY];

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

impl Report {
    /// A report of these sections: for a terminal, as Markdown, as a page, and beside them tables
    /// and those pictures of the sections that are files of their own.
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
