//! A blueprint as a teacher: its strategy, move by move.

use std::sync::Arc;

use abstraction::betting::BettingTree;
use abstraction::buckets::{Buckets, FileError};
use abstraction::menu::Moves;
use game::Street;
use models::blueprint::{Blueprint, BlueprintError};
use solvers::blueprint::{HoldemDeals, NotHoldem};

/// A blueprint with all it takes to look a strategy up in it.
#[derive(Debug)]
pub struct Teacher {
    pub(crate) blueprint: Blueprint,
    pub(crate) tree: BettingTree,
    pub(crate) deals: HoldemDeals,
    moves: [Moves; 4],
}

/// Why a blueprint cannot teach.
#[derive(Debug, thiserror::Error)]
pub enum TeacherError {
    /// The blueprint is damaged, or of another version.
    #[error(transparent)]
    Blueprint(#[from] BlueprintError),
    /// Its buckets are.
    #[error("the blueprint's buckets: {0}")]
    Buckets(#[from] FileError),
    /// It was trained with other buckets than it holds.
    #[error("the blueprint was trained with buckets {stated}, but holds {found}: train it again")]
    OtherBuckets {
        /// What its head says.
        stated: String,
        /// What it holds.
        found: String,
    },
    /// Features are for one game only.
    #[error(transparent)]
    Game(#[from] NotHoldem),
}

impl Teacher {
    /// Lays the tree out and writes the buckets of every hand out: a second or two, and 52 MB
    /// beside the tree.
    ///
    /// # Errors
    /// When the blueprint is damaged, or not for heads-up hold'em.
    pub fn new(blueprint: Blueprint) -> Result<Teacher, TeacherError> {
        let tree = blueprint.tree()?;
        let mut buckets = Buckets::read(blueprint.buckets())?;
        let (stated, found) = (&blueprint.head().buckets.sha256, buckets.hash());
        if stated != found {
            let (stated, found) = (stated.clone(), found.to_owned());
            return Err(TeacherError::OtherBuckets { stated, found });
        }
        buckets.tabulate(|_| {});
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

    /// What it may do on a street: the classes of what is learned from it.
    pub fn moves(&self, street: Street) -> &Moves {
        &self.moves[street.index()]
    }
}
