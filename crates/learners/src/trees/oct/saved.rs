//! The serialised state of a run. Numbers are little-endian u64 unless stated.
//!
//! `cardocts`; version (u32), 2; a hash of the data and the options; the stage, the steps done in
//! it, the steps done in all, whether something changed in the last one, the number of starts when
//! the best so far was found; the number of trees, and for each its cost (f64), the number of its
//! nodes, and for each node a byte (bit 0: a branch, bit 1: settled) and, for a branch, column and
//! cut (u16). At the end a checksum of all bytes before. Version 1 has no number of starts, which
//! its runs did not need.
//!
//! A run with planes: `cardoctp`; version (u32), 1; the number of bytes, and those of the run as
//! above; the steps done with planes; the number of planes, and for each the number of its factors,
//! and for each factor its column and the factor (f32); the number of trees, none or one, and the
//! tree as above. At the end a checksum of all bytes before.

use models::tree::Plane;

use crate::trees::grow::Matrix;
use crate::trees::{Branch, Node, Price, TreesError, mixed};

const MAGIC: &[u8; 8] = b"cardocts";
const WITH_PLANES: &[u8; 8] = b"cardoctp";
const VERSION: u32 = 2;
// The version of runs with a fixed number of starts.
const WITHOUT_BEST: u32 = 1;
const PLANES_VERSION: u32 = 1;

/// The state of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub(super) stage: usize,
    /// The steps done in this stage, and in all.
    pub(super) at: u64,
    pub(super) done: u64,
    /// Whether the last step changed a tree.
    pub(super) changed: bool,
    /// The number of starts when the best of them was found.
    pub(super) found: u64,
    /// The best trees, best first.
    pub(super) pool: Vec<SavedTree>,
}

impl State {
    pub(super) fn to_bytes(&self, data_hash: u64) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        let numbers = [
            data_hash,
            self.stage as u64,
            self.at,
            self.done,
            u64::from(self.changed),
            self.found,
            self.pool.len() as u64,
        ];
        numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        self.pool.iter().for_each(|tree| write_tree(tree, &mut out));
        with_checksum(out)
    }

    pub(super) fn from_bytes(bytes: &[u8], data_hash: u64) -> Result<State, TreesError> {
        let error = |what: &str| TreesError::Saved(what.to_string());
        let (mut reader, version) = Reader::new(bytes, MAGIC, &[VERSION, WITHOUT_BEST])?;
        if reader.number()? != data_hash {
            return Err(error("it was made from other data, bins or options"));
        }
        let stage = reader.number()? as usize;
        let (at, done, changed) = (reader.number()?, reader.number()?, reader.number()? == 1);
        let found = if version == WITHOUT_BEST { 0 } else { reader.number()? };
        let trees = reader.number()?;
        let pool = (0..trees).map(|_| reader.tree()).collect::<Result<Vec<SavedTree>, _>>()?;
        reader.end()?;
        Ok(State { stage, at, done, changed, found, pool })
    }
}

/// The state of the steps with planes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct HyperplaneState {
    /// The number of steps done.
    pub(super) done: u64,
    /// The planes that the tree uses.
    pub(super) planes: Vec<Plane>,
    /// The tree, whose columns after the table's are the planes; `None` before the first step.
    pub(super) tree: Option<SavedTree>,
}

impl HyperplaneState {
    /// The bytes of a run with planes; `run` has those of the run before.
    pub(super) fn to_bytes(&self, run: &[u8]) -> Vec<u8> {
        let mut out = WITH_PLANES.to_vec();
        out.extend(PLANES_VERSION.to_le_bytes());
        out.extend((run.len() as u64).to_le_bytes());
        out.extend(run);
        out.extend(self.done.to_le_bytes());
        out.extend((self.planes.len() as u64).to_le_bytes());
        for plane in &self.planes {
            out.extend((plane.factors.len() as u64).to_le_bytes());
            for &(column, factor) in &plane.factors {
                out.extend((column as u64).to_le_bytes());
                out.extend(factor.to_le_bytes());
            }
        }
        out.extend((self.tree.iter().len() as u64).to_le_bytes());
        self.tree.iter().for_each(|tree| write_tree(tree, &mut out));
        with_checksum(out)
    }

    /// Reads the bytes of the run before, and the state of the steps with planes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<(&[u8], HyperplaneState), TreesError> {
        let (mut reader, _) = Reader::new(bytes, WITH_PLANES, &[PLANES_VERSION])?;
        let length = reader.number()?;
        let run =
            usize::try_from(length).ok().and_then(|length| reader.rest.split_at_checked(length));
        let (run, rest) = run.ok_or_else(|| TreesError::Saved("it is cut off".to_string()))?;
        reader.rest = rest;
        let done = reader.number()?;
        let planes = (0..reader.number()?).map(|_| reader.plane()).collect::<Result<_, _>>()?;
        let tree = if reader.number()? == 1 { Some(reader.tree()?) } else { None };
        reader.end()?;
        Ok((run, HyperplaneState { done, planes, tree }))
    }
}

fn write_tree(tree: &SavedTree, out: &mut Vec<u8>) {
    out.extend(tree.cost.to_le_bytes());
    out.extend((tree.nodes.len() as u64).to_le_bytes());
    for node in &tree.nodes {
        out.push(u8::from(node.test.is_some()) | u8::from(node.settled) << 1);
        if let Some((column, cut)) = node.test {
            out.extend(column.to_le_bytes());
            out.extend(cut.to_le_bytes());
        }
    }
}

fn with_checksum(mut out: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&out);
    out.extend(sum.to_le_bytes());
    out
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mixed(sum, u64::from_le_bytes(word))
    })
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    // Checks the magic bytes, the version and the checksum; returns a reader behind them, and the
    // version.
    fn new(
        bytes: &'a [u8],
        magic: &[u8; 8],
        versions: &[u32],
    ) -> Result<(Reader<'a>, u32), TreesError> {
        let error = |what: &str| TreesError::Saved(what.to_string());
        let (body, sum) = bytes
            .len()
            .checked_sub(8)
            .and_then(|end| bytes.split_at_checked(end))
            .ok_or_else(|| error("it is cut off"))?;
        let rest = body.strip_prefix(magic).ok_or_else(|| error("it does not begin like one"))?;
        if sum != checksum(body).to_le_bytes() {
            return Err(error("it is damaged: its checksum does not match"));
        }
        let mut reader = Reader { rest };
        let version = reader.take().map(u32::from_le_bytes)?;
        if !versions.contains(&version) {
            return Err(error("it is of another version of this program"));
        }
        Ok((reader, version))
    }

    fn end(&self) -> Result<(), TreesError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(TreesError::Saved("it has bytes after its end".to_string()))
    }

    fn plane(&mut self) -> Result<Plane, TreesError> {
        let factors = (0..self.number()?)
            .map(|_| Ok((self.number()? as usize, self.take().map(f32::from_le_bytes)?)))
            .collect::<Result<_, TreesError>>()?;
        Ok(Plane { factors })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], TreesError> {
        let cut = || TreesError::Saved("it is cut off".to_string());
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or_else(cut)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn number(&mut self) -> Result<u64, TreesError> {
        self.take().map(u64::from_le_bytes)
    }

    fn tree(&mut self) -> Result<SavedTree, TreesError> {
        let cost = self.take().map(f64::from_le_bytes)?;
        let nodes = (0..self.number()?)
            .map(|_| {
                let [bits] = self.take::<1>()?;
                let test = if bits & 1 == 1 {
                    let column = self.take().map(u16::from_le_bytes)?;
                    Some((column, self.take().map(u16::from_le_bytes)?))
                } else {
                    None
                };
                Ok(SavedNode { test, settled: bits & 2 != 0 })
            })
            .collect::<Result<Vec<SavedNode>, TreesError>>()?;
        Ok(SavedTree { nodes, cost })
    }
}

// A tree as kept between steps and in saved runs: only its tests, so that its counts are always
// computed in the same order.

/// The nodes in preorder, left before right, and the cost over the rows it was made from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SavedTree {
    pub(super) nodes: Vec<SavedNode>,
    pub(super) cost: f64,
}

/// A node: its test, `None` for a leaf, and whether it is settled.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SavedNode {
    pub(super) test: Option<(u16, u16)>,
    pub(super) settled: bool,
}

impl SavedTree {
    pub(super) fn new(node: &Node, price: &Price) -> SavedTree {
        let mut nodes = Vec::new();
        add(node, &mut nodes);
        SavedTree { nodes, cost: node.cost(price) }
    }

    /// The tree over all rows of a matrix, and the rows sorted by leaf. `same` says that the rows
    /// are those that the tree was made from, so that settled nodes stay settled.
    pub(super) fn tree<const W: usize>(
        &self,
        matrix: &Matrix<W>,
        price: &Price,
        same: bool,
    ) -> (Node, Vec<u32>) {
        let mut nodes = self.nodes.iter();
        let mut node = read(&mut nodes);
        let mut rows: Vec<u32> = (0..matrix.rows() as u32).collect();
        node.fit(&mut rows, matrix, price);
        if same {
            settle(&mut node, &mut self.nodes.iter());
        }
        (node, rows)
    }

    /// Whether the nodes form one complete tree over these columns.
    pub(super) fn whole(&self, depth: usize, intervals: &dyn Fn(usize) -> Option<usize>) -> bool {
        let mut open = vec![0];
        for node in &self.nodes {
            let Some(level) = open.pop() else { return false };
            if let Some((column, cut)) = node.test {
                let cuts = intervals(usize::from(column)).map_or(0, |intervals| intervals - 1);
                if usize::from(cut) >= cuts || level >= depth {
                    return false;
                }
                open.extend([level + 1, level + 1]);
            }
        }
        open.is_empty()
    }
}

fn add(node: &Node, nodes: &mut Vec<SavedNode>) {
    let test = node.branch.as_ref().map(|branch| (branch.column as u16, branch.cut));
    nodes.push(SavedNode { test, settled: node.settled });
    if let Some(branch) = &node.branch {
        add(&branch.left, nodes);
        add(&branch.right, nodes);
    }
}

fn read<'a>(nodes: &mut impl Iterator<Item = &'a SavedNode>) -> Node {
    let mut node = Node::leaf(Vec::new(), 0);
    if let Some((column, cut)) = nodes.next().and_then(|node| node.test) {
        let (left, right) = (read(nodes), read(nodes));
        node.branch = Some(Box::new(Branch { column: usize::from(column), cut, left, right }));
    }
    node
}

fn settle<'a>(node: &mut Node, nodes: &mut impl Iterator<Item = &'a SavedNode>) {
    node.settled = nodes.next().is_some_and(|node| node.settled);
    if let Some(branch) = &mut node.branch {
        settle(&mut branch.left, nodes);
        settle(&mut branch.right, nodes);
    }
}
