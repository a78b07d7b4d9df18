//! The players, sizes and file names of the study.

use std::path::PathBuf;

use super::published;
use crate::{Options, argument};

/// The students in their published order: kinds of `cardroom train`.
pub const STUDENTS: [&str; 4] = ["mlp", "xgboost", "oct", "cart"];

pub(super) const TEACHER: &str = "teacher";

/// The teacher's iterations at the points of Figure 5; the last is that of the shipped blueprint.
const ITERATIONS: [u64; 6] = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 80_000_000];
const ROWS: f64 = 2e6;

/// Hands of each match of Table 1, with the likeliest action and with sampled actions.
const HANDS: f64 = 4e5;
const SAMPLED: f64 = published::HANDS as f64;
/// Hands of each match with the teacher in [`Step`](crate::Step)s that measure single streets.
const FIDELITY: f64 = 3e5;
/// Hands for each point of Figure 5.
const POINT: f64 = 150_000.0;

/// The tree depths that are compared; the last is the published one.
pub(super) const DEPTHS: [u8; 5] = [4, 6, 8, 10, 15];
const DEPTH_HANDS: f64 = 1e6;

/// The sizes of the study at a scale.
pub(super) struct Sizes {
    pub(super) hands: u64,
    pub(super) sampled: u64,
    pub(super) fidelity: u64,
    pub(super) point: u64,
    pub(super) depth: u64,
    pub(super) rows: u64,
    pub(super) iterations: Vec<u64>,
    /// The rounds, starts and epochs of learners, proportional to the root of the scale, since rows
    /// are proportional to the scale.
    pub(super) rounds: u64,
    pub(super) starts: u64,
    pub(super) epochs: u64,
}

impl Sizes {
    pub(super) fn of(options: &Options) -> Sizes {
        let scale = options.scale;
        let part = |full: f64, least: f64| (full * scale).round().max(least) as u64;
        // Two hands for each deal.
        let hands = |full: f64| part(full / 2.0, 50.0) * 2;
        let mut iterations: Vec<u64> =
            ITERATIONS.iter().map(|&count| part(count as f64, 30_000.0)).collect();
        iterations.dedup();
        let root = |full: f64| (full * scale.sqrt()).ceil() as u64;
        Sizes {
            hands: hands(HANDS),
            sampled: hands(SAMPLED),
            fidelity: hands(FIDELITY),
            point: hands(POINT),
            depth: hands(DEPTH_HANDS),
            rows: part(ROWS, 10_000.0),
            iterations,
            rounds: root(80.0),
            starts: root(16.0),
            epochs: root(24.0),
        }
    }
}

/// The teacher of a student.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A teacher trained for this number of iterations.
    Iterations(u64),
    /// The blueprint inside the program.
    Shipped,
    /// The blueprint given in the options.
    Given,
}

impl Source {
    /// The teacher of all students in the tables.
    pub(super) fn of(options: &Options) -> Source {
        match (&options.teacher, options.shipped) {
            (Some(_), _) => Source::Given,
            (None, true) => Source::Shipped,
            (None, false) => {
                let iterations = Sizes::of(options).iterations;
                Source::Iterations(*iterations.last().expect("there are some"))
            }
        }
    }

    /// A description in words.
    pub(super) fn words(self) -> String {
        match self {
            Source::Iterations(count) => format!("{count} iterations"),
            Source::Shipped => "the blueprint inside the program".to_owned(),
            Source::Given => "the given teacher".to_owned(),
        }
    }
}

/// A player in the tables.
#[derive(Debug, Clone)]
pub(super) struct Player {
    /// The name in the tables.
    pub(super) name: String,
    /// The student's kind; empty for the teacher.
    pub(super) kind: &'static str,
    /// The agent with the likeliest action, and with sampled actions.
    pub(super) agent: String,
    pub(super) sampled: String,
}

/// The students, the best published one first, with an additional network if one is asked for.
pub(super) fn students(options: &Options) -> Vec<Player> {
    let files = Files { options };
    let network = options.network.map(|network| (format!("mlp-{network}"), "mlp", true));
    let usual = STUDENTS.map(|kind| (kind.to_owned(), kind, !options.shipped));
    network
        .into_iter()
        .chain(usual)
        .map(|(name, kind, made)| {
            let (agent, sampled) = match made {
                true => {
                    let agent = format!("{kind}:model={}", argument(&files.student(&name)));
                    let sampled = format!("{agent},play=sample");
                    (agent, sampled)
                }
                false => (kind.to_owned(), format!("{kind}:play=sample")),
            };
            Player { name, kind, agent, sampled }
        })
        .collect()
}

/// All players: the students, then their teacher, which always samples.
pub(super) fn players(options: &Options) -> Vec<Player> {
    let files = Files { options };
    let agent = match files.teacher() {
        Some(blueprint) => format!("cfr:blueprint={}", argument(&blueprint)),
        None => "cfr".to_owned(),
    };
    let teacher = Player { name: TEACHER.to_owned(), kind: "", sampled: agent.clone(), agent };
    students(options).into_iter().chain([teacher]).collect()
}

/// All pairs of indices below `count`, the smaller one first.
pub(super) fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| [one, other]))
}

/// The paths of files in the study's folder.
pub(super) struct Files<'a> {
    pub(super) options: &'a Options,
}

impl Files<'_> {
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// The teacher after this number of iterations.
    pub(super) fn blueprint(&self, iterations: u64) -> PathBuf {
        self.at("teacher").join(format!("{iterations}.blueprint"))
    }

    /// The teacher of all students; `None` for the built-in one.
    pub(super) fn teacher(&self) -> Option<PathBuf> {
        match (&self.options.teacher, Source::of(self.options)) {
            (Some(given), _) => Some(given.clone()),
            (None, Source::Iterations(count)) => Some(self.blueprint(count)),
            _ => None,
        }
    }

    pub(super) fn student(&self, name: &str) -> PathBuf {
        self.at("students").join(name)
    }

    pub(super) fn rows(&self, source: Source) -> PathBuf {
        self.at("rows").join(match source {
            Source::Iterations(count) => count.to_string(),
            Source::Shipped => "shipped".to_owned(),
            Source::Given => "given".to_owned(),
        })
    }

    /// The output of a match of Table 1 with the likeliest actions.
    pub(super) fn match_of(&self, one: &str, other: &str) -> PathBuf {
        self.at("table1").join(format!("{one}-{other}.json"))
    }

    /// The output of a match of Table 1 with sampled actions.
    pub(super) fn sampled(&self, one: &str, other: &str) -> PathBuf {
        self.at("table1").join(format!("{one}-{other}-sampled.json"))
    }

    /// The report of a student's run against Slumbot.
    pub(super) fn slumbot(&self, kind: &str) -> PathBuf {
        self.at("slumbot").join(format!("{kind}.json"))
    }

    /// The output of measuring a student's losses to its teacher.
    pub(super) fn fidelity(&self, name: &str) -> PathBuf {
        self.at("fidelity").join(format!("{name}.json"))
    }

    /// The output of the match between the trees of a depth.
    pub(super) fn depth(&self, depth: u8) -> PathBuf {
        self.at("depths").join(format!("depth-{depth}.json"))
    }

    /// The output of a match of the learning curve: of the student or the teacher after this number
    /// of iterations.
    pub(super) fn point(&self, who: &str, iterations: u64) -> PathBuf {
        self.at("curve").join(format!("{who}-{iterations}.json"))
    }
}
