//! Results beside published ones: a row for each, with estimates and their intervals along one
//! axis. It is narrow, so that its letters are readable on a phone.

use serde::Deserialize;

use super::{Colour, Head, Letters, Picture, escaped};
use crate::number::{fixed, signed_minus};

const LETTERS: Letters = Letters::regular(12.0);
const BOLD: Letters = Letters::bold(13.0);
const WIDE: f64 = 360.0;
const EDGE: f64 = 16.0;
/// The height of a line of text.
const LINE: f64 = 17.0;
/// The height of a mark.
const MARK: f64 = 9.0;

/// Estimates to draw.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intervals {
    /// The title.
    pub title: String,
    /// The unit of the axis.
    pub unit: String,
    /// The labels of the kinds of marks, four at most.
    pub kinds: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of the picture.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The row's label.
    pub name: String,
    /// The estimates with the half-widths of their intervals, one for each kind of mark; `None` for
    /// a missing one.
    pub marks: Vec<Option<(f64, f64)>>,
}

/// The colours of the axis and of the kinds of marks.
const COLOURS: [(&str, &str, Colour); 5] = [
    (" .axis", "stroke", Colour::Ink),
    (" .kind-0", "color", Colour::Grey),
    (" .kind-1", "color", Colour::Blue),
    (" .kind-2", "color", Colour::Red),
    (" .kind-3", "color", Colour::Gold),
];

impl Intervals {
    /// Draws the picture.
    pub fn draw(&self) -> String {
        let Intervals { title, unit, kinds, rows } = self;
        let ends = rows.iter().flat_map(|row| row.marks.iter().flatten());
        let reach = ends.map(|&(at, half)| at.abs() + half).fold(10.0, f64::max);
        let step = step(reach);
        let reach = (reach / step).ceil() * step;
        let x = |value: f64| EDGE + (WIDE - 2.0 * EDGE) * (value + reach) / (2.0 * reach);
        let title_lines = BOLD.wrapped(title, WIDE - 2.0 * EDGE);
        let keys = EDGE + LINE * title_lines.len() as f64;
        let top = keys + LINE * kinds.len() as f64 + 8.0;
        let row_height = LINE + MARK * kinds.len() as f64 + 4.0;
        let bottom = top + row_height * rows.len() as f64;
        let size = [WIDE, bottom + 44.0];
        let shown = size.map(|size| format!("{:.0}", size * 4.0 / 3.0));
        let head = Head {
            name: "intervals",
            size,
            shown: Some([&shown[0], &shown[1]]),
            title,
            description: "",
            letters: 12.0,
            colours: &COLOURS,
            style: "",
        };
        let mut svg = Picture::coloured(&head, "chart ");
        for (line, text) in (0..).zip(&title_lines) {
            let y = EDGE + 8.0 + LINE * f64::from(line);
            svg.text([EDGE, y], "font-size=\"13\" font-weight=\"bold\"", text);
        }
        for (number, kind) in kinds.iter().enumerate() {
            let y = keys + 10.0 + LINE * number as f64;
            svg.add(format_args!(
                "<circle class=\"kind-{number}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" \
                 fill=\"currentColor\"/>",
                EDGE + 4.0,
                y - 4.0
            ));
            svg.text([EDGE + 14.0, y], "", kind);
        }
        let lines = (reach / step).round() as i32;
        for line in -lines..=lines {
            let value = f64::from(line) * step;
            let (at, opacity) = (x(value), if line == 0 { 0.8 } else { 0.18 });
            svg.add(format_args!(
                "<line x1=\"{at:.1}\" y1=\"{top:.1}\" x2=\"{at:.1}\" y2=\"{bottom:.1}\" \
                 class=\"axis\" opacity=\"{opacity}\"/>"
            ));
            let attributes = "text-anchor=\"middle\" opacity=\"0.8\"";
            svg.text([at, bottom + 16.0], attributes, &signed_minus(value, 0));
        }
        svg.text([x(0.0), bottom + 34.0], "text-anchor=\"middle\" opacity=\"0.8\"", unit);
        for (number, row) in rows.iter().enumerate() {
            let top = top + row_height * number as f64;
            svg.text([EDGE, top + LINE - 4.0], "", &LETTERS.first_of(&row.name, x(0.0) - EDGE));
            for (kind, mark) in row.marks.iter().enumerate() {
                let Some((at, half)) = *mark else { continue };
                let y = top + LINE + MARK * (kind as f64 + 0.5);
                svg.add(format_args!(
                    "<g class=\"kind-{kind}\" fill=\"currentColor\"><title>{}: {} ± {}</title>\
                     <line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" \
                     stroke=\"currentColor\" stroke-width=\"2.5\"/>\
                     <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.5\"/></g>",
                    escaped(&kinds[kind]),
                    signed_minus(at, 0),
                    fixed(half, 0),
                    x(at - half),
                    x(at + half),
                    x(at)
                ));
            }
        }
        svg.finish()
    }
}

/// The distance of the axis's lines, with at most three on each side.
fn step(reach: f64) -> f64 {
    let mut step = 10.0;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if reach / step <= 3.0 {
            break;
        }
        step *= factor;
    }
    step
}
