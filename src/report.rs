//! Showing what came of a match.

use std::io::Write;
use std::path::Path;

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
    let tally = tally(&source, BOARDS, true)?;
    let report = Report::new(source.info(), &tally, source.decisions()?.as_ref(), None);
    print(&report, Some(path), json)
}

/// Adds up all hands of a source. For all-ins before the last street at most `boards` boards are
/// looked at.
pub(crate) fn tally(source: &Source, boards: u64, quiet: bool) -> Result<Tally, Failure> {
    let mut all_in = AllIn::new(boards);
    let mut progress = Progress::new(source.count()?, "hands", quiet);
    let mut tally = Tally::new(source.info());
    for (done, record) in (1..).zip(source.hands()?) {
        let record = record.map_err(Failure::input)?;
        let expected = if boards > 0 { all_in.expected(&record) } else { Expected::NotComputed };
        tally.add_adjusted(&record, expected.payoffs());
        if done % 64 == 0 {
            progress.show(done, "");
        }
    }
    progress.finish();
    Ok(tally)
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
