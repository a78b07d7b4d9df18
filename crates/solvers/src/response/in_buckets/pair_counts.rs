//! Integer counts of how often each two bucket paths meet, and which of them wins.

use std::collections::HashMap;

use cards::Board;

use super::count::BoardCounts;
use super::{ExactError, MAX_PATHS};

/// A path: the bucket of a hand on each street.
pub type Path = [u16; 4];

/// Counts of the deals in which two paths meet, for the first path. Its losses are the wins of the
/// reversed pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cell {
    /// Number of deals in which the first has the better hand.
    pub wins: u64,
    /// Number of deals in which the hands are equal.
    pub ties: u64,
}

/// Counts of deals by both players' paths.
#[derive(Debug, Clone, Default)]
pub struct PairCounts {
    paths: Vec<Path>,
    numbers: HashMap<Path, u32>,
    /// A row of `side` cells for each path, of which the first are in use, one for each other path.
    cells: Vec<Cell>,
    side: usize,
}

impl PairCounts {
    /// The paths found, in no particular order.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The cell of two paths, by their indices in [`paths`](PairCounts::paths).
    ///
    /// # Panics
    /// When there are no such paths.
    pub fn cell(&self, path: usize, other: usize) -> Cell {
        assert!(path < self.paths.len() && other < self.paths.len(), "there is no such path");
        self.cells[path * self.side + other]
    }

    /// Total number of deals counted. Over all flops, weighted by the size of their class, it is
    /// [`DEALS`](super::DEALS).
    pub fn deals(&self) -> u64 {
        self.cells.iter().map(|cell| 2 * cell.wins + cell.ties).sum()
    }

    /// Adds other counts, each multiplied by `times`. `board` is where they were counted.
    ///
    /// # Errors
    /// When there are too many paths in total.
    pub fn add(&mut self, other: &PairCounts, times: u64, board: &Board) -> Result<(), ExactError> {
        let numbers: Vec<u32> = other.paths.iter().map(|&path| self.number(path)).collect();
        self.check(board)?;
        self.grow();
        for (row, &to) in other.cells.chunks(other.side.max(1)).zip(&numbers) {
            for (cell, &of) in row.iter().zip(&numbers) {
                let sum = &mut self.cells[to as usize * self.side + of as usize];
                sum.wins += times * cell.wins;
                sum.ties += times * cell.ties;
            }
        }
        Ok(())
    }

    /// Adds the counts of a river board, multiplied by `times`.
    pub(super) fn add_board(&mut self, counted: &BoardCounts<'_>, times: u64) {
        self.grow();
        for (row, &path) in counted.paths.iter().enumerate() {
            let cells = &mut self.cells[path as usize * self.side..][..self.side];
            for (column, &other) in counted.paths.iter().enumerate() {
                let Cell { wins, ties } = counted.cell(row, column);
                let cell = &mut cells[other as usize];
                cell.wins += times * wins;
                cell.ties += times * ties;
            }
        }
    }

    /// The number of a path, assigned on first use.
    pub(super) fn number(&mut self, path: Path) -> u32 {
        let paths = &mut self.paths;
        *self.numbers.entry(path).or_insert_with(|| {
            paths.push(path);
            paths.len() as u32 - 1
        })
    }

    /// Checks that there are not too many paths.
    pub(super) fn check(&self, board: &Board) -> Result<(), ExactError> {
        let found = self.paths.len();
        if found > MAX_PATHS {
            return Err(ExactError::Paths { found, board: *board });
        }
        Ok(())
    }

    /// Enlarges the table for all paths.
    fn grow(&mut self) {
        let before = self.side;
        if self.paths.len() <= before {
            return;
        }
        self.side = self.paths.len().next_power_of_two().min(MAX_PATHS);
        let mut cells = vec![Cell::default(); self.side * self.side];
        if before > 0 {
            for (new, old) in cells.chunks_mut(self.side).zip(self.cells.chunks(before)) {
                new[..before].copy_from_slice(old);
            }
        }
        self.cells = cells;
    }
}
