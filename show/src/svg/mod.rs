//! SVG images, as files or parts of a page, made without fonts or other files, and readable on
//! light and dark backgrounds.

pub mod chart;
mod letters;
pub mod tree;

use std::fmt::{self, Write};

pub use letters::Letters;

/// The fonts of all images: their letters are at most as wide as [`Letters`] says.
const FONTS: &str = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// A colour with variants for light and dark backgrounds. The first three are the web page's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// Bars, lines and other amounts.
    #[default]
    Felt,
    /// Marks on amounts.
    Mark,
    /// The first of four more, for what is compared.
    Grey,
    /// The second.
    Blue,
    /// The third.
    Red,
    /// The fourth.
    Gold,
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
            Colour::Grey => ["#8a939d", "#8a939d"],
            Colour::Blue => ["#4f7fd1", "#7aa2e8"],
            Colour::Red => ["#d0603c", "#e8805c"],
            Colour::Gold => ["#b5893a", "#d3a95a"],
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
    /// Starts an image with its own colours.
    pub fn new(head: &Head<'_>) -> Picture {
        let Head { name, style, .. } = *head;
        let colours = |at: usize| -> String {
            let base = [("", "color", Colour::Ink), ("", "background", Colour::Ground)];
            let all = base.iter().chain(head.colours);
            let rule = |&(selector, property, colour): &(&str, &str, Colour)| {
                format!(".{name}{selector}{{{property}:{}}}", colour.codes()[at])
            };
            all.map(rule).collect()
        };
        let mut picture = Picture::element(head, "");
        picture.add(format_args!(
            "<style>.{name}{{color-scheme:light dark}}{}{style}\
             @media screen and (prefers-color-scheme:dark){{{}}}</style>",
            colours(0),
            colours(1),
        ));
        picture
    }

    /// Starts an image that takes its colours from the style sheet of the page it is part of, with
    /// these classes, each with a blank after it, before its own.
    fn element(head: &Head<'_>, classes: &str) -> Picture {
        let Head { name, size: [width, height], letters, .. } = *head;
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
        Picture(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{classes}{name}\" viewBox=\"0 0 {width:.0} {height:.0}\"{shown} \
             role=\"img\" aria-labelledby=\"{name}-title{text}\" font-family=\"{FONTS}\" font-size=\"{letters}\" \
             fill=\"currentColor\">\n<title id=\"{name}-title\">{}</title>\n{description}",
            escaped(head.title),
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
