//! The losses of a classifier on a table, all weighted by the rows' weights, and what a learner
//! must beat: classifiers without training.

use std::fmt;
use std::sync::Arc;

use game::Street;
use models::Classifier;
use models::student::Student;
use serde::Serialize;
use show::Table as TextTable;
use show::number::percent;

use crate::Error;
use crate::Table;
use crate::data::dataset::{Dataset, Labels, Split};

/// The lower bound of shares in a log-loss, so that one certain error is expensive but finite.
pub const MIN_SHARE: f32 = 1e-7;

/// The losses and the accuracy of a classifier on a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
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

/// Rows that the nearest neighbours are searched among, and rows that they are searched for.
const AMONG: usize = 50_000;
const ASKED: usize = 2_000;

/// The half-width of a 95 % interval in standard errors.
const NORMAL: f64 = 1.96;

/// Students and baselines compared on the test rows of a dataset: log-losses in nats, by street.
#[derive(Debug, Serialize)]
pub struct Comparison {
    lines: Vec<Line>,
    /// The least possible log-loss, by street.
    least_log_loss: Vec<f64>,
    differences: Vec<Difference>,
}

/// A student or a baseline with its measurements on each street.
#[derive(Debug, Serialize)]
struct Line {
    name: String,
    /// Number of parameters by street, of a student.
    parameters: Option<Vec<usize>>,
    streets: Vec<StreetScores>,
}

#[derive(Debug, Serialize)]
struct StreetScores {
    street: &'static str,
    #[serde(flatten)]
    scores: ClassifierScores,
}

/// The log-loss of the second of two students minus that of the first, by street.
#[derive(Debug, Serialize)]
struct Difference {
    #[serde(skip)]
    students: [usize; 2],
    first: String,
    second: String,
    streets: Vec<StreetDifference>,
}

/// A mean with its 95 % interval.
#[derive(Debug, Serialize)]
struct StreetDifference {
    mean: f64,
    low: f64,
    high: f64,
    #[serde(skip)]
    reach: f64,
}

impl Comparison {
    /// Compares students, given with their names. The rows of a street take at most `memory` bytes.
    ///
    /// # Errors
    /// When the dataset cannot be read.
    pub fn new(
        students: &[(String, Arc<Student>)],
        dataset: &Dataset,
        memory: u64,
    ) -> Result<Comparison, Error> {
        let line = |name: &str, student: Option<&Arc<Student>>| Line {
            name: name.to_owned(),
            parameters: student.map(|student| {
                Street::ALL.map(|street| student.street(street).parameters()).to_vec()
            }),
            streets: Vec::new(),
        };
        let named = students.iter().map(|(name, student)| line(name, Some(student)));
        let mut lines: Vec<Line> = named.collect();
        let baselines = ["ten nearest rows", "mean of all labels", "all moves alike"];
        lines.extend(baselines.map(|name| line(name, None)));
        let mut least_possible = Vec::new();
        let all = 0..students.len();
        let pairs = all.clone().flat_map(|one| (one + 1..all.end).map(move |other| [one, other]));
        let mut differences: Vec<Difference> = pairs
            .map(|pair| {
                let [first, second] = pair.map(|student| students[student].0.clone());
                Difference { students: pair, first, second, streets: Vec::new() }
            })
            .collect();
        for street in Street::ALL {
            let table = |split| dataset.table(street, split, Labels::Soft, memory);
            let (train, test) = (table(Split::Train)?, table(Split::Test)?);
            let mut of_street: Vec<ClassifierScores> = students
                .iter()
                .map(|(_, student)| measure(student.street(street).classifier(), &test))
                .collect();
            let by_row: Vec<Vec<f64>> = students
                .iter()
                .map(|(_, student)| log_losses(student.street(street).classifier(), &test))
                .collect();
            for difference in &mut differences {
                let [first, second] = difference.students.map(|student| by_row[student].as_slice());
                let (mean, error) = mean_difference(first, second, test.weights());
                let reach = NORMAL * error;
                let (low, high) = (mean - reach, mean + reach);
                difference.streets.push(StreetDifference { mean, low, high, reach });
            }
            of_street.push(measure(&Nearest::new(&some(&train, AMONG), 10), &some(&test, ASKED)));
            of_street.push(measure(&Constant::mean(&train), &test));
            of_street.push(measure(&Constant::uniform(&train), &test));
            for (line, scores) in lines.iter_mut().zip(of_street) {
                line.streets.push(StreetScores { street: street.name(), scores });
            }
            least_possible.push(least_log_loss(&test));
        }
        Ok(Comparison { lines, least_log_loss: least_possible, differences })
    }
}

/// At most `most` rows at even distances.
fn some(table: &Table, most: usize) -> Table {
    let every = table.rows().div_ceil(most).max(1);
    let rows: Vec<u32> = (0..table.rows() as u32).step_by(every).collect();
    table.pick(&rows)
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = headed("test rows");
        for line in &self.lines {
            let cells = line.streets.iter().map(|StreetScores { scores, .. }| {
                format!("{:.4} ({})", scores.log_loss, percent(scores.accuracy, 1))
            });
            table.row([line.name.clone()].into_iter().chain(cells));
        }
        let cells = self.least_log_loss.iter().map(|least| format!("{least:.4} (100.0 %)"));
        table.row(["least possible".to_owned()].into_iter().chain(cells));
        writeln!(
            f,
            "{table}\nlog-loss in nats; in brackets, rows whose likeliest move is the teacher's"
        )?;
        if self.differences.is_empty() {
            return Ok(());
        }
        let mut table = headed("difference, nats");
        for Difference { first, second, streets, .. } in &self.differences {
            let cells = streets.iter().map(|one| format!("{:+.4} ± {:.4}", one.mean, one.reach));
            table.row([format!("{second} above {first}")].into_iter().chain(cells));
        }
        writeln!(f, "\n{table}")
    }
}

fn headed(what: &str) -> TextTable {
    let streets = Street::ALL.map(|street| street.to_string());
    TextTable::new([&[what.to_owned()], &streets[..]].concat()).right(1..)
}
