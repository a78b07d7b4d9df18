//! Baseline classifiers without training, which a learner must beat.

use models::Classifier;

use crate::Table;

/// A classifier that predicts the same distribution for every row.
#[derive(Debug, Clone)]
pub struct Constant {
    columns: usize,
    shares: Vec<f32>,
}

impl Constant {
    /// The uniform distribution over the classes.
    pub fn uniform(table: &Table) -> Constant {
        let classes = table.classes().len();
        Constant { columns: table.columns().len(), shares: vec![1.0 / classes as f32; classes] }
    }

    /// The weighted mean of all labels: the best prediction that ignores the row.
    pub fn mean(table: &Table) -> Constant {
        let mut sums = vec![0.0f64; table.classes().len()];
        for (row, &weight) in table.weights().iter().enumerate() {
            for (sum, &share) in sums.iter_mut().zip(table.label(row)) {
                *sum += f64::from(weight) * f64::from(share);
            }
        }
        let whole: f64 = sums.iter().sum();
        let shares = sums.into_iter().map(|sum| (sum / whole) as f32).collect();
        Constant { columns: table.columns().len(), shares }
    }
}

impl Classifier for Constant {
    fn columns(&self) -> usize {
        self.columns
    }

    fn classes(&self) -> usize {
        self.shares.len()
    }

    fn predict(&self, _row: &[f32], shares: &mut [f32]) {
        shares.copy_from_slice(&self.shares);
    }
}

/// A nearest-neighbour classifier: the mean label of the nearest rows, with columns scaled to a
/// standard deviation of one.
#[derive(Debug, Clone)]
pub struct Nearest<'a> {
    table: &'a Table,
    count: usize,
    scales: Vec<f32>,
    /// The scaled table, row by row.
    values: Vec<f32>,
}

impl<'a> Nearest<'a> {
    /// Predicts from the `count` nearest rows of the table. A prediction is O(rows x columns).
    pub fn new(table: &'a Table, count: usize) -> Nearest<'a> {
        let columns = table.columns().len();
        let scale = |column: usize| {
            let values = table.column(column);
            let mean =
                values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64;
            let spread = values.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>();
            let deviation = (spread / values.len() as f64).sqrt();
            if deviation > 0.0 { (1.0 / deviation) as f32 } else { 0.0 }
        };
        let scales: Vec<f32> = parallel::map(0..columns, scale);
        let mut values = vec![0.0; table.rows() * columns];
        for (row, values) in values.chunks_exact_mut(columns).enumerate() {
            table.row(row, values);
            values.iter_mut().zip(&scales).for_each(|(value, scale)| *value *= scale);
        }
        Nearest { table, count: count.clamp(1, table.rows()), scales, values }
    }
}

impl Classifier for Nearest<'_> {
    fn columns(&self) -> usize {
        self.scales.len()
    }

    fn classes(&self) -> usize {
        self.table.classes().len()
    }

    fn predict(&self, row: &[f32], shares: &mut [f32]) {
        let row: Vec<f32> =
            row.iter().zip(&self.scales).map(|(value, scale)| value * scale).collect();
        // The nearest rows so far, by rising distance.
        let mut nearest: Vec<(f32, usize)> = Vec::with_capacity(self.count + 1);
        for (number, other) in self.values.chunks_exact(row.len()).enumerate() {
            let apart: f32 = row.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
            if nearest.len() < self.count || nearest.last().is_some_and(|&(last, _)| apart < last) {
                let index = nearest.partition_point(|&(distance, _)| distance <= apart);
                nearest.insert(index, (apart, number));
                nearest.truncate(self.count);
            }
        }
        shares.fill(0.0);
        let weight: f32 = nearest.iter().map(|&(_, row)| self.table.weights()[row]).sum();
        for (_, row) in nearest {
            let ratio = self.table.weights()[row] / weight;
            for (sum, &share) in shares.iter_mut().zip(self.table.label(row)) {
                *sum += ratio * share;
            }
        }
    }
}

/// The lower bound of the log-loss on a table: the mean entropy of its labels, in nats.
pub fn least_log_loss(table: &Table) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for (row, &weight) in table.weights().iter().enumerate() {
        let terms = table.label(row).iter().map(|&share| f64::from(share));
        let entropy: f64 =
            terms.filter(|&share| share > 0.0).map(|share| -share * share.ln()).sum();
        sum += f64::from(weight) * entropy;
        whole += f64::from(weight);
    }
    sum / whole
}
