//! A menu of bets for tests and benches of subgames.

use game::{Action, Chips, PublicState, Street, Turn};

/// How large a bet or a raise is.
#[derive(Debug, Clone, Copy)]
pub enum Size {
    /// A share of the pot after the call.
    Pot(f64),
    /// A multiple of the bet before.
    Times(f64),
    /// The share of the pot with which equal bets on all streets left bring all chips in.
    Geometric,
    /// Everything.
    AllIn,
}

/// Bets, raises, and how many of them together on a street.
#[derive(Debug, Clone)]
pub struct Sizes {
    pub bets: Vec<Size>,
    pub raises: Vec<Size>,
    pub most: u32,
}

impl Sizes {
    /// As many raises as the stacks allow.
    pub fn new(bets: &[Size], raises: &[Size]) -> Sizes {
        Sizes { bets: bets.to_vec(), raises: raises.to_vec(), most: u32::MAX }
    }

    /// The actions, in order. A bet that leaves less than 15 % of the pot after a call is all-in.
    pub fn actions(&self, state: &PublicState) -> Vec<Action> {
        let legal = state.legal();
        let mut actions = Vec::new();
        actions.extend(legal.fold.then_some(Action::Fold));
        actions.push(Action::Call);
        let Turn::Act(seat) = state.turn() else { return actions };
        let Some(range) = legal.raise.filter(|_| state.raises() < self.most) else {
            return actions;
        };
        let before = state.committed()[seat] - state.committed_street(seat);
        let pot = state.pot() as f64 + f64::from(legal.to_call);
        let highest = f64::from(state.highest());
        let sizes = if state.raises() == 0 { &self.bets } else { &self.raises };
        let mut totals: Vec<Chips> = sizes
            .iter()
            .map(|&size| {
                let total = match size {
                    Size::Pot(share) => highest + share * pot,
                    Size::Times(times) => f64::from(before) + times * (highest - f64::from(before)),
                    Size::Geometric => {
                        let streets = 1 + Street::River.index() - state.street().index();
                        let stack = f64::from(state.effective_stack(seat) - legal.to_call);
                        let growth = (1.0 + 2.0 * stack / pot).powf(1.0 / streets as f64);
                        highest + (growth - 1.0) / 2.0 * pot
                    }
                    Size::AllIn => f64::from(range.max),
                };
                let after = pot + 2.0 * (total - highest);
                let left = f64::from(range.max) - total;
                let total = if left <= 0.15 * after { range.max } else { total.round() as Chips };
                total.clamp(range.min, range.max)
            })
            .collect();
        totals.sort_unstable();
        totals.dedup();
        actions.extend(totals.into_iter().map(Action::RaiseTo));
        actions
    }
}
