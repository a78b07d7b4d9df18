//! Matrix products for training, in the widest vector registers the processor has.
//!
//! Matrices are stored in panels: 32 columns of all rows, then the next 32, so that products read
//! and write memory sequentially and need no packing. A number of a result is the sum of its terms
//! in order, each with a fused multiply-add if the processor has it, otherwise without: that is the
//! only difference between processors.
//!
//! The only module with `unsafe` code of this crate besides `adam`: calls of functions compiled for
//! instructions that the build in general may not assume, each after checking that the processor
//! has them, and loads of arrays into registers.
#![allow(unsafe_code)]

/// The number of columns in a panel.
pub(super) const WIDTH: usize = 32;

/// The number of floats in a cache line.
const LINE: usize = 16;

/// A row of a panel.
pub(super) type Row = [f32; WIDTH];

/// A matrix in panels. Unused columns of the last panel are zero.
#[derive(Default)]
pub(super) struct Panels {
    rows: usize,
    columns: usize,
    numbers: Vec<Row>,
}

impl Panels {
    /// A matrix of zeros.
    pub(super) fn new(rows: usize, columns: usize) -> Panels {
        Panels { rows, columns, numbers: vec![[0.0; WIDTH]; rows * columns.div_ceil(WIDTH)] }
    }

    /// The number of panels.
    pub(super) fn count(&self) -> usize {
        self.columns.div_ceil(WIDTH)
    }

    /// The number of used columns in a panel.
    pub(super) fn width(&self, panel: usize) -> usize {
        WIDTH.min(self.columns - panel * WIDTH)
    }

    /// The rows of a panel.
    pub(super) fn panel(&self, panel: usize) -> &[Row] {
        &self.numbers[panel * self.rows..][..self.rows]
    }

    /// The rows of the next panel; empty after the last.
    pub(super) fn ahead(&self, panel: usize) -> &[Row] {
        let rest = &self.numbers[(panel + 1) * self.rows..];
        &rest[..rest.len().min(self.rows)]
    }

    /// The rows of a panel, mutable.
    pub(super) fn panel_mut(&mut self, panel: usize) -> &mut [Row] {
        &mut self.numbers[panel * self.rows..][..self.rows]
    }

    /// All panels, in order.
    pub(super) fn panels_mut(&mut self) -> std::slice::ChunksExactMut<'_, Row> {
        self.numbers.chunks_exact_mut(self.rows.max(1))
    }

    /// Sets the matrix from numbers in row-major order.
    pub(super) fn take(&mut self, numbers: &[f32]) {
        let columns = self.columns;
        for (number, panel) in self.panels_mut().enumerate() {
            for (row, from) in panel.iter_mut().zip(numbers.chunks_exact(columns)) {
                let from = &from[number * WIDTH..];
                let width = from.len().min(WIDTH);
                row[..width].copy_from_slice(&from[..width]);
            }
        }
    }

    /// Sets the matrix from numbers in column-major order.
    pub(super) fn take_columns(&mut self, numbers: &[f32]) {
        // In small blocks, so that reads and writes stay in the cache.
        const FEW: usize = 8;
        let rows = self.rows;
        for (panel, columns) in self.panels_mut().zip(numbers.chunks(WIDTH * rows)) {
            for (part, columns) in columns.chunks(FEW * rows).enumerate() {
                for first in (0..rows).step_by(FEW) {
                    let last = rows.min(first + FEW);
                    for (column, numbers) in columns.chunks_exact(rows).enumerate() {
                        for (row, &number) in panel[first..last].iter_mut().zip(&numbers[first..]) {
                            row[part * FEW + column] = number;
                        }
                    }
                }
            }
        }
    }

    /// The matrix as the left factor of a product.
    pub(super) fn left(&self) -> Left<'_> {
        Left::Rows { numbers: &self.numbers, panel: self.rows }
    }
}

/// The left factor of a product.
#[derive(Clone, Copy)]
pub(super) enum Left<'a> {
    /// A matrix in panels of `panel` rows each.
    Rows { numbers: &'a [Row], panel: usize },
    /// The transpose of a panel.
    Columns { numbers: &'a [Row] },
}

/// Multiplies the first `rows` rows of a matrix by a panel, and calls `finish` with each row of the
/// result in order. `ahead` is the next right factor: it is prefetched, since it may be far away in
/// memory.
///
/// Panics if the sizes do not match.
pub(super) fn product(
    left: Left<'_>,
    rows: usize,
    right: &[Row],
    ahead: &[Row],
    finish: impl FnMut(usize, &Row),
) {
    match left {
        Left::Rows { numbers, panel } => {
            let whole = right.len() / WIDTH;
            let rest = usize::from(!right.len().is_multiple_of(WIDTH));
            assert!(rows <= panel && (whole + rest) * panel <= numbers.len(), "rows as long");
        }
        Left::Columns { numbers } => {
            assert!(rows <= WIDTH && numbers.len() == right.len(), "columns as long");
        }
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return unsafe { x86::avx512(left, rows, right, ahead, finish) };
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: as above.
        return unsafe { x86::avx2(left, rows, right, ahead, finish) };
    }
    tiles::<[f32; 4]>(left, rows, right, ahead, finish);
}

/// A vector register of floats.
trait Register: Copy {
    /// The number of floats; a panel's width is a multiple of twice as many.
    const LANES: usize;
    /// The most rows of a tile: as many as keep all sums in registers.
    const ROWS: usize;
    /// Broadcasts a number.
    fn all(number: f32) -> Self;
    /// Loads the first numbers of a slice.
    fn of(numbers: &[f32]) -> Self;
    /// Adds the product of two registers, fused if possible.
    fn and_product(self, a: Self, b: Self) -> Self;
    /// Stores the numbers at the beginning of a slice.
    fn put(self, places: &mut [f32]);
    /// Prefetches a cache line, if the processor can.
    fn fetch(line: *const f32);
}

/// The portable fallback, which the compiler vectorises.
impl Register for [f32; 4] {
    const LANES: usize = 4;
    const ROWS: usize = 4;

    #[inline(always)]
    fn all(number: f32) -> Self {
        [number; 4]
    }

    #[inline(always)]
    fn of(numbers: &[f32]) -> Self {
        *numbers.first_chunk().expect("a register full")
    }

    #[inline(always)]
    fn and_product(mut self, a: Self, b: Self) -> Self {
        for ((sum, a), b) in self.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
        self
    }

    #[inline(always)]
    fn put(self, places: &mut [f32]) {
        places[..4].copy_from_slice(&self);
    }

    #[inline(always)]
    fn fetch(_: *const f32) {}
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Left, Register, Row, tiles};

    #[target_feature(enable = "avx512f")]
    pub(super) fn avx512(
        left: Left<'_>,
        rows: usize,
        right: &[Row],
        ahead: &[Row],
        finish: impl FnMut(usize, &Row),
    ) {
        tiles::<__m512>(left, rows, right, ahead, finish);
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2(
        left: Left<'_>,
        rows: usize,
        right: &[Row],
        ahead: &[Row],
        finish: impl FnMut(usize, &Row),
    ) {
        tiles::<__m256>(left, rows, right, ahead, finish);
    }

    /// Implements `Register` with intrinsics, which only functions compiled for them may use.
    macro_rules! register {
        ($name:ty, $lanes:literal, $rows:literal, $all:ident, $of:ident, $and_product:ident, $put:ident) => {
            impl Register for $name {
                const LANES: usize = $lanes;
                const ROWS: usize = $rows;

                #[inline(always)]
                fn all(number: f32) -> Self {
                    // SAFETY: called only from functions that are compiled for the instruction.
                    unsafe { $all(number) }
                }

                #[inline(always)]
                fn of(numbers: &[f32]) -> Self {
                    let numbers: &[f32; $lanes] = numbers.first_chunk().expect("a register full");
                    // SAFETY: as above; the slice has as many numbers as the register.
                    unsafe { $of(numbers.as_ptr()) }
                }

                #[inline(always)]
                fn and_product(self, a: Self, b: Self) -> Self {
                    // SAFETY: as in `all`.
                    unsafe { $and_product(a, b, self) }
                }

                #[inline(always)]
                fn put(self, places: &mut [f32]) {
                    let places: &mut [f32; $lanes] =
                        places.first_chunk_mut().expect("places for a register full");
                    // SAFETY: as in `all`; the slice has as many places as the register.
                    unsafe { $put(places.as_mut_ptr(), self) }
                }

                #[inline(always)]
                fn fetch(line: *const f32) {
                    // SAFETY: reads nothing, and has no effect on a program, whatever the address.
                    unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
                }
            }
        };
    }

    register!(__m512, 16, 12, _mm512_set1_ps, _mm512_loadu_ps, _mm512_fmadd_ps, _mm512_storeu_ps);
    register!(__m256, 8, 6, _mm256_set1_ps, _mm256_loadu_ps, _mm256_fmadd_ps, _mm256_storeu_ps);
}

/// The whole product, tile by tile.
#[inline(always)]
fn tiles<R: Register>(
    left: Left<'_>,
    rows: usize,
    right: &[Row],
    ahead: &[Row],
    mut finish: impl FnMut(usize, &Row),
) {
    let mut ahead = ahead;
    let mut first = 0;
    while first < rows {
        let left_over = (rows - first).min(R::ROWS);
        first += match left_over {
            12.. => tile::<R, 12>(left, first, right, ahead, &mut finish),
            8.. => tile::<R, 8>(left, first, right, ahead, &mut finish),
            6.. => tile::<R, 6>(left, first, right, ahead, &mut finish),
            4.. => tile::<R, 4>(left, first, right, ahead, &mut finish),
            2.. => tile::<R, 2>(left, first, right, ahead, &mut finish),
            _ => tile::<R, 1>(left, first, right, ahead, &mut finish),
        };
        // One cache line for each row of the right factor.
        ahead = &ahead[ahead.len().min(right.len() / 2)..];
    }
}

/// Computes `ROWS` rows of the product, beginning with `first`.
#[inline(always)]
fn tile<R: Register, const ROWS: usize>(
    left: Left<'_>,
    first: usize,
    right: &[Row],
    ahead: &[Row],
    finish: &mut impl FnMut(usize, &Row),
) -> usize {
    let mut sums = [[0.0; WIDTH]; ROWS];
    for start in (0..WIDTH).step_by(2 * R::LANES) {
        let mut tile = [[R::all(0.0); 2]; ROWS];
        let mut lines = ahead.as_flattened().as_ptr();
        let step = if ahead.is_empty() { 0 } else { LINE };
        match left {
            Left::Rows { numbers, panel } => {
                let mut panels = numbers[first..].chunks(panel);
                for right in right.chunks(WIDTH) {
                    let rows = panels.next().and_then(|rows| rows.first_chunk::<ROWS>());
                    let rows = rows.expect("rows as long");
                    for (k, right) in right.iter().enumerate() {
                        R::fetch(lines);
                        lines = lines.wrapping_add(step);
                        add(&mut tile, |row| rows[row][k % WIDTH], &right[start..]);
                    }
                }
            }
            Left::Columns { numbers } => {
                for (numbers, right) in numbers.iter().zip(right) {
                    R::fetch(lines);
                    lines = lines.wrapping_add(step);
                    let numbers = numbers[first..].first_chunk::<ROWS>().expect("as wide");
                    add(&mut tile, |row| numbers[row], &right[start..]);
                }
            }
        }
        for (sums, tile) in sums.iter_mut().zip(tile) {
            let (low, high) = sums[start..].split_at_mut(R::LANES);
            tile[0].put(low);
            tile[1].put(high);
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        finish(first + row, sums);
    }
    ROWS
}

/// Adds one product to each sum of a tile, which has two registers for each row.
#[inline(always)]
fn add<R: Register, const ROWS: usize>(
    tile: &mut [[R; 2]; ROWS],
    left: impl Fn(usize) -> f32,
    right: &[f32],
) {
    let right = [R::of(right), R::of(&right[R::LANES..])];
    for (row, sums) in tile.iter_mut().enumerate() {
        let number = R::all(left(row));
        for (sum, &right) in sums.iter_mut().zip(&right) {
            *sum = sum.and_product(number, right);
        }
    }
}
