//! A chart of hands as SVG, without fonts or other files, readable on light and dark backgrounds.

use show::number::percent;
use show::svg::{Colour, Head, Heading, Picture};

use super::{Chart, Class, Kind, grid};

const CELL: f64 = 52.0;
const TALL: f64 = 40.0;
const EDGE: f64 = 12.0;
const HEAD: f64 = 50.0;
/// The height of a line in the legend.
const LINE: f64 = 20.0;

/// The text above the chart.
pub(crate) struct Title {
    /// The title.
    pub(crate) head: String,
    /// The description.
    pub(crate) about: String,
}

/// The chart as SVG: each cell is divided by the probabilities of the actions, and filled up to the
/// share of its combos that are in the range.
pub(crate) fn chart(chart: &Chart, title: &Title) -> String {
    let [wide, tall] = grid::size([CELL, TALL]);
    let heading = Heading::new(&title.head, &title.about, wide);
    let head = HEAD + heading.extra_height();
    let legend = head + tall + 10.0;
    let (width, height) = (wide + 2.0 * EDGE, legend + LINE * chart.actions.len() as f64 + EDGE);
    let mut picture = open([width, height], title);
    heading.draw(&mut picture, [EDGE, 20.0]);
    for (class, [x, y]) in chart.classes().iter().zip(grid::corners([EDGE, head], [CELL, TALL])) {
        cell(&mut picture, chart, class, x + 1.0, y + 1.0);
    }
    for (at, choice) in chart.actions.iter().enumerate() {
        let y = legend + LINE * at as f64;
        let pot = choice
            .of_pot
            .map_or_else(String::new, |share| format!(" ({} of the pot)", percent(share, 0)));
        picture.add(format_args!(
            "<rect x=\"{EDGE}\" y=\"{y:.1}\" width=\"14\" height=\"14\" rx=\"2\" fill=\"{}\"/>",
            colour(choice.kind)
        ));
        let (frequency, combos) = (percent(choice.frequency, 2), choice.combos);
        let words = format!("{}{pot}: {frequency} of the range, {combos:.2} combos", choice.name);
        picture.text([EDGE + 22.0, y + 11.5], "", &words);
    }
    picture.finish()
}

fn cell(picture: &mut Picture, chart: &Chart, class: &Class, x: f64, y: f64) {
    let (wide, tall) = (CELL - 2.0, TALL - 2.0);
    picture.add(format_args!(
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide}\" height=\"{tall}\" \
         class=\"cell\"/>",
        said(chart, class)
    ));
    let filled =
        if class.most > 0 { tall * (class.combos / class.most as f64).min(1.0) } else { 0.0 };
    let mut left = x;
    for (choice, share) in chart.actions.iter().zip(&class.mix) {
        let part = wide * share;
        if part >= 0.05 {
            picture.add(format_args!(
                "<rect x=\"{left:.2}\" y=\"{:.2}\" width=\"{part:.2}\" height=\"{filled:.2}\" \
                 fill=\"{}\"/>",
                y + tall - filled,
                colour(choice.kind)
            ));
        }
        left += part;
    }
    let faint = if class.combos > 0.0 { "" } else { " opacity=\"0.45\"" };
    let attributes = format!("class=\"hand\"{faint}");
    picture.text([x + 4.0, y + 14.0], &attributes, &class.hand.to_string());
    picture.add(format_args!("</g>"));
}

/// The description of a cell in words.
fn said(chart: &Chart, class: &Class) -> String {
    if class.combos == 0.0 {
        return format!("{}: not in the range", class.hand);
    }
    let shares = chart.actions.iter().zip(&class.mix);
    let shares: Vec<String> =
        shares.map(|(choice, share)| format!("{} {}", choice.name, percent(*share, 1))).collect();
    let gets = class.gets.map_or_else(String::new, |gets| format!("; gets {gets:.2} chips"));
    format!(
        "{}: {}; {:.2} of {} combos{gets}",
        class.hand,
        shares.join(", "),
        class.combos,
        class.most
    )
}

/// The colour of an action, also in pictures of trees.
pub(crate) fn colour(kind: Kind) -> &'static str {
    let colour = match kind {
        Kind::Fold => Colour::Fold,
        Kind::Call => Colour::Call,
        Kind::Raise(number) => Colour::Raise(number),
        Kind::AllIn => Colour::AllIn,
    };
    // It is the same on light and dark backgrounds.
    let [light, _] = colour.codes();
    light
}

/// Begins the picture.
fn open(size: [f64; 2], title: &Title) -> Picture {
    let description = format!(
        "{}. Pairs on the diagonal, suited hands above it, offsuit hands below; a cell is as full \
         as its combos get there.",
        title.about
    );
    Picture::new(&Head {
        name: "chart",
        size,
        shown: None,
        title: &title.head,
        description: &description,
        letters: 12.0,
        colours: &[(" .cell", "fill", Colour::Shade), (" .hand", "stroke", Colour::Ground)],
        style: ".hand{font-weight:bold;paint-order:stroke;stroke-width:2.5px;stroke-opacity:0.5}",
    })
}
