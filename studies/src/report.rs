//! A report: sections of paragraphs, lists, commands, tables and pictures, in the order of the
//! template. The terminal shows the tables, the Markdown document `page.md` is the page under
//! `docs/studies/`, and `report.html` is a page that needs no script and asks nobody.

use std::collections::BTreeMap;

use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;
use show::markdown::{Table, html};
use show::svg::{Colour, FONTS, escaped, palette};

use crate::record::Record;

/// A section of a report.
#[derive(Default, Serialize)]
pub(crate) struct Section {
    /// The heading; empty for what stands before the first one.
    pub(crate) title: String,
    /// Where it is shown and how.
    #[serde(skip)]
    mark: Mark,
    pub(crate) blocks: Vec<Block>,
}

/// What `{.NAME}` after a heading says.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    Plain,
    /// The tables have a sentence in each row: on a terminal a line of its own.
    Sentences,
    /// Left out on a terminal.
    Prose,
    /// Only on `report.html`.
    Page,
}

/// A part of a section.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Block {
    /// A paragraph.
    Text(String),
    /// Lines that stay as they are.
    Code(String),
    List(Vec<String>),
    Table(Table),
    Picture(Picture),
}

/// A picture with its caption.
#[derive(Serialize)]
pub(crate) struct Picture {
    /// The name of its file.
    file: String,
    shows: String,
}

impl Section {
    /// Reads the sections of a report: `## Title`, then blocks with blank lines between them.
    /// `{.sentences}`, `{.prose}` or `{.page}` after a title is a [`Mark`].
    pub(crate) fn parse(text: &str) -> Vec<Section> {
        let mut sections = vec![Section::default()];
        for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
            if let Some(title) = block.strip_prefix("## ") {
                let (title, mark) = title.split_once(" {.").unwrap_or((title, ""));
                let mark = match mark {
                    "sentences}" => Mark::Sentences,
                    "prose}" => Mark::Prose,
                    "page}" => Mark::Page,
                    _ => Mark::Plain,
                };
                sections.push(Section { title: title.to_owned(), mark, ..Section::default() });
                continue;
            }
            let Some(Section { blocks, .. }) = sections.last_mut() else { continue };
            if block.starts_with('|') {
                blocks.push(Block::Table(Table::parse(block)));
            } else if let Some(items) = block.strip_prefix("- ") {
                let items = items.split("\n- ").map(joined);
                match blocks.last_mut() {
                    Some(Block::List(list)) => list.extend(items),
                    _ => blocks.push(Block::List(items.collect())),
                }
            } else if block.starts_with("![") {
                blocks.extend(block.lines().filter_map(Picture::parse).map(Block::Picture));
            } else if block.starts_with("```") {
                blocks.push(Block::Code(block.to_owned()));
            } else {
                blocks.push(Block::Text(joined(block)));
            }
        }
        sections
    }

    /// Whether it is only on `report.html`.
    pub(crate) fn is_extra(&self) -> bool {
        self.mark == Mark::Page
    }

    /// Says that its figures are those of a trial.
    pub(crate) fn mark_trial(&mut self) {
        let of_table = self.blocks.iter().any(|block| matches!(block, Block::Table(_)));
        if of_table && !self.title.is_empty() {
            self.title += " (trial)";
        }
    }

    /// The names of the pictures' files.
    pub(crate) fn pictures(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Picture(picture) => Some(picture.file.as_str()),
            _ => None,
        })
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        })
    }
}

/// The lines of a text as one.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Picture {
    /// A picture, as in `![caption](file.svg)`.
    fn parse(line: &str) -> Option<Picture> {
        let (shows, file) = line.trim().strip_prefix("![")?.strip_suffix(')')?.rsplit_once("](")?;
        Some(Picture { file: file.to_owned(), shows: shows.to_owned() })
    }
}

/// The sections for a terminal: titles and tables.
pub(crate) fn text(sections: &[Section]) -> String {
    let shown = sections.iter().filter(|section| {
        matches!(section.mark, Mark::Plain | Mark::Sentences) && section.tables().next().is_some()
    });
    let parts = shown.map(|section| {
        let tables = section.tables().map(|table| match section.mark {
            Mark::Sentences => sentences(table),
            _ => table.text(),
        });
        format!("{}\n\n{}", section.title, tables.collect::<Vec<_>>().join("\n"))
    });
    parts.collect::<Vec<_>>().join("\n")
}

/// One line for each row, without the head: the verdict, then the claim and the result.
fn sentences(table: &Table) -> String {
    let lines = table.rows.iter().skip(1).map(|row| match row.as_slice() {
        [claim, verdict, found] => format!("{verdict:<14} {claim}: {found}\n"),
        row => format!("{}\n", row.join("  ")),
    });
    lines.collect()
}

/// The sections as Markdown below a heading. Names of pictures begin with `prefix`.
pub(crate) fn markdown(heading: &str, sections: &[Section], prefix: &str) -> String {
    let mut parts = vec![format!("# {heading}")];
    for section in sections.iter().filter(|section| !section.is_extra()) {
        if !section.title.is_empty() {
            parts.push(format!("## {}", section.title));
        }
        parts.extend(section.blocks.iter().map(|block| match block {
            Block::Text(text) | Block::Code(text) => text.clone(),
            Block::List(items) => format!("- {}", items.join("\n- ")),
            Block::Table(table) => table.markdown(),
            Block::Picture(picture) => format!("![{}]({prefix}{})", picture.shows, picture.file),
        }));
    }
    parts.join("\n\n") + "\n"
}

/// What `report.html` says outside the sections.
pub(crate) struct Frame<'a> {
    pub(crate) heading: &'a str,
    /// The sources and the size of the study.
    pub(crate) made: String,
    /// A text before the list of commands; may be empty.
    pub(crate) commands: String,
}

/// The page's template.
const PAGE: &str = include_str!("../templates/report.html.j2");

/// Renders the page, with the pictures by the names of their files.
pub(crate) fn page(
    frame: &Frame<'_>,
    record: &Record,
    sections: &[Section],
    pictures: &BTreeMap<String, String>,
) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_trim_blocks(true);
    environment.add_filter("escaped", |text: String| escaped(&text).to_string());
    environment.add_filter("html", |text: String| html(&text));
    environment.add_filter("lines", |code: String| {
        let lines = code.lines().filter(|line| !line.starts_with("```"));
        escaped(&lines.collect::<Vec<_>>().join("\n"))
    });
    let palette = palette(&[
        ("ground", Colour::Ground),
        ("ink", Colour::Ink),
        ("soft", Colour::Soft),
        ("line", Colour::Line),
        ("field", Colour::Field),
    ]);
    let steps = record.done.iter().map(|done| (done.command.as_str(), done.seconds));
    let page = context! {
        palette,
        fonts => FONTS,
        heading => frame.heading,
        made => frame.made,
        program => record.program,
        seconds => show::number::minutes(record.seconds("")),
        sections => Value::from_serialize(sections),
        pictures,
        commands => frame.commands,
        steps => steps.map(|(command, seconds)| (command, format!("{seconds:8.1}")))
            .collect::<Vec<_>>(),
    };
    environment.render_str(PAGE, page)
}
