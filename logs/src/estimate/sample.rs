//! The moments of one kind of unit, split into folds so that coefficients are never fitted on the
//! units they are applied to; and the random choice of the units that are corrected.

use super::moments::Moments;
use super::terms::Terms;

/// Number of folds, to which units are assigned in turn.
pub(super) const FOLDS: usize = 10;

/// A random choice of deals, by their numbers: which get corrections, and which are set aside, to
/// choose the value function by. It does not depend on what happened in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Hashes below the first are set aside, those from there to below the second corrected.
    ends: [u64; 2],
}

/// The use of a deal in the estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its corrections are computed.
    Corrected,
    /// It counts as it was played.
    Plain,
    /// It was used to choose the value function, and so is in no corrected estimate.
    Aside,
}

impl Sampling {
    /// Every deal is corrected.
    pub const ALL: Sampling = Sampling { ends: [0, u64::MAX] };

    /// Sets this share of the deals aside, and corrects this share of the others.
    pub fn of(aside: f64, corrected: f64) -> Sampling {
        let first = (aside.clamp(0.0, 1.0) * u64::MAX as f64) as u64;
        let others = (corrected.clamp(0.0, 1.0) * (u64::MAX - first) as f64) as u64;
        Sampling { ends: [first, first.saturating_add(others)] }
    }

    /// The use of the deal with this number.
    pub fn part(self, deal: u64) -> Part {
        let hash = spread(deal);
        match self.ends {
            [aside, _] if hash < aside => Part::Aside,
            // The largest hash belongs to a choice of all.
            [_, end] if hash < end || end == u64::MAX => Part::Corrected,
            _ => Part::Plain,
        }
    }
}

/// A number spread over all of 64 bits: the finalizer of SplitMix64 (Steele, Lea and Flood, *Fast
/// splittable pseudorandom number generators*, 2014).
fn spread(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Moments by fold: of corrected units, of those that count as played, and of those set aside.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    units: [usize; 3],
    corrected: [Moments; FOLDS],
    plain: [Moments; FOLDS],
    aside: [Moments; FOLDS],
}

/// The units of one fold, with corrections and without.
pub(super) struct Cell {
    pub(super) corrected: Moments,
    pub(super) plain: Moments,
}

impl Sample {
    /// The fold of the next unit of this part.
    pub(super) fn next_fold(&self, part: Part) -> usize {
        self.units[part as usize] % FOLDS
    }

    /// Number of units of this part.
    pub(super) fn units_of(&self, part: Part) -> u64 {
        self.units[part as usize] as u64
    }

    /// Adds a unit to a fold.
    pub(super) fn add(&mut self, part: Part, fold: usize, terms: &Terms) {
        self.units[part as usize] += 1;
        let folds = match part {
            Part::Corrected => &mut self.corrected,
            Part::Plain => &mut self.plain,
            Part::Aside => &mut self.aside,
        };
        folds[fold].add(terms);
    }

    /// The corrected units.
    pub(super) fn corrected(&self) -> &[Moments; FOLDS] {
        &self.corrected
    }

    /// The units by fold. With `whole` none has a correction, so all are of one kind.
    pub(super) fn cells(&self, whole: bool) -> [Cell; FOLDS] {
        std::array::from_fn(|fold| {
            let (corrected, plain) = (self.corrected[fold].clone(), self.plain[fold].clone());
            let mut cell = Cell { corrected, plain };
            if whole {
                cell.corrected.merge(&cell.plain);
                cell.corrected.merge(&self.aside[fold]);
                cell.plain = Moments::default();
            }
            cell
        })
    }
}
