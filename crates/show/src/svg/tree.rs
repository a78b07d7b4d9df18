//! The picture of a decision tree, drawn from left to right with a box for each node. It needs no
//! fonts or other files, and is readable on light and dark ground.

use super::{Colour, Head, Letters, Picture, escaped};

/// The width of a box.
const WIDE: f64 = 196.0;
/// Distance between a box and its text.
const INSET: f64 = 8.0;
/// Distances: between columns of boxes, and between boxes of a column.
const GAP: f64 = 20.0;
const BETWEEN: f64 = 12.0;
const EDGE: f64 = 14.0;
/// Height of a line of text.
const LINE: f64 = 14.5;
/// Height of the bar below the text of a box, with its margins.
const BAR: f64 = 22.0;
const LETTERS: Letters = Letters::regular(11.5);
const BOLD: Letters = Letters::bold(11.5);

/// A tree to draw.
#[derive(Debug)]
pub struct TreePicture {
    /// The name of the tree, in one line.
    pub head: String,
    /// What is said below it, in paragraphs.
    pub about: Vec<String>,
    /// The legend: colours with their meaning.
    pub key: Vec<(&'static str, String)>,
    /// The nodes, each parent before its children.
    pub nodes: Vec<TreeBox>,
}

/// The box of a node.
#[derive(Debug)]
pub struct TreeBox {
    /// The index of its parent; `None` for the root.
    pub parent: Option<usize>,
    /// The tooltip.
    pub title: String,
    /// The condition, in bold letters.
    pub condition: String,
    /// The node's place in the tree, in faint letters; may be empty.
    pub place: String,
    /// What is done there.
    pub done: String,
    /// The parts of the bar from left to right: an attribute of SVG that gives the colour, and the
    /// share of the width.
    pub bar: Vec<(String, f64)>,
    /// The look of the box.
    pub kind: BoxKind,
}

/// The look of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxKind {
    /// A node.
    Plain,
    /// A leaf that is set off from other nodes.
    Leaf,
    /// A node with more nodes below it that are not drawn.
    More,
}

impl TreePicture {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let mut depths = vec![0_u32; self.nodes.len()];
        for (node, tree_box) in self.nodes.iter().enumerate() {
            depths[node] = tree_box.parent.map_or(0, |parent| depths[parent] + 1);
        }
        let deepest = f64::from(depths.into_iter().max().unwrap_or_default());
        let width = (2.0 * EDGE + WIDE + deepest * (WIDE + GAP)).max(760.0);
        let available = width - 2.0 * EDGE;
        let about = self.about.iter().flat_map(|text| LETTERS.wrapped(text, available));
        let about: Vec<String> = about.collect();
        let (key, top) = self.key(30.0 + LINE * about.len() as f64, available);
        let boxes: Vec<_> = self.nodes.iter().map(TreeBox::lines).collect();
        // All boxes are as tall as the one with the most lines.
        let tall = boxes.iter().map(Vec::len).max().unwrap_or_default() as f64 * LINE + BAR + 3.0;
        let measures = Measures { node: [WIDE, tall], gaps: [GAP, BETWEEN], edge: EDGE, top };
        let layout = Layout::new(self.nodes.iter().map(|node| node.parent).collect(), measures);
        let [_, height] = layout.size();
        let mut svg = open([width, height], &self.head);
        svg.text([EDGE, 20.0], "font-size=\"14\" font-weight=\"bold\"", &self.head);
        for (number, line) in about.iter().enumerate() {
            svg.text([EDGE, 37.0 + LINE * number as f64], "opacity=\"0.8\"", line);
        }
        for (x, y, colour, words) in key {
            svg.add(format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"12\" height=\"12\" rx=\"2\" \
                 fill=\"{colour}\"/>"
            ));
            svg.text([x + 17.0, y + 10.5], "", words);
        }
        for (index, node) in self.nodes.iter().enumerate() {
            layout.draw_edge(&mut svg, index);
            node.draw(&mut svg, &boxes[index], tall, layout.corner(index));
        }
        svg.finish()
    }

    /// The legend, wrapped to the width: position, colour and words of each entry. Also returns
    /// where it ends.
    fn key(&self, top: f64, available: f64) -> (Vec<(f64, f64, &'static str, &str)>, f64) {
        let (mut key, mut left, mut y) = (Vec::new(), EDGE, top);
        for (colour, words) in &self.key {
            let wide = 17.0 + LETTERS.wide(words);
            if left > EDGE && left + wide > EDGE + available {
                (left, y) = (EDGE, y + LINE + 2.0);
            }
            key.push((left, y, *colour, words.as_str()));
            left += wide + 14.0;
        }
        (key, if self.key.is_empty() { y } else { y + 26.0 })
    }
}

impl TreeBox {
    /// The lines with their CSS classes, wrapped to the width.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let parts = [
            (BOLD, "condition", &self.condition),
            (LETTERS, "number", &self.place),
            (LETTERS, "done", &self.done),
        ];
        let lines = |(letters, class, text): (Letters, &'static str, &String)| {
            letters.wrapped(text, WIDE - 2.0 * INSET).into_iter().map(move |line| (class, line))
        };
        parts.into_iter().filter(|(.., text)| !text.is_empty()).flat_map(lines).collect()
    }

    fn draw(&self, svg: &mut Picture, lines: &[(&str, String)], tall: f64, [x, y]: [f64; 2]) {
        let class = match self.kind {
            BoxKind::Plain => "box",
            BoxKind::Leaf => "box leaf",
            BoxKind::More => "box more",
        };
        svg.add(format_args!(
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{WIDE}\" \
             height=\"{tall:.1}\" rx=\"5\" class=\"{class}\"/>",
            escaped(&self.title)
        ));
        for (number, (class, words)) in (1..).zip(lines) {
            let corner = [x + INSET, y + 1.0 + f64::from(number) * LINE];
            svg.text(corner, &format!("class=\"{class}\""), words);
        }
        let (mut left, top) = (x + INSET, y + tall - 16.0);
        for (colour, share) in &self.bar {
            let part = (WIDE - 2.0 * INSET) * share;
            if part >= 0.05 {
                svg.add(format_args!(
                    "<rect x=\"{left:.2}\" y=\"{top:.1}\" width=\"{part:.2}\" height=\"9\" \
                     {colour}/>"
                ));
            }
            left += part;
        }
        svg.add(format_args!("</g>"));
    }
}

fn open(size: [f64; 2], title: &str) -> Picture {
    let shown = size.map(|size| format!("{size:.0}"));
    Picture::new(&Head {
        name: "tree",
        size,
        shown: Some([&shown[0], &shown[1]]),
        title,
        description: "",
        letters: 11.5,
        colours: &[
            (" .box", "fill", Colour::Field),
            (" .box", "stroke", Colour::Line),
            (" .more", "fill", Colour::Shade),
            (" .leaf", "fill", Colour::Shade),
            (" .edge", "stroke", Colour::Line),
            (" .amount", "fill", Colour::Felt),
        ],
        style: ".more{stroke-dasharray:4 3}.edge{fill:none}.condition{font-weight:bold}\
                .number{opacity:0.75}",
    })
}

/// The dimensions of a tree image, in its units.
struct Measures {
    /// The width and height of a node's box.
    node: [f64; 2],
    /// Distance between columns of boxes, and between boxes one below the other.
    gaps: [f64; 2],
    /// Margin around all boxes.
    edge: f64,
    /// Additional margin above the boxes.
    top: f64,
}

/// The positions of a tree's nodes.
struct Layout {
    measures: Measures,
    parents: Vec<Option<usize>>,
    /// The upper left corners of the boxes.
    corners: Vec<[f64; 2]>,
    size: [f64; 2],
}

impl Layout {
    /// The layout of nodes with these parents, each of which precedes its children: leaves one
    /// below the other, other nodes centred on their children.
    fn new(parents: Vec<Option<usize>>, measures: Measures) -> Layout {
        let Measures { node: [wide, tall], gaps: [across, down], edge, top } = measures;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
        let mut depths = vec![0_usize; parents.len()];
        for (node, parent) in parents.iter().enumerate() {
            if let &Some(parent) = parent {
                children[parent].push(node);
                depths[node] = depths[parent] + 1;
            }
        }
        let mut rows = vec![0.0; parents.len()];
        let mut next = 0.0;
        for node in (0..parents.len()).filter(|&node| children[node].is_empty()) {
            rows[node] = next;
            next += 1.0;
        }
        for node in (0..parents.len()).rev() {
            if let (Some(&first), Some(&last)) = (children[node].first(), children[node].last()) {
                rows[node] = f64::midpoint(rows[first], rows[last]);
            }
        }
        let corner = |(&depth, row): (&usize, &f64)| {
            [edge + depth as f64 * (wide + across), top + row * (tall + down)]
        };
        let deepest = depths.iter().copied().max().unwrap_or_default() as f64;
        let size = [
            2.0 * edge + wide + deepest * (wide + across),
            top + (next - 1.0) * (tall + down) + tall + edge,
        ];
        let corners = depths.iter().zip(&rows).map(corner).collect();
        Layout { measures, parents, corners, size }
    }

    /// The width and height of the image.
    fn size(&self) -> [f64; 2] {
        self.size
    }

    /// The upper left corner of a node's box.
    fn corner(&self, node: usize) -> [f64; 2] {
        self.corners[node]
    }

    /// Draws the edge from a node's parent to it, if it has one, with the class `edge`.
    fn draw_edge(&self, svg: &mut Picture, node: usize) {
        let Some([from_x, from_y]) = self.parents[node].map(|parent| self.corner(parent)) else {
            return;
        };
        let [x, y] = self.corner(node);
        let ([wide, tall], [across, _]) = (self.measures.node, self.measures.gaps);
        let (from, middle, half) = (from_x + wide, x - across / 2.0, tall / 2.0);
        svg.add(format_args!(
            "<path d=\"M{from:.1} {:.1}H{middle:.1}V{:.1}H{x:.1}\" class=\"edge\"/>",
            from_y + half,
            y + half
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::{BoxKind, TreeBox, TreePicture};

    #[test]
    fn a_picture_has_a_box_for_each_node_and_an_edge_for_each_child() {
        let node = |parent, condition: &str, kind| TreeBox {
            parent,
            title: condition.to_owned(),
            condition: condition.to_owned(),
            place: String::new(),
            done: "2.93 ± 1.50".to_owned(),
            bar: vec![("class=\"amount\"".to_owned(), 0.5)],
            kind,
        };
        let nodes = vec![
            node(None, "every card", BoxKind::Plain),
            node(Some(0), "the card beats < 0.966", BoxKind::Leaf),
            node(Some(0), "the card beats ≥ 0.966", BoxKind::More),
        ];
        let about = vec!["about".to_owned()];
        let picture =
            TreePicture { head: "one < two".to_owned(), about, key: Vec::new(), nodes }.svg();
        let count = |text: &str| picture.matches(text).count();
        assert_eq!((count("<g>"), count("class=\"box"), count("class=\"edge\"")), (3, 3, 2));
        assert_eq!((count("every card"), count("class=\"amount\"")), (2, 3));
        assert!(picture.contains("the card beats &lt; 0.966") && !picture.contains("one < two"));
    }
}
