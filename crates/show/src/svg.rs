//! SVG images, as files or parts of a page, made without fonts or other files, and readable on
//! light and dark backgrounds.

use std::fmt::{Write, self};
use std::ops::Range;



/// The fonts of all images and of pages that are files: their letters are at most as wide as
/// [`Letters`] says.
pub const FONTS: &str = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// A colour with variants for light and dark backgrounds.
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
            Colour::Call => ["#4fa870"; 2],
            Colour::Raise(0) => ["#f2b134"; 2],
            Colour::Raise(1) => ["#ee8a3a"; 2],
            Colour::Raise(2) => ["#e4633c"; 2],
            Colour::Raise(3) => ["#cf4540"; 2],
            Colour::Raise(_) => ["#b03050"; 2],
            Colour::AllIn => ["#8e2a6b"; 2],
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

// Line charts: winnings by hands, losses by steps and other quantities along one axis.
//
// A chart is a [part of a page](Chart::element), whose style sheet gives the classes their colours
// and needs no `style` for that, so any content policy will do, or a [file](Chart::file) with its
// own colours. Classes are `grid`, `zero`, `band` and `text`, and the class of each line, which
// its band has too; all are drawn in their `color`.

/// The font size in pixels.
const TEXT: f64 = 12.0;
/// The font size on a phone, where a wide chart is scaled down: the style sheet of the page.
const ENLARGED: f64 = 21.0;
/// The distance of lines of text.
const LEADING: f64 = 20.0;
/// Maximum number of points of a line: more than a screen can show.
const POINTS: usize = 360;

/// A chart of one or more lines over the same axis.
#[derive(Debug, Clone)]
pub struct Chart<'a> {
    /// The chart's class, from which the ids of its texts are made: one word, unique on a page.
    pub name: &'a str,
    /// Width and height in pixels, which the page may scale.
    pub size: [u32; 2],
    /// The title.
    pub title: String,
    /// Whether the title is drawn too, and not only given as accessible text.
    pub titled: bool,
    /// The accessible description: the result in words; may be empty.
    pub description: String,
    /// The quantity on the horizontal axis, such as `hands`.
    pub along: &'a str,
    /// Whether the horizontal axis is logarithmic, from the first point on. Points at zero or below
    /// are left out.
    pub logarithmic: bool,
    /// The lines, from back to front.
    pub lines: Vec<Line<'a>>,
}

/// A line of a chart.
#[derive(Debug, Clone, Default)]
pub struct Line<'a> {
    /// The line's class.
    pub class: &'a str,
    /// The colour in a file.
    pub colour: Colour,
    /// The name in the legend; empty for none. With a legend, lines after the first are dashed.
    pub name: &'a str,
    /// The points, in order along the axis, in the axes' own units.
    pub points: Vec<(f64, f64)>,
    /// A band behind all lines: positions along the axis with lower and upper ends.
    pub band: Vec<(f64, [f64; 2])>,
}

/// The indices of the points to draw, out of `count`: no more than a screen can show, and the last
/// one always.
pub fn thinned(count: usize) -> impl Iterator<Item = usize> {
    let every = count.div_ceil(POINTS).max(1);
    (0..count).filter(move |at| (at + 1).is_multiple_of(every) || at + 1 == count)
}

impl<'a> Chart<'a> {
    /// An empty chart of the usual size, with its title.
    pub fn new(name: &'a str, title: impl Into<String>, along: &'a str) -> Chart<'a> {
        Chart {
            name,
            size: [720, 340],
            title: title.into(),
            titled: true,
            description: String::new(),
            along,
            logarithmic: false,
            lines: Vec::new(),
        }
    }

    /// The chart as a part of a page, with the classes `chart` and its name.
    pub fn element(&self) -> String {
        self.draw(Picture::element(&self.head(&[]), "chart "))
    }

    /// The chart as a file, readable on light and dark backgrounds.
    pub fn file(&self) -> String {
        let selectors: Vec<String> =
            self.lines.iter().map(|line| format!(" .{}", line.class)).collect();
        let lines = selectors.iter().zip(&self.lines);
        let colours: Vec<_> =
            [(" .grid", "color", Colour::Line), (" .zero", "color", Colour::Soft)]
                .into_iter()
                .chain(lines.map(|(selector, line)| (selector.as_str(), "color", line.colour)))
                .collect();
        self.draw(Picture::new(&self.head(&colours)))
    }

    fn head<'h>(&'h self, colours: &'h [(&'h str, &'h str, Colour)]) -> Head<'h> {
        Head {
            name: self.name,
            size: self.size.map(f64::from),
            shown: None,
            title: &self.title,
            description: &self.description,
            letters: TEXT,
            colours,
            style: "",
        }
    }

    fn draw(&self, mut picture: Picture) -> String {
        let [width, height] = self.size.map(f64::from);
        let wide = self.size[0] > 500;
        let (right, below) = if wide { (28.0, 50.0) } else { (14.0, 38.0) };
        let letters = Letters::regular(if wide { ENLARGED } else { TEXT });
        let (x_ends, y_ends, step) = self.ranges();
        let labels = ticks(&y_ends, step).map(|tick| letters.wide(&label(tick)));
        let left = 20.0 + labels.fold(0.0, f64::max).ceil();
        let mut top = 4.0;
        if self.titled {
            for line in Letters::regular(TEXT).wrapped(&self.title, width - left) {
                picture.text([left, top], "class=\"text\" dy=\"0.76em\"", &line);
                top += LEADING;
            }
            top += 2.0;
        }
        top = self.legend(&mut picture, [left, top + 6.0], width);
        let area = Area {
            left,
            right: width - right,
            top,
            bottom: height - below,
            x: x_ends,
            y: y_ends,
            logarithmic: self.logarithmic,
        };
        self.axes(&mut picture, &area, step, if wide { 6 } else { 4 });
        picture.text(
            [0.5 * (area.left + area.right), height],
            "class=\"text\" dy=\"-0.3em\" text-anchor=\"middle\"",
            self.along,
        );
        for line in self.lines.iter().filter(|line| !line.band.is_empty()) {
            let upper = line.band.iter().map(|&(at, [_, high])| (at, high));
            let lower = line.band.iter().rev().map(|&(at, [low, _])| (at, low));
            picture.add(format_args!(
                "<polygon class=\"band {}\" points=\"{}\" opacity=\"0.15\"/>",
                line.class,
                area.points(upper.chain(lower))
            ));
        }
        for (number, line) in self.lines.iter().enumerate().filter(|(_, l)| l.points.len() > 1) {
            picture.add(format_args!(
                "<polyline class=\"{}\" points=\"{}\" {}/>",
                line.class,
                area.points(line.points.iter().copied()),
                self.stroke(number)
            ));
        }
        picture.finish()
    }

    /// Draws the ticks of both axes with their labels, and a line at each tick of the vertical one.
    fn axes(&self, picture: &mut Picture, area: &Area, step: f64, most: usize) {
        for tick in ticks(&area.y, step) {
            let class = if tick.abs() < 0.5 * step { "zero" } else { "grid" };
            let [_, y] = area.at(area.x.start, tick);
            picture.add(format_args!(
                "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" \
                 stroke=\"currentColor\"/>",
                area.left, area.right
            ));
            let attributes = "class=\"text\" dy=\"0.35em\" text-anchor=\"end\"";
            picture.text([area.left - 8.0, y], attributes, &label(tick));
        }
        for mark in marks(&area.x, area.logarithmic, most) {
            let [x, _] = area.at(mark, area.y.start);
            let attributes = "class=\"text\" dy=\"0.76em\" text-anchor=\"middle\"";
            picture.text([x, area.bottom + 8.0], attributes, &label(mark));
        }
    }

    /// Draws the legend, a sample and the name of each line side by side and as many below each
    /// other as the width asks for, and returns where it ends.
    fn legend(&self, picture: &mut Picture, [left, mut top]: [f64; 2], width: f64) -> f64 {
        let mut x = left;
        for (number, line) in self.lines.iter().enumerate().filter(|(_, l)| !l.name.is_empty()) {
            let wide = 34.0 + Letters::regular(TEXT).wide(line.name).ceil();
            if x > left && x + wide > width {
                top += LEADING;
                x = left;
            }
            let y = top + 6.0;
            picture.add(format_args!(
                "<polyline class=\"{}\" points=\"{x:.1},{y:.1} {:.1},{y:.1}\" {}/>",
                line.class,
                x + 28.0,
                self.stroke(number)
            ));
            picture.text([x + 34.0, top], "class=\"text\" dy=\"0.76em\"", line.name);
            x += wide + 16.0;
        }
        if x > left { top + LEADING } else { top }
    }

    /// The attributes of a line.
    fn stroke(&self, number: usize) -> &'static str {
        if number > 0 && self.lines.iter().any(|line| !line.name.is_empty()) {
            "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\" \
             stroke-dasharray=\"8 5\""
        } else {
            "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\""
        }
    }

    /// The ranges of both axes, and the tick distance of the vertical one.
    fn ranges(&self) -> (Range<f64>, Range<f64>, f64) {
        let lines = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let bands = self.lines.iter().flat_map(|line| &line.band);
        let bands = bands.flat_map(|&(at, ends)| ends.map(|end| (at, end)));
        let points: Vec<(f64, f64)> = lines().chain(bands).collect();
        let far = points.iter().map(|&(at, _)| at).fold(0.0, f64::max);
        let low = points.iter().map(|&(_, value)| value).fold(0.0, f64::min);
        let high = points.iter().map(|&(_, value)| value).fold(0.0, f64::max);
        let step = tick_step(high - low);
        let low = (low / step).floor() * step;
        let high = ((high / step).ceil() * step).max(low + step);
        let far = if far > 0.0 { far } else { 1.0 };
        let near = points.iter().map(|&(at, _)| at).filter(|&at| at > 0.0).fold(far, f64::min);
        let first = points.iter().map(|&(at, _)| at).fold(far, f64::min);
        let along = match self.logarithmic {
            // A single point also needs an axis of some width.
            true if near == far => near / 3.0..far * 3.0,
            true => near..far,
            // The axis starts at zero unless the data begin far from it.
            false if first > 0.1 * far && first < far => first..far,
            false => 0.0..far,
        };
        (along, low..high, step)
    }
}

/// The area between the axes, in pixels, and the quantities along its sides.
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Range<f64>,
    y: Range<f64>,
    logarithmic: bool,
}

impl Area {
    /// The position of a point.
    fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let along = |at: f64| if self.logarithmic { at.log10() } else { at };
        let [start, end, x] = [self.x.start, self.x.end, x].map(along);
        let share = [(x - start) / (end - start), (y - self.y.start) / (self.y.end - self.y.start)];
        [
            self.left + share[0] * (self.right - self.left),
            self.bottom - share[1] * (self.bottom - self.top),
        ]
    }

    /// The positions of those points that the horizontal axis has, as SVG writes them.
    fn points(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut text = String::new();
        for (x, y) in points.filter(|&(x, _)| !self.logarithmic || x > 0.0) {
            let [x, y] = self.at(x, y);
            let blank = if text.is_empty() { "" } else { " " };
            write!(text, "{blank}{x:.1},{y:.1}").expect("a string takes all");
        }
        text
    }
}

/// The ticks of the horizontal axis: round numbers; on a logarithmic axis 1, 3, 10 and so on, on a
/// short one 1, 2, 5, on a long one powers of ten.
fn marks(ends: &Range<f64>, logarithmic: bool, most: usize) -> Vec<f64> {
    if !logarithmic {
        let step = tick_step((ends.end - ends.start) * 5.0 / most as f64);
        let [first, last] = [(ends.start / step - 1e-9).ceil(), (ends.end / step + 1e-9).floor()];
        return (first as u32..=last as u32).map(|mark| f64::from(mark) * step).collect();
    }
    let inside = |mark: &f64| (ends.start * 0.999_999..=ends.end * 1.000_001).contains(mark);
    let powers = ends.start.log10().floor() as i32..=ends.end.log10().ceil() as i32;
    let marks = |of: &[f64]| -> Vec<f64> {
        let all = powers.clone().flat_map(|power| of.iter().map(move |n| n * 10_f64.powi(power)));
        all.filter(inside).collect()
    };
    let usual = marks(&[1.0, 3.0]);
    match usual.len() {
        0..=2 => marks(&[1.0, 2.0, 5.0]),
        count if count <= most + 2 => usual,
        _ => {
            let powers = marks(&[1.0]);
            let every = powers.len().div_ceil(most).max(1);
            powers.into_iter().step_by(every).collect()
        }
    }
}

/// The ticks of an axis that begins and ends with one.
fn ticks(ends: &Range<f64>, step: f64) -> impl Iterator<Item = f64> {
    let (low, count) = (ends.start, ((ends.end - ends.start) / step).round() as u32);
    (0..=count).map(move |tick| low + f64::from(tick) * step)
}

/// A round step that divides the span into three to six parts.
fn tick_step(span: f64) -> f64 {
    let rough = (span / 5.0).max(1e-6);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| rough <= step * power).unwrap_or(10.0);
    step * power
}

/// A tick label: few digits, a true minus sign, never `-0`.
fn label(value: f64) -> String {
    let value = if value.abs() < 1e-9 { 0.0 } else { value };
    let mut text = String::from(if value < 0.0 { "\u{2212}" } else { "" });
    let size = value.abs();
    let (shown, unit) = match size {
        1e6.. => (size / 1e6, "M"),
        1e4.. => (size / 1e3, "k"),
        _ => (size, ""),
    };
    write!(text, "{}{unit}", (shown * 1e4).round() / 1e4).expect("a string takes all");
    text
}

// Layout of trees in an image: from left to right, a column for each depth.

/// The dimensions of a tree image, in its units.
#[derive(Debug, Clone, Copy)]
pub struct Measures {
    /// The width and height of a node's box.
    pub node: [f64; 2],
    /// Distance between columns of boxes, and between boxes one below the other.
    pub gaps: [f64; 2],
    /// Margin around all boxes.
    pub edge: f64,
    /// Additional margin above the boxes.
    pub top: f64,
}

/// The positions of a tree's nodes.
#[derive(Debug)]
pub struct Layout {
    measures: Measures,
    parents: Vec<Option<usize>>,
    /// The upper left corners of the boxes.
    corners: Vec<[f64; 2]>,
    size: [f64; 2],
}

impl Layout {
    /// The layout of nodes with these parents, each of which precedes its children: leaves one
    /// below the other, other nodes centred on their children.
    pub fn new(parents: Vec<Option<usize>>, measures: Measures) -> Layout {
        let Measures { node: [wide, tall], gaps: [across, down], edge, top } = measures;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
        let mut depths = vec![0_usize; parents.len()];
        for (node, parent) in parents.iter().enumerate() {
            if let &Some(parent) = parent {
                children[parent].push(node);
                depths[node] = depths[parent] + 1;
            }
        }
        let mut rows = vec![0.0; parents.len()];
        let mut next = 0.0;
        for node in (0..parents.len()).filter(|&node| children[node].is_empty()) {
            rows[node] = next;
            next += 1.0;
        }
        for node in (0..parents.len()).rev() {
            if let (Some(&first), Some(&last)) = (children[node].first(), children[node].last()) {
                rows[node] = f64::midpoint(rows[first], rows[last]);
            }
        }
        let corner = |(&depth, row): (&usize, &f64)| {
            [edge + depth as f64 * (wide + across), top + row * (tall + down)]
        };
        let deepest = depths.iter().copied().max().unwrap_or_default() as f64;
        let size = [
            2.0 * edge + wide + deepest * (wide + across),
            top + (next - 1.0) * (tall + down) + tall + edge,
        ];
        let corners = depths.iter().zip(&rows).map(corner).collect();
        Layout { measures, parents, corners, size }
    }

    /// The width and height of the image.
    pub fn size(&self) -> [f64; 2] {
        self.size
    }

    /// The upper left corner of a node's box.
    pub fn at(&self, node: usize) -> [f64; 2] {
        self.corners[node]
    }

    /// Draws the edge from a node's parent to it, if it has one, with the class `edge`.
    pub fn draw_edge(&self, svg: &mut Picture, node: usize) {
        let Some([from_x, from_y]) = self.parents[node].map(|parent| self.at(parent)) else {
            return;
        };
        let [x, y] = self.at(node);
        let ([wide, tall], [across, _]) = (self.measures.node, self.measures.gaps);
        let (from, middle, half) = (from_x + wide, x - across / 2.0, tall / 2.0);
        svg.add(format_args!(
            "<path d=\"M{from:.1} {:.1}H{middle:.1}V{:.1}H{x:.1}\" class=\"edge\"/>",
            from_y + half,
            y + half
        ));
    }
}

// The heading above an image: title and description, wrapped to its width.

const TITLE: Letters = Letters::bold(14.0);
const DESCRIPTION: Letters = Letters::regular(12.0);
/// The distances of lines of the title and of the description.
const LEADING: [f64; 2] = [18.0, 16.0];

/// Lines of title and description.
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

// Upper bounds of text widths in the fonts that stand for `sans-serif`, for layout without font
// files.
//
// Widths are the larger ones of Liberation Sans (those of Arial and Helvetica) and DejaVu Sans, so
// a text that fits by them fits in either; other letters count as a whole em.

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

/// A font: its size in the image's unit, and whether it is bold.
#[derive(Debug, Clone, Copy)]
pub struct Letters {
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
