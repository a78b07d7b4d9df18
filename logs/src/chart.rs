//! Line charts as SVG: winnings curves of matches, and other quantities by hands or iterations.
//!
//! Drawn by plotters, which lays out axes and labels and writes SVG without fonts or other files.
//! It has integer coordinates only, so charts have ten units for each pixel of their usual size. It
//! writes colours, but a chart should follow the page's light or dark colours: everything is drawn
//! in a placeholder colour for its [`Role`], and at the end each placeholder becomes `currentColor`
//! and a class for style sheets: `text`, `grid`, `zero`, `band`, and the class of each line. No
//! `style` attribute is written, so any content policy will do.

use std::fmt::Write;
use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use show::svg::{Letters, escaped};

/// Drawing units per pixel.
const FINE: i32 = 10;
/// Text size in pixels.
const TEXT: i32 = 12;
/// Ratio of line height, which plotters takes as the text size, to the size of the letters.
const LINE: f64 = 1.24;
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
    pub title: &'a str,
    /// Whether the title is drawn too, and not only given as accessible text.
    pub titled: bool,
    /// The accessible description: the result in words.
    pub description: &'a str,
    /// The quantity on the horizontal axis, such as `hands`.
    pub along: &'a str,
    /// The lines, from back to front.
    pub lines: Vec<Line<'a>>,
    /// A band behind the lines: places along the axis with lower and upper ends.
    pub band: Vec<(f64, [f64; 2])>,
}

/// A line of a chart.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// The line's class for style sheets.
    pub class: &'a str,
    /// The points, in order along the axis, in the axes' own units.
    pub points: Vec<(f64, f64)>,
}

/// Optional changes to a chart's style.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style<'a> {
    /// Whether the horizontal axis is logarithmic, from the first point on. Points at zero or below
    /// are left out.
    pub logarithmic: bool,
    /// Legend entries for the lines, in order; empty for no legend. With a legend, lines after the
    /// first are dashed.
    pub names: &'a [&'a str],
}

/// The role of a drawn element, represented by a placeholder colour. Lines follow.
#[derive(Clone, Copy)]
enum Role {
    Text = 1,
    Grid,
    Zero,
    Band,
    Line,
}

impl Role {
    fn color(self, more: usize) -> RGBColor {
        let code = self as usize + more;
        RGBColor(0xC0, (code >> 8) as u8, code as u8)
    }
}

/// Indices of the points to draw, out of `count`, so that there are not too many: the last one
/// always.
pub fn thinned(count: usize) -> impl Iterator<Item = usize> {
    let every = count.div_ceil(POINTS).max(1);
    (0..count).filter(move |at| (at + 1).is_multiple_of(every) || at + 1 == count)
}

impl Chart<'_> {
    /// The chart as an SVG element, which is also a valid file.
    pub fn svg(&self) -> String {
        self.svg_as(Style::default())
    }

    /// The chart in another style.
    pub fn svg_as(&self, look: Style<'_>) -> String {
        let mut drawn = String::new();
        self.draw(&mut drawn, look).expect("a string takes all");
        // Drop the element that plotters begins with, which has a fixed size.
        let body = drawn.find('\n').map_or("", |end| &drawn[end + 1..]);
        let [width, height] = self.size.map(|pixels| pixels * FINE as u32);
        let Chart { name, title, description, .. } = self;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart {name}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-labelledby=\"{name}-title {name}-text\" stroke-linejoin=\"round\">\n\
             <title id=\"{name}-title\">{}</title>\n<desc id=\"{name}-text\">{}</desc>\n",
            escaped(title),
            escaped(description)
        );
        svg.push_str(&self.with_classes(body, look));
        svg
    }

    fn draw(
        &self,
        svg: &mut String,
        look: Style<'_>,
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let [width, height] = self.size.map(|pixels| pixels * FINE as u32);
        let root = SVGBackend::with_string(svg, (width, height)).into_drawing_area();
        let ink = Role::Text.color(0);
        let text = ("sans-serif", f64::from(TEXT * FINE) * LINE).into_text_style(&root).color(&ink);
        let (x, y, step) = self.ranges(look);
        let widest = ticks(&y, step).map(|tick| label(tick).chars().count()).max().unwrap_or(1);
        // A wide chart is scaled down on a phone, where style sheets enlarge its text.
        let wide = self.size[0] > 500;
        let left = FINE * if wide { 24 + 10 * widest as i32 } else { 18 + 7 * widest as i32 };
        if self.titled {
            root.draw_text(self.title, &text, (left, 4 * FINE))?;
        }
        let top = if self.titled { 32 } else { 10 };
        let legend = if look.names.is_empty() { 0 } else { 20 };
        self.legend(&root, look, &text, (left, top * FINE))?;
        let marks = marks(&x, look.logarithmic, if wide { 6 } else { 4 });
        let along = Along { ends: x.clone(), marks, logarithmic: look.logarithmic };
        let mut chart = ChartBuilder::on(&root)
            .margin_top(FINE * (top + legend))
            .margin_right(FINE * if wide { 28 } else { 14 })
            .x_label_area_size(FINE * if wide { 50 } else { 38 })
            .y_label_area_size(left)
            .build_cartesian_2d(along, y.clone())?;
        let thin = |role: Role, opacity: f64| role.color(0).mix(opacity).stroke_width(FINE as u32);
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(TRANSPARENT)
            .set_all_tick_mark_size(4 * FINE)
            .label_style(text.clone())
            .y_labels(ticks(&y, step).count() + 1)
            .x_label_formatter(&|at| label(*at))
            .y_label_formatter(&|value| label(*value))
            .x_desc(self.along)
            .axis_desc_style(text.clone())
            .draw()?;
        for tick in ticks(&y, step) {
            let at_zero = tick.abs() < 0.5 * step;
            let style = if at_zero { thin(Role::Zero, 0.7) } else { thin(Role::Grid, 0.2) };
            chart.draw_series(LineSeries::new([(x.start, tick), (x.end, tick)], style))?;
        }
        let there = |at: f64| !look.logarithmic || at > 0.0;
        let kept = || self.band.iter().filter(|&&(at, _)| there(at));
        let upper = kept().map(|&(at, [_, high])| (at, high));
        let lower = kept().rev().map(|&(at, [low, _])| (at, low));
        let band: Vec<(f64, f64)> = upper.chain(lower).collect();
        chart.draw_series([Polygon::new(band, Role::Band.color(0).mix(0.15))])?;
        for (number, line) in self.lines.iter().enumerate().filter(|(_, l)| l.points.len() > 1) {
            let style = Role::Line.color(number).stroke_width(2 * FINE as u32);
            let points = line.points.iter().copied().filter(|&(at, _)| there(at));
            chart.draw_series(LineSeries::new(points, style))?;
        }
        root.present()
    }

    /// Draws the legend: a sample and the name of each line, side by side from this position on.
    fn legend(
        &self,
        root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        look: Style<'_>,
        text: &TextStyle<'_>,
        (left, top): (i32, i32),
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let mut x = left;
        for (number, name) in look.names.iter().take(self.lines.len()).enumerate() {
            let style = Role::Line.color(number).stroke_width(2 * FINE as u32);
            let y = top + 6 * FINE;
            root.draw(&PathElement::new([(x, y), (x + 28 * FINE, y)], style))?;
            root.draw_text(name, text, (x + 34 * FINE, top))?;
            x += FINE * (34 + 16 + Letters::regular(f64::from(TEXT)).wide(name).ceil() as i32);
        }
        Ok(())
    }

    /// The ranges of both axes, and the tick distance of the vertical one.
    fn ranges(&self, look: Style<'_>) -> (Range<f64>, Range<f64>, f64) {
        let lines = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let band = self.band.iter().flat_map(|&(at, ends)| ends.map(|end| (at, end)));
        let points: Vec<(f64, f64)> = lines().chain(band).collect();
        let far = points.iter().map(|&(at, _)| at).fold(0.0, f64::max);
        let low = points.iter().map(|&(_, value)| value).fold(0.0, f64::min);
        let high = points.iter().map(|&(_, value)| value).fold(0.0, f64::max);
        let step = tick_step(high - low);
        let low = (low / step).floor() * step;
        let high = ((high / step).ceil() * step).max(low + step);
        let far = if far > 0.0 { far } else { 1.0 };
        let near = points.iter().map(|&(at, _)| at).filter(|&at| at > 0.0).fold(far, f64::min);
        let first = points.iter().map(|&(at, _)| at).fold(far, f64::min);
        let along = match look.logarithmic {
            // A single point also needs an axis of some width.
            true if near == far => near / 3.0..far * 3.0,
            true => near..far,
            // The axis starts at zero unless the data begin far from it.
            false if first > 0.1 * far && first < far => first..far,
            false => 0.0..far,
        };
        (along, low..high, step)
    }

    /// The SVG with classes and the page's colour in place of the placeholder colours.
    fn with_classes(&self, drawn: &str, look: Style<'_>) -> String {
        let lines = self.lines.iter().enumerate().map(|(n, line)| (Role::Line, n, line.class));
        let dash = |number: usize| match number {
            0 => "",
            _ if look.names.is_empty() => "",
            _ => "stroke-dasharray=\"80 50\" ",
        };
        let roles = [
            (Role::Text, "text"),
            (Role::Grid, "grid"),
            (Role::Zero, "zero"),
            (Role::Band, "band"),
        ];
        let mut svg = drawn.to_owned();
        for (role, more, class) in
            roles.into_iter().map(|(role, class)| (role, 0, class)).chain(lines)
        {
            let RGBColor(red, green, blue) = role.color(more);
            for what in ["stroke", "fill"] {
                let fixed = format!("{what}=\"#{red:02X}{green:02X}{blue:02X}\"");
                let dash = dash(more);
                svg = svg
                    .replace(&fixed, &format!("class=\"{class}\" {dash}{what}=\"currentColor\""));
            }
        }
        svg
    }
}

/// The horizontal axis, linear or logarithmic.
struct Along {
    ends: Range<f64>,
    marks: Vec<f64>,
    logarithmic: bool,
}

impl Ranged for Along {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let along = |at: f64| if self.logarithmic { at.log10() } else { at };
        let [start, end, at] = [self.ends.start, self.ends.end, *value].map(along);
        let share = (at - start) / (end - start);
        limit.0 + (f64::from(limit.1 - limit.0) * share + 1e-3).floor() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.marks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.ends.clone()
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
