//! Floating-point numbers of 16 bits, rounded at random so that many small additions are not lost.
//!
//! Six bits of exponent, from 2⁻¹⁴ to 2⁵⁰, and the rest mantissa: nine bits beside a sign, ten
//! without. A number between two that can be written becomes the one or the other with the
//! probabilities that keep its expectation. What is smaller than 2⁻¹⁴ is zero.

/// The bits of 2⁻¹⁴ in single precision.
const LEAST: u32 = (127 - 14) << 23;

/// Bits of a single-precision mantissa that are dropped beside a sign, and without one.
const SIGNED: u32 = 14;
const UNSIGNED: u32 = 13;

#[inline]
fn unpacked<const DROPPED: u32>(code: u32) -> f32 {
    if code == 0 { 0.0 } else { f32::from_bits((code << DROPPED) + LEAST) }
}

#[inline]
fn packed<const DROPPED: u32>(number: f32, noise: u32, most: u32) -> u32 {
    let bits = number.to_bits();
    // Also for anything that is not a number: comparisons of bits are those of positive numbers.
    let above = bits.saturating_sub(LEAST).saturating_add(noise & ((1 << DROPPED) - 1));
    (above >> DROPPED).min(most)
}

/// The number with this code.
#[inline]
pub(super) fn signed(code: u16) -> f32 {
    let size = unpacked::<SIGNED>(u32::from(code & 0x7FFF));
    if code & 0x8000 == 0 { size } else { -size }
}

/// The code of a number, rounded by random bits.
#[inline]
pub(super) fn from_signed(number: f32, noise: u32) -> u16 {
    let sign = if number < 0.0 { 0x8000 } else { 0 };
    sign | packed::<SIGNED>(number.abs(), noise, 0x7FFF) as u16
}

/// The number without a sign that has this code.
#[inline]
pub(super) fn unsigned(code: u16) -> f32 {
    unpacked::<UNSIGNED>(u32::from(code))
}

/// The code of a number that is not negative, rounded by random bits.
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
