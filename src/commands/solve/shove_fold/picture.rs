//! Shove and call ranges as charts side by side.

use cards::StartingHand;
use show::number::percent;
use show::svg::{Colour, Head, Heading, Picture};
use solvers::shove_fold::{Range, share};

use super::Solved;
use crate::chart::grid;

const CELL: f64 = 27.0;
const TALL: f64 = 22.0;
const EDGE: f64 = 12.0;
/// Distance between charts.
const GAP: f64 = 22.0;
const HEAD: f64 = 50.0;
/// Height of the line above a chart.
const LINE: f64 = 24.0;

/// The picture: the equilibrium's all-ins and calls side by side. With a rule they are one below
/// the other, with the rule's range and the difference beside each.
pub(super) fn charts(solved: &Solved) -> String {
    let played = [
        ("all-in", &solved.found.ranges.jam, solved.judged.first().map(|rule| &rule.ranges.jam)),
        ("call", &solved.found.ranges.call, solved.judged.first().map(|rule| &rule.ranges.call)),
    ];
    let rule = solved.judged.first();
    let (columns, rows) = if rule.is_some() { (3.0, 2.0) } else { (2.0, 1.0) };
    let [wide, tall] = grid::size([CELL, TALL]);
    let tall = tall + LINE;
    let width = columns * wide + (columns - 1.0) * GAP;
    let title = format!("All-in or fold with {} big blinds", solved.payoffs.stack);
    let about = match rule {
        Some(rule) => format!(
            "The rule loses {:.1} mbb as small blind and {:.1} as big blind. Difference: played by \
             the rule only (filled), by the equilibrium only (dashed).",
            rule.losses[0], rule.losses[1]
        ),
        None => format!("The small blind wins {:.5} big blinds a hand.", solved.found.value),
    };
    let heading = Heading::new(&title, &about, width);
    let head = HEAD + heading.extra_height();
    let size = [2.0 * EDGE + width, head + rows * tall + (rows - 1.0) * GAP + EDGE];
    let mut picture = Picture::new(&Head {
        name: "shove-fold",
        size,
        shown: None,
        title: &title,
        description: &format!("{about} Pairs on the diagonal, suited hands above it."),
        letters: 10.0,
        colours: &[
            (" .cell", "fill", Colour::Shade),
            (" .played", "fill", Colour::Felt),
            (" .more", "fill", Colour::Mark),
            (" .less", "stroke", Colour::Mark),
            (" .hand", "stroke", Colour::Ground),
        ],
        style: ".hand{paint-order:stroke;stroke-width:2px;stroke-opacity:0.5}\
                .less{fill:none;stroke-width:1.6;stroke-dasharray:3 2}",
    });
    heading.draw(&mut picture, [EDGE, 20.0]);
    for (number, (what, nash, ruled)) in played.into_iter().enumerate() {
        let number = number as f64;
        match ruled {
            None => {
                let corner = [EDGE + number * (wide + GAP), head];
                chart(&mut picture, corner, &named(what, "equilibrium", nash), nash, None);
            }
            Some(ruled) => {
                let at = |column: f64| [EDGE + column * (wide + GAP), head + number * (tall + GAP)];
                chart(&mut picture, at(0.0), &named(what, "rule", ruled), ruled, None);
                chart(&mut picture, at(1.0), &named(what, "equilibrium", nash), nash, None);
                chart(&mut picture, at(2.0), &format!("{what}: difference"), ruled, Some(nash));
            }
        }
    }
    picture.finish()
}

fn named(what: &str, player: &str, range: &Range) -> String {
    format!("{what}, {player}: {} of hands", percent(share(range), 1))
}

/// Draws one chart; with a second range, the difference of the first from it.
fn chart(picture: &mut Picture, [x, y]: [f64; 2], name: &str, range: &Range, than: Option<&Range>) {
    picture.text([x, y + 14.0], "font-size=\"12\" font-weight=\"bold\"", name);
    let corners = grid::corners([x, y + LINE], [CELL, TALL]);
    for (hand, [left, top]) in StartingHand::all().zip(corners) {
        let at = hand.index();
        let (wide, tall) = (CELL - 1.0, TALL - 1.0);
        picture.add(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide}\" height=\"{tall}\" \
             class=\"cell\"/>"
        ));
        let (class, amount) = match than {
            None => ("played", range[at]),
            Some(than) if range[at] >= than[at] => ("more", range[at] - than[at]),
            Some(than) => ("less", than[at] - range[at]),
        };
        if amount > 5e-4 {
            let inset = if class == "less" { 1.0 } else { 0.0 };
            picture.add(format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\" class=\"{class}\">\
                 <title>{hand}: {}</title></rect>",
                left + inset,
                top + inset,
                (wide - 2.0 * inset) * amount,
                tall - 2.0 * inset,
                percent(amount, 1)
            ));
        }
        let middle = [left + 0.5 * wide, top + 14.5];
        picture.text(middle, "class=\"hand\" text-anchor=\"middle\"", &hand.to_string());
    }
}
