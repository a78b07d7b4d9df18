//! Amounts of chips as decimal text.

use game::Payoff;

/// More chips than any number of hands is about.
const TOO_LARGE: i64 = 100_000_000_000_000;

/// Parses an amount in chips as [`Payoff`] prints it: at most six decimals. Exact: no two amounts
/// in 2,520ths of a chip round to the same six decimals. Amounts are below [`TOO_LARGE`], so that
/// those of a hand can be added up.
pub(crate) fn parse_payoff(text: &str) -> Option<Payoff> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 6 || !all_digits(whole) || !all_digits(decimals) {
        return None;
    }
    let chips = whole.parse::<i64>().ok().filter(|&chips| chips < TOO_LARGE)?;
    let millionths: i64 = format!("{decimals:0<6}").parse().ok()?;
    let fraction = (millionths * Payoff::PER_CHIP + 500_000) / 1_000_000;
    let parts = chips.checked_mul(Payoff::PER_CHIP)?.checked_add(fraction)?;
    Some(Payoff::from_parts(if negative { -parts } else { parts }))
}
