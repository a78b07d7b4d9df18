//! Progress of long runs: a bar on a terminal, otherwise lines, first after ten seconds, later
//! every two minutes. It shows what is done, the speed, and the remaining time, as far as they are
//! known. Whoever starts a command can have it kept in a file, too.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use game::escape::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use matches::program::PROGRESS_FILE;
use serde::{Deserialize, Serialize};
use show::number::{time_span, whole};

/// The interval between updates of that file.
const FILE_INTERVAL: Duration = Duration::from_secs(1);

/// The time to the first line when stderr is not a terminal; each later one takes twice as long, up
/// to [`LAST_INTERVAL`].
const FIRST_INTERVAL: Duration = Duration::from_secs(10);

/// The interval between lines in the long run.
const LAST_INTERVAL: Duration = Duration::from_secs(120);

/// The delay before a patient display appears.
const SOON: Duration = Duration::from_secs(2);

/// A run's progress on stderr.
pub(crate) struct Progress {
    bar: ProgressBar,
    plain: bool,
    said: Instant,
    /// The time from the last line to the next.
    interval: Duration,
    begun: Instant,
    unit: Unit,
    /// The units done when [`show`](Self::show) or [`go_on`](Self::go_on) was first called, and the
    /// time.
    from: Option<(u64, Instant)>,
    /// The time after which it appears on a terminal; `None` if it may appear at once.
    after: Option<Duration>,
    /// The file in which it is kept, too, and the time of its last update.
    file: Option<(PathBuf, Option<Instant>)>,
}

/// What is kept of a run's progress in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The units that are done.
    pub(crate) done: u64,
    /// The units of the whole run, as far as is known.
    pub(crate) total: u64,
    /// The same in words, with the speed and the remaining time.
    pub(crate) words: String,
    /// What the command says of it besides.
    pub(crate) note: String,
}

/// The unit of progress.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// Things, with their plural name.
    Things(&'static str),
    /// Parts of a whole, whose number does not matter.
    Parts,
    /// Seconds of a fixed duration.
    Seconds,
}

impl Progress {
    /// A run of `total` units with this plural name (`hands`). Shows nothing when `quiet`.
    pub(crate) fn new(total: u64, unit: &'static str, quiet: bool) -> Progress {
        Progress::with_unit(total, Unit::Things(unit), quiet)
    }

    /// A run of which only the share done is known, in `total` parts.
    pub(crate) fn parts(total: u64, quiet: bool) -> Progress {
        Progress::with_unit(total, Unit::Parts, quiet)
    }

    /// A run that lasts `total` seconds.
    pub(crate) fn seconds(total: u64, quiet: bool) -> Progress {
        Progress::with_unit(total, Unit::Seconds, quiet)
    }

    fn with_unit(total: u64, unit: Unit, quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal && !quiet {
            ProgressDrawTarget::stderr_with_hz(8)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:28} {msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        let (plain, now) = (!terminal && !quiet, Instant::now());
        let file = std::env::var_os(PROGRESS_FILE).filter(|path| !path.is_empty());
        Progress {
            bar,
            plain,
            said: now,
            interval: FIRST_INTERVAL,
            begun: now,
            unit,
            from: None,
            after: None,
            file: file.map(|path| (path.into(), None)),
        }
    }

    /// [`new`](Self::new), but nothing is shown within the first two seconds, and nothing is kept
    /// in the file: for what follows a run.
    pub(crate) fn patient(total: u64, unit: &'static str, quiet: bool) -> Progress {
        let mut progress = Progress::new(total, unit, quiet);
        // It is not the run's own: that has ended.
        progress.file = None;
        if !progress.bar.is_hidden() {
            progress.bar.set_draw_target(ProgressDrawTarget::hidden());
            progress.after = Some(SOON);
        }
        progress
    }

    /// Sets the number of units done by an earlier run.
    pub(crate) fn go_on(&mut self, done: u64) {
        self.from = Some((done, Instant::now()));
        self.bar.set_position(done);
    }

    /// Changes the expected number of units.
    pub(crate) fn expect(&mut self, total: u64) {
        self.bar.set_length(total);
    }

    /// Updates the display; `note` is the end of the line.
    pub(crate) fn show(&mut self, done: u64, note: &str) {
        if self.after.is_some_and(|after| self.begun.elapsed() >= after) {
            self.after = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        }
        self.bar.set_position(done);
        // The work of an earlier run does not count for this one's speed. It is the mean of the
        // whole run: a bar's own, of the last seconds, falls to nothing where units take minutes.
        let (before, since) = *self.from.get_or_insert_with(|| (done, Instant::now()));
        let total = self.bar.length().unwrap_or(done);
        let speed = done.saturating_sub(before) as f64 / since.elapsed().as_secs_f64().max(1e-3);
        let status = self.unit.status(done, total, speed);
        if self.plain && self.said.elapsed() >= self.interval {
            self.said = Instant::now();
            self.interval = (2 * self.interval).min(LAST_INTERVAL);
            let so_far = time_span(self.begun.elapsed().as_secs_f64());
            // Nothing can be done when stderr is closed.
            let _ = writeln!(std::io::stderr(), "after {so_far}: {status}  {}", visible(note));
        }
        if let Some((path, last)) = &mut self.file
            && last.is_none_or(|last| last.elapsed() >= FILE_INTERVAL)
        {
            *last = Some(Instant::now());
            let (words, note) = (status.trim_start().to_owned(), visible(note).into_owned());
            // Whoever reads it sees an old state when it cannot be written.
            let _ = Position { done, total, words, note }.write(path);
        }
        self.bar.set_message(format!("{status}  {}", visible(note)));
    }

    /// Prints a line, above the bar if there is one.
    pub(crate) fn say(&self, line: &str) {
        let line = visible(line);
        if self.plain {
            // Nothing can be done when stderr is closed.
            let _ = writeln!(std::io::stderr(), "{line}");
        } else {
            self.bar.println(line);
        }
    }

    /// Removes the display.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Position {
    /// The progress in a file, if there is one.
    pub(crate) fn read(path: &Path) -> Option<Position> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Readers see the file before or after, never a part of it. Nothing is lost with the machine.
    fn write(&self, path: &Path) -> std::io::Result<()> {
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_vec(self)?)?;
        std::fs::rename(&new, path)
    }
}

/// Prints a message; on a terminal it replaces a bar, which is drawn again below.
pub(crate) fn say_line(message: &str) {
    let start = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    // Nothing can be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{start}{message}");
}

impl Unit {
    /// The share done, the speed, and the remaining time.
    fn status(self, done: u64, total: u64, per_second: f64) -> String {
        let percent = (100.0 * done as f64 / total.max(1) as f64).min(100.0) as u64;
        // Seconds pass at a fixed speed.
        let pace = if matches!(self, Unit::Seconds) { 1.0 } else { per_second };
        let (counted, rate) = match self {
            Unit::Things(unit) => {
                let (done, total) = (whole(done), whole(total));
                (Some(format!("{done} of {total} {unit}")), rate(pace))
            }
            Unit::Parts | Unit::Seconds => (None, None),
        };
        let left = total.saturating_sub(done) as f64 / pace;
        let left = (left.is_finite() && left > 0.0).then(|| format!("{} to go", time_span(left)));
        let parts = [Some(format!("{percent:>3} %")), counted, rate, left];
        parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
    }
}

/// A speed in the unit of time that makes it a readable number; `None` if it is unknown.
fn rate(per_second: f64) -> Option<String> {
    let text = match per_second {
        pace if pace >= 10.0 => format!("{}/s", whole(pace.round() as u64)),
        pace if pace >= 0.1 => format!("{pace:.1}/s"),
        pace if pace >= 0.1 / 60.0 => format!("{:.1}/min", 60.0 * pace),
        pace if pace >= 0.1 / 3600.0 => format!("{:.1}/h", 3600.0 * pace),
        _ => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{Unit, time_span};

    #[test]
    fn a_run_says_what_is_known_of_it_and_nothing_else() {
        let things = |done, total, pace| Unit::Things("hands").status(done, total, pace);
        assert_eq!(things(0, 10_000, 0.0), "  0 %  0 of 10,000 hands");
        assert_eq!(
            things(2500, 10_000, 1250.0),
            " 25 %  2,500 of 10,000 hands  1,250/s  6 s to go"
        );
        assert_eq!(things(10_000, 10_000, 1250.0), "100 %  10,000 of 10,000 hands  1,250/s");
        assert_eq!(things(1, 48, 0.2), "  2 %  1 of 48 hands  0.2/s  3 min 55 s to go");
        assert_eq!(things(1, 3, 0.01), " 33 %  1 of 3 hands  0.6/min  3 min 20 s to go");
        assert_eq!(things(1, 3, 0.0005), " 33 %  1 of 3 hands  1.8/h  1 h 6 min to go");
        assert_eq!(things(7, 3, 2.0), "100 %  7 of 3 hands  2.0/s");
        // Nothing to do, and meaningless speeds.
        assert_eq!(things(0, 0, 0.0), "  0 %  0 of 0 hands");
        assert_eq!(things(1, 3, f64::NAN), " 33 %  1 of 3 hands");
        assert_eq!(Unit::Parts.status(1000, 1000, 400.0), "100 %");
        assert_eq!(Unit::Parts.status(250, 1000, 5.0), " 25 %  2 min 30 s to go");
        assert_eq!(Unit::Seconds.status(150, 600, 0.1), " 25 %  7 min 30 s to go");
        assert_eq!(time_span(200_000.0), "2 d 7 h");
    }
}
