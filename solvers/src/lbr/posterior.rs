//! What the response believes of the agent's cards.

use cards::{CardSet, Combo, HoleCards};
use game::{Action, Policy, PublicState, Seat, Strategy};

/// A weight for each of the 1,326 hands that the agent may hold: in proportion to the probability
/// that it was dealt the hand and then played as it did.
#[derive(Debug, Clone)]
pub struct Posterior {
    weights: Box<[f64; Combo::COUNT]>,
    /// The hands with a weight above 0, in order.
    combos: Vec<Combo>,
    /// The same hands as the agent is asked about them.
    holes: Vec<HoleCards>,
}

/// What the agent does about a bet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    /// The probability that it folds.
    pub(super) folds: f64,
    /// The win-rate against the hands that do not, 0 when all fold.
    pub(super) win_rate: f64,
}

impl Posterior {
    /// Before the agent has acted: all hands without these cards alike.
    pub fn new(seen: CardSet) -> Posterior {
        let mut posterior = Posterior {
            weights: Box::new([1.0; Combo::COUNT]),
            combos: Vec::new(),
            holes: Vec::new(),
        };
        posterior.remove(seen);
        posterior
    }

    /// The weights at the combos' numbers; only their proportions mean anything.
    pub fn weights(&self) -> &[f64; Combo::COUNT] {
        &self.weights
    }

    /// Takes out the hands that hold one of these cards.
    pub fn remove(&mut self, seen: CardSet) {
        for combo in Combo::all().filter(|combo| combo.set().intersects(seen)) {
            self.weights[combo.index()] = 0.0;
        }
        self.list();
    }

    /// Lists the hands that are left.
    fn list(&mut self) {
        let left = Combo::all().filter(|combo| self.weights[combo.index()] > 0.0);
        self.combos.clear();
        self.combos.extend(left);
        self.holes.clear();
        self.holes.extend(self.combos.iter().map(|&combo| hole_cards(combo)));
    }

    /// The agent acts: `draw` is shown its strategy with the cards it holds and says which action
    /// it takes; the hands' weights are multiplied by the probability of that action.
    ///
    /// The strategy that is drawn from and the one that is believed are of the same answer.
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

    /// What the agent does after a bet that it is about to answer at `public`; `equities` are the
    /// win-rates against each hand.
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

    /// The win-rate against the whole posterior, from the win-rates against each hand; 0 when no
    /// hand is left.
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
