//! Pictures as SVG: files of their own, made without fonts or other files, readable on light and
//! dark ground, and parts of a page.

mod letters;
pub mod tree;

use std::fmt::{self, Write};

pub use letters::Letters;

/// The fonts of all pictures: their letters are as wide as [`Letters`] says, or narrower.
const FONTS: &str = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// A colour that follows light and dark ground. The first three are the web page's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// What everything stands on.
    Ground,
    /// Texts and axes.
    Ink,
    /// Texts that come second.
    Soft,
    /// Edges and lines between things.
    Line,
    /// Boxes on the ground.
    Field,
    /// Boxes that differ from others.
    Shade,
    /// Amounts.
    Felt,
    /// What is to be seen on amounts.
    Mark,
}

impl Colour {
    /// Its code on light and on dark ground.
    pub const fn codes(self) -> [&'static str; 2] {
        match self {
            Colour::Ground => ["#ffffff", "#1b2220"],
            Colour::Ink => ["#1d2321", "#e6ebe8"],
            Colour::Soft => ["#5b6661", "#9aa8a1"],
            Colour::Line => ["#b9bfb8", "#56635d"],
            Colour::Field => ["#f2f4ef", "#242d2a"],
            Colour::Shade => ["#e3e7df", "#303b37"],
            Colour::Felt => ["#2a8f5b", "#3fb27a"],
            Colour::Mark => ["#c2571a", "#f0904d"],
        }
    }
}

/// What a picture begins with.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// Its class, from which the ids of its texts are made: one word.
    pub name: &'a str,
    /// Width and height, in its own unit.
    pub size: [f64; 2],
    /// How large it is shown; as wide as there is room without.
    pub shown: Option<[&'a str; 2]>,
    /// What it shows, for those who cannot see it.
    pub title: &'a str,
    /// The same at length; may be empty.
    pub description: &'a str,
    /// The size of letters where nothing else is said.
    pub letters: f64,
    /// Selectors with the colour of their `fill` or `stroke`.
    pub colours: &'a [(&'a str, &'a str, Colour)],
    /// More rules.
    pub style: &'a str,
}

/// A picture that is being drawn.
#[derive(Debug, Clone)]
pub struct Picture(String);

impl Picture {
    /// Begins a picture.
    pub fn new(head: &Head<'_>) -> Picture {
        let Head { name, size: [width, height], letters, style, .. } = *head;
        let shown = head.shown.map_or_else(String::new, |[width, height]| {
            format!(" width=\"{width}\" height=\"{height}\"")
        });
        let (text, description) = match head.description {
            "" => (String::new(), String::new()),
            said => (
                format!(" {name}-text"),
                format!("<desc id=\"{name}-text\">{}</desc>\n", escaped(said)),
            ),
        };
        let colours = |at: usize| -> String {
            let base = [("", "color", Colour::Ink), ("", "background", Colour::Ground)];
            let all = base.iter().chain(head.colours);
            let rule = |&(selector, property, colour): &(&str, &str, Colour)| {
                format!(".{name}{selector}{{{property}:{}}}", colour.codes()[at])
            };
            all.map(rule).collect()
        };
        Picture(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{name}\" viewBox=\"0 0 {width:.0} {height:.0}\"{shown} \
             role=\"img\" aria-labelledby=\"{name}-title{text}\" font-family=\"{FONTS}\" font-size=\"{letters}\" \
             fill=\"currentColor\">\n<title id=\"{name}-title\">{}</title>\n{description}\
             <style>.{name}{{color-scheme:light dark}}{}{style}\
             @media screen and (prefers-color-scheme:dark){{{}}}</style>\n",
            escaped(head.title),
            colours(0),
            colours(1),
        ))
    }

    /// Draws something, on a line of its own.
    pub fn add(&mut self, part: fmt::Arguments<'_>) {
        writeln!(self.0, "{part}").expect("a string takes all");
    }

    /// Writes a text at this place, with these attributes.
    pub fn text(&mut self, [x, y]: [f64; 2], attributes: &str, text: &str) {
        let blank = if attributes.is_empty() { "" } else { " " };
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{blank}{attributes}>{}</text>",
            escaped(text)
        ));
    }

    /// The file.
    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// A text as it stands in SVG and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
