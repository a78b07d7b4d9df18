//! A picture of results beside published ones: a row for each, with estimates and their 95 %
//! intervals along one axis. It needs no fonts or other files, and is readable on light and dark
//! backgrounds.

use logs::chart::{Chart, Style};
use show::svg::{Colour, Head, Letters, Picture, escaped};

const LETTERS: Letters = Letters::regular(12.0);
const WIDE: f64 = 620.0;
const TOP: f64 = 66.0;
const ROW: f64 = 34.0;
const EDGE: f64 = 14.0;

/// A row of the picture.
pub(crate) struct Row {
    /// The row's label.
    pub(crate) name: String,
    /// The estimates with the half-widths of their intervals, one for each kind of mark; `None` for
    /// a missing one.
    pub(crate) marks: Vec<Option<(f64, f64)>>,
}

/// The colours of the kinds of marks.
const COLOURS: [&str; 3] = ["#9aa3ad", "#4f7fd1", "#d0603c"];

/// Draws the picture; `kinds` has the labels of the kinds of marks.
pub(crate) fn intervals(title: &str, unit: &str, kinds: &[&str], rows: &[Row]) -> String {
    let ends = rows.iter().flat_map(|row| row.marks.iter().flatten());
    let reach = ends.map(|&(at, half)| at.abs() + half).fold(10.0, f64::max);
    let step = step(reach);
    let reach = (reach / step).ceil() * step;
    let names = rows.iter().map(|row| LETTERS.wide(&row.name)).fold(100.0, f64::max);
    let left = EDGE + names + 16.0;
    let x = |value: f64| left + WIDE * (value + reach) / (2.0 * reach);
    let bottom = TOP + ROW * rows.len() as f64;
    let (width, height) = (left + WIDE + 2.0 * EDGE, bottom + 44.0);
    let shown = [width, height].map(|size| format!("{size:.0}"));
    let mut svg = Picture::new(&Head {
        name: "intervals",
        size: [width, height],
        shown: Some([&shown[0], &shown[1]]),
        title,
        description: "",
        letters: 12.0,
        colours: &[(" .axis", "stroke", Colour::Ink)],
        style: "",
    });
    svg.text([EDGE, 22.0], "font-size=\"14\" font-weight=\"bold\"", title);
    let mut key = EDGE;
    for (kind, colour) in kinds.iter().zip(COLOURS) {
        svg.add(format_args!(
            "<circle cx=\"{:.1}\" cy=\"41\" r=\"4\" fill=\"{colour}\"/>",
            key + 4.0
        ));
        svg.text([key + 14.0, 45.0], "", kind);
        key += 34.0 + LETTERS.wide(kind);
    }
    let lines = (reach / step).round() as i32;
    for line in -lines..=lines {
        let value = f64::from(line) * step;
        let (at, opacity) = (x(value), if line == 0 { 0.8 } else { 0.18 });
        svg.add(format_args!(
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom}\" class=\"axis\" \
             opacity=\"{opacity}\"/>"
        ));
        svg.text([at, bottom + 16.0], "text-anchor=\"middle\" opacity=\"0.8\"", &signed(value));
    }
    svg.text([x(0.0), bottom + 34.0], "text-anchor=\"middle\" opacity=\"0.8\"", unit);
    for (number, row) in rows.iter().enumerate() {
        let top = TOP + ROW * number as f64;
        svg.text([EDGE, top + ROW / 2.0 + 4.0], "", &row.name);
        let apart = ROW / (kinds.len() as f64 + 1.0);
        for (kind, mark) in row.marks.iter().enumerate() {
            let Some((at, half)) = *mark else { continue };
            let (y, colour) = (top + apart * (kind as f64 + 1.0), COLOURS[kind % COLOURS.len()]);
            svg.add(format_args!(
                "<g><title>{}: {} ± {half:.0}</title><line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" \
                 stroke=\"{colour}\" stroke-width=\"2.5\"/><circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.5\" \
                 fill=\"{colour}\"/></g>",
                escaped(kinds[kind]),
                signed(at),
                x(at - half),
                x(at + half),
                x(at)
            ));
        }
    }
    svg.finish()
}

/// The distance of the axis's lines, with at most five on each side.
fn step(reach: f64) -> f64 {
    let mut step = 10.0;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if reach / step <= 5.0 {
            break;
        }
        step *= factor;
    }
    step
}

/// A number rounded to an integer, with its sign.
pub(crate) fn signed(value: f64) -> String {
    let rounded = value.round();
    if rounded == 0.0 {
        return "0".to_owned();
    }
    format!("{rounded:+}").replace('-', "−")
}

/// A chart as SVG, whose lines have these colours by class, readable on light and dark backgrounds.
pub(crate) fn coloured(chart: &Chart<'_>, names: &[&str], colours: &[(&str, &str)]) -> String {
    coloured_as(chart, Style { logarithmic: false, names }, colours)
}

/// [`coloured`] with another style.
pub(crate) fn coloured_as(chart: &Chart<'_>, style: Style<'_>, colours: &[(&str, &str)]) -> String {
    let svg = chart.svg_as(style);
    let rule =
        |(class, colour): &(&str, &str)| format!(".{} .{class}{{stroke:{colour}}}", chart.name);
    let rules: String = colours.iter().map(rule).collect();
    svg.replacen("</title>\n", &format!("</title>\n<style>{rules}</style>\n"), 1)
}
