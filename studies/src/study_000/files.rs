//! Who plays, how large everything is, and where the results are.

use std::path::PathBuf;

use super::published;
use crate::{Options, argument};

/// The students in their published order: kinds of `cardroom train`.
pub const STUDENTS: [&str; 4] = ["mlp", "xgboost", "oct", "cart"];

pub(super) const TEACHER: &str = "teacher";

/// Iterations after which the teacher is looked at; the last one is that of the shipped blueprint.
const ITERATIONS: [u64; 6] = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 80_000_000];
const ROWS: f64 = 2e6;

/// Hands of each match of Table 1 where the likeliest action is played, and where it is drawn.
const HANDS: f64 = 4e5;
const SAMPLED: f64 = published::HANDS as f64;
/// Hands of each match with the teacher of [`Step`](crate::Step)s that look at single streets.
const FIDELITY: f64 = 3e5;
/// Hands of each point of Figure 5.
const POINT: f64 = 150_000.0;

/// Depths of the trees that are compared; the last one is the published one.
pub(super) const DEPTHS: [u8; 5] = [4, 6, 8, 10, 15];
const DEPTH_HANDS: f64 = 1e6;

/// How large everything is.
pub(super) struct Sizes {
    pub(super) hands: u64,
    pub(super) sampled: u64,
    pub(super) fidelity: u64,
    pub(super) point: u64,
    pub(super) depth: u64,
    pub(super) rows: u64,
    pub(super) iterations: Vec<u64>,
    /// Of what learners repeat: goes with the root of the scale, as rows go with the scale.
    pub(super) rounds: u64,
    pub(super) starts: u64,
    pub(super) epochs: u64,
}

impl Sizes {
    pub(super) fn of(options: &Options) -> Sizes {
        let scale = options.scale;
        let part = |full: f64, least: f64| (full * scale).round().max(least) as u64;
        // Two hands of each deal.
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

/// Whose decisions are learned from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A teacher of so many iterations.
    Iterations(u64),
    /// The blueprint that was given.
    Given,
}

impl Source {
    /// The one that all students learn from.
    pub(super) fn of(options: &Options) -> Source {
        match (&options.teacher, options.shipped) {
            (Some(_), _) => Source::Given,
            // It is what it is, whatever the scale.
            (None, true) => Source::Iterations(ITERATIONS[ITERATIONS.len() - 1]),
            (None, false) => {
                let iterations = Sizes::of(options).iterations;
                Source::Iterations(*iterations.last().expect("there are some"))
            }
        }
    }

    /// In words.
    pub(super) fn words(self) -> String {
        match self {
            Source::Iterations(count) => format!("{count} iterations"),
            Source::Given => "the given teacher".to_owned(),
        }
    }
}

/// Somebody who plays.
#[derive(Debug, Clone)]
pub(super) struct Player {
    /// As the tables name it.
    pub(super) name: String,
    /// Its kind; empty of the teacher.
    pub(super) kind: &'static str,
    /// The agent as it plays best, and drawing its actions.
    pub(super) agent: String,
    pub(super) sampled: String,
}

/// The students, the best published one first: with a further network where one is asked for.
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

/// Everybody: the students, then their teacher, who plays as it always does.
pub(super) fn players(options: &Options) -> Vec<Player> {
    let files = Files { options };
    let agent = match files.teacher() {
        Some(blueprint) => format!("cfr:blueprint={}", argument(&blueprint)),
        None => "cfr".to_owned(),
    };
    let teacher = Player { name: TEACHER.to_owned(), kind: "", sampled: agent.clone(), agent };
    students(options).into_iter().chain([teacher]).collect()
}

/// All pairs of so many, the earlier one first.
pub(super) fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| [one, other]))
}

/// What is in the study's folder.
pub(super) struct Files<'a> {
    pub(super) options: &'a Options,
}

impl Files<'_> {
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// The teacher after so many iterations.
    pub(super) fn blueprint(&self, iterations: u64) -> PathBuf {
        self.at("teacher").join(format!("{iterations}.blueprint"))
    }

    /// The teacher of all students; none where it is the one inside the program.
    pub(super) fn teacher(&self) -> Option<PathBuf> {
        match (&self.options.teacher, Source::of(self.options)) {
            (Some(given), _) => Some(given.clone()),
            (None, Source::Iterations(count)) if !self.options.shipped => {
                Some(self.blueprint(count))
            }
            _ => None,
        }
    }

    pub(super) fn student(&self, name: &str) -> PathBuf {
        self.at("students").join(name)
    }

    pub(super) fn rows(&self, source: Source) -> PathBuf {
        self.at("rows").join(match source {
            Source::Iterations(count) => count.to_string(),
            Source::Given => "given".to_owned(),
        })
    }

    /// What a match of Table 1 printed, where the likeliest action is played.
    pub(super) fn match_of(&self, one: &str, other: &str) -> PathBuf {
        self.at("table1").join(format!("{one}-{other}.json"))
    }

    /// The same where actions are drawn.
    pub(super) fn sampled(&self, one: &str, other: &str) -> PathBuf {
        self.at("table1").join(format!("{one}-{other}-sampled.json"))
    }

    /// The report of a student's run against Slumbot.
    pub(super) fn slumbot(&self, kind: &str) -> PathBuf {
        self.at("slumbot").join(format!("{kind}.json"))
    }

    /// What a student loses to its teacher.
    pub(super) fn fidelity(&self, name: &str) -> PathBuf {
        self.at("fidelity").join(format!("{name}.json"))
    }

    /// What the match of the trees of a depth printed.
    pub(super) fn depth(&self, depth: u8) -> PathBuf {
        self.at("depths").join(format!("depth-{depth}.json"))
    }

    /// What the match of the curve printed: of the student or the teacher after so many iterations.
    pub(super) fn point(&self, who: &str, iterations: u64) -> PathBuf {
        self.at("curve").join(format!("{who}-{iterations}.json"))
    }
}
