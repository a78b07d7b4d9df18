//! Histograms of labels by column and code.

use super::matrix::Matrix;

// Rows that are counted in 32-bit floats before they are added in 64 bits.
const CHUNK: usize = 1 << 16;

/// The number of some rows and the weights of their classes, for each code of each column.
#[derive(Debug, Clone)]
pub(crate) struct Histogram<const W: usize> {
    // The offset of each column's codes.
    starts: Vec<usize>,
    cells: Vec<Cell<f64, W>>,
}

/// The number of rows with one code and the weights of their classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<T, const W: usize> {
    pub(crate) sums: [T; W],
    pub(crate) rows: u32,
}

impl<const W: usize> Histogram<W> {
    /// Counts rows on all threads; the result does not depend on their number.
    pub(crate) fn new(matrix: &Matrix<W>, rows: &[u32]) -> Histogram<W> {
        let mut starts = vec![0];
        for column in 0..matrix.columns() {
            starts.push(starts[column] + matrix.intervals(column));
        }
        let size = starts[matrix.columns()];
        let mut cells = vec![Cell { sums: [0.0; W], rows: 0 }; size];
        // Two chunks at a time, to limit memory.
        for pair in rows.chunks(2 * CHUNK) {
            for counted in parallel::map(pair.chunks(CHUNK), |rows| count(matrix, rows, &starts)) {
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

    /// Subtracts the rows counted in another histogram.
    pub(crate) fn less(mut self, other: &Histogram<W>) -> Histogram<W> {
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.rows -= other.rows;
            for (sum, &less) in cell.sums.iter_mut().zip(&other.sums) {
                // Rounding errors of an empty cell are cleared.
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
