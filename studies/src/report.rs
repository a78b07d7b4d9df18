//! A report: sections with a heading, paragraphs, a table, a list and pictures. The terminal, the
//! Markdown document and the page `report.html` show the same sections; the page needs no script
//! and asks nobody.

use minijinja::{Environment, UndefinedBehavior, Value, context};
use show::svg::{Colour, FONTS, escaped, palette};

use crate::record::Record;

/// A section of a report.
#[derive(Default, serde::Serialize)]
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
#[derive(serde::Serialize)]
pub(crate) struct Picture {
    /// The name of its file in the study's folder.
    pub(crate) file: String,
    pub(crate) shows: String,
    pub(crate) svg: String,
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
            } else if let Some(items) = block.strip_prefix("- ") {
                section.list.extend(items.split("\n- ").map(joined));
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

/// The texts of a report outside its sections.
pub(crate) struct Frame<'a> {
    /// The page's title.
    pub(crate) title: &'a str,
    /// The published claims and the reproduced ones.
    pub(crate) about: &'a str,
    /// The sources and the size of the study.
    pub(crate) made: String,
    /// A text before the list of commands; may be empty.
    pub(crate) commands: String,
}

/// The page's template.
const PAGE: &str = include_str!("../templates/report.html.j2");

/// Renders the page.
pub(crate) fn page(
    frame: &Frame<'_>,
    record: &Record,
    sections: &[Section],
) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("escaped", |text: String| escaped(&text).to_string());
    environment.add_filter("html", |text: String| html(&text));
    let palette = palette(&[
        ("ground", Colour::Ground),
        ("ink", Colour::Ink),
        ("soft", Colour::Soft),
        ("line", Colour::PageLine),
        ("blue", Colour::Blue),
    ]);
    let steps = record.done.iter().map(|done| (done.command.as_str(), done.seconds));
    let page = context! {
        palette,
        fonts => FONTS,
        title => frame.title,
        about => frame.about,
        made => frame.made,
        program => record.program,
        seconds => show::number::minutes(record.seconds("")),
        sections => Value::from_serialize(sections),
        commands => frame.commands,
        steps => steps.map(|(command, seconds)| (command, format!("{seconds:8.1}")))
            .collect::<Vec<_>>(),
    };
    environment.render_str(PAGE, page)
}

/// A text as HTML, with code between backticks.
fn html(text: &str) -> String {
    let mut html = String::new();
    for (number, part) in escaped(text).split('`').enumerate() {
        match number % 2 {
            0 => html += part,
            _ => html += &format!("<code>{part}</code>"),
        }
    }
    html
}
