//! Training rows of networks.

use models::network::Scaling;

use crate::{Table, TableError};

/// Rows of numbers with targets, both in row-major order, and a weight each.
///
/// Every number is finite and every weight positive. For classes the targets are distributions;
/// other losses may have other targets, which is why this is not a [`Table`].
#[derive(Debug, Clone)]
pub struct Samples {
    columns: usize,
    width: usize,
    rows: Vec<f32>,
    targets: Vec<f32>,
    weights: Vec<f32>,
}

impl Samples {
    /// Checks and wraps rows of `columns` numbers with `width` targets each.
    pub fn new(
        columns: usize,
        width: usize,
        rows: Vec<f32>,
        targets: Vec<f32>,
        weights: Vec<f32>,
    ) -> Result<Samples, TableError> {
        let count = weights.len();
        if columns == 0 || width == 0 {
            return Err(TableError::Narrow { columns, classes: width });
        }
        if rows.len() != count * columns || targets.len() != count * width {
            return Err(TableError::Lengths {
                values: rows.len(),
                labels: targets.len(),
                weights: count,
                columns,
                classes: width,
            });
        }
        if count == 0 {
            return Err(TableError::Empty);
        }
        for (numbers, width, what) in [(&rows, columns, "column"), (&targets, width, "target")] {
            if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
                let column = format!("{what} {}", at % width);
                return Err(TableError::Value { row: at / width, column, value: numbers[at] });
            }
        }
        if let Some(row) = weights.iter().position(|&weight| !(weight > 0.0 && weight.is_finite()))
        {
            return Err(TableError::Weight { row, weight: weights[row] });
        }
        Ok(Samples { columns, width, rows, targets, weights })
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of targets of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The numbers of a row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.columns..][..self.columns]
    }

    /// The targets of a row.
    pub fn target(&self, row: usize) -> &[f32] {
        &self.targets[row * self.width..][..self.width]
    }

    /// The weight of a row.
    pub fn weight(&self, row: usize) -> f32 {
        self.weights[row]
    }

    /// The mean of all weights.
    pub(super) fn mean_weight(&self) -> f64 {
        self.weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / self.count() as f64
    }

    /// The scaling that brings the columns to mean zero and standard deviation one, weighted by the
    /// rows. A constant column is only shifted.
    pub(super) fn scaling(&self) -> Scaling {
        let total = self.mean_weight() * self.count() as f64;
        let mean_of = |number: &dyn Fn(usize, f64) -> f64| {
            let mut sums = vec![0.0; self.columns];
            for (row, &weight) in self.rows.chunks_exact(self.columns).zip(&self.weights) {
                for (column, (sum, &value)) in sums.iter_mut().zip(row).enumerate() {
                    *sum += f64::from(weight) * number(column, f64::from(value));
                }
            }
            sums.iter_mut().for_each(|sum| *sum /= total);
            sums
        };
        let mean = mean_of(&|_, value| value);
        let variance = mean_of(&|column, value| (value - mean[column]).powi(2));
        let scale = variance.iter().map(|variance| match variance.sqrt() as f32 {
            scale if scale.is_normal() => scale,
            _ => 1.0,
        });
        Scaling::new(mean.iter().map(|&mean| mean as f32).collect(), scale.collect())
            .expect("means of finite numbers are finite, and scales are above zero")
    }
}

impl From<&Table> for Samples {
    /// A table's rows with their labels as targets.
    fn from(table: &Table) -> Samples {
        let (columns, count) = (table.columns().len(), table.rows());
        let mut rows = vec![0.0; columns * count];
        for (row, values) in rows.chunks_exact_mut(columns).enumerate() {
            table.row(row, values);
        }
        Samples {
            columns,
            width: table.classes().len(),
            rows,
            targets: table.labels().to_vec(),
            weights: table.weights().to_vec(),
        }
    }
}
