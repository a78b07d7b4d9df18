//! What each hand of a player wins from a turn or river on when both players play given policies,
//! exactly: all hands, all bets that the policies make, all cards still to come.
//!
//! The bets are those of the hand as it is played: a policy that reads bets as others of its own
//! tree is asked at the hand's states, and its answers, its bets and the pots are in the hand's
//! chips.

use cards::{Card, Combo, HoleCards, Showdown, range_margins, unblocked};
use game::{Action, Policy, PublicState, Seat, Strategy, Street, Turn};

use super::ByCombo;

/// Lines that the other player takes with less than this share of its weight at the root are not
/// followed.
const MIN_WEIGHT: f64 = 1e-9;

/// A weight for each combo.
type Weights = [f64; Combo::COUNT];

/// How the player whose hands are valued plays.
#[derive(Clone, Copy)]
pub enum Own<'a> {
    /// By a policy.
    Policy(&'a dyn Policy),
    /// The best action of each hand among those that the policy takes there with any hand.
    BestOf(&'a dyn Policy),
}

/// The chips that each combo of `player` wins in the whole hand from a state on, if the other
/// player, whose hands have these weights there, plays by `policy`. 0 for combos on the board and
/// those that meet no hand of the other player.
///
/// From before the turn on it takes hours: it follows every card that can be dealt.
pub fn hand_values(
    root: &PublicState,
    player: Seat,
    own: Own<'_>,
    others: &Weights,
    policy: &dyn Policy,
) -> ByCombo {
    let values = hand_values_while(&|| true, root, player, own, others, policy);
    values.expect("nothing stops it")
}

/// [`hand_values`], which gives up when `go_on`, asked before each card that is dealt, says so:
/// then `None`.
pub fn hand_values_while(
    go_on: &(dyn Fn() -> bool + Sync),
    root: &PublicState,
    player: Seat,
    own: Own<'_>,
    others: &Weights,
    policy: &dyn Policy,
) -> Option<ByCombo> {
    let least = MIN_WEIGHT * others.iter().sum::<f64>();
    let walk = Walk { go_on, player, own, policy, least };
    let mut values = walk.sums(root, others, on_river(root).as_ref())?;
    let met = unblocked(others);
    // Sums of fractions can differ from zero by rounding.
    let none = 1e-12 * others.iter().sum::<f64>();
    for (value, met) in values.iter_mut().zip(&*met) {
        *value = if *met > none { *value / met } else { 0.0 };
    }
    Some(values)
}

/// The actions that a seat takes by a policy with hands of these weights, each with the weights
/// that its hands have then.
pub fn split(
    policy: &dyn Policy,
    public: &PublicState,
    seat: Seat,
    weights: &Weights,
) -> Vec<(Action, ByCombo)> {
    let combos: Vec<Combo> = Combo::all().filter(|combo| weights[combo.index()] > 0.0).collect();
    let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("room for two cards");
    let holes: Vec<HoleCards> = combos.iter().map(hole).collect();
    let mut taken: Vec<(Action, ByCombo)> = Vec::new();
    policy.strategies(public, seat, &holes, &mut |number, strategy: &Strategy| {
        let combo = combos[number].index();
        for &(action, probability) in strategy.actions.iter().filter(|(_, p)| *p > 0.0) {
            let at = taken.iter().position(|(known, _)| *known == action);
            let at = at.unwrap_or_else(|| {
                taken.push((action, Box::new([0.0; Combo::COUNT])));
                taken.len() - 1
            });
            taken[at].1[combo] += weights[combo] * probability;
        }
    });
    taken
}

/// The values of one player's hands.
struct Walk<'a> {
    go_on: &'a (dyn Fn() -> bool + Sync),
    player: Seat,
    own: Own<'a>,
    policy: &'a dyn Policy,
    /// Lines with less weight are not followed.
    least: f64,
}

impl Walk<'_> {
    /// For each combo of the player, chips times the weights of the hands that it meets. `showdown`
    /// is that of the board on the river. `None` if it is not to go on.
    fn sums(
        &self,
        public: &PublicState,
        others: &Weights,
        showdown: Option<&Showdown>,
    ) -> Option<ByCombo> {
        match public.turn() {
            Turn::Over => Some(ended(public, self.player, others, showdown)),
            Turn::Deal(_) if public.able().len() < 2 => {
                Some(ended(public, self.player, others, None))
            }
            Turn::Deal(_) => self.dealt(public, others),
            Turn::Act(seat) if seat == self.player => self.decide(public, others, showdown),
            Turn::Act(seat) => self.answered(public, seat, others, showdown),
        }
    }

    fn decide(
        &self,
        public: &PublicState,
        others: &Weights,
        showdown: Option<&Showdown>,
    ) -> Option<ByCombo> {
        let free = public.board().set();
        let mut all = Box::new([0.0; Combo::COUNT]);
        let held = Combo::all().filter(|combo| !combo.set().intersects(free));
        held.for_each(|combo| all[combo.index()] = 1.0);
        let (Own::Policy(policy) | Own::BestOf(policy)) = self.own;
        let taken = split(policy, public, self.player, &all);
        let best = matches!(self.own, Own::BestOf(_));
        let lowest = if best { f64::NEG_INFINITY } else { 0.0 };
        let mut values = Box::new([lowest; Combo::COUNT]);
        for (action, probabilities) in taken {
            let mut state = public.clone();
            state.apply_unchecked(action);
            let after = self.sums(&state, others, showdown)?;
            for ((value, after), probability) in values.iter_mut().zip(&*after).zip(&*probabilities)
            {
                if best {
                    *value = value.max(*after);
                } else {
                    *value += probability * after;
                }
            }
        }
        Some(values)
    }

    fn answered(
        &self,
        public: &PublicState,
        seat: Seat,
        others: &Weights,
        showdown: Option<&Showdown>,
    ) -> Option<ByCombo> {
        let mut values = Box::new([0.0; Combo::COUNT]);
        for (action, weights) in split(self.policy, public, seat, others) {
            if weights.iter().sum::<f64>() <= self.least {
                continue;
            }
            let mut state = public.clone();
            state.apply_unchecked(action);
            let after = self.sums(&state, &weights, showdown)?;
            values.iter_mut().zip(&*after).for_each(|(value, after)| *value += after);
        }
        Some(values)
    }

    /// The mean over the cards that neither player holds.
    fn dealt(&self, public: &PublicState, others: &Weights) -> Option<ByCombo> {
        let board = public.board().set();
        let cards: Vec<Card> = Card::all().filter(|&card| !board.contains(card)).collect();
        let chance = 1.0 / (cards.len() - 4) as f64;
        let after = parallel::map(&cards, |&card| {
            (self.go_on)().then_some(())?;
            let mut state = public.clone();
            state.deal(&[card]).expect("a card that is not on the board");
            let mut left = Box::new(*others);
            clear(&mut left, card);
            let mut after = self.sums(&state, &left, on_river(&state).as_ref())?;
            clear(&mut after, card);
            Some(after)
        });
        let mut values = Box::new([0.0; Combo::COUNT]);
        for after in after {
            let after = after?;
            values.iter_mut().zip(&*after).for_each(|(value, after)| *value += chance * after);
        }
        Some(values)
    }
}

/// For each combo of a player where the betting of the hand is over, the chips that it wins in the
/// whole hand times the weights of the other player's hands that it meets; the mean over the cards
/// to come. `showdown` is that of the board, if it is complete; it is made if it is not given.
pub fn ended(
    public: &PublicState,
    player: Seat,
    others: &Weights,
    showdown: Option<&Showdown>,
) -> ByCombo {
    let paid = public.committed();
    let [first, second] = [0, 1].map(|at: usize| f64::from(paid.as_slice()[at]));
    let own = f64::from(paid[player]);
    let folded = Seat::all(2).find(|&seat| public.folded().contains(seat));
    let (chips, mut sums) = match (folded, showdown) {
        (Some(seat), _) if seat == player => (-own, unblocked(others)),
        (Some(_), _) => (first + second - own, unblocked(others)),
        (None, Some(showdown)) => {
            let mut margins = Box::new([0.0; Combo::COUNT]);
            showdown.margins(others, &mut margins);
            (first.min(second), margins)
        }
        (None, None) => {
            let found = range_margins(public.board().set(), &[others]);
            (first.min(second), found.expect("at most five cards").remove(0))
        }
    };
    sums.iter_mut().for_each(|sum| *sum *= chips);
    sums
}

/// The hands of a state's board, if it is complete.
fn on_river(public: &PublicState) -> Option<Showdown> {
    (public.street() == Street::River).then(|| Showdown::new(public.board().set()).ok())?
}

fn clear(weights: &mut Weights, card: Card) {
    let gone = Combo::all().filter(|combo| combo.set().contains(card));
    gone.for_each(|combo| weights[combo.index()] = 0.0);
}
