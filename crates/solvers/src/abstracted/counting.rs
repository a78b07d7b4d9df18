//! Integer counts, over all deals, of how often two players' hands meet, and of the margin of wins
//! over losses, by what each of them sees of its cards.
//!
//! A player sees a *path*: the bucket of its hand on each street. On the street that is counted the
//! first player may see a class of its hand instead ([`HandClasses`]). [`Counting`] is for rules of
//! one street, which see classes; [`ClassCounts::of_paths`] counts the paths of both players up to
//! the river, for [best responses](super::best_response). Counts
//! depend on no strategy, and those of classes can be stored ([`Counting::write`]).
//!
//! Boards are enumerated once for each suit-isomorphism class: suit-isomorphic pairs of hand and
//! board must share buckets and classes. On each river hands are processed in increasing strength,
//! with running counts of the passed hands by column, in total and by card held. A hand of cards
//! `a` and `b` meets all passed hands minus those with `a` minus those with `b`, plus itself, which
//! is the only one with both. Of classes, equally strong hands pass once before they are compared
//! and once afterwards, so the sums are twice the wins plus the ties: with the number of matchups
//! of row and column, that gives the margin. Where rows and columns are the same paths the losses
//! of a row are the wins of its column, and they pass twice afterwards. All are whole numbers below
//! 2^24, which single precision represents exactly, and which vectorise.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use abstraction::buckets::Buckets;
use cards::{Board, Card, CardSet, Combo, OnBoard, Range};
use game::Street;

use crate::Error;
use crate::error::Kind as ErrorKind;
use crate::holdem::suits::{flop_kinds, next_cards, symmetries};
use runs::container::{ContainerError, Kind, Reader, Writer};

/// Number of deals of two hands, a flop, a turn and a river.
pub const DEALS: u64 = 1_326 * 1_225 * 17_296 * 45 * 44;

/// Maximum number of paths of a player up to the river: 256 MB for all pairs.
pub const MAX_PATHS: usize = 4_000;

/// Maximum number of cells, rows times columns: 1 GB.
const MAX_CELLS: usize = 1 << 26;

/// The size of the table for this many paths, in readable form.
fn bytes_of_pairs(paths: usize) -> String {
    super::readable_bytes((paths * paths * size_of::<[i64; 2]>()) as u64)
}

/// Checks that no street has too many buckets for counts of paths.
///
/// # Errors
/// When a street has more.
pub fn check_buckets(buckets: &Buckets) -> Result<(), Error> {
    for street in Street::ALL {
        let found = buckets.count(street) as usize;
        if found > MAX_PATHS {
            return Err(Error::new(format!(
                "the {street} has {found} buckets, so a player has at least as many paths of them, \
                 and only {MAX_PATHS} are possible: all pairs of {found} take {}; take fewer \
                 buckets",
                bytes_of_pairs(found)
            )));
        }
    }
    Ok(())
}

/// A partition of hands and boards into classes: all that a rule may see of them.
///
/// Suit-isomorphic pairs of hand and board must be in the same class.
pub trait HandClasses: Sync {
    /// A one-line description of the classes, which identifies stored counts.
    fn name(&self) -> String;

    /// Exclusive upper bound of the class numbers on a street.
    fn count(&self, street: Street) -> usize;

    /// The class of a hand on a board of 0, 3, 4 or 5 cards, of which it holds none.
    fn hand_class(&self, hand: Combo, board: CardSet) -> u16;

    /// The class of every hand on a board, indexed by combo number; 0 for hands that share a card
    /// with it.
    fn on_board(&self, board: CardSet) -> Box<[u16]> {
        let mut classes = vec![0; Combo::COUNT].into_boxed_slice();
        for hand in Combo::all().filter(|hand| !hand.set().intersects(board)) {
            classes[hand.index()] = self.hand_class(hand, board);
        }
        classes
    }
}

/// The buckets of a hand up to some street, and there perhaps its class instead; 0 on later
/// streets.
pub type Path = [u16; 4];

/// Counts of deals, by the first player's path, perhaps with a class, and the second player's path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassCounts {
    pub(crate) rows: Vec<Path>,
    pub(crate) columns: Vec<Path>,
    /// Row-major cells: matchups, and wins minus losses.
    pub(crate) cells: Vec<[i64; 2]>,
}

impl ClassCounts {
    /// Counts the bucket paths of both players up to the river in all deals that continue a board
    /// of three, four or five cards, on the calling thread; rows and columns are the same. Turn and
    /// river are ordered: swapping them is another deal. Takes some 50 ms for a flop and nine
    /// buckets a street.
    ///
    /// # Errors
    /// When the board is not valid, or there are too many paths.
    pub fn of_paths(buckets: &Buckets, board: &Board) -> Result<ClassCounts, Error> {
        check_buckets(buckets)?;
        if !(3..=5).contains(&board.len()) || board.set().len() as usize != board.len() {
            return Err(Error::new(format!(
                "pairs are counted on boards of three, four or five different cards, not on \
                 '{board}'"
            )));
        }
        Walk::new(Street::River, buckets, None).count(board)
    }

    /// The first player's paths, sorted; of classes the last number is the class.
    pub fn rows(&self) -> &[Path] {
        &self.rows
    }

    /// The second player's paths, sorted; the last number is the bucket on the street.
    pub fn columns(&self) -> &[Path] {
        &self.columns
    }

    /// All cells, row by row: matchups, and wins minus losses.
    pub fn cells(&self) -> &[[i64; 2]] {
        &self.cells
    }

    /// The number of deals in which a row meets a column, and its margin of wins over losses.
    ///
    /// # Panics
    /// When there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> [i64; 2] {
        assert!(column < self.columns.len(), "there is no such column");
        self.cells[row * self.columns.len() + column]
    }

    /// Total number of deals counted. Over all flops, weighted by the size of their class, it is
    /// [`DEALS`].
    pub fn deals(&self) -> i64 {
        self.cells.iter().map(|cell| cell[0]).sum()
    }
}

/// Numbers of paths in order of occurrence.
#[derive(Debug, Default)]
struct Numbers {
    by_path: HashMap<Path, u32>,
    paths: Vec<Path>,
}

impl Numbers {
    fn number(&mut self, path: Path) -> u32 {
        let paths = &mut self.paths;
        *self.by_path.entry(path).or_insert_with(|| {
            paths.push(path);
            paths.len() as u32 - 1
        })
    }
}

/// An accumulator of counts.
#[derive(Debug, Default)]
pub struct Sum {
    rows: Numbers,
    columns: Numbers,
    /// Cells by row, then column; rows are extended as needed.
    cells: Vec<Vec<[i64; 2]>>,
}

impl Sum {
    /// Adds counts, multiplied by `times`.
    ///
    /// # Errors
    /// When there are too many cells.
    pub fn add(&mut self, counts: &ClassCounts, times: i64) -> Result<(), Error> {
        let columns: Vec<u32> =
            counts.columns.iter().map(|&path| self.columns.number(path)).collect();
        let rows: Vec<u32> = counts.rows.iter().map(|&path| self.rows.number(path)).collect();
        let [all_rows, all_columns] = [&self.rows, &self.columns].map(|known| known.paths.len());
        if all_rows * all_columns > MAX_CELLS {
            return Err(Error::new(format!(
                "{all_rows} rows of own classes and {all_columns} paths of the opponent's buckets \
                 are too many to keep: take fewer classes or buckets"
            )));
        }
        for (&row, added) in rows.iter().zip(counts.cells.chunks(columns.len().max(1))) {
            let cells = self.row(row);
            for (&column, [matchups, margin]) in columns.iter().zip(added) {
                let cell = &mut cells[column as usize];
                cell[0] += times * matchups;
                cell[1] += times * margin;
            }
        }
        Ok(())
    }

    /// Checks that a player does not have too many paths. `board` is where the last were counted.
    ///
    /// # Errors
    /// When it has more.
    pub fn check_paths(&self, board: &Board) -> Result<(), Error> {
        let found = self.columns.paths.len();
        if found > MAX_PATHS {
            return Err(Error::new(format!(
                "a player has at least {found} paths of buckets from preflop to river, so many \
                 were found up to the board {board}, and only {MAX_PATHS} are possible: all pairs \
                 of {found} take {}; take fewer buckets",
                bytes_of_pairs(found)
            )));
        }
        Ok(())
    }

    /// The cells of a row, one for each column known so far.
    fn row(&mut self, row: u32) -> &mut [[i64; 2]] {
        let row = row as usize;
        if self.cells.len() <= row {
            self.cells.resize(row + 1, Vec::new());
        }
        let cells = &mut self.cells[row];
        if cells.len() < self.columns.paths.len() {
            cells.resize(self.columns.paths.len(), [0; 2]);
        }
        cells
    }

    /// Adds the counts of a board: matchups and margins are multiplied by one of `times` each.
    fn add_board(&mut self, counted: &BoardCounts<'_>, times: [i64; 2]) {
        for (index, &row) in counted.rows.iter().enumerate() {
            let cells = self.row(row);
            for (at, &column) in counted.columns.iter().enumerate() {
                let [matchups, margin] = counted.cell(index, at);
                let cell = &mut cells[column as usize];
                cell[0] += times[0] * matchups;
                cell[1] += times[1] * margin;
            }
        }
    }

    /// The counts, with sorted paths.
    pub fn counts(&self) -> ClassCounts {
        let order = |numbers: &Numbers| {
            let mut order: Vec<usize> = (0..numbers.paths.len()).collect();
            order.sort_unstable_by_key(|&at| numbers.paths[at]);
            order
        };
        let [rows, columns] = [&self.rows, &self.columns].map(order);
        let cell = |row: usize, column: usize| {
            self.cells.get(row).and_then(|cells| cells.get(column)).copied().unwrap_or_default()
        };
        let cells = rows.iter().flat_map(|&row| columns.iter().map(move |&at| cell(row, at)));
        ClassCounts {
            cells: cells.collect(),
            rows: rows.iter().map(|&at| self.rows.paths[at]).collect(),
            columns: columns.iter().map(|&at| self.columns.paths[at]).collect(),
        }
    }

    /// The counts, if they are complete.
    ///
    /// # Errors
    /// When they do not cover all deals.
    pub fn finish(&self) -> Result<ClassCounts, Error> {
        complete(self.counts())
    }
}

/// The counts, if they cover all deals.
fn complete(counts: ClassCounts) -> Result<ClassCounts, Error> {
    match counts.deals() {
        found if found as u64 == DEALS => Ok(counts),
        found => {
            let text = format!(
                "{found} deals were counted, where there are {DEALS}: the counts are wrong; start \
                 again"
            );
            Err(Error::with_kind(ErrorKind::Miscount, text))
        }
    }
}

/// The specification of counts for rules: the street, the opponent's buckets, and the rule's hand
/// classes.
#[derive(Clone, Copy)]
pub struct Counting<'a> {
    /// The street of the rule.
    pub street: Street,
    /// The opponent's buckets, which are also the first player's before the street.
    pub buckets: &'a Buckets,
    /// The hand classes that the rule sees on the street.
    pub classes: &'a dyn HandClasses,
}

/// The format of stored counts, see [`runs::container`]: the texts are the street, SHA-256 of the
/// opponent's buckets and the name of the classes; then the number of rows and of columns (8 bytes
/// each), their paths (four numbers of 2 bytes each), and the cells row by row (two numbers of 8
/// bytes each).
const KIND: Kind = Kind { name: "class-counts", magic: b"cardroom class-counts\n", version: 1 };

/// Maximum number of rows or columns in a file, far above that of any street and buckets.
const MAX_COUNT: u64 = 1 << 20;

impl Counting<'_> {
    /// One flop of each suit-isomorphism class, with the number of flops it stands for.
    pub fn flops() -> Vec<(CardSet, i64)> {
        flop_kinds().iter().map(|kind| (kind.cards, kind.flops.into())).collect()
    }

    /// Counts all deals that continue a flop. On the calling thread, some 0.1 s.
    ///
    /// # Errors
    /// When the street has no board, or the flop is not valid.
    pub fn on_flop(&self, flop: CardSet) -> Result<ClassCounts, Error> {
        if self.street == Street::Preflop {
            return Err(Error::new(
                "rules are for the flop, the turn and the river: name one of these streets",
            ));
        }
        let cards: Vec<Card> = flop.iter().collect();
        let board = Board::new(&cards).unwrap_or_default();
        if flop.len() != 3 {
            return Err(Error::new(format!(
                "counting starts from three different cards, not from '{board}'"
            )));
        }
        Walk::new(self.street, self.buckets, Some(self.classes)).count(&board)
    }

    /// The texts that a file must share with the wanted counts.
    fn names(&self) -> [(&'static str, String); 3] {
        [
            ("street", self.street.to_string()),
            ("buckets", self.buckets.hash().to_owned()),
            ("classes of hands", self.classes.name()),
        ]
    }

    /// Writes counts, so that they need not be counted again. The same counts give the same bytes.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, counts: &ClassCounts, to: impl Write) -> io::Result<()> {
        let mut to = Writer::begin(to, KIND)?;
        to.names(&self.names())?;
        to.numbers(&[counts.rows.len() as u64, counts.columns.len() as u64])?;
        for path in counts.rows.iter().chain(&counts.columns) {
            to.numbers(path)?;
        }
        let cells: Vec<u64> = counts.cells.iter().flatten().map(|&count| count as u64).collect();
        to.numbers(&cells)?;
        to.end().map(drop)
    }

    /// Reads counts.
    ///
    /// # Errors
    /// When the bytes are not counts, are truncated or damaged, belong to another street, other
    /// buckets or other classes, or do not cover all deals: the message says which.
    pub fn read(&self, from: impl Read) -> Result<ClassCounts, Error> {
        let mut from = Reader::begin(from, KIND)?;
        from.names(&self.names())?;
        let [rows, columns] = [from.number::<u64>()?, from.number::<u64>()?];
        if rows > MAX_COUNT || columns > MAX_COUNT || rows * columns > MAX_COUNT * 64 {
            return Err(ContainerError::Damaged.into());
        }
        from.left(8 * (rows + columns) + 16 * rows * columns);
        let mut paths = vec![[0u16; 4]; (rows + columns) as usize];
        from.numbers(paths.as_flattened_mut(), |slot, number| *slot = number)?;
        let mut cells = vec![[0i64; 2]; (rows * columns) as usize];
        from.numbers(cells.as_flattened_mut(), |slot, number: u64| *slot = number as i64)?;
        from.end()?;
        let columns = paths.split_off(rows as usize);
        complete(ClassCounts { rows: paths, columns, cells })
    }
}

/// The state of counting the boards after one flop.
struct Walk<'a> {
    /// The street that is counted.
    street: Street,
    buckets: &'a Buckets,
    /// What the first player sees on the street, if not its bucket.
    classes: Option<&'a dyn HandClasses>,
    counter: Counter,
    sum: Sum,
    /// For each street dealt so far, by combo number: classes or buckets of both players.
    classified: [[Box<[u16]>; 2]; 4],
    /// Hands with their rows and columns, for a counted street before the river.
    hands: Vec<(Combo, u32, u32)>,
    /// On a turn, when the river is counted: each hand's path prefix for either player; below, the
    /// prefixes, and for each prefix and river class or bucket its row or column.
    before: Vec<(Combo, [u32; 2])>,
    prefixes: [Vec<[u16; 3]>; 2],
    known: [Vec<u32>; 2],
}

impl<'a> Walk<'a> {
    fn new(street: Street, buckets: &'a Buckets, classes: Option<&'a dyn HandClasses>) -> Walk<'a> {
        Walk {
            street,
            buckets,
            classes,
            counter: Counter { same_paths: classes.is_none(), ..Counter::default() },
            sum: Sum::default(),
            classified: Default::default(),
            hands: Vec::new(),
            before: Vec::new(),
            prefixes: Default::default(),
            known: Default::default(),
        }
    }

    /// Counts all deals that continue a board of three to five cards, of three only for a street
    /// before the river.
    fn count(mut self, board: &Board) -> Result<ClassCounts, Error> {
        let flop: CardSet = board[..3].iter().copied().collect();
        self.classify(Street::Preflop, CardSet::EMPTY);
        self.classify(Street::Flop, flop);
        if self.street == Street::Flop {
            self.count_matchups(flop, 45 * 44);
        }
        let symmetries = symmetries(flop, [&Range::uniform(); 2]);
        for turn in next_cards(flop, &symmetries, board.get(3)) {
            let dealt = flop.with(turn.card);
            self.classify(Street::Turn, dealt);
            if self.street == Street::Turn {
                self.count_matchups(dealt, 44 * turn.times as i64);
            }
            for river in next_cards(dealt, &turn.symmetries, board.get(4)) {
                self.river(dealt.with(river.card), (turn.times * river.times) as i64);
                if self.classes.is_none() {
                    self.sum.check_paths(board)?;
                }
            }
        }
        Ok(self.sum.counts())
    }

    /// Computes classes and buckets of the hands on a street's board.
    fn classify(&mut self, street: Street, board: CardSet) {
        let last = self.street;
        if street > last {
            return;
        }
        let buckets = self.buckets.on_board(board).expect("boards have as many cards as a street");
        let own = match self.classes {
            Some(classes) if street == last => classes.on_board(board),
            _ => buckets.clone(),
        };
        self.classified[street.index()] = [own, buckets];
        let free = || Combo::all().filter(move |hand| !hand.set().intersects(board));
        let path = |hand: Combo, who: usize| -> Path {
            std::array::from_fn(|at| {
                let known = at <= street.index();
                if known { self.classified[at][who][hand.index()] } else { 0 }
            })
        };
        if street == last && street != Street::River {
            let hands = free().map(|hand| {
                let (row, column) = (path(hand, 0), path(hand, 1));
                (hand, self.sum.rows.number(row), self.sum.columns.number(column))
            });
            self.hands = hands.collect();
        }
        if street == Street::Turn && last == Street::River {
            let mut indices = [(); 2].map(|()| HashMap::new());
            let mut prefixes: [Vec<[u16; 3]>; 2] = Default::default();
            let before = free().map(|hand| {
                let index = |who: usize| {
                    let [a, b, c, _] = path(hand, who);
                    let found: &mut Vec<[u16; 3]> = &mut prefixes[who];
                    *indices[who].entry([a, b, c]).or_insert_with(|| {
                        found.push([a, b, c]);
                        found.len() as u32 - 1
                    })
                };
                (hand, [0, 1].map(index))
            });
            self.before = before.collect();
            self.prefixes = prefixes;
            for who in 0..2 {
                let many = self.prefixes[who].len() * self.widths()[who];
                self.known[who].clear();
                self.known[who].resize(many, u32::MAX);
            }
        }
    }

    /// Numbers of classes and of buckets on the counted street.
    fn widths(&self) -> [usize; 2] {
        let buckets = self.buckets.count(self.street) as usize;
        [self.classes.map_or(buckets, |classes| classes.count(self.street)), buckets]
    }

    /// Counts the matchups of hands on a board before the river, each of which has `times`
    /// continuations.
    fn count_matchups(&mut self, board: CardSet, times: i64) {
        self.counter.deal(board);
        self.hands.iter().for_each(|&(hand, row, column)| self.counter.add(hand, row, column));
        self.sum.add_board(&self.counter.count(), [times, 0]);
    }

    /// Compares the hands on a river board.
    fn river(&mut self, board: CardSet, times: i64) {
        self.classify(Street::River, board);
        self.counter.deal(board);
        if self.street != Street::River {
            for &(hand, row, column) in &self.hands {
                if !hand.set().intersects(board) {
                    self.counter.add(hand, row, column);
                }
            }
            return self.sum.add_board(&self.counter.count(), [0, times]);
        }
        let widths = self.widths();
        let [of_classes, of_buckets] = &self.classified[Street::River.index()];
        for &(hand, indices) in &self.before {
            if hand.set().intersects(board) {
                continue;
            }
            if self.classes.is_none() {
                // Both players have the same paths, with the same numbers.
                let (index, last) = (indices[1] as usize, of_buckets[hand.index()]);
                let number = &mut self.known[1][index * widths[1] + usize::from(last)];
                if *number == u32::MAX {
                    let [a, b, c] = self.prefixes[1][index];
                    *number = self.sum.rows.number([a, b, c, last]);
                    self.sum.columns.number([a, b, c, last]);
                }
                self.counter.add(hand, *number, *number);
                continue;
            }
            let last = [of_classes, of_buckets].map(|of| of[hand.index()]);
            let [row, column] = [0, 1].map(|who| {
                let index = indices[who] as usize;
                let number = &mut self.known[who][index * widths[who] + usize::from(last[who])];
                if *number == u32::MAX {
                    let [a, b, c] = self.prefixes[who][index];
                    let numbers = if who == 0 { &mut self.sum.rows } else { &mut self.sum.columns };
                    *number = numbers.number([a, b, c, last[who]]);
                }
                *number
            });
            self.counter.add(hand, row, column);
        }
        self.sum.add_board(&self.counter.count(), [times; 2]);
    }
}

const CARDS: usize = Card::COUNT as usize;
/// Number of rows of counts by column: one for each card, and one for all hands.
const ROWS: usize = CARDS + 1;
const ALL: usize = CARDS;

/// The row length is a multiple of this, so that loops have no remainder.
const WIDTH: usize = 8;

/// A mapping of numbers to consecutive indices on one board, in order of occurrence.
#[derive(Default)]
struct IndexMap {
    numbers: Vec<u32>,
    indices: Vec<u16>,
}

impl IndexMap {
    fn clear(&mut self) {
        for &number in &self.numbers {
            self.indices[number as usize] = u16::MAX;
        }
        self.numbers.clear();
    }

    #[inline]
    fn index(&mut self, number: u32) -> u16 {
        let at = number as usize;
        if self.indices.len() <= at {
            self.indices.resize(at + 1, u16::MAX);
        }
        if self.indices[at] == u16::MAX {
            self.indices[at] = self.numbers.len() as u16;
            self.numbers.push(number);
        }
        self.indices[at]
    }
}

/// A reusable workspace for counting all hands against each other on one board, by the first
/// player's row and the second's column.
#[derive(Default)]
struct Counter {
    /// Whether rows and columns are the same paths, with the same numbers.
    same_paths: bool,
    strengths: Option<Box<OnBoard>>,
    /// The hands added, packed as strength, row index and combo number, so that sorting groups
    /// equal ones.
    hands: Vec<u64>,
    /// For sorting.
    runs: Vec<u64>,
    sorted: Vec<u64>,
    /// For each combo the indices of its cards, and its column index on the board.
    combos: Vec<([u8; 2], u16)>,
    rows: IndexMap,
    columns: IndexMap,
    passed: Vec<f32>,
    sums: Vec<f32>,
    matchups: Vec<f32>,
    width: usize,
    /// For each row how often its hands hold each card; below, which cards, and how many they are.
    holding: Vec<f32>,
    held: Vec<u64>,
    many: Vec<f32>,
}

/// The counts of a board.
struct BoardCounts<'a> {
    /// The rows on the board; below, its columns.
    rows: &'a [u32],
    columns: &'a [u32],
    sums: &'a [f32],
    /// Whether the sums are twice the wins alone, and the losses are those of the column.
    same_paths: bool,
    matchups: &'a [f32],
    width: usize,
}

impl BoardCounts<'_> {
    /// The number of matchups of a row and a column, by index, and the margin of wins over losses.
    /// The margin is meaningless where only matchups were counted.
    #[inline]
    fn cell(&self, row: usize, column: usize) -> [i64; 2] {
        let at = row * self.width + column;
        let matchups = self.matchups[at] as i64;
        let Some(&sum) = self.sums.get(at) else { return [matchups, 0] };
        let margin = if self.same_paths {
            (sum - self.sums[column * self.width + row]) as i64 / 2
        } else {
            sum as i64 - matchups
        };
        [matchups, margin]
    }
}

impl Counter {
    /// Starts another board without hands: five cards, or fewer to count matchups only.
    fn deal(&mut self, board: CardSet) {
        self.rows.clear();
        self.columns.clear();
        self.hands.clear();
        self.strengths = (board.len() == 5).then(|| Box::new(OnBoard::new(board)));
        if self.combos.is_empty() {
            self.combos.resize(Combo::COUNT, ([0; 2], 0));
            Combo::all()
                .for_each(|combo| self.combos[combo.index()].0 = combo.cards().map(Card::index));
        }
    }

    /// Adds a hand with its row as the first player's, and its column as the second's.
    #[inline]
    fn add(&mut self, hand: Combo, row: u32, column: u32) {
        let row = self.rows.index(row);
        self.combos[hand.index()].1 =
            if self.same_paths { row } else { self.columns.index(column) };
        let [high, low] = hand.cards();
        let strengths = self.strengths.as_ref();
        let strength = strengths.map_or(0, |strengths| strengths.rank(high, low).value());
        self.hands.push(u64::from(strength) << 32 | u64::from(row) << 16 | hand.index() as u64);
    }

    /// Counts the added hands against each other.
    fn count(&mut self) -> BoardCounts<'_> {
        let rows = self.rows.numbers.len();
        let columns = if self.same_paths { rows } else { self.columns.numbers.len() };
        self.width = columns.next_multiple_of(WIDTH);
        let compared = if self.strengths.is_some() { rows } else { 0 };
        for (numbers, many) in
            [(&mut self.passed, ROWS), (&mut self.sums, compared), (&mut self.matchups, rows)]
        {
            numbers.clear();
            numbers.resize(many * self.width, 0.0);
        }
        if compared > 0 {
            self.compare();
        } else {
            let hands = std::mem::take(&mut self.hands);
            hands.iter().for_each(|&hand| self.pass(hand, 2.0));
            self.hands = hands;
        }
        self.count_matchups();
        let rows = &self.rows.numbers;
        let columns = if self.same_paths { rows } else { &self.columns.numbers };
        BoardCounts {
            rows,
            columns,
            sums: &self.sums,
            same_paths: self.same_paths,
            matchups: &self.matchups,
            width: self.width,
        }
    }

    #[inline]
    fn pass(&mut self, hand: u64, times: f32) {
        let ([a, b], column) = self.combos[combo(hand)];
        for row in [usize::from(a), usize::from(b), ALL] {
            self.passed[row * self.width + usize::from(column)] += times;
        }
    }

    /// Computes twice the wins, plus the ties unless rows and columns are the same paths.
    fn compare(&mut self) {
        sort(&self.hands, &mut self.runs, &mut self.sorted);
        let mut hands = std::mem::take(&mut self.sorted);
        for equal in hands.chunk_by_mut(|a, b| *a >> 32 == *b >> 32) {
            equal.sort_unstable();
            if !self.same_paths {
                equal.iter().for_each(|&hand| self.pass(hand, 1.0));
            }
            for same in equal.chunk_by(|a, b| a >> 16 == b >> 16) {
                let (mut holding, mut held) = ([0u8; CARDS], 0u64);
                for &hand in same {
                    for card in self.combos[combo(hand)].0 {
                        holding[usize::from(card)] += 1;
                        held |= 1 << card;
                    }
                }
                let row = row_index(same[0]);
                let sums = &mut self.sums[row * self.width..][..self.width];
                take_off(&self.passed, same.len() as f32, sums, held, |card| {
                    f32::from(holding[card])
                });
                if self.same_paths {
                    continue;
                }
                for &hand in same {
                    // The hand itself was added once, and subtracted for both of its cards.
                    sums[usize::from(self.combos[combo(hand)].1)] += 1.0;
                }
            }
            let times = if self.same_paths { 2.0 } else { 1.0 };
            equal.iter().for_each(|&hand| self.pass(hand, times));
        }
        self.sorted = hands;
    }

    /// Computes the number of matchups of rows and columns, after all hands have passed twice.
    fn count_matchups(&mut self) {
        let rows = self.rows.numbers.len();
        let Counter { holding, held, many, .. } = self;
        holding.clear();
        holding.resize(rows * CARDS, 0.0);
        held.clear();
        held.resize(rows, 0);
        many.clear();
        many.resize(rows, 0.0);
        for &hand in &self.hands {
            let row = row_index(hand);
            let (cards, column) = self.combos[combo(hand)];
            many[row] += 1.0;
            for card in cards {
                holding[row * CARDS + usize::from(card)] += 1.0;
                held[row] |= 1 << card;
            }
            self.matchups[row * self.width + usize::from(column)] += 2.0;
        }
        for (row, matchups) in self.matchups.chunks_mut(self.width.max(1)).enumerate() {
            let holding = &holding[row * CARDS..][..CARDS];
            take_off(&self.passed, many[row], matchups, held[row], |card| holding[card]);
            matchups.iter_mut().for_each(|matchups| *matchups *= 0.5);
        }
    }
}

/// Copies the hands to `sorted`, by strength. Neighbours often are equally strong, such as those
/// that differ in a suit, and `runs` of them are moved together.
fn sort(hands: &[u64], runs: &mut Vec<u64>, sorted: &mut Vec<u64>) {
    runs.clear();
    sorted.clear();
    let mut start = 0;
    for run in hands.chunk_by(|a, b| a >> 32 == b >> 32) {
        runs.push(run[0] >> 32 << 32 | start << 16 | run.len() as u64);
        start += run.len() as u64;
    }
    runs.sort_unstable();
    for run in runs {
        let [length, start] = [*run as u16, (*run >> 16) as u16].map(usize::from);
        sorted.extend_from_slice(&hands[start..][..length]);
    }
}

/// Adds `many` times the passed counts, minus those of each held card as often as it is held.
fn take_off(
    passed: &[f32],
    many: f32,
    row: &mut [f32],
    mut held: u64,
    holding: impl Fn(usize) -> f32,
) {
    let width = row.len();
    let mut add = |number: usize, times: f32| {
        let passed = &passed[number * width..][..width];
        row.iter_mut().zip(passed).for_each(|(sum, number)| *sum += times * number);
    };
    add(ALL, many);
    while held != 0 {
        let card = held.trailing_zeros() as usize;
        held &= held - 1;
        add(card, -holding(card));
    }
}

/// The row index of a hand.
#[inline]
fn row_index(hand: u64) -> usize {
    usize::from((hand >> 16) as u16)
}

/// The combo number of a hand.
#[inline]
fn combo(hand: u64) -> usize {
    usize::from(hand as u16)
}
