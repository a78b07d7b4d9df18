//! Numbers of 16 bits, IEEE 754's binary16, as their bits.

/// The largest finite number.
pub const MAX: f32 = 65_504.0;

/// Number of binary16's subnormal steps in 1.
const STEPS: f32 = 16_777_216.0;
/// The smallest normal number, 2⁻¹⁴.
const MIN_NORMAL: f32 = 1_024.0 / STEPS;
/// The difference of the exponents' biases, 127 and 15, where an `f32` has its exponent.
const REBIAS: u32 = (127 - 15) << 23;
const INFINITY: u16 = 0x7c00;

/// The nearest number, of two that are equally near the even one.
pub fn to_bits(number: f32) -> u16 {
    let size = number.abs();
    let bits = if size.is_nan() {
        INFINITY | 0x200
    } else if size < MIN_NORMAL {
        (size * STEPS).round_ties_even() as u16
    } else {
        let bits = size.to_bits() - REBIAS;
        let odd = bits >> 13 & 1;
        ((bits + 0xfff + odd) >> 13).min(INFINITY.into()) as u16
    };
    bits | u16::from(number.is_sign_negative()) << 15
}

/// The same number as an `f32`.
pub fn from_bits(bits: u16) -> f32 {
    let (sign, size) = (bits & 0x8000, bits & 0x7fff);
    let number = match size {
        0..0x400 => f32::from(size) / STEPS,
        0x400..INFINITY => f32::from_bits((u32::from(size) << 13) + REBIAS),
        INFINITY => f32::INFINITY,
        _ => f32::NAN,
    };
    if sign == 0 { number } else { -number }
}
