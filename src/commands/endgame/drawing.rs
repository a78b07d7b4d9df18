//! The picture of a tree that predicts bet sizes, drawn from left to right. Each node is a box with
//! its condition, its size and a bar of proportional length.

use show::number::whole;
use show::svg::tree::{Layout, Measures};
use show::svg::{Colour, Head, Letters, Picture, escaped};

use super::leaves::TreeNode;

const WIDE: f64 = 268.0;
const TALL: f64 = 46.0;
/// Distances: between columns of boxes, and between boxes of a column.
const GAP: f64 = 26.0;
const BETWEEN: f64 = 8.0;
const EDGE: f64 = 14.0;
const INSET: f64 = 8.0;
/// Height of the head above the boxes.
const TOP: f64 = 56.0;
const LETTERS: Letters = Letters::regular(11.0);
const BOLD: Letters = Letters::bold(11.0);

/// The tree as SVG. In `nodes` a parent comes before its children; a bar of full width is a bet of
/// `most` pots.
pub(super) fn svg(nodes: &[TreeNode], title: &str, about: &str, most: f64) -> String {
    let measures = Measures { node: [WIDE, TALL], gaps: [GAP, BETWEEN], edge: EDGE, top: TOP };
    let layout = Layout::new(nodes.iter().map(|node| node.parent).collect(), measures);
    let [width, height] = layout.size();
    let width = width.max(2.0 * EDGE + Letters::bold(15.0).wide(title)).max(480.0);
    let shown = [width, height].map(|size| format!("{size:.0}"));
    let mut svg = Picture::new(&Head {
        name: "tree",
        size: [width, height],
        shown: Some([&shown[0], &shown[1]]),
        title,
        description: about,
        letters: 11.0,
        colours: &[
            (" .box", "fill", Colour::Field),
            (" .box", "stroke", Colour::Line),
            (" .leaf", "fill", Colour::Shade),
            (" .edge", "stroke", Colour::Line),
            (" .soft", "fill", Colour::Soft),
            (" .size", "fill", Colour::Felt),
        ],
        style: ".tree .edge{fill:none}.tree .bold{font-weight:600}",
    });
    svg.text([EDGE, 24.0], "font-size=\"15\" font-weight=\"600\"", title);
    let about = format!(
        "{about}; bets in pots, a full bar is {most}; after ± the root of the squared error"
    );
    svg.text([EDGE, 42.0], "class=\"soft\"", &LETTERS.wrapped(&about, width)[0]);
    for node in nodes {
        layout.draw_edge(&mut svg, node.node);
        draw(&mut svg, node, most, layout.at(node.node));
    }
    svg.finish()
}

fn draw(svg: &mut Picture, node: &TreeNode, most: f64, [x, y]: [f64; 2]) {
    let condition = if node.condition.is_empty() { "every card" } else { &node.condition };
    let says =
        format!("{:.2} ± {:.2} · {} cards", node.size, node.error.sqrt(), whole(node.rows as u64));
    let class = if node.leaf { "box leaf" } else { "box" };
    svg.add(format_args!(
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{WIDE}\" \
         height=\"{TALL}\" rx=\"5\" class=\"{class}\"/>",
        escaped(&format!("node {}: {condition}; {says}", node.node))
    ));
    let available = WIDE - 2.0 * INSET;
    svg.text([x + INSET, y + 15.0], "class=\"bold\"", &BOLD.wrapped(condition, available)[0]);
    svg.text([x + INSET, y + 29.5], "", &LETTERS.wrapped(&says, available)[0]);
    let long = available * (node.size / most).clamp(0.0, 1.0);
    svg.add(format_args!(
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"6\" class=\"size\"/></g>",
        x + INSET,
        y + TALL - 11.0
    ));
}

#[cfg(test)]
mod tests {
    use super::{BOLD, INSET, LETTERS, TreeNode, WIDE, svg};

    fn node(node: usize, parent: Option<usize>, condition: &str, leaf: bool) -> TreeNode {
        let (depth, condition) = (usize::from(parent.is_some()), condition.to_owned());
        let (size, rows, error) = (2.9314, 640_000, 2.25);
        TreeNode { node, parent, depth, condition, size, rows, error, leaf }
    }

    #[test]
    fn the_longest_texts_have_room_in_their_boxes() {
        let available = WIDE - 2.0 * INSET;
        for longest in
            ["own cards up to this one ≥ 0.99999994", "other's cards 1 to 100 ≥ 0.999994"]
        {
            assert!(BOLD.wide(longest) <= available, "{longest}: {}", BOLD.wide(longest));
        }
        assert!(LETTERS.wide("2.93 ± 1.50 · 64,000,000 cards") <= available);
    }

    #[test]
    fn a_picture_has_a_box_for_each_node_and_an_edge_for_each_child() {
        let (low, high) = ("the card beats < 0.966", "the card beats ≥ 0.966");
        let nodes =
            [node(0, None, "", false), node(1, Some(0), low, true), node(2, Some(0), high, true)];
        let picture = svg(&nodes, "one < two", "about", 3.0);
        let count = |text: &str| picture.matches(text).count();
        assert_eq!((count("<g>"), count("class=\"box"), count("class=\"edge\"")), (3, 3, 2));
        assert_eq!(count("every card"), 2);
        assert!(picture.contains("the card beats &lt; 0.966") && !picture.contains("one < two"));
    }
}
