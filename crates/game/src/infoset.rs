//! Hands with hole cards: of all seats ([`State`]) or of one seat ([`InfoSet`]).

use cards::{HandRank, HoleCards, evaluate};

use crate::{BySeat, LegalActions, Payoff, PublicState, Seat, SeatSet, Turn};

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
        let ranks = BySeat::from_fn(players, |seat| {
            if remaining.contains(seat) {
                evaluate(hole[seat].set() | board)
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
