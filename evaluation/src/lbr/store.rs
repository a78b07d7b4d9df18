//! The folder of an LBR measurement, see [`folder`](crate::folder).
//!
//! `deals.csv` has a line for each finished deal: its number, the response's winnings in seat 0 and
//! in seat 1 with the cards as dealt, then the same with the agent's hand averaged out, in 1/2520
//! chips.

use std::collections::BTreeMap;
use std::path::Path;

use game::{GameDef, Payoff};
use logs::{Provenance, Shard};
use serde::{Deserialize, Serialize};
use solvers::lbr::Won;

pub use crate::folder::{MANIFEST, StoreError};
use crate::folder::{ResultsFolder, first_difference};

/// The file of results.
pub const DEALS: &str = "deals.csv";

const HEADER: &str = "deal,dealt_seat0,dealt_seat1,expected_seat0,expected_seat1\n";

/// The manifest of the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The seed of the cards and of the agent's samples.
    pub seed: u64,
    /// The game's name or file, as given.
    pub game_name: String,
    /// The program and its version at the start.
    pub provenance: Provenance,
    /// The game's rules.
    pub game: GameDef,
}

impl crate::folder::Manifest for Manifest {
    fn difference(&self, other: &Manifest) -> Option<&'static str> {
        first_difference([
            ("agent", self.agent == other.agent),
            ("model", self.model_sha256 == other.model_sha256),
            ("set of moves", self.moves == other.moves),
            ("first street", self.from == other.from),
            ("seed", self.seed == other.seed),
            ("game", self.game == other.game),
        ])
    }
}

/// A measurement's folder, open for writing; one process at a time can open it.
pub struct Store {
    kept: ResultsFolder,
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
        let kept = ResultsFolder::open(folder, manifest, shard, DEALS, HEADER, |number, line| {
            let (deal, both) =
                read_line(line).ok_or_else(|| format!("line {number} is not a deal: '{line}'"))?;
            match known.insert(deal, both) {
                None => Ok(()),
                Some(_) => Err(format!("line {number}: deal {deal} appears twice")),
            }
        })?;
        Ok(Store { kept, known })
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
        let [a, b] = both.map(|won| won.dealt.parts());
        let [c, d] = both.map(|won| won.expected.parts());
        self.kept.add(&format!("{deal},{a},{b},{c},{d}\n"))
    }
}

fn read_line(line: &str) -> Option<(u64, [Won; 2])> {
    let (deal, rest) = line.split_once(',')?;
    let mut numbers = rest.split(',').map(str::parse);
    let mut next = || numbers.next()?.ok().map(Payoff::from_parts);
    let (dealt, expected) = ([next()?, next()?], [next()?, next()?]);
    let both = [0, 1].map(|seat| Won { dealt: dealt[seat], expected: expected[seat] });
    (numbers.next().is_none()).then_some((deal.parse().ok()?, both))
}
