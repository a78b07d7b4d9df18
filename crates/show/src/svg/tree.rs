//! Layout of trees in an image: from left to right, a column for each depth.

use super::Picture;

/// The dimensions of a tree image, in its units.
#[derive(Debug, Clone, Copy)]
pub struct Measures {
    /// The width and height of a node's box.
    pub node: [f64; 2],
    /// Distance between columns of boxes, and between boxes one below the other.
    pub gaps: [f64; 2],
    /// Margin around all boxes.
    pub edge: f64,
    /// Additional margin above the boxes.
    pub top: f64,
}

/// The positions of a tree's nodes.
#[derive(Debug)]
pub struct Layout {
    measures: Measures,
    parents: Vec<Option<usize>>,
    /// The upper left corners of the boxes.
    corners: Vec<[f64; 2]>,
    size: [f64; 2],
}

impl Layout {
    /// The layout of nodes with these parents, each of which precedes its children: leaves one
    /// below the other, other nodes centred on their children.
    pub fn new(parents: Vec<Option<usize>>, measures: Measures) -> Layout {
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
    pub fn size(&self) -> [f64; 2] {
        self.size
    }

    /// The upper left corner of a node's box.
    pub fn at(&self, node: usize) -> [f64; 2] {
        self.corners[node]
    }

    /// Draws the edge from a node's parent to it, if it has one, with the class `edge`.
    pub fn draw_edge(&self, svg: &mut Picture, node: usize) {
        let Some([from_x, from_y]) = self.parents[node].map(|parent| self.at(parent)) else {
            return;
        };
        let [x, y] = self.at(node);
        let ([wide, tall], [across, _]) = (self.measures.node, self.measures.gaps);
        let (from, middle, half) = (from_x + wide, x - across / 2.0, tall / 2.0);
        svg.add(format_args!(
            "<path d=\"M{from:.1} {:.1}H{middle:.1}V{:.1}H{x:.1}\" class=\"edge\"/>",
            from_y + half,
            y + half
        ));
    }
}
