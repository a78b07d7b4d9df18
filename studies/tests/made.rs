//! A folder of results as the commands of study 000 print them, with figures of one's own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use studies::record::Record;
use studies::{Options, Report, STUDIES};

/// A rate in mbb/hand and half its interval.
pub(crate) type Rate = (f64, f64);

/// The figures; what is not named here is the same in all folders.
#[derive(Clone)]
pub(crate) struct Figures {
    /// Matches where the likeliest action is played, and where it is drawn, by the names of both
    /// players.
    pub(crate) played: BTreeMap<(&'static str, &'static str), Rate>,
    pub(crate) drawn: Rate,
    /// The standard deviation of hands, in mbb.
    pub(crate) deviation: f64,
    /// The winnings of the optimal tree against the greedy one at depths 4, 6, 8, 10 and 15.
    pub(crate) depths: [Rate; 5],
    /// The log-loss of a student minus that of the one before it, in nats.
    pub(crate) above: Rate,
    /// The losses of students to the teacher.
    pub(crate) lost: [Rate; 4],
    /// The winnings of the student against the anchor, by iteration.
    pub(crate) curve: [Rate; 6],
    /// The frequency of folding suited hands at once.
    pub(crate) suited_folds: f64,
    /// Parameters of network, boosted trees, optimal and greedy tree.
    pub(crate) parameters: [u64; 4],
}

/// The published ones, and what would bear out every claim, with narrow intervals.
pub(crate) fn published() -> Figures {
    let played = [
        (("mlp", "xgboost"), 6.0),
        (("mlp", "oct"), 17.0),
        (("mlp", "cart"), 56.0),
        (("xgboost", "oct"), 12.0),
        (("xgboost", "cart"), 49.0),
        (("oct", "cart"), 36.0),
    ];
    Figures {
        played: played.into_iter().map(|(pair, mbb)| (pair, (mbb, 4.0))).collect(),
        drawn: (10.0, 20.0),
        deviation: 10_000.0,
        depths: [(36.0, 5.0); 5],
        above: (0.01, 0.002),
        lost: [(10.0, 4.0), (20.0, 4.0), (30.0, 4.0), (40.0, 4.0)],
        curve: [-500.0, -400.0, -300.0, -200.0, -100.0, 0.0].map(|mbb| (mbb, 20.0)),
        suited_folds: 0.0,
        parameters: [500_000, 900_000, 9_001, 8_001],
    }
}

fn rate((mbb, half): Rate) -> Value {
    json!({ "mbb": mbb, "interval": { "low": mbb - half, "high": mbb + half } })
}

/// The trainings of each student.
const TRAININGS: usize = 8;

/// The mean of one of the trainings, such that their mean and its interval are these: half of them
/// are above and half below, by half the interval times the root of seven, over the quantile of
/// Student's distribution with seven degrees of freedom.
fn training((mbb, half): Rate, number: usize) -> Rate {
    let off = half * 7_f64.sqrt() / 2.364_624;
    (if number.is_multiple_of(2) { mbb - off } else { mbb + off }, half)
}

fn a_match(won: Rate, deviation: f64) -> Value {
    let entrant = json!({ "rate": rate(won), "deviation_per_hand": deviation });
    json!({ "hands": 400_000, "entrants": [entrant] })
}

fn write(path: &Path, document: &Value) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, format!("{document:#}")).expect("written");
}

/// Writes all that the options ask for.
pub(crate) fn write_all(options: &Options, figures: &Figures) {
    let at = |name: &str| options.folder.join(name);
    for (depth, won) in [4, 6, 8, 10, 15].into_iter().zip(figures.depths) {
        for number in 1..=TRAININGS {
            let found = a_match(training(won, number), figures.deviation);
            let folder = if number == 1 { "depths".into() } else { format!("trainings/{number}") };
            write(&at(&format!("{folder}/depth-{depth}.json")), &found);
            if number > 1 && depth == 15 {
                // The deepest trees of further trainings are the students themselves.
                write(&at(&format!("{folder}/oct-cart.json")), &found);
            }
        }
    }
    let network = options.network.map(|network| format!("mlp-{network}"));
    let usual = ["mlp", "xgboost", "oct", "cart"];
    for name in usual {
        let same = a_match((0.0, 10.0), figures.deviation);
        write(&at(&format!("hard/{name}-soft.json")), &same);
        write(&at(&format!("readable/{name}.json")), &same);
        write(&at(&format!("finer/{name}.json")), &same);
        write(&at(&format!("finer/{name}-teacher.json")), &same);
        write(&at(&format!("one-model/{name}.json")), &same);
    }
    write(&at("readable/teacher.json"), &a_match((0.0, 10.0), figures.deviation));
    let students: Vec<&str> = network.iter().map(String::as_str).chain(usual).collect();
    let players: Vec<&str> = students.iter().copied().chain(["teacher"]).collect();
    for (number, &one) in players.iter().enumerate() {
        for &other in &players[number + 1..] {
            let known = figures
                .played
                .iter()
                .find(|((first, second), _)| *first == one && *second == other);
            let won = known.map_or((-50.0, 30.0), |(_, &won)| won);
            let path = format!("table1/{one}-{other}");
            let several = usual.contains(&one) && usual.contains(&other);
            let first = if several { training(won, 1) } else { won };
            write(&at(&format!("{path}.json")), &a_match(first, figures.deviation));
            let of_depth = one == "oct" && other == "cart";
            for number in (2..=TRAININGS).filter(|_| several && !of_depth) {
                let path = at(&format!("trainings/{number}/{one}-{other}.json"));
                write(&path, &a_match(training(won, number), figures.deviation));
            }
            if several {
                let hard = a_match(won, figures.deviation);
                write(&at(&format!("hard/{one}-{other}.json")), &hard);
            }
            let drawn = a_match(figures.drawn, 2.0 * figures.deviation);
            write(&at(&format!("{path}-sampled.json")), &drawn);
        }
    }
    let streets = |value: Value| vec![value; 4];
    let line = |number: usize, name: &str| {
        let place = usual.iter().position(|usual| *usual == name).unwrap_or(0);
        json!({
            "name": name,
            "streets": streets(json!({ "log_loss": 0.5 + 0.01 * number as f64, "accuracy": 0.8 })),
            "parameters": streets(figures.parameters[place].into()),
        })
    };
    let mut lines: Vec<Value> =
        students.iter().enumerate().map(|(number, name)| line(number, name)).collect();
    let mut rest = line(students.len(), "all moves alike");
    rest["parameters"] = Value::Null;
    lines.push(rest);
    let (more, half) = figures.above;
    let above = json!({ "mean": more, "low": more - half, "high": more + half });
    let differences = students.len() * (students.len() - 1) / 2;
    write(
        &at("losses.json"),
        &json!({
            "lines": lines,
            "least_log_loss": [0.4, 0.4, 0.4, 0.4],
            "differences": vec![json!({ "streets": streets(above) }); differences],
        }),
    );
    for (number, name) in students.iter().rev().enumerate() {
        let trained =
            json!({ "train": { "log_loss": 0.6 - 0.01 * number as f64 }, "size": "9 leaves" });
        write(&at(&format!("students/{name}.json")), &json!({ "streets": streets(trained) }));
        let lost = figures.lost[3 - number.min(3)];
        let street = json!({ "lost": rate((1.0, 2.0)) });
        let document = json!({
            "hands": 300_000,
            "streets": streets(street),
            "all": { "same_likeliest": 0.8, "lost": rate(lost) },
        });
        write(&at(&format!("fidelity/{name}.json")), &document);
    }
    let iterations = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 80_000_000_u64];
    for (iterations, won) in iterations.into_iter().zip(figures.curve) {
        for who in ["xgboost", "teacher"] {
            let path = at(&format!("curve/{who}-{iterations}.json"));
            write(&path, &a_match(won, figures.deviation));
        }
    }
    let hand = |hand: &str, folds: f64| {
        json!({
            "hand": hand, "combos": 4.0, "strategy": [folds, 1.0 - folds],
        })
    };
    write(
        &at("opening.json"),
        &json!({
            "combos": 12.0,
            "actions": [{ "action": "f" }, { "action": "c" }],
            "hands": [hand("AKs", figures.suited_folds), hand("AKo", 0.0), hand("72o", 1.0)],
        }),
    );
    let leaf = json!({
        "share_of_play": 0.1,
        "raise": 0.7,
        "path": ["your equity is below 20 %"],
        "actions": { "fold": 0.1, "call": 0.2, "pot": 0.7 },
    });
    let bluffs = |street: &str| json!({ "street": street, "leaves": 9, "bluffs": [leaf] });
    let all = ["preflop", "flop", "turn", "river"].map(bluffs);
    write(&at("bluffs.json"), &json!({ "streets": all }));
    write(&at("kuhn.json"), &json!({ "points": [{ "value": -1.0 / 18.0 }] }));
    let trees = ["tree-preflop", "tree-river", "figure-7", "figure-7-river", "figure-8", "kuhn"];
    for name in ["opening"].into_iter().chain(trees) {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><title id=\"tree-title\"/></svg>";
        fs::write(at(&format!("{name}.svg")), svg).expect("written");
    }
}

/// The results of a run against Slumbot of the agent of this name.
pub(crate) fn write_slumbot(folder: &Path, name: &str, kind: &str, won: Rate) {
    let document = json!({
        "hands": 150_000,
        "entrants": [{ "name": name, "rate": rate((won.0, 100.0)) }],
        "estimates": { "rows": [{ "kind": "raw", "rate": rate((0.0, 99.0)) }, { "kind": "combined",
            "rate": rate(won) }] },
    });
    write(&folder.join("slumbot").join(format!("{kind}.json")), &document);
}

/// A study from nothing in a folder.
pub(crate) fn options(folder: &Path) -> Options {
    Options::new(PathBuf::from(folder))
}

/// The report of what the folder holds.
pub(crate) fn report(options: &Options) -> Report {
    let study = STUDIES[0];
    let record = Record::open(study.number, options, "a test").expect("a record");
    study.report(options, &record).expect("a report")
}

/// The mark of the claim that begins so, and what was found.
pub(crate) fn claim(report: &Report, begins: &str) -> (String, String) {
    let claims = report.document["claims"].as_array().expect("claims");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let claim = claims.iter().find(|claim| text(&claim["claim"]).starts_with(begins));
    let claim = claim.unwrap_or_else(|| panic!("no claim `{begins}`: {claims:#?}"));
    (text(&claim["verdict"]), text(&claim["found"]))
}

/// The Markdown document.
pub(crate) fn markdown(report: &Report) -> &str {
    let file = report.files.iter().find(|(name, _)| *name == "page.md");
    &file.expect("a document").1
}
