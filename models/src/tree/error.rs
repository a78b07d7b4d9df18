//! What can be wrong with a tree.

/// Why nodes, bytes or a text are no tree.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TreeError {
    /// The bytes are something else.
    #[error("these bytes are no tree: they do not begin as one")]
    NotOne,
    /// Another version of the format.
    #[error(
        "the tree has format {found}, and this program reads {wanted}: train it again, or use the program it was made with"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version that can be read.
        wanted: u32,
    },
    /// The bytes end too early.
    #[error("the tree is cut off at byte {at}, in {what}; copy it again")]
    Cut {
        /// Where more bytes were needed.
        at: usize,
        /// What was being read.
        what: &'static str,
    },
    /// The bytes are not the ones that were written.
    #[error("the tree is damaged: the checksum of its bytes does not fit; copy it again")]
    Damaged,
    /// A byte cannot stand where it does.
    #[error("the tree is no tree at byte {at}: {what}")]
    Bytes {
        /// The byte.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// A node that cannot be.
    #[error("node {node}: {what}")]
    Node {
        /// The node's number.
        node: usize,
        /// What is wrong.
        what: String,
    },
    /// No columns, fewer than two classes, or a name twice.
    #[error("a tree needs different names of at least one column and two classes: {0}")]
    Names(String),
    /// A text that is no tree.
    #[error("the tree's text is wrong at character {at}: {what}")]
    Text {
        /// The character, from 0.
        at: usize,
        /// What is wrong.
        what: String,
    },
}
