//! The margins (raw scores) of a table's rows under the forest so far.

use crate::Table;
use crate::measure::MIN_SHARE;

/// The margins of all rows, by class, and what the softmax needs of each row.
#[derive(Debug)]
pub(super) struct Margins {
    pub(super) of_class: Vec<Vec<f32>>,
    /// For each row the largest margin, and the sum of exp(margin − largest).
    scale: Vec<[f32; 2]>,
}

impl Margins {
    pub(super) fn new(base: &[f32], rows: usize) -> Margins {
        let of_class = base.iter().map(|&margin| vec![margin; rows]).collect();
        Margins { of_class, scale: vec![[0.0; 2]; rows] }
    }

    /// Updates the scales and returns the mean log-loss. It is summed in blocks of fixed order, so
    /// that it does not depend on the number of threads.
    pub(super) fn update(&mut self, table: &Table) -> f64 {
        const BLOCK: usize = 4096;
        let (of_class, classes) = (&self.of_class, self.of_class.len());
        let blocks = self.scale.chunks_mut(BLOCK).enumerate();
        let blocks: Vec<[f64; 2]> = parallel::map(blocks, |(block, scale)| {
            let mut margins = vec![0.0; classes];
            let mut sums = [0.0; 2];
            for (row, scale) in (block * BLOCK..).zip(scale) {
                margins.iter_mut().zip(of_class).for_each(|(out, of_class)| *out = of_class[row]);
                let most = margins.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let sum = margins.iter().map(|&m| f64::from((m - most).exp())).sum::<f64>();
                *scale = [most, sum as f32];
                let least = f64::from(MIN_SHARE).ln();
                let loss = table.label(row).iter().zip(&margins).map(|(&label, &margin)| {
                    let share = f64::from(margin - most) - sum.ln();
                    -f64::from(label) * share.max(least)
                });
                let weight = f64::from(table.weights()[row]);
                sums[0] += weight * loss.sum::<f64>();
                sums[1] += weight;
            }
            sums
        });
        let sums =
            blocks.iter().fold([0.0; 2], |sums, block| [sums[0] + block[0], sums[1] + block[1]]);
        sums[0] / sums[1]
    }

    /// The margins, mutable, and the scales as of the last update.
    pub(super) fn split(&mut self) -> (&mut [Vec<f32>], &[[f32; 2]]) {
        (&mut self.of_class, &self.scale)
    }
}

/// The softmax probability of a class, from its margin and the row's scale.
pub(super) fn share(margin: f32, [most, sum]: [f32; 2]) -> f32 {
    (margin - most).exp() / sum
}

/// The margins before any tree: the logarithms of the classes' shares of the weight, minus their
/// mean, as in XGBoost since 3.1.
pub(super) fn base(table: &Table) -> Vec<f32> {
    /// XGBoost's lower bound for the share of a class.
    const MIN_SHARE: f64 = 1e-6;
    let mut shares = vec![0.0f64; table.classes().len()];
    for (label, &weight) in table.labels().chunks_exact(shares.len()).zip(table.weights()) {
        for (share, &label) in shares.iter_mut().zip(label) {
            *share += f64::from(label) * f64::from(weight);
        }
    }
    let sum: f64 = shares.iter().sum();
    let margins: Vec<f64> = shares.iter().map(|share| (share / sum).max(MIN_SHARE).ln()).collect();
    let mean = margins.iter().sum::<f64>() / margins.len() as f64;
    margins.iter().map(|margin| (margin - mean) as f32).collect()
}
