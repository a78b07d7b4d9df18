//! The file format of trees. All numbers are little-endian; a *varint* is an unsigned number of up
//! to 32 bits in groups of seven, the lowest first, with the top bit set on all but the last.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `cardtree` |
//! | 4 | the version, 1 |
//! | 4 + 4 | columns, classes |
//! | each | a name: varint of its length, UTF-8; columns first, then classes |
//! | each | the nodes in the order of their numbers, until the tree is whole |
//! | 32 | SHA-256 of all bytes before |
//!
//! A node is a byte with its kind, and then
//!
//! - 0, a leaf: varint of the rows, their weight as f32, for each class a varint of its share in
//!   10,000ths;
//! - 1, a branch: varint of the column, f32 of `below`;
//! - 2, a branch on a weighted sum: varint of the number of factors, for each varint of the column
//!   and f32 of the factor; f32 of `below`.

use sha2::{Digest, Sha256};

use super::{Builder, Node, SplitTest, Tree, TreeError, UNITS};

const MAGIC: &[u8; 8] = b"cardtree";
const VERSION: u32 = 1;
const SUM: usize = 32;
// Maximum number of columns or classes in a file.
const MAX_NAMES: u32 = 1 << 16;

impl Tree {
    /// The tree as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.extend((self.columns.len() as u32).to_le_bytes());
        out.extend((self.classes.len() as u32).to_le_bytes());
        for name in self.columns.iter().chain(&self.classes) {
            varint(&mut out, name.len() as u32);
            out.extend(name.as_bytes());
        }
        for number in 0..self.nodes() {
            match self.node(number) {
                Node::Leaf { shares, weight, rows } => {
                    out.push(0);
                    varint(&mut out, rows);
                    out.extend(weight.to_le_bytes());
                    for share in shares {
                        varint(&mut out, (share * UNITS as f32).round() as u32);
                    }
                }
                Node::Branch { test: SplitTest::Column(column), below, .. } => {
                    out.push(1);
                    varint(&mut out, column as u32);
                    out.extend(below.to_le_bytes());
                }
                Node::Branch { test: SplitTest::Plane(plane), below, .. } => {
                    out.push(2);
                    varint(&mut out, plane.factors.len() as u32);
                    for &(column, factor) in &plane.factors {
                        varint(&mut out, column as u32);
                        out.extend(factor.to_le_bytes());
                    }
                    out.extend(below.to_le_bytes());
                }
            }
        }
        let sum = Sha256::digest(&out);
        out.extend(sum);
        out
    }

    /// Parses a tree file. Errors name the byte or the node.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tree, TreeError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(MAGIC.len(), "the first bytes").ok() != Some(&MAGIC[..]) {
            return Err(TreeError::NotOne);
        }
        let version = reader.word("the version")?;
        if version != VERSION {
            return Err(TreeError::Version { found: version, wanted: VERSION });
        }
        let [columns, classes] = [reader.count()?, reader.count()?];
        let columns = reader.names(columns)?;
        let classes = reader.names(classes)?;
        let mut builder = Builder::new(&columns, &classes)?;
        while !builder.whole() {
            reader.node(&mut builder, classes.len())?;
        }
        let end = reader.at;
        let sum = reader.take(SUM, "the checksum")?;
        if sum != Sha256::digest(&bytes[..end]).as_slice() {
            return Err(TreeError::Damaged);
        }
        if reader.at != bytes.len() {
            return Err(reader.error("there are bytes after the end".into()));
        }
        builder.finish()
    }
}

fn varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize, what: &'static str) -> Result<&'a [u8], TreeError> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..bytes).ok_or(TreeError::Cut { at: self.bytes.len(), what })?;
        self.at += bytes;
        Ok(taken)
    }

    fn word(&mut self, what: &'static str) -> Result<u32, TreeError> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes were taken")))
    }

    fn float(&mut self, what: &'static str) -> Result<f32, TreeError> {
        self.word(what).map(f32::from_bits)
    }

    fn varint(&mut self, what: &'static str) -> Result<u32, TreeError> {
        let mut value = 0u64;
        for group in 0..5 {
            let byte = self.take(1, what)?[0];
            value |= u64::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                return u32::try_from(value)
                    .map_err(|_| self.error(format!("{what} is too large a number")));
            }
        }
        Err(self.error(format!("{what} does not end")))
    }

    fn count(&mut self) -> Result<u32, TreeError> {
        let count = self.word("the number of names")?;
        if count > MAX_NAMES {
            return Err(self.error(format!("{count} names are too many")));
        }
        Ok(count)
    }

    fn names(&mut self, count: u32) -> Result<Vec<String>, TreeError> {
        (0..count)
            .map(|_| {
                let length = self.varint("the length of a name")? as usize;
                let bytes = self.take(length, "a name")?.to_vec();
                String::from_utf8(bytes).map_err(|_| self.error("a name is not UTF-8".into()))
            })
            .collect()
    }

    fn node(&mut self, builder: &mut Builder, classes: usize) -> Result<(), TreeError> {
        match self.take(1, "a node")?[0] {
            0 => {
                let rows = self.varint("a leaf's rows")?;
                let weight = self.float("a leaf's weight")?;
                let units =
                    (0..classes)
                        .map(|_| self.varint("a leaf's shares"))
                        .collect::<Result<Vec<u32>, _>>()?;
                builder.leaf_of_units(&units, weight, rows)
            }
            1 => {
                let column = self.varint("a branch's column")?;
                let below = self.float("a branch's number")?;
                builder.branch(column as usize, below)
            }
            2 => {
                let factors = self.varint("the number of factors")?;
                let factors = (0..factors)
                    .map(|_| Ok((self.varint("a column")? as usize, self.float("a factor")?)))
                    .collect::<Result<Vec<(usize, f32)>, TreeError>>()?;
                let below = self.float("a branch's number")?;
                builder.plane(&factors, below)
            }
            kind => {
                self.at -= 1;
                Err(self.error(format!("{kind} is not a kind of node")))
            }
        }
    }

    fn error(&self, what: String) -> TreeError {
        TreeError::Bytes { at: self.at, what }
    }
}
