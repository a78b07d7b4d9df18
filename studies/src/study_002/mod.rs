//! Study 002: shove or fold by a linear value function, a published lesson in reinforcement
//! learning (docs/studies/002.md).
//!
//! A rule of seven weights learns by self-play when to move all-in and when to call. Here it is
//! learned again, at sixteen stacks. Every rule is measured exactly, by its losses to best
//! responses; each peculiarity of the published algorithm is left out in turn; and the rule is
//! compared with the best weights of the same features and with a rule that players memorise.

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
    number: "002",
    title: "Shove or fold by a linear value function: seven weights learned by self-play",
    students: false,
    networks: false,
    steps: steps::steps,
    report,
};

fn report(options: &Options, record: &Record) -> Result<Report, ReadError> {
    let results = results::Results::read(options)?;
    let sections = sections::sections(options, &results);
    let frame = Frame {
        title: "Study 002: shove or fold by a linear value function",
        about: "A reproduction of a published lesson in reinforcement learning: the small blind \
                moves all-in or folds, the big blind calls or folds, and seven weights of the hand \
                learn both by self-play.",
        made: options.scale_in_words(),
        commands: String::new(),
    };
    let files = vec![
        ("theta.csv", tables::theta(&results)),
        ("stacks.csv", tables::stacks(&results)),
        ("trees.csv", tables::trees(&results)),
    ];
    let document = tables::document(options, &results);
    Report::new(&frame, record, &sections, files, &[sections::CURVE, sections::QUESTIONS], document)
}
