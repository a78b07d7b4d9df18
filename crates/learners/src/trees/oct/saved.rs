//! The serialised state of a run: a [container](runs::container) of numbers, u64 unless stated.
//!
//! Of a run over single columns: a hash of the data and the options; the stage, the steps done in
//! it, the steps done in all, whether something changed in the last one, the number of starts when
//! the best so far was found; the number of trees, and for each its cost (f64), the number of its
//! nodes, and for each node a byte (bit 0: a branch, bit 1: settled) and, for a branch, column and
//! cut (u16).
//!
//! Of a run with planes: the number of bytes, and those of the run as above; the steps done with
//! planes; the number of planes, and for each the number of its factors, and for each factor its
//! column and the factor (f32); the number of trees, none or one, and the tree as above.

use std::io;

use models::tree::Plane;
use runs::container::{ContainerError, Kind, Reader, Writer, sealed};

use crate::Error;
use crate::trees::grow::Matrix;
use crate::trees::{Branch, Node, Price};

const KIND: Kind = Kind { name: "tree search", magic: b"cardocts", version: 3 };
const WITH_PLANES: Kind = Kind { name: "tree search", magic: b"cardoctp", version: 3 };

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
        let numbers = [
            data_hash,
            self.stage as u64,
            self.at,
            self.done,
            u64::from(self.changed),
            self.found,
            self.pool.len() as u64,
        ];
        sealed(KIND, |to| {
            to.numbers(&numbers)?;
            self.pool.iter().try_for_each(|tree| write_tree(tree, to))
        })
    }

    pub(super) fn from_bytes(bytes: &[u8], data_hash: u64) -> Result<State, Error> {
        let mut reader = Reader::checked(bytes, KIND)?;
        let mut number = || reader.number::<u64>();
        if number()? != data_hash {
            return Err(Error::saved("it was made from other data, bins or options"));
        }
        let stage = number()? as usize;
        let (at, done, changed) = (number()?, number()?, number()? == 1);
        let (found, trees) = (number()?, number()?);
        let pool = (0..trees).map(|_| read_tree(&mut reader)).collect::<Result<Vec<_>, _>>()?;
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
        sealed(WITH_PLANES, |to| {
            to.number(run.len() as u64)?;
            to.bytes(run)?;
            to.numbers(&[self.done, self.planes.len() as u64])?;
            for plane in &self.planes {
                to.number(plane.factors.len() as u64)?;
                for &(column, factor) in &plane.factors {
                    to.number(column as u64)?;
                    to.number(factor)?;
                }
            }
            to.number(self.tree.iter().len() as u64)?;
            self.tree.iter().try_for_each(|tree| write_tree(tree, to))
        })
    }

    /// Reads the bytes of the run before, and the state of the steps with planes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<(Vec<u8>, HyperplaneState), Error> {
        let mut reader = Reader::checked(bytes, WITH_PLANES)?;
        let length = reader.number::<u64>()? as usize;
        let run = reader.list(length)?;
        let (done, planes) = (reader.number()?, reader.number::<u64>()?);
        let planes = (0..planes).map(|_| read_plane(&mut reader)).collect::<Result<_, _>>()?;
        let has_tree = reader.number::<u64>()? == 1;
        let tree = has_tree.then(|| read_tree(&mut reader)).transpose()?;
        reader.end()?;
        Ok((run, HyperplaneState { done, planes, tree }))
    }
}

fn write_tree(tree: &SavedTree, to: &mut Writer<Vec<u8>>) -> io::Result<()> {
    to.number(tree.cost)?;
    to.number(tree.nodes.len() as u64)?;
    tree.nodes.iter().try_for_each(|node| {
        to.number(u8::from(node.test.is_some()) | u8::from(node.settled) << 1)?;
        node.test.map_or(Ok(()), |(column, cut)| to.numbers(&[column, cut]))
    })
}

fn read_plane(reader: &mut Reader<&[u8]>) -> Result<Plane, ContainerError> {
    let factors = (0..reader.number::<u64>()?)
        .map(|_| Ok((reader.number::<u64>()? as usize, reader.number()?)))
        .collect::<Result<_, ContainerError>>()?;
    Ok(Plane { factors })
}

fn read_tree(reader: &mut Reader<&[u8]>) -> Result<SavedTree, ContainerError> {
    let cost = reader.number()?;
    let nodes = (0..reader.number::<u64>()?)
        .map(|_| {
            let bits = reader.number::<u8>()?;
            let test =
                if bits & 1 == 1 { Some((reader.number()?, reader.number()?)) } else { None };
            Ok(SavedNode { test, settled: bits & 2 != 0 })
        })
        .collect::<Result<Vec<SavedNode>, ContainerError>>()?;
    Ok(SavedTree { nodes, cost })
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
pub(super) struct SavedNode {
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
