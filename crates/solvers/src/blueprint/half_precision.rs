//! 16-bit floating-point numbers with stochastic rounding, so that many small additions are not
//! lost.
//!
//! Six bits of exponent, from 2⁻¹⁴ to 2⁵⁰, and the rest mantissa: nine bits with a sign, ten
//! without. A number between two representable ones is rounded to either with probabilities that
//! preserve its expectation. Numbers smaller than 2⁻¹⁴ become zero.

/// The bits of 2⁻¹⁴ in single precision.
const MIN_BITS: u32 = (127 - 14) << 23;

/// Number of single-precision mantissa bits dropped with a sign; below, without one.
const SIGNED: u32 = 14;
const UNSIGNED: u32 = 13;

#[inline]
fn unpacked<const DROPPED: u32>(code: u32) -> f32 {
    if code == 0 { 0.0 } else { f32::from_bits((code << DROPPED) + MIN_BITS) }
}

#[inline]
fn packed<const DROPPED: u32>(number: f32, noise: u32, most: u32) -> u32 {
    let bits = number.to_bits();
    // Also for NaN: comparisons of bits are those of positive numbers.
    let above = bits.saturating_sub(MIN_BITS).saturating_add(noise & ((1 << DROPPED) - 1));
    (above >> DROPPED).min(most)
}

/// Decodes a signed number.
#[inline]
pub(super) fn signed(code: u16) -> f32 {
    let size = unpacked::<SIGNED>(u32::from(code & 0x7FFF));
    if code & 0x8000 == 0 { size } else { -size }
}

/// Encodes a signed number, rounded by random bits.
#[inline]
pub(super) fn from_signed(number: f32, noise: u32) -> u16 {
    let sign = if number < 0.0 { 0x8000 } else { 0 };
    sign | packed::<SIGNED>(number.abs(), noise, 0x7FFF) as u16
}

/// Decodes an unsigned number.
#[inline]
pub(super) fn unsigned(code: u16) -> f32 {
    unpacked::<UNSIGNED>(u32::from(code))
}

/// Encodes a nonnegative number, rounded by random bits.
#[inline]
pub(super) fn from_unsigned(number: f32, noise: u32) -> u16 {
    packed::<UNSIGNED>(number, noise, 0xFFFF) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_kept_by_reading_and_writing() {
        for code in 0..=u16::MAX {
            assert_eq!(from_unsigned(unsigned(code), 0), code);
            // There is no negative zero.
            let expected = if code == 0x8000 { 0 } else { code };
            assert_eq!(from_signed(signed(code), 0), expected);
        }
    }

    #[test]
    fn rounding_keeps_the_expectation() {
        for number in [1.000_3_f32, 0.1, 3.14159e6, 2.5e-4, 7.77e13] {
            let rounds = 1 << SIGNED;
            let sum: f64 =
                (0..rounds).map(|noise| f64::from(signed(from_signed(number, noise)))).sum();
            let off = sum / f64::from(rounds) / f64::from(number) - 1.0;
            assert!(off.abs() < 1e-6, "{number}: {off}");
            assert_eq!(signed(from_signed(-number, 77)), -signed(from_signed(number, 77)));
        }
    }

    #[test]
    fn what_is_too_large_or_too_small_stays_at_the_ends() {
        assert_eq!(signed(from_signed(1e30, u32::MAX)), signed(0x7FFF));
        assert_eq!(from_signed(f32::INFINITY, u32::MAX), 0x7FFF);
        assert_eq!(from_unsigned(1e-6, 0), 0);
        assert!(signed(0x7FFF) > 1e14);
    }
}
