//! Exact payoffs of a hand.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

use crate::Chips;

/// A player's winnings or, negative, losses in a hand.
///
/// Counted in 2,520ths of a chip: a pot split among up to ten winners is then always a whole
/// number, and the payoffs of a hand add up to exactly zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Payoff(i64);

impl Payoff {
    /// Units per chip: the least common multiple of 1 to 10.
    pub const PER_CHIP: i64 = 2520;
    /// Nothing won or lost.
    pub const ZERO: Payoff = Payoff(0);

    /// This many 2,520ths of a chip.
    pub const fn from_parts(parts: i64) -> Payoff {
        Payoff(parts)
    }

    /// A whole number of chips.
    pub const fn from_chips(chips: i64) -> Payoff {
        Payoff(chips * Self::PER_CHIP)
    }

    pub(crate) fn won(chips: Chips) -> Payoff {
        Payoff::from_chips(chips.into())
    }

    /// The number of 2,520ths.
    #[inline]
    pub const fn parts(self) -> i64 {
        self.0
    }

    /// The amount in chips, rounded to the nearest float.
    #[inline]
    pub fn chips(self) -> f64 {
        self.0 as f64 / Self::PER_CHIP as f64
    }
}

impl Add for Payoff {
    type Output = Payoff;
    fn add(self, other: Payoff) -> Payoff {
        Payoff(self.0 + other.0)
    }
}

impl AddAssign for Payoff {
    fn add_assign(&mut self, other: Payoff) {
        self.0 += other.0;
    }
}

impl Sub for Payoff {
    type Output = Payoff;
    fn sub(self, other: Payoff) -> Payoff {
        Payoff(self.0 - other.0)
    }
}

impl Neg for Payoff {
    type Output = Payoff;
    fn neg(self) -> Payoff {
        Payoff(-self.0)
    }
}

impl Sum for Payoff {
    fn sum<I: Iterator<Item = Payoff>>(payoffs: I) -> Payoff {
        payoffs.fold(Payoff::ZERO, |a, b| a + b)
    }
}

/// Chips with at most six decimals, without trailing zeros: `-50`, `2.5`, `1.666667`.
impl fmt::Display for Payoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 % Self::PER_CHIP == 0 {
            return (self.0 / Self::PER_CHIP).fmt(f);
        }
        let per_chip = u128::from(Self::PER_CHIP.unsigned_abs());
        let millionths = (u128::from(self.0.unsigned_abs()) * 1_000_000 + per_chip / 2) / per_chip;
        let decimals = format!("{:06}", millionths % 1_000_000);
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{}", millionths / 1_000_000, decimals.trim_end_matches('0'))
    }
}

impl fmt::Debug for Payoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
