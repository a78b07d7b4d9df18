//! The size of a bet or raise.

use std::fmt;
use std::str::FromStr;

use game::{Chips, PublicState, Raises, Seat};

/// The size of a bet or raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BetSize {
    /// The smallest legal raise.
    Minimum,
    /// A raise to this many thousandths of what has been bet on the street, from
    /// [`BetSize::MIN_MULTIPLE`].
    OfBet(u32),
    /// A raise by this many thousandths of the pot after a call, from 1.
    OfPot(u32),
    /// The largest legal raise.
    AllIn,
}

impl BetSize {
    /// The smallest multiple of a bet, in thousandths: a raise is to more than the bet.
    pub const MIN_MULTIPLE: u32 = 1_001;
    /// The largest share or multiple, in thousandths.
    pub const MAX: u32 = 1_000_000;

    /// The total in chips over the whole hand of a raise of this size, clamped to the legal range.
    /// `None` for a multiple of a bet where there is none.
    pub fn total(self, public: &PublicState, seat: Seat, legal: Raises) -> Option<Chips> {
        let highest = u64::from(public.highest());
        let committed = u64::from(public.committed()[seat]);
        let total = match self {
            BetSize::Minimum => legal.min.into(),
            BetSize::AllIn => legal.max.into(),
            BetSize::OfBet(thousandths) => {
                let before = committed - u64::from(public.committed_street(seat));
                let bet = highest.checked_sub(before).filter(|&bet| bet > 0)?;
                before + share(thousandths, bet)
            }
            BetSize::OfPot(thousandths) => {
                let called = public.pot() + highest.saturating_sub(committed);
                highest + share(thousandths, called)
            }
        };
        let total = total.clamp(legal.min.into(), legal.max.into());
        Some(total as Chips)
    }
}

/// The product of an amount and a share in thousandths, rounded to the nearest chip, halves up.
fn share(thousandths: u32, amount: u64) -> u64 {
    (u64::from(thousandths) * amount + 500) / 1000
}

impl fmt::Display for BetSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BetSize::Minimum => f.write_str("min"),
            BetSize::OfBet(thousandths) => {
                write_decimal(f, thousandths, 3).and_then(|()| f.write_str("x"))
            }
            BetSize::OfPot(1000) => f.write_str("pot"),
            BetSize::OfPot(thousandths) => {
                write_decimal(f, thousandths, 1).and_then(|()| f.write_str("%"))
            }
            BetSize::AllIn => f.write_str("allin"),
        }
    }
}

/// Prints a number of units of 10^-decimals without trailing zeros.
fn write_decimal(f: &mut fmt::Formatter<'_>, units: u32, decimals: u32) -> fmt::Result {
    let one = 10u32.pow(decimals);
    let text = format!("{}.{:0width$}", units / one, units % one, width = decimals as usize);
    f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
}

impl FromStr for BetSize {
    type Err = ();

    /// Parses a size in its printed form; more or fewer zeros are allowed, and `all-in` and
    /// `half-pot`. The caller reports errors.
    fn from_str(text: &str) -> Result<BetSize, ()> {
        let between = |units: u32, least: u32| {
            if (least..=BetSize::MAX).contains(&units) { Ok(units) } else { Err(()) }
        };
        match text {
            "min" => Ok(BetSize::Minimum),
            "half-pot" => Ok(BetSize::OfPot(500)),
            "pot" => Ok(BetSize::OfPot(1000)),
            "allin" | "all-in" => Ok(BetSize::AllIn),
            _ => match (text.strip_suffix('x'), text.strip_suffix('%')) {
                (Some(number), _) => Ok(BetSize::OfBet(between(
                    decimal(number, 3).ok_or(())?,
                    BetSize::MIN_MULTIPLE,
                )?)),
                (_, Some(number)) => Ok(BetSize::OfPot(between(decimal(number, 1).ok_or(())?, 1)?)),
                _ => Err(()),
            },
        }
    }
}

/// Parses a number such as `2.5` in units of 10^-decimals, if it has no more decimals than that.
fn decimal(text: &str, decimals: usize) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > decimals {
        return None;
    }
    format!("{whole}{part:0<decimals$}").parse().ok()
}
