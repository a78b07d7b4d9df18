//! SVG images, as files or parts of a page, made without fonts or other files, and readable on
//! light and dark backgrounds.

use std::fmt::{self, Write};

pub mod bars;
pub mod chart;
pub mod intervals;
pub mod tree;

/// The fonts of all images and of pages that are files: their letters are at most as wide as
/// [`Letters`] says.
pub const FONTS: &str = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// A colour with variants for light and dark backgrounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    /// The action fold.
    Fold,
    /// The actions check and call.
    Call,
    /// A bet or raise, with its index from the smallest.
    Raise(usize),
    /// The action all-in.
    AllIn,
    /// The background of a page, on which boxes have the colour [`Colour::Ground`].
    PageGround,
    /// Borders and separators of a page.
    PageLine,
    /// Links, bars and lines of a page.
    PageFelt,
    /// The background of labels.
    PageLabel,
    /// Amounts above zero in a text.
    Gain,
    /// Amounts below zero in a text.
    Loss,
    /// Warnings in a text.
    Warning,
    /// Hearts in a text; spades have the colour [`Colour::Ink`].
    Heart,
    /// Diamonds in a text.
    Diamond,
    /// Clubs in a text.
    Club,
    /// The table of the play page.
    Table,
    /// The border of the table.
    TableEdge,
    /// Texts on the table.
    TableInk,
    /// Secondary texts on the table.
    TableSoft,
    /// The face of a card.
    Card,
    /// The border of a card.
    CardLine,
    /// Spades on a card, and the letter of the dealer button.
    CardSpade,
    /// Hearts on a card.
    CardHeart,
    /// Diamonds on a card.
    CardDiamond,
    /// Clubs on a card.
    CardClub,
    /// The back of a card.
    Back,
    /// The border of a card's back.
    BackLine,
    /// Chips, and the border of the seat to act.
    Chip,
    /// The border of a chip.
    ChipEdge,
    /// The middle of a chip.
    ChipMiddle,
    /// The background of buttons.
    Button,
    /// The texts of buttons.
    ButtonInk,
    /// The luck of a session in its chart.
    Luck,
}

impl Colour {
    /// One code for light and dark backgrounds: for actions in pictures, whose labels have a halo.
    pub const fn code_on_both(self) -> &'static str {
        match self {
            Colour::Call => "#4fa870",
            Colour::Raise(0) => "#f2b134",
            Colour::Raise(1) => "#ee8a3a",
            Colour::Raise(2) => "#e4633c",
            Colour::Raise(3) => "#cf4540",
            Colour::Raise(_) => "#b03050",
            Colour::AllIn => "#8e2a6b",
            other => {
                let [light, _] = other.codes();
                light
            }
        }
    }

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
            Colour::Fold => ["#5b8fd1"; 2],
            Colour::Call => ["#419c70", "#4fa870"],
            Colour::Raise(0) => ["#b3840b", "#f2b134"],
            Colour::Raise(1) => ["#a76505", "#ee8a3a"],
            Colour::Raise(2) => ["#a24105", "#e4633c"],
            Colour::Raise(3) => ["#972334", "#cf4540"],
            Colour::Raise(_) => ["#740429", "#cc588e"],
            Colour::AllIn => ["#8e2a6b", "#ec9de8"],
            Colour::PageGround => ["#f5f4ef", "#121715"],
            Colour::PageLine => ["#dcdcd3", "#2e3834"],
            Colour::PageFelt => ["#1c6b4a", "#6fcfa1"],
            Colour::PageLabel => ["#e3efe8", "#203a30"],
            Colour::Gain => ["#17703f", "#6fcf97"],
            Colour::Loss => ["#a8322a", "#f08a80"],
            Colour::Warning => ["#8a5a00", "#e0b060"],
            Colour::Heart => ["#c0272d", "#ff7b7b"],
            Colour::Diamond => ["#1f5fbf", "#7fb2ff"],
            Colour::Club => ["#1f7a3a", "#6fcf7f"],
            Colour::Table => ["#2a7457", "#1d4a39"],
            Colour::TableEdge => ["#1f5c44", "#153729"],
            Colour::TableInk => ["#f2f6f3", "#e9f1ec"],
            Colour::TableSoft => ["#c4dccf", "#a9c5b6"],
            Colour::Card => ["#fffdf8", "#ece9e1"],
            Colour::CardLine => ["#d8d3c4", "#b9b4a6"],
            Colour::CardSpade => ["#20242a"; 2],
            Colour::CardHeart => ["#c4262e"; 2],
            Colour::CardDiamond => ["#1f5fbf"; 2],
            Colour::CardClub => ["#1b7a3c"; 2],
            Colour::Back => ["#34598f", "#2c4a75"],
            Colour::BackLine => ["#e9eef6", "#b8c4d6"],
            Colour::Chip => ["#f0c75e"; 2],
            Colour::ChipEdge => ["#8a6a1c"; 2],
            Colour::ChipMiddle => ["#fff3cf"; 2],
            Colour::Button => ["#1c6b4a", "#2f8a63"],
            Colour::ButtonInk => ["#ffffff"; 2],
            Colour::Luck => ["#b26a00", "#e0b060"],
        }
    }
}

/// The style rules of a page that is a file, which give these CSS variables their colours: those
/// for dark backgrounds on dark screens, and those for light ones otherwise.
pub fn palette(variables: &[(&str, Colour)]) -> String {
    let colours = |at: usize| -> String {
        let rule = |&(name, colour): &(&str, Colour)| format!("--{name}:{};", colour.codes()[at]);
        variables.iter().map(rule).collect()
    };
    format!(
        ":root{{color-scheme:light dark;{}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n",
        colours(0),
        colours(1)
    )
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
        Picture::coloured(head, "")
    }

    /// [`Picture::new`] with these classes, each with a blank after it, before its own.
    fn coloured(head: &Head<'_>, classes: &str) -> Picture {
        let Head { name, style, .. } = *head;
        let colours = |at: usize| -> String {
            let base = [("", "color", Colour::Ink), ("", "background", Colour::Ground)];
            let all = base.iter().chain(head.colours);
            let rule = |&(selector, property, colour): &(&str, &str, Colour)| {
                format!(".{name}{selector}{{{property}:{}}}", colour.codes()[at])
            };
            all.map(rule).collect()
        };
        let mut picture = Picture::element(head, classes);
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
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{classes}{name}\" viewBox=\"0 0 \
             {width:.0} {height:.0}\"{shown} role=\"img\" aria-labelledby=\"{name}-title{text}\" \
             font-family=\"{FONTS}\" font-size=\"{letters}\" fill=\"currentColor\">\n<title \
             id=\"{name}-title\">{}</title>\n{description}",
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

    /// Adds a text of several spans at this position; a span without attributes is plain text.
    pub fn spans(&mut self, [x, y]: [f64; 2], attributes: &str, spans: &[(&str, &str)]) {
        let blank = if attributes.is_empty() { "" } else { " " };
        let span = |&(attributes, text): &(&str, &str)| match attributes {
            "" => escaped(text),
            attributes => format!("<tspan {attributes}>{}</tspan>", escaped(text)),
        };
        let spans: String = spans.iter().map(span).collect();
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\"{blank}{attributes}>{spans}</text>"));
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

const TITLE: Letters = Letters::bold(14.0);
const DESCRIPTION: Letters = Letters::regular(12.0);
/// The distances of lines of the title and of the description.
const LEADING: [f64; 2] = [18.0, 16.0];

/// The heading above an image: title and description, wrapped to its width.
#[derive(Debug, Clone)]
pub struct Heading {
    title: Vec<String>,
    description: Vec<String>,
}

impl Heading {
    /// A heading of at most this width. The description may be empty.
    pub fn new(title: &str, description: &str, width: f64) -> Heading {
        Heading {
            title: TITLE.wrapped(title, width),
            description: DESCRIPTION.wrapped(description, width),
        }
    }

    /// The height of the lines after the first ones of title and description.
    pub fn extra_height(&self) -> f64 {
        let extra = |lines: &[String], leading: f64| leading * lines.len().saturating_sub(1) as f64;
        extra(&self.title, LEADING[0]) + extra(&self.description, LEADING[1])
    }

    /// Draws the heading, with the base line of its first line at this position.
    pub fn draw(&self, picture: &mut Picture, [x, mut y]: [f64; 2]) {
        for line in &self.title {
            picture.text([x, y], "font-size=\"14\" font-weight=\"bold\"", line);
            y += LEADING[0];
        }
        for line in &self.description {
            picture.text([x, y], "font-size=\"12\" opacity=\"0.8\"", line);
            y += LEADING[1];
        }
    }
}

/// Widths of the characters from the blank to `~`, in thousandths of the font size.
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557, 1016, 685, 687, 723, 771, 667,
    611, 778, 752, 295, 500, 667, 558, 863, 749, 788, 667, 788, 723, 667, 611, 732, 685, 989, 686,
    667, 686, 391, 337, 391, 838, 557, 500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];
const BOLD: [u16; 95] = [
    349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366, 696, 696, 696,
    696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611, 1000, 774, 763, 734, 831, 684,
    684, 821, 837, 373, 557, 775, 638, 996, 837, 851, 733, 851, 771, 721, 683, 813, 774, 1104, 771,
    725, 726, 458, 366, 458, 838, 557, 500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666,
    343, 1042, 712, 688, 716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];

/// A font, for layout without font files: it knows upper bounds of text widths in the fonts that
/// stand for `sans-serif`.
///
/// Widths are the larger ones of Liberation Sans (those of Arial and Helvetica) and DejaVu Sans, so
/// a text that fits by them fits in either; other letters count as a whole em.
#[derive(Debug, Clone, Copy)]
pub struct Letters {
    /// The size in the image's unit.
    size: f64,
    bold: bool,
}

impl Letters {
    /// The regular font of this size.
    pub const fn regular(size: f64) -> Letters {
        Letters { size, bold: false }
    }

    /// The bold font of this size.
    pub const fn bold(size: f64) -> Letters {
        Letters { size, bold: true }
    }

    /// The maximum width of a text.
    pub fn wide(self, text: &str) -> f64 {
        let widths = if self.bold { &BOLD } else { &REGULAR };
        let letter = |letter: char| match letter {
            ' '..='~' => widths[letter as usize - ' ' as usize],
            '·' | '’' => 380,
            '–' => 560,
            '−' | '×' | '±' => 840,
            _ => 1000,
        };
        let sum: u32 = text.chars().map(|one| u32::from(letter(one))).sum();
        f64::from(sum) / 1000.0 * self.size
    }

    /// A text in lines of at most this width, broken between words; longer words are broken too.
    pub fn wrapped(self, text: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            match lines.last_mut() {
                Some(line) if self.wide(&format!("{line} {word}")) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(String::new()),
            }
            let Some(line) = lines.last_mut().filter(|line| line.is_empty()) else { continue };
            if self.wide(word) <= width {
                line.push_str(word);
                continue;
            }
            for letter in word.chars() {
                let line = lines.last_mut().map_or("", |line| line);
                if !line.is_empty() && self.wide(&format!("{line}{letter}")) > width {
                    lines.push(String::new());
                }
                if let Some(line) = lines.last_mut() {
                    line.push(letter);
                }
            }
        }
        lines
    }

    /// The parts of a list that fit, with `…` if others do not; the first in any case.
    pub fn first_of(self, list: &str, width: f64) -> String {
        if self.wide(list) <= width {
            return list.to_owned();
        }
        let mut fitting = String::new();
        for part in list.split(", ") {
            if !fitting.is_empty() && self.wide(&format!("{fitting}{part}, …")) > width {
                break;
            }
            fitting += &format!("{part}, ");
        }
        fitting.push('…');
        fitting
    }
}

/// A page as one HTML file, which prints on A4 and follows the system's dark mode on a screen. It
/// needs no other files.
pub fn page(head: &str, line: Colour, style: &str, body: &str) -> String {
    let head = escaped(head);
    let colours = palette(&[
        ("ground", Colour::Ground),
        ("ink", Colour::Ink),
        ("soft", Colour::Soft),
        ("line", line),
    ]);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>{head}</title>\n\
         <style>\n{colours}body{{font-family:{FONTS}}}\n{style}</style>\n</head>\n<body>\n\
         {body}</body>\n</html>\n"
    )
}
