//! Boosted forests: the models of XGBoost's `multi:softprob` and `binary:logistic`.
//!
//! A forest adds up, for each class, a base score and one leaf of each of the class's trees, in
//! 32-bit numbers and in the order of the rounds; the softmax of the sums is the class
//! distribution. A row goes left where `value < split_condition`, as in XGBoost. Trees take turns:
//! tree `t` adds to margin `t % groups`. The weights of DART's trees are multiplied into their
//! leaves when a model is read.
//!
//! Files: XGBoost's own JSON and UBJ ([`Forest::to_json`], [`Forest::to_ubj`]), which are lossless,
//! and a compact form of about 3 bytes a node ([`Forest::to_compact`]), which keeps every test
//! exactly, rounds leaves to 16 bits, and drops training statistics. [`Forest::read`] accepts all
//! three. Files written here carry a checksum, which must match; those of XGBoost have none.

mod compact;
mod ubj;
mod xgboost;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::{Classifier, Error, softmax};

/// XGBoost's attribute for the round with the best validation score.
const BEST: &str = "best_iteration";

/// The link function from margins to class probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// A margin for each class, and the softmax of them: `multi:softprob`.
    Softmax,
    /// One margin, whose logistic function is the probability of the second of two classes:
    /// `binary:logistic`.
    Logistic,
}

/// A boosted forest.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    columns: usize,
    names: Vec<String>,
    attributes: BTreeMap<String, String>,
    link: Link,
    base: Vec<f32>,
    nodes: Nodes,
}

impl Forest {
    /// A forest without trees, whose answer is the softmax of `base`, a margin for each class.
    /// `columns` is at most 2046.
    pub fn new(columns: usize, base: Vec<f32>) -> Result<Forest, Error> {
        Ok(Forest::with_link(columns, base, Link::Softmax)?)
    }

    fn with_link(columns: usize, base: Vec<f32>, link: Link) -> Result<Forest, Problem> {
        let classes = match link {
            Link::Softmax => base.len(),
            Link::Logistic => 2,
        };
        if columns == 0 || classes < 2 {
            return Err(Problem::Narrow { columns, classes });
        }
        if columns > MAX_COLUMNS {
            return Err(Problem::Columns { columns, most: MAX_COLUMNS });
        }
        if let Some(class) = base.iter().position(|value| !value.is_finite()) {
            return Err(Problem::Base { class, value: base[class] });
        }
        let nodes = Nodes::new(columns);
        let (names, attributes) = (Vec::new(), BTreeMap::new());
        Ok(Forest { columns, names, attributes, link, base, nodes })
    }

    /// The same forest with a name for each column.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Forest, Error> {
        if !names.is_empty() && names.len() != self.columns {
            return Err(Problem::Names { names: names.len(), columns: self.columns }.into());
        }
        self.names = names;
        Ok(self)
    }

    /// The same forest with one more of XGBoost's attributes, a free key and text.
    pub fn with_attribute(mut self, key: &str, text: &str) -> Forest {
        self.attributes.insert(key.to_string(), text.to_string());
        self
    }

    /// Adds a tree for the next margin in turn. Its nodes are renumbered level by level.
    pub fn push(&mut self, tree: &Tree) -> Result<(), Error> {
        Ok(self.nodes.push(tree)?)
    }

    /// Drops all but the first `trees` trees.
    pub fn truncate(&mut self, trees: usize) {
        self.nodes.truncate(trees);
    }

    /// Parses XGBoost's JSON, XGBoost's UBJ or the compact form.
    pub fn read(bytes: &[u8]) -> Result<Forest, Error> {
        match bytes {
            [b'{', b'L' | b'l' | b'i' | b'U' | b'I' | b'#' | b'$', ..] => {
                self::xgboost::read_ubj(bytes)
            }
            [b'{' | b' ' | b'\n' | b'\r' | b'\t', ..] => self::xgboost::read_json(bytes),
            _ if bytes.starts_with(compact::MAGIC) => compact::read(bytes),
            _ => Err(Problem::NotOne.into()),
        }
    }

    /// Reads a file in any of the three forms.
    pub fn open(path: &Path) -> Result<Forest, Error> {
        let bytes = std::fs::read(path).map_err(|error| {
            Error::file(format!("cannot read the forest {}: {error}", path.display()))
        })?;
        Forest::read(&bytes)
    }

    /// The forest as XGBoost's JSON model file, about 60 bytes a node.
    pub fn to_json(&self) -> Vec<u8> {
        self::xgboost::json(self)
    }

    /// The forest as XGBoost's UBJ model file, about 34 bytes a node.
    pub fn to_ubj(&self) -> Vec<u8> {
        self::xgboost::ubj(self)
    }

    /// The forest in the compact form. Each leaf is off by at most 1/131,070 of the span of its
    /// tree's leaves, so probabilities differ in the fifth digit. Gains, covers and inner values
    /// are dropped.
    pub fn to_compact(&self) -> Vec<u8> {
        compact::write(self)
    }

    /// Checks that the forest has these columns, by number and (where it names them) by name, and
    /// this number of classes.
    pub fn require(&self, columns: &[String], classes: usize) -> Result<(), Error> {
        let other = |what, theirs, ours| Err(Problem::Other { what, theirs, ours }.into());
        if self.columns != columns.len() {
            return other("features", self.columns, columns.len());
        }
        if self.classes() != classes {
            return other("classes", self.classes(), classes);
        }
        let differs = |(_, (theirs, ours)): &(usize, (&String, &String))| theirs != ours;
        match self.names.iter().zip(columns).enumerate().find(differs) {
            None => Ok(()),
            Some((column, (theirs, ours))) => {
                let (theirs, ours) = (theirs.clone(), ours.clone());
                Err(Problem::OtherName { column, theirs, ours }.into())
            }
        }
    }

    /// The link function.
    pub fn link(&self) -> Link {
        self.link
    }

    /// The base margins, before any tree, as many as [`Forest::groups`].
    pub fn base(&self) -> &[f32] {
        &self.base
    }

    /// Number of margins that trees add to: one for each class, or one alone for
    /// [`Link::Logistic`].
    pub fn groups(&self) -> usize {
        self.base.len()
    }

    /// The names of the columns; empty where the file names none.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// XGBoost's attributes: free texts stored with the model.
    pub fn attributes(&self) -> &BTreeMap<String, String> {
        &self.attributes
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.nodes.trees()
    }

    /// Number of rounds, each with a tree for every margin.
    pub fn rounds(&self) -> usize {
        self.trees() / self.groups()
    }

    /// Number of rounds to use where XGBoost stopped early: up to and including `best_iteration`,
    /// an attribute that counts from 0, and never more than exist. None without this attribute.
    ///
    /// # Errors
    /// When the attribute is not a number.
    pub fn best_rounds(&self) -> Result<Option<usize>, Error> {
        let Some(text) = self.attributes.get(BEST) else { return Ok(None) };
        let best: usize =
            text.parse().map_err(|_| Problem::Number { field: BEST, text: text.clone() })?;
        Ok(Some(best.saturating_add(1).min(self.rounds())))
    }

    /// Total number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The tree with this index. Panics where there is none.
    pub fn tree(&self, index: usize) -> Tree {
        self.nodes.tree(index)
    }

    /// Computes the margins of a row, as many as [`Forest::groups`]. Panics on other lengths.
    pub fn margins(&self, row: &[f32], margins: &mut [f32]) {
        assert_eq!(row.len(), self.columns, "a number for each column");
        margins.copy_from_slice(&self.base);
        self.nodes.add(row, margins);
    }
}

impl Classifier for Forest {
    fn columns(&self) -> usize {
        self.columns
    }

    fn classes(&self) -> usize {
        match self.link {
            Link::Softmax => self.base.len(),
            Link::Logistic => 2,
        }
    }

    fn predict(&self, row: &[f32], shares: &mut [f32]) {
        match self.link {
            Link::Softmax => {
                self.margins(row, shares);
                // XGBoost's arithmetic: exponentials in 32 bits, their sum in 64 bits.
                softmax(shares, |powers| {
                    powers.iter().map(|&power| f64::from(power)).sum::<f64>() as f32
                });
            }
            Link::Logistic => {
                assert_eq!(shares.len(), 2, "a share for each class");
                self.margins(row, &mut shares[..1]);
                let second = 1.0 / ((-shares[0]).min(88.7).exp() + 1.0);
                shares[0] = 1.0 - second;
                shares[1] = second;
            }
        }
    }
}

/// Why a forest cannot be used.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(
        "these bytes are not a forest: they begin neither as XGBoost's JSON or UBJ files nor as \
         cardroom's own; \
         save the model with `save_model(\"NAME.ubj\")`"
    )]
    NotOne,
    #[error(
        "the XGBoost model cannot be read: {0}; save it again with `save_model` of XGBoost 1.0 to \
         3.4"
    )]
    Document(String),
    #[error(
        "the XGBoost model's `{field}` is `{text}`, which is not the number that it must be; save \
         it again"
    )]
    Number { field: &'static str, text: String },
    #[error(
        "the XGBoost model's booster is `{0}`, and only `gbtree` and `dart` can be read: train \
         with `booster=\"gbtree\"`"
    )]
    Booster(String),
    #[error(
        "the XGBoost model's objective is `{0}`, which gives no distribution over classes: \
         train with `objective=\"multi:softprob\"`"
    )]
    Objective(String),
    #[error(
        "the XGBoost model has num_parallel_tree {0}, a boosted random forest, which is not read: \
         train with `num_parallel_tree=1`"
    )]
    Parallel(String),
    #[error(
        "the XGBoost model's leaves hold vectors ({0}), which is not read: train with \
         `multi_strategy=\"one_output_per_tree\"` and one target"
    )]
    Vectors(&'static str),
    #[error(
        "tree {tree} of the XGBoost model tests a categorical feature, which is not read: train on \
         numbers, without `enable_categorical`"
    )]
    Categorical { tree: usize },
    #[error(
        "the XGBoost model has {trees} trees, and its {field} is for {declared}: it was edited or \
         cut; save it again"
    )]
    Count { trees: usize, field: &'static str, declared: usize },
    #[error(
        "the XGBoost model has {trees} trees and {weights} weights for them (`weight_drop`), and \
         each tree needs one: it was edited or cut; save it again"
    )]
    Weights { trees: usize, weights: usize },
    #[error(
        "the forest's trees must add to the classes in turn, one tree for each of {groups} and \
         round, and tree {tree} of {trees} does not: it was edited or cut; save it again"
    )]
    Turns { tree: usize, trees: usize, groups: usize },
    #[error("tree {tree} of the forest is damaged: {what} at node {node}; save the model again")]
    Tree { tree: usize, node: usize, what: &'static str },
    #[error(
        "a forest of {columns} columns and {classes} classes can predict nothing; it needs at \
         least 1 column and 2 classes"
    )]
    Narrow { columns: usize, classes: usize },
    #[error(
        "the forest's base score of class {class} is {value}, which is not a number to start from; \
         train it again"
    )]
    Base { class: usize, value: f32 },
    #[error("the forest has {columns} columns, and at most {most} can be kept: train on fewer")]
    Columns { columns: usize, most: usize },
    #[error("the forest names {names} features and has {columns}; name each of them or none")]
    Names { names: usize, columns: usize },
    #[error(
        "the forest has {theirs} {what}, and here there are {ours}: train one on data exported by \
         this program"
    )]
    Other { what: &'static str, theirs: usize, ours: usize },
    #[error(
        "the forest's feature {column} is `{theirs}`, and here it is `{ours}`: train one on data \
         exported by this program"
    )]
    OtherName { column: usize, theirs: String, ours: String },
    #[error(
        "the forest is not what was written: its checksum does not match; copy it again, or, if \
         it was changed on purpose, remove its `{}`",
        crate::file::KEY
    )]
    Changed,
    #[error(
        "the forest has format {found}, and this program reads {wanted}: write it again from its \
         XGBoost file"
    )]
    Version { found: u32, wanted: u32 },
    #[error("the forest is damaged: {0}; write it again from its XGBoost file")]
    Damaged(&'static str),
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        Error::new(problem.to_string())
    }
}

// The trees of a forest, packed for traversal.
//
// The nodes of a tree are stored level by level, siblings side by side. A traversal has no
// branches: a leaf tests a value that is always below its threshold (one more, past the row's
// end), and leads to itself. Several trees are traversed in lockstep, so that their cache misses
// overlap.

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
const MAX_COLUMNS: usize = (1 << COLUMN_BITS) - 2;
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
struct Nodes {
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
    fn new(columns: usize) -> Nodes {
        let (packed, known) = (Vec::new(), Vec::new());
        Nodes { columns, packed, known, starts: vec![0], depths: Vec::new() }
    }

    fn trees(&self) -> usize {
        self.depths.len()
    }

    fn len(&self) -> usize {
        self.packed.len()
    }

    fn truncate(&mut self, trees: usize) {
        self.starts.truncate(trees + 1);
        self.depths.truncate(trees);
        let end = *self.starts.last().expect("there is always one start") as usize;
        self.packed.truncate(end);
        self.known.truncate(end);
    }

    /// Adds a tree; unchanged on an error.
    fn push(&mut self, tree: &Tree) -> Result<(), Problem> {
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
                Err(Problem::Tree { tree: trees, node: 0, what: "too many nodes in all" })
            }
            Err((node, what)) => {
                self.truncate(trees);
                Err(Problem::Tree { tree: trees, node, what })
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
    fn tree(&self, index: usize) -> Tree {
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
    fn add(&self, row: &[f32], margins: &mut [f32]) {
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
