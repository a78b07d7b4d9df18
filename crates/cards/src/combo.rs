//! Two hole cards as one number, and the 169 kinds of starting hands they fall into.

use std::fmt;
use std::str::FromStr;

use crate::{Card, CardSet, Error, Rank, error::Problem};

/// Two different cards in no order, as hold'em deals them: one of 1,326.
///
/// The number of the cards with indices `low < high` is `high * (high - 1) / 2 + low`, so combos
/// order by their higher card first, and the combos of the lowest `k` cards are the first
/// `k(k-1)/2`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Combo(u16);

impl Combo {
    /// Number of combos in a full deck.
    pub const COUNT: usize = 1326;

    /// The combo of two cards in any order, or `None` when they are the same card.
    #[inline]
    pub const fn new(a: Card, b: Card) -> Option<Combo> {
        let (a, b) = (a.index() as u16, b.index() as u16);
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        if low == high { None } else { Some(Combo(high * (high - 1) / 2 + low)) }
    }

    /// The combo with this number, or `None` at 1,326 and above.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Combo> {
        if index < Combo::COUNT { Some(Combo(index as u16)) } else { None }
    }

    /// From 0 (`2d2c`, the two lowest cards) to 1,325 (`AsAh`, the two highest).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The two cards, higher index first.
    #[inline]
    pub const fn cards(self) -> [Card; 2] {
        CARDS[self.0 as usize]
    }

    /// The two cards as a set.
    #[inline]
    pub const fn set(self) -> CardSet {
        SETS[self.0 as usize]
    }

    /// The kind of starting hand this is.
    pub const fn starting_hand(self) -> StartingHand {
        let [high, low] = self.cards();
        StartingHand::new(high.rank(), low.rank(), high.suit().index() == low.suit().index())
    }

    /// All combos in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Combo> + ExactSizeIterator {
        (0..Combo::COUNT as u16).map(Combo)
    }
}

/// The cards of each combo by its number, higher index first.
static CARDS: [[Card; 2]; Combo::COUNT] = combo_cards();
static SETS: [CardSet; Combo::COUNT] = combo_sets();

const fn combo_cards() -> [[Card; 2]; Combo::COUNT] {
    let deuce = Card::from_index(0).expect("0 is a card");
    let mut all = [[deuce; 2]; Combo::COUNT];
    let (mut high, mut at) = (1, 0);
    while high < Card::COUNT {
        let mut low = 0;
        while low < high {
            all[at] = [
                Card::from_index(high).expect("below 52"),
                Card::from_index(low).expect("below 52"),
            ];
            at += 1;
            low += 1;
        }
        high += 1;
    }
    all
}

const fn combo_sets() -> [CardSet; Combo::COUNT] {
    let cards = combo_cards();
    let mut all = [CardSet::EMPTY; Combo::COUNT];
    let mut at = 0;
    while at < Combo::COUNT {
        all[at] = CardSet::single(cards[at][0]).with(cards[at][1]);
        at += 1;
    }
    all
}

impl fmt::Display for Combo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [high, low] = self.cards();
        write!(f, "{high}{low}")
    }
}

impl fmt::Debug for Combo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A kind of starting hand: a pair, or two ranks suited or offsuit. There are 169.
///
/// The number is that of a 13 × 13 chart read row by row from the aces down, pairs on the diagonal,
/// suited hands above it and offsuit hands below: 0 is `AA`, 1 `AKs`, 13 `AKo`, 168 `22`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StartingHand(u8);

impl StartingHand {
    /// Number of kinds.
    pub const COUNT: usize = 169;

    /// The kind with these ranks, in any order; `suited` does not matter for a pair.
    pub const fn new(a: Rank, b: Rank, suited: bool) -> StartingHand {
        let (a, b) = (12 - a.index(), 12 - b.index());
        let (first, second) = if a < b { (a, b) } else { (b, a) };
        StartingHand(if suited { first * 13 + second } else { second * 13 + first })
    }

    /// The kind with this number, or `None` at 169 and above.
    pub const fn from_index(index: usize) -> Option<StartingHand> {
        if index < StartingHand::COUNT { Some(StartingHand(index as u8)) } else { None }
    }

    /// From 0 (`AA`) to 168 (`22`), row by row through the chart.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The higher and the lower rank.
    pub fn ranks(self) -> [Rank; 2] {
        let (row, column) = (self.0 / 13, self.0 % 13);
        [row.min(column), row.max(column)]
            .map(|down| Rank::new(12 - down).expect("13 rows and columns"))
    }

    /// Whether the two cards share a suit.
    pub const fn is_suited(self) -> bool {
        self.0 / 13 < self.0 % 13
    }

    /// Whether the two cards share a rank.
    pub const fn is_pair(self) -> bool {
        self.0 / 13 == self.0 % 13
    }

    /// The combos of this kind in order: 6 of a pair, 4 suited, 12 offsuit.
    pub fn combos(self) -> impl Iterator<Item = Combo> {
        Combo::all().filter(move |combo| combo.starting_hand() == self)
    }

    /// All kinds in order.
    pub fn all() -> impl DoubleEndedIterator<Item = StartingHand> + ExactSizeIterator {
        (0..StartingHand::COUNT as u8).map(StartingHand)
    }
}

impl fmt::Display for StartingHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [high, low] = self.ranks();
        let suffix = match (self.is_pair(), self.is_suited()) {
            (true, _) => "",
            (false, true) => "s",
            (false, false) => "o",
        };
        write!(f, "{}{}{suffix}", high.to_char(), low.to_char())
    }
}

impl fmt::Debug for StartingHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for StartingHand {
    type Err = Error;

    fn from_str(text: &str) -> Result<StartingHand, Error> {
        let refuse = || Error::from(Problem::StartingHand { text: text.to_owned() });
        let mut letters = text.chars();
        let mut rank = || letters.next().and_then(Rank::from_char);
        let (a, b) = (rank().ok_or_else(refuse)?, rank().ok_or_else(refuse)?);
        let suited = match (a == b, letters.as_str()) {
            (true, "") => false,
            (false, "s" | "S") => true,
            (false, "o" | "O") => false,
            _ => return Err(refuse()),
        };
        Ok(StartingHand::new(a, b, suited))
    }
}

/// The 169 starting hands as 13 rows of 13, in the order of [`StartingHand::all`]: aces
/// first, pairs on the diagonal, suited hands above it, offsuit hands below.
pub mod grid {
    use crate::Rank;

    const SIDE: usize = 13;

    /// The width and height of a grid with cells of this size.
    pub fn size([wide, tall]: [f64; 2]) -> [f64; 2] {
        [SIDE as f64 * wide, SIDE as f64 * tall]
    }

    /// The upper left corners of the cells of a grid that begins at this point.
    pub fn corners([x, y]: [f64; 2], [wide, tall]: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
        let at =
            move |number| [x + wide * (number % SIDE) as f64, y + tall * (number / SIDE) as f64];
        (0..SIDE * SIDE).map(at)
    }

    /// A grid as text: a line with the ranks, then a row for each rank. Lines have no trailing
    /// blanks.
    pub fn text(head: impl Fn(Rank) -> String, cell: impl Fn(usize) -> String) -> String {
        let mut lines = vec![format!(" {}", Rank::all().rev().map(head).collect::<String>())];
        for (row, rank) in Rank::all().rev().enumerate() {
            let cells: String = (row * SIDE..(row + 1) * SIDE).map(&cell).collect();
            lines.push(format!("{rank}{cells}"));
        }
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }
}
