//! Strategies of the first player as text, in the words of the table of a solution:
//!
//! ```text
//! strategy = card { ( ";" | newline ) card }
//! card     = cards ":" action { "," action }
//! cards    = number [ "-" number ]
//! action   = ( "check" | "bet" size ) [ share "%" ]
//! ```
//!
//! Every card has one line, alone or with its neighbours; the shares of a line sum to 100 %, and a
//! single action needs none. Anything after a `#` is ignored. What [`print_strategy`] prints parses
//! to the same shares, to a millionth of a percent.

use super::Bets;
use super::report::short;
use crate::Error;

/// How far the shares of a line may be from 100 %, as printed numbers are rounded.
const ROUNDING: f64 = 0.15;

/// Parses the probabilities of all bet sizes for each card, a row for each card from the worst.
///
/// # Errors
/// For a part that is not written so, a size or a card that the game does not have, shares that do
/// not sum to 100 %, and a card with two lines or none.
pub fn parse_strategy(text: &str, cards: usize, bets: &Bets) -> Result<Vec<f64>, Error> {
    let mut rows: Vec<Option<Vec<f64>>> = vec![None; cards];
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    for part in lines.flat_map(|line| line.split(';')).map(str::trim) {
        if part.is_empty() {
            continue;
        }
        let wrong = |why: String| {
            Error::new(format!(
                "`{part}`: {why}; write cards with what they do, as in 2: check 66 %, bet 0.3 34 %"
            ))
        };
        let (named, actions) =
            part.split_once(':').ok_or_else(|| wrong("there is no colon".to_owned()))?;
        let (from, to) = named.split_once('-').unwrap_or((named, named));
        let card = |text: &str| text.trim().parse::<usize>().ok();
        let (from, to) = match (card(from), card(to)) {
            (Some(from), Some(to)) if 1 <= from && from <= to && to <= cards => (from, to),
            _ => return Err(wrong(format!("cards go from 1 to {cards}"))),
        };
        let row = row(actions, bets).map_err(wrong)?;
        for (card, place) in (from..=to).zip(&mut rows[from - 1..to]) {
            if place.replace(row.clone()).is_some() {
                return Err(wrong(format!("card {card} has two lines")));
            }
        }
    }
    if let Some(missing) = rows.iter().position(Option::is_none) {
        let card = missing + 1;
        let what = format!("there is no line for card {card}: add one, such as {card}: check");
        return Err(Error::new(what));
    }
    Ok(rows.into_iter().flatten().flatten().collect())
}

/// The probabilities of a line's actions.
fn row(actions: &str, bets: &Bets) -> Result<Vec<f64>, String> {
    let mut row = vec![0.0; bets.len()];
    for action in actions.split(',') {
        let words: Vec<&str> = action.split_whitespace().collect();
        let (size, share) = match words.as_slice() {
            ["check", share @ ..] => ("0", share),
            ["bet", size, share @ ..] => (*size, share),
            _ => return Err(format!("`{}` is not an action", action.trim())),
        };
        let share = match share {
            [] => Some(100.0),
            [share] => share.strip_suffix('%').and_then(number),
            [share, "%"] => number(share),
            _ => None,
        };
        let share = share.filter(|share| *share <= 100.0 + ROUNDING);
        let share = share.ok_or_else(|| format!("`{}` has no share", action.trim()))?;
        let known = number(size)
            .and_then(|size| bets.sizes().iter().position(|known| (known - size).abs() < 1e-9));
        let known = known.ok_or_else(|| format!("a bet of {size} is not a size of the game"))?;
        row[known] += share;
    }
    let sum: f64 = row.iter().sum();
    if (sum - 100.0).abs() > ROUNDING {
        return Err(format!("the shares sum to {sum} %"));
    }
    row.iter_mut().for_each(|share| *share /= sum);
    Ok(row)
}

/// Parses digits with at most one point.
fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

/// The text of a strategy, a line for each card from the worst.
pub fn print_strategy(strategy: &[f64], bets: &Bets) -> String {
    let line = |(card, row): (usize, &[f64])| {
        let played = row.iter().zip(bets.sizes()).filter(|(share, _)| **share > 5e-9);
        let words = played.map(|(&share, &size)| {
            let what =
                if size == 0.0 { "check".to_owned() } else { format!("bet {}", exact(size)) };
            format!("{what} {} %", (1e8 * share).round() / 1e6)
        });
        format!("{}: {}\n", card + 1, words.collect::<Vec<_>>().join(", "))
    };
    strategy.chunks_exact(bets.len()).enumerate().map(line).collect()
}

/// A size with three decimals at most if these say it, otherwise with all.
fn exact(size: f64) -> String {
    let text = short(size);
    if text.parse() == Ok(size) { text } else { size.to_string() }
}
