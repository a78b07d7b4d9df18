//! The folder of a best-response measurement, see [`folder`](crate::folder).
//!
//! `flops.csv` has a line for each finished kind of flop: its number, its cards, how many flops it
//! stands for, and the responder's values with each starting hand, in seat 0 and then in seat 1
//! ([`FlopValues`]), separated by blanks. Nothing depends on which flops are asked for: a folder
//! serves any number of flops, and any seed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use game::GameDef;
use logs::{Provenance, Shard};
use serde::{Deserialize, Serialize};
use solvers::response::in_tree::{FlopValues, flop_kinds};

use crate::folder::{ResultsFolder, StoreError};

/// The file of results.
pub const RESULTS: &str = "flops.csv";

const HEADER: &str = "number,cards,flops,values\n";

/// The manifest of the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The agent with its settings.
    pub agent: String,
    /// SHA-256 of the agent's files in hexadecimal, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_sha256: Option<String>,
    /// SHA-256 of its strategy before the flop: built-in models have no file.
    pub preflop_sha256: String,
    /// SHA-256 of the betting tree.
    pub tree_sha256: String,
    /// The bet menu of the tree.
    pub menu: String,
    /// The game's name or file, as given.
    pub game_name: String,
    /// The program and its version at the start.
    pub provenance: Provenance,
    /// The game's rules.
    pub game: GameDef,
}

/// A measurement's folder, open for writing; one process at a time can open it.
pub struct Store {
    results: ResultsFolder,
}

impl Store {
    /// Makes the folder, or resumes the same measurement in it. Also returns the results there, by
    /// the number of the kind of flop; `values` is the number of values for each seat.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(
        folder: &Path,
        manifest: &Manifest,
        shard: Option<Shard>,
        values: usize,
    ) -> Result<(Store, BTreeMap<usize, FlopValues>), StoreError> {
        let mut known = BTreeMap::new();
        let results =
            ResultsFolder::open(folder, manifest, shard, RESULTS, HEADER, |number, line| {
                let (kind, values) = read_line(line, values)
                    .ok_or_else(|| format!("line {number} is not a flop of this measurement"))?;
                match known.insert(kind, values) {
                    None => Ok(()),
                    Some(_) => Err(format!("line {number}: flop {kind} appears twice")),
                }
            })?;
        Ok((Store { results }, known))
    }

    /// Writes the values on a kind of flop.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn keep(&mut self, kind: usize, values: &FlopValues) -> Result<(), StoreError> {
        let mut line = prefix(kind);
        for (at, value) in values.0.iter().flatten().enumerate() {
            let blank = if at > 0 { " " } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(line, "{blank}{value}");
        }
        line.push('\n');
        self.results.add(&line)
    }
}

/// The beginning of the line of a kind of flop.
fn prefix(kind: usize) -> String {
    let flop = flop_kinds()[kind];
    let cards: String = flop.cards.iter().map(|card| card.to_string()).collect();
    format!("{kind},{cards},{},", flop.flops)
}

fn read_line(line: &str, values: usize) -> Option<(usize, FlopValues)> {
    let kind: usize = line.split(',').next()?.parse().ok()?;
    flop_kinds().get(kind)?;
    let numbers = line.strip_prefix(&prefix(kind))?.split(' ').map(|number| number.parse().ok());
    let numbers: Vec<f32> = numbers.collect::<Option<_>>()?;
    if numbers.len() != 2 * values || !numbers.iter().all(|number| number.is_finite()) {
        return None;
    }
    let (first, second) = numbers.split_at(values);
    Some((kind, FlopValues([first.to_vec(), second.to_vec()])))
}
