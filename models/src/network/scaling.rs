//! Columns brought to mean zero and deviation one.

use super::NetworkError;

/// What is taken off each column, and what the rest is divided by.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    mean: Vec<f32>,
    scale: Vec<f32>,
}

impl Scaling {
    /// A number of each for each column: means finite, scales finite and above zero.
    pub fn new(mean: Vec<f32>, scale: Vec<f32>) -> Result<Scaling, NetworkError> {
        if mean.len() != scale.len() {
            return Err(NetworkError::Columns { found: scale.len(), wanted: mean.len() });
        }
        let bad = |&column: &usize| {
            !(mean[column].is_finite() && scale[column].is_finite() && scale[column] > 0.0)
        };
        match (0..mean.len()).find(bad) {
            Some(at) => Err(NetworkError::Scaling { at, mean: mean[at], scale: scale[at] }),
            None => Ok(Scaling { mean, scale }),
        }
    }

    /// One that leaves numbers as they are.
    pub fn none(columns: usize) -> Scaling {
        Scaling { mean: vec![0.0; columns], scale: vec![1.0; columns] }
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// What is taken off each column.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// What the rest is divided by.
    pub fn scale(&self) -> &[f32] {
        &self.scale
    }

    /// Standardises rows that stand one behind the other. Panics where they are not whole rows as
    /// long as `out`.
    pub fn apply(&self, rows: &[f32], out: &mut [f32]) {
        assert!(rows.len() == out.len() && rows.len().is_multiple_of(self.columns()), "whole rows");
        let rows = rows.chunks_exact(self.columns()).zip(out.chunks_exact_mut(self.columns()));
        for (row, out) in rows {
            for (((out, value), mean), scale) in
                out.iter_mut().zip(row).zip(&self.mean).zip(&self.scale)
            {
                *out = (value - mean) / scale;
            }
        }
    }
}
