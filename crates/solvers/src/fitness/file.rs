//! The file format of counts, so that they need not be counted again.
//!
//! Layout, see [`crate::snapshot`]: the texts are the street, SHA-256 of the opponent's buckets and
//! the name of the classes; then the number of rows and of columns (8 bytes each), their paths
//! (four numbers of 2 bytes each), and the cells row by row (two numbers of 8 bytes each).

use std::io::{self, Read, Write};

use super::counts::{ClassCounts, CountError, Counting};
use crate::response::in_buckets::DEALS;
use crate::snapshot::{Kind, Reader, Writer};

const KIND: Kind = Kind { name: "class-counts", version: 1 };

/// Maximum number of rows or columns in a file, far above that of any street and buckets.
const MAX_COUNT: u64 = 1 << 20;

impl Counting<'_> {
    /// The texts that a file must share with the wanted counts.
    fn names(&self) -> [(&'static str, String); 3] {
        [
            ("street", self.street.to_string()),
            ("buckets", self.buckets.hash().to_owned()),
            ("classes of hands", self.classes.name()),
        ]
    }

    /// Writes counts. The same counts give the same bytes.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, counts: &ClassCounts, to: impl Write) -> io::Result<()> {
        let mut to = Writer::begin(to, KIND, &self.names())?;
        to.numbers(&[counts.rows.len() as u64, counts.columns.len() as u64])?;
        for path in counts.rows.iter().chain(&counts.columns) {
            to.numbers(path)?;
        }
        let cells: Vec<u64> = counts.cells.iter().flatten().map(|&count| count as u64).collect();
        to.numbers(&cells)?;
        to.end()
    }

    /// Reads counts.
    ///
    /// # Errors
    /// When the bytes are not counts, are truncated or damaged, belong to another street, other
    /// buckets or other classes, or do not cover all deals: the message says which.
    pub fn read(&self, from: impl Read) -> Result<ClassCounts, CountError> {
        let mut from = Reader::begin(from, KIND)?;
        from.names(&self.names())?;
        let [rows, columns] = [from.number::<u64>()?, from.number::<u64>()?];
        if rows > MAX_COUNT || columns > MAX_COUNT || rows * columns > MAX_COUNT * 64 {
            return Err(crate::SnapshotError::Damaged.into());
        }
        from.left(8 * (rows + columns) + 16 * rows * columns);
        let mut paths = vec![[0u16; 4]; (rows + columns) as usize];
        from.numbers(paths.as_flattened_mut(), |slot, number| *slot = number)?;
        let mut cells = vec![[0i64; 2]; (rows * columns) as usize];
        from.numbers(cells.as_flattened_mut(), |slot, number: u64| *slot = number as i64)?;
        from.end()?;
        let columns = paths.split_off(rows as usize);
        let counts = ClassCounts { rows: paths, columns, cells };
        match counts.deals() {
            found if found as u64 == DEALS => Ok(counts),
            found => Err(CountError::Deals { found }),
        }
    }
}
