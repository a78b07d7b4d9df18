//! SVG images, as files or parts of a page, made without fonts or other files, and readable on
//! light and dark backgrounds.

mod letters;
pub mod tree;

use std::fmt::{self, Write};

pub use letters::Letters;

/// The fonts of all images: their letters are at most as wide as [`Letters`] says.
const FONTS: &str = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// A colour with variants for light and dark backgrounds. The first three are the web page's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// The background.
    Ground,
    /// Texts and axes.
    Ink,
    /// Secondary texts.
    Soft,
    /// Borders and separators.
    Line,
    /// Boxes on the background.
    Field,
    /// Boxes set off from others.
    Shade,
    /// Bars and other amounts.
    Felt,
    /// Marks on amounts.
    Mark,
}

impl Colour {
    /// The colour codes on light and on dark backgrounds.
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

/// The head of an image: size, texts and styles.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// The image's class, from which the ids of its texts are made: one word.
    pub name: &'a str,
    /// Width and height, in the image's own unit.
    pub size: [f64; 2],
    /// Displayed width and height; without them the full available width.
    pub shown: Option<[&'a str; 2]>,
    /// The accessible title.
    pub title: &'a str,
    /// The accessible description; may be empty.
    pub description: &'a str,
    /// The default font size.
    pub letters: f64,
    /// Selectors with the colour of their `fill` or `stroke`.
    pub colours: &'a [(&'a str, &'a str, Colour)],
    /// Additional CSS rules.
    pub style: &'a str,
}

/// An SVG image under construction.
#[derive(Debug, Clone)]
pub struct Picture(String);

impl Picture {
    /// Starts an image.
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

    /// Adds an element, on a line of its own.
    pub fn add(&mut self, part: fmt::Arguments<'_>) {
        writeln!(self.0, "{part}").expect("a string takes all");
    }

    /// Adds a text at this position, with these attributes.
    pub fn text(&mut self, [x, y]: [f64; 2], attributes: &str, text: &str) {
        let blank = if attributes.is_empty() { "" } else { " " };
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{blank}{attributes}>{}</text>",
            escaped(text)
        ));
    }

    /// The finished file.
    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// A text escaped for SVG and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
