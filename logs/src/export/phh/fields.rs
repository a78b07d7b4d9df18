//! The fields of a PHH table, with amounts scaled to whole chips, and what is wrong with them.

use std::ops::Range;

use game::{Chips, GameSpec, Payoff};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::export::parse_payoff;

/// The fields with amounts that are whole chips once scaled.
const AMOUNTS: [&str; 6] =
    ["antes", "blinds_or_straddles", "min_bet", "small_bet", "big_bet", "starting_stacks"];

/// Maximum number of decimals of an amount.
pub(super) const MAX_DECIMALS: usize = 8;

/// A fault in a hand.
pub(super) struct Fault {
    /// Its bytes in the file; `None` for the hand as a whole.
    pub(super) at: Option<Range<usize>>,
    pub(super) reason: String,
    pub(super) unsupported: Option<&'static str>,
}

impl From<String> for Fault {
    fn from(reason: String) -> Fault {
        Fault { at: None, reason, unsupported: None }
    }
}

/// A fault of a sound hand that records cannot hold; `kind` as in [`crate::export::ReadError`].
pub(super) fn unsupported(kind: &'static str, reason: impl Into<String>) -> Fault {
    Fault { unsupported: Some(kind), ..Fault::from(reason.into()) }
}

/// A fault of this value.
pub(super) fn at(value: &Spanned<DeValue<'_>>, reason: &str) -> Fault {
    Fault { at: Some(value.span()), ..Fault::from(reason.to_owned()) }
}

/// The most decimals of a hand's amounts.
pub(super) fn decimals(table: &DeTable<'_>) -> usize {
    let count = |text: &str| digits(text).map_or(0, |(_, decimals)| decimals.len());
    let values = AMOUNTS.iter().filter_map(|field| table.get(*field)).flat_map(items);
    let amounts = values.filter_map(|value| number(value.get_ref())).map(|text| count(&text));
    let actions = table.get("actions").into_iter().flat_map(items);
    let bets = actions.filter_map(|action| {
        let mut words = action.get_ref().as_str()?.split_whitespace().skip(1);
        (words.next() == Some("cbr")).then(|| words.next().map_or(0, count))
    });
    amounts.chain(bets).max().unwrap_or_default()
}

/// A value, or those of a list.
pub(super) fn items<'v, 'a>(
    value: &'v Spanned<DeValue<'a>>,
) -> impl Iterator<Item = &'v Spanned<DeValue<'a>>> {
    let list = value.get_ref().as_array();
    let one = list.is_none().then_some(value);
    list.into_iter().flat_map(|list| list.iter()).chain(one)
}

/// A number's text.
pub(super) fn number(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// A decimal number, as its digits before and after the point, the latter without zeros at the end.
///
/// Sums of floats, such as 0.1 + 0.2 in Python, have errors in their last digits: they are rounded.
fn digits(text: &str) -> Option<(String, String)> {
    let float: f64 = text.parse().ok()?;
    let rounded = format!("{float:.MAX_DECIMALS$}");
    let noise = rounded.parse::<f64>().is_ok_and(|r| (r - float).abs() <= 1e-12 * float.abs());
    let plain = if noise { rounded } else { float.to_string() };
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let whole = whole.strip_prefix('+').unwrap_or(whole);
    let all = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let right = !whole.is_empty() && all(whole.strip_prefix('-').unwrap_or(whole)) && all(decimals);
    right.then(|| (whole.to_owned(), decimals.trim_end_matches('0').to_owned()))
}

/// The fields of a hand.
pub(super) struct Fields<'v, 'a> {
    pub(super) table: &'v DeTable<'a>,
    pub(super) decimals: usize,
}

impl Fields<'_, '_> {
    /// The hand's name for people, and its number: text is no number, so the table's is taken.
    pub(super) fn hand(&self, table: u64) -> Result<(String, u64), Fault> {
        let Some(value) = self.table.get("hand") else {
            return Ok((table.to_string(), table.saturating_sub(1)));
        };
        let text = value.get_ref().as_str().map(str::to_owned);
        let digits = number(value.get_ref());
        match (text.as_ref(), digits.as_ref().or(text.as_ref()).and_then(|d| d.parse::<u64>().ok()))
        {
            (_, Some(number)) => Ok((number.to_string(), number)),
            (Some(text), None) => Ok((text.clone(), table.saturating_sub(1))),
            (None, None) => Err(at(value, "`hand` must be a whole number or text")),
        }
    }

    /// The values of a list; a fault that says what they must be.
    fn list<T>(
        &self,
        field: &str,
        what: &str,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Result<Option<Vec<T>>, Fault> {
        let Some(value) = self.table.get(field) else { return Ok(None) };
        let list = value.get_ref().as_array();
        let list = list.ok_or_else(|| at(value, &format!("`{field}` must be a list of {what}")))?;
        let read = |item: &Spanned<DeValue<'_>>| {
            read(item.get_ref()).ok_or_else(|| at(item, &format!("`{field}` must have {what}")))
        };
        list.iter().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// [`list`](Self::list) with one item for each player.
    pub(super) fn for_each<T>(
        &self,
        field: &str,
        players: usize,
        list: Option<Vec<T>>,
    ) -> Result<Option<Vec<T>>, Fault> {
        let count = list.as_ref().map_or(players, Vec::len);
        if count == players {
            return Ok(list);
        }
        let start = self.table.get(field).map(|value| value.span().start);
        let reason = format!("`{field}` has {count} items for {players} players");
        Err(Fault { at: start.map(|start| start..start), ..Fault::from(reason) })
    }

    pub(super) fn texts(&self, field: &str) -> Result<Option<Vec<String>>, Fault> {
        self.list(field, "texts", |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn numbers<T: std::str::FromStr>(
        &self,
        field: &str,
    ) -> Result<Option<Vec<T>>, Fault> {
        self.list(field, "whole numbers", |value| number(value)?.parse().ok())
    }

    /// An amount in chips, as whole ones and decimals.
    fn scaled(&self, text: &str) -> Option<(String, String)> {
        let (whole, decimals) = digits(text)?;
        let decimals = format!("{decimals:0<0$}", self.decimals);
        let (chips, rest) = decimals.split_at(self.decimals);
        Some((whole + chips, rest.to_owned()))
    }

    pub(super) fn chips(&self, text: &str) -> Option<Chips> {
        let (chips, rest) = self.scaled(text)?;
        let chips = chips.parse().ok().filter(|_| rest.is_empty());
        chips.filter(|&chips| chips <= GameSpec::MAX_STACK)
    }

    /// Amounts of the field, one for each player.
    pub(super) fn amounts(&self, field: &str, players: usize) -> Result<Option<Vec<Chips>>, Fault> {
        let what = format!("amounts from 0 to {}", GameSpec::MAX_STACK / self.unit());
        let amounts = self.list(field, &what, |value| self.chips(&number(value)?))?;
        self.for_each(field, players, amounts)
    }

    /// What the players of the field got, one for each.
    pub(super) fn payoffs(
        &self,
        field: &str,
        players: usize,
    ) -> Result<Option<Vec<Payoff>>, Fault> {
        // Six decimals tell all fractions apart.
        let amount = |value: &DeValue<'_>| {
            let (chips, rest) = self.scaled(&number(value)?)?;
            parse_payoff(&format!("{chips}.{}", &rest[..rest.len().min(6)]))
        };
        self.for_each(field, players, self.list(field, "amounts", amount)?)
    }

    pub(super) fn amount(&self, field: &str) -> Result<Option<Chips>, Fault> {
        let Some(value) = self.table.get(field) else { return Ok(None) };
        let chips = number(value.get_ref()).and_then(|text| self.chips(&text));
        chips.map(Some).ok_or_else(|| at(value, &format!("`{field}` must be an amount")))
    }

    /// Chips in one unit of the file.
    pub(super) fn unit(&self) -> Chips {
        (0..self.decimals).fold(1, |unit, _| unit * 10)
    }
}
