//! The results of the study's commands, read from its folder.

use super::files::{DEPTHS, Files, Player, Sizes, pairs, players};
use super::published::{self, Published};
use super::verdict::Verdict;
use crate::read::{Document, Estimate};
use crate::{Network, Options, ReadError, SlumbotRun, StudySection};

/// The names of the streets in the report.
pub(super) const STREETS: [&str; 4] = ["before the flop", "flop", "turn", "river"];

/// All results; those of steps that were not done are empty.
pub(super) struct Results {
    /// The students, then their teacher.
    pub(super) players: Vec<Player>,
    /// The name of the additional network.
    pub(super) network: Option<String>,
    pub(super) pairs: Vec<Pair>,
    pub(super) slumbot: Vec<Slumbot>,
    /// The losses of the students, in the order of the players, and of the baselines.
    pub(super) losses: Vec<Losses>,
    /// The least possible log-loss, by street.
    pub(super) least: Option<[f64; 4]>,
    /// The differences between the students' log-losses, by street.
    pub(super) above: Vec<Above>,
    /// The losses on the training rows; empty for built-in models.
    pub(super) training: Vec<Training>,
    pub(super) fidelity: Vec<Fidelity>,
    pub(super) depths: Vec<Depth>,
    pub(super) curve: Vec<Point>,
    pub(super) opening: Option<Opening>,
    pub(super) bluffs: Vec<Bluffs>,
}

/// A match of two players.
pub(super) struct Pair {
    pub(super) one: String,
    pub(super) other: String,
    pub(super) published: Option<Published>,
    /// The results with the likeliest action, and with sampled actions.
    pub(super) played: Match,
    pub(super) drawn: Match,
}

/// The result of a match.
#[derive(Clone, Copy)]
pub(super) struct Match {
    pub(super) hands: u64,
    /// The win rate from duplicate deals.
    pub(super) rate: Estimate,
    /// The standard deviation of single hands, in mbb.
    pub(super) deviation: f64,
}

impl Match {
    /// The half-width of the interval if the hands were independent.
    pub(super) fn single(self) -> f64 {
        1.96 * self.deviation / (self.hands as f64).sqrt()
    }

    /// The standard deviation of independent hands that would give the interval of the duplicate
    /// deals, in mbb.
    pub(super) fn duplicate(self) -> f64 {
        self.rate.half_width() / 1.96 * (self.hands as f64).sqrt()
    }
}

impl Pair {
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.published.map(|published| Verdict::of(self.played.rate, published))
    }
}

/// The results of a student against Slumbot.
pub(super) struct Slumbot {
    pub(super) kind: &'static str,
    pub(super) published: Published,
    /// The run's results, if there is one.
    pub(super) run: Option<SlumbotMatch>,
}

/// The results of a run against Slumbot.
pub(super) struct SlumbotMatch {
    /// The agent as the run named it.
    pub(super) agent: String,
    /// The server, if it was not Slumbot's own.
    pub(super) server: Option<String>,
    pub(super) hands: u64,
    pub(super) raw: Estimate,
    /// The win rate with all corrections.
    pub(super) combined: Estimate,
}

/// Log-loss in nats on test rows, and accuracy against the teacher's likeliest move, by street.
pub(super) struct Losses {
    pub(super) name: String,
    pub(super) log_loss: [f64; 4],
    pub(super) accuracy: [f64; 4],
    /// The number of parameters by street; `None` for baselines.
    pub(super) parameters: Option<[u64; 4]>,
}

/// The difference of two players' log-losses, row by row.
pub(super) struct Above {
    pub(super) first: String,
    pub(super) second: String,
    /// The differences by street, in nats.
    pub(super) streets: [Estimate; 4],
}

/// The log-loss of a student on its training rows, by street.
pub(super) struct Training {
    pub(super) name: String,
    pub(super) log_loss: [f64; 4],
    pub(super) size: [String; 4],
}

/// The likeness of a student to its teacher.
pub(super) struct Fidelity {
    pub(super) name: String,
    pub(super) hands: u64,
    /// The share of the teacher's decisions at which both have the same likeliest action.
    pub(super) same: f64,
    /// The losses to the teacher when it decides on one street only, and on all.
    pub(super) lost: [Estimate; 4],
    pub(super) lost_in_all: Estimate,
}

/// The match between trees of one depth: the optimal one's winnings from the greedy one.
pub(super) struct Depth {
    pub(super) depth: u8,
    pub(super) played: Match,
}

/// A point of the learning curve: the winnings from the anchor.
pub(super) struct Point {
    pub(super) iterations: u64,
    pub(super) hands: u64,
    pub(super) student: Estimate,
    pub(super) teacher: Estimate,
}

/// The optimal tree's first decision.
pub(super) struct Opening {
    /// The probability of folding, and of folding suited hands.
    pub(super) folds: f64,
    pub(super) suited_folds: f64,
    /// The number of hands mostly folded, and of suited ones among them.
    pub(super) folded: usize,
    pub(super) suited_folded: usize,
}

/// The leaves of the optimal tree that raise with a win rate below 45 %.
pub(super) struct Bluffs {
    pub(super) street: &'static str,
    pub(super) leaves: u64,
    /// The number of leaves that raise with at least 20 %, and of those whose likeliest action it
    /// is.
    pub(super) raising: usize,
    pub(super) bluffs: usize,
    /// The share of play that reaches the latter.
    pub(super) share: f64,
    /// The conditions of the leaf among them that bluffs most.
    pub(super) path: Vec<String>,
    pub(super) raise: f64,
}

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let files = Files { options };
        let players = players(options);
        let network = options.network.as_ref().map(|network: &Network| format!("mlp-{network}"));
        let depths = DEPTHS.into_iter().map(|depth| {
            Ok(Depth { depth, played: played(&Document::read(&files.depth(depth))?)? })
        });
        let mut results = Results {
            depths: depths.collect::<Result<_, ReadError>>()?,
            players,
            network,
            pairs: Vec::new(),
            slumbot: Vec::new(),
            losses: Vec::new(),
            least: None,
            above: Vec::new(),
            training: Vec::new(),
            fidelity: Vec::new(),
            curve: Vec::new(),
            opening: None,
            bluffs: Vec::new(),
        };
        if options.only != Some(StudySection::Depths) {
            results.read_all(&files)?;
        }
        Ok(results)
    }

    /// Reads all results besides those of the depths.
    fn read_all(&mut self, files: &Files<'_>) -> Result<(), ReadError> {
        let options = files.options;
        for pair in pairs(self.players.len()) {
            let [one, other] = pair.map(|player| &self.players[player]);
            let read = |path: std::path::PathBuf| played(&Document::read(&path)?);
            self.pairs.push(Pair {
                one: one.name.clone(),
                other: other.name.clone(),
                published: published::pair(one.kind, other.kind),
                played: read(files.match_of(&one.name, &other.name))?,
                drawn: read(files.sampled(&one.name, &other.name))?,
            });
        }
        for kind in super::STUDENTS {
            let run = options.slumbot.iter().find(|run| run.kind == kind);
            self.slumbot.push(Slumbot {
                kind,
                published: published::pair(kind, published::SLUMBOT).expect("all have played it"),
                run: run.map(|run| against(files, run)).transpose()?,
            });
        }
        let losses = Document::read(&files.at("losses.json"))?;
        self.least = Some(by_street(|street| losses.number(&format!("/least_log_loss/{street}")))?);
        let students = &self.players[..self.players.len() - 1];
        self.losses = lines(&losses, students)?;
        self.above = above(&losses, students)?;
        for student in students {
            let made = !options.shipped || self.network.as_ref() == Some(&student.name);
            if made {
                self.training.push(trained(files, &student.name)?);
            }
            self.fidelity.push(fidelity(files, &student.name)?);
        }
        if !options.shipped && options.teacher.is_none() {
            for &iterations in &Sizes::of(options).iterations {
                let won = |who: &str| played(&Document::read(&files.point(who, iterations))?);
                let (student, teacher) = (won("xgboost")?, won(super::files::TEACHER)?);
                self.curve.push(Point {
                    iterations,
                    hands: student.hands,
                    student: student.rate,
                    teacher: teacher.rate,
                });
            }
        }
        self.opening = Some(opening(&Document::read(&files.at("opening.json"))?)?);
        self.bluffs = bluffs(&Document::read(&files.at("bluffs.json"))?)?;
        Ok(())
    }

    /// The network compared with the published one: the additional one, or the usual one.
    pub(super) fn network_name(&self) -> &str {
        self.network.as_deref().unwrap_or("mlp")
    }

    /// The published students in order, with the network compared with the published one.
    pub(super) fn order(&self) -> [&str; 4] {
        [self.network_name(), "xgboost", "oct", "cart"]
    }

    /// The matches between those, which have a published result.
    pub(super) fn published_pairs(&self) -> impl Iterator<Item = &Pair> {
        let order = self.order();
        let among = move |name: &String| order.contains(&name.as_str());
        self.pairs
            .iter()
            .filter(move |pair| pair.published.is_some() && among(&pair.one) && among(&pair.other))
    }
}

fn by_street<T: std::fmt::Debug>(
    read: impl Fn(usize) -> Result<T, ReadError>,
) -> Result<[T; 4], ReadError> {
    let streets: Vec<T> = (0..4).map(read).collect::<Result<_, _>>()?;
    Ok(streets.try_into().expect("four streets"))
}

fn played(document: &Document) -> Result<Match, ReadError> {
    Ok(Match {
        hands: document.number("/hands")? as u64,
        rate: document.estimate("/entrants/0/rate")?,
        deviation: document.number("/entrants/0/deviation_per_hand")?,
    })
}

fn against(files: &Files<'_>, run: &SlumbotRun) -> Result<SlumbotMatch, ReadError> {
    let document = Document::read(&files.slumbot(&run.kind))?;
    let raw = document.estimate("/entrants/0/rate")?;
    let rows = document.list("/estimates/rows").unwrap_or_default();
    let combined = match rows.iter().position(|row| row["kind"] == "combined") {
        Some(at) => document.estimate(&format!("/estimates/rows/{at}/rate"))?,
        None => raw,
    };
    Ok(SlumbotMatch {
        agent: document.text("/entrants/0/name")?.to_owned(),
        server: run.server.clone(),
        hands: document.number("/hands")? as u64,
        raw,
        combined,
    })
}

fn lines(document: &Document, students: &[Player]) -> Result<Vec<Losses>, ReadError> {
    let line = |number: usize| {
        let street = |name: &str| {
            by_street(|street| document.number(&format!("/lines/{number}/streets/{street}/{name}")))
        };
        // The output names students by their agents, in the order of the players.
        let name = match students.get(number) {
            Some(student) => student.name.clone(),
            None => document.text(&format!("/lines/{number}/name"))?.to_owned(),
        };
        let parameters = students.get(number).map(|_| {
            by_street(|street| document.number(&format!("/lines/{number}/parameters/{street}")))
        });
        let parameters = parameters.transpose()?.map(|all| all.map(|number| number as u64));
        let (log_loss, accuracy) = (street("log_loss")?, street("accuracy")?);
        Ok(Losses { name, log_loss, accuracy, parameters })
    };
    (0..document.list("/lines")?.len()).map(line).collect()
}

fn above(document: &Document, students: &[Player]) -> Result<Vec<Above>, ReadError> {
    // All pairs of students, in the order of the players.
    let difference = |(number, [first, second]): (usize, [usize; 2])| {
        let streets = by_street(|street| {
            let pointer = format!("/differences/{number}/streets/{street}");
            let number = |name: &str| document.number(&format!("{pointer}/{name}"));
            Ok(Estimate { mbb: number("mean")?, low: number("low")?, high: number("high")? })
        })?;
        let [first, second] = [first, second].map(|student| students[student].name.clone());
        Ok(Above { first, second, streets })
    };
    pairs(students.len()).enumerate().map(difference).collect()
}

fn trained(files: &Files<'_>, name: &str) -> Result<Training, ReadError> {
    let document = Document::read(&files.at("students").join(format!("{name}.json")))?;
    let pointer = |street: usize, name: &str| format!("/streets/{street}/{name}");
    Ok(Training {
        name: name.to_owned(),
        log_loss: by_street(|street| document.number(&pointer(street, "train/log_loss")))?,
        size: by_street(|street| Ok(document.text(&pointer(street, "size"))?.to_owned()))?,
    })
}

fn fidelity(files: &Files<'_>, name: &str) -> Result<Fidelity, ReadError> {
    let document = Document::read(&files.fidelity(name))?;
    Ok(Fidelity {
        name: name.to_owned(),
        hands: document.number("/hands")? as u64,
        same: document.number("/all/same_likeliest")?,
        lost: by_street(|street| document.estimate(&format!("/streets/{street}/lost")))?,
        lost_in_all: document.estimate("/all/lost")?,
    })
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
        let pointer = format!("/streets/{number}");
        let raising = document.list(&format!("{pointer}/bluffs"))?;
        let likeliest_raises = |leaf: &&serde_json::Value| {
            let actions = leaf["actions"].as_object().into_iter().flatten();
            let share = |share: &serde_json::Value| share.as_f64().unwrap_or_default();
            let most = actions.max_by(|a, b| share(a.1).total_cmp(&share(b.1)));
            most.is_some_and(|(action, _)| action != "fold" && action != "call")
        };
        let found: Vec<&serde_json::Value> = raising.iter().filter(likeliest_raises).collect();
        let share = found.iter().filter_map(|leaf| leaf["share_of_play"].as_f64()).sum();
        let most = found.first();
        let path = most.and_then(|leaf| leaf["path"].as_array()).cloned().unwrap_or_default();
        Ok(Bluffs {
            street: STREETS[number],
            leaves: document.number(&format!("{pointer}/leaves"))? as u64,
            raising: raising.len(),
            bluffs: found.len(),
            share,
            path: path.iter().filter_map(|words| words.as_str().map(str::to_owned)).collect(),
            raise: most.and_then(|leaf| leaf["raise"].as_f64()).unwrap_or_default(),
        })
    };
    (0..document.list("/streets")?.len().min(STREETS.len())).map(street).collect()
}
