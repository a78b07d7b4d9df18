//! Study 003: de Mesentier Silva, Togelius, Lantz and Nealen, "Generating novice heuristics for
//! post-flop poker" (2018).
//!
//! Decision lists that a novice can memorise are searched for, one street of limit hold'em at a
//! time, against an opponent that knows only its hand's rank. The winnings of a list are exact
//! here, where the paper samples 400,000 matches, so the best lists of few clauses and actions are
//! proven.

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
    number: "003",
    title: "De Mesentier Silva and others, Generating novice heuristics for post-flop poker",
    students: false,
    networks: false,
    steps: steps::steps,
    report,
};

fn report(options: &Options, record: &Record) -> Result<Report, ReadError> {
    let results = results::Results::read(options)?;
    let sections = sections::sections(options, &results);
    let frame = Frame {
        title: "Study 003: rules that a novice can carry",
        about: "A reproduction of De Mesentier Silva, Togelius, Lantz and Nealen, “Generating \
                novice heuristics for post-flop poker” (2018): a search for lists of if-then rules \
                for each street of limit hold'em, whose winnings are counted over all deals \
                instead of sampled.",
        made: options.scale_in_words(),
        commands: String::new(),
    };
    let files = vec![
        ("rules.csv", tables::rules(&results)),
        ("searches.csv", tables::searches(&results)),
        ("transitivity.csv", tables::transitivity(&results)),
    ];
    let document = tables::document(options, &results);
    Report::new(&frame, record, &sections, files, &sections::PICTURES, document)
}
