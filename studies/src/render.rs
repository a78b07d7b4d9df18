//! Rendering a report's sections for a terminal and as Markdown.

use crate::sections::Section;

/// The sections for a terminal: titles and tables.
pub(crate) fn text(sections: &[Section]) -> String {
    let shown = sections.iter().filter(|section| !section.table.is_empty() && !section.long);
    let parts = shown.map(|section| {
        let table = match section.wide {
            true => sentences(&section.table),
            false => aligned(&section.table),
        };
        format!("{}\n\n{table}", section.title)
    });
    parts.collect::<Vec<_>>().join("\n")
}

/// One line for each row of a table of sentences, without the head: the mark, then the claim and
/// the result.
fn sentences(table: &[Vec<String>]) -> String {
    let lines = table.iter().skip(1).map(|row| match row.as_slice() {
        [claim, mark, found] => format!("{mark:<14} {claim}: {found}\n"),
        row => format!("{}\n", row.join("  ")),
    });
    lines.collect()
}

/// A table with aligned columns: the first to the left, the last to the left if it has words, the
/// others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let wide = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let wide: Vec<usize> = (0..columns).map(wide).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &wide)) in row.iter().zip(&wide).enumerate() {
            let words = cell.chars().next().is_some_and(char::is_alphabetic);
            match column {
                0 => line += &format!("{cell:<wide$}"),
                last if last + 1 == columns && words => line += &format!("  {cell}"),
                _ => line += &format!("  {cell:>wide$}"),
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// The sections as Markdown, for the pages under `docs/studies/`.
pub(crate) fn markdown(sections: &[Section]) -> String {
    let mut parts = Vec::new();
    for section in sections {
        parts.push(format!("## {}", section.title));
        parts.extend(section.prose.iter().cloned());
        if let [head, rows @ ..] = section.table.as_slice() {
            let line = |row: &Vec<String>| {
                let cells = row.iter().map(|cell| cell.replace('|', "\\|"));
                format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
            };
            let rule = format!("|{}", "---|".repeat(head.len()));
            let lines = [line(head), rule].into_iter().chain(rows.iter().map(line));
            parts.push(lines.collect::<Vec<_>>().join("\n"));
        }
        if !section.list.is_empty() {
            let list = section.list.iter().map(|item| format!("- {item}"));
            parts.push(list.collect::<Vec<_>>().join("\n"));
        }
        for picture in &section.pictures {
            parts.push(format!("![{}]({})", picture.shows, picture.file));
        }
    }
    parts.join("\n\n") + "\n"
}
