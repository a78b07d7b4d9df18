//! All hands on one river board against each other, by classes instead of cards.
//!
//! Hands whose cards have the same types (rank, and whether of the flush suit) have the same strength
//! and meet equally many weaker hands, so the 1,081 hands are 91 classes or fewer, 351 or fewer where a
//! flush can be. Sorted by strength, one sweep gives every class its counts: with `W` the weaker
//! hands passed so far and `A[t]` those among them that hold one particular card of type `t`, a hand of
//! types `i`, `j` beats `W - A[i] - A[j]` hands that it leaves possible.

use super::state::{FLUSH_HANDS, RiverBoard, column_of};
use crate::{Card, CardSet, HandRank, Rank, Suit, Ties, evaluate};

/// Hands of one class against all hands they leave possible, 990 together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) wins: u16,
    pub(crate) ties: u16,
}

/// The classes of a river board. Reusable: [`Classes::deal`] replaces the board.
pub(crate) struct Classes {
    /// Cards of each type that are not on the board, at most two of them for building hands.
    types: [CardType; 26],
    /// Possible classes, the weakest first.
    sorted: Vec<Class>,
    /// The strength of each column's class; of an impossible one unspecified.
    strengths: [HandRank; FLUSH_HANDS],
}

/// A class of hands: its strength above bit 16, its column below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class(u64);

impl Class {
    fn new(strength: HandRank, column: usize) -> Class {
        Class(u64::from(strength.value()) << 16 | column as u64)
    }

    #[inline]
    pub(crate) fn column(self) -> usize {
        self.0 as u16 as usize
    }

    #[inline]
    fn ties(&self, other: &Class) -> bool {
        self.0 >> 16 == other.0 >> 16
    }
}

#[derive(Clone, Copy, Default)]
struct CardType {
    /// Cards of this type that are not on the board.
    free: u16,
    one: CardSet,
    two: CardSet,
}

impl Classes {
    pub(crate) fn new() -> Classes {
        Classes {
            types: [CardType::default(); 26],
            sorted: Vec::with_capacity(FLUSH_HANDS),
            strengths: [HandRank::default(); FLUSH_HANDS],
        }
    }

    /// Takes a board of five cards: evaluates its classes and sorts them.
    pub(crate) fn deal(&mut self, board: CardSet) {
        let river = RiverBoard::of(board);
        self.find_types(board, river);
        let count = if river.flush_suit().is_some() { 26 } else { 13 };
        self.sorted.clear();
        for b in 0..count {
            let second = self.types[b];
            if second.free == 0 {
                continue;
            }
            for a in 0..=b {
                let first = self.types[a];
                if first.free == 0 || (a == b && first.free < 2) {
                    continue;
                }
                let hole = if a == b { second.one | second.two } else { first.one | second.one };
                let strength = evaluate(board | hole);
                let column = column_of(a, b);
                self.strengths[column] = strength;
                self.sorted.push(Class::new(strength, column));
            }
        }
        self.sorted.sort_unstable();
    }

    fn find_types(&mut self, board: CardSet, river: RiverBoard) {
        self.types = [CardType::default(); 26];
        let flush = river.flush_suit();
        for rank in Rank::all() {
            for suit in Suit::all() {
                let card = CardSet::of(Card::new(rank, suit));
                if board.intersects(card) {
                    continue;
                }
                let shift = if Some(suit) == flush { 13 } else { 0 };
                let entry = &mut self.types[rank.index() as usize + shift];
                entry.free += 1;
                entry.two = entry.one;
                entry.one = card;
            }
        }
    }

    /// The strength of a class that is possible on this board.
    pub(crate) fn strength(&self, column: usize) -> HandRank {
        self.strengths[column]
    }

    /// The possible classes in groups of equal strength, the weakest first.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[Class]> {
        self.sorted.chunk_by(Class::ties)
    }

    /// Number of hands in a possible class.
    #[inline]
    pub(crate) fn hands(&self, column: usize) -> u16 {
        let [a, b] = COLUMN_TYPES[column].map(|t| self.types[t as usize].free);
        if COLUMN_TYPES[column][0] == COLUMN_TYPES[column][1] { a * (a - 1) / 2 } else { a * b }
    }

    /// Calls `visit` with the column and the counts of every possible class.
    pub(crate) fn sweep(&self, mut visit: impl FnMut(usize, Counts)) {
        let mut passed = Passed { hands: 0, holding: [0; 26] };
        let mut before = [0; FLUSH_HANDS];
        for group in self.groups() {
            for class in group {
                let column = class.column();
                before[column] = passed.disjoint(COLUMN_TYPES[column]);
            }
            for class in group {
                self.pass(&mut passed, COLUMN_TYPES[class.column()]);
            }
            for class in group {
                let column = class.column();
                // The hand itself is among those of equal strength, and was taken off twice.
                let others = passed.disjoint(COLUMN_TYPES[column]).wrapping_add(1);
                visit(column, Counts { wins: before[column], ties: others - before[column] });
            }
        }
    }

    /// Adds a class to those passed.
    #[inline]
    fn pass(&self, passed: &mut Passed, [a, b]: [u8; 2]) {
        let (a, b) = (a as usize, b as usize);
        let (free_a, free_b) = (self.types[a].free, self.types[b].free);
        if a == b {
            passed.hands += free_a * (free_a - 1) / 2;
            passed.holding[a] += free_a - 1;
        } else {
            passed.hands += free_a * free_b;
            passed.holding[a] += free_b;
            passed.holding[b] += free_a;
        }
    }

    /// The counts of one hand alone, without sorting: it meets each class once.
    pub(crate) fn one(board: CardSet, hole: CardSet) -> Counts {
        let river = RiverBoard::of(board);
        let mine = evaluate(board | hole);
        let mut classes = Classes { sorted: Vec::new(), ..Classes::new() };
        // Cards in the hand are gone for the opponent exactly as those on the board.
        classes.find_types(board | hole, river);
        let count = if river.flush_suit().is_some() { 26 } else { 13 };
        let mut counts = Counts::default();
        for b in 0..count {
            let second = classes.types[b];
            if second.free == 0 {
                continue;
            }
            for a in 0..b {
                let first = classes.types[a];
                if first.free > 0 {
                    let theirs = evaluate(board | first.one | second.one);
                    counts.add(mine, theirs, first.free * second.free);
                }
            }
            if second.free > 1 {
                let theirs = evaluate(board | second.one | second.two);
                counts.add(mine, theirs, second.free * (second.free - 1) / 2);
            }
        }
        counts
    }
}

impl Counts {
    /// In 1,980ths of all hands: twice the wins, and once the ties where they count half.
    #[inline]
    pub(crate) fn value(self, ties: Ties) -> u16 {
        match ties {
            Ties::Half => 2 * self.wins + self.ties,
            Ties::WinOnly => 2 * self.wins,
        }
    }

    #[inline]
    fn add(&mut self, mine: HandRank, theirs: HandRank, hands: u16) {
        self.wins += if mine > theirs { hands } else { 0 };
        self.ties += if mine == theirs { hands } else { 0 };
    }
}

/// Hands passed by the sweep so far.
struct Passed {
    hands: u16,
    /// Those that hold one particular free card of each type.
    holding: [u16; 26],
}

impl Passed {
    /// Hands passed that hold neither card of a hand with these types, when that hand itself is not
    /// among them; one fewer when it is.
    #[inline]
    fn disjoint(&self, [a, b]: [u8; 2]) -> u16 {
        self.hands.wrapping_sub(self.holding[a as usize]).wrapping_sub(self.holding[b as usize])
    }
}

/// The two card types of each column.
static COLUMN_TYPES: [[u8; 2]; FLUSH_HANDS] = column_types();

const fn column_types() -> [[u8; 2]; FLUSH_HANDS] {
    let mut types = [[0; 2]; FLUSH_HANDS];
    let mut b = 0;
    while b < 26 {
        let mut a = 0;
        while a <= b {
            types[column_of(a, b)] = [a as u8, b as u8];
            a += 1;
        }
        b += 1;
    }
    types
}
