//! The picture of a tree, drawn from left to right with a box for each node. It needs no fonts or
//! other files, and is readable on light and dark ground.

use abstraction::menu::{BetSize, Move};
use models::explain::{Explainer, OutlineNode};
use show::number::whole;
use show::svg::tree::{Layout, Measures};
use show::svg::{Colour, Head, Letters, Picture, escaped};

use super::tree::rows;
use crate::chart::Kind;
use crate::chart::picture;

const WIDE: f64 = 272.0;
/// Distance between a box and its text.
const INSET: f64 = 8.0;
/// Distances: between columns of boxes, and between boxes of a column.
const GAP: f64 = 30.0;
const BETWEEN: f64 = 12.0;
const EDGE: f64 = 14.0;
/// Height of a line of text.
const LINE: f64 = 14.5;
/// Height of the bar below the text of a box, with its margins.
const BAR: f64 = 22.0;
const LETTERS: Letters = Letters::regular(11.5);
const BOLD: Letters = Letters::bold(11.5);

/// The heading above a tree.
pub(super) struct Heading {
    /// The name of the tree, in one line.
    pub(super) head: String,
    /// The size of the tree, in words.
    pub(super) about: String,
    /// The conditions that hold at the first node shown; empty for the root.
    pub(super) holds: String,
    /// The weight of all rows of the tree.
    pub(super) weight: f64,
}

/// The tree as SVG. `won` has the winnings of each node, if any, which are shown as a tooltip.
pub(super) fn svg(
    explainer: &Explainer<'_>,
    shown: &[OutlineNode],
    won: &[String],
    heading: &Heading,
) -> String {
    let deepest = shown.iter().map(|node| node.depth).max().unwrap_or_default();
    let width = (2.0 * EDGE + WIDE + deepest as f64 * (WIDE + GAP)).max(760.0);
    let available = width - 2.0 * EDGE;
    let mut lines = LETTERS.wrapped(&heading.about, available);
    if !heading.holds.is_empty() {
        lines.extend(LETTERS.wrapped(&format!("There: {}", heading.holds), available));
    }
    let legend = 30.0 + LINE * lines.len() as f64;
    let (key, top) = key(explainer, legend, available);
    let boxes: Vec<Vec<(&str, String)>> =
        shown.iter().map(|node| words(explainer, node, heading.weight)).collect();
    // All boxes are as tall as the one with the most lines.
    let tall = boxes.iter().map(Vec::len).max().unwrap_or_default() as f64 * LINE + BAR + 3.0;
    let measures = Measures { node: [WIDE, tall], gaps: [GAP, BETWEEN], edge: EDGE, top };
    let layout = Layout::new(shown.iter().map(|node| node.parent).collect(), measures);
    let [_, height] = layout.size();
    let mut svg = open([width, height], heading, &lines);
    for (x, y, kind, words) in &key {
        svg.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>",
            picture::colour(*kind)
        ));
        svg.text([x + 17.0, y + 10.5], "", words);
    }
    for (index, node) in shown.iter().enumerate() {
        layout.draw_edge(&mut svg, index);
        let contents = BoxContents {
            node,
            weight: heading.weight,
            won: won.get(index).map(String::as_str),
            lines: &boxes[index],
            tall,
        };
        node_box(&mut svg, explainer, &contents, layout.at(index));
    }
    svg.finish()
}

/// The contents of a box.
struct BoxContents<'a> {
    node: &'a OutlineNode,
    /// The weight of all rows of the tree.
    weight: f64,
    /// The winnings of the node, if requested.
    won: Option<&'a str>,
    /// The lines of text, each with its CSS class.
    lines: &'a [(&'static str, String)],
    /// The height of the box.
    tall: f64,
}

/// The lines of a box with their CSS classes, wrapped to its width.
fn words(
    explainer: &Explainer<'_>,
    node: &OutlineNode,
    weight: f64,
) -> Vec<(&'static str, String)> {
    let condition = match node.condition.as_str() {
        "" if node.node == 0 => "every decision",
        "" => "from here on",
        condition => condition,
    };
    let number = format!("node {} · {}", node.node, rows(&node.summary, weight));
    let parts = [
        (BOLD, "condition", condition.to_owned()),
        (LETTERS, "number", number),
        (LETTERS, "done", explainer.mix(node.node)),
    ];
    let lines = |(letters, class, text): (Letters, &'static str, String)| {
        letters.wrapped(&text, WIDE - 2.0 * INSET).into_iter().map(move |line| (class, line))
    };
    parts.into_iter().flat_map(lines).collect()
}

fn node_box(
    svg: &mut Picture,
    explainer: &Explainer<'_>,
    contents: &BoxContents<'_>,
    [x, y]: [f64; 2],
) {
    let BoxContents { node, weight, won, lines, tall } = *contents;
    let class = if node.hidden > 0 { "box more" } else { "box" };
    let below = match node.hidden {
        0 => String::new(),
        leaves => format!(" · {} leaves below", whole(leaves as u64)),
    };
    let won = won.map_or_else(String::new, |won| format!("; {won}"));
    let (done, rows) = (explainer.mix(node.node), rows(&node.summary, weight));
    svg.add(format_args!(
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{WIDE}\" height=\"{tall:.1}\" \
         rx=\"5\" class=\"{class}\"/>",
        escaped(&format!("node {}: {}; {done}; {rows}{below}{won}", node.node, node.condition))
    ));
    for (number, (class, words)) in (1..).zip(lines) {
        let corner = [x + INSET, y + 1.0 + f64::from(number) * LINE];
        svg.text(corner, &format!("class=\"{class}\""), words);
    }
    bar(svg, explainer, &node.summary.shares, (x + INSET, y + tall - 16.0));
    svg.add(format_args!("</g>"));
}

/// Draws a bar that shows how often each class is answered.
fn bar(svg: &mut Picture, explainer: &Explainer<'_>, shares: &[f64], (x, y): (f64, f64)) {
    let wide = WIDE - 2.0 * INSET;
    let mut left = x;
    for (kind, share) in kinds(explainer).into_iter().zip(shares) {
        let part = wide * share;
        if part >= 0.05 {
            let fill = picture::colour(kind);
            svg.add(format_args!(
                "<rect x=\"{left:.2}\" y=\"{y:.1}\" width=\"{part:.2}\" height=\"9\" \
                 fill=\"{fill}\"/>"
            ));
        }
        left += part;
    }
}

/// The legend, wrapped to the width: position, colour and words of each entry. Also returns where
/// it ends.
fn key(
    explainer: &Explainer<'_>,
    top: f64,
    available: f64,
) -> (Vec<(f64, f64, Kind, String)>, f64) {
    let owed = explainer.owed(0);
    let (mut key, mut left, mut y) = (Vec::new(), EDGE, top);
    for (kind, class) in kinds(explainer).into_iter().zip(explainer.tree().class_names()) {
        let words = explainer.move_words(class, owed);
        let wide = 17.0 + LETTERS.wide(&words);
        if left > EDGE && left + wide > EDGE + available {
            (left, y) = (EDGE, y + LINE + 2.0);
        }
        key.push((left, y, kind, words));
        left += wide + 14.0;
    }
    (key, y + 26.0)
}

/// The kind of action of each class.
fn kinds(explainer: &Explainer<'_>) -> Vec<Kind> {
    let mut raises = 0;
    let kind = |class: &String| match class.parse() {
        Ok(Move::Fold) => Kind::Fold,
        Ok(Move::Call) => Kind::Call,
        Ok(Move::Raise(BetSize::AllIn)) => Kind::AllIn,
        Ok(Move::Raise(_)) | Err(()) => {
            raises += 1;
            Kind::Raise(raises - 1)
        }
    };
    explainer.tree().class_names().iter().map(kind).collect()
}

/// The colour of each class.
pub(super) fn colours(explainer: &Explainer<'_>) -> Vec<&'static str> {
    kinds(explainer).into_iter().map(picture::colour).collect()
}

/// The colour of the most frequent answer.
pub(super) fn colour(explainer: &Explainer<'_>, shares: &[f64]) -> &'static str {
    let most = kinds(explainer).into_iter().zip(shares).max_by(|a, b| a.1.total_cmp(b.1));
    picture::colour(most.map_or(Kind::Call, |(kind, _)| kind))
}

fn open(size: [f64; 2], heading: &Heading, lines: &[String]) -> Picture {
    let shown = size.map(|size| format!("{size:.0}"));
    let mut svg = Picture::new(&Head {
        name: "tree",
        size,
        shown: Some([&shown[0], &shown[1]]),
        title: &heading.head,
        description: "",
        letters: 11.5,
        colours: &[
            (" .box", "fill", Colour::Field),
            (" .box", "stroke", Colour::Line),
            (" .more", "fill", Colour::Shade),
            (" .edge", "stroke", Colour::Line),
        ],
        style: ".more{stroke-dasharray:4 3}.edge{fill:none}.condition{font-weight:bold}\
                .number{opacity:0.75}",
    });
    svg.text([EDGE, 20.0], "font-size=\"14\" font-weight=\"bold\"", &heading.head);
    for (number, line) in lines.iter().enumerate() {
        svg.text([EDGE, 37.0 + LINE * number as f64], "opacity=\"0.8\"", line);
    }
    svg
}
