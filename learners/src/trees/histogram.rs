//! Labels counted by column and code.

use rayon::prelude::*;

use super::matrix::Matrix;

// So many rows are counted in short numbers before they are added up in long ones.
const CHUNK: usize = 1 << 16;

/// The weights of the classes of some rows, and their number, for each code of each column.
#[derive(Debug, Clone)]
pub(crate) struct Histogram<const W: usize> {
    // Where each column's codes begin.
    starts: Vec<usize>,
    cells: Vec<Cell<f64, W>>,
}

/// What rows with one code weigh and how many they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<T, const W: usize> {
    pub(crate) sums: [T; W],
    pub(crate) rows: u32,
}

impl<const W: usize> Histogram<W> {
    /// Counts rows, on all threads; the same at any number of them.
    pub(crate) fn new(matrix: &Matrix<W>, rows: &[u32]) -> Histogram<W> {
        let mut starts = vec![0];
        for column in 0..matrix.columns() {
            starts.push(starts[column] + matrix.intervals(column));
        }
        let size = starts[matrix.columns()];
        let mut cells = vec![Cell { sums: [0.0; W], rows: 0 }; size];
        // Two chunks at a time, so that little memory is held.
        for pair in rows.chunks(2 * CHUNK) {
            let counted: Vec<Vec<Cell<f32, W>>> =
                pair.par_chunks(CHUNK).map(|rows| count(matrix, rows, &starts)).collect();
            for counted in counted {
                for (cell, counted) in cells.iter_mut().zip(&counted) {
                    cell.rows += counted.rows;
                    for (sum, &more) in cell.sums.iter_mut().zip(&counted.sums) {
                        *sum += f64::from(more);
                    }
                }
            }
        }
        Histogram { starts, cells }
    }

    /// Takes away the rows that another counted.
    pub(crate) fn less(mut self, other: &Histogram<W>) -> Histogram<W> {
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.rows -= other.rows;
            for (sum, &less) in cell.sums.iter_mut().zip(&other.sums) {
                // What rounding leaves of an empty cell is nothing.
                *sum = if cell.rows == 0 { 0.0 } else { (*sum - less).max(0.0) };
            }
        }
        self
    }

    /// The cells of a column, by code.
    pub(crate) fn column(&self, column: usize) -> &[Cell<f64, W>] {
        &self.cells[self.starts[column]..self.starts[column + 1]]
    }
}

fn count<const W: usize>(matrix: &Matrix<W>, rows: &[u32], starts: &[usize]) -> Vec<Cell<f32, W>> {
    let columns = matrix.columns();
    let mut cells = vec![Cell { sums: [0.0; W], rows: 0 }; starts[columns]];
    for &row in rows {
        let label = matrix.label(row);
        for (&code, &start) in matrix.row(row).iter().zip(starts) {
            let cell = &mut cells[start + usize::from(code)];
            cell.rows += 1;
            for (sum, &share) in cell.sums.iter_mut().zip(label) {
                *sum += share;
            }
        }
    }
    cells
}
