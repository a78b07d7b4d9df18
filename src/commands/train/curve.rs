//! The losses of a training: a file of rows, and a picture of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use learners::Progress;
use logs::chart::{Chart, Line};
use logs::folder::write_whole;

/// The file's first line.
const HEAD: &str = "step,loss,validation";

/// A file of losses, step by step.
pub(super) struct Curve {
    path: PathBuf,
    text: String,
}

impl Curve {
    /// Goes on with the file, or begins it.
    pub(super) fn open(path: &Path, resumed: bool) -> io::Result<Curve> {
        let text = if resumed { fs::read_to_string(path)? } else { format!("{HEAD}\n") };
        Ok(Curve { path: path.to_owned(), text })
    }

    /// Adds a step.
    pub(super) fn add(&mut self, progress: &Progress) {
        let held_out = progress.held_out.map_or_else(String::new, |loss| format!("{loss:.6}"));
        self.text.push_str(&format!("{},{:.6},{held_out}\n", progress.done, progress.loss));
    }

    /// Writes the file.
    pub(super) fn write(&mut self) -> io::Result<()> {
        write_whole(&self.path, |out| out.write_all(self.text.as_bytes()))
    }
}

/// The picture of a file of losses: those of validation. `loss` names the loss and `unit` its unit;
/// `None` before there are three.
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
    let picture = Chart {
        name: "losses",
        size: [720, 300],
        title,
        titled: true,
        description: &format!(
            "After {step} {steps} the {loss} on validation rows is {last:.4}{unit}."
        ),
        along: steps,
        lines: vec![Line { class: "validation", points }],
        band: Vec::new(),
    };
    Some(picture.svg())
}
