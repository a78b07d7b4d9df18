//! Errors of building and parsing trees.

/// Error for nodes, bytes or a text that are not a valid tree.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TreeError {
    /// The bytes are not a tree.
    #[error("these bytes are not a tree: they do not begin like one")]
    NotOne,
    /// The format has another version.
    #[error(
        "the tree has format {found}, and this program reads {wanted}: train it again, or use the \
         program it was made with"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version that this program reads.
        wanted: u32,
    },
    /// The bytes end too early.
    #[error("the tree is cut off at byte {at}, in {what}; copy it again")]
    Cut {
        /// Offset where more bytes were needed.
        at: usize,
        /// The item being read.
        what: &'static str,
    },
    /// The bytes do not match their checksum.
    #[error("the tree is damaged: the checksum of its bytes does not match; copy it again")]
    Damaged,
    /// A byte is not valid in its place.
    #[error("the tree is not valid at byte {at}: {what}")]
    Bytes {
        /// The byte's offset.
        at: usize,
        /// The problem.
        what: String,
    },
    /// A node is not valid.
    #[error("node {node}: {what}")]
    Node {
        /// The node's number.
        node: usize,
        /// The problem.
        what: String,
    },
    /// There are no columns, fewer than two classes, or a repeated name.
    #[error("a tree needs different names of at least one column and two classes: {0}")]
    Names(String),
    /// A text is not a valid tree.
    #[error("the tree's text is wrong at character {at}: {what}")]
    Text {
        /// Offset of the character, from 0.
        at: usize,
        /// The problem.
        what: String,
    },
}
