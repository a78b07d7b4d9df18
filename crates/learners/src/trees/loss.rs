//! The losses of leaves.

/// The loss of a leaf's rows from the one answer it gives, times their weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// The weight of all classes but the largest: the training error.
    Misclassification,
    /// Gini impurity: the squared error of the leaf's shares, without the part due to the labels
    /// themselves.
    #[default]
    Gini,
    /// Entropy in nats: the log-loss of the leaf's shares.
    Entropy,
}

impl Loss {
    /// The loss of a leaf with these weights of the classes.
    #[inline]
    pub fn of(self, sums: &[f64]) -> f64 {
        let total: f64 = sums.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        match self {
            Loss::Misclassification => total - sums.iter().fold(0.0f64, |most, &sum| most.max(sum)),
            Loss::Gini => total - sums.iter().map(|sum| sum * sum).sum::<f64>() / total,
            Loss::Entropy => {
                let inside: f64 =
                    sums.iter().filter(|sum| **sum > 0.0).map(|sum| sum * sum.ln()).sum();
                total * total.ln() - inside
            }
        }
    }

    /// The loss in 32 bits, for searching; what is found is always evaluated again with
    /// [`Loss::of`].
    #[inline]
    pub(crate) fn roughly<const W: usize>(self, sums: &[f32; W]) -> f32 {
        let total: f32 = sums.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        match self {
            Loss::Misclassification => total - sums.iter().fold(0.0f32, |most, &sum| most.max(sum)),
            Loss::Gini => total - sums.iter().map(|sum| sum * sum).sum::<f32>() / total,
            Loss::Entropy => {
                let inside: f32 = sums.iter().map(|&sum| times_log(sum)).sum();
                times_log(total) - inside
            }
        }
    }

    /// The largest loss of a row of weight one.
    pub(crate) fn worst(self, classes: usize) -> f32 {
        match self {
            Loss::Misclassification | Loss::Gini => 1.0 - 1.0 / classes as f32,
            Loss::Entropy => (classes as f32).ln(),
        }
    }

    /// The loss of a held-out row under a leaf's shares, times its weight.
    pub(crate) fn held_out(self, shares: &[f64], label: &[f32], weight: f64) -> f64 {
        let first = |best: usize, at: usize, more: bool| if more { at } else { best };
        let label_of = |class: usize| f64::from(label[class]);
        weight
            * match self {
                Loss::Misclassification => {
                    let classes = 1..shares.len();
                    let told =
                        classes.fold(0, |best, at| first(best, at, shares[at] > shares[best]));
                    1.0 - label_of(told)
                }
                Loss::Gini => {
                    (0..shares.len()).map(|class| (label_of(class) - shares[class]).powi(2)).sum()
                }
                Loss::Entropy => (0..shares.len())
                    .filter(|&class| label[class] > 0.0)
                    .map(|class| {
                        let least = f64::from(crate::measure::MIN_SHARE);
                        -label_of(class) * shares[class].max(least).ln()
                    })
                    .sum(),
            }
    }
}

// x ln x, and 0 for x ≤ 0.
#[inline]
fn times_log(x: f32) -> f32 {
    if x <= f32::MIN_POSITIVE {
        return 0.0;
    }
    // log2 from the exponent and a polynomial for the mantissa in [1, 2), which is exact at both
    // ends; accurate to 1e-5.
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let m = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000) - 1.0;
    let log2 = m
        * (1.442_689_4
            + m * (-0.721_179_1
                + m * (0.477_820_4
                    + m * (-0.347_304_4
                        + m * (0.241_873_6 + m * (-0.136_753_3 + m * 0.042_853_4))))));
    x * (exponent as f32 + log2) * std::f32::consts::LN_2
}
