//! Showing what came of a match.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use agents::Registry;
use logs::estimate::Estimates;
use logs::stats::{AllIn, Expected, Report, text};
use logs::{Tally, folder};
use matches::play::Played;

use crate::exit::Failure;
use crate::progress::Progress;
use crate::source::Source;

/// A match of at most so many hands is read again from its ledger after it was played, for the
/// expectation of its all-ins; a larger one is left to `cardroom stats`.
const READ_AGAIN: u64 = 100_000;

/// Boards to look at for that: a second or two.
const BOARDS: u64 = 100_000_000;

/// What is computed from the hands of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Boards to look at for the expectation of all-ins.
    pub(crate) boards: u64,
    /// Whether to make estimates with less variance, where the game allows.
    pub(crate) estimates: bool,
    /// Hole cards to imagine for each hand; 0 for none.
    pub(crate) imagine: usize,
}

/// The sums of all hands of a source.
pub(crate) struct Added {
    pub(crate) tally: Tally,
    pub(crate) estimates: Option<Estimates>,
}

impl Added {
    /// The report of these sums.
    pub(crate) fn report(
        &self,
        source: &Source,
        half_width: Option<f64>,
    ) -> Result<Report, Failure> {
        let decisions = source.decisions()?;
        let report = Report::new(source.info(), &self.tally, decisions.as_ref(), half_width);
        Ok(match &self.estimates {
            Some(estimates) => report.with_estimates(estimates, &self.tally),
            None => report,
        })
    }
}

/// Prints a match's report; keeps it as `report.json` when the match has a folder.
pub(crate) fn show(played: &Played, kept: Option<&Path>, json: bool) -> Result<(), Failure> {
    let outcome = &played.outcome;
    if let Some(path) = kept.filter(|_| outcome.hands <= READ_AGAIN) {
        return show_folder(path, json);
    }
    let report = Report::new(&played.info, &outcome.tally, Some(&outcome.decisions), None);
    print(&report, kept, json)
}

/// Prints the report of a match folder, and keeps it there.
pub(crate) fn show_folder(path: &Path, json: bool) -> Result<(), Failure> {
    let source = Source::open(path, None)?;
    // They take longer: that is left to `cardroom stats`.
    let effort = Effort { boards: BOARDS, estimates: false, imagine: 0 };
    let added = add_up(&source, effort, None, true)?;
    print(&added.report(&source, None)?, Some(path), json)
}

/// Adds up all hands of a source. The registry is asked for the agents that played, where their
/// strategies are wanted for other cards than those they held.
pub(crate) fn add_up(
    source: &Source,
    effort: Effort,
    registry: Option<&Registry>,
    quiet: bool,
) -> Result<Added, Failure> {
    let mut all_in = AllIn::new(effort.boards);
    let mut progress = Progress::new(source.count()?, "hands", quiet);
    let mut tally = Tally::new(source.info());
    let mut estimates = estimates(source, effort, registry)?;
    for (done, record) in (1..).zip(source.hands()?) {
        let record = record.map_err(Failure::input)?;
        let expected =
            if effort.boards > 0 { all_in.expected(&record) } else { Expected::NotComputed };
        tally.add_adjusted(&record, expected.payoffs());
        if let Some(estimates) = &mut estimates {
            let (decisions, baseline) = (source.decisions_of(&record)?, source.baseline(&record)?);
            estimates.add(&record, &decisions, baseline);
        }
        if done % 64 == 0 {
            progress.show(done, "");
        }
    }
    progress.finish();
    Ok(Added { tally, estimates })
}

/// Estimates of the first entrant's rate with nothing in them yet, when they are wanted and the game
/// allows.
fn estimates(
    source: &Source,
    effort: Effort,
    registry: Option<&Registry>,
) -> Result<Option<Estimates>, Failure> {
    let info = source.info();
    let Some(estimates) = Estimates::new(info, 0).filter(|_| effort.estimates) else {
        return Ok(None);
    };
    let Some(registry) = registry.filter(|_| effort.imagine > 1) else {
        return Ok(Some(estimates));
    };
    let name = &info.entrants[0].agent;
    let agent = registry.resolve(name).map_err(Failure::input)?;
    let policy = agent.policy(&Arc::new(info.game.clone())).map_err(Failure::input)?;
    let policy = policy.ok_or_else(|| {
        Failure::input(anyhow::anyhow!(
            "`{name}` cannot be asked what it would do with other cards: leave out --imagine"
        ))
    })?;
    Ok(Some(estimates.imagining(policy, effort.imagine)))
}

fn print(report: &Report, kept: Option<&Path>, json: bool) -> Result<(), Failure> {
    if let Some(path) = kept {
        keep(report, path)?;
    }
    let mut text = if json { report.to_json() + "\n" } else { text::render(report) };
    if let (Some(path), false) = (kept, json) {
        text.push_str(&format!("\nkept in {}\n", path.display()));
    }
    out(&text)
}

/// Writes `report.json` into a match folder.
pub(crate) fn keep(report: &Report, path: &Path) -> Result<(), Failure> {
    let file = path.join(folder::REPORT);
    folder::write_whole(&file, |out| writeln!(out, "{}", report.to_json()))
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", file.display())))
}

/// Prints a result. A reader that has closed the pipe has seen enough.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::input(anyhow::anyhow!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}
