//! Standardisation of columns to mean zero and deviation one.

use super::NetworkError;

/// A standardisation: for each column the mean to subtract and the scale to divide by.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    mean: Vec<f32>,
    scale: Vec<f32>,
}

impl Scaling {
    /// A mean and a scale for each column: means finite, scales finite and above zero.
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

    /// The identity standardisation.
    pub fn none(columns: usize) -> Scaling {
        Scaling { mean: vec![0.0; columns], scale: vec![1.0; columns] }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// The mean of each column, which is subtracted.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// The scale of each column, by which the difference is divided.
    pub fn scale(&self) -> &[f32] {
        &self.scale
    }

    /// Standardises rows stored one after the other. Panics where they are not whole rows, or `out`
    /// is not as long.
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
