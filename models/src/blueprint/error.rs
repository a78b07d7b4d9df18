//! What can be wrong with a blueprint.

use std::path::PathBuf;

use abstraction::betting::TreeError;
use abstraction::menu::MenuError;
use game::{GameDefError, Street};

/// Why a blueprint cannot be used. The variants up to [`BlueprintError::Game`] are about its bytes.
#[derive(Debug, thiserror::Error)]
pub enum BlueprintError {
    /// The file cannot be read.
    #[error("cannot read the blueprint {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The bytes are something else.
    #[error("these bytes are no blueprint: they do not begin as one")]
    NotOne,
    /// Another version of the format.
    #[error(
        "the blueprint has format {found}, and this program reads {wanted}: export it again from its training, \
         or use the program it was made with"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version that can be read.
        wanted: u32,
    },
    /// The bytes end too early.
    #[error("the blueprint is cut off: {found} bytes of {needed}; copy or export it again")]
    Cut {
        /// Bytes that it should have.
        needed: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// There are bytes after the end.
    #[error(
        "the blueprint has {found} bytes, but should end after {needed}; copy or export it again"
    )]
    TooLong {
        /// Bytes that it should have.
        needed: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// The head is not the one that was written.
    #[error(
        "the blueprint is damaged: the checksum of its head does not fit; copy or export it again"
    )]
    DamagedHead,
    /// The file is not the one that was written.
    #[error(
        "the blueprint is damaged: the checksum of its bytes does not fit; copy or export it again"
    )]
    Damaged,
    /// The head cannot be read.
    #[error("the blueprint's head cannot be read: {0}")]
    Head(String),
    /// The head's menu cannot be read.
    #[error("the blueprint's bet menu cannot be read: {0}")]
    Menu(MenuError),
    /// The head's game is none.
    #[error("the blueprint's game is none: {0}")]
    BadGame(GameDefError),
    /// The head's tree cannot be built.
    #[error("the blueprint's betting tree cannot be built: {0}")]
    Tree(TreeError),
    /// The tree that this program builds is not the one it was trained on.
    #[error(
        "the blueprint was trained on the betting tree {theirs:.12}, and this program builds {ours:.12}"
    )]
    OtherTree {
        /// The hash in the head.
        theirs: String,
        /// The hash of the tree built here.
        ours: String,
    },
    /// A table has another length than its tree and buckets say.
    #[error(
        "the blueprint's table of the {street} has {found} bytes, but its tree and buckets need {needed}"
    )]
    Table {
        /// The street.
        street: Street,
        /// Bytes that there are.
        found: u64,
        /// Bytes needed.
        needed: u128,
    },
    /// The shares of an information set do not sum to one.
    #[error("the shares of bucket {bucket} after `{betting}` sum to {sum} of 255")]
    Shares {
        /// The betting that leads there.
        betting: String,
        /// The bucket.
        bucket: u32,
        /// The sum.
        sum: u32,
    },
    /// The tail's counts are wrong.
    #[error(
        "the blueprint says that training reached {told} information sets of the {street}, but {found} have shares"
    )]
    Reached {
        /// The street.
        street: Street,
        /// What the tail says.
        told: u64,
        /// What there is.
        found: u64,
    },
    /// It is for another game.
    #[error("the blueprint is for {theirs}, and the game is {ours}: train one for this game")]
    Game {
        /// The blueprint's game, in words.
        theirs: String,
        /// The other game, in words.
        ours: String,
    },
}
