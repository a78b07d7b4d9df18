//! A tournament's table as an SVG image: the means with their intervals, best first, and a cell for
//! each pair, coloured by the winner and the rate. Columns are numbered as the rows are.

use show::number::{signed, whole};
use show::svg::{Colour, Head, Letters, Picture};

use crate::stats::{CrossTable, Rate};

const EDGE: f64 = 12.0;
const HEAD: f64 = 74.0;
const ROW: f64 = 26.0;
const CELL: f64 = 92.0;
/// Width of the axis of the means' intervals.
const AXIS: f64 = 170.0;
const LETTERS: f64 = 11.0;
const SUBTITLE: &str = "mbb/hand with half of the 95 % interval; ~ holds zero";

/// The table as an SVG file. Entrants without a mean come last.
pub fn svg(table: &CrossTable, title: &str) -> String {
    let standings = table.standings();
    let mut order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
    order.extend((0..table.names.len()).filter(|k| !standings.iter().any(|s| s.entrant == *k)));
    let letters = Letters::regular(LETTERS);
    let names: Vec<String> = (1..)
        .zip(&order)
        .map(|(place, &entrant)| format!("{place}  {}", table.names[entrant]))
        .collect();
    let name_wide = names.iter().map(|name| letters.wide(name)).fold(60.0, f64::max) + 12.0;
    let groups = standings.iter().map(|standing| letters.wide(&standing.letters));
    let group_wide = groups.fold(30.0, f64::max) + 14.0;
    let axis = EDGE + name_wide;
    let cells = axis + AXIS + 60.0 + group_wide;
    let title_wide = Letters::bold(14.0).wide(title).max(letters.wide(SUBTITLE));
    let size = [
        (cells + CELL * order.len() as f64).max(EDGE + title_wide) + EDGE,
        HEAD + ROW * order.len() as f64 + 2.0 * EDGE + 14.0,
    ];
    let mut picture = Picture::new(&Head {
        name: "crosstable",
        size,
        shown: None,
        title,
        description: "Rates in mbb/hand of the row's entrant against the column's, with half of \
                      the 95 % interval; the means with their 95 % intervals (thick), and those \
                      that are right for all together (thin).",
        letters: LETTERS,
        colours: &[
            (" .empty", "fill", Colour::Field),
            (" .win", "fill", Colour::Felt),
            (" .lose", "fill", Colour::Mark),
            (" .zero", "stroke", Colour::Line),
            (" .reach", "stroke", Colour::Ink),
            (" .all", "stroke", Colour::Soft),
            (" .soft", "fill", Colour::Soft),
        ],
        style: ".reach{stroke-width:4;stroke-linecap:round}.all{stroke-width:1.5}",
    });
    picture.text([EDGE, 22.0], "font-size=\"14\" font-weight=\"bold\"", title);
    let soft = "class=\"soft\"";
    picture.text([EDGE, 42.0], soft, SUBTITLE);
    let middle = "class=\"soft\" text-anchor=\"middle\"";
    picture.text([axis + 0.5 * AXIS, HEAD - 8.0], middle, "mean, 95 %, and for all");
    picture.text([axis + AXIS + 60.0 + 0.5 * group_wide, HEAD - 8.0], middle, "group");
    for place in 0..order.len() {
        let x = cells + CELL * (place as f64 + 0.5);
        picture.text([x, HEAD - 8.0], middle, &(place + 1).to_string());
    }
    // The ends of all intervals, and zero.
    let ends = standings.iter().flat_map(|standing| {
        [standing.for_all.low, standing.for_all.high, standing.rate.interval.low]
    });
    let (low, high) =
        ends.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
    let scale = AXIS / (high - low).max(1e-9);
    let at = |mbb: f64| axis + (mbb - low) * scale;
    let bottom = HEAD + ROW * order.len() as f64;
    picture.add(format_args!(
        "<line x1=\"{0:.1}\" y1=\"{HEAD}\" x2=\"{0:.1}\" y2=\"{bottom:.1}\" class=\"zero\"/>",
        at(0.0)
    ));
    picture.text([at(0.0), bottom + 14.0], middle, "0");
    let rates = table.results.iter().flatten().flatten();
    let most = rates.map(|rate| rate.mbb.abs()).fold(1e-9, f64::max);
    for (row, (&entrant, name)) in order.iter().zip(&names).enumerate() {
        let top = HEAD + ROW * row as f64;
        let base = top + 0.5 * ROW + 4.0;
        picture.text([EDGE, base], "", name);
        if let Some(standing) = standings.iter().find(|standing| standing.entrant == entrant) {
            let (mean, all) = (&standing.rate, standing.for_all);
            let middle_line = top + 0.5 * ROW;
            for (class, ends) in [("all", all), ("reach", mean.interval)] {
                picture.add(format_args!(
                    "<line x1=\"{:.1}\" y1=\"{middle_line:.1}\" x2=\"{:.1}\" \
                     y2=\"{middle_line:.1}\" class=\"{class}\"/>",
                    at(ends.low),
                    at(ends.high)
                ));
            }
            let right = "text-anchor=\"end\"";
            picture.text([axis + AXIS + 54.0, base], right, &signed(mean.mbb, 1));
            let place = [axis + AXIS + 60.0 + 0.5 * group_wide, base];
            picture.text(place, "text-anchor=\"middle\"", &standing.letters);
        }
        for (column, &other) in order.iter().enumerate() {
            let left = cells + CELL * column as f64;
            let rate = table.results[entrant][other].as_ref();
            cell(&mut picture, [left, top], rate, most);
        }
    }
    picture.finish()
}

/// Draws a pair's cell: the colour's strength is the rate relative to the largest.
fn cell(picture: &mut Picture, [left, top]: [f64; 2], rate: Option<&Rate>, most: f64) {
    let (wide, tall) = (CELL - 2.0, ROW - 2.0);
    picture.add(format_args!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide}\" height=\"{tall}\" class=\"empty\"/>"
    ));
    let Some(rate) = rate else { return };
    let class = if rate.mbb >= 0.0 { "win" } else { "lose" };
    let strength = 0.45 * rate.mbb.abs() / most;
    picture.add(format_args!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide}\" height=\"{tall}\" class=\"{class}\" \
         fill-opacity=\"{strength:.3}\"><title>{} hands</title></rect>",
        whole(rate.hands)
    ));
    let mark = if rate.holds_zero() { " ~" } else { "" };
    let text = format!("{} ±{:.0}{mark}", signed(rate.mbb, 0), rate.half_width());
    let middle = [left + 0.5 * wide, top + 0.5 * tall + 4.0];
    picture.text(middle, "text-anchor=\"middle\"", &text);
}
