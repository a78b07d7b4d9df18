//! Range-against-range solver for heads-up hold'em subgames, on exact cards.
//!
//! A [`Subgame`] is built from a state on the flop, turn or river ([`mod@start`] makes one from
//! board, pot and stacks), a range for each player, and a bet menu. A [`Solver`] runs
//! counterfactual regret minimisation on it ([`Options`]: any alternating, non-predictive
//! [`Variant`](crate::Variant)), computes the exact distance from an equilibrium
//! ([`Evaluation`]), and returns the strategy of every hand at every [`Spot`].
//!
//! A [`DepthLimited`] game ends with the street it starts on, with estimated values
//! ([`LeafValues`]) instead of later streets.
//!
//! A [`LastBet`] is a river where one player bets or checks and the other calls or folds. It
//! computes what given strategies are worth against the best response.
//!
//! Modules: `betting` (the betting tree without cards), `boards` (the hands possible on each
//! board), `symmetry` (suit isomorphisms), `pass` (one traversal of the subgame), `ends` (values of
//! terminal nodes), `gadget` (re-solving gadget), `rows` and `terminal` (inner loops), `storage`
//! (regrets and averages), `snapshot` (their serialisation).

pub(crate) mod betting;
pub(crate) mod boards;
mod checks;
mod depth_limited;
pub(crate) mod ends;
mod error;
mod evaluator;
mod gadget;
mod hand_values;
mod last_bet;
mod layout;
mod pass;
mod rows;
mod snapshot;
mod solver;
mod spot;
mod start;
pub(crate) mod storage;
pub(crate) mod symmetry;
mod terminal;
pub(crate) mod vector;
pub(crate) mod workspace;

pub use depth_limited::{DepthLimited, Leaf, LeafValues};
pub use error::SubgameError;
pub use evaluator::{Evaluation, HandValue};
pub use gadget::Gadget;
pub use last_bet::{LastBet, LastBetPlay};
pub use layout::{Size, Subgame};
pub use solver::{Options, Solver};
pub use spot::{OffTree, Spot};
pub use start::{StartError, start};
pub use storage::Precision;
pub use vector::{Registers, use_registers};
