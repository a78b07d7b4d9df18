//! The progress of a training: a row at each checkpoint, on the terminal and in a CSV file beside
//! the model, and a chart of it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use show::number::{clock, percent};
use show::svg::chart::{Chart, Line};
use solvers::blueprint::{Estimate, Statistics};

/// The header of the file.
const HEAD: &str = "seconds,iterations,nodes,reached,change,against_last_mbb,\
                    against_last_error_mbb,exploitability_mbb,exploitability_error_mbb";

/// The figures of a checkpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Seconds of training so far, breaks not included.
    pub(super) seconds: f64,
    pub(super) statistics: Statistics,
    /// The winnings of the average strategy against the last checkpoint's, in big blinds a hand.
    pub(super) against_last: Option<Estimate>,
    /// A lower bound on the exploitability in the abstract game, in big blinds a hand.
    pub(super) exploitability: Estimate,
}

/// The head of the table on the terminal.
pub(super) fn heading() -> String {
    format!(
        "{:>9}  {:>13}  {:>10}  {:>9}  {:>8}  {:>18}  {:>19}",
        "trained",
        "iterations",
        "nodes/s",
        "reached",
        "change",
        "against the last",
        "exploitable by"
    )
}

/// The units of the table, below its head.
pub(super) fn units() -> String {
    format!(
        "{:>9}  {:>13}  {:>10}  {:>9}  {:>8}  {:>18}  {:>19}",
        "", "", "", "infosets", "of play", "mbb/hand", "mbb/hand, at least"
    )
}

impl Row {
    /// A line of the table; `before` is the previous row of this run, if any.
    pub(super) fn line(&self, before: Option<&Row>) -> String {
        let Row { seconds, statistics, against_last, exploitability } = self;
        let (from, nodes) = before.map_or((0.0, 0), |row| (row.seconds, row.statistics.nodes));
        let speed = (statistics.nodes - nodes) as f64 / (seconds - from).max(1e-3);
        let reached = statistics.touched / statistics.infosets.max(1) as f64;
        let change = statistics.change.map_or_else(String::new, |change| percent(change, 1));
        format!(
            "{:>9}  {:>13}  {:>10}  {:>9}  {change:>8}  {:>18}  {:>19}",
            clock(*seconds),
            statistics.iterations,
            format!("{:.1} M", speed / 1e6),
            percent(reached, 1),
            against_last.map_or_else(String::new, in_words),
            found(*exploitability),
        )
    }

    fn csv(&self) -> String {
        let Row { seconds, statistics, against_last, exploitability } = self;
        let optional =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.5}"));
        format!(
            "{seconds:.1},{},{},{:.0},{},{},{},{:.2},{:.2}",
            statistics.iterations,
            statistics.nodes,
            statistics.touched,
            optional(statistics.change),
            optional(against_last.map(|e| 1000.0 * e.mean)),
            optional(against_last.map(|e| 1000.0 * e.error)),
            1000.0 * exploitability.mean,
            1000.0 * exploitability.error,
        )
    }

    /// Appends the row to the file; a new file gets the header first.
    pub(super) fn add_to(&self, path: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let mut text = String::new();
        if file.metadata()?.len() == 0 {
            text = format!("{HEAD}\n");
        }
        file.write_all(format!("{text}{}\n", self.csv()).as_bytes())
    }
}

/// Creates an empty file of rows.
pub(super) fn begin(path: &Path) -> io::Result<()> {
    File::create(path).map(drop)
}

/// The seconds of training in the last row with at most this many iterations; 0 if there is none.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn seconds_at(path: &Path, iterations: u64) -> io::Result<f64> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0.0),
        text => text?,
    };
    let row = |line: &str| {
        let mut fields = line.split(',');
        let seconds: f64 = fields.next()?.parse().ok()?;
        Some((seconds, fields.next()?.parse::<u64>().ok()?))
    };
    let mut rows = text.lines().rev().filter_map(row);
    Ok(rows.find(|&(_, done)| done <= iterations).map_or(0.0, |(seconds, _)| seconds))
}

/// The chart of a file of rows: the lower bound on the exploitability in the abstract game over
/// iterations, with its 95 % band. `None` with fewer than two rows.
pub(super) fn picture(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let column = |name| HEAD.split(',').position(|head| head == name);
    let columns = ["iterations", "exploitability_mbb", "exploitability_error_mbb"].map(column);
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: Option<usize>| fields.get(at?)?.parse::<f64>().ok();
        let [iterations, mean, error] = columns.map(number);
        Some((iterations? / 1e6, mean?, 1.96 * error?))
    };
    let rows: Vec<(f64, f64, f64)> = text.lines().skip(1).filter_map(row).collect();
    let (&(iterations, mean, reach), 2..) = (rows.last()?, rows.len()) else { return None };
    let title = "Learning curve: mbb/hand that an opponent in the abstract game wins, at least";
    let chart = Chart {
        description: format!(
            "After {iterations:.1} million iterations an opponent who knows the strategy was found \
             to win {mean:.0} ± {reach:.0} mbb/hand within the abstract game."
        ),
        lines: vec![Line {
            class: "exploitability",
            points: rows.iter().map(|&(at, mean, _)| (at, mean)).collect(),
            band: rows
                .iter()
                .map(|&(at, mean, reach)| (at, [mean - reach, mean + reach]))
                .collect(),
            ..Line::default()
        }],
        ..Chart::new("learning", title, "million iterations")
    };
    Some(chart.file())
}

/// A mean in thousandths of a big blind, with its 95 % interval.
pub(super) fn in_words(estimate: Estimate) -> String {
    format!("{:+.0} ± {:.0}", 1000.0 * estimate.mean, 1960.0 * estimate.error)
}

/// The winnings of the best opponent found, or `none found`.
pub(super) fn found(estimate: Estimate) -> String {
    if estimate.mean > 0.0 { in_words(estimate) } else { "none found".to_owned() }
}
