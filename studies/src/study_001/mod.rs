//! Study 001: Ganzfried and Yusuf, "Computing human-understandable strategies: deducing fundamental
//! rules of poker strategy" (2017).
//!
//! Random endgames of one bet are solved; trees of several kinds and the nearest neighbours learn
//! from the solutions, and rules are read off a tree. Here all of them are judged by exact
//! exploitability, beside what the paper leaves out: doing nothing, and rules of few words that are
//! found by their price.

use crate::page::{Frame, page};
use crate::record::Record;
use crate::{Options, ReadError, Report, Study, render};

mod claims;
mod results;
mod sections;
mod steps;
mod tables;

/// The study.
pub const STUDY: Study = Study {
    number: "001",
    title: "Ganzfried and Yusuf, Computing human-understandable strategies: endgames in words",
    students: false,
    steps: steps::steps,
    report,
};

fn report(options: &Options, record: &Record) -> Result<Report, ReadError> {
    let results = results::Results::read(options)?;
    let sections = sections::sections(&results);
    let frame = Frame {
        title: "Study 001: endgames in words",
        about: "Ganzfried and Yusuf, “Computing human-understandable strategies” (2017), done again: random \
                endgames of one bet are solved, trees and neighbours learn the solutions, and rules of few words \
                are priced exactly.",
        made: format!("The scale is {}.", options.scale),
        commands: String::new(),
    };
    let mut files = vec![
        ("table.csv", tables::table(&results)),
        ("depth.csv", tables::depths(&results)),
        ("rules.csv", tables::rules(&results)),
        ("tables.md", render::markdown(&sections)),
        ("report.html", page(&frame, record, &sections)?),
    ];
    for name in [sections::DISTANCES, sections::EXPLOITABILITIES, sections::FRONT] {
        let mut all = sections.iter().flat_map(|section| &section.pictures);
        let own = all.find(|picture| picture.file == name);
        files.extend(own.map(|picture| (name, picture.svg.clone())));
    }
    Ok(Report {
        text: render::text(&sections),
        document: tables::document(options, &results),
        files,
    })
}
