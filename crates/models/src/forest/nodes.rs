//! The trees of a forest, packed for traversal.
//!
//! The nodes of a tree are stored level by level, siblings side by side. A traversal has no
//! branches: a leaf tests a value that is always below its threshold (one more, past the row's
//! end), and leads to itself. Several trees are traversed in lockstep, so that their cache misses
//! overlap.

use std::fmt;

use super::ForestError;

/// An unpacked decision tree, for exchange with the packed form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// The nodes; the first is the root.
    pub nodes: Vec<Node>,
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node {
    /// A leaf.
    Leaf {
        /// The value it adds to the margin.
        value: f32,
        /// The second-order weight of its training rows.
        cover: f32,
    },
    /// A split.
    Split {
        /// The tested column.
        column: usize,
        /// The threshold: rows with a smaller value go left.
        below: f32,
        /// Index of the left child.
        left: usize,
        /// Index of the right child.
        right: usize,
        /// Whether XGBoost sends rows with a missing value left. Rows here have none.
        missing_left: bool,
        /// The reduction of the training loss.
        gain: f32,
        /// The second-order weight of its training rows.
        cover: f32,
        /// The value it would have as a leaf.
        value: f32,
    },
}

/// Maximum number of columns: those a packed node can hold, less one for leaves.
pub(super) const MAX_COLUMNS: usize = (1 << COLUMN_BITS) - 2;
const COLUMN_BITS: u32 = 11;
/// Maximum distance of a child from its parent.
const MAX_AHEAD: u32 = (1 << (31 - COLUMN_BITS)) - 1;
/// Number of trees traversed in lockstep.
const LANES: usize = 16;

/// A packed node: the threshold, or a leaf's value; bits 0 to 10 the column (for a leaf the number
/// of columns), bit 11 whether missing values go left, the others the distance to the left child (0
/// for a leaf).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Packed {
    below: f32,
    link: u32,
}

impl Packed {
    fn column(self) -> usize {
        (self.link & ((1 << COLUMN_BITS) - 1)) as usize
    }

    fn missing_left(self) -> bool {
        self.link >> COLUMN_BITS & 1 == 1
    }

    fn ahead(self) -> u32 {
        self.link >> (COLUMN_BITS + 1)
    }
}

/// A node's training statistics, which traversal does not need.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Known {
    gain: f32,
    cover: f32,
    value: f32,
}

/// All trees of a forest.
#[derive(Clone, PartialEq)]
pub(super) struct Nodes {
    columns: usize,
    packed: Vec<Packed>,
    known: Vec<Known>,
    /// The first node of each tree, and the number of nodes at the end.
    starts: Vec<u32>,
    depths: Vec<u32>,
}

impl fmt::Debug for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} trees of {} nodes", self.trees(), self.len())
    }
}

impl Nodes {
    pub(super) fn new(columns: usize) -> Nodes {
        let (packed, known) = (Vec::new(), Vec::new());
        Nodes { columns, packed, known, starts: vec![0], depths: Vec::new() }
    }

    pub(super) fn trees(&self) -> usize {
        self.depths.len()
    }

    pub(super) fn len(&self) -> usize {
        self.packed.len()
    }

    pub(super) fn truncate(&mut self, trees: usize) {
        self.starts.truncate(trees + 1);
        self.depths.truncate(trees);
        let end = *self.starts.last().expect("there is always one start") as usize;
        self.packed.truncate(end);
        self.known.truncate(end);
    }

    /// Adds a tree; unchanged on an error.
    pub(super) fn push(&mut self, tree: &Tree) -> Result<(), ForestError> {
        let trees = self.trees();
        let pushed = self.pack(tree);
        match pushed {
            Ok(depth) if u32::try_from(self.packed.len()).is_ok() => {
                self.depths.push(depth);
                self.starts.push(self.packed.len() as u32);
                Ok(())
            }
            Ok(_) => {
                self.truncate(trees);
                Err(ForestError::Tree { tree: trees, node: 0, what: "too many nodes in all" })
            }
            Err((node, what)) => {
                self.truncate(trees);
                Err(ForestError::Tree { tree: trees, node, what })
            }
        }
    }

    /// Appends the nodes level by level and gives the depth, or the invalid node and the problem.
    fn pack(&mut self, tree: &Tree) -> Result<u32, (usize, &'static str)> {
        let mut order: Vec<usize> = vec![0];
        let mut seen = vec![false; tree.nodes.len()];
        let (mut depth, mut level_end, mut at) = (0, 1, 0);
        while at < order.len() {
            if at == level_end {
                depth += 1;
                level_end = order.len();
            }
            let number = order[at];
            let node = *tree.nodes.get(number).ok_or((number, "there is no such node"))?;
            if std::mem::replace(&mut seen[number], true) {
                return Err((number, "two parents"));
            }
            let (packed, known) =
                self.pack_node(node, order.len() - at).map_err(|w| (number, w))?;
            self.packed.push(packed);
            self.known.push(known);
            if let Node::Split { left, right, .. } = node {
                order.extend([left, right]);
            }
            at += 1;
        }
        Ok(depth)
    }

    fn pack_node(&self, node: Node, ahead: usize) -> Result<(Packed, Known), &'static str> {
        match node {
            Node::Leaf { value, cover } if value.is_finite() => {
                let packed = Packed { below: value, link: self.columns as u32 };
                Ok((packed, Known { gain: 0.0, cover, value }))
            }
            Node::Leaf { .. } => Err("a leaf that is not a number"),
            Node::Split { column, .. } if column >= self.columns => {
                Err("a column that is not there")
            }
            Node::Split { below, .. } if below.is_nan() => {
                Err("a test against something that is not a number")
            }
            Node::Split { column, below, missing_left, gain, cover, value, .. } => {
                let ahead = u32::try_from(ahead).ok().filter(|&ahead| ahead <= MAX_AHEAD);
                let ahead = ahead.ok_or("children more than a million nodes away")?;
                let missing = u32::from(missing_left) << COLUMN_BITS;
                let link = column as u32 | missing | ahead << (COLUMN_BITS + 1);
                Ok((Packed { below, link }, Known { gain, cover, value }))
            }
        }
    }

    /// A tree, unpacked.
    pub(super) fn tree(&self, index: usize) -> Tree {
        let (start, end) = (self.starts[index] as usize, self.starts[index + 1] as usize);
        let unpack = |(number, (packed, known)): (usize, (&Packed, &Known))| {
            let &Known { gain, cover, value } = known;
            if packed.ahead() == 0 {
                return Node::Leaf { value: packed.below, cover };
            }
            let (left, missing_left) = (number + packed.ahead() as usize, packed.missing_left());
            let (column, below, right) = (packed.column(), packed.below, left + 1);
            Node::Split { column, below, left, right, missing_left, gain, cover, value }
        };
        let nodes = self.packed[start..end].iter().zip(&self.known[start..end]);
        Tree { nodes: nodes.enumerate().map(unpack).collect() }
    }

    /// Adds each tree's leaf value to its margin.
    pub(super) fn add(&self, row: &[f32], margins: &mut [f32]) {
        // A stack buffer would need the maximum length of a row.
        let mut numbers = Vec::with_capacity(row.len() + 1);
        numbers.extend_from_slice(row);
        numbers.push(f32::NEG_INFINITY);
        let mut group = 0;
        for (starts, depths) in
            self.starts[..self.trees()].chunks(LANES).zip(self.depths.chunks(LANES))
        {
            let mut at = [0u32; LANES];
            at[..starts.len()].copy_from_slice(starts);
            for _ in 0..depths.iter().copied().max().unwrap_or(0) {
                for at in &mut at {
                    let node = self.packed[*at as usize];
                    let left = numbers[node.column()] < node.below;
                    *at += node.ahead() + u32::from(!left);
                }
            }
            for &leaf in &at[..starts.len()] {
                margins[group] += self.packed[leaf as usize].below;
                group = if group + 1 == margins.len() { 0 } else { group + 1 };
            }
        }
    }
}
