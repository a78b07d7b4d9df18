//! Decision trees.
//!
//! A tree is a list of nodes in preorder, left side first: the root is node 0, the left child of
//! node n is node n + 1, and the subtree of a node is contiguous, so a tree cannot have cycles. A
//! row goes left at a branch if its value is below the branch's threshold, `value < below`, else
//! right. A branch may also test a weighted sum of columns (a hyperplane). Leaves hold a share for
//! each class, in whole [`UNITS`]-ths that sum to one, and the number and weight of their training
//! rows.
//!
//! - [`Builder`] makes trees, and is the only place where they are validated.
//! - [`Tree::to_bytes`] and [`Tree::from_bytes`]: the file, specified above the reader.
//! - [`Tree::to_text`] and [`Tree::parse`]: the text, specified above the parser.

use std::collections::HashSet;
use std::fmt::Write;
use std::io;

use runs::container::{ContainerError, Kind, Reader, Writer, sealed};
use show::number::grouped;

use crate::{Classifier, Error, whole_units};

/// The denominator of the shares of a leaf.
pub const UNITS: u32 = 10_000;

/// Maximum depth: the number of branches on a path.
pub const DEEPEST: usize = 64;

/// A decision tree. See the module's documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    columns: Vec<String>,
    classes: Vec<String>,
    nodes: Vec<Packed>,
    planes: Vec<Plane>,
    leaves: Vec<Counts>,
    // The class shares of all leaves, leaf by leaf.
    shares: Vec<f32>,
    depth: usize,
}

/// A packed node of 12 bytes. `column` is a column, or one of the marks below.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Packed {
    column: u32,
    below: f32,
    // The right child of a branch, or a leaf's index among the leaves.
    next: u32,
}

// Mark of a leaf.
const LEAF: u32 = u32::MAX;
// Mark of a hyperplane: the rest of the number is its index in `planes`.
const PLANE: u32 = 1 << 31;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Counts {
    weight: f32,
    rows: u32,
}

/// A weighted sum of columns: the normal of a hyperplane.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// The columns in increasing order, each with its nonzero factor.
    pub factors: Vec<(usize, f32)>,
}

impl Plane {
    /// The weighted sum of a row.
    pub fn weighted_sum(&self, row: &[f32]) -> f32 {
        self.factors.iter().map(|&(column, factor)| factor * row[column]).sum()
    }
}

/// The quantity that a branch tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SplitTest<'a> {
    /// One column.
    Column(usize),
    /// A weighted sum of columns.
    Plane(&'a Plane),
}

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node<'a> {
    /// A test with two children.
    Branch {
        /// The tested quantity.
        test: SplitTest<'a>,
        /// The threshold: rows with less go left.
        below: f32,
        /// The left child, for less.
        left: usize,
        /// The right child, for as much or more.
        right: usize,
    },
    /// A leaf.
    Leaf {
        /// The share of each class.
        shares: &'a [f32],
        /// The weight of its training rows.
        weight: f32,
        /// The number of its training rows.
        rows: u32,
    },
}

/// The statistics of the rows under a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The share of each class, weighted by the leaves' weights.
    pub shares: Vec<f64>,
    /// The weight of the rows.
    pub weight: f64,
    /// The number of rows.
    pub rows: u64,
}

impl Tree {
    /// The names of the columns.
    pub fn column_names(&self) -> &[String] {
        &self.columns
    }

    /// The names of the classes.
    pub fn class_names(&self) -> &[String] {
        &self.classes
    }

    /// Number of nodes; they are numbered from 0, the root.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of leaves, one more than branches.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The maximum number of branches on a path to a leaf.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The node with this number. Panics where there is none.
    pub fn node(&self, number: usize) -> Node<'_> {
        let node = self.nodes[number];
        let test = match node.column {
            LEAF => {
                let leaf = node.next as usize;
                let Counts { weight, rows } = self.leaves[leaf];
                return Node::Leaf { shares: self.leaf_shares(leaf), weight, rows };
            }
            column if column & PLANE != 0 => {
                SplitTest::Plane(&self.planes[(column & !PLANE) as usize])
            }
            column => SplitTest::Column(column as usize),
        };
        Node::Branch { test, below: node.below, left: number + 1, right: node.next as usize }
    }

    /// The number of the leaf node that a row reaches.
    ///
    /// `row` has as many numbers as there are columns. Panics on fewer.
    pub fn leaf(&self, row: &[f32]) -> usize {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            let value = match node.column {
                LEAF => return at,
                column if column & PLANE != 0 => {
                    self.planes[(column & !PLANE) as usize].weighted_sum(row)
                }
                column => row[column as usize],
            };
            at = if value < node.below { at + 1 } else { node.next as usize };
        }
    }

    /// The numbers of the nodes on a row's path, from the root to its leaf.
    pub fn path(&self, row: &[f32]) -> Vec<usize> {
        let mut path = vec![0];
        loop {
            let at = path[path.len() - 1];
            let Node::Branch { test, below, left, right } = self.node(at) else { return path };
            let value = match test {
                SplitTest::Column(column) => row[column],
                SplitTest::Plane(plane) => plane.weighted_sum(row),
            };
            path.push(if value < below { left } else { right });
        }
    }

    /// The number after the last node of a node's subtree.
    pub fn end(&self, number: usize) -> usize {
        let mut at = number;
        while let Node::Branch { right, .. } = self.node(at) {
            at = right;
        }
        at + 1
    }

    /// The statistics of the rows under a node: its shares if it were a leaf. Where no leaf below
    /// has weight, all count evenly.
    pub fn summary(&self, number: usize) -> Summary {
        let leaves = || {
            self.nodes[number..self.end(number)]
                .iter()
                .filter(|node| node.column == LEAF)
                .map(|node| node.next as usize)
        };
        let weight: f64 = leaves().map(|leaf| f64::from(self.leaves[leaf].weight)).sum();
        let rows = leaves().map(|leaf| u64::from(self.leaves[leaf].rows)).sum();
        let mut shares = vec![0.0; self.classes.len()];
        let mut total = 0.0;
        for leaf in leaves() {
            let leaf_weight = if weight > 0.0 { f64::from(self.leaves[leaf].weight) } else { 1.0 };
            total += leaf_weight;
            for (sum, &share) in shares.iter_mut().zip(self.leaf_shares(leaf)) {
                *sum += leaf_weight * f64::from(share);
            }
        }
        shares.iter_mut().for_each(|share| *share /= total);
        Summary { shares, weight, rows }
    }

    fn leaf_shares(&self, leaf: usize) -> &[f32] {
        &self.shares[leaf * self.classes.len()..][..self.classes.len()]
    }
}

impl Classifier for Tree {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn classes(&self) -> usize {
        self.classes.len()
    }

    fn predict(&self, row: &[f32], shares: &mut [f32]) {
        assert_eq!(row.len(), self.columns.len(), "a row has a number for each column");
        let leaf = self.nodes[self.leaf(row)].next as usize;
        shares.copy_from_slice(self.leaf_shares(leaf));
    }
}

/// A builder that takes the nodes of a tree in preorder: after a branch all of its left side, then
/// all of its right side.
#[derive(Debug)]
pub struct Builder {
    tree: Tree,
    // The branches whose right sides are still to come, with their depths.
    open: Vec<(usize, usize)>,
    // The depth of the next node; none when the tree is complete.
    next: Option<usize>,
}

impl Builder {
    /// An empty builder. There must be at least one column and two classes, with distinct nonempty
    /// names.
    pub fn new(columns: &[String], classes: &[String]) -> Result<Builder, Error> {
        if columns.is_empty() || classes.len() < 2 {
            let (columns, classes) = (columns.len(), classes.len());
            return Err(names_error(&format!("{columns} columns, {classes} classes")));
        }
        for names in [columns, classes] {
            let mut seen = HashSet::new();
            if let Some(name) = names.iter().find(|name| name.is_empty() || !seen.insert(*name)) {
                return Err(names_error(&format!("`{name}` is empty or appears twice")));
            }
        }
        let tree = Tree {
            columns: columns.to_vec(),
            classes: classes.to_vec(),
            nodes: Vec::new(),
            planes: Vec::new(),
            leaves: Vec::new(),
            shares: Vec::new(),
            depth: 0,
        };
        Ok(Builder { tree, open: Vec::new(), next: Some(0) })
    }

    /// Adds a branch: rows with less than `below` in `column` go left.
    pub fn branch(&mut self, column: usize, below: f32) -> Result<(), Error> {
        self.column(column)?;
        self.push(column as u32, below)
    }

    /// Adds a branch on a weighted sum: rows with a sum less than `below` go left. Factors are in
    /// increasing order of columns, finite and not zero.
    pub fn plane(&mut self, factors: &[(usize, f32)], below: f32) -> Result<(), Error> {
        factors.iter().try_for_each(|&(column, _)| self.column(column))?;
        let rising = factors.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let usable = factors.iter().all(|(_, factor)| factor.is_finite() && *factor != 0.0);
        if factors.is_empty() || !rising || !usable {
            let what = "a weighted sum needs rising columns with factors that are not zero";
            return Err(self.error(what));
        }
        self.push(PLANE | self.tree.planes.len() as u32, below)?;
        self.tree.planes.push(Plane { factors: factors.to_vec() });
        Ok(())
    }

    /// Adds a leaf: the weight of each class, in any unit, all finite, none negative and not all
    /// zero; and the weight and number of its rows. The shares are rounded to multiples of 1 /
    /// [`UNITS`]; the likeliest class stays the likeliest.
    pub fn leaf(&mut self, classes: &[f64], weight: f32, rows: u32) -> Result<(), Error> {
        let sum: f64 = classes.iter().sum();
        let none = |share: &f64| share.is_nan() || *share < 0.0;
        if classes.iter().any(none) || !(sum > 0.0 && sum.is_finite()) {
            return Err(self.error(&format!("{classes:?} are not weights of classes")));
        }
        self.leaf_of_units(&units(classes, sum), weight, rows)
    }

    /// Adds a leaf whose shares are given in units, which sum to [`UNITS`].
    fn leaf_of_units(&mut self, units: &[u32], weight: f32, rows: u32) -> Result<(), Error> {
        if units.len() != self.tree.classes.len() {
            return Err(self.error(&format!("{} shares for the classes", units.len())));
        }
        let sum: u64 = units.iter().map(|&unit| u64::from(unit)).sum();
        if sum != u64::from(UNITS) {
            return Err(self.error(&format!("its shares sum to {sum} of {UNITS}")));
        }
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(self.error(&format!("a leaf cannot weigh {weight}")));
        }
        let depth = self.next.ok_or_else(|| self.error("the tree is whole before it"))?;
        let number = self.tree.leaves.len() as u32;
        self.tree.nodes.push(Packed { column: LEAF, below: 0.0, next: number });
        self.tree.leaves.push(Counts { weight, rows });
        self.tree.shares.extend(units.iter().map(|&unit| unit as f32 / UNITS as f32));
        self.tree.depth = self.tree.depth.max(depth);
        self.next = self.open.pop().map(|(branch, depth)| {
            self.tree.nodes[branch].next = self.tree.nodes.len() as u32;
            depth + 1
        });
        Ok(())
    }

    /// The finished tree. An error if nodes are missing.
    pub fn finish(self) -> Result<Tree, Error> {
        match self.next {
            None => Ok(self.tree),
            Some(_) => Err(self.error("it is missing: each branch needs two sides")),
        }
    }

    /// Whether the tree is complete, so that no node can follow.
    fn is_whole(&self) -> bool {
        self.next.is_none()
    }

    fn push(&mut self, column: u32, below: f32) -> Result<(), Error> {
        if !below.is_finite() {
            return Err(self.error(&format!("{below} is not a number to compare with")));
        }
        let depth = self.next.ok_or_else(|| self.error("the tree is whole before it"))?;
        if depth == DEEPEST {
            return Err(self.error(&format!("a branch deeper than {DEEPEST}")));
        }
        if self.tree.nodes.len() >= (PLANE - 1) as usize {
            return Err(self.error("too many nodes"));
        }
        self.open.push((self.tree.nodes.len(), depth));
        self.tree.nodes.push(Packed { column, below, next: 0 });
        self.next = Some(depth + 1);
        Ok(())
    }

    fn column(&self, column: usize) -> Result<(), Error> {
        if column < self.tree.columns.len() {
            return Ok(());
        }
        Err(self.error(&format!("there is no column {column} of {}", self.tree.columns.len())))
    }

    fn error(&self, what: &str) -> Error {
        Error::new(format!("node {}: {what}", self.tree.nodes.len()))
    }
}

fn names_error(what: &str) -> Error {
    Error::new(format!(
        "a tree needs different names of at least one column and two classes: {what}"
    ))
}

// Shares in units, rounded so that the likeliest class (the first of several) stays the likeliest.
fn units(classes: &[f64], sum: f64) -> Vec<u32> {
    let exact: Vec<f64> = classes.iter().map(|share| share / sum * f64::from(UNITS)).collect();
    let mut units = whole_units(&exact, UNITS);
    let first = |at: usize, best: usize| at > best;
    let likeliest = (1..classes.len())
        .fold(0, |best, class| if classes[class] > classes[best] { class } else { best });
    while let Some(other) = (0..units.len()).find(|&class| {
        units[class] > units[likeliest]
            || (units[class] == units[likeliest] && first(likeliest, class))
    }) {
        units[other] -= 1;
        units[likeliest] += 1;
    }
    units
}

// The file format of trees. All numbers are little-endian; a *varint* is an unsigned number of up
// to 32 bits in groups of seven, the lowest first, with the top bit set on all but the last.
//
// | bytes | what |
// |---|---|
// | 8 | `cardtree` |
// | 4 | the version, 1 |
// | 4 + 4 | columns, classes |
// | each | a name: varint of its length, UTF-8; columns first, then classes |
// | each | the nodes in the order of their numbers, until the tree is whole |
// | 32 | SHA-256 of all bytes before |
//
// A node is a byte with its kind, and then
//
// - 0, a leaf: varint of the rows, their weight as f32, for each class a varint of its share in
//   10,000ths;
// - 1, a branch: varint of the column, f32 of `below`;
// - 2, a branch on a weighted sum: varint of the number of factors, for each varint of the column
//   and f32 of the factor; f32 of `below`.

const KIND: Kind = Kind { name: "tree", magic: b"cardtree", version: 1 };
// Maximum number of columns or classes in a file.
const MAX_NAMES: u32 = 1 << 16;

impl Tree {
    /// The tree as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed(KIND, |to| {
            to.numbers(&[self.columns.len() as u32, self.classes.len() as u32])?;
            for name in self.columns.iter().chain(&self.classes) {
                varint(to, name.len() as u32)?;
                to.bytes(name.as_bytes())?;
            }
            (0..self.nodes()).try_for_each(|number| self.write_node(number, to))
        })
    }

    fn write_node(&self, number: usize, to: &mut Writer<Vec<u8>>) -> io::Result<()> {
        match self.node(number) {
            Node::Leaf { shares, weight, rows } => {
                to.number(0u8)?;
                varint(to, rows)?;
                to.number(weight)?;
                shares
                    .iter()
                    .try_for_each(|share| varint(to, (share * UNITS as f32).round() as u32))
            }
            Node::Branch { test: SplitTest::Column(column), below, .. } => {
                to.number(1u8)?;
                varint(to, column as u32)?;
                to.number(below)
            }
            Node::Branch { test: SplitTest::Plane(plane), below, .. } => {
                to.number(2u8)?;
                varint(to, plane.factors.len() as u32)?;
                for &(column, factor) in &plane.factors {
                    varint(to, column as u32)?;
                    to.number(factor)?;
                }
                to.number(below)
            }
        }
    }

    /// Parses a tree file. Errors name the byte or the node.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tree, Error> {
        let mut reader = whole(Reader::begin(bytes, KIND))?;
        let [columns, classes] = [read_count(&mut reader)?, read_count(&mut reader)?];
        let columns = read_names(&mut reader, columns)?;
        let classes = read_names(&mut reader, classes)?;
        let mut builder = Builder::new(&columns, &classes)?;
        while !builder.is_whole() {
            read_node(&mut reader, &mut builder, classes.len())?;
        }
        whole(reader.end())?;
        builder.finish()
    }
}

fn varint(to: &mut Writer<Vec<u8>>, mut value: u32) -> io::Result<()> {
    while value >= 0x80 {
        to.number(value as u8 | 0x80)?;
        value >>= 7;
    }
    to.number(value as u8)
}

/// What was read, or the error for bytes that are no whole tree.
fn whole<T>(read: Result<T, ContainerError>) -> Result<T, Error> {
    read.map_err(|error| match error {
        ContainerError::NotOne(_) => {
            Error::new("these bytes are not a tree: they do not begin like one")
        }
        ContainerError::Version { found, wanted } => Error::new(format!(
            "the tree has format {found}, and this program reads {wanted}: train it again, or use \
             the program it was made with"
        )),
        ContainerError::Cut { at, .. } => {
            Error::new(format!("the tree is cut off at byte {at}; copy it again"))
        }
        ContainerError::Beyond { wanted: at } => invalid(at, "there are bytes after the end"),
        _ => Error::new(
            "the tree is damaged: the checksum of its bytes does not match; copy it again",
        ),
    })
}

fn invalid(at: u64, what: &str) -> Error {
    Error::new(format!("the tree is not valid at byte {at}: {what}"))
}

fn read_varint(reader: &mut Reader<&[u8]>, what: &'static str) -> Result<u32, Error> {
    let mut value = 0u64;
    for group in 0..5 {
        let byte = whole(reader.number::<u8>())?;
        value |= u64::from(byte & 0x7f) << (7 * group);
        if byte & 0x80 == 0 {
            return u32::try_from(value)
                .map_err(|_| invalid(reader.offset(), &format!("{what} is too large a number")));
        }
    }
    Err(invalid(reader.offset(), &format!("{what} does not end")))
}

fn read_count(reader: &mut Reader<&[u8]>) -> Result<u32, Error> {
    let count = whole(reader.number::<u32>())?;
    if count > MAX_NAMES {
        return Err(invalid(reader.offset(), &format!("{count} names are too many")));
    }
    Ok(count)
}

fn read_names(reader: &mut Reader<&[u8]>, count: u32) -> Result<Vec<String>, Error> {
    (0..count)
        .map(|_| {
            let length = read_varint(reader, "the length of a name")? as usize;
            let bytes = whole(reader.list(length))?;
            String::from_utf8(bytes).map_err(|_| invalid(reader.offset(), "a name is not UTF-8"))
        })
        .collect()
}

fn read_node(
    reader: &mut Reader<&[u8]>,
    builder: &mut Builder,
    classes: usize,
) -> Result<(), Error> {
    let at = reader.offset();
    match whole(reader.number::<u8>())? {
        0 => {
            let rows = read_varint(reader, "a leaf's rows")?;
            let weight = whole(reader.number())?;
            let units = (0..classes)
                .map(|_| read_varint(reader, "a leaf's shares"))
                .collect::<Result<Vec<u32>, _>>()?;
            builder.leaf_of_units(&units, weight, rows)
        }
        1 => {
            let column = read_varint(reader, "a branch's column")?;
            let below = whole(reader.number())?;
            builder.branch(column as usize, below)
        }
        2 => {
            let factors = read_varint(reader, "the number of factors")?;
            let factors = (0..factors)
                .map(|_| {
                    let column = read_varint(reader, "a column")? as usize;
                    Ok((column, whole(reader.number())?))
                })
                .collect::<Result<Vec<(usize, f32)>, Error>>()?;
            let below = whole(reader.number())?;
            builder.plane(&factors, below)
        }
        kind => Err(invalid(at, &format!("{kind} is not a kind of node"))),
    }
}

// The text form of trees: `oppbet>12,700 ? (winrate>0.48 ? raise : fold) : call`.
//
// ```text
// tree   = branch | leaf | "(" tree ")"
// branch = looks ( ">" | ">=" | "<" | "<=" ) number "?" tree ":" tree
// looks  = name | number "*" name { "+" number "*" name }
// leaf   = ( name | "{" name number "%" { "," name number "%" } "}" ) [ "#" rows ] [ "@" weight ]
// ```
//
// Numbers may have commas between thousands. A name is bare if it consists of letters, digits and
// `_-./`, else in double quotes, with a backslash before `"` and `\`. The printer writes `>` or
// `>=`, whichever gives the shorter number, so that the first alternative is the right side, and
// puts branches inside branches in parentheses. `#` gives a leaf's number of rows, and `@` their
// weight where it differs; without them both are zero.

// Maximum nesting of parentheses and branches: more than a tree can have.
const MAX_NESTED: usize = 4 * DEEPEST;

impl Tree {
    /// The tree as one line of text, which [`Tree::parse`] parses to the same tree.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out
    }

    /// A branch's test as text: the condition for a row to go right, such as `winrate>0.48`. Empty
    /// for a leaf.
    pub fn test_text(&self, number: usize) -> String {
        let mut out = String::new();
        if let Node::Branch { test, below, .. } = self.node(number) {
            match test {
                SplitTest::Column(column) => write_name(&self.columns[column], &mut out),
                SplitTest::Plane(plane) => self.write_plane(plane, &mut out),
            }
            write_bound(below, &mut out);
        }
        out
    }

    /// Parses a tree's text, with these columns and classes. Errors name the character.
    pub fn parse(text: &str, columns: &[String], classes: &[String]) -> Result<Tree, Error> {
        let mut parser = Parser { text, at: 0, columns, classes };
        let tree = parser.tree(0)?;
        parser.space();
        if parser.at < text.len() {
            return Err(parser.error("the tree is over before this"));
        }
        let mut builder = Builder::new(columns, classes)?;
        tree.build(&mut builder)?;
        builder.finish()
    }

    fn write(&self, number: usize, out: &mut String) {
        match self.node(number) {
            Node::Branch { left, right, .. } => {
                out.push_str(&self.test_text(number));
                for (mark, child) in [(" ? ", right), (" : ", left)] {
                    out.push_str(mark);
                    let nested = matches!(self.node(child), Node::Branch { .. });
                    out.push_str(if nested { "(" } else { "" });
                    self.write(child, out);
                    out.push_str(if nested { ")" } else { "" });
                }
            }
            Node::Leaf { shares, weight, rows } => {
                self.write_shares(shares, out);
                if rows > 0 {
                    let _ = write!(out, "#{rows}");
                }
                if weight != rows as f32 {
                    let _ = write!(out, "@{weight}");
                }
            }
        }
    }

    fn write_shares(&self, shares: &[f32], out: &mut String) {
        if let Some(class) = shares.iter().position(|&share| share == 1.0) {
            return write_name(&self.classes[class], out);
        }
        let mut before = "{";
        for (name, share) in self.classes.iter().zip(shares) {
            let units = (share * UNITS as f32).round() as u32;
            if units > 0 {
                out.push_str(before);
                write_name(name, out);
                let _ = write!(out, " {}%", f64::from(units) / (f64::from(UNITS) / 100.0));
                before = ", ";
            }
        }
        out.push('}');
    }

    fn write_plane(&self, plane: &Plane, out: &mut String) {
        let mut before = "";
        for &(column, factor) in &plane.factors {
            let _ = write!(out, "{before}{factor}*");
            write_name(&self.columns[column], out);
            before = " + ";
        }
    }
}

// `> x` for the number just below the bound is the same as `>=` the bound: the shorter is written.
fn write_bound(below: f32, out: &mut String) {
    let under = below.next_down();
    let (exact, above) = (below.to_string(), under.to_string());
    let shorter = under.is_finite() && above.len() < exact.len();
    out.push_str(if shorter { ">" } else { ">=" });
    out.push_str(&grouped(if shorter { &above } else { &exact }));
}

fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./".contains(letter)
}

fn write_name(name: &str, out: &mut String) {
    if name.chars().all(is_name_letter) {
        out.push_str(name);
        return;
    }
    out.push('"');
    for letter in name.chars() {
        if letter == '"' || letter == '\\' {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('"');
}

enum Parsed {
    Branch { factors: Factors, below: f32, sides: Box<[Parsed; 2]> },
    Leaf { units: Vec<u32>, weight: f32, rows: u32 },
}

enum Factors {
    One(usize),
    Sum(Vec<(usize, f32)>),
}

impl Parsed {
    fn build(&self, builder: &mut Builder) -> Result<(), Error> {
        match self {
            Parsed::Branch { factors, below, sides } => {
                match factors {
                    Factors::One(column) => builder.branch(*column, *below)?,
                    Factors::Sum(factors) => builder.plane(factors, *below)?,
                }
                sides.iter().try_for_each(|side| side.build(builder))
            }
            Parsed::Leaf { units, weight, rows } => builder.leaf_of_units(units, *weight, *rows),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    columns: &'a [String],
    classes: &'a [String],
}

impl<'a> Parser<'a> {
    fn tree(&mut self, nested: usize) -> Result<Parsed, Error> {
        if nested > MAX_NESTED {
            return Err(self.error("too many branches inside each other"));
        }
        if self.consume("(") {
            let tree = self.tree(nested + 1)?;
            self.expect(")")?;
            return Ok(tree);
        }
        if self.ahead("{") {
            let units = self.mix()?;
            return self.leaf(units);
        }
        let (start, quoted) = (self.at, self.ahead("\""));
        let name = self.name()?;
        let factors = if !quoted && self.ahead("*") {
            self.at = start;
            self.sum()?
        } else if ["<", ">"].iter().any(|sign| self.ahead(sign)) {
            Factors::One(self.known(&name, self.columns, start)?)
        } else {
            let mut units = vec![0; self.classes.len()];
            units[self.known(&name, self.classes, start)?] = UNITS;
            return self.leaf(units);
        };
        let (below, first_is_left) = self.bound()?;
        self.expect("?")?;
        let first = self.tree(nested + 1)?;
        self.expect(":")?;
        let second = self.tree(nested + 1)?;
        let sides = if first_is_left { [first, second] } else { [second, first] };
        Ok(Parsed::Branch { factors, below, sides: Box::new(sides) })
    }

    fn bound(&mut self) -> Result<(f32, bool), Error> {
        let signs = [("<=", true, true), ("<", true, false), (">=", false, false)];
        let (less, next) = signs
            .iter()
            .find(|(sign, ..)| self.consume(sign))
            .map_or((false, true), |&(_, less, next)| (less, next));
        if !less && next {
            self.expect(">")?;
        }
        let number = self.number()?;
        Ok((if next { number.next_up() } else { number }, less))
    }

    fn sum(&mut self) -> Result<Factors, Error> {
        let mut factors = Vec::new();
        loop {
            let factor = self.number()?;
            self.expect("*")?;
            self.space();
            let start = self.at;
            let name = self.name()?;
            factors.push((self.known(&name, self.columns, start)?, factor));
            if !self.consume("+") {
                return Ok(Factors::Sum(factors));
            }
        }
    }

    fn mix(&mut self) -> Result<Vec<u32>, Error> {
        let start = self.at;
        self.expect("{")?;
        let mut units = vec![0u32; self.classes.len()];
        loop {
            self.space();
            let at = self.at;
            let name = self.name()?;
            let class = self.known(&name, self.classes, at)?;
            let share = f64::from(self.number()?) * f64::from(UNITS) / 100.0;
            self.expect("%")?;
            if !(0.0..=f64::from(UNITS)).contains(&share) {
                return Err(self.error_at(at, "a share is between 0% and 100%"));
            }
            units[class] = units[class].saturating_add(share.round() as u32);
            if !self.consume(",") {
                break;
            }
        }
        self.expect("}")?;
        if units.iter().map(|&unit| u64::from(unit)).sum::<u64>() != u64::from(UNITS) {
            return Err(self.error_at(start, "the shares of a leaf sum to 100%"));
        }
        Ok(units)
    }

    fn leaf(&mut self, units: Vec<u32>) -> Result<Parsed, Error> {
        let rows = if self.consume("#") { self.whole()? } else { 0 };
        let weight = if self.consume("@") { self.number()? } else { rows as f32 };
        Ok(Parsed::Leaf { units, weight, rows })
    }

    fn whole(&mut self) -> Result<u32, Error> {
        let start = self.at;
        let text = self.run(|letter| letter.is_ascii_digit() || letter == ',').replace(',', "");
        text.parse().map_err(|_| self.error_at(start, &format!("`{text}` is not a number of rows")))
    }

    fn number(&mut self) -> Result<f32, Error> {
        self.space();
        let start = self.at;
        let text = self.run(|letter| letter.is_ascii_alphanumeric() || "+-.,".contains(letter));
        // A comma is part of the number only between digits.
        let used = text.trim_end_matches(',');
        self.at = start + used.len();
        let number = used.replace(',', "").parse().ok().filter(|number: &f32| number.is_finite());
        number.ok_or_else(|| self.error_at(start, &format!("`{used}` is not a number")))
    }

    fn name(&mut self) -> Result<String, Error> {
        self.space();
        if !self.consume("\"") {
            let name = self.run(is_name_letter).to_string();
            return if name.is_empty() { Err(self.error("a name is missing")) } else { Ok(name) };
        }
        let mut name = String::new();
        let mut letters = self.text[self.at..].char_indices();
        while let Some((index, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at += index + 1;
                    return Ok(name);
                }
                '\\' => name.extend(letters.next().map(|(_, letter)| letter)),
                _ => name.push(letter),
            }
        }
        Err(self.error("the name's second quotation mark is missing"))
    }

    fn known(&self, name: &str, names: &[String], at: usize) -> Result<usize, Error> {
        names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| self.error_at(at, &format!("`{name}` is none of {}", names.join(", "))))
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let text: &'a str = self.text;
        let rest = &text[self.at..];
        let length = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn space(&mut self) {
        self.run(char::is_whitespace);
    }

    fn ahead(&mut self, mark: &str) -> bool {
        self.space();
        self.text[self.at..].starts_with(mark)
    }

    fn consume(&mut self, mark: &str) -> bool {
        let there = self.ahead(mark);
        self.at += if there { mark.len() } else { 0 };
        there
    }

    fn expect(&mut self, mark: &str) -> Result<(), Error> {
        if self.consume(mark) { Ok(()) } else { Err(self.error(&format!("`{mark}` is missing"))) }
    }

    fn error(&self, what: &str) -> Error {
        self.error_at(self.at, what)
    }

    fn error_at(&self, at: usize, what: &str) -> Error {
        let at = self.text[..at].chars().count();
        Error::new(format!("the tree's text is wrong at character {at}: {what}"))
    }
}
