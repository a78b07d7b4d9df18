//! The sections of a report: a heading, paragraphs, a table, a list, pictures. The terminal, the
//! Markdown document and the page show the same sections.

/// A section of a report.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) prose: Vec<String>,
    /// Rows of equal length, the head first; empty if there is no table.
    pub(crate) table: Vec<Vec<String>>,
    /// Whether the table's cells are sentences.
    pub(crate) wide: bool,
    pub(crate) list: Vec<String>,
    /// Whether it is left out on a terminal.
    pub(crate) long: bool,
    pub(crate) pictures: Vec<Picture>,
}

/// A picture with its caption.
pub(crate) struct Picture {
    /// The name of its file in the study's folder.
    pub(crate) file: String,
    pub(crate) shows: String,
    pub(crate) svg: String,
}

/// A row of a table.
pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
