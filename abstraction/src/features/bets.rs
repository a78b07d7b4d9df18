//! The opponent's bets, street by street.

use game::{Action, Chips, PublicState, Seat, Street};

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
