//! A table in the layout for tree learners.

use crate::{Bins, Table};

// Rows that are written in one unit of work.
const BLOCK: usize = 1024;

/// The codes of a table in row-major order, and each row's label times its weight in `W` lanes, of
/// which unused ones are zero.
#[derive(Debug)]
pub(crate) struct Matrix<const W: usize> {
    columns: usize,
    classes: usize,
    codes: Vec<u16>,
    labels: Vec<[f32; W]>,
    // The index of each row in its table.
    ids: Vec<u32>,
    // The number of codes of each column.
    intervals: Vec<usize>,
}

impl<const W: usize> Matrix<W> {
    pub(crate) fn new(table: &Table, bins: &Bins) -> Matrix<W> {
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        Matrix::of(table, bins, &rows)
    }

    /// Some of a table's rows.
    pub(crate) fn of(table: &Table, bins: &Bins, rows: &[u32]) -> Matrix<W> {
        let columns = bins.columns();
        let mut codes = vec![0; rows.len() * columns];
        let blocks = codes.chunks_mut(BLOCK * columns).zip(rows.chunks(BLOCK));
        parallel::for_each(blocks, |(codes, rows)| {
            for column in 0..columns {
                let coded = bins.codes(column);
                for (at, &row) in rows.iter().enumerate() {
                    codes[at * columns + column] = coded.get(row as usize) as u16;
                }
            }
        });
        let mut labels = vec![[0.0; W]; rows.len()];
        let blocks = labels.chunks_mut(BLOCK).zip(rows.chunks(BLOCK));
        parallel::for_each(blocks, |(labels, rows)| {
            for (lanes, &row) in labels.iter_mut().zip(rows) {
                let weight = table.weights()[row as usize];
                let label = table.label(row as usize);
                lanes.iter_mut().zip(label).for_each(|(lane, share)| *lane = share * weight);
            }
        });
        let intervals = (0..columns).map(|column| bins.cuts(column).len() + 1).collect();
        Matrix {
            columns,
            classes: table.classes().len(),
            codes,
            labels,
            ids: rows.to_vec(),
            intervals,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    pub(crate) fn intervals(&self, column: usize) -> usize {
        self.intervals[column]
    }

    /// The codes of a row.
    #[inline]
    pub(crate) fn row(&self, row: u32) -> &[u16] {
        &self.codes[row as usize * self.columns..][..self.columns]
    }

    #[inline]
    pub(crate) fn code(&self, row: u32, column: usize) -> u16 {
        self.codes[row as usize * self.columns + column]
    }

    #[inline]
    pub(crate) fn label(&self, row: u32) -> &[f32; W] {
        &self.labels[row as usize]
    }

    /// The index of a row in its table.
    pub(crate) fn id(&self, row: u32) -> usize {
        self.ids[row as usize] as usize
    }

    /// The weights of the classes of some rows.
    pub(crate) fn sums(&self, rows: &[u32]) -> Vec<f64> {
        let mut sums = [0.0; W];
        for &row in rows {
            add(&mut sums, self.label(row));
        }
        sums[..self.classes].to_vec()
    }
}

#[inline]
fn add<const W: usize>(sums: &mut [f64; W], label: &[f32; W]) {
    for (sum, &share) in sums.iter_mut().zip(label) {
        *sum += f64::from(share);
    }
}
