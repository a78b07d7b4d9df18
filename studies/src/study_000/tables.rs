//! The results as CSV tables, as a JSON document and as pictures.

use serde_json::{Value, json};
use show::number::whole;
use show::svg::Colour;
use show::svg::chart::{Chart, Line};

use super::results::{Match, Pair, Results, STREETS};
use super::sections::verdict;
use super::words::{self, rate};
use crate::Options;
use crate::picture::{Row, intervals};
use crate::read::Estimate;

/// Table 1 as CSV.
pub(super) fn table_1(options: &Options, results: &Results) -> String {
    let mut text = String::from(
        "one,other,published_mbb,published_deviation,hands,mbb,low,high,single_half_width,\
         drawn_hands,drawn_mbb,drawn_low,\
         drawn_high,drawn_single_half_width,verdict\n",
    );
    let of =
        |played: Match| format!("{},{},{:.2}", played.hands, cells(played.rate), played.single());
    for pair in &results.pairs {
        let (won, deviation) = match pair.published {
            Some(published) => (published.won.to_string(), published.deviation.to_string()),
            None => Default::default(),
        };
        text += &format!(
            "{},{},{won},{deviation},{},{},{}\n",
            pair.one,
            pair.other,
            of(pair.played),
            of(pair.drawn),
            verdict(options, pair)
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
    for (loss, name) in results.least.iter().flatten().zip(STREETS) {
        text += &format!("least possible,{name},{loss:.6},1\n");
    }
    text
}

/// The losses to the teacher as CSV.
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

/// Trees by depth as CSV.
pub(super) fn depths(results: &Results) -> String {
    let mut text = String::from("depth,hands,mbb,low,high\n");
    for row in &results.depths {
        text += &format!("{},{},{}\n", row.depth, row.played.hands, cells(row.played.rate));
    }
    text
}

/// Parameters as CSV.
pub(super) fn parameters(results: &Results) -> String {
    let mut text = String::from("name,street,parameters\n");
    for line in &results.losses {
        for (parameters, street) in line.parameters.iter().flatten().zip(STREETS) {
            text += &format!("{},{street},{parameters}\n", line.name);
        }
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

/// Table 1 as an SVG picture.
pub(super) fn picture(results: &Results) -> String {
    let mark = |estimate: Estimate| Some((estimate.mbb, estimate.half_width()));
    let rows: Vec<Row> = results
        .pairs
        .iter()
        .map(|pair| Row {
            name: format!("{} – {}", pair.one, pair.other),
            marks: vec![
                pair.published.map(|published| (published.won, published.deviation)),
                mark(pair.played.rate),
                mark(pair.drawn.rate),
            ],
        })
        .collect();
    let kinds = ["published, ± deviation", "likeliest played, 95 %", "drawn, 95 %"];
    intervals("What the first wins from the second", "mbb/hand", &kinds, &rows)
}

/// Figure 5 as an SVG picture; `None` with fewer than two points.
pub(super) fn curve_picture(results: &Results) -> Option<String> {
    let [.., last] = results.curve.as_slice() else { return None };
    if results.curve.len() < 2 {
        return None;
    }
    let points = |of: fn(&super::results::Point) -> Estimate| {
        results.curve.iter().map(|point| (point.iterations as f64, of(point).mbb)).collect()
    };
    let band = |point: &super::results::Point| {
        (point.iterations as f64, [point.student.low, point.student.high])
    };
    let title =
        format!("What boosted trees and their teacher win from {}, mbb/hand", super::ANCHOR);
    let chart = Chart {
        size: [720, 320],
        description: format!(
            "After {} iterations the student wins {} mbb/hand; the band is the 95 % interval.",
            whole(last.iterations),
            rate(last.student)
        ),
        // A logarithmic axis shows the course of a training best.
        logarithmic: true,
        lines: vec![
            Line {
                class: "teacher",
                colour: Colour::Grey,
                name: "teacher",
                points: points(|point| point.teacher),
                ..Line::default()
            },
            Line {
                class: "student",
                colour: Colour::Felt,
                name: "boosted trees, with their 95 % interval",
                points: points(|point| point.student),
                band: results.curve.iter().map(band).collect(),
            },
        ],
        ..Chart::new("curve", title, "iterations of the teacher")
    };
    Some(chart.file())
}

/// The results as a JSON document.
pub(super) fn document(options: &Options, results: &Results) -> Value {
    let estimate = |estimate: Estimate| {
        json!({
            "mbb": estimate.mbb, "low": estimate.low, "high": estimate.high,
        })
    };
    let played = |played: Match| {
        json!({
            "hands": played.hands,
            "duplicate": estimate(played.rate),
            "single_half_width": played.single(),
        })
    };
    let published = |published: super::published::Published| {
        json!({
            "mbb": published.won, "deviation": published.deviation,
        })
    };
    let pair = |pair: &Pair| {
        json!({
            "one": pair.one,
            "other": pair.other,
            "published": pair.published.map(published),
            "likeliest": played(pair.played),
            "drawn": played(pair.drawn),
            "verdict": verdict(options, pair),
        })
    };
    let slumbot = |line: &super::results::Slumbot| {
        json!({
            "student": line.kind,
            "published": published(line.published),
            "run": line.run.as_ref().map(|run| json!({
                "agent": run.agent, "server": run.server, "hands": run.hands,
                "raw": estimate(run.raw), "corrected": estimate(run.combined),
            })),
        })
    };
    let claims = words::claims(results);
    let claims = claims.iter().map(|claim| {
        let mark = claim.mark.word(options);
        json!({ "claim": claim.claim, "reproduced": mark, "found": claim.found })
    });
    json!({
        "schema": "cardroom-study-000/2",
        "scale": options.scale,
        "shipped": options.shipped,
        "teacher": options.teacher,
        "players": results.players.iter().map(|player| json!({
            "name": player.name, "agent": player.agent, "drawing": player.sampled,
        })).collect::<Vec<_>>(),
        "table_1": results.pairs.iter().map(pair).collect::<Vec<_>>(),
        "slumbot": results.slumbot.iter().map(slumbot).collect::<Vec<_>>(),
        "losses": results.losses.iter().map(|line| json!({
            "name": line.name, "log_loss": line.log_loss, "accuracy": line.accuracy,
                "parameters": line.parameters,
        })).collect::<Vec<_>>(),
        "losses_above": results.above.iter().map(|above| json!({
            "first": above.first, "second": above.second,
            "streets": above.streets.map(|more| json!({
                "nats": more.mbb, "low": more.low, "high": more.high
            })),
        })).collect::<Vec<_>>(),
        "least_log_loss": results.least,
        "fidelity": results.fidelity.iter().map(|line| json!({
            "name": line.name, "hands": line.hands, "same_likeliest": line.same,
            "lost_by_street": line.lost.map(estimate), "lost": estimate(line.lost_in_all),
        })).collect::<Vec<_>>(),
        "depths": results.depths.iter().map(|row| {
            let mut played = played(row.played);
            played["depth"] = row.depth.into();
            played
        }).collect::<Vec<_>>(),
        "curve": results.curve.iter().map(|point| json!({
            "iterations": point.iterations, "hands": point.hands,
            "student": estimate(point.student), "teacher": estimate(point.teacher),
        })).collect::<Vec<_>>(),
        "claims": claims.collect::<Vec<_>>(),
    })
}
