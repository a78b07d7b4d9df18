//! Hands with hole cards, of all seats ([`State`]) or of one seat ([`InfoSet`]), and the functions
//! of them: [`Policy`] and [`ValueFunction`].

use cards::{HandRank, HoleCards, evaluate, evaluate_any};

use crate::{Action, BySeat, GameDef, LegalActions, Payoff, PublicState, Seat, SeatSet, Turn};

/// The information set of one seat: the public state, the seat and its own cards. It is owned and
/// holds no other seat's cards, so an agent that is given one cannot see them.
#[derive(Debug, Clone)]
pub struct InfoSet {
    /// The public state.
    pub public: PublicState,
    /// The observing seat.
    pub seat: Seat,
    /// That seat's own cards, in deal order.
    pub hole: HoleCards,
}

impl InfoSet {
    /// The legal actions of the seat. Meaningful when it is this seat's turn.
    pub fn legal(&self) -> LegalActions {
        self.public.legal()
    }

    /// Whether it is this seat's turn to act.
    pub fn to_act(&self) -> bool {
        self.public.turn() == Turn::Act(self.seat)
    }
}

/// The full state of a hand: the public state and all hole cards. For dealers, solvers and tests.
#[derive(Debug, Clone)]
pub struct State {
    /// The public state.
    pub public: PublicState,
    /// Every seat's cards.
    pub hole: BySeat<HoleCards>,
}

impl State {
    /// The information set of this seat.
    pub fn infoset(&self, seat: Seat) -> InfoSet {
        InfoSet { public: self.public.clone(), seat, hole: self.hole[seat] }
    }

    /// See [`PublicState::payoffs`].
    pub fn payoffs(&self) -> BySeat<Payoff> {
        self.public.payoffs(&self.hole)
    }
}

impl PublicState {
    /// The exact payoff of each seat, given everybody's cards. They sum to zero.
    ///
    /// Meaningful when the hand is over. Every distinct amount committed closes a side pot, split
    /// evenly and without odd-chip rule among its best hands that did not fold; chips that nobody
    /// matched come back as a pot with one player. Cards of seats that folded are not looked at.
    pub fn payoffs(&self, hole: &BySeat<HoleCards>) -> BySeat<Payoff> {
        let players = self.def().players;
        let committed = self.committed();
        let mut payoffs = BySeat::from_fn(players, |seat| -Payoff::won(committed[seat]));
        let remaining = SeatSet::first(players).without(self.folded());
        if remaining.len() == 1 {
            let winner = remaining.iter().next().expect("one seat remains");
            payoffs[winner] += Payoff::from_chips(self.pot() as i64);
            return payoffs;
        }
        let board = self.board().set();
        let strength = if self.def().discards { evaluate_any } else { evaluate };
        let ranks = BySeat::from_fn(players, |seat| {
            if remaining.contains(seat) {
                strength(hole[seat].set() | board)
            } else {
                HandRank::default()
            }
        });
        let mut floor = 0;
        loop {
            let above = committed.as_slice().iter().copied().filter(|&c| c > floor);
            let Some(level) = above.min() else { return payoffs };
            let in_pot = |seat: Seat| committed[seat] >= level;
            let contested = || remaining.iter().filter(|&seat| in_pot(seat));
            let each = Payoff::won(level - floor);
            floor = level;
            let Some(best) = contested().map(|seat| ranks[seat]).max() else {
                // Only folded seats reach this level: their chips come back.
                for seat in self.def().seats().filter(|&seat| in_pot(seat)) {
                    payoffs[seat] += each;
                }
                continue;
            };
            let contributors = self.def().seats().filter(|&seat| in_pot(seat)).count() as i64;
            let winners = contested().filter(|&seat| ranks[seat] == best).count() as i64;
            let share = Payoff::from_parts(each.parts() * contributors / winners);
            for seat in contested().filter(|&seat| ranks[seat] == best) {
                payoffs[seat] += share;
            }
        }
    }
}

/// A probability distribution over actions at one information set. Probabilities are non-negative
/// and sum to one within 1e-6; actions are distinct.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    /// Actions with their probabilities.
    pub actions: Vec<(Action, f64)>,
}

impl Strategy {
    /// The strategy that always takes this action.
    pub fn pure(action: Action) -> Strategy {
        Strategy { actions: vec![(action, 1.0)] }
    }

    /// Scales non-negative weights to sum to one; `None` when none is positive and finite.
    pub fn from_weights(weights: impl IntoIterator<Item = (Action, f64)>) -> Option<Strategy> {
        let mut actions: Vec<(Action, f64)> = weights.into_iter().collect();
        let total: f64 = actions.iter().map(|&(_, w)| w).sum();
        let valid = total.is_finite() && total > 0.0 && actions.iter().all(|&(_, w)| w >= 0.0);
        valid.then(|| {
            for (_, weight) in &mut actions {
                *weight /= total;
            }
            Strategy { actions }
        })
    }

    /// The probability of this action; 0 for one that is not listed.
    pub fn probability(&self, action: Action) -> f64 {
        self.actions.iter().find(|&&(a, _)| a == action).map_or(0.0, |&(_, p)| p)
    }

    /// Inverse-transform sampling: the action at a point drawn uniformly from `[0, 1)`; a call if
    /// the strategy is empty.
    pub fn sample(&self, point: f64) -> Action {
        let mut below = 0.0;
        for &(action, probability) in &self.actions {
            below += probability;
            if point < below {
                return action;
            }
        }
        let last = self.actions.iter().rev().find(|&&(_, p)| p > 0.0);
        last.map_or(Action::Call, |&(action, _)| action)
    }
}

/// A strategy for every information set: a pure function, shared between threads.
pub trait Policy: Send + Sync {
    /// The distribution over legal actions of the acting seat.
    fn strategy(&self, infoset: &InfoSet) -> Strategy;

    /// The strategies of many hole cards where one seat is to act: calls `visit` with the number of
    /// each hand and its strategy, in the order of `hands`.
    ///
    /// Equivalent to calling [`strategy`](Self::strategy) for each hand, which is the default.
    /// Policies that solve a subgame, or look up what depends on the board alone, do so once for
    /// all hands.
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        let mut infoset = InfoSet { public: public.clone(), seat, hole: HoleCards::EMPTY };
        for (number, &hole) in hands.iter().enumerate() {
            infoset.hole = hole;
            visit(number, &self.strategy(&infoset));
        }
    }
}

/// A value function: the expected payoff of a two-player hand at each public state, given both
/// hands.
///
/// Equity estimators use one as a control variate: they subtract the luck that it measures. They
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
