//! Derivatives of the softmax loss for one class.

/// First and second derivatives for each row of a tree's sample, in two forms: exact, for the
/// values of leaves, and as integer multiples of a unit, for histograms. Integer sums do not depend
/// on their order, so the trees do not depend on the number of threads.
///
/// The units are so large that sums over all rows fit in 31 bits. Rounding is stochastic, with a
/// fixed noise for each row, so that sums are unbiased.
#[derive(Debug)]
pub(super) struct Gradients {
    pub(super) exact: Vec<[f32; 2]>,
    /// Entries by row: the first derivative in the upper 32 bits, the second in the lower.
    pub(super) whole: Vec<u64>,
    /// The units of the first and the second derivative.
    pub(super) units: [f64; 2],
}

/// XGBoost's lower bound of the second derivative.
const MIN_HESSIAN: f32 = 1e-16;

impl Gradients {
    /// Computes the derivatives from each row's predicted share, true share and weight. `tree` is
    /// the number of the tree, which the noise depends on.
    pub(super) fn new(rows: impl Iterator<Item = (f32, f32, f32)>, tree: u64) -> Gradients {
        let exact: Vec<[f32; 2]> = rows
            .map(|(predicted, truth, weight)| {
                [
                    (predicted - truth) * weight,
                    (2.0 * predicted * (1.0 - predicted) * weight).max(MIN_HESSIAN),
                ]
            })
            .collect();
        let sums = exact.iter().fold([0.0f64; 2], |[first, second], row| {
            [first + f64::from(row[0].abs()), second + f64::from(row[1])]
        });
        // Rounding adds less than one unit per row.
        let most = f64::from(i32::MAX) - 1.0 - exact.len() as f64;
        let units = sums.map(|sum| sum.max(f64::MIN_POSITIVE * 1e16) / most);
        let per_unit = units.map(|unit| 1.0 / unit);
        let whole = exact.iter().zip(0u64..).map(|(row, number)| {
            let noise = (number ^ tree << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let noise = noise ^ noise >> 29;
            let first = round(f64::from(row[0]) * per_unit[0], noise as u32);
            let second = round(f64::from(row[1]) * per_unit[1], (noise >> 32) as u32);
            ((first as u64) << 32).wrapping_add(second as u64)
        });
        let whole = whole.collect();
        Gradients { exact, whole, units }
    }

    /// The derivatives of some rows.
    pub(super) fn pick(&self, rows: &[u32]) -> Gradients {
        let exact = rows.iter().map(|&row| self.exact[row as usize]).collect();
        let whole = rows.iter().map(|&row| self.whole[row as usize]).collect();
        Gradients { exact, whole, units: self.units }
    }
}

/// Rounds a number stochastically to a neighbouring integer.
fn round(number: f64, noise: u32) -> i64 {
    let raised = number + f64::from(noise) * (1.0 / 4_294_967_296.0);
    let toward_zero = raised as i64;
    toward_zero - i64::from(toward_zero as f64 > raised)
}

/// Splits a sum of [`Gradients::whole`] into both derivatives.
pub(super) fn parts(sum: u64) -> [i32; 2] {
    [(sum >> 32) as i32, sum as u32 as i32]
}
