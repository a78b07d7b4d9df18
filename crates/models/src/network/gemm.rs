//! Matrix products: the only caller of the crate `matrixmultiply`, whose functions take raw
//! pointers.
//!
//! Results depend on the processor's instruction set only: the same product is bit-identical each
//! time, on any number of threads.

#![allow(unsafe_code)]

/// A matrix view of a slice.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    numbers: &'a [f32],
    rows: usize,
    columns: usize,
    /// Distance between rows.
    row_step: usize,
    /// Distance between columns.
    column_step: usize,
}

impl<'a> Matrix<'a> {
    /// A row-major matrix. Panics where `numbers` has another length.
    pub fn new(numbers: &'a [f32], rows: usize, columns: usize) -> Matrix<'a> {
        assert_eq!(numbers.len(), rows * columns, "a number for each row and column");
        Matrix { numbers, rows, columns, row_step: columns, column_step: 1 }
    }

    /// The transposed matrix.
    pub fn transposed(self) -> Matrix<'a> {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_step: self.column_step,
            column_step: self.row_step,
            ..self
        }
    }
}

/// `result = a * b + keep * result`, with a row-major `result`.
///
/// Panics where the sizes do not fit each other.
pub fn multiply(a: Matrix<'_>, b: Matrix<'_>, keep: f32, result: &mut [f32]) {
    assert_eq!(a.columns, b.rows, "as many columns as rows to multiply with");
    assert_eq!(result.len(), a.rows * b.columns, "a number for each row and column");
    if result.is_empty() {
        return;
    }
    if a.columns == 0 {
        result.iter_mut().for_each(|number| *number *= keep);
        return;
    }
    for matrix in [a, b] {
        let last = (matrix.rows - 1) * matrix.row_step + (matrix.columns - 1) * matrix.column_step;
        assert!(last < matrix.numbers.len(), "the last number of the matrix is there");
    }
    // SAFETY: all three have at least one row and one column. The assertion above says that the
    // last number of `a` and of `b` lies in their slices, and as steps are not negative so do all
    // others; `result` has exactly rows * columns numbers and steps of `columns` and 1, so that
    // each is one place of its slice, and being borrowed mutably it is none of the others'. Slices
    // have at most `isize::MAX` bytes, so steps fit.
    unsafe {
        matrixmultiply::sgemm(
            a.rows,
            a.columns,
            b.columns,
            1.0,
            a.numbers.as_ptr(),
            a.row_step as isize,
            a.column_step as isize,
            b.numbers.as_ptr(),
            b.row_step as isize,
            b.column_step as isize,
            keep,
            result.as_mut_ptr(),
            b.columns as isize,
            1,
        );
    }
}
