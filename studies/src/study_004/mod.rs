//! Study 004: Hopner and Loza Mencía, "Analysis and Optimization of Deep Counterfactual Value
//! Networks" (2018).
//!
//! Random turns are solved, and networks of seven layers learn the values of all hands from four
//! encodings of the ranges. Beside the published errors are some that the paper leaves out: the
//! errors weighted by the ranges, the errors of the labels themselves, those of checking down as an
//! estimate, and those of a small network that sees one hand at a time.

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
    number: "004",
    title: "Hopner and Loza Mencía, Analysis and optimization of deep counterfactual value \
            networks",
    students: false,
    networks: true,
    steps: steps::steps,
    report,
};

fn report(options: &Options, record: &Record) -> Result<Report, ReadError> {
    let results = results::Results::read(options)?;
    let sections = sections::sections(options, &results);
    let frame = Frame {
        title: "Study 004: counterfactual value networks",
        about: "A reproduction of Hopner and Loza Mencía, “Analysis and Optimization of Deep \
                Counterfactual Value Networks” (2018): networks learn the value of every hand on \
                random turns, from four encodings of both players’ ranges.",
        made: options.scale_in_words(),
        commands: String::new(),
    };
    let files = vec![("errors.csv", tables::errors(&results))];
    let document = tables::document(options, &results);
    Report::new(&frame, record, &sections, files, &[sections::CURVES], document)
}
