//! With which hands a player came to the river, if it plays as some agent does.

use cards::{Combo, HoleCards};
use game::{Action, Policy, PublicState, Seat, Strategy, Street};

/// A decision counts no hand for less than this, so that no hand is ruled out by what a player who
/// is not that agent does.
const LEAST: f64 = 0.01;

/// How likely each combo is to have come to the river: the product over the seat's decisions on
/// earlier streets of the probability with which the policy folds, calls or raises as was done. All
/// raises count alike, whatever their sizes. 0 for combos on the board.
pub(super) fn on_the_river(policy: &dyn Policy, public: &PublicState, seat: Seat) -> Vec<f64> {
    let board = public.board();
    let free = Combo::all().filter(|combo| !combo.set().intersects(board.set()));
    let combos: Vec<Combo> = free.collect();
    let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("room for two cards");
    let holes: Vec<HoleCards> = combos.iter().map(hole).collect();
    let mut weights = vec![0.0; Combo::COUNT];
    combos.iter().for_each(|combo| weights[combo.index()] = 1.0);
    let mut before = PublicState::new(public.def());
    for played in public.history().iter().take_while(|played| played.street != Street::River) {
        if before.deal_from(&board).is_err() {
            break;
        }
        if played.seat == seat {
            policy.strategies(&before, seat, &holes, &mut |number, strategy| {
                weights[combos[number].index()] *= like(strategy, played.action).max(LEAST);
            });
        }
        before.apply_unchecked(played.action);
    }
    weights
}

/// The probability of an action of the same kind.
fn like(strategy: &Strategy, action: Action) -> f64 {
    let same = |other: Action| std::mem::discriminant(&other) == std::mem::discriminant(&action);
    strategy.actions.iter().filter(|&&(other, _)| same(other)).map(|&(_, p)| p).sum()
}
