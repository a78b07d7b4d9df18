//! Hands of two played by policies, with the same cards and the same random numbers each time they
//! are played again.

use std::sync::Arc;

use game::{Action, BySeat, GameDef, InfoSet, Payoff, Policy, PublicState, Strategy, Turn};
use logs::HandRecord;
use logs::stats::{AllIn, Expected};
use matches::deals::{Deal, Dealer};
use matches::decide::decision_rng;
use rand::RngExt;

/// Where a thread plays.
pub(crate) struct Hands<'a> {
    def: &'a Arc<GameDef>,
    seed: u64,
    dealer: Dealer,
    all_in: AllIn,
}

impl<'a> Hands<'a> {
    /// Hands of a game of two players; the seed determines every card and every draw.
    pub(crate) fn new(def: &'a Arc<GameDef>, seed: u64) -> Hands<'a> {
        // Two hands of hold'em cost nothing, and smaller games have few boards.
        Hands { def, seed, dealer: Dealer::new(def, seed), all_in: AllIn::new(u64::MAX) }
    }

    /// The cards of a deal.
    pub(crate) fn deal(&mut self, deal: u64) -> Deal {
        self.dealer.deal(deal)
    }

    /// Plays a hand: `act` is given what is seen and two points between 0 and 1 to draw with, which
    /// depend on the deal and the decision's number in the hand. Gives the payoffs, of an all-in
    /// what is expected of it.
    pub(crate) fn play(
        &mut self,
        cards: &Deal,
        deal: u64,
        mut act: impl FnMut(&InfoSet, [f64; 2]) -> Action,
    ) -> BySeat<Payoff> {
        let mut public = PublicState::new(self.def);
        loop {
            match public.turn() {
                Turn::Over => return self.payoffs(cards, deal, public),
                Turn::Deal(_) => public.deal_from(&cards.board).expect("a deal has a whole board"),
                Turn::Act(seat) => {
                    let index = public.history().len() as u64;
                    let mut rng = decision_rng(self.seed, deal, index);
                    let points = [rng.random(), rng.random()];
                    let infoset = InfoSet { public, seat, hole: cards.hole[seat] };
                    let action = act(&infoset, points);
                    public = infoset.public;
                    public.apply_unchecked(action);
                }
            }
        }
    }

    fn payoffs(&mut self, cards: &Deal, deal: u64, public: PublicState) -> BySeat<Payoff> {
        let payoffs = public.payoffs(&cards.hole);
        let entrants = BySeat::from_fn(2, |seat| seat.index() as u8);
        let record = HandRecord { hand: deal, deal, public, hole: cards.hole, payoffs, entrants };
        match self.all_in.expected(&record) {
            Expected::Known(expected) => expected,
            Expected::AsPlayed | Expected::NotComputed => payoffs,
        }
    }
}

/// The strategy of a policy with legal actions in the order fold, call, raises from small to large.
pub(crate) fn ask(policy: &dyn Policy, infoset: &InfoSet) -> Strategy {
    let legal = infoset.legal();
    let order = |action: Action| match action {
        Action::Fold => (0, 0),
        Action::Call => (1, 0),
        Action::RaiseTo(total) => (2, total),
    };
    let mut strategy = policy.strategy(infoset);
    strategy.actions.iter_mut().for_each(|(action, _)| *action = legal.nearest(*action));
    strategy.actions.sort_by_key(|&(action, _)| order(action));
    strategy.actions.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
    strategy
}
