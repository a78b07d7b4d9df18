//! The moments of one kind of unit, split into folds so that coefficients are never fitted on the
//! units they are applied to.

use super::moments::Moments;
use super::terms::Terms;

/// Number of folds, to which units are assigned in turn.
pub(super) const FOLDS: usize = 10;

/// Moments by fold: of units as played, and with imaginary observations.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    units: usize,
    pub(super) actual: [Moments; FOLDS],
    pub(super) averaged: [Moments; FOLDS],
}

impl Sample {
    pub(super) fn add(&mut self, actual: &Terms, averaged: &Terms) {
        let fold = self.units % FOLDS;
        self.units += 1;
        self.actual[fold].add(actual);
        self.averaged[fold].add(averaged);
    }

    /// The folds of the units as played, or with imaginary observations.
    pub(super) fn folds(&self, averaged: bool) -> &[Moments; FOLDS] {
        if averaged { &self.averaged } else { &self.actual }
    }
}
