//! Errors of opening and using a blueprint.

use std::path::PathBuf;

use abstraction::betting::TreeError;
use abstraction::menu::MenuError;
use game::{GameDefError, Street};

/// Error for a blueprint that cannot be used. The variants before [`BlueprintError::Game`] concern
/// its bytes.
#[derive(Debug, thiserror::Error)]
pub enum BlueprintError {
    /// The file cannot be read.
    #[error("cannot read the blueprint {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// The bytes are not a blueprint.
    #[error("these bytes are not a blueprint: they do not begin like one")]
    NotOne,
    /// The format has another version.
    #[error(
        "the blueprint has format {found}, and this program reads {wanted}: export it again from \
         its training, or use the program it was made with"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version that this program reads.
        wanted: u32,
    },
    /// The file is too short.
    #[error("the blueprint is cut off: {found} bytes of {needed}; copy or export it again")]
    Cut {
        /// Expected number of bytes.
        needed: u64,
        /// Actual number of bytes.
        found: u64,
    },
    /// The file is too long.
    #[error(
        "the blueprint has {found} bytes, but should end after {needed}; copy or export it again"
    )]
    TooLong {
        /// Expected number of bytes.
        needed: u64,
        /// Actual number of bytes.
        found: u64,
    },
    /// The head does not match its checksum.
    #[error(
        "the blueprint is damaged: the checksum of its head does not match; copy or export it again"
    )]
    DamagedHead,
    /// The file does not match its checksum.
    #[error(
        "the blueprint is damaged: the checksum of its bytes does not match; copy or export it \
         again"
    )]
    Damaged,
    /// The head cannot be parsed.
    #[error("the blueprint's head cannot be read: {0}")]
    Head(String),
    /// The head's menu cannot be parsed.
    #[error("the blueprint's bet menu cannot be read: {0}")]
    Menu(MenuError),
    /// The head's game is not valid.
    #[error("the blueprint's game is not valid: {0}")]
    BadGame(GameDefError),
    /// The head's tree cannot be built.
    #[error("the blueprint's betting tree cannot be built: {0}")]
    Tree(TreeError),
    /// The tree built by this program differs from the one in training.
    #[error(
        "the blueprint was trained on the betting tree {theirs:.12}, and this program builds \
         {ours:.12}"
    )]
    OtherTree {
        /// The hash in the head.
        theirs: String,
        /// The hash of the tree built here.
        ours: String,
    },
    /// A table's length does not match its tree and buckets.
    #[error(
        "the blueprint's table of the {street} has {found} bytes, but its tree and buckets need \
         {needed}"
    )]
    Table {
        /// The street of the table.
        street: Street,
        /// Actual number of bytes.
        found: u64,
        /// Expected number of bytes.
        needed: u128,
    },
    /// The shares of an information set do not sum to one.
    #[error("the shares of bucket {bucket} after `{betting}` sum to {sum} of 255")]
    Shares {
        /// The betting that leads to the information set.
        betting: String,
        /// The bucket's number on its street.
        bucket: u32,
        /// The sum of its shares, in 255ths.
        sum: u32,
    },
    /// The tail's counts do not match the tables.
    #[error(
        "the blueprint says that training reached {declared} information sets of the {street}, but \
         {found} have shares"
    )]
    Reached {
        /// The street of the count.
        street: Street,
        /// The count in the tail.
        declared: u64,
        /// The count in the table.
        found: u64,
    },
    /// The blueprint is for another game.
    #[error("the blueprint is for {theirs}, and the game is {ours}: train one for this game")]
    Game {
        /// The blueprint's game, in words.
        theirs: String,
        /// The other game, in words.
        ours: String,
    },
}
