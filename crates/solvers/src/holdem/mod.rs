//! Heads-up hold'em on exact cards, all hands of a range at once.
//!
//! - [`subgame`]: from the flop, turn or river to the end of the hand, or ([`DepthLimited`]) of the
//!   street.
//! - [`situation`]: random turn and river situations, and the values of all hands there.
//! - [`best_response`]: best responses in a whole betting tree, exact from a flop on.
//! - [`by_policy`]: what hands win from a turn or river on by given policies.
//! - [`lbr`]: local best response, a lower bound for any strategy.
//! - [`suits`]: suit isomorphism, and the classes of flops.
//!
//! [`DepthLimited`]: subgame::DepthLimited

use cards::Combo;
use game::GameDef;

pub mod best_response;
pub mod by_policy;
mod depth_limited;
pub mod lbr;
pub mod situation;
pub mod subgame;
pub mod suits;

/// A number for each combo, by [`Combo::index`].
pub type ByCombo = Box<[f64; Combo::COUNT]>;

/// Whether a game is two-player hold'em with a full deck.
pub fn is_holdem(def: &GameDef) -> bool {
    def.differs_from_holdem().is_none()
}
