//! The losses of a training: a CSV file and its chart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use learners::Progress;
use logs::folder::write_whole;
use show::svg::chart::{Chart, Line};

/// The header of the file.
const HEAD: &str = "step,loss,validation";

/// A CSV file of losses, one row for each step.
pub(super) struct Curve {
    path: PathBuf,
    text: String,
}

impl Curve {
    /// Opens the file to go on with it, or starts a new one.
    pub(super) fn open(path: &Path, resumed: bool) -> io::Result<Curve> {
        let text = if resumed { fs::read_to_string(path)? } else { format!("{HEAD}\n") };
        Ok(Curve { path: path.to_owned(), text })
    }

    /// Adds the row of a step.
    pub(super) fn add(&mut self, progress: &Progress) {
        let held_out = progress.held_out.map_or_else(String::new, |loss| format!("{loss:.6}"));
        self.text.push_str(&format!("{},{:.6},{held_out}\n", progress.done, progress.loss));
    }

    pub(super) fn write(&mut self) -> io::Result<()> {
        write_whole(&self.path, |out| out.write_all(self.text.as_bytes()))
    }
}

/// The chart of the validation losses of such a file. `loss` is the name of the loss and `unit` its
/// unit; `None` with fewer than three points.
pub(super) fn picture(
    path: &Path,
    title: &str,
    steps: &str,
    [loss, unit]: [&str; 2],
) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
        Some((number(0)?, number(2)?))
    };
    let points: Vec<(f64, f64)> = text.lines().skip(1).filter_map(row).collect();
    let (&(step, last), 3..) = (points.last()?, points.len()) else { return None };
    let chart = Chart {
        size: [720, 300],
        description: format!(
            "After {step} {steps} the {loss} on validation rows is {last:.4}{unit}."
        ),
        lines: vec![Line { class: "validation", points, ..Line::default() }],
        ..Chart::new("losses", title, steps)
    };
    Some(chart.file())
}
