//! Line charts: winnings by hands, losses by steps and other quantities along one axis.
//!
//! A chart is a [part of a page](Chart::element), whose style sheet gives the classes their colours
//! and needs no `style` for that, so any content policy will do, or a [file](Chart::file) with its
//! own colours. Classes are `grid`, `zero`, `band` and `text`, and the class of each line, which
//! its band has too; all are drawn in their `color`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use serde::Deserialize;

use super::{Colour, Head, Letters, Picture};

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
    /// The name in the legend; empty for none. With a legend, lines after the first are dashed,
    /// those of one colour differently.
    pub name: &'a str,
    /// The points, in order along the axis, in the axes' own units.
    pub points: Vec<(f64, f64)>,
    /// A band behind all lines: positions along the axis with lower and upper ends.
    pub band: Vec<(f64, [f64; 2])>,
    /// Whether its points are drawn alone, without a line between them.
    pub dots: bool,
    /// Whether its points are a cloud: many small ones, behind all lines.
    pub cloud: bool,
    /// Whether the line is dashed; `None` for as the legend asks.
    pub dashed: Option<bool>,
}

/// A narrow chart as data: what a template says of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartData {
    title: String,
    along: String,
    lines: Vec<LineData>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    logarithmic: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineData {
    class: String,
    colour: Colour,
    #[serde(default)]
    name: String,
    points: Vec<(f64, f64)>,
    #[serde(default)]
    band: Vec<(f64, [f64; 2])>,
    #[serde(default)]
    dots: bool,
    #[serde(default)]
    cloud: bool,
    #[serde(default)]
    dashed: Option<bool>,
}

impl ChartData {
    /// Draws the chart, whose class is `name`, as a [narrow file](Chart::narrow_file).
    pub fn draw(self, name: &str) -> String {
        let lines = self.lines.iter().map(|line| Line {
            class: &line.class,
            colour: line.colour,
            name: &line.name,
            points: line.points.clone(),
            band: line.band.clone(),
            dots: line.dots,
            cloud: line.cloud,
            dashed: line.dashed,
        });
        let chart = Chart {
            description: self.description,
            logarithmic: self.logarithmic,
            lines: lines.collect(),
            ..Chart::new(name, self.title, &self.along)
        };
        chart.narrow_file()
    }
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
        self.coloured("", None)
    }

    /// The chart as a [file](Chart::file) with the class `chart` that is narrow, so that its
    /// letters are readable on a phone, and tall enough for its legend.
    pub fn narrow_file(mut self) -> String {
        let names = self.lines.iter().filter(|line| !line.name.is_empty()).count();
        self.size = [360, 250 + LEADING as u32 * names as u32];
        let shown = self.size.map(|size| (size * 4 / 3).to_string());
        self.coloured("chart ", Some([&shown[0], &shown[1]]))
    }

    fn coloured(&self, classes: &str, shown: Option<[&str; 2]>) -> String {
        let selectors: Vec<String> =
            self.lines.iter().map(|line| format!(" .{}", line.class)).collect();
        let lines = selectors.iter().zip(&self.lines);
        let colours: Vec<_> =
            [(" .grid", "color", Colour::Line), (" .zero", "color", Colour::Soft)]
                .into_iter()
                .chain(lines.map(|(selector, line)| (selector.as_str(), "color", line.colour)))
                .collect();
        self.draw(Picture::coloured(&Head { shown, ..self.head(&colours) }, classes))
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
        for line in self.lines.iter().filter(|line| line.cloud) {
            let places = line.points.iter().map(|&(at, value)| area.position(at, value));
            // Points on the same spot are one.
            let places: BTreeSet<String> = places.map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
            for place in places {
                let (x, y) = place.split_once(' ').unwrap_or_default();
                small_dot(&mut picture, line.class, x, y);
            }
        }
        for line in self.lines.iter().filter(|line| line.dots) {
            for &(at, value) in &line.points {
                draw_dot(&mut picture, line.class, area.position(at, value));
            }
        }
        let is_line = |line: &Line<'_>| line.points.len() > 1 && !line.dots && !line.cloud;
        for (number, line) in self.lines.iter().enumerate().filter(|(_, line)| is_line(line)) {
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
            let [_, y] = area.position(area.x.start, tick);
            picture.add(format_args!(
                "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" \
                 stroke=\"currentColor\"/>",
                area.left, area.right
            ));
            let attributes = "class=\"text\" dy=\"0.35em\" text-anchor=\"end\"";
            picture.text([area.left - 8.0, y], attributes, &label(tick));
        }
        for mark in marks(&area.x, area.logarithmic, most) {
            let [x, _] = area.position(mark, area.y.start);
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
            if line.cloud {
                small_dot(picture, line.class, &format!("{:.1}", x + 14.0), &format!("{y:.1}"));
            } else if line.dots {
                draw_dot(picture, line.class, [x + 14.0, y]);
            } else {
                picture.add(format_args!(
                    "<polyline class=\"{}\" points=\"{x:.1},{y:.1} {:.1},{y:.1}\" {}/>",
                    line.class,
                    x + 28.0,
                    self.stroke(number)
                ));
            }
            picture.text([x + 34.0, top], "class=\"text\" dy=\"0.76em\"", line.name);
            x += wide + 16.0;
        }
        if x > left { top + LEADING } else { top }
    }

    /// The attributes of a line. One that has the colour of others before it has other dashes.
    fn stroke(&self, number: usize) -> String {
        let colour = self.lines[number].colour;
        let before = self.lines[..number].iter().filter(|line| line.colour == colour).count();
        let dashes = match before {
            0 if number == 0 => "",
            0 => "8 5",
            1 => "2 4",
            2 => "14 4 2 4",
            _ => "5 3",
        };
        let named = self.lines.iter().any(|line| !line.name.is_empty());
        let dashes = match (self.lines[number].dashed, dashes) {
            (Some(true), _) => " stroke-dasharray=\"5 5\"".to_owned(),
            (Some(false), _) => String::new(),
            (None, dashes) if named && !dashes.is_empty() => {
                format!(" stroke-dasharray=\"{dashes}\"")
            }
            _ => String::new(),
        };
        format!(
            "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" \
             stroke-linejoin=\"round\"{dashes}"
        )
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
        let along = if self.logarithmic {
            // A single point also needs an axis of some width.
            if near == far { near / 3.0..far * 3.0 } else { near..far }
        } else if first > 0.1 * far && first < far {
            // The axis starts at zero unless the data begin far from it.
            first..far
        } else {
            0.0..far
        };
        (along, low..high, step)
    }
}

fn draw_dot(picture: &mut Picture, class: &str, [x, y]: [f64; 2]) {
    picture.add(format_args!(
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"none\" \
         stroke=\"currentColor\" stroke-width=\"2\"/>"
    ));
}

fn small_dot(picture: &mut Picture, class: &str, x: &str, y: &str) {
    picture.add(format_args!(
        "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"2\" fill=\"currentColor\" \
         fill-opacity=\"0.5\"/>"
    ));
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
    fn position(&self, x: f64, y: f64) -> [f64; 2] {
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
            let [x, y] = self.position(x, y);
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
