//! Student's t distribution: quantiles and probabilities.

/// Degrees of freedom from which the quantiles are the normal ones to five decimals.
const NORMAL_FROM: u64 = 1_000_000;

/// The quantile of Student's t with these degrees of freedom for `0.5 < p < 1`. Accurate to at
/// least five decimals.
///
/// Computed by bisection on the distribution function, a regularised incomplete beta function
/// (Abramowitz and Stegun 26.7.1), evaluated as a continued fraction (26.5.8).
pub fn t_quantile(p: f64, degrees: u64) -> f64 {
    let n = degrees.clamp(1, NORMAL_FROM) as f64;
    let (mut low, mut high) = (0.0, 2.0);
    while upper_tail(high, n) > 1.0 - p && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if upper_tail(middle, n) > 1.0 - p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The distribution function of Student's t with these degrees of freedom at `t`.
pub fn t_probability(t: f64, degrees: u64) -> f64 {
    let tail = upper_tail(t.abs(), degrees.clamp(1, NORMAL_FROM) as f64);
    if t < 0.0 { tail } else { 1.0 - tail }
}

/// The probability that Student's t with `n` degrees of freedom exceeds `t >= 0`.
fn upper_tail(t: f64, n: f64) -> f64 {
    0.5 * incomplete_beta(n / (n + t * t), t * t / (n + t * t), 0.5 * n, 0.5)
}

/// The regularised incomplete beta function at `x`, where `y = 1 - x` is given for accuracy.
fn incomplete_beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    let factor = (a * x.ln() + b * y.ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        factor * beta_fraction(x, a, b) / a
    } else {
        1.0 - factor * beta_fraction(y, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..1000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let step = d * c;
        fraction *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function for positive arguments, by Stirling's series.
fn ln_gamma(x: f64) -> f64 {
    // The series is accurate from 10 on; the recurrence leads there.
    let mut shift = 0.0;
    let mut x = x;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - inverse
            * (1.0 / 360.0
                - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}
