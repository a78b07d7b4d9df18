//! The study as one page: `report.html`, without script or request to anywhere.

use askama::Template;

use super::results::{Bluffs, Results, STREETS, Training};
use super::tables::{published, rate, verdict};
use super::words::{Claim, LIMITS, claims, whole};
use super::{Files, agents};
use crate::record::Record;
use crate::{Options, ReadError};

#[derive(Template)]
#[template(path = "000.html")]
struct Page<'a> {
    scale: String,
    shipped: bool,
    program: &'a str,
    hands: String,
    players: Vec<(&'static str, String)>,
    streets: [&'static str; 4],
    table: Vec<Line>,
    losses: Vec<(String, [String; 4])>,
    training: &'a [Training],
    /// Name, share of decisions alike, what is lost by street and in all.
    fidelity: Vec<Vec<String>>,
    fidelity_hands: String,
    /// Depth, hands, what the optimal tree wins.
    shallow: Vec<[String; 3]>,
    /// Iterations, what the student wins, what the teacher wins.
    curve: Vec<[String; 3]>,
    anchor: &'static str,
    bluffs: &'a [Bluffs],
    claims: Vec<Claim>,
    limits: [&'static str; 5],
    steps: Vec<(String, String)>,
    seconds: String,
    table_picture: &'a str,
    curve_picture: &'a str,
    opening_picture: String,
    tree_pictures: Vec<String>,
}

/// A line of Table 1.
struct Line {
    pair: String,
    published: String,
    rate: String,
    single: String,
    all_in: String,
    combined: String,
    verdict: &'static str,
}

/// Makes the page.
pub(super) fn page(
    options: &Options,
    record: &Record,
    results: &Results,
    table_picture: &str,
    curve_picture: Option<&str>,
) -> Result<String, ReadError> {
    let files = Files { options };
    let drawn = |name: &str| {
        let path = files.at(name);
        std::fs::read_to_string(&path)
            .map_err(|error| ReadError::File { path: path.display().to_string(), error })
    };
    let page = Page {
        scale: format!("{}", options.scale),
        shipped: options.shipped,
        program: &record.program,
        hands: whole(results.hands),
        players: agents(options),
        streets: STREETS,
        table: results.pairs.iter().map(line).collect(),
        losses: losses(results),
        training: &results.training,
        fidelity: results.fidelity.iter().map(faithful).collect(),
        fidelity_hands: results.fidelity.first().map_or_else(String::new, |line| whole(line.hands)),
        shallow: results
            .shallow
            .iter()
            .map(|row| [row.depth.to_string(), whole(row.hands), rate(row.rate)])
            .collect(),
        curve: results
            .curve
            .iter()
            .map(|point| [whole(point.iterations), rate(point.student), rate(point.teacher)])
            .collect(),
        anchor: results.anchor(),
        bluffs: &results.bluffs,
        claims: claims(results),
        limits: LIMITS,
        steps: record
            .done
            .iter()
            .map(|done| (done.command.clone(), format!("{:.1}", done.seconds)))
            .collect(),
        seconds: duration(record.seconds()),
        table_picture,
        curve_picture: curve_picture.unwrap_or_default(),
        opening_picture: drawn("opening.svg")?,
        // Each picture has an id of the same name, of which a page may have one.
        tree_pictures: vec![
            drawn("tree-preflop.svg")?,
            drawn("tree-river.svg")?.replace("tree-title", "river-title"),
        ],
    };
    Ok(page.render()?)
}

fn line(pair: &super::results::Pair) -> Line {
    Line {
        pair: format!("{} – {}", pair.one, pair.other),
        published: published(pair),
        rate: rate(pair.rate),
        single: format!("± {:.0}", pair.single),
        all_in: rate(pair.all_in),
        combined: rate(pair.combined),
        verdict: verdict(pair),
    }
}

fn faithful(line: &super::results::Fidelity) -> Vec<String> {
    let mut cells = vec![line.name.to_owned(), format!("{:.1} %", 100.0 * line.same)];
    cells.extend(line.lost.iter().map(|&lost| rate(lost)));
    cells.push(rate(line.lost_in_all));
    cells
}

fn losses(results: &Results) -> Vec<(String, [String; 4])> {
    let mut lines: Vec<(String, [String; 4])> = results
        .losses
        .iter()
        .map(|line| {
            let cell = |street: usize| {
                format!("{:.4} ({:.1} %)", line.log_loss[street], 100.0 * line.accuracy[street])
            };
            (line.name.clone(), [0, 1, 2, 3].map(cell))
        })
        .collect();
    lines.push(("least possible".to_owned(), results.least.map(|loss| format!("{loss:.4}"))));
    lines
}

/// Minutes, or seconds where it was less than two.
fn duration(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} minutes", seconds / 60.0)
    }
}
