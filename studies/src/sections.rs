//! A report in sections: a heading, paragraphs, a table, a list, pictures. The terminal, the
//! Markdown document and the page show the same ones.

/// A section.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    /// Paragraphs.
    pub(crate) prose: Vec<String>,
    /// Rows of equal length, the heads first; empty without a table.
    pub(crate) table: Vec<Vec<String>>,
    /// Whether the table is of sentences.
    pub(crate) wide: bool,
    pub(crate) list: Vec<String>,
    /// Whether a terminal is spared it.
    pub(crate) long: bool,
    pub(crate) pictures: Vec<Picture>,
}

/// A picture, and what it shows.
pub(crate) struct Picture {
    /// Its file in the study's folder.
    pub(crate) file: String,
    pub(crate) shows: String,
    pub(crate) svg: String,
}

/// A row of a table.
pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
