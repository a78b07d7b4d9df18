//! Progress of long runs: a bar with ETA on a terminal, a line every two minutes elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// How often a run that is not watched on a terminal says where it is.
const EVERY: Duration = Duration::from_secs(120);

/// How long a patient display waits: what is done sooner needs none.
const SOON: Duration = Duration::from_secs(2);

/// A run's progress on stderr.
pub(crate) struct Progress {
    bar: ProgressBar,
    plain: bool,
    said: Instant,
    begun: Instant,
    unit: &'static str,
    /// Shown on a terminal once it has lasted so long.
    after: Option<Duration>,
}

impl Progress {
    /// A run of `total` units, which are named in the plural (`hands`). Shows nothing when `quiet`.
    pub(crate) fn new(total: u64, unit: &'static str, quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal && !quiet {
            ProgressDrawTarget::stderr_with_hz(8)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let template = format!(
            "{{bar:28}} {{percent:>3}} %  {{human_pos}} of {{human_len}} {unit}  \
             {{rate}}  ETA {{eta}}  {{msg}}"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // Writing to the bar's own text cannot fail.
                let _ = write!(out, "{}/s", HumanCount(state.per_sec().round() as u64));
            };
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ ").with_key("rate", rate));
        }
        let now = Instant::now();
        Progress { bar, plain: !terminal && !quiet, said: now, begun: now, unit, after: None }
    }

    /// As [`new`](Self::new), but nothing is to be seen of what takes less than two seconds.
    pub(crate) fn patient(total: u64, unit: &'static str, quiet: bool) -> Progress {
        let mut progress = Progress::new(total, unit, quiet);
        if !progress.bar.is_hidden() {
            progress.bar.set_draw_target(ProgressDrawTarget::hidden());
            progress.after = Some(SOON);
        }
        progress
    }

    /// From now on the run is expected to be so many units.
    pub(crate) fn expect(&mut self, total: u64) {
        self.bar.set_length(total);
    }

    /// Shows where the run is; `note` stands at the end of the line.
    pub(crate) fn show(&mut self, done: u64, note: &str) {
        if self.after.is_some_and(|after| self.begun.elapsed() >= after) {
            self.after = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        }
        self.bar.set_position(done);
        self.bar.set_message(note.to_owned());
        if self.plain && self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            let total = self.bar.length().unwrap_or(done);
            let seconds = self.begun.elapsed().as_secs_f64();
            let left = seconds * total.saturating_sub(done) as f64 / done.max(1) as f64;
            let eta = if done > 0 { format!("{left:.0} s") } else { "unknown".into() };
            // Nothing can be done when stderr is closed.
            let _ = writeln!(
                std::io::stderr(),
                "{done} of {total} {} in {seconds:.0} s, {eta} to go  {note}",
                self.unit
            );
        }
    }

    /// Says a line, above the bar where there is one.
    pub(crate) fn say(&self, line: &str) {
        if self.plain {
            // Nothing can be done when stderr is closed.
            let _ = writeln!(std::io::stderr(), "{line}");
        } else {
            self.bar.println(line);
        }
    }

    /// Ends the display.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
