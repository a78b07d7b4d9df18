//! The response's posterior distribution over the agent's hands.

use cards::{CardSet, Combo, HoleCards};
use game::{Action, Policy, PublicState, Seat, Strategy};

/// The posterior: a weight for each of the 1,326 hands, proportional to the probability that the
/// agent was dealt the hand and then played as it did.
#[derive(Debug, Clone)]
pub struct Posterior {
    weights: Box<[f64; Combo::COUNT]>,
    /// The hands with a positive weight, in order.
    combos: Vec<Combo>,
    /// The same hands as hole cards, for queries of the agent.
    holes: Vec<HoleCards>,
}

/// The agent's reply to a bet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    /// The probability of a fold.
    pub(super) folds: f64,
    /// The win-rate against the hands that do not fold, 0 when all do.
    pub(super) win_rate: f64,
}

impl Posterior {
    /// The prior before the agent has acted: uniform over hands without these cards.
    pub fn new(seen: CardSet) -> Posterior {
        let mut posterior = Posterior {
            weights: Box::new([1.0; Combo::COUNT]),
            combos: Vec::new(),
            holes: Vec::new(),
        };
        posterior.remove(seen);
        posterior
    }

    /// The unnormalised weights, by combo number.
    pub fn weights(&self) -> &[f64; Combo::COUNT] {
        &self.weights
    }

    /// Removes the hands that hold one of these cards.
    pub fn remove(&mut self, seen: CardSet) {
        for combo in Combo::all().filter(|combo| combo.set().intersects(seen)) {
            self.weights[combo.index()] = 0.0;
        }
        self.list();
    }

    /// Updates the list of remaining hands.
    fn list(&mut self) {
        let left = Combo::all().filter(|combo| self.weights[combo.index()] > 0.0);
        self.combos.clear();
        self.combos.extend(left);
        self.holes.clear();
        self.holes.extend(self.combos.iter().map(|&combo| hole_cards(combo)));
    }

    /// Updates the posterior by an action of the agent: `draw` receives its strategy with the cards
    /// it holds and chooses the action; each hand's weight is multiplied by the probability of that
    /// action.
    ///
    /// The strategy drawn from and those of the posterior come from one query of the agent.
    pub fn observe(
        &mut self,
        agent: &dyn Policy,
        public: &PublicState,
        seat: Seat,
        held: Combo,
        mut draw: impl FnMut(&Strategy) -> Action,
    ) {
        let mut holes = Vec::with_capacity(self.holes.len() + 1);
        holes.push(hole_cards(held));
        holes.extend_from_slice(&self.holes);
        let mut action = Action::Call;
        agent.strategies(public, seat, &holes, &mut |number, strategy| match number {
            0 => action = draw(strategy),
            _ => self.weights[self.combos[number - 1].index()] *= strategy.probability(action),
        });
        self.list();
    }

    /// The agent's reply to a bet that it faces at `public`; `equities` are the win-rates against
    /// each hand.
    pub(super) fn answer(
        &self,
        agent: &dyn Policy,
        public: &PublicState,
        seat: Seat,
        equities: &[f64; Combo::COUNT],
    ) -> Answer {
        let (mut folded, mut left, mut won) = (0.0, 0.0, 0.0);
        agent.strategies(public, seat, &self.holes, &mut |number, strategy| {
            let at = self.combos[number].index();
            let fold = strategy.probability(Action::Fold);
            folded += self.weights[at] * fold;
            left += self.weights[at] * (1.0 - fold);
            won += self.weights[at] * (1.0 - fold) * equities[at];
        });
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Answer { folds: share(folded, folded + left), win_rate: share(won, left) }
    }

    /// The win-rate against the whole posterior, given those against each hand; 0 when no hand is
    /// left.
    pub(super) fn win_rate(&self, equities: &[f64; Combo::COUNT]) -> f64 {
        let (mut all, mut won) = (0.0, 0.0);
        for at in self.combos.iter().map(|combo| combo.index()) {
            all += self.weights[at];
            won += self.weights[at] * equities[at];
        }
        if all > 0.0 { won / all } else { 0.0 }
    }
}

fn hole_cards(combo: Combo) -> HoleCards {
    HoleCards::new(&combo.cards()).expect("room for two cards")
}
