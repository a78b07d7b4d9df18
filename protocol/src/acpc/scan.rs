//! Number parsing of the original server: the C library's `scanf` on a 64-bit machine. Leading
//! white space and a sign are accepted, digits are read as a 64-bit number that saturates, and that
//! number is truncated to the width of the variable.

/// Whether C's `isspace` accepts the byte.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The bytes before the first NUL: what a C string function sees.
pub(crate) fn c_string(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

/// Scans a sign and digits: whether negative, the magnitude (`None` beyond 64 bits), bytes
/// consumed.
fn scan(text: &[u8]) -> Option<(bool, Option<u64>, usize)> {
    let mut at = text.iter().take_while(|&&b| is_space(b)).count();
    let sign = text.get(at).copied().filter(|b| matches!(b, b'+' | b'-'));
    at += usize::from(sign.is_some());
    let digits = text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let magnitude = text[at..at + digits].iter().try_fold(0u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    Some((sign == Some(b'-'), magnitude, at + digits))
}

/// `%lu`: the number and the bytes consumed, or `None` without a number.
pub fn scan_u64(text: &[u8]) -> Option<(u64, usize)> {
    let (negative, magnitude, used) = scan(text)?;
    let value = match magnitude {
        Some(magnitude) if negative => magnitude.wrapping_neg(),
        Some(magnitude) => magnitude,
        None => u64::MAX,
    };
    Some((value, used))
}

/// `%ld`: as [`scan_u64`], signed.
pub fn scan_i64(text: &[u8]) -> Option<(i64, usize)> {
    let (negative, magnitude, used) = scan(text)?;
    let magnitude = magnitude.and_then(|m| i64::try_from(m).ok());
    let value = match (magnitude, negative) {
        (Some(magnitude), true) => -magnitude,
        (Some(magnitude), false) => magnitude,
        (None, true) => i64::MIN,
        (None, false) => i64::MAX,
    };
    Some((value, used))
}

/// `%u`: as [`scan_u64`], truncated to 32 bits.
pub fn scan_u32(text: &[u8]) -> Option<(u32, usize)> {
    scan_u64(text).map(|(value, used)| (value as u32, used))
}

/// `%hu`: as [`scan_u64`], truncated to 16 bits.
pub fn scan_u16(text: &[u8]) -> Option<(u16, usize)> {
    scan_u64(text).map(|(value, used)| (value as u16, used))
}

/// `%hhu`: as [`scan_u64`], truncated to 8 bits.
pub fn scan_u8(text: &[u8]) -> Option<(u8, usize)> {
    scan_u64(text).map(|(value, used)| (value as u8, used))
}

/// `%d`: as [`scan_i64`], truncated to 32 bits.
pub fn scan_i32(text: &[u8]) -> Option<(i32, usize)> {
    scan_i64(text).map(|(value, used)| (value as i32, used))
}
