//! What a hand is worth while it is played, to somebody who sees all cards.

use cards::HoleCards;

use crate::{GameDef, PublicState};

/// A value function: what a hand of two players is worth at each of its points, both hands known.
///
/// Estimates of win rates subtract from a result what the value function says of luck; they are
/// unbiased for any function that is fixed before the hands are played, and the narrower the better
/// it foresees results. Nothing that plays may ask one: it sees both hands.
pub trait ValueFunction: Send + Sync {
    /// Its name, with a hash of all that decides its values.
    fn name(&self) -> &str;

    /// Whether it has values for this game.
    ///
    /// # Errors
    /// Why it has none, in words that name both games.
    fn check_game(&self, def: &GameDef) -> Result<(), String>;

    /// The values of a hand with these hole cards, two for each seat in the order of seats, between
    /// these entrants of a match, which matter where they are valued by what they themselves would
    /// do. `seed` decides the boards that are looked at where not all are; it must not depend on
    /// cards that are still to come or on what is played, and the same hand with the same seed has
    /// the same values.
    fn of_deal<'a>(
        &'a self,
        holes: [HoleCards; 2],
        entrants: [u8; 2],
        seed: u64,
    ) -> Box<dyn DealValues + 'a>;
}

/// The values of one hand.
pub trait DealValues {
    /// What seat 0 is expected to win from this state on, in chips, net of all that it has put into
    /// the pot in this hand; of a hand that is over, what it has won. Seat 1 wins as much less.
    ///
    /// Where cards are to be dealt next it is the mean over them, exactly so on the last street and
    /// in expectation over seeds on others.
    fn value(&mut self, public: &PublicState) -> f64;
}
