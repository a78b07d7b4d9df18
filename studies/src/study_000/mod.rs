//! Study 000: Bertsimas and Paskov, "World-class interpretable poker" (2022).
//!
//! A blueprint made by self-play teaches four students: a greedy tree, an optimal tree, boosted trees and a network.
//! Everybody plays everybody (Table 1), a student is taught again of earlier blueprints (Figure 5), and the optimal
//! tree is looked at: its opening chart (Figure 6) and what it does where it bluffs (Figures 4, 7 and 8).

use std::path::PathBuf;

use crate::record::Record;
use crate::{Action, Options, ReadError, Report, Step, Study, argument};

mod page;
mod published;
mod results;
mod tables;
mod words;

/// The study.
pub const STUDY: Study = Study {
    number: "000",
    title: "Bertsimas and Paskov, World-class interpretable poker: four students of one teacher",
    steps,
    report,
};

/// The four students in their published order, with the options of `cardroom train` at full size.
const STUDENTS: [&str; 4] = ["mlp", "xgboost", "oct", "cart"];

const GAME: &str = "holdem.nolimit.2p.reverse_blinds";
const BUCKETS: &str = "preflop=169 flop=ehs2:150 turn=ehs2:150 river=ehs2:150";

/// Iterations after which the teacher is looked at; the last one is that of the shipped blueprint.
const ITERATIONS: [u64; 6] = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 46_685_184];
const ROWS: f64 = 2e6;

/// Depths of trees that a person can read, and hands of their matches.
const SHALLOW: [u8; 3] = [4, 6, 8];
const SHALLOW_HANDS: f64 = 1e6;

/// Whom the learning curve is measured against, where the published one has Slumbot.
const ANCHOR: &str = "cfr";

/// What is in the study's folder.
struct Files<'a> {
    options: &'a Options,
}

impl Files<'_> {
    fn at(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// The teacher after so many iterations.
    fn blueprint(&self, iterations: u64) -> PathBuf {
        self.at("teacher").join(format!("{iterations}.blueprint"))
    }

    fn student(&self, kind: &str) -> PathBuf {
        self.at("students").join(kind)
    }

    fn rows(&self, iterations: u64) -> PathBuf {
        self.at("rows").join(iterations.to_string())
    }

    /// What a match printed.
    fn match_of(&self, one: &str, other: &str) -> PathBuf {
        self.at("matches").join(format!("{one}-{other}.json"))
    }

    /// What a student loses to its teacher.
    fn fidelity(&self, kind: &str) -> PathBuf {
        self.at("fidelity").join(format!("{kind}.json"))
    }

    /// What the match of the trees of a depth printed.
    fn shallow(&self, depth: u8) -> PathBuf {
        self.at("shallow").join(format!("depth-{depth}.json"))
    }

    /// What the match of the curve printed: of the student or the teacher after so many iterations.
    fn point(&self, who: &str, iterations: u64) -> PathBuf {
        self.at("curve").join(format!("{who}-{iterations}.json"))
    }
}

/// How large everything is.
struct Sizes {
    hands: u64,
    shallow_hands: u64,
    rows: u64,
    iterations: Vec<u64>,
    /// Of what learners repeat: goes with the root of the scale, as rows go with the scale.
    rounds: u64,
    starts: u64,
    epochs: u64,
}

impl Sizes {
    fn of(options: &Options) -> Sizes {
        let scale = options.scale;
        let part = |full: f64, least: f64| (full * scale).round().max(least) as u64;
        let mut iterations: Vec<u64> =
            ITERATIONS.iter().map(|&count| part(count as f64, 10_000.0)).collect();
        iterations.dedup();
        let root = |full: f64| (full * scale.sqrt()).ceil() as u64;
        Sizes {
            hands: part(published::HANDS as f64 / 2.0, 50.0) * 2,
            shallow_hands: part(SHALLOW_HANDS / 2.0, 50.0) * 2,
            rows: part(ROWS, 5_000.0),
            iterations,
            rounds: root(80.0),
            starts: root(16.0),
            epochs: root(24.0),
        }
    }

    fn last(&self) -> u64 {
        *self.iterations.last().expect("there are some")
    }
}

/// Who plays, by name in the tables, and as agents.
fn agents(options: &Options) -> Vec<(&'static str, String)> {
    let files = Files { options };
    let students = STUDENTS.map(|kind| match options.shipped {
        true => (kind, kind.to_owned()),
        false => (kind, format!("{kind}:model={}", argument(&files.student(kind)))),
    });
    let blueprint = files.blueprint(Sizes::of(options).last());
    let teacher = match options.shipped {
        true => "cfr".to_owned(),
        false => format!("cfr:blueprint={}", argument(&blueprint)),
    };
    students.into_iter().chain([("teacher", teacher)]).collect()
}

/// All pairs, the earlier one first.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let count = STUDENTS.len() + 1;
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

fn steps(options: &Options) -> Vec<Step> {
    let files = Files { options };
    let sizes = Sizes::of(options);
    let mut steps = Vec::new();
    if !options.shipped {
        teach(&mut steps, &files, &sizes);
    }
    let from = match options.shipped {
        true => "shipped".to_owned(),
        false => argument(&files.blueprint(sizes.last())),
    };
    steps.push(rows(&files, &sizes, sizes.last(), &from));
    if !options.shipped {
        for kind in STUDENTS.into_iter().rev() {
            let out = files.student(kind);
            let title = format!("{kind} of {} iterations", sizes.last());
            steps.push(
                student(&files, &sizes, title, kind, sizes.last(), &out)
                    .with(["--json"])
                    .prints_into(&files.at("students").join(format!("{kind}.json"))),
            );
        }
    }
    let agents = agents(options);
    let names: Vec<String> = agents.iter().take(4).map(|(_, agent)| agent.clone()).collect();
    let mut losses = Step::command("log-losses of all students", "train compare");
    for name in &names {
        losses = losses.with([name]);
    }
    steps.push(
        losses
            .with(["--data", &argument(&files.rows(sizes.last())), "--json"])
            .prints_into(&files.at("losses.json")),
    );
    for (one, other) in pairs() {
        let [(one, agent), (other, against)] = [&agents[one], &agents[other]];
        let folder = argument(&files.at("matches").join(format!("{one}-{other}")));
        let title = format!("{one} against {other}");
        steps.push(
            a_match(&title, [agent, against], sizes.hands)
                .with(["--out", &folder, "--record", "hands"]),
        );
        steps.push(
            Step::command(format!("{title}: estimates"), "stats")
                .with([&folder, "--json"])
                .prints_into(&files.match_of(one, other)),
        );
    }
    for (name, agent) in &agents[..STUDENTS.len()] {
        let hands = (2 * sizes.hands).to_string();
        steps.push(
            Step::command(format!("what {name} loses to the teacher"), "explain fidelity")
                .with([agent, "--teacher", &agents[STUDENTS.len()].1, "--game", GAME])
                .with(["--hands", &hands, "--json"])
                .prints_into(&files.fidelity(name)),
        );
    }
    shallow(&mut steps, &files, &sizes);
    if !options.shipped {
        curve(&mut steps, &files, &sizes);
    }
    pictures(&mut steps, &files, &agents[2].1);
    steps
}

/// The teacher, with what it was on the way.
fn teach(steps: &mut Vec<Step>, files: &Files<'_>, sizes: &Sizes) {
    let out = files.at("teacher").join("teacher.blueprint");
    for &iterations in &sizes.iterations {
        let title = format!("the teacher, {iterations} iterations");
        let kept = files.blueprint(iterations);
        steps.push(
            Step::command(&title, "train cfr")
                .with(["--game", GAME, "--menu", "standard", "--buckets", BUCKETS])
                .with(["--threads", "1", "--time", "24h"])
                .with(["--iterations", &iterations.to_string(), "--out", &argument(&out)])
                .prints_into(&files.at("teacher").join(format!("{iterations}.txt"))),
        );
        let action = Action::Copy { from: out.clone(), to: kept };
        steps.push(Step { title: format!("{title}, kept"), action });
    }
}

/// Rows of what a teacher does.
fn rows(files: &Files<'_>, sizes: &Sizes, iterations: u64, from: &str) -> Step {
    let out = files.rows(iterations);
    Step::command(format!("rows of {iterations} iterations"), "train dataset")
        .with(["--from", from, "--rows", &sizes.rows.to_string(), "--out", &argument(&out)])
        .makes(&out)
}

/// A student of these rows.
fn student(
    files: &Files<'_>,
    sizes: &Sizes,
    title: String,
    kind: &str,
    iterations: u64,
    out: &std::path::Path,
) -> Step {
    let Sizes { rounds, starts, epochs, .. } = sizes;
    let lesson = match kind {
        "oct" => format!("oct --starts {starts} --survivors 2 --rounds 4 --regrows 1"),
        "xgboost" => format!("xgboost --rounds {rounds} --eta 0.2 --small"),
        "mlp" => format!("mlp --hidden 256,256,256 --epochs {epochs} --batch 512 --small"),
        kind => kind.to_owned(),
    };
    let data = argument(&files.rows(iterations));
    Step::command(title, &format!("train {lesson}"))
        .with(["--data", &data, "--out", &argument(out)])
        .makes(out)
}

fn a_match(title: &str, agents: [&String; 2], hands: u64) -> Step {
    let hands = hands.to_string();
    Step::command(title, "match")
        .with([agents[0], agents[1]])
        .with(["--game", GAME, "--hands", &hands])
}

/// Both kinds of trees again, so small that a person can read them.
fn shallow(steps: &mut Vec<Step>, files: &Files<'_>, sizes: &Sizes) {
    for depth in SHALLOW {
        let trees = ["oct", "cart"].map(|kind| {
            let out = files.at("shallow").join(format!("{kind}-{depth}"));
            let title = format!("{kind} of depth {depth}");
            steps.push(
                student(files, sizes, title, kind, sizes.last(), &out)
                    .with(["--depth", &depth.to_string()]),
            );
            format!("{kind}:model={}", argument(&out))
        });
        let title = format!("oct of depth {depth} against cart");
        steps.push(
            a_match(&title, [&trees[0], &trees[1]], sizes.shallow_hands)
                .with(["--record", "nothing", "--json"])
                .prints_into(&files.shallow(depth)),
        );
    }
}

/// Figure 5: the boosted trees taught of each blueprint, and the blueprint itself, against the anchor.
fn curve(steps: &mut Vec<Step>, files: &Files<'_>, sizes: &Sizes) {
    let anchor = ANCHOR.to_owned();
    for &iterations in &sizes.iterations {
        let blueprint = argument(&files.blueprint(iterations));
        let mut folder = files.student("xgboost");
        if iterations != sizes.last() {
            folder = files.at("curve").join(format!("xgboost-{iterations}"));
            steps.push(rows(files, sizes, iterations, &blueprint));
            let title = format!("xgboost of {iterations} iterations");
            steps.push(student(files, sizes, title, "xgboost", iterations, &folder));
        }
        let who = [
            ("xgboost", format!("xgboost:model={}", argument(&folder))),
            ("teacher", format!("cfr:blueprint={blueprint}")),
        ];
        for (who, agent) in who {
            let title = format!("{who} of {iterations} iterations against {ANCHOR}");
            steps.push(
                a_match(&title, [&agent, &anchor], sizes.hands)
                    .with(["--record", "nothing", "--json"])
                    .prints_into(&files.point(who, iterations)),
            );
        }
    }
}

/// Figures 4, 6, 7 and 8: what the optimal tree does.
fn pictures(steps: &mut Vec<Step>, files: &Files<'_>, oct: &str) {
    steps.push(
        Step::command("the opening chart", "explain chart")
            .with([oct, "--svg", &argument(&files.at("opening.svg")), "--json"])
            .prints_into(&files.at("opening.json")),
    );
    steps.push(
        Step::command(
            "the tree before the flop",
            "explain tree --street preflop --depth 3 --format svg",
        )
        .with([oct, "--out", &argument(&files.at("tree-preflop.svg"))]),
    );
    steps.push(
        Step::command(
            "the tree on the river",
            "explain tree --street river --depth 3 --format svg",
        )
        .with([oct, "--out", &argument(&files.at("tree-river.svg"))]),
    );
    steps.push(
        Step::command("where the optimal tree bluffs", "explain bluffs")
            .with([oct, "--json"])
            .prints_into(&files.at("bluffs.json")),
    );
}

fn report(options: &Options, record: &Record) -> Result<Report, ReadError> {
    let results = results::Results::read(options)?;
    let picture = tables::picture(&results);
    let curve = tables::curve_picture(&results);
    let page = page::page(options, record, &results, &picture, curve.as_deref())?;
    let mut files = vec![
        ("table1.csv", tables::table_1(&results)),
        ("table1.svg", picture),
        ("losses.csv", tables::losses(&results)),
        ("fidelity.csv", tables::fidelity(&results)),
        ("shallow.csv", tables::shallow(&results)),
        ("report.html", page),
    ];
    if let Some(curve) = curve {
        files.push(("curve.csv", tables::curve(&results)));
        files.push(("curve.svg", curve));
    }
    Ok(Report {
        text: tables::text(&results),
        document: tables::document(options, &results),
        files,
    })
}
