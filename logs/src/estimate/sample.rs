//! The terms of one kind of unit, dealt out to folds so that coefficients are never fitted on the
//! units they are applied to.

use super::moments::Moments;
use super::terms::Terms;

/// Folds that the units are dealt to in turn.
pub(super) const FOLDS: usize = 10;

/// Units by fold: as played, and as imagined.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    units: usize,
    pub(super) actual: [Moments; FOLDS],
    pub(super) imagined: [Moments; FOLDS],
}

impl Sample {
    pub(super) fn add(&mut self, actual: &Terms, imagined: &Terms) {
        let fold = self.units % FOLDS;
        self.units += 1;
        self.actual[fold].add(actual);
        self.imagined[fold].add(imagined);
    }

    /// The units as played or as imagined.
    pub(super) fn folds(&self, imagined: bool) -> &[Moments; FOLDS] {
        if imagined { &self.imagined } else { &self.actual }
    }
}
