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

impl Section {
    /// Reads the sections of a report: `## Title`, then paragraphs, a table, a list and pictures
    /// with blank lines between them. `{.sentences}` after a title says that the table's cells are
    /// sentences, `{.page}` that the section is left out on a terminal.
    pub(crate) fn parse(text: &str) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
            if let Some(title) = block.strip_prefix("## ") {
                let (title, mark) = title.split_once(" {.").unwrap_or((title, ""));
                sections.push(Section {
                    title: title.to_owned(),
                    wide: mark == "sentences}",
                    long: mark == "page}",
                    ..Section::default()
                });
                continue;
            }
            let Some(section) = sections.last_mut() else { continue };
            if block.starts_with('|') {
                let rows = block.lines().map(cells);
                section.table = rows.filter(|row| row.iter().any(|cell| cell != "---")).collect();
            } else if block.starts_with("- ") {
                let items = block[2..].split("\n- ");
                section.list.extend(items.map(joined));
            } else if block.starts_with("![") {
                section.pictures.extend(block.lines().filter_map(picture));
            } else {
                section.prose.push(joined(block));
            }
        }
        sections
    }
}

/// The lines of a text as one.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The cells of a line of a table, in which `\|` is a bar.
fn cells(line: &str) -> Vec<String> {
    let line = line.replace("\\|", "\0");
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// A picture, as in `![caption](file.svg)`, without its drawing.
fn picture(line: &str) -> Option<Picture> {
    let (shows, file) = line.trim().strip_prefix("![")?.strip_suffix(')')?.rsplit_once("](")?;
    Some(Picture { file: file.to_owned(), shows: shows.to_owned(), svg: String::new() })
}
