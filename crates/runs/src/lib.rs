//! What makes long work resumable, splittable and mergeable, whatever the work is.
//!
//! A long run is kept in one of three forms:
//!
//! - the *ledger* of hands, which is a database and stands in the crate `logs`;
//! - a [`Journal`]: a folder with a manifest and a file of keyed lines, each of which stands for a
//!   piece of work that is done. Parts of a run ([`Shard`]) have a journal each, which
//!   [`journal::merge`] joins;
//! - a [`Checkpoint`]: one file that is replaced from time to time. Numbers are kept in a
//!   [`container`].
//!
//! What two runs must have in common, so that one can go on where the other stopped, is a value
//! that is compared field by field as it is serialized ([`difference`]): a new field cannot be
//! forgotten.

pub mod container;
mod file;
mod identity;
pub mod journal;
mod shard;

pub use file::{
    Checkpoint, HeldLocks, Lock, LockError, beside, create_folder, paths_in, write_whole,
};
pub use identity::{Difference, difference};
pub use journal::{Form, Journal, RunError};
pub use shard::{Shard, ShardError};
