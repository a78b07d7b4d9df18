//! Columns cut into few intervals.

use rayon::prelude::*;

use crate::Table;

/// A table's columns with every number replaced by the interval it lies in.
///
/// The cuts of a column rise; the code of a number is how many of them are at most as large as it.
/// So a row lies left of cut `c`, `value < cuts[c]`, exactly if its code is at most `c`: a test on
/// codes and the same test on numbers never differ.
#[derive(Debug, Clone)]
pub struct Bins {
    cuts: Vec<Vec<f32>>,
    codes: Vec<Codes>,
}

/// The codes of one column, a code a row, in as few bytes as they need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codes {
    /// Up to 256 intervals.
    Byte(Vec<u8>),
    /// Up to 65,536 intervals.
    Word(Vec<u16>),
}

impl Codes {
    /// How many rows there are.
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
    /// Cuts every column into at most `most` intervals (2 to 65,536): half-way between neighbouring
    /// numbers where there are few enough different ones, else so that the intervals hold about the
    /// same weight of rows.
    ///
    /// O(columns x rows x log rows), on all threads.
    pub fn new(table: &Table, most: usize) -> Bins {
        let most = most.clamp(2, 1 << 16);
        let cuts = (0..table.columns().len())
            .into_par_iter()
            .map(|column| cuts(table.column(column), table.weights(), most))
            .collect();
        Bins::with_cuts(table, cuts)
    }

    /// The codes of a table's rows for cuts made before, on other rows. Panics where the columns
    /// are others.
    pub fn with_cuts(table: &Table, cuts: Vec<Vec<f32>>) -> Bins {
        assert_eq!(cuts.len(), table.columns().len(), "cuts are of as many columns");
        let codes = cuts
            .par_iter()
            .enumerate()
            .map(|(column, cuts)| encode(table.column(column), cuts))
            .collect();
        Bins { cuts, codes }
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.cuts.len()
    }

    /// The cuts of all columns, to code other rows with.
    pub fn all_cuts(&self) -> &[Vec<f32>] {
        &self.cuts
    }

    /// The cuts of a column, rising. There is one interval more.
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
    // Each different number with the weight of its rows.
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
        // Numbers that many rows share fill an interval alone; what remains is shared out anew.
        let full = held + pair[1].1 / 2.0 >= rest / intervals as f64;
        if intervals > 1 && (few || full) {
            cuts.push(between(pair[0].0, pair[1].0));
            rest -= held;
            held = 0.0;
        }
    }
    cuts
}

/// A number above `low` and at most `high`, half-way if there is one.
pub(crate) fn between(low: f32, high: f32) -> f32 {
    let middle = low / 2.0 + high / 2.0;
    if middle > low && middle <= high { middle } else { high }
}
