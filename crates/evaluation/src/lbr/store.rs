//! The folder of an LBR measurement, see [`folder`](crate::folder).
//!
//! `deals.csv` has a line for each finished deal: its number, the response's winnings in seat 0 and
//! in seat 1 with the cards as dealt, or nothing where all hands were valued, then the same with
//! cards averaged out, in 1/2520 chips.

use std::collections::BTreeMap;
use std::path::Path;

use game::{GameDef, Payoff};
use logs::{Provenance, Shard};
use serde::{Deserialize, Serialize};

use super::Won;
use crate::folder::ResultsFolder;
pub use crate::folder::{MANIFEST, StoreError};

/// The file of results.
pub const DEALS: &str = "deals.csv";

const HEADER: &str = "deal,dealt_seat0,dealt_seat1,expected_seat0,expected_seat1\n";

/// The manifest of the measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The agent with its settings.
    pub agent: String,
    /// SHA-256 of the agent's files in hexadecimal, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_sha256: Option<String>,
    /// The name of the response's moves.
    pub moves: String,
    /// The street from which on they are used.
    pub from: String,
    /// Cards that are followed wherever one is dealt, if all hands are valued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cards: Option<u32>,
    /// Lines with less than this share of a spot's weight are sampled, if all hands are valued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_below: Option<f64>,
    /// The seed of the cards and of the agent's samples.
    pub seed: u64,
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
    known: BTreeMap<u64, [Won; 2]>,
}

impl Store {
    /// Makes the folder, or resumes the same measurement in it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(
        folder: &Path,
        manifest: &Manifest,
        shard: Option<Shard>,
    ) -> Result<Store, StoreError> {
        let mut known = BTreeMap::new();
        let results =
            ResultsFolder::open(folder, manifest, shard, DEALS, HEADER, |number, line| {
                let (deal, both) = read_line(line)
                    .ok_or_else(|| format!("line {number} is not a deal: '{line}'"))?;
                match known.insert(deal, both) {
                    None => Ok(()),
                    Some(_) => Err(format!("line {number}: deal {deal} appears twice")),
                }
            })?;
        Ok(Store { results, known })
    }

    /// The results found when the folder was opened, by deal.
    pub fn known(&self) -> &BTreeMap<u64, [Won; 2]> {
        &self.known
    }

    /// Writes the results of a deal.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn keep(&mut self, deal: u64, both: [Won; 2]) -> Result<(), StoreError> {
        let dealt = |won: Won| won.dealt.map_or_else(String::new, |won| won.parts().to_string());
        let [a, b] = both.map(dealt);
        let [c, d] = both.map(|won| won.expected.parts());
        self.results.add(&format!("{deal},{a},{b},{c},{d}\n"))
    }
}

fn read_line(line: &str) -> Option<(u64, [Won; 2])> {
    let (deal, rest) = line.split_once(',')?;
    let cells: Vec<&str> = rest.split(',').collect();
    let [a, b, c, d] = cells.try_into().ok()?;
    let won = |dealt: &str, expected: &str| {
        let payoff = |text: &str| text.parse().ok().map(Payoff::from_parts);
        let dealt = if dealt.is_empty() { None } else { Some(payoff(dealt)?) };
        Some(Won { dealt, expected: payoff(expected)? })
    };
    Some((deal.parse().ok()?, [won(a, c)?, won(b, d)?]))
}
