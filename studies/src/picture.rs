//! A picture of results beside published ones: a row for each, with estimates and their 95 %
//! intervals along one axis. It needs no fonts or other files, and is readable on light and dark
//! backgrounds.

use show::number::signed_minus;
use show::svg::{Colour, Head, Letters, Picture, escaped};

const LETTERS: Letters = Letters::regular(12.0);
const WIDE: f64 = 620.0;
const TOP: f64 = 66.0;
const ROW: f64 = 34.0;
const EDGE: f64 = 14.0;

/// A row of the picture.
#[derive(serde::Deserialize)]
pub(crate) struct Row {
    /// The row's label.
    pub(crate) name: String,
    /// The estimates with the half-widths of their intervals, one for each kind of mark; `None` for
    /// a missing one.
    pub(crate) marks: Vec<Option<(f64, f64)>>,
}

/// The colours of the axis and of the kinds of marks.
const COLOURS: [(&str, &str, Colour); 4] = [
    (" .axis", "stroke", Colour::Ink),
    (" .kind-0", "color", Colour::Grey),
    (" .kind-1", "color", Colour::Blue),
    (" .kind-2", "color", Colour::Red),
];

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
        colours: &COLOURS,
        style: "",
    });
    svg.text([EDGE, 22.0], "font-size=\"14\" font-weight=\"bold\"", title);
    let mut key = EDGE;
    for (number, kind) in kinds.iter().enumerate() {
        svg.add(format_args!(
            "<circle class=\"kind-{number}\" cx=\"{:.1}\" cy=\"41\" r=\"4\" \
             fill=\"currentColor\"/>",
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
        svg.text(
            [at, bottom + 16.0],
            "text-anchor=\"middle\" opacity=\"0.8\"",
            &signed_minus(value, 0),
        );
    }
    svg.text([x(0.0), bottom + 34.0], "text-anchor=\"middle\" opacity=\"0.8\"", unit);
    for (number, row) in rows.iter().enumerate() {
        let top = TOP + ROW * number as f64;
        svg.text([EDGE, top + ROW / 2.0 + 4.0], "", &row.name);
        let apart = ROW / (kinds.len() as f64 + 1.0);
        for (kind, mark) in row.marks.iter().enumerate() {
            let Some((at, half)) = *mark else { continue };
            let y = top + apart * (kind as f64 + 1.0);
            svg.add(format_args!(
                "<g class=\"kind-{kind}\" fill=\"currentColor\"><title>{}: {} ± {half:.0}</title>\
                 <line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" \
                 stroke=\"currentColor\" stroke-width=\"2.5\"/><circle cx=\"{:.1}\" cy=\"{y:.1}\" \
                 r=\"3.5\"/></g>",
                escaped(kinds[kind]),
                signed_minus(at, 0),
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
