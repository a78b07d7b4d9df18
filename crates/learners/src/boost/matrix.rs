//! Codes in row-major order, as histograms read them.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::Options;
use crate::{Bins, Codes};

/// A matrix of codes, one byte for each row and column.
#[derive(Debug)]
pub(super) struct Matrix {
    codes: Vec<u8>,
    columns: usize,
}

impl Matrix {
    /// All rows and columns of `bins`, which have at most 256 intervals.
    pub(super) fn new(bins: &Bins) -> Matrix {
        const BLOCK: usize = 4096;
        let columns = bins.columns();
        let mut codes = vec![0; bins.codes(0).len() * columns];
        let blocks = codes.chunks_mut(BLOCK * columns).enumerate();
        parallel::for_each(blocks, |(block, out)| {
            for column in 0..columns {
                let Codes::Byte(from) = bins.codes(column) else {
                    unreachable!("bins of at most 256 intervals were demanded")
                };
                let from = &from[block * BLOCK..];
                for (out, &code) in out[column..].iter_mut().step_by(columns).zip(from) {
                    *out = code;
                }
            }
        });
        Matrix { codes, columns }
    }

    /// A copy of some rows and columns.
    fn pick(&self, rows: Option<&[u32]>, columns: &[u32]) -> Matrix {
        const BLOCK: usize = 4096;
        let count = rows.map_or(self.rows(), <[u32]>::len);
        let mut codes = vec![0; count * columns.len()];
        let blocks = codes.chunks_mut(BLOCK * columns.len()).enumerate();
        parallel::for_each(blocks, |(block, out)| {
            for (at, out) in out.chunks_exact_mut(columns.len()).enumerate() {
                let at = block * BLOCK + at;
                let from = self.row(rows.map_or(at, |rows| rows[at] as usize));
                out.iter_mut().zip(columns).for_each(|(out, &column)| *out = from[column as usize]);
            }
        });
        Matrix { codes, columns: columns.len() }
    }

    /// A copy of some rows.
    pub(super) fn pick_rows(&self, rows: &[u32]) -> Matrix {
        let mut codes = Vec::with_capacity(rows.len() * self.columns);
        rows.iter().for_each(|&row| codes.extend_from_slice(self.row(row as usize)));
        Matrix { codes, columns: self.columns }
    }

    pub(super) fn rows(&self) -> usize {
        self.codes.len() / self.columns
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn row(&self, row: usize) -> &[u8] {
        &self.codes[row * self.columns..][..self.columns]
    }

    pub(super) fn code(&self, row: usize, column: usize) -> u8 {
        self.codes[row * self.columns + column]
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.codes
    }
}

/// The sample of rows and columns that one tree is grown from.
#[derive(Debug)]
pub(super) struct Sample {
    /// The codes; `None` if all rows and columns are in the sample.
    pub(super) matrix: Option<Matrix>,
    /// The sampled rows and the others, as indices into the table; `None` if all are sampled.
    pub(super) rows: Option<(Vec<u32>, Vec<u32>)>,
    /// The sampled columns, as indices into the table.
    pub(super) columns: Vec<u32>,
}

impl Sample {
    /// Draws the sample of a tree. It depends only on the options, the tree's number and the shape.
    pub(super) fn draw(all: &Matrix, options: &Options, tree: u64) -> Sample {
        let mut random =
            Pcg64Mcg::seed_from_u64(options.seed ^ (tree + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut columns: Vec<u32> = (0..all.columns() as u32).collect();
        let wanted = (columns.len() as f32 * options.colsample) as usize;
        for at in 0..wanted.clamp(1, columns.len()) {
            let other = random.random_range(at..columns.len());
            columns.swap(at, other);
        }
        columns.truncate(wanted.max(1));
        columns.sort_unstable();
        let rows = (options.subsample < 1.0).then(|| {
            let drawn = |_: &u32| random.random::<f32>() < options.subsample;
            (0..all.rows() as u32).partition::<Vec<u32>, _>(drawn)
        });
        let whole = rows.is_none() && columns.len() == all.columns();
        let matrix =
            (!whole).then(|| all.pick(rows.as_ref().map(|(seen, _)| seen.as_slice()), &columns));
        Sample { matrix, rows, columns }
    }
}
