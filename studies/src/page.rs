//! A study as one page: `report.html`, without script or request to anywhere.

use askama::Template;
use show::svg::{Colour, FONTS, escaped, palette};

use crate::ReadError;
use crate::record::Record;
use crate::sections::Section;

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

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    palette: String,
    fonts: &'a str,
    title: &'a str,
    about: &'a str,
    made: &'a str,
    program: &'a str,
    seconds: String,
    sections: Vec<RenderedSection<'a>>,
    commands: String,
    steps: Vec<(&'a str, String)>,
}

/// A section with its texts as HTML.
struct RenderedSection<'a> {
    section: &'a Section,
    head: &'a [String],
    rows: &'a [Vec<String>],
    prose: Vec<String>,
    list: Vec<String>,
}

/// Renders the page.
pub(crate) fn page(
    frame: &Frame<'_>,
    record: &Record,
    sections: &[Section],
) -> Result<String, ReadError> {
    let html = |texts: &[String]| texts.iter().map(|text| html(text)).collect();
    let page = Page {
        palette: palette(&[
            ("ground", Colour::Ground),
            ("ink", Colour::Ink),
            ("soft", Colour::Soft),
            ("line", Colour::PageLine),
            ("blue", Colour::Blue),
        ]),
        fonts: FONTS,
        title: frame.title,
        about: frame.about,
        made: &frame.made,
        program: &record.program,
        seconds: show::number::minutes(record.seconds("")),
        sections: sections
            .iter()
            .map(|section| {
                let (head, rows) = match section.table.as_slice() {
                    [head, rows @ ..] => (head.as_slice(), rows),
                    [] => Default::default(),
                };
                let (prose, list) = (html(&section.prose), html(&section.list));
                RenderedSection { section, head, rows, prose, list }
            })
            .collect(),
        commands: self::html(&frame.commands),
        steps: record
            .done
            .iter()
            .map(|done| (done.command.as_str(), format!("{:.1}", done.seconds)))
            .collect(),
    };
    Ok(page.render()?)
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
