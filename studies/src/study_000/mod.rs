//! Study 000: Bertsimas and Paskov, "World-class interpretable poker" (2022).
//!
//! A blueprint made by self-play is the teacher of four students: a greedy tree, an optimal tree,
//! boosted trees and a network. All play each other (Table 1), trees of several depths play each
//! other, a student is trained on earlier blueprints (Figure 5), and the optimal tree is examined:
//! its opening chart (Figure 6) and its bluffs (Figures 4, 7 and 8).
//!
//! Students play their likeliest action, as in the paper, whose labels are the action to take;
//! Table 1 also has the results with sampled actions.

use crate::page::Frame;
use crate::record::Record;
use crate::{Options, ReadError, Report, Source, Study};

mod files;
mod limits;
mod published;
mod results;
mod sections;
mod steps;
mod tables;
mod verdict;
mod words;

pub use files::STUDENTS;

/// The study's definition.
pub const STUDY: Study = Study {
    number: "000",
    title: "Bertsimas and Paskov, World-class interpretable poker: four students of one teacher",
    students: true,
    networks: true,
    source: Source::Code { steps: steps::steps, report },
};

const GAME: &str = "holdem.nolimit.2p.reverse_blinds";
const MENU: &str = "overbet";
const BUCKETS: &str = "preflop=169 flop=ehs2:150 turn=ehs2:150 river=ehs2:150";

/// The opponent in the learning curve, in place of Slumbot.
const ANCHOR: &str = "cfr";

fn report(options: &Options, record: &Record) -> Result<Report, ReadError> {
    let results = results::Results::read(options)?;
    let sections = sections::sections(options, record, &results)?;
    let mut files = vec![("depths.csv", tables::depths(&results))];
    if !results.pairs.is_empty() {
        files.extend([
            ("table1.csv", tables::table_1(options, &results)),
            ("losses.csv", tables::losses(&results)),
            ("parameters.csv", tables::parameters(&results)),
            ("fidelity.csv", tables::fidelity(&results)),
        ]);
    }
    if !results.curve.is_empty() {
        files.push(("curve.csv", tables::curve(&results)));
    }
    let frame = frame(options, &results);
    let pictures = [sections::TABLE_1, sections::CURVE];
    let document = tables::document(options, &results);
    Report::new(&frame, record, &sections, files, &pictures, document)
}

fn frame(options: &Options, results: &results::Results) -> Frame<'static> {
    let made = match (&options.teacher, options.shipped) {
        (Some(path), _) => format!("The teacher is {}.", path.display()),
        (None, true) => "The models are the built-in ones.".to_owned(),
        (None, false) => "Everything was made from scratch.".to_owned(),
    };
    let players = results.players.iter();
    let players = players.map(|player| format!("{} = `{}`", player.name, player.agent));
    Frame {
        title: "Study 000: four students of one teacher",
        about: "A reproduction of Bertsimas and Paskov, “World-class interpretable poker” (2022): \
                a strategy found by self-play teaches a greedy tree (cart), an optimal tree (oct), \
                boosted trees (xgboost) and a network (mlp) from features that a player \
                understands.",
        made: format!("{made} {}", options.scale_in_words()),
        commands: format!("The players: {}.", players.collect::<Vec<_>>().join(", ")),
    }
}
