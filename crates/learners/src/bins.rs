//! Columns discretised into intervals.

use crate::Table;

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

fn cuts(values: &[f32], weights: &[f32], most: usize) -> Vec<f32> {
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
