//! Numbers as text for people.

/// A whole number with commas: `1,234,567`.
pub fn whole(number: u64) -> String {
    grouped(&number.to_string())
}

/// A number's text with commas between the thousands: `-1234.5` is `-1,234.5`.
pub fn grouped(number: &str) -> String {
    let start = usize::from(number.starts_with('-'));
    let end = number.find('.').unwrap_or(number.len());
    let mut text = String::with_capacity(number.len() + number.len() / 3);
    for (index, digit) in number.char_indices() {
        if index > start && index < end && (end - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 hand`, `1,234 hands`.
pub fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", whole(number))
}

/// A number with a sign and `decimals` decimals: `+1.5`, `-20.0`; zero has no sign.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    match text.strip_prefix(['+', '-']) {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        _ => text,
    }
}

/// A share in percent with `decimals` decimals: 0.3 is `30.0 %`.
pub fn percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", 100.0 * share)
}

/// Bytes as hexadecimal digits, two for each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A time in a suitable unit: `250 ns`, `1.5 µs`, `20.0 ms`, `3.00 s`.
pub fn duration(nanoseconds: u64) -> String {
    let ns = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}
