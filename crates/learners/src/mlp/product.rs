//! Matrix products for training, in the widest vector registers the processor has.
//!
//! Matrices are stored in panels: 32 columns of all rows, then the next 32, so that products read
//! and write memory sequentially and need no packing. A number of a result is the sum of its terms
//! in order, each with a fused multiply-add if the processor has it, otherwise without: that is the
//! only difference between processors.
//!
//! The only module with `unsafe` code of this crate besides `adam`: calls of functions compiled for
//! instructions that the build in general may not assume, and instructions on registers. Both need
//! a [`Register::Proof`] that the processor has them, or a register, which nothing else makes.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};

/// The number of columns in a panel.
pub(super) const WIDTH: usize = 32;

/// A row of a panel, aligned so that no register is loaded from two cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Row([f32; WIDTH]);

impl Row {
    pub(super) const ZERO: Row = Row([0.0; WIDTH]);
}

impl Deref for Row {
    type Target = [f32; WIDTH];

    #[inline(always)]
    fn deref(&self) -> &[f32; WIDTH] {
        &self.0
    }
}

impl DerefMut for Row {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32; WIDTH] {
        &mut self.0
    }
}

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
        Panels { rows, columns, numbers: vec![Row::ZERO; rows * columns.div_ceil(WIDTH)] }
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
                match from[number * WIDTH..].first_chunk() {
                    Some(from) => **row = *from,
                    None => row[..columns % WIDTH].copy_from_slice(&from[number * WIDTH..]),
                }
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

/// The operation that is applied to the numbers of a product.
///
/// A closure, of the row, the first column and some numbers, is compiled as a function of its own,
/// for registers that every processor has; the types below are compiled into the product.
pub(super) trait Finish {
    /// Takes numbers of a row, beginning with this column.
    fn take<R: Register>(&mut self, proof: R::Proof, row: usize, column: usize, sums: [R; 2]);
}

impl<F: FnMut(usize, usize, &[f32])> Finish for F {
    #[inline(always)]
    fn take<R: Register>(&mut self, _: R::Proof, row: usize, column: usize, sums: [R; 2]) {
        let mut numbers = Row::ZERO;
        each(0, sums, |at, sum| sum.store(&mut numbers[at..]));
        self(row, column, &numbers[..2 * R::LANES]);
    }
}

/// Calls `work` with each register of a row and its column.
#[inline(always)]
fn each<R: Register>(column: usize, sums: [R; 2], mut work: impl FnMut(usize, R)) {
    work(column, sums[0]);
    work(column + R::LANES, sums[1]);
}

/// Sets a layer's units to the rectified sums with these biases.
pub(super) struct Rectify<'a> {
    pub(super) biases: &'a Row,
    pub(super) units: &'a mut [Row],
}

impl Finish for Rectify<'_> {
    #[inline(always)]
    fn take<R: Register>(&mut self, proof: R::Proof, row: usize, column: usize, sums: [R; 2]) {
        let units = &mut self.units[row];
        each(column, sums, |at, sum| {
            sum.add(R::load(proof, &self.biases[at..])).rectified().store(&mut units[at..]);
        });
    }
}

/// Sets gradients to the sums where units are positive, elsewhere to zero.
pub(super) struct WherePositive<'a> {
    pub(super) units: &'a [Row],
    pub(super) gradients: &'a mut [Row],
}

impl Finish for WherePositive<'_> {
    #[inline(always)]
    fn take<R: Register>(&mut self, proof: R::Proof, row: usize, column: usize, sums: [R; 2]) {
        let (units, gradients) = (&self.units[row], &mut self.gradients[row]);
        each(column, sums, |at, sum| {
            sum.where_positive(R::load(proof, &units[at..])).store(&mut gradients[at..]);
        });
    }
}

/// Adds the sums of the first `width` columns to numbers whose rows have the length `row`.
pub(super) struct AddTo<'a> {
    pub(super) numbers: &'a mut [f32],
    pub(super) row: usize,
    pub(super) width: usize,
}

impl Finish for AddTo<'_> {
    #[inline(always)]
    fn take<R: Register>(&mut self, proof: R::Proof, row: usize, column: usize, sums: [R; 2]) {
        let numbers = &mut self.numbers[row * self.row..];
        if self.width == WIDTH {
            each(column, sums, |at, sum| {
                R::load(proof, &numbers[at..]).add(sum).store(&mut numbers[at..]);
            });
            return;
        }
        let mut sums_of_row = Row::ZERO;
        each(column, sums, |at, sum| sum.store(&mut sums_of_row[at..]));
        for at in column..self.width.min(column + 2 * R::LANES) {
            numbers[at] += sums_of_row[at];
        }
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

/// Multiplies the first `rows` rows of a matrix by a panel, and gives `finish` the numbers of the
/// result. `ahead`, from the next right factor, is prefetched meanwhile, as it may be far away in
/// memory.
///
/// Panics if the sizes do not match.
pub(super) fn product(
    left: Left<'_>,
    rows: usize,
    right: &[Row],
    ahead: &[Row],
    finish: impl Finish,
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
    if let Some(proof) = x86::Avx512::detected() {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return unsafe { x86::avx512(proof, left, rows, right, ahead, finish) };
    } else if let Some(proof) = x86::Avx2::detected() {
        // SAFETY: as above.
        return unsafe { x86::avx2(proof, left, rows, right, ahead, finish) };
    }
    tiles::<[f32; 4]>((), left, rows, right, ahead, finish);
}

/// A vector register of floats.
pub(super) trait Register: Copy {
    /// Proof that the processor has the registers. All registers are made with it, so that one that
    /// exists is a proof, too.
    type Proof: Copy;
    /// The number of floats; a panel's width is a multiple of twice as many.
    const LANES: usize;
    /// The most rows of a tile: as many as keep all sums in registers.
    const ROWS: usize;
    /// Broadcasts a number.
    fn splat(proof: Self::Proof, number: f32) -> Self;
    /// Loads the first numbers of a slice.
    fn load(proof: Self::Proof, numbers: &[f32]) -> Self;
    /// Adds the product of two registers, fused if possible.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The sum of two registers.
    fn add(self, other: Self) -> Self;
    /// Zero for what is not positive.
    fn rectified(self) -> Self;
    /// Zero where the other is not positive.
    fn where_positive(self, other: Self) -> Self;
    /// Stores the numbers at the beginning of a slice.
    fn store(self, slots: &mut [f32]);
    /// Prefetches a cache line, if the processor can.
    fn prefetch(line: *const f32);
}

/// The portable fallback, which the compiler vectorises.
impl Register for [f32; 4] {
    type Proof = ();
    const LANES: usize = 4;
    const ROWS: usize = 4;

    #[inline(always)]
    fn splat((): (), number: f32) -> Self {
        [number; 4]
    }

    #[inline(always)]
    fn load((): (), numbers: &[f32]) -> Self {
        *numbers.first_chunk().expect("a register full")
    }

    #[inline(always)]
    fn mul_add(mut self, a: Self, b: Self) -> Self {
        for ((sum, a), b) in self.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
        self
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|at| self[at] + other[at])
    }

    #[inline(always)]
    fn rectified(self) -> Self {
        self.map(|number| number.max(0.0))
    }

    #[inline(always)]
    fn where_positive(self, other: Self) -> Self {
        std::array::from_fn(|at| if other[at] > 0.0 { self[at] } else { 0.0 })
    }

    #[inline(always)]
    fn store(self, slots: &mut [f32]) {
        slots[..4].copy_from_slice(&self);
    }

    #[inline(always)]
    fn prefetch(_: *const f32) {}
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Finish, Left, Register, Row, tiles};

    #[target_feature(enable = "avx512f")]
    pub(super) fn avx512(
        proof: Avx512,
        left: Left<'_>,
        rows: usize,
        right: &[Row],
        ahead: &[Row],
        finish: impl Finish,
    ) {
        tiles::<Floats16>(proof, left, rows, right, ahead, finish);
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2(
        proof: Avx2,
        left: Left<'_>,
        rows: usize,
        right: &[Row],
        ahead: &[Row],
        finish: impl Finish,
    ) {
        tiles::<Floats8>(proof, left, rows, right, ahead, finish);
    }

    /// Declares registers and the proof that the processor has them.
    macro_rules! register {
        (
            $name:ident($register:ty), $proof:ident($($feature:tt)&&+), $lanes:literal,
            $rows:literal, $all:ident, $of:ident, $mul_add:ident, $put:ident, $add:ident,
            $max:ident, $where_positive:ident
        ) => {
            /// Proof that the processor has the instructions.
            #[derive(Clone, Copy)]
            pub(super) struct $proof(());

            impl $proof {
                /// The proof; `None` on processors without the instructions.
                #[inline(always)]
                pub(super) fn detected() -> Option<$proof> {
                    ($(is_x86_feature_detected!($feature))&&+).then_some($proof(()))
                }
            }

            #[derive(Clone, Copy)]
            struct $name($register);

            impl Register for $name {
                type Proof = $proof;
                const LANES: usize = $lanes;
                const ROWS: usize = $rows;

                #[inline(always)]
                fn splat(_: $proof, number: f32) -> Self {
                    // SAFETY: the processor has the instruction, by the proof.
                    $name(unsafe { $all(number) })
                }

                #[inline(always)]
                fn load(_: $proof, numbers: &[f32]) -> Self {
                    let numbers: &[f32; $lanes] = numbers.first_chunk().expect("a register full");
                    // SAFETY: as above; the slice has as many numbers as the register.
                    $name(unsafe { $of(numbers.as_ptr()) })
                }

                #[inline(always)]
                fn mul_add(self, a: Self, b: Self) -> Self {
                    // SAFETY: registers were made with the proof that the processor has them.
                    $name(unsafe { $mul_add(a.0, b.0, self.0) })
                }

                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    // SAFETY: as in `mul_add`.
                    $name(unsafe { $add(self.0, other.0) })
                }

                #[inline(always)]
                fn rectified(self) -> Self {
                    // SAFETY: as in `mul_add`.
                    $name(unsafe { $max(self.0, $all(0.0)) })
                }

                #[inline(always)]
                fn where_positive(self, other: Self) -> Self {
                    // SAFETY: as in `mul_add`.
                    $name(unsafe { $where_positive(self.0, other.0) })
                }

                #[inline(always)]
                fn store(self, slots: &mut [f32]) {
                    let slots: &mut [f32; $lanes] =
                        slots.first_chunk_mut().expect("places for a register full");
                    // SAFETY: as in `mul_add`; the slice has as many places as the register.
                    unsafe { $put(slots.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn prefetch(line: *const f32) {
                    // SAFETY: reads nothing, and has no effect on a program, whatever the address.
                    unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
                }
            }
        };
    }

    register! {
        Floats16(__m512), Avx512("avx512f"), 16, 12, _mm512_set1_ps, _mm512_loadu_ps,
        _mm512_fmadd_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_max_ps, where_positive_512
    }
    register! {
        Floats8(__m256), Avx2("avx2" && "fma"), 8, 6, _mm256_set1_ps, _mm256_loadu_ps,
        _mm256_fmadd_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_max_ps, where_positive_256
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn where_positive_512(numbers: __m512, other: __m512) -> __m512 {
        let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(other, _mm512_setzero_ps());
        _mm512_maskz_mov_ps(positive, numbers)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn where_positive_256(numbers: __m256, other: __m256) -> __m256 {
        _mm256_and_ps(numbers, _mm256_cmp_ps::<_CMP_GT_OQ>(other, _mm256_setzero_ps()))
    }
}

/// The whole product, tile by tile.
#[inline(always)]
fn tiles<R: Register>(
    proof: R::Proof,
    left: Left<'_>,
    rows: usize,
    right: &[Row],
    ahead: &[Row],
    mut finish: impl Finish,
) {
    // Memory is slower than products: what is prefetched is spread over all tiles.
    let tiles = rows.div_ceil(R::ROWS).max(1);
    let mut ahead = ahead.chunks(ahead.len().div_ceil(tiles).max(1));
    let mut first = 0;
    while first < rows {
        let ahead = ahead.next().unwrap_or_default();
        let left_over = (rows - first).min(R::ROWS);
        first += match left_over {
            12.. => tile::<R, 12>(proof, left, first, right, ahead, &mut finish),
            8.. => tile::<R, 8>(proof, left, first, right, ahead, &mut finish),
            6.. => tile::<R, 6>(proof, left, first, right, ahead, &mut finish),
            4.. => tile::<R, 4>(proof, left, first, right, ahead, &mut finish),
            2.. => tile::<R, 2>(proof, left, first, right, ahead, &mut finish),
            _ => tile::<R, 1>(proof, left, first, right, ahead, &mut finish),
        };
    }
}

/// Computes `ROWS` rows of the product, beginning with `first`; returns their number.
#[inline(always)]
fn tile<R: Register, const ROWS: usize>(
    proof: R::Proof,
    left: Left<'_>,
    first: usize,
    right: &[Row],
    ahead: &[Row],
    finish: &mut impl Finish,
) -> usize {
    for start in (0..WIDTH).step_by(2 * R::LANES) {
        let mut tile = [[R::splat(proof, 0.0); 2]; ROWS];
        let mut lines = ahead.as_ptr().cast::<f32>();
        let step = (ahead.len() * WIDTH).div_ceil(right.len().max(1));
        match left {
            Left::Rows { numbers, panel } => {
                let mut panels = numbers[first..].chunks(panel);
                for right in right.chunks(WIDTH) {
                    let rows = panels.next().and_then(|rows| rows.first_chunk::<ROWS>());
                    let rows = rows.expect("rows as long");
                    for (k, right) in right.iter().enumerate() {
                        R::prefetch(lines);
                        lines = lines.wrapping_add(step);
                        add(proof, &mut tile, |row| rows[row][k % WIDTH], &right[start..]);
                    }
                }
            }
            Left::Columns { numbers } => {
                for (numbers, right) in numbers.iter().zip(right) {
                    R::prefetch(lines);
                    lines = lines.wrapping_add(step);
                    let numbers = numbers[first..].first_chunk::<ROWS>().expect("as wide");
                    add(proof, &mut tile, |row| numbers[row], &right[start..]);
                }
            }
        }
        for (row, sums) in tile.into_iter().enumerate() {
            finish.take(proof, first + row, start, sums);
        }
    }
    ROWS
}

/// Adds one product to each sum of a tile, which has two registers for each row.
#[inline(always)]
fn add<R: Register, const ROWS: usize>(
    proof: R::Proof,
    tile: &mut [[R; 2]; ROWS],
    left: impl Fn(usize) -> f32,
    right: &[f32],
) {
    let right = [R::load(proof, right), R::load(proof, &right[R::LANES..])];
    for (row, sums) in tile.iter_mut().enumerate() {
        let number = R::splat(proof, left(row));
        for (sum, &right) in sums.iter_mut().zip(&right) {
            *sum = sum.mul_add(number, right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product in each kind of registers that the processor has, as rows of `width` numbers that
    /// are added to `before`.
    fn all_kinds(left: Left<'_>, rows: usize, right: &[Row], width: usize) -> Vec<Vec<f32>> {
        let mut results = vec![];
        let mut with = |product: &dyn Fn(AddTo<'_>)| {
            let mut numbers = vec![1.0; rows * width];
            product(AddTo { numbers: &mut numbers, row: width, width });
            results.push(numbers);
        };
        with(&|add| tiles::<[f32; 4]>((), left, rows, right, right, add));
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(proof) = x86::Avx2::detected() {
                // SAFETY: the processor has the instructions.
                with(&|add| unsafe { x86::avx2(proof, left, rows, right, right, add) });
            }
            if let Some(proof) = x86::Avx512::detected() {
                // SAFETY: as above.
                with(&|add| unsafe { x86::avx512(proof, left, rows, right, right, add) });
            }
        }
        results
    }

    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * 7919 % 1013) as f32 - 506.0) / 512.0).collect()
    }

    #[test]
    fn products_in_all_kinds_of_registers_are_those_of_a_loop() {
        for (rows, inner, width) in [(1, 1, 1), (13, 32, 31), (25, 33, 32), (32, 70, 5)] {
            let [a, b] = [numbers(rows * inner), numbers(inner * width)];
            let (mut left, mut columns, mut right) =
                (Panels::new(rows, inner), Panels::new(inner, rows), Panels::new(inner, width));
            left.take(&a);
            columns.take_columns(&a);
            right.take(&b);
            let wanted: Vec<f32> = (0..rows * width)
                .map(|at| {
                    let terms = (0..inner).map(|k| {
                        f64::from(a[at / width * inner + k]) * f64::from(b[k * width + at % width])
                    });
                    1.0 + terms.sum::<f64>() as f32
                })
                .collect();
            let columns = Left::Columns { numbers: columns.panel(0) };
            for left in [left.left(), columns] {
                for found in all_kinds(left, rows, right.panel(0), width) {
                    for (found, wanted) in found.iter().zip(&wanted) {
                        assert!((found - wanted).abs() < 1e-4, "{rows} {inner} {width}");
                    }
                }
            }
        }
    }

    #[test]
    fn units_and_gradients_in_all_kinds_of_registers_are_those_of_the_definition() {
        // One row of one term, so that sums are the right factor.
        let one = Panels { rows: 1, columns: 1, numbers: vec![Row([1.0; WIDTH])] };
        let mut right = Panels::new(1, WIDTH);
        right.take(&numbers(WIDTH));
        let sums = right.panel(0)[0];
        let biases = Row(std::array::from_fn(|at| at as f32 / 32.0 - 0.5));
        let check = |rectified: Row, gradients: Row| {
            for at in 0..WIDTH {
                assert_eq!(rectified[at], (sums[at] + biases[at]).max(0.0));
                assert_eq!(gradients[at], if biases[at] > 0.0 { sums[at] } else { 0.0 });
            }
        };
        macro_rules! with {
            ($product:expr) => {{
                let (mut units, mut gradients) = ([Row::ZERO], [Row::ZERO]);
                let product = $product;
                product(Rectify { biases: &biases, units: &mut units });
                let product = $product;
                product(WherePositive { units: &[biases], gradients: &mut gradients });
                check(units[0], gradients[0]);
            }};
        }
        let (left, right) = (one.left(), right.panel(0));
        with!(|finish| tiles::<[f32; 4]>((), left, 1, right, &[], finish));
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(proof) = x86::Avx2::detected() {
                // SAFETY: the processor has the instructions.
                with!(|finish| unsafe { x86::avx2(proof, left, 1, right, &[], finish) });
            }
            if let Some(proof) = x86::Avx512::detected() {
                // SAFETY: as above.
                with!(|finish| unsafe { x86::avx512(proof, left, 1, right, &[], finish) });
            }
        }
    }
}
