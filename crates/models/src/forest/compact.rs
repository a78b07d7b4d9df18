//! The compact file format of forests, for models inside the program.
//!
//! A [container](runs::container). Its content, little-endian: the shape, names, attributes, base
//! scores; for each column its distinct thresholds in increasing order; then the trees, node by
//! node, level by level: 0 and a leaf's value, as one of 65,536 levels between the least and the
//! greatest of its tree, or the column counted from 1 and the threshold's index.

use runs::container::{ContainerError, Kind, Reader, sealed};

use super::{Forest, Link, Node, Problem, Tree};
use crate::Error;

pub(super) const MAGIC: &[u8] = b"cardroom forest\0";
const KIND: Kind = Kind { name: "forest", magic: MAGIC, version: 1 };
const STEPS: f32 = 65_535.0;

pub(super) fn write(forest: &Forest) -> Vec<u8> {
    let trees: Vec<Tree> = (0..forest.trees()).map(|index| forest.tree(index)).collect();
    let tests = tests(forest.columns, &trees);
    let mut out = Vec::new();
    put(&mut out, forest.columns);
    put(&mut out, usize::from(forest.link == Link::Logistic));
    put(&mut out, forest.base.len());
    out.extend(forest.base.iter().flat_map(|value| value.to_le_bytes()));
    put(&mut out, forest.names.len());
    forest.names.iter().for_each(|name| put_text(&mut out, name));
    put(&mut out, forest.attributes.len());
    for (key, text) in &forest.attributes {
        put_text(&mut out, key);
        put_text(&mut out, text);
    }
    for tests in &tests {
        put(&mut out, tests.len());
        out.extend(tests.iter().flat_map(|value| value.to_le_bytes()));
    }
    put(&mut out, trees.len());
    trees.iter().for_each(|tree| put_tree(&mut out, tree, &tests));
    sealed(KIND, |to| to.bytes(&out))
}

/// The distinct thresholds of each column, in increasing order.
fn tests(columns: usize, trees: &[Tree]) -> Vec<Vec<f32>> {
    let mut tests = vec![Vec::new(); columns];
    for node in trees.iter().flat_map(|tree| &tree.nodes) {
        if let Node::Split { column, below, .. } = *node {
            tests[column].push(below);
        }
    }
    for tests in &mut tests {
        tests.sort_unstable_by(f32::total_cmp);
        tests.dedup_by_key(|value| value.to_bits());
    }
    tests
}

fn put(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u32).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len());
    out.extend(text.as_bytes());
}

fn put_tree(out: &mut Vec<u8>, tree: &Tree, tests: &[Vec<f32>]) {
    let leaf = |node: &Node| match *node {
        Node::Leaf { value, .. } => Some(value),
        Node::Split { .. } => None,
    };
    let leaves = || tree.nodes.iter().filter_map(leaf);
    let least = leaves().fold(f32::INFINITY, f32::min);
    let step = (leaves().fold(f32::NEG_INFINITY, f32::max) - least) / STEPS;
    out.extend(least.to_le_bytes());
    out.extend(step.to_le_bytes());
    for node in &tree.nodes {
        match *node {
            Node::Leaf { value, .. } => {
                let level =
                    if step > 0.0 { ((value - least) / step).round().min(STEPS) } else { 0.0 };
                put_narrow(out, 0, tests.len() + 1);
                out.extend((level as u16).to_le_bytes());
            }
            Node::Split { column, below, .. } => {
                let of_column = &tests[column];
                let test = of_column.partition_point(|value| value.total_cmp(&below).is_lt());
                put_narrow(out, column + 1, tests.len() + 1);
                put_narrow(out, test, of_column.len());
            }
        }
    }
}

/// Number of bytes needed for numbers below `end`.
fn width(end: usize) -> usize {
    match end {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

fn put_narrow(out: &mut Vec<u8>, number: usize, end: usize) {
    out.extend(&(number as u32).to_le_bytes()[..width(end)]);
}

pub(super) fn read(bytes: &[u8]) -> Result<Forest, Error> {
    let mut reader = ForestReader(Reader::checked(bytes, KIND).map_err(Problem::from)?);
    let columns = reader.number()?;
    let link = if reader.number()? == 0 { Link::Softmax } else { Link::Logistic };
    let base = reader.floats()?;
    if link == Link::Logistic && base.len() != 1 {
        return Err(Problem::Damaged("two classes have one base score").into());
    }
    let names = reader.number()?;
    let names = (0..names).map(|_| reader.text()).collect::<Result<_, Problem>>()?;
    let mut forest = Forest::with_link(columns, base, link)?.with_names(names)?;
    for _ in 0..reader.number()? {
        let key = reader.text()?;
        forest.attributes.insert(key, reader.text()?);
    }
    let tests = (0..columns).map(|_| reader.floats()).collect::<Result<Vec<_>, Problem>>()?;
    let trees = reader.number()?;
    for _ in 0..trees {
        let tree = reader.tree(&tests)?;
        forest.push(&tree)?;
    }
    if !trees.is_multiple_of(forest.groups()) {
        return Err(Problem::Turns { tree: trees, trees, groups: forest.groups() }.into());
    }
    reader.0.end().map_err(Problem::from)?;
    Ok(forest)
}

impl From<ContainerError> for Problem {
    fn from(error: ContainerError) -> Problem {
        match error {
            ContainerError::Version { found, wanted } => Problem::Version { found, wanted },
            ContainerError::Damaged => Problem::Damaged("the checksum of its bytes does not match"),
            ContainerError::Beyond { .. } => Problem::Damaged("there are bytes after its end"),
            _ => Problem::Damaged("it is cut off"),
        }
    }
}

struct ForestReader<'a>(Reader<&'a [u8]>);

impl ForestReader<'_> {
    fn narrow(&mut self, end: usize) -> Result<usize, Problem> {
        let mut number = [0; 4];
        self.0.fill(&mut number[..width(end)])?;
        Ok(u32::from_le_bytes(number) as usize)
    }

    fn number(&mut self) -> Result<usize, Problem> {
        Ok(self.0.number::<u32>()? as usize)
    }

    fn floats(&mut self) -> Result<Vec<f32>, Problem> {
        let count = self.number()?;
        Ok(self.0.list(count)?)
    }

    fn text(&mut self) -> Result<String, Problem> {
        let length = self.number()?;
        String::from_utf8(self.0.list(length)?).map_err(|_| Problem::Damaged("a name is not UTF-8"))
    }

    fn tree(&mut self, tests: &[Vec<f32>]) -> Result<Tree, Problem> {
        let (least, step) = (self.0.number::<f32>()?, self.0.number::<f32>()?);
        let mut nodes = Vec::new();
        let mut promised = 1;
        while nodes.len() < promised {
            let column = self.narrow(tests.len() + 1)?;
            if column == 0 {
                let level = self.0.number::<u16>()?;
                nodes.push(Node::Leaf { value: least + f32::from(level) * step, cover: 0.0 });
                continue;
            }
            let of_column = tests.get(column - 1);
            let of_column = of_column.ok_or(Problem::Damaged("a column is not there"))?;
            let below = of_column.get(self.narrow(of_column.len())?).copied();
            let below = below.ok_or(Problem::Damaged("a test is not there"))?;
            let (column, left, right) = (column - 1, promised, promised + 1);
            let (missing_left, gain, cover, value) = (false, 0.0, 0.0, 0.0);
            nodes.push(Node::Split {
                column,
                below,
                left,
                right,
                missing_left,
                gain,
                cover,
                value,
            });
            promised += 2;
        }
        Ok(Tree { nodes })
    }
}
