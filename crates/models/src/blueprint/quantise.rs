//! Quantisation of probabilities to bytes.

/// The sum of the bytes of an information set.
pub const WHOLE: u32 = 255;

/// Quantises probabilities to 255ths that sum to exactly 255, each less than one away from its
/// exact share; all zero when no weight is positive, or one is not finite. Weights need not sum to
/// one; there are as many as bytes.
pub fn quantise(weights: &[f32], shares: &mut [u8]) {
    quantise_to(WHOLE, weights, shares);
}

/// The same as [`quantise`], in steps of one part in `steps`, which must divide 255: each byte is a
/// multiple of 255 / `steps`. Few steps compress better.
pub fn quantise_to(steps: u32, weights: &[f32], shares: &mut [u8]) {
    assert!(steps > 0 && WHOLE.is_multiple_of(steps), "{steps} does not divide {WHOLE}");
    shares.fill(0);
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight.max(0.0))).sum();
    if !(sum.is_finite() && sum > 0.0) {
        return;
    }
    let scaled = |weight: f32| f64::from(weight.max(0.0)) / sum * f64::from(steps);
    let mut left = steps;
    for (share, &weight) in shares.iter_mut().zip(weights) {
        *share = (scaled(weight) as u32).min(left) as u8;
        left -= u32::from(*share);
    }
    // The rest goes to the largest remainders, the first among equals.
    for _ in 0..left {
        let lost = |index: usize| scaled(weights[index]) - f64::from(shares[index]);
        let most = (0..shares.len()).reduce(|a, b| if lost(b) > lost(a) { b } else { a });
        let Some(most) = most else { return };
        shares[most] += 1;
    }
    for share in shares {
        *share *= (WHOLE / steps) as u8;
    }
}
