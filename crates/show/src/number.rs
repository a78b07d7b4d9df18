//! Numbers as text for people.

/// A whole number with commas: `1,234,567`.
pub fn whole(number: u64) -> String {
    grouped(&number.to_string())
}

/// A number's text with commas between the thousands: `-1234.5` is `-1,234.5`.
pub fn grouped(number: &str) -> String {
    let start = usize::from(number.starts_with(['+', '-']));
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

/// A number with `decimals` decimals; zero has no sign.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if is_zero(zero) => zero.to_owned(),
        _ => text,
    }
}

fn is_zero(digits: &str) -> bool {
    digits.chars().all(|letter| matches!(letter, '0' | '.'))
}

/// A number with `decimals` decimals and commas: `1,234.5`.
pub fn decimal(value: f64, decimals: usize) -> String {
    grouped(&fixed(value, decimals))
}

/// A count with its noun: `1 hand`, `1,234 hands`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {}", whole(number), plural(number, noun))
}

/// A noun in the number of what is counted: `hand` for 1, `hands` for all others.
pub fn plural(number: u64, noun: &str) -> String {
    format!("{noun}{}", if number == 1 { "" } else { "s" })
}

/// A number with a sign and `decimals` decimals: `+1.5`, `-20.0`; zero has no sign.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    match text.strip_prefix(['+', '-']) {
        Some(zero) if is_zero(zero) => zero.to_owned(),
        _ => text,
    }
}

/// [`signed`] with the true minus sign, U+2212: `+1.5`, `−20.0`.
pub fn signed_minus(value: f64, decimals: usize) -> String {
    signed(value, decimals).replace('-', "\u{2212}")
}

/// [`signed_minus`] with commas: `−1,234.5`.
pub fn signed_grouped(value: f64, decimals: usize) -> String {
    grouped(&signed(value, decimals)).replace('-', "\u{2212}")
}

/// A share in percent with `decimals` decimals: 0.3 is `30.0 %`.
pub fn percent(share: f64, decimals: usize) -> String {
    format!("{} %", fixed(100.0 * share, decimals))
}

/// A share in percent with about two significant digits: `30 %`, `3.0 %`, `under 0.01 %`.
pub fn short_percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent >= 10.0 => format!("{percent:.0} %"),
        percent if percent >= 1.0 => format!("{percent:.1} %"),
        percent if percent >= 0.005 => format!("{percent:.2} %"),
        percent if percent > 0.0 => "under 0.01 %".to_owned(),
        _ => "0 %".to_owned(),
    }
}

/// A probability as a whole percentage, with a decimal where only an exact one may be 0 % or 100 %:
/// `30 %`, `99.8 %`.
pub fn rounded_percent(probability: f64) -> String {
    let percent = 100.0 * probability;
    let whole = percent.round();
    if (whole == 0.0 && percent > 0.0) || (whole == 100.0 && percent < 100.0) {
        format!("{percent:.1} %")
    } else {
        format!("{whole} %")
    }
}

/// A size in decimal units: `1.5 kB`, `20.0 MB`.
pub fn bytes(bytes: u128) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
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

/// A time in its two largest units: `6 s`, `3 min 20 s`, `1 h 6 min`, `2 d 7 h`; at least a second.
pub fn time_span(seconds: f64) -> String {
    let seconds = seconds.round().max(1.0) as u64;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {} s", seconds % 60),
        3600..86_400 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// A time in minutes, or in seconds below two minutes: `119 s`, `2 minutes`.
pub fn minutes(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} minutes", seconds / 60.0)
    }
}

/// A time as hours, minutes and seconds: `1:02:03`.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The text with a capital first letter.
pub fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
