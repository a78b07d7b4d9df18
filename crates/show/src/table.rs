//! Text tables.

use std::fmt;
use std::ops::RangeBounds;

use comfy_table::{CellAlignment, presets};

/// A text table without lines, with aligned columns.
#[derive(Debug, Clone)]
pub struct Table(comfy_table::Table);

impl Table {
    /// A table with these column headers.
    pub fn new<T: Into<String>>(header: impl IntoIterator<Item = T>) -> Table {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(header.into_iter().map(Into::<String>::into));
        Table(table)
    }

    /// A table of these rows, without a header.
    pub fn from_rows<T: Into<String>>(
        rows: impl IntoIterator<Item = impl IntoIterator<Item = T>>,
    ) -> Table {
        let mut table = Table(comfy_table::Table::new());
        table.0.load_style(presets::NOTHING);
        rows.into_iter().for_each(|row| table.row(row));
        table
    }

    /// Right-aligns these columns, for numbers.
    #[must_use]
    pub fn right(mut self, columns: impl RangeBounds<usize>) -> Table {
        for (number, column) in self.0.column_iter_mut().enumerate() {
            if columns.contains(&number) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self
    }

    /// Starts the first column at the left margin, with two blanks after each column.
    #[must_use]
    pub fn at_the_margin(mut self) -> Table {
        for column in self.0.column_iter_mut() {
            column.set_padding((0, 2));
        }
        self
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.0.add_row(cells.into_iter().map(Into::<String>::into));
    }
}

/// The table's lines, without trailing blanks or a final line break.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.trim_fmt())
    }
}
