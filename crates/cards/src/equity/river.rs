//! The river: which states are the same, all hands on a board at once, and a table of all
//! equities.

use std::sync::OnceLock;

use super::{Ties, board_of, check};
use crate::counting::{Ranks, above, ranks, subset};
use crate::{Card, CardSet, Combo, Error, HandRank, PartialHand, Rank, Suit, evaluate};

// River states, numbered by what a showdown depends on and nothing else.
//
// When no suit has three cards on the board nobody can have a flush, so only ranks matter: a state
// is the multiset of the board's ranks (6,188) and the two ranks in the hand (91). Otherwise it is
// the set of the board's ranks in that *flush suit*, the multiset of the board's other ranks
// (36,608 together), and for each card in the hand its rank and whether it is of the flush suit
// (351 pairs of such card types). Both give the opponent's possible hands the same numbers and
// strengths, so two river states with one number have the same equity against every opponent
// that is itself blind to the difference, the uniform one above all.

/// Number of boards and of hands where no flush is possible: multisets of five ranks, and of two.
const PLAIN_BOARDS: usize = 6188;
const PLAIN_HANDS: usize = 91;
/// Number of boards with three, four and five cards of the flush suit; below it, hands for them.
const FLUSH_BOARDS: [usize; 3] = [286 * 91, 715 * 13, 1287];
pub(crate) const FLUSH_HANDS: usize = 351;

/// The view in which no suit matters; views 0 to 3 are the flush suits.
const PLAIN: usize = 4;

/// A river board reduced to what its states need: the number of its first state, and the suit that
/// can make a flush.
///
/// Made once for a board, it gives the states of all 1,081 hands at one array look-up each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RiverBoard {
    first: u32,
    view: u8,
}

impl RiverBoard {
    /// Number of river states, counting some that cannot be dealt (five aces).
    ///
    /// 123,156,254 river states differ when suits are merely renamed; these 13,412,516 are what is
    /// left of them once suits that cannot matter are forgotten.
    pub const STATES: usize = PLAIN_BOARDS * PLAIN_HANDS
        + (FLUSH_BOARDS[0] + FLUSH_BOARDS[1] + FLUSH_BOARDS[2]) * FLUSH_HANDS;

    /// The board of these five cards.
    ///
    /// # Errors
    /// When there are not five cards.
    #[inline]
    pub fn new(board: CardSet) -> Result<RiverBoard, Error> {
        board_of(board, &[5])?;
        Ok(RiverBoard::from_set(board))
    }

    /// The same as [`RiverBoard::new`], for a set known to have five cards.
    #[inline]
    pub(crate) fn from_set(board: CardSet) -> RiverBoard {
        let bits = board.bits();
        for suit in 0..4 {
            let mask = (bits >> (16 * suit)) as u16;
            let (count, number) = subset(mask);
            if count >= 3 {
                let others = Ranks::of_bits(bits & !(0xFFFF << (16 * suit)));
                return RiverBoard::with_flush(suit, count, number, others);
            }
        }
        RiverBoard::plain(Ranks::of_bits(bits))
    }

    /// A board of these five ranks without a possible flush.
    #[inline]
    pub(crate) fn plain(ranks: Ranks) -> RiverBoard {
        RiverBoard { first: (ranks.number::<5>() * PLAIN_HANDS) as u32, view: PLAIN as u8 }
    }

    /// A board with `count` (three to five) cards of `suit`, numbered as [`subset`] does, and
    /// others.
    #[inline]
    fn with_flush(suit: usize, count: usize, number: usize, others: Ranks) -> RiverBoard {
        let board = match count {
            3 => number * 91 + others.number::<2>(),
            4 => FLUSH_BOARDS[0] + number * 13 + others.number::<1>(),
            _ => FLUSH_BOARDS[0] + FLUSH_BOARDS[1] + number,
        };
        let first = PLAIN_BOARDS * PLAIN_HANDS + board * FLUSH_HANDS;
        RiverBoard { first: first as u32, view: suit as u8 }
    }

    /// The state of this hand, below [`RiverBoard::STATES`]. Meaningless for a hand that shares a
    /// card with the board.
    #[inline]
    pub fn state(self, hole: Combo) -> usize {
        self.first() + self.column(hole)
    }

    /// The suit in which a flush is possible.
    pub fn flush_suit(self) -> Option<Suit> {
        Suit::new(self.view)
    }

    /// The number of the board's first state; a hand's state is this plus the hand's column.
    #[inline]
    pub(crate) const fn first(self) -> usize {
        self.first as usize
    }

    /// Number of columns: distinguishable hands on this board.
    #[inline]
    pub(crate) const fn width(self) -> usize {
        if self.view == PLAIN as u8 { PLAIN_HANDS } else { FLUSH_HANDS }
    }

    /// The board's view of hands: its flush suit (0 to 3), or none (4).
    #[inline]
    pub(crate) const fn view(self) -> usize {
        self.view as usize
    }

    /// The column of every combo in this board's view.
    #[inline]
    pub(crate) fn columns(self) -> &'static [u16; Combo::COUNT] {
        &COLUMNS[self.view as usize]
    }

    #[inline]
    pub(crate) fn column(self, hole: Combo) -> usize {
        self.columns()[hole.index()] as usize
    }
}

/// The column of each combo, for flush suits clubs to spades and for no flush suit.
pub(crate) static COLUMNS: [[u16; Combo::COUNT]; 5] = columns();

const fn columns() -> [[u16; Combo::COUNT]; 5] {
    let mut columns = [[0; Combo::COUNT]; 5];
    let mut view = 0;
    while view < 5 {
        let mut at = 0;
        while at < Combo::COUNT {
            let [a, b] = Combo::from_index(at).expect("below the count").cards();
            columns[view][at] = column_of(card_type(view, a), card_type(view, b)) as u16;
            at += 1;
        }
        view += 1;
    }
    columns
}

/// A card's rank, plus 13 when it is of the view's flush suit.
const fn card_type(view: usize, card: crate::Card) -> usize {
    let flush = card.suit().index() as usize == view;
    card.rank().index() as usize + if flush { 13 } else { 0 }
}

/// The number of a pair of card types, which may be equal.
const fn column_of(a: usize, b: usize) -> usize {
    if a < b { b * (b + 1) / 2 + a } else { a * (a + 1) / 2 + b }
}

// The equity of every river state, in memory.

/// The equities of all river states against a uniform opponent: 26.8 MB.
///
/// A value is twice the number of beaten hands plus, where ties count half, the number of tied
/// hands, out of [`RiverTable::DENOMINATOR`]: always a whole number. The two tables together
/// recover exact wins and ties: the one without ties holds twice the wins, and the difference is
/// the ties. Where only a few exact counts are asked for, [`equity()`](crate::equity()) needs no
/// table.
pub struct RiverTable {
    ties: Ties,
    values: Box<[u16]>,
}

impl RiverTable {
    /// The value that stands for an equity of 1: twice the 990 hands that the opponent can have.
    pub const DENOMINATOR: u16 = 1980;

    /// The table shared by the whole process, built by its first user in about 0.2 s.
    pub fn shared(ties: Ties) -> &'static RiverTable {
        RiverTable::cell(ties).get_or_init(|| RiverTable::build(ties))
    }

    /// The shared table if it has been built already; never blocks.
    pub fn shared_if_built(ties: Ties) -> Option<&'static RiverTable> {
        RiverTable::cell(ties).get()
    }

    /// The cell of the shared table.
    fn cell(ties: Ties) -> &'static OnceLock<RiverTable> {
        static HALF: OnceLock<RiverTable> = OnceLock::new();
        static WIN_ONLY: OnceLock<RiverTable> = OnceLock::new();
        match ties {
            Ties::Half => &HALF,
            Ties::WinOnly => &WIN_ONLY,
        }
    }

    /// Builds a separate table. Most callers want [`RiverTable::shared`].
    pub fn build(ties: Ties) -> RiverTable {
        let mut values = vec![0; RiverBoard::STATES].into_boxed_slice();
        let mut classes = Classes::new();
        each_board(|river, board| {
            classes.deal(board);
            let row = &mut values[river.first()..][..river.width()];
            classes.for_each_class(|column, counts| row[column] = counts.value(ties));
        });
        RiverTable { ties, values }
    }

    /// The value of a tie in this table.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// The equity of a hand on a board of five cards, in 1,980ths.
    ///
    /// # Errors
    /// When there are not five cards on the board, or one of them is in the hand.
    #[inline]
    pub fn value(&self, hole: Combo, board: CardSet) -> Result<u16, Error> {
        check(hole, board, &[5])?;
        Ok(self.values[RiverBoard::from_set(board).state(hole)])
    }

    /// The equity of a state, given its number, in 1,980ths.
    ///
    /// # Panics
    /// When the number is not below [`RiverBoard::STATES`].
    #[inline]
    pub fn value_of_state(&self, state: usize) -> u16 {
        self.values[state]
    }

    /// The equities of all hands on a board of five cards, in 1,980ths, at the combos' numbers; 0
    /// for hands that share a card with the board.
    ///
    /// # Errors
    /// When there are not five cards on the board.
    pub fn all(&self, board: CardSet, values: &mut [u16; Combo::COUNT]) -> Result<(), Error> {
        let river = RiverBoard::new(board)?;
        self.expand(river, values);
        for card in board.iter() {
            for other in Card::all() {
                if let Some(combo) = Combo::new(card, other) {
                    values[combo.index()] = 0;
                }
            }
        }
        Ok(())
    }

    /// The values of one board's hands, by column.
    #[inline]
    pub(crate) fn row(&self, river: RiverBoard) -> &[u16] {
        &self.values[river.first()..][..river.width()]
    }

    /// Expands the row of a board to all combos; those that cannot be held get arbitrary values.
    #[inline]
    fn expand(&self, river: RiverBoard, values: &mut [u16; Combo::COUNT]) {
        let columns = river.columns();
        if river.flush_suit().is_none() {
            let row: &[u16; PLAIN_HANDS] = self.row(river).try_into().expect("the row's width");
            for (value, &column) in values.iter_mut().zip(columns) {
                *value = row[column as usize];
            }
        } else {
            let row: &[u16; FLUSH_HANDS] = self.row(river).try_into().expect("the row's width");
            for (value, &column) in values.iter_mut().zip(columns) {
                *value = row[column as usize];
            }
        }
    }
}

impl std::fmt::Debug for RiverTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RiverTable").field("ties", &self.ties).finish_non_exhaustive()
    }
}

/// Calls `visit` with every row of the table and a board that belongs to it.
fn each_board(mut visit: impl FnMut(RiverBoard, CardSet)) {
    each_multiset(5, &mut |ranks| {
        // Five of one rank cannot be dealt. Equal ranks stand together, so they get different
        // suits.
        if ranks[0] != ranks[4] {
            let suited = ranks.iter().enumerate().map(|(i, &rank)| card(rank, i % 4));
            visit(RiverBoard::plain(Ranks::from_ranks(ranks.iter().copied())), suited.collect());
        }
    });
    for mask in 0..1 << 13 {
        let (count, number) = subset(mask);
        if !(3..=5).contains(&count) {
            continue;
        }
        let in_suit: CardSet =
            (0..13).filter(|rank| mask >> rank & 1 == 1).map(|rank| card(rank, 3)).collect();
        each_multiset(5 - count, &mut |ranks| {
            let others: CardSet = ranks.iter().enumerate().map(|(i, &r)| card(r, i)).collect();
            let river =
                RiverBoard::with_flush(3, count, number, Ranks::from_ranks(ranks.iter().copied()));
            visit(river, in_suit | others);
        });
    }
}

fn card(rank: usize, suit: usize) -> Card {
    let rank = Rank::new(rank as u8).expect("one of 13 ranks");
    Card::new(rank, Suit::new(suit as u8).expect("one of four suits"))
}

/// Calls `visit` with every multiset of `size` ranks, as a nondecreasing list.
fn each_multiset(size: usize, visit: &mut impl FnMut(&[usize])) {
    fn extend(ranks: &mut Vec<usize>, size: usize, visit: &mut impl FnMut(&[usize])) {
        if ranks.len() == size {
            return visit(ranks);
        }
        for rank in ranks.last().copied().unwrap_or(0)..13 {
            ranks.push(rank);
            extend(ranks, size, visit);
            ranks.pop();
        }
    }
    extend(&mut Vec::with_capacity(5), size, visit);
}

// River showdown counts by hand classes instead of cards.
//
// Hands whose cards have the same types (rank, and whether of the flush suit) have the same
// strength and meet equally many weaker hands, so the 1,081 hands are 91 classes or fewer, 351 or
// fewer where a flush can be. Sorted by strength, one pass gives every class its counts: with `W`
// the weaker hands passed so far and `A[t]` those among them that hold one particular card of type
// `t`, a hand of types `i`, `j` beats `W - A[i] - A[j]` hands that it leaves possible.

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
        let flush = RiverBoard::from_set(board).flush_suit();
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
    /// The equity in 1,980ths: twice the wins, plus the ties where they count half.
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

// A flop or turn, and the river boards that it can become.

/// A board of three or four cards, split by suits.
pub(crate) struct Unfinished {
    /// Rank mask of each suit on the board.
    suits: [u16; 4],
    ranks: Ranks,
    /// For each suit, the ranks of the board cards outside it.
    outside: [Ranks; 4],
}

impl Unfinished {
    pub(crate) fn new(board: CardSet) -> Unfinished {
        let (bits, suits) = (board.bits(), board.by_suit());
        let without = |suit: u32| Ranks::of_bits(bits & !(0xFFFF << (16 * suit)));
        let outside = [without(0), without(1), without(2), without(3)];
        Unfinished { suits, ranks: Ranks::of_bits(bits), outside }
    }

    /// Number of cards on the board in a suit.
    #[inline]
    pub(crate) fn count(&self, suit: usize) -> usize {
        subset(self.suits[suit]).0
    }

    /// The river board after cards of these ranks, when no flush is possible.
    #[inline]
    pub(crate) fn plain<const N: usize>(&self, ranks: [usize; N]) -> RiverBoard {
        RiverBoard::plain(ranks.into_iter().fold(self.ranks, Ranks::with))
    }

    /// The river board with a flush suit, after cards of the ranks in the mask `inside` of that
    /// suit and of the ranks `outside` of others.
    #[inline]
    pub(crate) fn flush<const N: usize>(
        &self,
        suit: usize,
        inside: u16,
        outside: [usize; N],
    ) -> RiverBoard {
        let (count, number) = subset(self.suits[suit] | inside);
        let outside = outside.into_iter().fold(self.outside[suit], Ranks::with);
        RiverBoard::with_flush(suit, count, number, outside)
    }

    /// The river board for each river card by its index; arbitrary for cards of the turn board
    /// itself.
    pub(crate) fn rivers(&self) -> [RiverBoard; Card::COUNT as usize] {
        let mut rivers = [self.plain([0]); Card::COUNT as usize];
        let full = (0..4).find(|&suit| self.count(suit) >= 3);
        for rank in 0..13 {
            let row = match full {
                None => self.plain([rank]),
                Some(suit) => self.flush(suit, 0, [rank]),
            };
            rivers[4 * rank..][..4].fill(row);
        }
        for suit in 0..4 {
            if self.count(suit) >= 2 {
                for rank in (0..13).filter(|rank| self.suits[suit] >> rank & 1 == 0) {
                    rivers[4 * rank + suit] = self.flush(suit, 1 << rank, []);
                }
            }
        }
        rivers
    }
}

// Run-outs of a flop (turn and river card), classified by their ranks and their part in a flush.

/// A table with one entry for each class of run-outs from a flop; up to thirty run-outs share one.
pub(crate) struct RunOuts<T> {
    free: [u16; 4],
    /// The suit with two or three cards on the flop; there is at most one.
    main: Option<usize>,
    /// Run-outs that make no flush possible; symmetric.
    none: ByRanks<T>,
    /// Run-outs with one card, the first, of the main suit.
    one: ByRanks<T>,
    /// Run-outs with both cards of this suit, which has at least one card on the flop; the first
    /// card is the lower.
    both: [ByRanks<T>; 4],
    /// Suits with a card on the flop.
    started: [bool; 4],
}

/// Entries by the ranks of the two cards.
type ByRanks<T> = [[T; 16]; 13];

impl<T: Copy + Default> RunOuts<T> {
    /// Builds the entries for run-outs of the free cards, given as a mask of ranks for each suit.
    #[inline]
    pub(crate) fn new(
        flop: &Unfinished,
        free: [u16; 4],
        mut entry: impl FnMut(RiverBoard) -> T,
    ) -> RunOuts<T> {
        let empty = [[T::default(); 16]; 13];
        let main = (0..4).find(|&suit| flop.count(suit) >= 2);
        let held = |suit: usize| flop.count(suit) > 0;
        let started = [held(0), held(1), held(2), held(3)];
        let mut all = RunOuts { free, main, none: empty, one: empty, both: [empty; 4], started };

        let flush = main.filter(|&suit| flop.count(suit) == 3);
        for x in 0..13 {
            for y in 0..=x {
                let river = match flush {
                    None => flop.plain([x, y]),
                    Some(suit) => flop.flush(suit, 0, [x, y]),
                };
                all.none[x][y] = entry(river);
                all.none[y][x] = all.none[x][y];
            }
        }
        if let Some(suit) = main {
            for x in ranks(free[suit]) {
                for y in 0..13 {
                    all.one[x][y] = entry(flop.flush(suit, 1 << x, [y]));
                }
            }
        }
        for suit in (0..4).filter(|&suit| started[suit]) {
            for x in ranks(free[suit]) {
                for y in ranks(above(free[suit], x)) {
                    all.both[suit][x][y] = entry(flop.flush(suit, 1 << x | 1 << y, []));
                }
            }
        }
        all
    }

    /// Calls `visit` for all run-outs: with the entries by the rank of the second card, the suit
    /// and rank of the first card, the suit of the second, and the second's ranks as a mask.
    #[inline]
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&[T; 16], [usize; 2], usize, u16)) {
        for a in 0..4 {
            for b in a + 1..4 {
                // The card of the main suit comes first.
                let (by_ranks, first, second) = match self.main {
                    Some(main) if main == a => (&self.one, a, b),
                    Some(main) if main == b => (&self.one, b, a),
                    _ => (&self.none, a, b),
                };
                for x in ranks(self.free[first]) {
                    visit(&by_ranks[x], [first, x], second, self.free[second]);
                }
            }
            let by_ranks = if self.started[a] { &self.both[a] } else { &self.none };
            for x in ranks(self.free[a]) {
                visit(&by_ranks[x], [a, x], a, above(self.free[a], x));
            }
        }
    }
}
