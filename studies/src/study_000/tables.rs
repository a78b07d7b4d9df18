//! The study's results as tables, documents and pictures.

use logs::chart::{Chart, Line};
use serde_json::{Value, json};

use super::results::{Pair, Results, STREETS, Verdict};
use super::words;
use crate::Options;
use crate::picture::{Row, intervals, signed};
use crate::read::Estimate;

/// A rate with the half-width of its interval.
pub(super) fn rate(estimate: Estimate) -> String {
    format!("{} ± {:.0}", signed(estimate.mbb), estimate.half_width())
}

/// What was published, in mbb/hand.
pub(super) fn published(pair: &Pair) -> String {
    pair.published
        .map_or_else(String::new, |(won, deviation)| format!("{} ± {deviation:.0}", signed(won)))
}

pub(super) fn verdict(pair: &Pair) -> &'static str {
    match (pair.verdict(), pair.combined.sign()) {
        (Verdict::Same, _) => "as published",
        (Verdict::Open, _) | (Verdict::Unpublished, 0) => "not separated",
        (Verdict::Opposite, _) => "the other way",
        (Verdict::Unpublished, _) => "separated",
    }
}

/// For a terminal.
pub(super) fn text(results: &Results) -> String {
    let mut lines = vec![[
        String::new(),
        "published".to_owned(),
        "duplicate".to_owned(),
        "(single)".to_owned(),
        "all-in adj.".to_owned(),
        "corrected".to_owned(),
        String::new(),
    ]];
    lines.extend(results.pairs.iter().map(|pair| {
        [
            format!("{} - {}", pair.one, pair.other),
            published(pair),
            rate(pair.rate),
            format!("± {:.0}", pair.single),
            rate(pair.all_in),
            rate(pair.combined),
            verdict(pair).to_owned(),
        ]
    }));
    let mut text = format!(
        "What the first wins from the second, mbb/hand, {} hands a match, with 95 % intervals\n\n",
        words::whole(results.hands)
    );
    text += &aligned(&lines);
    text += "\nLog-loss in nats on test rows\n\n";
    let mut lines = vec![vec![String::new()]];
    lines[0].extend(STREETS.map(str::to_owned));
    let row = |name: &str, losses: &[f64; 4]| {
        let losses = losses.iter().map(|loss| format!("{loss:.4}"));
        [name.to_owned()].into_iter().chain(losses).collect::<Vec<_>>()
    };
    lines.extend(results.losses.iter().map(|line| row(&line.name, &line.log_loss)));
    lines.push(row("least possible", &results.least));
    text += &aligned(&lines);
    text += "\nLost to the teacher where the student decides on one street only, and on all, mbb/hand\n\n";
    let mut lines = vec![vec![String::new(), "same move".to_owned()]];
    lines[0].extend(STREETS.iter().map(|&street| street.to_owned()));
    lines[0].push("all streets".to_owned());
    lines.extend(results.fidelity.iter().map(|line| {
        let mut cells = vec![line.name.to_owned(), format!("{:.1} %", 100.0 * line.same)];
        cells.extend(line.lost.iter().map(|&lost| rate(lost)));
        cells.push(rate(line.lost_in_all));
        cells
    }));
    text += &aligned(&lines);
    text += "\nWon by the optimal tree from the greedy one of the same depth, mbb/hand\n\n";
    let mut lines = vec![["depth", "hands", "duplicate"].map(str::to_owned)];
    lines.extend(
        results
            .shallow
            .iter()
            .map(|row| [row.depth.to_string(), words::whole(row.hands), rate(row.rate)]),
    );
    text += &aligned(&lines);
    if !results.curve.is_empty() {
        text +=
            &format!("\nWon from {} by what was learned so far, mbb/hand\n\n", results.anchor());
        let mut lines = vec![["iterations", "xgboost", "teacher"].map(str::to_owned)];
        lines.extend(results.curve.iter().map(|point| {
            [words::whole(point.iterations), rate(point.student), rate(point.teacher)]
        }));
        text += &aligned(&lines);
    }
    text.push('\n');
    for claim in words::claims(results) {
        text += &format!("{:<14} {}: {}\n", claim.mark.word(), claim.claim, claim.found);
    }
    text
}

/// Columns as wide as their widest, the first to the left, the last to the left if it is of words.
fn aligned<R: AsRef<[String]>>(lines: &[R]) -> String {
    let columns = lines.first().map_or(0, |line| line.as_ref().len());
    let wide = |column: usize| {
        lines.iter().map(|line| line.as_ref()[column].chars().count()).max().unwrap_or_default()
    };
    let wide: Vec<usize> = (0..columns).map(wide).collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, (cell, &wide)) in line.as_ref().iter().zip(&wide).enumerate() {
            let words = cell.chars().next().is_some_and(char::is_alphabetic);
            match column {
                0 => row += &format!("{cell:<wide$}"),
                last if last + 1 == columns && words => row += &format!("  {cell}"),
                _ => row += &format!("  {cell:>wide$}"),
            }
        }
        text += row.trim_end();
        text.push('\n');
    }
    text
}

/// Table 1 as CSV.
pub(super) fn table_1(results: &Results) -> String {
    let mut text = String::from(
        "one,other,hands,published_mbb,published_deviation,mbb,low,high,single_half_width,all_in_mbb,all_in_low,\
         all_in_high,corrected_mbb,corrected_low,corrected_high,verdict\n",
    );
    for pair in &results.pairs {
        let (won, deviation) = match pair.published {
            Some((won, deviation)) => (won.to_string(), deviation.to_string()),
            None => Default::default(),
        };
        text += &format!(
            "{},{},{},{won},{deviation},{},{:.2},{},{},{}\n",
            pair.one,
            pair.other,
            results.hands,
            cells(pair.rate),
            pair.single,
            cells(pair.all_in),
            cells(pair.combined),
            verdict(pair)
        );
    }
    text
}

fn cells(estimate: Estimate) -> String {
    format!("{:.2},{:.2},{:.2}", estimate.mbb, estimate.low, estimate.high)
}

/// The log-losses as CSV.
pub(super) fn losses(results: &Results) -> String {
    let mut text = String::from("name,street,log_loss,accuracy\n");
    for line in &results.losses {
        for (street, name) in STREETS.iter().enumerate() {
            let (loss, accuracy) = (line.log_loss[street], line.accuracy[street]);
            text += &format!("{},{name},{loss:.6},{accuracy:.6}\n", line.name);
        }
    }
    for (loss, name) in results.least.iter().zip(STREETS) {
        text += &format!("least possible,{name},{loss:.6},1\n");
    }
    text
}

/// What is lost to the teacher as CSV.
pub(super) fn fidelity(results: &Results) -> String {
    let mut text = String::from("name,street,hands,lost_mbb,low,high\n");
    for line in &results.fidelity {
        for (lost, street) in line.lost.iter().zip(STREETS) {
            text += &format!("{},{street},{},{}\n", line.name, line.hands, cells(*lost));
        }
        text += &format!("{},all,{},{}\n", line.name, line.hands, cells(line.lost_in_all));
    }
    text
}

/// Trees that a person can read as CSV.
pub(super) fn shallow(results: &Results) -> String {
    let mut text = String::from("depth,hands,mbb,low,high\n");
    for row in &results.shallow {
        text += &format!("{},{},{}\n", row.depth, row.hands, cells(row.rate));
    }
    text
}

/// Figure 5 as CSV.
pub(super) fn curve(results: &Results) -> String {
    let mut text = String::from(
        "iterations,student_mbb,student_low,student_high,teacher_mbb,teacher_low,teacher_high\n",
    );
    for point in &results.curve {
        text +=
            &format!("{},{},{}\n", point.iterations, cells(point.student), cells(point.teacher));
    }
    text
}

/// Table 1 as a picture.
pub(super) fn picture(results: &Results) -> String {
    let mark = |estimate: Estimate| Some((estimate.mbb, estimate.half_width()));
    let rows: Vec<Row> = results
        .pairs
        .iter()
        .map(|pair| Row {
            name: format!("{} – {}", pair.one, pair.other),
            marks: vec![pair.published, mark(pair.rate), mark(pair.combined)],
        })
        .collect();
    let kinds = ["published, ± deviation", "duplicate deals, 95 %", "all corrections, 95 %"];
    intervals("What the first wins from the second", "mbb/hand", &kinds, &rows)
}

/// Figure 5 as a picture; `None` without two points.
pub(super) fn curve_picture(results: &Results) -> Option<String> {
    let [.., last] = results.curve.as_slice() else { return None };
    if results.curve.len() < 2 {
        return None;
    }
    // The course of a training is seen best along the logarithm of its length.
    let first = results.curve[0].iterations;
    let at = |iterations: u64| (iterations as f64 / first as f64).log10();
    let points = |of: fn(&super::results::Point) -> Estimate| {
        results.curve.iter().map(|point| (at(point.iterations), of(point).mbb)).collect()
    };
    let band = |point: &super::results::Point| {
        (at(point.iterations), [point.student.low, point.student.high])
    };
    let title = format!(
        "What boosted trees (with their band) and their teacher win from {}, mbb/hand",
        results.anchor()
    );
    let chart = Chart {
        name: "curve",
        size: [720, 320],
        title: &title,
        titled: true,
        description: &format!(
            "After {} iterations the student wins {} mbb/hand; the band is the 95 % interval.",
            words::whole(last.iterations),
            rate(last.student)
        ),
        along: &format!(
            "iterations of the teacher: {} times ten to the power of",
            words::whole(first)
        ),
        lines: vec![
            Line { class: "teacher", points: points(|point| point.teacher) },
            Line { class: "student", points: points(|point| point.student) },
        ],
        band: results.curve.iter().map(band).collect(),
    };
    Some(chart.svg())
}

/// The result as a document.
pub(super) fn document(options: &Options, results: &Results) -> Value {
    let estimate = |estimate: Estimate| json!({"mbb": estimate.mbb, "low": estimate.low, "high": estimate.high});
    let pair = |pair: &Pair| {
        json!({
            "one": pair.one,
            "other": pair.other,
            "published": pair.published.map(|(won, deviation)| json!({"mbb": won, "deviation": deviation})),
            "duplicate": estimate(pair.rate),
            "single_half_width": pair.single,
            "all_in_adjusted": estimate(pair.all_in),
            "corrected": estimate(pair.combined),
            "verdict": verdict(pair),
        })
    };
    let claims = words::claims(results);
    let claims = claims.iter().map(|claim| {
        json!({ "claim": claim.claim, "reproduced": claim.mark.word(), "found": claim.found })
    });
    json!({
        "schema": "cardroom-study-000/1",
        "scale": options.scale,
        "shipped": options.shipped,
        "hands": results.hands,
        "players": results.names,
        "table_1": results.pairs.iter().map(pair).collect::<Vec<_>>(),
        "losses": results.losses.iter().map(|line| json!({
            "name": line.name, "log_loss": line.log_loss, "accuracy": line.accuracy,
        })).collect::<Vec<_>>(),
        "least_log_loss": results.least,
        "fidelity": results.fidelity.iter().map(|line| json!({
            "name": line.name, "hands": line.hands, "same_likeliest": line.same,
            "lost_by_street": line.lost.map(estimate), "lost": estimate(line.lost_in_all),
        })).collect::<Vec<_>>(),
        "shallow": results.shallow.iter().map(|row| json!({
            "depth": row.depth, "hands": row.hands, "duplicate": estimate(row.rate),
        })).collect::<Vec<_>>(),
        "curve": results.curve.iter().map(|point| json!({
            "iterations": point.iterations, "student": estimate(point.student), "teacher": estimate(point.teacher),
        })).collect::<Vec<_>>(),
        "claims": claims.collect::<Vec<_>>(),
    })
}
