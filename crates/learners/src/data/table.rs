//! Tables of labelled rows to learn from.

use models::tree::Plane;

use crate::Error;

/// Rows of numbers, each with a distribution over classes and a weight.
///
/// Numbers are stored column by column, labels row by row. Every number is finite. Every label has
/// non-negative shares that sum to one within 1e-3 (and are scaled to sum to one). Every weight is
/// positive.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    classes: Vec<String>,
    values: Vec<f32>,
    labels: Vec<f32>,
    weights: Vec<f32>,
}

/// Checks the numbers of values, of labels and of rows.
pub(crate) fn check_shape(
    [values, labels, rows]: [usize; 3],
    columns: usize,
    classes: usize,
    least: usize,
) -> Result<(), Error> {
    if columns == 0 || classes < least {
        return Err(Error::new(format!(
            "{columns} columns and {classes} classes: a learner needs at least one column and two \
             classes"
        )));
    }
    if values != rows * columns || labels != rows * classes {
        return Err(Error::new(format!(
            "{values} values, {labels} label shares and {rows} weights are not whole rows of \
             {columns} columns and {classes} classes"
        )));
    }
    if rows == 0 { Err(Error::new("there are no rows")) } else { Ok(()) }
}

/// Checks the weights of rows.
pub(crate) fn check_weights(weights: &[f32]) -> Result<(), Error> {
    match weights.iter().position(|&weight| !(weight > 0.0 && weight.is_finite())) {
        Some(row) => {
            let weight = weights[row];
            Err(Error::new(format!("row {row}: a weight must be above 0, and it is {weight}")))
        }
        None => Ok(()),
    }
}

/// The error for a value that is not finite.
pub(crate) fn not_a_number(row: usize, column: &str, value: f32) -> Error {
    Error::new(format!("row {row}, column {column}: {value} is not a number to learn from"))
}

impl Table {
    /// A table from `values` column by column (columns x rows), `labels` row by row (rows x
    /// classes), and one of `weights` for each row.
    pub fn new(
        columns: Vec<String>,
        classes: Vec<String>,
        values: Vec<f32>,
        mut labels: Vec<f32>,
        weights: Vec<f32>,
    ) -> Result<Table, Error> {
        let (rows, least) = (weights.len(), 2);
        let lengths = [values.len(), labels.len(), rows];
        check_shape(lengths, columns.len(), classes.len(), least)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(not_a_number(at % rows, &columns[at / rows], values[at]));
        }
        for (row, label) in labels.chunks_exact_mut(classes.len()).enumerate() {
            let sum: f32 = label.iter().sum();
            let negative = label.iter().any(|&share| share < 0.0 || share.is_nan());
            if negative || (sum - 1.0).abs() > 1e-3 {
                let sum = if negative { f32::NAN } else { sum };
                return Err(Error::new(format!(
                    "row {row}: the shares of its classes must be at least 0 and sum to 1, and \
                     they sum to {sum}"
                )));
            }
            label.iter_mut().for_each(|share| *share /= sum);
        }
        check_weights(&weights)?;
        Ok(Table { columns, classes, values, labels, weights })
    }

    /// A table with one class for each row and weights of one: `values` column by column, `labels`
    /// the class indices of the rows.
    ///
    /// Panics if a label is not the index of a class.
    pub fn hard(
        columns: Vec<String>,
        classes: Vec<String>,
        values: Vec<f32>,
        labels: &[usize],
    ) -> Result<Table, Error> {
        let mut shares = vec![0.0; labels.len() * classes.len()];
        for (row, &label) in labels.iter().enumerate() {
            assert!(label < classes.len(), "row {row}: {label} is not a class");
            shares[row * classes.len() + label] = 1.0;
        }
        Table::new(columns, classes, values, shares, vec![1.0; labels.len()])
    }

    /// The rows of all tables, with the columns and classes of any, in the order of their first
    /// appearance. Where a row's own table lacks a column or a class, it has 0.
    ///
    /// Panics without a table.
    pub fn joined(tables: &[Table]) -> Table {
        let union = |names: fn(&Table) -> &[String]| -> Vec<String> {
            let mut all: Vec<String> = Vec::new();
            for name in tables.iter().flat_map(names) {
                if !all.contains(name) {
                    all.push(name.clone());
                }
            }
            all
        };
        let (columns, classes) = (union(Table::columns), union(Table::classes));
        let rows: usize = tables.iter().map(Table::rows).sum();
        assert!(rows > 0, "there is a table");
        let mut values = Vec::with_capacity(rows * columns.len());
        for name in &columns {
            for table in tables {
                match table.columns.iter().position(|known| known == name) {
                    Some(column) => values.extend_from_slice(table.column(column)),
                    None => values.resize(values.len() + table.rows(), 0.0),
                }
            }
        }
        let mut labels = Vec::with_capacity(rows * classes.len());
        for table in tables {
            let own = |name| table.classes.iter().position(|known| known == name);
            let own: Vec<Option<usize>> = classes.iter().map(own).collect();
            for label in table.labels.chunks_exact(table.classes.len()) {
                labels.extend(own.iter().map(|class| class.map_or(0.0, |class| label[class])));
            }
        }
        let weights = tables.iter().flat_map(|table| &table.weights).copied().collect();
        Table { columns, classes, values, labels, weights }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The numbers of a column, one for each row.
    pub fn column(&self, column: usize) -> &[f32] {
        &self.values[column * self.rows()..][..self.rows()]
    }

    /// Writes the numbers of a row to `out`, one for each column.
    pub fn row(&self, row: usize, out: &mut [f32]) {
        for (column, value) in out.iter_mut().enumerate() {
            *value = self.values[column * self.rows() + row];
        }
    }

    /// The shares of the classes of all rows, row by row.
    pub fn labels(&self) -> &[f32] {
        &self.labels
    }

    /// The shares of the classes of a row.
    pub fn label(&self, row: usize) -> &[f32] {
        &self.labels[row * self.classes.len()..][..self.classes.len()]
    }

    /// Whether each row has a single class, rather than a distribution.
    pub fn is_hard(&self) -> bool {
        self.labels.iter().all(|&share| share == 0.0 || share == 1.0)
    }

    /// The weight of each row.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The first `columns` columns, followed by one for each plane with its sums.
    pub(crate) fn with_planes(&self, columns: usize, planes: &[Plane]) -> Table {
        let mut names = self.columns[..columns].to_vec();
        let mut values = self.values[..columns * self.rows()].to_vec();
        let mut row = vec![0.0; self.columns.len()];
        for (number, plane) in planes.iter().enumerate() {
            names.push(format!("plane {number}"));
            for at in 0..self.rows() {
                for &(column, _) in &plane.factors {
                    row[column] = self.values[column * self.rows() + at];
                }
                let sum = plane.weighted_sum(&row);
                values.push(if sum.is_finite() { sum } else { f32::MAX });
            }
        }
        let (classes, labels) = (self.classes.clone(), self.labels.clone());
        Table { columns: names, classes, values, labels, weights: self.weights.clone() }
    }

    /// The rows with these indices, in that order; a row may occur twice. Panics without rows, or
    /// if an index is out of range.
    pub fn pick(&self, rows: &[u32]) -> Table {
        assert!(!rows.is_empty(), "a table has at least one row");
        let mut values = Vec::with_capacity(rows.len() * self.columns.len());
        for column in 0..self.columns.len() {
            let column = self.column(column);
            values.extend(rows.iter().map(|&row| column[row as usize]));
        }
        let mut labels = Vec::with_capacity(rows.len() * self.classes.len());
        for &row in rows {
            labels.extend_from_slice(self.label(row as usize));
        }
        Table {
            columns: self.columns.clone(),
            classes: self.classes.clone(),
            values,
            labels,
            weights: rows.iter().map(|&row| self.weights[row as usize]).collect(),
        }
    }
}

/// A table whose numbers are replaced by the codes of the intervals they lie in.
///
/// The cuts of a column are in increasing order; the code of a number is the count of cuts that are
/// at most as large as it. So a row lies left of cut `c`, `value < cuts[c]`, exactly if its code is
/// at most `c`: a test on codes always agrees with the test on numbers.
#[derive(Debug, Clone)]
pub struct Bins {
    cuts: Vec<Vec<f32>>,
    codes: Vec<Codes>,
}

/// The codes of a column, one for each row, in the smallest sufficient integer type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codes {
    /// Up to 256 intervals.
    Byte(Vec<u8>),
    /// Up to 65,536 intervals.
    Word(Vec<u16>),
}

impl Codes {
    /// The number of rows.
    #[allow(clippy::len_without_is_empty, reason = "a table has at least one row")]
    pub fn len(&self) -> usize {
        match self {
            Codes::Byte(codes) => codes.len(),
            Codes::Word(codes) => codes.len(),
        }
    }

    /// The code of a row.
    pub fn get(&self, row: usize) -> usize {
        match self {
            Codes::Byte(codes) => usize::from(codes[row]),
            Codes::Word(codes) => usize::from(codes[row]),
        }
    }
}

impl Bins {
    /// Cuts every column into at most `most` intervals (2 to 65,536). With few distinct numbers the
    /// cuts are half-way between neighbours, otherwise so that the intervals hold about the same
    /// weight of rows.
    ///
    /// O(columns x rows x log rows), on all threads.
    pub fn new(table: &Table, most: usize) -> Bins {
        let most = most.clamp(2, 1 << 16);
        let cuts = parallel::map(0..table.columns().len(), |column| {
            cuts(table.column(column), table.weights(), most)
        });
        Bins::with_cuts(table, cuts)
    }

    /// The codes of a table's rows for given cuts, from other rows. Panics if the columns differ.
    pub fn with_cuts(table: &Table, cuts: Vec<Vec<f32>>) -> Bins {
        assert_eq!(cuts.len(), table.columns().len(), "cuts are of as many columns");
        let codes = parallel::map(cuts.iter().enumerate(), |(column, cuts)| {
            encode(table.column(column), cuts)
        });
        Bins { cuts, codes }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.cuts.len()
    }

    /// The cuts of all columns, for coding other rows.
    pub fn all_cuts(&self) -> &[Vec<f32>] {
        &self.cuts
    }

    /// The cuts of a column in increasing order. There is one interval more.
    pub fn cuts(&self, column: usize) -> &[f32] {
        &self.cuts[column]
    }

    /// The codes of a column.
    pub fn codes(&self, column: usize) -> &Codes {
        &self.codes[column]
    }
}

fn encode(values: &[f32], cuts: &[f32]) -> Codes {
    let code = |value: f32| cuts.partition_point(|&cut| cut <= value);
    if cuts.len() < 256 {
        Codes::Byte(values.iter().map(|&value| code(value) as u8).collect())
    } else {
        Codes::Word(values.iter().map(|&value| code(value) as u16).collect())
    }
}

/// Cuts of a column into at most `most` intervals: half-way between neighbours if so many suffice,
/// otherwise so that the intervals hold about the same weight of rows.
pub(crate) fn cuts(values: &[f32], weights: &[f32], most: usize) -> Vec<f32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    // The distinct numbers, each with the weight of its rows.
    let mut different: Vec<(f32, f64)> = Vec::new();
    for &row in &order {
        let (value, weight) = (values[row as usize], f64::from(weights[row as usize]));
        match different.last_mut() {
            Some((last, sum)) if *last == value => *sum += weight,
            _ => different.push((value, weight)),
        }
    }
    let mut cuts = Vec::new();
    let mut rest: f64 = different.iter().map(|(_, weight)| weight).sum();
    let mut held = 0.0;
    for (index, pair) in different.windows(2).enumerate() {
        held += pair[0].1;
        let intervals = most - cuts.len();
        let few = different.len() - index <= intervals;
        // A number with many rows fills an interval alone; the remaining weight is divided anew.
        let full = held + pair[1].1 / 2.0 >= rest / intervals as f64;
        if intervals > 1 && (few || full) {
            cuts.push(between(pair[0].0, pair[1].0));
            rest -= held;
            held = 0.0;
        }
    }
    cuts
}

/// A number above `low` and at most `high`: the midpoint if it is representable.
pub(crate) fn between(low: f32, high: f32) -> f32 {
    let middle = low / 2.0 + high / 2.0;
    if middle > low && middle <= high { middle } else { high }
}
