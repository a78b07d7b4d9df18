//! Study 001: Ganzfried and Yusuf, "Computing human-understandable strategies: deducing fundamental
//! rules of poker strategy" (2017).
//!
//! Random endgames of one bet are solved; trees of several kinds and nearest neighbours learn from
//! the solutions, and rules are read off a tree. Here all are measured by exact exploitability,
//! beside what the paper leaves out: baselines, and short rules found by minimising exploitability.

use crate::page::Frame;
use crate::record::Record;
use crate::{Options, ReadError, Report, Study};

mod claims;
mod results;
mod sections;
mod steps;
mod tables;

/// The study's definition.
pub const STUDY: Study = Study {
    number: "001",
    title: "Ganzfried and Yusuf, Computing human-understandable strategies: endgames in words",
    students: false,
    networks: false,
    steps: steps::steps,
    report,
};

fn report(options: &Options, record: &Record) -> Result<Report, ReadError> {
    let results = results::Results::read(options)?;
    let sections = sections::sections(options, &results);
    let frame = Frame {
        title: "Study 001: endgames in words",
        about: "A reproduction of Ganzfried and Yusuf, “Computing human-understandable strategies” \
                (2017): random endgames of one bet are solved, trees and neighbours learn the \
                solutions, and short rules are priced exactly.",
        made: options.scale_in_words(),
        commands: String::new(),
    };
    let files = vec![
        ("table.csv", tables::table(&results)),
        ("depth.csv", tables::depths(&results)),
        ("rules.csv", tables::rules(&results)),
    ];
    let pictures = [sections::DISTANCES, sections::EXPLOITABILITIES, sections::FRONT];
    let document = tables::document(options, &results);
    Report::new(&frame, record, &sections, files, &pictures, document)
}
