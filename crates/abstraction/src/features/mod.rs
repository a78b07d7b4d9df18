//! Features: a situation in heads-up hold'em as 35 numbers preflop, 25 on the flop, 15 on the turn,
//! 5 on the river.
//!
//! They are, in this order: the win-rate against a uniformly random opponent hand; ten deciles of
//! the win-rate on each later street, over every possible board; and the opponent's chips on each
//! of the four streets. All win-rates are exact. A [`Schema`] defines the features, their names,
//! and how ties and deciles are counted; a [`FeatureMaker`] computes them.
//!
//! After Bertsimas and Paskov, "World-class interpretable poker" (2022), where deciles are not
//! defined further: here 10 %, 20 % … 100 % by nearest rank, and ties count half, unless a schema
//! says otherwise.
//!
//! Values are in single precision, so that training and play see the same numbers bit by bit:
//! win-rates to 7 digits, and chips exactly up to 16,777,216.

mod feature;
mod maker;
mod preflop;
mod schema;

pub use feature::{Feature, Unit};
pub use maker::{FeatureMaker, FeaturesError};
pub use preflop::table_text as preflop_table;
pub use schema::{Quantiles, Schema, SchemaError, Stamp};

use game::{Action, Chips, PublicState, Seat, Street};

/// Maximum number of features of a street.
pub const MAX_FEATURES: usize = 35;

/// The features of one situation: 35, 25, 15 or 5 values in the order of [`Feature::of`].
#[derive(Debug, Clone, Copy)]
pub struct Features {
    street: Street,
    values: [f32; MAX_FEATURES],
}

impl Features {
    /// The street of the situation.
    pub fn street(&self) -> Street {
        self.street
    }

    /// The values.
    #[inline]
    pub fn as_slice(&self) -> &[f32] {
        &self.values[..Feature::count(self.street)]
    }

    /// The value of a feature, or `None` when the street does not have it.
    pub fn get(&self, feature: Feature) -> Option<f32> {
        Some(self.values[feature.index(self.street)?])
    }

    /// Each feature with its value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Feature, f32)> + '_ {
        Feature::of(self.street).zip(self.as_slice().iter().copied())
    }
}

impl PartialEq for Features {
    fn eq(&self, other: &Features) -> bool {
        self.street == other.street && self.as_slice() == other.as_slice()
    }
}

/// Chips the other player has put in on each street, the blind included; 0 for streets to come.
///
/// The seat must be one of a heads-up game.
pub fn opponent_bets(public: &PublicState, seat: Seat) -> [Chips; Street::ALL.len()] {
    let def = public.def();
    let other = 1 - seat.index();
    let mut bets = [0; Street::ALL.len()];
    let mut highest = def.blinds.iter().copied().max().unwrap_or_default();
    let mut committed = def.blinds[other];
    bets[Street::Preflop.index()] = committed;
    for played in public.history() {
        let total = match played.action {
            Action::Fold => continue,
            Action::Call => highest,
            Action::RaiseTo(total) => {
                highest = total;
                total
            }
        };
        if played.seat.index() == other {
            let total = total.min(def.stacks[other]);
            bets[played.street.index()] += total.saturating_sub(committed);
            committed = total;
        }
    }
    bets
}
