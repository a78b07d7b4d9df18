//! The losses of a classifier on a table. All means are weighted by the rows' weights.

use models::Classifier;

use crate::Table;

/// The lower bound of shares in a log-loss, so that one certain error is expensive but finite.
pub const MIN_SHARE: f32 = 1e-7;

/// The losses and the accuracy of a classifier on a table.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ClassifierScores {
    /// Mean of −Σ label ln(share), in nats.
    pub log_loss: f64,
    /// Mean of Σ (label − share)².
    pub brier: f64,
    /// Mean of Σ |label − share|, between 0 and 2.
    pub distance: f64,
    /// The share of the rows' weight where the likeliest class is the label's likeliest (the first
    /// on ties).
    pub accuracy: f64,
}

/// Measures a classifier on every row of a table, on all threads. Sums are made in blocks of fixed
/// order, so that they do not depend on the number of threads.
pub fn measure(classifier: &dyn Classifier, table: &Table) -> ClassifierScores {
    const BLOCK: usize = 1024;
    let (columns, classes) = (table.columns().len(), table.classes().len());
    assert_eq!(
        (columns, classes),
        (classifier.columns(), classifier.classes()),
        "same columns and classes"
    );
    let blocks: Vec<[f64; 5]> = parallel::map(0..table.rows().div_ceil(BLOCK), |block| {
        let block = block * BLOCK..table.rows().min((block + 1) * BLOCK);
        let mut values = vec![0.0; columns * block.len()];
        for (row, values) in block.clone().zip(values.chunks_exact_mut(columns)) {
            table.row(row, values);
        }
        let mut shares = vec![0.0; classes * block.len()];
        classifier.predict_all(&values, &mut shares);
        let mut sums = [0.0; 5];
        for (row, shares) in block.zip(shares.chunks_exact(classes)) {
            let weight = f64::from(table.weights()[row]);
            let label = table.label(row);
            let mut here = [0.0; 3];
            for (&label, &share) in label.iter().zip(shares) {
                here[0] -= f64::from(label) * f64::from(share.max(MIN_SHARE)).ln();
                here[1] += f64::from(label - share).powi(2);
                here[2] += f64::from(label - share).abs();
            }
            let right = likeliest(shares) == likeliest(label);
            let here = [here[0], here[1], here[2], f64::from(u8::from(right)), 1.0];
            sums.iter_mut().zip(here).for_each(|(sum, value)| *sum += weight * value);
        }
        sums
    });
    let mut sums = [0.0; 5];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
    }
    let mean = |index: usize| sums[index] / sums[4];
    ClassifierScores { log_loss: mean(0), brier: mean(1), distance: mean(2), accuracy: mean(3) }
}

/// The log-loss of each row of a table, in nats.
pub fn log_losses(classifier: &dyn Classifier, table: &Table) -> Vec<f64> {
    let row = |row: usize| {
        let mut values = vec![0.0; table.columns().len()];
        let mut shares = vec![0.0; table.classes().len()];
        table.row(row, &mut values);
        classifier.predict(&values, &mut shares);
        let label = table.label(row).iter().zip(shares);
        label.map(|(&label, share)| -f64::from(label) * f64::from(share.max(MIN_SHARE)).ln()).sum()
    };
    parallel::map(0..table.rows(), row)
}

/// The weighted mean of the differences second − first, row by row, and its standard error. Rows
/// are taken as independent, each with all of its weight: the equal rows merged into one count as
/// one.
pub fn mean_difference(first: &[f64], second: &[f64], weights: &[f32]) -> (f64, f64) {
    let rows = || {
        let pairs = first.iter().zip(second).zip(weights);
        pairs.map(|((first, second), &weight)| (second - first, f64::from(weight)))
    };
    let total: f64 = rows().map(|(_, weight)| weight).sum();
    let mean = rows().map(|(more, weight)| weight * more).sum::<f64>() / total;
    let spread: f64 = rows().map(|(more, weight)| (weight * (more - mean)).powi(2)).sum();
    (mean, spread.sqrt() / total)
}

/// The index of the largest share, the first of equal ones.
pub fn likeliest(shares: &[f32]) -> usize {
    let mut best = 0;
    for (index, &share) in shares.iter().enumerate() {
        if share > shares[best] {
            best = index;
        }
    }
    best
}
