//! What the study's commands have printed, read from its folder.

use super::{ANCHOR, Files, SHALLOW, STUDENTS, Sizes, agents, pairs, published};
use crate::read::{Document, Estimate};
use crate::{Options, ReadError};

/// Streets, as documents name them and as people do.
pub(super) const STREETS: [&str; 4] = ["before the flop", "flop", "turn", "river"];

/// Everything that came of it.
pub(super) struct Results {
    /// Who plays.
    pub(super) names: Vec<&'static str>,
    pub(super) hands: u64,
    pub(super) pairs: Vec<Pair>,
    /// By student and baseline.
    pub(super) losses: Vec<Losses>,
    /// The least log-loss that is possible, by street.
    pub(super) least: [f64; 4],
    /// What students are on rows that they learned from; none of the models inside the program.
    pub(super) training: Vec<Training>,
    pub(super) fidelity: Vec<Fidelity>,
    pub(super) shallow: Vec<Shallow>,
    pub(super) curve: Vec<Point>,
    pub(super) opening: Opening,
    pub(super) bluffs: Vec<Bluffs>,
}

/// A match.
pub(super) struct Pair {
    pub(super) one: &'static str,
    pub(super) other: &'static str,
    /// In mbb/hand with the deviation, where it was published.
    pub(super) published: Option<(f64, f64)>,
    /// From duplicate deals.
    pub(super) rate: Estimate,
    /// Half the width of the interval if the hands were counted one by one.
    pub(super) single: f64,
    pub(super) all_in: Estimate,
    /// All corrections together.
    pub(super) combined: Estimate,
}

/// How the match stands to the published one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The same one wins, and is told apart.
    Same,
    /// They are not told apart.
    Open,
    /// The other one wins, and is told apart.
    Opposite,
    /// There is none.
    Unpublished,
}

impl Pair {
    pub(super) fn verdict(&self) -> Verdict {
        let Some((won, _)) = self.published else { return Verdict::Unpublished };
        match self.combined.sign() {
            0 => Verdict::Open,
            sign if f64::from(sign) * won > 0.0 => Verdict::Same,
            _ => Verdict::Opposite,
        }
    }
}

/// Log-loss in nats on test rows, and the share of rows whose likeliest move is the teacher's, by street.
pub(super) struct Losses {
    pub(super) name: String,
    pub(super) log_loss: [f64; 4],
    pub(super) accuracy: [f64; 4],
}

/// A student on the rows that it learned from, by street.
pub(super) struct Training {
    pub(super) name: &'static str,
    pub(super) log_loss: [f64; 4],
    pub(super) size: [String; 4],
}

/// How far a student does what its teacher does.
pub(super) struct Fidelity {
    pub(super) name: &'static str,
    pub(super) hands: u64,
    /// Of the teacher's decisions, the share where both have the same likeliest action.
    pub(super) same: f64,
    /// What it loses to the teacher where it decides on one street only, and where it does on all.
    pub(super) lost: [Estimate; 4],
    pub(super) lost_in_all: Estimate,
}

/// Trees that a person can read: what the optimal one wins from the greedy one.
pub(super) struct Shallow {
    pub(super) depth: u8,
    pub(super) hands: u64,
    pub(super) rate: Estimate,
}

/// A point of the learning curve: what is won from the anchor.
pub(super) struct Point {
    pub(super) iterations: u64,
    pub(super) student: Estimate,
    pub(super) teacher: Estimate,
}

/// What the optimal tree does with its first decision.
pub(super) struct Opening {
    /// How often it folds, and how often with suited hands.
    pub(super) folds: f64,
    pub(super) suited_folds: f64,
    /// Hands that it folds more often than not, and those of them that are suited.
    pub(super) folded: usize,
    pub(super) suited_folded: usize,
}

/// Where the optimal tree raises with a win-rate under 45 %.
pub(super) struct Bluffs {
    pub(super) street: &'static str,
    pub(super) leaves: f64,
    pub(super) bluffs: usize,
    /// Of play that comes there.
    pub(super) share: f64,
    /// The one that bluffs most: what holds there.
    pub(super) path: Vec<String>,
    pub(super) raise: f64,
}

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let files = Files { options };
        let sizes = Sizes::of(options);
        let names: Vec<&'static str> = agents(options).iter().map(|(name, _)| *name).collect();
        let losses = Document::read(&files.at("losses.json"))?;
        let least = by_street(|street| losses.number(&format!("/least_log_loss/{street}")))?;
        let mut training = Vec::new();
        let mut curve = Vec::new();
        if !options.shipped {
            for kind in STUDENTS {
                training.push(trained(&files, kind)?);
            }
            for &iterations in &sizes.iterations {
                let won = |who: &str| {
                    Document::read(&files.point(who, iterations))?.estimate("/entrants/0/rate")
                };
                let (student, teacher) = (won("xgboost")?, won("teacher")?);
                curve.push(Point { iterations, student, teacher });
            }
        }
        Ok(Results {
            hands: sizes.hands,
            pairs: pairs()
                .map(|(one, other)| pair(&files, names[one], names[other]))
                .collect::<Result<_, _>>()?,
            fidelity: STUDENTS
                .into_iter()
                .map(|kind| fidelity(&files, kind))
                .collect::<Result<_, _>>()?,
            shallow: SHALLOW
                .into_iter()
                .map(|depth| shallow(&files, depth))
                .collect::<Result<_, _>>()?,
            names,
            losses: lines(&losses)?,
            least,
            training,
            curve,
            opening: opening(&Document::read(&files.at("opening.json"))?)?,
            bluffs: bluffs(&Document::read(&files.at("bluffs.json"))?)?,
        })
    }

    /// The students' lines of the losses.
    pub(super) fn student(&self, name: &str) -> Option<&Losses> {
        self.losses.iter().find(|line| line.name == name)
    }

    /// Whom the curve is measured against.
    pub(super) fn anchor(&self) -> &'static str {
        ANCHOR
    }
}

fn by_street<T: std::fmt::Debug>(
    read: impl Fn(usize) -> Result<T, ReadError>,
) -> Result<[T; 4], ReadError> {
    let streets: Vec<T> = (0..4).map(read).collect::<Result<_, _>>()?;
    Ok(streets.try_into().expect("four streets"))
}

fn pair(files: &Files<'_>, one: &'static str, other: &'static str) -> Result<Pair, ReadError> {
    let document = Document::read(&files.match_of(one, other))?;
    let rate = document.estimate("/entrants/0/rate")?;
    let rows = document.list("/estimates/rows").unwrap_or_default();
    let kind = |row: &serde_json::Value| row["kind"] == "combined";
    let combined = match rows.iter().position(kind) {
        Some(at) => document.estimate(&format!("/estimates/rows/{at}/rate"))?,
        None => rate,
    };
    let deviation = document.number("/entrants/0/deviation_per_hand")?;
    Ok(Pair {
        one,
        other,
        published: published::pair(one, other),
        rate,
        single: 1.96 * deviation / document.number("/hands")?.sqrt(),
        all_in: document.estimate("/entrants/0/all_in_adjusted")?,
        combined,
    })
}

fn lines(document: &Document) -> Result<Vec<Losses>, ReadError> {
    let line = |number: usize| {
        let street = |name: &str| {
            by_street(|street| document.number(&format!("/lines/{number}/streets/{street}/{name}")))
        };
        // Students are named by their kind, whatever folder their models are in.
        let name = document.text(&format!("/lines/{number}/name"))?;
        let name = name.split(':').next().unwrap_or_default().to_owned();
        Ok(Losses { name, log_loss: street("log_loss")?, accuracy: street("accuracy")? })
    };
    (0..document.list("/lines")?.len()).map(line).collect()
}

fn trained(files: &Files<'_>, kind: &'static str) -> Result<Training, ReadError> {
    let document = Document::read(&files.at("students").join(format!("{kind}.json")))?;
    let place = |street: usize, name: &str| format!("/streets/{street}/{name}");
    Ok(Training {
        name: kind,
        log_loss: by_street(|street| document.number(&place(street, "train/log_loss")))?,
        size: by_street(|street| Ok(document.text(&place(street, "size"))?.to_owned()))?,
    })
}

fn fidelity(files: &Files<'_>, kind: &'static str) -> Result<Fidelity, ReadError> {
    let document = Document::read(&files.fidelity(kind))?;
    Ok(Fidelity {
        name: kind,
        hands: document.number("/hands")? as u64,
        same: document.number("/all/same_likeliest")?,
        lost: by_street(|street| document.estimate(&format!("/streets/{street}/lost")))?,
        lost_in_all: document.estimate("/all/lost")?,
    })
}

fn shallow(files: &Files<'_>, depth: u8) -> Result<Shallow, ReadError> {
    let document = Document::read(&files.shallow(depth))?;
    let (hands, rate) = (document.number("/hands")?, document.estimate("/entrants/0/rate")?);
    Ok(Shallow { depth, hands: hands as u64, rate })
}

fn opening(document: &Document) -> Result<Opening, ReadError> {
    let is_fold = |action: &serde_json::Value| action["action"] == "f";
    let fold = document.list("/actions")?.iter().position(is_fold);
    let (mut folds, mut suited_folds, mut suited) = (0.0, 0.0, 0.0);
    let (mut folded, mut suited_folded) = (0, 0);
    for at in 0..document.list("/hands")?.len() {
        let combos = document.number(&format!("/hands/{at}/combos"))?;
        let is_suited = document.text(&format!("/hands/{at}/hand"))?.ends_with('s');
        let often = match fold {
            Some(fold) => document.number(&format!("/hands/{at}/strategy/{fold}"))?,
            None => 0.0,
        };
        folds += combos * often;
        folded += usize::from(often > 0.5);
        if is_suited {
            suited += combos;
            suited_folds += combos * often;
            suited_folded += usize::from(often > 0.5);
        }
    }
    let combos = document.number("/combos")?;
    Ok(Opening {
        folds: folds / combos,
        suited_folds: suited_folds / suited,
        folded,
        suited_folded,
    })
}

fn bluffs(document: &Document) -> Result<Vec<Bluffs>, ReadError> {
    let street = |number: usize| {
        let place = format!("/streets/{number}");
        let found = document.list(&format!("{place}/bluffs"))?;
        let share = found.iter().filter_map(|leaf| leaf["share_of_play"].as_f64()).sum();
        let most = found.first();
        let path = most.and_then(|leaf| leaf["path"].as_array()).cloned().unwrap_or_default();
        Ok(Bluffs {
            street: STREETS[number],
            leaves: document.number(&format!("{place}/leaves"))?,
            bluffs: found.len(),
            share,
            path: path.iter().filter_map(|words| words.as_str().map(str::to_owned)).collect(),
            raise: most.and_then(|leaf| leaf["raise"].as_f64()).unwrap_or_default(),
        })
    };
    (0..document.list("/streets")?.len().min(STREETS.len())).map(street).collect()
}
