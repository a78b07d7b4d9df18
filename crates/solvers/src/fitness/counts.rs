//! Integer counts, over all deals, of how often a bucket path with a class meets a bucket path, and
//! of its margin of wins over losses.

use std::collections::HashMap;

use abstraction::buckets::Buckets;
use cards::{Board, CardSet, Combo, Range};
use game::Street;

use super::HandClasses;
use super::counter::{BoardCounts, Counter};
use crate::SnapshotError;
use crate::response::in_buckets::{DEALS, next};
use crate::response::in_tree::flop_kinds;
use crate::subgame::symmetry::Renaming;

/// Maximum number of cells, rows times columns: 1 GB.
const MAX_CELLS: usize = 1 << 26;

/// Error of counting.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// There are no counts for preflop, which has no board.
    #[error("rules are for the flop, the turn and the river: name one of these streets")]
    Street,
    /// The board is not a flop.
    #[error("counting starts from three different cards, not from '{0}'")]
    Board(Board),
    /// There are too many cells.
    #[error(
        "{rows} rows of own classes and {columns} paths of the opponent's buckets are too many \
         to keep: \
         take fewer classes or buckets"
    )]
    Large {
        /// Number of own paths with a class.
        rows: usize,
        /// Number of the opponent's paths.
        columns: usize,
    },
    /// The counts are inconsistent.
    #[error(
        "{found} deals were counted, where there are {DEALS}: the counts are wrong; start again"
    )]
    Deals {
        /// Number of deals counted.
        found: i64,
    },
    /// The file does not contain these counts.
    #[error(transparent)]
    File(#[from] SnapshotError),
}

/// The specification of the counts: the street, the opponent's buckets, and the rule's hand
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

/// Buckets of the streets before the last and a class or bucket on the last; 0 on later ones.
pub type Path = [u16; 4];

/// Counts of deals, by the first player's path and class and the second player's path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassCounts {
    pub(crate) rows: Vec<Path>,
    pub(crate) columns: Vec<Path>,
    /// Row-major cells: matchups, and wins minus losses.
    pub(crate) cells: Vec<[i64; 2]>,
}

impl ClassCounts {
    /// The first player's paths, whose last number is the class; sorted after
    /// [`finish`](Sum::finish).
    pub fn rows(&self) -> &[Path] {
        &self.rows
    }

    /// The opponent's paths, whose last number is the bucket on the street.
    pub fn columns(&self) -> &[Path] {
        &self.columns
    }

    /// The number of deals in which a row meets a column, and its margin of wins over losses.
    ///
    /// # Panics
    /// When there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> [i64; 2] {
        assert!(column < self.columns.len(), "there is no such column");
        self.cells[row * self.columns.len() + column]
    }

    /// Total number of deals counted.
    pub fn deals(&self) -> i64 {
        self.cells.iter().map(|cell| cell[0]).sum()
    }
}

/// Numbers of paths in order of occurrence.
#[derive(Debug, Default)]
struct Numbers(HashMap<Path, u32>, Vec<Path>);

impl Numbers {
    fn of(&mut self, path: Path) -> u32 {
        let (numbers, paths) = (&mut self.0, &mut self.1);
        *numbers.entry(path).or_insert_with(|| {
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
    pub fn add(&mut self, counts: &ClassCounts, times: i64) -> Result<(), CountError> {
        let columns: Vec<u32> = counts.columns.iter().map(|&path| self.columns.of(path)).collect();
        let rows: Vec<u32> = counts.rows.iter().map(|&path| self.rows.of(path)).collect();
        let [all_rows, all_columns] = [&self.rows, &self.columns].map(|paths| paths.1.len());
        if all_rows * all_columns > MAX_CELLS {
            return Err(CountError::Large { rows: all_rows, columns: all_columns });
        }
        for (&row, cells) in rows.iter().zip(counts.cells.chunks(columns.len().max(1))) {
            for (&column, cell) in columns.iter().zip(cells) {
                self.cell(row, column, *cell, times);
            }
        }
        Ok(())
    }

    fn cell(&mut self, row: u32, column: u32, [matchups, margin]: [i64; 2], times: i64) {
        if matchups == 0 && margin == 0 {
            return;
        }
        let (row, column) = (row as usize, column as usize);
        if self.cells.len() <= row {
            self.cells.resize(row + 1, Vec::new());
        }
        let cells = &mut self.cells[row];
        if cells.len() <= column {
            cells.resize(column + 1, [0; 2]);
        }
        cells[column][0] += times * matchups;
        cells[column][1] += times * margin;
    }

    fn board(&mut self, counted: &BoardCounts<'_>, times: [i64; 2]) {
        for (index, &row) in counted.rows.iter().enumerate() {
            for (at, &column) in counted.columns.iter().enumerate() {
                let [matchups, margin] = counted.cell(index, at);
                self.cell(row, column, [times[0] * matchups, times[1] * margin], 1);
            }
        }
    }

    /// The counts, with sorted paths.
    pub fn counts(&self) -> ClassCounts {
        let order = |numbers: &Numbers| {
            let mut order: Vec<usize> = (0..numbers.1.len()).collect();
            order.sort_unstable_by_key(|&at| numbers.1[at]);
            order
        };
        let [rows, columns] = [&self.rows, &self.columns].map(order);
        let cell = |row: usize, column: usize| {
            self.cells.get(row).and_then(|cells| cells.get(column)).copied().unwrap_or_default()
        };
        let cells = rows.iter().flat_map(|&row| columns.iter().map(move |&at| cell(row, at)));
        ClassCounts {
            cells: cells.collect(),
            rows: rows.iter().map(|&at| self.rows.1[at]).collect(),
            columns: columns.iter().map(|&at| self.columns.1[at]).collect(),
        }
    }

    /// The counts, if they are complete.
    ///
    /// # Errors
    /// When they do not cover all deals.
    pub fn finish(&self) -> Result<ClassCounts, CountError> {
        let counts = self.counts();
        match counts.deals() {
            found if found as u64 == DEALS => Ok(counts),
            found => Err(CountError::Deals { found }),
        }
    }
}

impl Counting<'_> {
    /// One flop of each suit-isomorphism class, with the number of flops it stands for.
    pub fn flops() -> Vec<(CardSet, i64)> {
        flop_kinds().iter().map(|kind| (kind.cards, kind.flops.into())).collect()
    }

    /// Counts all deals that continue a flop. On the calling thread, some 0.1 s.
    ///
    /// # Errors
    /// When the street has no board, or the flop is not valid.
    pub fn on(&self, flop: CardSet) -> Result<ClassCounts, CountError> {
        if self.street == Street::Preflop {
            return Err(CountError::Street);
        }
        if flop.len() != 3 {
            let cards: Vec<_> = flop.iter().collect();
            return Err(CountError::Board(Board::new(&cards).unwrap_or_default()));
        }
        let symmetries = Renaming::symmetries(flop, [&Range::uniform(); 2]);
        let mut walk = Walk::new(self, flop);
        if self.street == Street::Flop {
            walk.count_matchups(flop, 45 * 44);
        }
        for turn in next(flop, &symmetries, None) {
            let dealt = flop.with(turn.card);
            walk.classify(Street::Turn, dealt);
            if self.street == Street::Turn {
                walk.count_matchups(dealt, 44 * turn.times as i64);
            }
            for river in next(dealt, &turn.symmetries, None) {
                let dealt = dealt.with(river.card);
                walk.river(dealt, (turn.times * river.times) as i64);
            }
        }
        Ok(walk.sum.counts())
    }
}

/// The state of counting the boards after one flop.
struct Walk<'a> {
    counting: &'a Counting<'a>,
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
    fn new(counting: &'a Counting<'a>, flop: CardSet) -> Walk<'a> {
        let mut walk = Walk {
            counting,
            counter: Counter::default(),
            sum: Sum::default(),
            classified: Default::default(),
            hands: Vec::new(),
            before: Vec::new(),
            prefixes: Default::default(),
            known: Default::default(),
        };
        walk.classify(Street::Preflop, CardSet::EMPTY);
        walk.classify(Street::Flop, flop);
        walk
    }

    /// Computes classes and buckets of the hands on a street's board.
    fn classify(&mut self, street: Street, board: CardSet) {
        let Counting { street: last, buckets, classes } = *self.counting;
        if street > last {
            return;
        }
        let of_buckets = buckets.on_board(board).expect("boards have as many cards as a street");
        let own = if street == last { classes.on_board(board) } else { of_buckets.clone() };
        self.classified[street.index()] = [own, of_buckets];
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
                (hand, self.sum.rows.of(row), self.sum.columns.of(column))
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
        let Counting { street, buckets, classes } = *self.counting;
        [classes.count(street), buckets.count(street) as usize]
    }

    /// Counts the matchups of hands on a board before the river, each of which has `times`
    /// continuations.
    fn count_matchups(&mut self, board: CardSet, times: i64) {
        self.counter.deal(board);
        self.hands.iter().for_each(|&(hand, row, column)| self.counter.add(hand, row, column));
        self.sum.board(&self.counter.count(), [times, 0]);
    }

    /// Compares the hands on a river board.
    fn river(&mut self, board: CardSet, times: i64) {
        self.classify(Street::River, board);
        self.counter.deal(board);
        if self.counting.street != Street::River {
            for &(hand, row, column) in &self.hands {
                if !hand.set().intersects(board) {
                    self.counter.add(hand, row, column);
                }
            }
            return self.sum.board(&self.counter.count(), [0, times]);
        }
        let widths = self.widths();
        let [of_classes, of_buckets] = &self.classified[Street::River.index()];
        for &(hand, indices) in &self.before {
            if hand.set().intersects(board) {
                continue;
            }
            let last = [of_classes, of_buckets].map(|of| of[hand.index()]);
            let [row, column] = [0, 1].map(|who| {
                let index = indices[who] as usize;
                let number = &mut self.known[who][index * widths[who] + usize::from(last[who])];
                if *number == u32::MAX {
                    let [a, b, c] = self.prefixes[who][index];
                    let numbers = if who == 0 { &mut self.sum.rows } else { &mut self.sum.columns };
                    *number = numbers.of([a, b, c, last[who]]);
                }
                *number
            });
            self.counter.add(hand, row, column);
        }
        self.sum.board(&self.counter.count(), [times; 2]);
    }
}
