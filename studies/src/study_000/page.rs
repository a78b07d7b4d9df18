//! The study as one page: `report.html`, without script or request to anywhere.

use askama::Template;

use super::sections::Section;
use crate::record::Record;
use crate::{Options, ReadError};

#[derive(Template)]
#[template(path = "000.html")]
struct Page<'a> {
    made: String,
    program: &'a str,
    seconds: String,
    sections: Vec<Shown<'a>>,
    players: Vec<(&'a str, &'a str)>,
    steps: Vec<(&'a str, String)>,
}

/// A section whose texts are HTML.
struct Shown<'a> {
    section: &'a Section,
    head: &'a [String],
    rows: &'a [Vec<String>],
    prose: Vec<String>,
    list: Vec<String>,
}

/// Makes the page.
pub(super) fn page(
    options: &Options,
    record: &Record,
    players: &[super::files::Player],
    sections: &[Section],
) -> Result<String, ReadError> {
    let made = match (&options.teacher, options.shipped) {
        (Some(path), _) => format!("The teacher is {}.", path.display()),
        (None, true) => "The models are those inside the program.".to_owned(),
        (None, false) => "Everything was made from nothing.".to_owned(),
    };
    let html = |texts: &[String]| texts.iter().map(|text| html(text)).collect();
    let page = Page {
        made: format!("{made} The scale is {}.", options.scale),
        program: &record.program,
        seconds: duration(record.seconds("")),
        sections: sections
            .iter()
            .map(|section| {
                let (head, rows) = match section.table.as_slice() {
                    [head, rows @ ..] => (head.as_slice(), rows),
                    [] => Default::default(),
                };
                let (prose, list) = (html(&section.prose), html(&section.list));
                Shown { section, head, rows, prose, list }
            })
            .collect(),
        players: players
            .iter()
            .map(|player| (player.name.as_str(), player.agent.as_str()))
            .collect(),
        steps: record
            .done
            .iter()
            .map(|done| (done.command.as_str(), format!("{:.1}", done.seconds)))
            .collect(),
    };
    Ok(page.render()?)
}

/// A text with its commands, which stand between backticks, as HTML.
fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut html = String::new();
    for (number, part) in escaped.split('`').enumerate() {
        match number % 2 {
            0 => html += part,
            _ => html += &format!("<code>{part}</code>"),
        }
    }
    html
}

/// Minutes, or seconds where it was less than two.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} minutes", seconds / 60.0)
    }
}
