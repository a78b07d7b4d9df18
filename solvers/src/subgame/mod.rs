//! Subgames of heads-up hold'em, solved range against range on exact cards.
//!
//! A [`Subgame`] is laid out from a state on the flop, turn or river ([`start`] makes one from
//! board, pot and stacks), a range for each player, and a menu of bets. A [`Solver`] runs
//! counterfactual regret minimisation on it ([`Options`]: every alternating, non-predictive
//! [`Variant`](crate::Variant); DCFR+ unless told otherwise), says exactly how far the result is
//! from an equilibrium ([`Evaluation`]), and gives the strategy of every hand at every [`Spot`].
//!
//! A [`LastBet`] is a river where one player bets or checks and the other calls or folds, for ways
//! to play that come from elsewhere: what each is worth against the best answer.
//!
//! Inside: `betting` (the tree without cards), `boards` (which hands can be held where), `symmetry`
//! (cards that make the same game), `pass` (one look at everything), `ends` (what is won where
//! hands end), `gadget` (who may leave before), `rows` and `terminal` (the inner loops), `storage`
//! (what is kept), `snapshot` (that as bytes).

mod betting;
mod boards;
mod ends;
mod error;
mod gadget;
mod judge;
mod last_bet;
mod layout;
mod pass;
pub mod response;
mod rows;
mod snapshot;
mod solver;
mod spot;
mod start;
mod storage;
pub(crate) mod symmetry;
mod terminal;
mod vector;
mod workspace;
mod worth;

pub use error::SubgameError;
pub use gadget::Gadget;
pub use judge::{Evaluation, HandValue};
pub use last_bet::{LastBet, LastBetPlay};
pub use layout::{Size, Subgame};
pub use solver::{Options, Solver};
pub use spot::{OffTree, Spot};
pub use start::{StartError, start};
pub use storage::Precision;
pub use vector::{Registers, use_registers};
