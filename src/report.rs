//! Showing what came of a match.

use std::io::Write;
use std::path::Path;

use logs::stats::{Report, text};
use logs::{LedgerReader, Tally, folder};
use matches::play::Played;

use crate::exit::Failure;

/// Prints a match's report; keeps it as `report.json` when the match has a folder.
pub(crate) fn show(played: &Played, kept: Option<&Path>, json: bool) -> Result<(), Failure> {
    let outcome = &played.outcome;
    let report = Report::new(&played.info, &outcome.tally, Some(&outcome.decisions), None);
    print(&report, kept, json)
}

/// Prints the report of a match folder.
pub(crate) fn show_folder(path: &Path, json: bool) -> Result<(), Failure> {
    let reader = LedgerReader::open(path).map_err(Failure::input)?;
    let mut tally = Tally::new(reader.info());
    for hand in reader.hands() {
        tally.add(&hand.map_err(Failure::input)?);
    }
    let note = reader.note(logs::DecisionTally::NOTE).map_err(Failure::input)?;
    let decisions = note.and_then(|note| logs::DecisionTally::from_note(&note));
    print(&Report::new(reader.info(), &tally, decisions.as_ref(), None), Some(path), json)
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
