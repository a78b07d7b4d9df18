//! River showdown counts by hand classes instead of cards.
//!
//! Hands whose cards have the same types (rank, and whether of the flush suit) have the same
//! strength and meet equally many weaker hands, so the 1,081 hands are 91 classes or fewer, 351 or
//! fewer where a flush can be. Sorted by strength, one pass gives every class its counts: with `W`
//! the weaker hands passed so far and `A[t]` those among them that hold one particular card of type
//! `t`, a hand of types `i`, `j` beats `W - A[i] - A[j]` hands that it leaves possible.

use super::run_outs::ranks;
use super::state::{FLUSH_HANDS, RiverBoard, column_of};
use crate::{Card, CardSet, HandRank, PartialHand, Suit, Ties, evaluate};

/// Wins and ties of a hand of one class against the 990 hands it leaves possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) wins: u16,
    pub(crate) ties: u16,
}

/// The hand classes of a river board. Reusable: [`Classes::deal`] replaces the board.
pub(crate) struct Classes {
    types: Types,
    /// Possible classes, the weakest first.
    sorted: Vec<Class>,
    /// The strength of each column's class; unspecified for impossible classes.
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

/// The card types on a board and their free cards.
struct Types {
    board: PartialHand,
    /// 13 by rank where no flush can be; else 13 outside the flush suit, then 13 inside.
    types: [CardType; 26],
    count: usize,
}

#[derive(Clone, Copy)]
struct CardType {
    /// Number of free cards of this type.
    free: u16,
    /// One free card of the type, if there is one, and two of them.
    one: PartialHand,
    two: PartialHand,
}

impl Types {
    /// The types without a board and without free cards.
    const NONE: Types = {
        let none = CardType { free: 0, one: PartialHand::EMPTY, two: PartialHand::EMPTY };
        Types { board: PartialHand::EMPTY, types: [none; 26], count: 0 }
    };

    /// The types on a board of five cards, where the cards of `dead` cannot be held either.
    fn new(board: CardSet, dead: CardSet) -> Types {
        let flush = RiverBoard::of(board).flush_suit();
        let count = if flush.is_some() { 26 } else { 13 };
        let mut types = Types { board: board.into(), count, ..Types::NONE };
        for suit in Suit::all() {
            let first = if Some(suit) == flush { 13 } else { 0 };
            for rank in ranks((CardSet::FULL - board - dead).ranks_of(suit)) {
                let entry = &mut types.types[first + rank];
                let card = Card::from_index(4 * rank as u8 + suit.index()).expect("below 52");
                entry.free += 1;
                entry.two = entry.one.with(card);
                entry.one = PartialHand::EMPTY.with(card);
            }
        }
        types
    }

    /// Calls `visit` with the column of every possible class, its number of hands and strength.
    #[inline]
    fn each_class(&self, mut visit: impl FnMut(usize, u16, HandRank)) {
        let types = &self.types[..self.count];
        for (b, second) in types.iter().enumerate().filter(|(_, second)| second.free > 0) {
            let with_second = self.board.and(second.one);
            for (a, first) in types[..b].iter().enumerate().filter(|(_, first)| first.free > 0) {
                let strength = with_second.and(first.one).rank();
                visit(column_of(a, b), first.free * second.free, strength);
            }
            if second.free > 1 {
                let pairs = second.free * (second.free - 1) / 2;
                visit(column_of(b, b), pairs, self.board.and(second.two).rank());
            }
        }
    }
}

impl Classes {
    /// A workspace without a board.
    pub(crate) fn new() -> Classes {
        Classes {
            types: Types::NONE,
            sorted: Vec::with_capacity(FLUSH_HANDS),
            strengths: [HandRank::default(); FLUSH_HANDS],
        }
    }

    /// Takes a board of five cards: evaluates its classes and sorts them.
    pub(crate) fn deal(&mut self, board: CardSet) {
        self.types = Types::new(board, CardSet::EMPTY);
        self.sorted.clear();
        let (sorted, strengths) = (&mut self.sorted, &mut self.strengths);
        self.types.each_class(|column, _, strength| {
            strengths[column] = strength;
            sorted.push(Class::new(strength, column));
        });
        sorted.sort_unstable();
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
        let [one, other] = COLUMN_TYPES[column];
        let free = |of: u8| self.types.types[usize::from(of)].free;
        let (a, b) = (free(one), free(other));
        if one == other { a * (a - 1) / 2 } else { a * b }
    }

    /// Calls `visit` with the column and the counts of every possible class.
    pub(crate) fn for_each_class(&self, mut visit: impl FnMut(usize, Counts)) {
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

    /// Adds the hands of a class to those passed.
    #[inline]
    fn pass(&self, passed: &mut Passed, [a, b]: [u8; 2]) {
        let (a, b) = (a as usize, b as usize);
        let (free_a, free_b) = (self.types.types[a].free, self.types.types[b].free);
        if a == b {
            passed.hands += free_a * (free_a - 1) / 2;
            passed.holding[a] += free_a - 1;
        } else {
            passed.hands += free_a * free_b;
            passed.holding[a] += free_b;
            passed.holding[b] += free_a;
        }
    }

    /// The counts of one hand alone, without sorting: it meets each class once. Cards in the hand
    /// are gone for the opponent exactly as those on the board are.
    pub(crate) fn one(board: CardSet, hole: CardSet) -> Counts {
        let mine = evaluate(board | hole);
        let mut counts = Counts::default();
        Types::new(board, hole).each_class(|_, hands, theirs| {
            counts.wins += if mine > theirs { hands } else { 0 };
            counts.ties += if mine == theirs { hands } else { 0 };
        });
        counts
    }
}

impl Counts {
    /// The win-rate in 1,980ths: twice the wins, plus the ties where they count half.
    #[inline]
    pub(crate) fn value(self, ties: Ties) -> u16 {
        match ties {
            Ties::Half => 2 * self.wins + self.ties,
            Ties::WinOnly => 2 * self.wins,
        }
    }
}

/// Counts of the hands passed so far, in order of strength.
struct Passed {
    hands: u16,
    /// For each card type, passed hands that hold one particular free card of it.
    holding: [u16; 26],
}

impl Passed {
    /// Number of passed hands that share no card with a hand of these types, if that hand itself
    /// has not been passed; one fewer if it has.
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
