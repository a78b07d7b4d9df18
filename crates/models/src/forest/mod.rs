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
mod document;
mod error;
mod nodes;
mod ubj;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use crate::Classifier;
pub use error::ForestError;
use nodes::{MAX_COLUMNS, Nodes};
pub use nodes::{Node, Tree};

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
    pub fn new(columns: usize, base: Vec<f32>) -> Result<Forest, ForestError> {
        Forest::with_link(columns, base, Link::Softmax)
    }

    fn with_link(columns: usize, base: Vec<f32>, link: Link) -> Result<Forest, ForestError> {
        let classes = match link {
            Link::Softmax => base.len(),
            Link::Logistic => 2,
        };
        if columns == 0 || classes < 2 {
            return Err(ForestError::Narrow { columns, classes });
        }
        if columns > MAX_COLUMNS {
            return Err(ForestError::Columns { columns, most: MAX_COLUMNS });
        }
        if let Some(class) = base.iter().position(|value| !value.is_finite()) {
            return Err(ForestError::Base { class, value: base[class] });
        }
        let nodes = Nodes::new(columns);
        let (names, attributes) = (Vec::new(), BTreeMap::new());
        Ok(Forest { columns, names, attributes, link, base, nodes })
    }

    /// The same forest with a name for each column.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Forest, ForestError> {
        if !names.is_empty() && names.len() != self.columns {
            return Err(ForestError::Names { names: names.len(), columns: self.columns });
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
    pub fn push(&mut self, tree: &Tree) -> Result<(), ForestError> {
        self.nodes.push(tree)
    }

    /// Drops all but the first `trees` trees.
    pub fn truncate(&mut self, trees: usize) {
        self.nodes.truncate(trees);
    }

    /// Parses XGBoost's JSON, XGBoost's UBJ or the compact form.
    pub fn read(bytes: &[u8]) -> Result<Forest, ForestError> {
        match bytes {
            [b'{', b'L' | b'l' | b'i' | b'U' | b'I' | b'#' | b'$', ..] => document::read_ubj(bytes),
            [b'{' | b' ' | b'\n' | b'\r' | b'\t', ..] => document::read_json(bytes),
            _ if bytes.starts_with(compact::MAGIC) => compact::read(bytes),
            _ => Err(ForestError::NotOne),
        }
    }

    /// Reads a file in any of the three forms.
    pub fn open(path: &Path) -> Result<Forest, ForestError> {
        let bytes = std::fs::read(path)
            .map_err(|source| ForestError::Read { path: path.to_owned(), source })?;
        Forest::read(&bytes)
    }

    /// The forest as XGBoost's JSON model file, about 60 bytes a node.
    pub fn to_json(&self) -> Vec<u8> {
        write::json(self)
    }

    /// The forest as XGBoost's UBJ model file, about 34 bytes a node.
    pub fn to_ubj(&self) -> Vec<u8> {
        write::ubj(self)
    }

    /// The forest in the compact form. Each leaf is off by at most 1/131,070 of the span of its
    /// tree's leaves, so probabilities differ in the fifth digit. Gains, covers and inner values
    /// are dropped.
    pub fn to_compact(&self) -> Vec<u8> {
        compact::write(self)
    }

    /// Checks that the forest has these columns, by number and (where it names them) by name, and
    /// this number of classes.
    pub fn require(&self, columns: &[String], classes: usize) -> Result<(), ForestError> {
        let other = |what, theirs, ours| Err(ForestError::Other { what, theirs, ours });
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
                Err(ForestError::OtherName { column, theirs: theirs.clone(), ours: ours.clone() })
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
    /// [`ForestError::Number`] where the attribute is not a number.
    pub fn best_rounds(&self) -> Result<Option<usize>, ForestError> {
        let Some(text) = self.attributes.get(BEST) else { return Ok(None) };
        let best: usize =
            text.parse().map_err(|_| ForestError::Number { field: BEST, text: text.clone() })?;
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
                softmax(shares);
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

/// The softmax of margins, in place, with XGBoost's arithmetic: exponentials in 32 bits, their sum
/// in 64 bits.
pub fn softmax(margins: &mut [f32]) {
    let most = margins.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0f64;
    for margin in margins.iter_mut() {
        *margin = (*margin - most).exp();
        sum += f64::from(*margin);
    }
    let sum = sum as f32;
    margins.iter_mut().for_each(|margin| *margin /= sum);
}
