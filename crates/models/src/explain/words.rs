//! Wording of conditions and moves.

use abstraction::features::Feature;
use abstraction::menu::{BetSize, Move};
use game::{Chips, Street};

/// The setting of a tree's decisions, which gives its chips a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The street of the decisions.
    pub street: Street,
    /// The game's big blind.
    pub big_blind: Chips,
}

/// Whether the player has something to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
    /// Nobody has bet: a call is a check, and so is a fold.
    Nothing,
    /// There is a bet or raise to call.
    Something,
    /// Both are possible.
    Either,
}

/// The clause for a feature's bounds: at least `from`, less than `below`. At least one is given.
pub(super) fn feature(
    feature: Feature,
    from: Option<f32>,
    below: Option<f32>,
    spot: Option<Spot>,
) -> String {
    match feature {
        Feature::WinRate => win_rate(from, below),
        Feature::Percentile { street, percent } => percentile(street, percent, from, below),
        Feature::OpponentBet { street } => {
            let least = from.map(f32::ceil).filter(|&least| least > 0.0);
            // Chips are whole: below a number means at most the greatest whole number below it.
            let most = below.map(|below| (below.ceil() - 1.0).max(0.0));
            match spot.filter(|spot| street <= spot.street) {
                Some(spot) => bets(street, least, most, spot),
                None => chips(street, least, most),
            }
        }
    }
}

/// The clause for the bounds of any number.
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
            format!("win-rate from {from} to below {below}")
        }
        (Some(from), None) => format!("win-rate {} or more", percent(from)),
        (None, Some(below)) => format!("win-rate below {}", percent(below)),
        (None, None) => "any win-rate".to_owned(),
    }
}

/// The clause for a percentile's bounds. The p-th percentile is at least a number if that much is
/// won on the best 100 − p percent of the boards, and less than it if less is won on the worst p
/// percent.
fn percentile(street: Street, at: u8, from: Option<f32>, below: Option<f32>) -> String {
    let best = match at {
        100 => format!("on its best {street}"),
        _ => format!("on its best {} % of {street}s", 100 - at),
    };
    match (from, below) {
        (Some(from), Some(below)) => {
            let (from, below) = two(from, below);
            match at {
                100 => format!("wins from {from} to below {below} {best}"),
                _ => format!("wins {from} or more {best}, less than {below} on the others"),
            }
        }
        (Some(from), None) => format!("wins {} or more {best}", percent(from)),
        (None, Some(below)) => match at {
            100 => format!("wins less than {} on every {street}", percent(below)),
            _ => format!("wins less than {} on its worst {at} % of {street}s", percent(below)),
        },
        (None, None) => format!("wins anything {best}"),
    }
}

/// The clause for the opponent's chips, without knowledge of the game.
fn chips(street: Street, least: Option<f32>, most: Option<f32>) -> String {
    let street_text = street_text(street);
    match (least, most) {
        (_, Some(0.0)) => format!("the opponent has put in nothing {street_text}"),
        (Some(1.0), None) => format!("the opponent has put chips in {street_text}"),
        (least, most) => format!("the opponent has put in {} {street_text}", amount(least, most)),
    }
}

/// The clause for the opponent's chips on this street or an earlier one. On an earlier one both
/// players have put in the same, and less than the smallest bet or raise is none (except an all-in
/// of less than a big blind).
fn bets(street: Street, least: Option<f32>, most: Option<f32>, spot: Spot) -> String {
    let street_text = street_text(street);
    let blind = spot.big_blind as f32;
    let preflop = street == Street::Preflop;
    // The chips without a bet or raise, and with the smallest one.
    let (idle, smallest) = if preflop { (blind, 2.0 * blind) } else { (0.0, blind) };
    let least = least.filter(|&least| least > idle).map(|least| least.max(smallest));
    let now = street == spot.street;
    match (least, most) {
        (None, Some(most)) if most < smallest => match (now, preflop) {
            (true, true) => "the opponent has not raised".to_owned(),
            (true, false) => format!("the opponent has not bet {street_text}"),
            (false, true) => format!("nobody raised {street_text}"),
            (false, false) => format!("nobody bet {street_text}"),
        },
        (Some(least), None) if least <= smallest => match (now, preflop) {
            (true, true) => "the opponent has raised".to_owned(),
            (true, false) => format!("the opponent has bet {street_text}"),
            (false, true) => format!("there was a raise {street_text}"),
            (false, false) => format!("there was a bet {street_text}"),
        },
        (Some(least), Some(most)) if least > most => chips(street, Some(least), Some(most)),
        (Some(_), _) if now && preflop => {
            format!("the opponent has raised to {}", amount(least, most))
        }
        (Some(_), _) if now => {
            format!("the opponent has bet {} {street_text}", amount(least, most))
        }
        _ if now => format!("the opponent has put in {} {street_text}", amount(least, most)),
        _ => format!("each put in {} {street_text}", amount(least, most)),
    }
}

fn street_text(street: Street) -> String {
    match street {
        Street::Preflop => "before the flop".to_owned(),
        street => format!("on the {street}"),
    }
}

fn amount(least: Option<f32>, most: Option<f32>) -> String {
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!("{most} chips"),
        (Some(least), Some(most)) => format!("{least} to {most} chips"),
        (Some(least), None) => format!("{least} chips or more"),
        (None, Some(most)) => format!("{most} chips or less"),
        (None, None) => "any chips".to_owned(),
    }
}

/// A share in percent with at most one decimal: `45 %`, `76.5 %`.
pub fn percent(share: f32) -> String {
    decimals(share, 1)
}

fn decimals(share: f32, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * f64::from(share));
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Two shares with enough decimals to tell them apart.
fn two(from: f32, below: f32) -> (String, String) {
    let both = |digits| (decimals(from, digits), decimals(below, digits));
    let apart = (1..7).map(both).find(|(from, below)| from != below);
    apart.unwrap_or_else(|| both(7))
}

/// A class of a tree in players' words: `raise to 2.5x`, `bet 75 % of the pot`, `all-in`. Classes
/// that are not moves keep their names.
pub fn move_words(class: &str, owed: Owed) -> String {
    let verb = if owed == Owed::Something { "raise" } else { "bet" };
    match class.parse() {
        Ok(Move::Call) => match owed {
            Owed::Nothing => "check".to_owned(),
            Owed::Something => "call".to_owned(),
            Owed::Either => "check or call".to_owned(),
        },
        Ok(Move::Raise(BetSize::Minimum)) => match owed {
            Owed::Nothing => "smallest bet".to_owned(),
            _ => "smallest raise".to_owned(),
        },
        Ok(Move::Raise(BetSize::AllIn)) => "all-in".to_owned(),
        Ok(Move::Raise(BetSize::OfBet(_))) => format!("raise to {class}"),
        Ok(Move::Raise(BetSize::OfPot(1000))) => format!("{verb} the pot"),
        Ok(Move::Raise(BetSize::OfPot(_))) => {
            format!("{verb} {} % of the pot", class.trim_end_matches('%'))
        }
        Ok(Move::Fold) | Err(()) => class.to_owned(),
    }
}
