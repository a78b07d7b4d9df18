//! The results of the evaluator.

/// The nine categories, from high card to straight flush (a royal flush is a straight flush).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Category {
    /// None of the categories above.
    HighCard,
    /// Two cards of one rank.
    Pair,
    /// Two pairs.
    TwoPair,
    /// Three cards of one rank.
    ThreeOfAKind,
    /// Five ranks in a row; the ace also plays below the deuce.
    Straight,
    /// Five cards of one suit.
    Flush,
    /// Three of one rank and two of another.
    FullHouse,
    /// Four cards of one rank.
    FourOfAKind,
    /// A straight in one suit.
    StraightFlush,
}

impl Category {
    /// All nine, the weakest first.
    pub const ALL: [Category; 9] = [
        Category::HighCard,
        Category::Pair,
        Category::TwoPair,
        Category::ThreeOfAKind,
        Category::Straight,
        Category::Flush,
        Category::FullHouse,
        Category::FourOfAKind,
        Category::StraightFlush,
    ];

    /// Their names, in the order of [`Category::ALL`].
    pub const NAMES: [&'static str; 9] = [
        "high card",
        "pair",
        "two pair",
        "three of a kind",
        "straight",
        "flush",
        "full house",
        "four of a kind",
        "straight flush",
    ];
}

/// The strength of a hand: greater wins, equal ties.
///
/// Layout: category in bits 26 and up; below it the mask of the ranks that make the category (13
/// bits), then the mask of the ranks that break ties (13 bits). Hands of one category have equally
/// many ranks in each mask, so comparing masks compares ranks from the highest down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct HandRank(pub(super) u32);

impl HandRank {
    /// The hand's category.
    pub const fn category(self) -> Category {
        match self.0 >> 26 {
            0 => Category::HighCard,
            1 => Category::Pair,
            2 => Category::TwoPair,
            3 => Category::ThreeOfAKind,
            4 => Category::Straight,
            5 => Category::Flush,
            6 => Category::FullHouse,
            7 => Category::FourOfAKind,
            _ => Category::StraightFlush,
        }
    }

    /// The raw number, for tables and sorting.
    #[inline]
    pub const fn value(self) -> u32 {
        self.0
    }
}

impl std::fmt::Debug for HandRank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({:013b},{:013b})", self.category(), self.0 >> 13 & 0x1FFF, self.0 & 0x1FFF)
    }
}
