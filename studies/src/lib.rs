//! Reproductions of published systems, each a folder of texts beside `src`.
//!
//! A study is a list of [`Step`]s, each a `cardroom` command or the copy of a file, with its
//! results in the study's folder. When all are done the results are read, compared with the
//! published ones by one rule, and reported. The command line runs the steps; nothing here runs
//! anything.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use runs::{RunError, Shard};

mod claims;
mod data;
pub mod record;
mod report;
mod shard;

pub use shard::{independent, shard_steps};

use data::{Data, data};
use record::Record;

/// What is wrong with a study's folder or results, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

impl Error {
    /// The error for a file or folder.
    fn file(path: &Path, reason: impl fmt::Display) -> Error {
        Error(format!("{}: {reason}", path.display()))
    }

    /// The error for a file that is not the output of its command.
    fn damaged(path: &Path, what: impl fmt::Display) -> Error {
        Error::file(path, format!("{what}; remove the study's folder to start again"))
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Error {
        Error(error.to_string())
    }
}

/// The options of a study.
#[derive(Debug, Clone, PartialEq, Default)]
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
        Options { folder, scale: 1.0, ..Options::default() }
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
#[derive(Debug, Clone, Copy)]
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
    data: &'static Data,
}

impl Study {
    /// The same study with the texts that a folder has (`claims.toml`, `report.md.j2` and so on) in
    /// place of those in the program.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn with_texts(self, folder: &Path) -> Result<Study, Error> {
        Ok(Study { data: self.data.replaced(folder)?, ..self })
    }

    /// Makes the steps, in order.
    ///
    /// # Errors
    /// When a text is not valid.
    pub fn steps(&self, options: &Options) -> Result<Vec<Step>, Error> {
        self.data.steps(options)
    }

    /// Makes the report from the results in the folder, once all steps are done.
    ///
    /// # Errors
    /// When a result is missing or damaged.
    pub fn report(&self, options: &Options, record: &Record) -> Result<Report, Error> {
        self.data.report(options, record)
    }
}

/// The kinds of students of a study that has them.
pub const STUDENTS: [&str; 4] = ["mlp", "xgboost", "oct", "cart"];

/// All studies.
pub const STUDIES: [Study; 5] = [STUDY_000, STUDY_001, STUDY_002, STUDY_003, STUDY_004];

const STUDY_000: Study = Study {
    number: "000",
    title: "Bertsimas and Paskov, World-class interpretable poker: four students of one teacher",
    students: true,
    networks: true,
    data: &data!(
        "000-slumbot-trees",
        "table1.csv",
        "losses.csv",
        "parameters.csv",
        "fidelity.csv",
        "depths.csv",
        "curve.csv"
    ),
};

const STUDY_001: Study = Study {
    number: "001",
    title: "Ganzfried and Yusuf, Computing human-understandable strategies: endgames in words",
    students: false,
    networks: false,
    data: &data!("001-endgames-in-words", "table.csv", "depth.csv", "rules.csv"),
};

const STUDY_002: Study = Study {
    number: "002",
    title: "Shove or fold by a linear value function: seven weights learned by self-play",
    students: false,
    networks: false,
    data: &data!("002-shove-or-fold", "theta.csv", "stacks.csv", "trees.csv"),
};

const STUDY_003: Study = Study {
    number: "003",
    title: "De Mesentier Silva and others, Generating novice heuristics for post-flop poker",
    students: false,
    networks: false,
    data: &data!("003-novice-heuristics", "rules.csv", "searches.csv", "transitivity.csv"),
};

const STUDY_004: Study = Study {
    number: "004",
    title: "Hopner and Loza Mencía, Analysis and optimization of deep counterfactual value \
            networks",
    students: false,
    networks: true,
    data: &data!("004-value-networks", "errors.csv"),
};

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
    pub files: Vec<(String, String)>,
}
