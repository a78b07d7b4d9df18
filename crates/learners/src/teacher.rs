//! A blueprint as a teacher: its strategy over moves.

use std::sync::Arc;

use abstraction::betting::BettingTree;
use abstraction::buckets::{Buckets, BucketsError};
use abstraction::menu::Moves;
use game::Street;
use models::blueprint::{Blueprint, BlueprintError};
use solvers::blueprint::{HoldemDeals, NotHoldem};

/// A blueprint, prepared for looking up its strategy.
#[derive(Debug)]
pub struct Teacher {
    pub(crate) blueprint: Blueprint,
    pub(crate) tree: BettingTree,
    pub(crate) deals: HoldemDeals,
    moves: [Moves; 4],
}

/// The reason a blueprint cannot be a teacher.
#[derive(Debug, thiserror::Error)]
pub enum TeacherError {
    /// The blueprint is damaged or has another version.
    #[error(transparent)]
    Blueprint(#[from] BlueprintError),
    /// The buckets are damaged or have another version.
    #[error("the blueprint's buckets: {0}")]
    Buckets(#[from] BucketsError),
    /// It was trained with other buckets than it contains.
    #[error("the blueprint was trained with buckets {stated}, but holds {found}: train it again")]
    OtherBuckets {
        /// The buckets stated in its header.
        stated: String,
        /// The buckets it contains.
        found: String,
    },
    /// The features do not support its game.
    #[error(transparent)]
    Game(#[from] NotHoldem),
}

impl Teacher {
    /// Builds the tree and reads the buckets.
    ///
    /// # Errors
    /// When the blueprint is damaged, or not for heads-up hold'em.
    pub fn new(blueprint: Blueprint) -> Result<Teacher, TeacherError> {
        let tree = blueprint.tree()?;
        let buckets = Buckets::read(blueprint.buckets())?;
        let (stated, found) = (&blueprint.head().buckets.sha256, buckets.hash());
        if stated != found {
            let (stated, found) = (stated.clone(), found.to_owned());
            return Err(TeacherError::OtherBuckets { stated, found });
        }
        let deals = HoldemDeals::new(tree.def(), Arc::new(buckets))?;
        let moves = Street::ALL.map(|street| blueprint.menu().moves(street));
        Ok(Teacher { blueprint, tree, deals, moves })
    }

    /// The blueprint.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The betting tree it was trained in.
    pub fn tree(&self) -> &BettingTree {
        &self.tree
    }

    /// The moves available on a street: the classes of what is learned.
    pub fn moves(&self, street: Street) -> &Moves {
        &self.moves[street.index()]
    }
}
