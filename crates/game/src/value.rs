//! Value functions: expected payoffs of a hand in progress, given all hole cards.

use cards::HoleCards;

use crate::{GameDef, PublicState};

/// A value function: the expected payoff of a two-player hand at each public state, given both
/// hands.
///
/// Win-rate estimators use one as a control variate: they subtract the luck that it measures. They
/// are unbiased for any function that is fixed before the hands are played, and the better it
/// predicts results, the smaller their variance. No agent may use one in play: it sees both hands.
pub trait ValueFunction: Send + Sync {
    /// The function's name, with a hash of all that decides its values.
    fn name(&self) -> &str;

    /// Whether it has values for this game.
    ///
    /// # Errors
    /// A message that names both games when it has none.
    fn check_game(&self, def: &GameDef) -> Result<(), String>;

    /// Prepares for the values of so many hands, which stay the same.
    fn prepare(&self, _hands: u64) {}

    /// The values of a hand with these hole cards, one pair of cards for each seat in seat order.
    /// `entrants` are the match's entrants in those seats; they matter where values assume the
    /// players' own strategies. `seed` selects the boards that are sampled where not all are
    /// enumerated; it must not depend on cards to come or on the actions. The same hand and seed
    /// give the same values.
    fn of_deal<'a>(
        &'a self,
        holes: [HoleCards; 2],
        entrants: [u8; 2],
        seed: u64,
    ) -> Box<dyn DealValues + 'a>;
}

/// The values of one hand's public states.
pub trait DealValues {
    /// Seat 0's expected payoff from this state on, in chips, net of all that it has put into the
    /// pot; for a finished hand its payoff. Seat 1's value is the negative.
    ///
    /// Where cards are to be dealt next it is the mean over them: exact on the last street, in
    /// expectation over seeds on earlier ones.
    fn value(&mut self, public: &PublicState) -> f64;
}
