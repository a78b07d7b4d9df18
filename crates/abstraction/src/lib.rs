//! Abstractions of a large game.
//!
//! - [`menu`]: the bets of an abstract game.
//! - [`betting`]: the betting tree, by a menu or from any state on, laid out flat and counted.
//! - [`multiway`]: betting for more than two players, with places joined that are alike.
//! - [`translate`]: translation of real bets to those of the tree, and back.
//! - [`buckets`]: groups of similar hands on each street.
//! - [`facts`]: what a player sees in a hand and a board: made hand, outs, texture.
//! - [`hand_class`]: what players call a hand on a board, and its draw.
//! - [`features`]: a situation in heads-up hold'em as a few interpretable numbers.

pub mod betting;
pub mod buckets;
pub mod facts;
pub mod features;
pub mod hand_class;
pub mod menu;
pub mod multiway;
pub mod translate;

/// What is wrong with a menu, buckets, features or a betting tree, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<str>);

impl Error {
    #[cold]
    pub(crate) fn new(text: impl Into<Box<str>>) -> Error {
        Error(text.into())
    }
}

impl From<cards::Error> for Error {
    #[cold]
    fn from(error: cards::Error) -> Error {
        Error::new(error.to_string())
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::new(error.to_string())
    }
}
