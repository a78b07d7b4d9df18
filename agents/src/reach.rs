//! The range of a player by its actions so far, if it plays as a given agent does.

use cards::{Combo, HoleCards};
use game::{Action, Policy, PublicState, Seat, Strategy, Street};

/// Which actions count as the one that was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionMatching {
    /// All raises matching, whatever their sizes.
    Kinds,
    /// The action itself; where a policy never plays it with any hand, all of its kind.
    Sizes,
}

/// The probability that each combo reaches a street: [`at_action`] its first action.
pub fn at_street(
    street: Street,
    policy: &dyn Policy,
    public: &PublicState,
    seat: Seat,
    how: (ActionMatching, f64),
) -> Vec<f64> {
    let earlier = public.history().iter().take_while(|played| played.street < street).count();
    at_action(earlier, policy, public, seat, how)
}

/// The probability that each combo reaches the hand's action of this number, by [`Combo::index`].
///
/// It is the product, over the seat's earlier decisions, of the policy's probability of the action
/// played. No factor is below `least`: with a `least` above 0 no hand is ruled out by the actions
/// of a player who is another agent. 0 for combos that share a card with the board.
pub fn at_action(
    number: usize,
    policy: &dyn Policy,
    public: &PublicState,
    seat: Seat,
    (matching, least): (ActionMatching, f64),
) -> Vec<f64> {
    let board = public.board();
    let free = Combo::all().filter(|combo| !combo.set().intersects(board.set()));
    let combos: Vec<Combo> = free.collect();
    let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("room for two cards");
    let holes: Vec<HoleCards> = combos.iter().map(hole).collect();
    let mut weights = vec![0.0; Combo::COUNT];
    combos.iter().for_each(|combo| weights[combo.index()] = 1.0);
    let mut before = PublicState::new(public.def());
    let mut exact = vec![0.0; holes.len()];
    let mut kinds = exact.clone();
    for played in &public.history()[..number] {
        if before.deal_from(&board).is_err() {
            break;
        }
        if played.seat == seat {
            policy.strategies(&before, seat, &holes, &mut |number, strategy| {
                exact[number] = strategy.probability(played.action);
                kinds[number] = of_kind(strategy, played.action);
            });
            let sizes = matching == ActionMatching::Sizes && exact.iter().any(|&p| p > 0.0);
            let like = if sizes { &exact } else { &kinds };
            for (combo, like) in combos.iter().zip(like) {
                weights[combo.index()] *= like.max(least);
            }
        }
        before.apply_unchecked(played.action);
    }
    weights
}

/// The probability of an action of the same kind.
fn of_kind(strategy: &Strategy, action: Action) -> f64 {
    let same = |other: Action| std::mem::discriminant(&other) == std::mem::discriminant(&action);
    strategy.actions.iter().filter(|&&(other, _)| same(other)).map(|&(_, p)| p).sum()
}
