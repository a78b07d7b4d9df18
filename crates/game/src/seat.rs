//! Seats at the table, containers indexed by them, and what a seat wins.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Index, IndexMut, Neg, Sub};

use crate::Chips;

/// Maximum number of players in a game.
pub const MAX_PLAYERS: usize = 10;

/// A seat at the table during one hand, counted from 0 in the order of the game definition.
///
/// With three or more players seat 0 is the first one left of the button. Heads-up definitions with
/// reversed blinds put the big blind in seat 0 and the button in seat 1. The ACPC protocol calls
/// this number a *position*; who sits there changes from hand to hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this number, or `None` at [`MAX_PLAYERS`] and above.
    pub const fn new(index: usize) -> Option<Seat> {
        if index < MAX_PLAYERS { Some(Seat(index as u8)) } else { None }
    }

    /// The seat's number, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `players` seats in order.
    pub fn all(players: usize) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..players.min(MAX_PLAYERS) as u8).map(Seat)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.0)
    }
}

/// The role of a seat in the hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// Last to act after the first street; heads-up also the small blind.
    Button,
    /// Posts the smaller blind (three and more players).
    SmallBlind,
    /// Posts the largest blind.
    BigBlind,
    /// Any other seat, by its distance to the right of the button: 1 is the cut-off.
    BeforeButton(u8),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Button => f.write_str("button"),
            Position::SmallBlind => f.write_str("small blind"),
            Position::BigBlind => f.write_str("big blind"),
            Position::BeforeButton(1) => f.write_str("cut-off"),
            Position::BeforeButton(n) => write!(f, "button-{n}"),
        }
    }
}

/// A fixed-capacity map from seats to values, stored in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BySeat<T> {
    len: u8,
    items: [T; MAX_PLAYERS],
}

impl<T: Copy + Default> BySeat<T> {
    /// The default value for each of `players` seats (at most [`MAX_PLAYERS`]).
    pub fn new(players: usize) -> Self {
        BySeat { len: players.min(MAX_PLAYERS) as u8, items: [T::default(); MAX_PLAYERS] }
    }

    /// The values of `value` for each of `players` seats.
    pub fn from_fn(players: usize, mut value: impl FnMut(Seat) -> T) -> Self {
        let mut all = Self::new(players);
        for seat in Seat::all(players) {
            all[seat] = value(seat);
        }
        all
    }

    /// These values in seat order, or `None` when there are more than [`MAX_PLAYERS`].
    pub fn from_slice(values: &[T]) -> Option<Self> {
        let mut all = Self::new(values.len());
        all.items.get_mut(..values.len())?.copy_from_slice(values);
        Some(all)
    }
}

impl<T> BySeat<T> {
    /// The number of seats.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no seats at all.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The values in seat order.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.items[..self.len as usize]
    }

    /// Each seat with its value.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> {
        self.as_slice().iter().enumerate().map(|(i, value)| (Seat(i as u8), value))
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.items[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.items[seat.index()]
    }
}

impl<T: fmt::Debug> fmt::Debug for BySeat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// A set of seats, as a bit mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct SeatSet(u16);

impl SeatSet {
    /// No seat.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// The first `players` seats.
    #[inline]
    pub const fn first(players: usize) -> SeatSet {
        SeatSet(((1u32 << players) - 1) as u16)
    }

    /// Adds a seat.
    #[inline]
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.0;
    }

    /// Whether the seat is in the set.
    #[inline]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.0 & 1 == 1
    }

    /// Number of seats in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats of this set that are not in the other.
    #[inline]
    pub const fn without(self, other: SeatSet) -> SeatSet {
        SeatSet(self.0 & !other.0)
    }

    /// The seats in order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let seat = (rest != 0).then(|| Seat(rest.trailing_zeros() as u8))?;
            rest &= rest - 1;
            Some(seat)
        })
    }

    /// The first seat of the set at or after `start`, going round the table of `players`.
    #[inline]
    pub fn next_from(self, start: usize, players: usize) -> Option<Seat> {
        let ahead = self.0 >> (start % players);
        if ahead != 0 {
            Some(Seat((start % players) as u8 + ahead.trailing_zeros() as u8))
        } else if self.0 != 0 {
            Some(Seat(self.0.trailing_zeros() as u8))
        } else {
            None
        }
    }
}

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
