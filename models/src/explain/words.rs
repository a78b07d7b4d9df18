//! Conditions and moves in words.

use abstraction::features::Feature;
use abstraction::menu::{BetSize, Move};
use game::Street;

/// A feature between bounds: at least `from`, less than `below`. At least one is given.
pub(super) fn feature(feature: Feature, from: Option<f32>, below: Option<f32>) -> String {
    match feature {
        Feature::WinRate => win_rate(from, below),
        Feature::Percentile { street, percent } => percentile(street, percent, from, below),
        Feature::OpponentBet { street } => chips(street, from, below),
    }
}

/// Any number between bounds.
pub(super) fn range(name: &str, from: Option<f32>, below: Option<f32>) -> String {
    match (from, below) {
        (Some(from), Some(below)) => format!("{name} is from {from} to below {below}"),
        (Some(from), None) => format!("{name} is {from} or more"),
        (None, Some(below)) => format!("{name} is below {below}"),
        (None, None) => format!("{name} is any number"),
    }
}

fn win_rate(from: Option<f32>, below: Option<f32>) -> String {
    match (from, below) {
        (Some(from), Some(below)) => {
            let (from, below) = two(from, below);
            format!("your win-rate is from {from} to below {below}")
        }
        (Some(from), None) => format!("your win-rate is {} or more", percent(from)),
        (None, Some(below)) => format!("your win-rate is below {}", percent(below)),
        (None, None) => "your win-rate is any".to_owned(),
    }
}

/// The p-th percentile is at least a number where that much is won on the best 100 − p percent of the boards, and
/// less than a number where less is won on the worst p percent.
fn percentile(street: Street, at: u8, from: Option<f32>, below: Option<f32>) -> String {
    let best = match at {
        100 => format!("on your best {street}"),
        _ => format!("on your best {} % of {street}s", 100 - at),
    };
    match (from, below) {
        (Some(from), Some(below)) => {
            let (from, below) = two(from, below);
            match at {
                100 => format!("{best} you win from {from} to below {below}"),
                _ => {
                    format!("{best} you win {from} or more, on the other {at} % less than {below}")
                }
            }
        }
        (Some(from), None) => format!("{best} you win {} or more", percent(from)),
        (None, Some(below)) => match at {
            100 => format!("on every {street} you win less than {}", percent(below)),
            _ => format!("on your worst {at} % of {street}s you win less than {}", percent(below)),
        },
        (None, None) => format!("{best} you win anything"),
    }
}

/// Chips are whole, so that less than a number is at most the whole number before it.
fn chips(street: Street, from: Option<f32>, below: Option<f32>) -> String {
    let place = match street {
        Street::Preflop => "before the flop".to_owned(),
        street => format!("on the {street}"),
    };
    let least = from.map(|from| from.ceil().max(0.0));
    let most = below.map(|below| below.ceil() - 1.0);
    match (least, most) {
        (_, Some(most)) if most <= 0.0 => format!("the opponent has put in nothing {place}"),
        (Some(least), Some(most)) if least == most => {
            format!("the opponent has put in {most} chips {place}")
        }
        (Some(least), Some(most)) if least > 0.0 => {
            format!("the opponent has put in {least} to {most} chips {place}")
        }
        (Some(1.0), None) => format!("the opponent has put chips in {place}"),
        (Some(least), None) => format!("the opponent has put in {least} chips or more {place}"),
        (_, Some(most)) => format!("the opponent has put in {most} chips or less {place}"),
        (None, None) => format!("the opponent has put in any chips {place}"),
    }
}

/// A share in percent with one decimal at most: `45 %`, `76.5 %`.
pub fn percent(share: f32) -> String {
    decimals(share, 1)
}

fn decimals(share: f32, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * f64::from(share));
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Two shares with as many decimals as tell them apart.
fn two(from: f32, below: f32) -> (String, String) {
    let both = |digits| (decimals(from, digits), decimals(below, digits));
    let apart = (1..7).map(both).find(|(from, below)| from != below);
    apart.unwrap_or_else(|| both(7))
}

/// A class of a tree as a player says it: `raise to 2.5x`, `bet 75 % of the pot`, `all-in`. Classes that are no
/// moves keep their names; `call` is also a check.
pub fn move_words(class: &str) -> String {
    match class.parse() {
        Ok(Move::Raise(BetSize::Minimum)) => "smallest raise".to_owned(),
        Ok(Move::Raise(BetSize::AllIn)) => "all-in".to_owned(),
        Ok(Move::Raise(BetSize::OfBet(_))) => format!("raise to {class}"),
        Ok(Move::Raise(BetSize::OfPot(1000))) => "bet the pot".to_owned(),
        Ok(Move::Raise(BetSize::OfPot(_))) => {
            format!("bet {} % of the pot", class.trim_end_matches('%'))
        }
        Ok(Move::Fold | Move::Call) | Err(()) => class.to_owned(),
    }
}
