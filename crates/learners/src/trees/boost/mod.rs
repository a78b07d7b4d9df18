//! Gradient boosted trees: XGBoost's algorithm on the shared bins.
//!
//! Each round fits one tree to each class's derivatives of the log-loss: first `share − label`,
//! second `2 share (1 − share)`, both times the row's weight, so a label may be any distribution. A
//! node is split at the cut that lets the second-order loss fall most; a leaf adds `−eta G / (H +
//! lambda)`. See Chen & Guestrin, "XGBoost: A Scalable Tree Boosting System" (2016); what differs
//! from the program of that name is which cuts there are, and that histograms add whole numbers
//! (see [`Gradients`]), so that a run gives the same forest on any number of threads.

mod grow;

use models::forest::{Forest, Tree};
use runs::container::{Kind, Reader, sealed};

use super::data_hash;
use crate::measure::MIN_SHARE;
use crate::{Bins, Codes, Error, Progress, Table, Training};
use grow::{Coded, GrowInputs, GrownTree, Matrix, Sample};

/// A run of boosting. A step is a round: one tree for each class.
#[derive(Debug)]
pub struct Boost<'a> {
    options: Options,
    cuts: Vec<Vec<f32>>,
    learnt: Rows<'a>,
    held_out: Option<Rows<'a>>,
    forest: Forest,
    round: u32,
    best: Best,
    /// The hash of all data and options that rounds depend on.
    data_hash: u64,
}

/// The number of rounds with the smallest loss so far, on the validation rows if there are any.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Best {
    rounds: u32,
    loss: f64,
}

/// A table with its codes and its margins under the forest.
#[derive(Debug)]
struct Rows<'a> {
    table: &'a Table,
    matrix: Matrix,
    margins: Margins,
}

impl<'a> Rows<'a> {
    fn new(table: &'a Table, bins: &Bins, base: &[f32]) -> Rows<'a> {
        let mut margins = Margins::new(base, table.rows());
        margins.update(table);
        Rows { table, matrix: Matrix::new(bins), margins }
    }
}

impl<'a> Boost<'a> {
    /// A run on the rows of a table, with `bins` of at most 256 intervals.
    ///
    /// Needs about `rows x (columns + 4 classes + 32 threads)` bytes in addition.
    pub fn new(
        options: Options,
        table: &'a Table,
        bins: &Bins,
        validation: Option<&'a Table>,
    ) -> Result<Boost<'a>, Error> {
        check(&options, table, bins, validation)?;
        let base = base(table);
        let cuts: Vec<Vec<f32>> = (0..bins.columns()).map(|c| bins.cuts(c).to_vec()).collect();
        let held_out =
            validation.map(|table| Rows::new(table, &Bins::with_cuts(table, cuts.clone()), &base));
        let learnt = Rows::new(table, bins, &base);
        let forest =
            Forest::new(table.columns().len(), base)?.with_names(table.columns().to_vec())?;
        let best = Best { rounds: 0, loss: f64::INFINITY };
        // A run may go on with other numbers of rounds.
        let lasting = Options { rounds: 0, patience: None, ..options.clone() };
        let data_hash = data_hash(table, validation, &cuts, &lasting);
        Ok(Boost { options, cuts, learnt, held_out, forest, round: 0, best, data_hash })
    }

    /// The forest after all rounds so far.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The number of rounds of the best forest so far: by the validation rows if there are any,
    /// else all.
    pub fn best_rounds(&self) -> u32 {
        self.best.rounds
    }

    /// Updates the losses after a round. The training margins have the round's trees already.
    fn measure(&mut self, trees: &[Tree]) -> Progress {
        let loss = self.learnt.margins.update(self.learnt.table);
        let cuts = &self.cuts;
        let held_out = self.held_out.as_mut().map(|rows| {
            for (tree, margins) in trees.iter().zip(&mut rows.margins.of_class) {
                Coded::grown(tree, cuts).add(&rows.matrix, margins);
            }
            rows.margins.update(rows.table)
        });
        self.round += 1;
        let monitored = held_out.unwrap_or(loss);
        if held_out.is_none() || monitored < self.best.loss {
            self.best = Best { rounds: self.round, loss: monitored };
        }
        Progress { done: self.round.into(), most: self.options.rounds.into(), loss, held_out }
    }

    fn finished(&self) -> bool {
        let patience = self.options.patience.unwrap_or(u32::MAX);
        self.round >= self.options.rounds || self.round - self.best.rounds >= patience
    }
}

impl Training for Boost<'_> {
    type Model = Forest;

    fn step(&mut self) -> Option<Progress> {
        if self.finished() {
            return None;
        }
        let trees = grow(&self.options, &self.cuts, &mut self.learnt, self.round);
        for tree in &trees {
            self.forest.push(tree).expect("a tree grown here is whole, and its leaves are numbers");
        }
        Some(self.measure(&trees))
    }

    fn model(&self) -> Forest {
        let mut forest = self.forest.clone();
        forest.truncate(self.best.rounds as usize * forest.groups());
        forest
    }

    fn save(&self) -> Vec<u8> {
        save(self)
    }
}

/// The options of boosting. The names and their meaning are XGBoost's; `..Options::default()` fills
/// in the rest.
///
/// A round costs about `rows x columns x subsample x colsample x depth x classes` steps, so the two
/// shares and the depth are what to turn where time is short; `max_depth`, `gamma` and
/// `min_child_weight` bound the size of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Most rounds; each adds one tree for each class. 100.
    pub rounds: u32,
    /// Most tests between the root and a leaf, 1 to 32. 12.
    pub max_depth: u32,
    /// The learning rate, which scales each tree; above 0 and at most 1. 0.1.
    pub eta: f32,
    /// The L2 penalty on a leaf's value. 1.
    pub lambda: f32,
    /// The smallest decrease of the loss for which a node is split. 0.
    pub gamma: f32,
    /// The least sum of second derivatives in a leaf. 1.
    pub min_child_weight: f32,
    /// The share of rows sampled for each tree, above 0 and at most 1. 1.
    pub subsample: f32,
    /// The share of columns sampled for each tree, above 0 and at most 1. 1.
    pub colsample: f32,
    /// Stop after this many rounds without a better loss on the validation rows; `None` for never.
    pub patience: Option<u32>,
    /// The seed of the samples of rows and columns. 0.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rounds: 100,
            max_depth: 12,
            eta: 0.1,
            lambda: 1.0,
            gamma: 0.0,
            min_child_weight: 1.0,
            subsample: 1.0,
            colsample: 1.0,
            patience: None,
            seed: 0,
        }
    }
}

/// The limit for sums of rounded gradients in 31 bits, with one unit of rounding for each row.
const MAX_ROWS: usize = 1 << 28;

fn check(
    options: &Options,
    table: &Table,
    bins: &Bins,
    validation: Option<&Table>,
) -> Result<(), Error> {
    check_values(options)?;
    let shape = [
        ("rows", bins.codes(0).len(), table.rows()),
        ("columns", bins.columns(), table.columns().len()),
    ];
    for (what, bins, table) in shape {
        if bins != table {
            return Err(Error::new(format!(
                "the bins have {bins} {what} and the rows {table}: make them from the same table"
            )));
        }
    }
    for column in 0..bins.columns() {
        if let Codes::Word(_) = bins.codes(column) {
            return Err(Error::new(format!(
                "column {} is cut into {} intervals, and boosting takes at most 256: make the bins \
                 with 256",
                table.columns()[column],
                bins.cuts(column).len() + 1
            )));
        }
    }
    if table.rows() > MAX_ROWS {
        return Err(Error::new(format!(
            "{} rows are more than the {MAX_ROWS} that one run can learn from: take fewer, with \
             weights",
            table.rows()
        )));
    }
    let other = |what: &str| {
        Err(Error::new(format!(
            "the validation rows have other {what} than the rows to learn from: make both from the \
             same export"
        )))
    };
    match (validation, options.patience) {
        (Some(rows), _) if rows.columns() != table.columns() => return other("columns"),
        (Some(rows), _) if rows.classes() != table.classes() => return other("classes"),
        (None, Some(patience)) => {
            return Err(Error::new(format!(
                "patience is {patience}, but there are no validation rows to stop by: give some, \
                 or no patience"
            )));
        }
        _ => {}
    }
    let classes = table.classes().len();
    let seen = |class: usize| table.labels().iter().skip(class).step_by(classes).any(|&y| y > 0.0);
    let mut seen = (0..classes).filter(|&class| seen(class));
    if let (Some(only), None) = (seen.next(), seen.next()) {
        let class = &table.classes()[only];
        return Err(Error::new(format!(
            "all rows are of class {class}: there is nothing to distinguish; take more rows"
        )));
    }
    Ok(())
}

fn check_values(options: &Options) -> Result<(), Error> {
    let share = |value: f32| value > 0.0 && value <= 1.0;
    let penalty = |value: f32| value >= 0.0 && value.is_finite();
    let (of_share, of_penalty) = ("above 0 and at most 1", "at least 0");
    let depth = options.max_depth;
    let checks = [
        ("rounds", f64::from(options.rounds), options.rounds > 0, "at least 1"),
        ("max_depth", f64::from(depth), (1..=32).contains(&depth), "from 1 to 32"),
        ("eta", options.eta.into(), share(options.eta), of_share),
        ("lambda", options.lambda.into(), penalty(options.lambda), of_penalty),
        ("gamma", options.gamma.into(), penalty(options.gamma), of_penalty),
        (
            "min_child_weight",
            options.min_child_weight.into(),
            penalty(options.min_child_weight),
            of_penalty,
        ),
        ("subsample", options.subsample.into(), share(options.subsample), of_share),
        ("colsample", options.colsample.into(), share(options.colsample), of_share),
    ];
    match checks.into_iter().find(|(_, _, right, _)| !right) {
        Some((name, value, _, must)) => {
            Err(Error::new(format!("{name} is {value}, and must be {must}")))
        }
        None => Ok(()),
    }
}

/// The margins of all rows, by class, and what the softmax needs of each row.
#[derive(Debug)]
struct Margins {
    of_class: Vec<Vec<f32>>,
    /// For each row the largest margin, and the sum of exp(margin − largest).
    scale: Vec<[f32; 2]>,
}

impl Margins {
    fn new(base: &[f32], rows: usize) -> Margins {
        let of_class = base.iter().map(|&margin| vec![margin; rows]).collect();
        Margins { of_class, scale: vec![[0.0; 2]; rows] }
    }

    /// Updates the scales and returns the mean log-loss. It is summed in blocks of fixed order, so
    /// that it does not depend on the number of threads.
    fn update(&mut self, table: &Table) -> f64 {
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
    fn split(&mut self) -> (&mut [Vec<f32>], &[[f32; 2]]) {
        (&mut self.of_class, &self.scale)
    }
}

/// The softmax probability of a class, from its margin and the row's scale.
fn share(margin: f32, [most, sum]: [f32; 2]) -> f32 {
    (margin - most).exp() / sum
}

/// The margins before any tree: the logarithms of the classes' shares of the weight, minus their
/// mean, as in XGBoost since 3.1.
fn base(table: &Table) -> Vec<f32> {
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

/// First and second derivatives for each row of a tree's sample, in two forms: exact, for the
/// values of leaves, and as integer multiples of a unit, for histograms. Integer sums do not depend
/// on their order, so the trees do not depend on the number of threads.
///
/// The units are so large that sums over all rows fit in 31 bits. Rounding is stochastic, with a
/// fixed noise for each row, so that sums are unbiased.
#[derive(Debug)]
struct Gradients {
    exact: Vec<[f32; 2]>,
    /// Entries by row: the first derivative in the upper 32 bits, the second in the lower.
    whole: Vec<u64>,
    /// The units of the first and the second derivative.
    units: [f64; 2],
}

/// XGBoost's lower bound of the second derivative.
const MIN_HESSIAN: f32 = 1e-16;

impl Gradients {
    /// Computes the derivatives from each row's predicted share, true share and weight. `tree` is
    /// the number of the tree, which the noise depends on.
    fn new(rows: impl Iterator<Item = (f32, f32, f32)>, tree: u64) -> Gradients {
        let exact: Vec<[f32; 2]> = rows
            .map(|(predicted, truth, weight)| {
                [
                    (predicted - truth) * weight,
                    (2.0 * predicted * (1.0 - predicted) * weight).max(MIN_HESSIAN),
                ]
            })
            .collect();
        let sums = exact.iter().fold([0.0f64; 2], |[first, second], row| {
            [first + f64::from(row[0].abs()), second + f64::from(row[1])]
        });
        // Rounding adds less than one unit per row.
        let most = f64::from(i32::MAX) - 1.0 - exact.len() as f64;
        let units = sums.map(|sum| sum.max(f64::MIN_POSITIVE * 1e16) / most);
        let per_unit = units.map(|unit| 1.0 / unit);
        let whole = exact.iter().zip(0u64..).map(|(row, number)| {
            let noise = (number ^ tree << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let noise = noise ^ noise >> 29;
            let first = round(f64::from(row[0]) * per_unit[0], noise as u32);
            let second = round(f64::from(row[1]) * per_unit[1], (noise >> 32) as u32);
            ((first as u64) << 32).wrapping_add(second as u64)
        });
        let whole = whole.collect();
        Gradients { exact, whole, units }
    }

    /// The derivatives of some rows.
    fn pick(&self, rows: &[u32]) -> Gradients {
        let exact = rows.iter().map(|&row| self.exact[row as usize]).collect();
        let whole = rows.iter().map(|&row| self.whole[row as usize]).collect();
        Gradients { exact, whole, units: self.units }
    }
}

/// Rounds a number stochastically to a neighbouring integer.
fn round(number: f64, noise: u32) -> i64 {
    let raised = number + f64::from(noise) * (1.0 / 4_294_967_296.0);
    let toward_zero = raised as i64;
    toward_zero - i64::from(toward_zero as f64 > raised)
}

/// Splits a sum of [`Gradients::whole`] into both derivatives.
fn parts(sum: u64) -> [i32; 2] {
    [(sum >> 32) as i32, sum as u32 as i32]
}

struct Round<'a> {
    options: &'a Options,
    cuts: &'a [Vec<f32>],
    table: &'a crate::Table,
    matrix: &'a Matrix,
    scales: &'a [[f32; 2]],
    number: u32,
}

/// Grows a tree for each class and adds it to the training margins. `number` is the number of
/// rounds before.
fn grow(options: &Options, cuts: &[Vec<f32>], rows: &mut Rows<'_>, number: u32) -> Vec<Tree> {
    let Rows { table, matrix, margins } = rows;
    let (of_class, scales) = margins.split();
    let round = Round { options, cuts, table, matrix, scales, number };
    parallel::map(of_class.iter_mut().enumerate(), |(class, margins)| round.tree(class, margins))
}

impl Round<'_> {
    /// Grows the tree of a class and adds it to the class's margins.
    fn tree(&self, class: usize, margins: &mut [f32]) -> Tree {
        let classes = self.table.classes().len();
        let number = u64::from(self.number) * classes as u64 + class as u64;
        let sample = Sample::draw(self.matrix, self.options, number);
        let row = |row: usize| {
            let predicted = share(margins[row], self.scales[row]);
            (predicted, self.table.labels()[row * classes + class], self.table.weights()[row])
        };
        let gradients = match &sample.rows {
            Some((rows, _)) => Gradients::new(rows.iter().map(|&at| row(at as usize)), number),
            None => Gradients::new((0..self.table.rows()).map(row), number),
        };
        let cuts = |&column: &u32| self.cuts[column as usize].len();
        let inputs = GrowInputs {
            matrix: sample.matrix.as_ref().unwrap_or(self.matrix),
            cuts: &sample.columns.iter().map(cuts).collect::<Vec<usize>>(),
            gradients: &gradients,
            options: self.options,
        };
        let grown = inputs.grow();
        let tree = grown.tree(&sample.columns, self.cuts);
        self.add(&grown, &tree, &sample, margins);
        tree
    }

    /// Adds a tree's values to the margins of all rows, also those not in its sample.
    fn add(&self, grown: &GrownTree, tree: &Tree, sample: &Sample, margins: &mut [f32]) {
        let leaves = grown.rows.iter().zip(&grown.values);
        let Some((rows, others)) = &sample.rows else {
            leaves.for_each(|(&row, value)| margins[row as usize] += value);
            return;
        };
        leaves.for_each(|(&at, value)| margins[rows[at as usize] as usize] += value);
        let coded = Coded::grown(tree, self.cuts);
        for &row in others {
            margins[row as usize] += coded.value(self.matrix.row(row as usize));
        }
    }
}

// The serialised state of a run of boosting.
//
// The content of a container: a hash of the data and the options, rounds done, the best round and
// its loss, the number of bytes of the trees, and those, as XGBoost's UBJ. Margins are summed
// again, in the same order, so they are identical.

const KIND: Kind = Kind { name: "boosting", magic: b"cardroom boosting", version: 3 };

fn save(run: &Boost<'_>) -> Vec<u8> {
    sealed(KIND, |to| {
        to.number(run.data_hash)?;
        to.numbers(&[run.round, run.best.rounds])?;
        to.number(run.best.loss)?;
        let trees = run.forest.to_ubj();
        to.number(trees.len() as u64)?;
        to.bytes(&trees)
    })
}

impl<'a> Boost<'a> {
    /// Resumes a run saved by [`crate::Training::save`], on the same data and options; `rounds` and
    /// `patience` may differ.
    pub fn resume(
        options: Options,
        table: &'a Table,
        bins: &Bins,
        validation: Option<&'a Table>,
        saved: &[u8],
    ) -> Result<Boost<'a>, Error> {
        let mut run = Boost::new(options, table, bins, validation)?;
        let mut reader = Reader::checked(saved, KIND)?;
        if reader.number::<u64>()? != run.data_hash {
            return Err(Error::saved("it is of other data or options"));
        }
        let (round, rounds, loss) = (reader.number()?, reader.number()?, reader.number()?);
        let length = reader.number::<u64>()? as usize;
        let forest = Forest::read(&reader.list::<u8>(length)?)?;
        reader.end()?;
        let same = forest.base() == run.forest.base() && forest.names() == run.forest.names();
        if !same || forest.trees() != round as usize * forest.groups() || rounds > round {
            return Err(Error::saved("its trees do not fit its head"));
        }
        run.restore(forest, round)?;
        run.best = Best { rounds, loss };
        Ok(run)
    }

    fn restore(&mut self, forest: Forest, round: u32) -> Result<(), Error> {
        for index in 0..forest.trees() {
            let coded = Coded::new(&forest.tree(index), &self.cuts);
            let coded = coded.ok_or_else(|| Error::saved("its trees test other numbers"))?;
            let class = index % forest.groups();
            for rows in std::iter::once(&mut self.learnt).chain(&mut self.held_out) {
                coded.add(&rows.matrix, &mut rows.margins.of_class[class]);
            }
        }
        for rows in std::iter::once(&mut self.learnt).chain(&mut self.held_out) {
            rows.margins.update(rows.table);
        }
        self.forest = forest;
        self.round = round;
        Ok(())
    }
}
