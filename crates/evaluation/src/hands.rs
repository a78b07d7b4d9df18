//! Hands of two players played by policies, with the same cards and random numbers whenever they
//! are played again.

use std::sync::Arc;

use game::{Action, BySeat, GameDef, InfoSet, Payoff, Policy, PublicState, Strategy, Turn};
use logs::HandRecord;
use logs::stats::{AllIn, Expected};
use matches::bot::decision_rng;
use matches::table::{Deal, Dealer};
use rand::RngExt;

use crate::error::{Error, Kind};

/// The number of hands, the seed and the threads of a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Hands of each match, two for each deal.
    pub hands: u64,
    /// The seed of all cards and samples.
    pub seed: u64,
    /// The number of threads; the result does not depend on it.
    pub jobs: usize,
}

impl Settings {
    /// The number of deals in a game.
    ///
    /// # Errors
    /// When the game is not for two, or the hands are odd or none.
    pub fn deals(&self, def: &GameDef) -> Result<u64, Error> {
        if def.players != 2 {
            return Err(Error::new(format!(
                "the game has {} players; duplicate matches here are of games of two",
                def.players
            )));
        }
        if self.hands == 0 || !self.hands.is_multiple_of(2) {
            let text = format!(
                "{} hands are not a whole number of deals, each of which is two hands: give an \
                 even number, at least 2",
                self.hands
            );
            return Err(Error::with_kind(Kind::Usage, text));
        }
        Ok(self.hands / 2)
    }
}

/// The end of a partly played hand.
pub(crate) enum Reached {
    /// The hand ended, with these payoffs.
    End(BySeat<Payoff>),
    /// `act` left this decision open.
    Decision(Box<InfoSet>),
}

/// The state with which a thread plays hands.
pub(crate) struct Hands<'a> {
    def: &'a Arc<GameDef>,
    seed: u64,
    dealer: Dealer,
    all_in: AllIn,
}

impl<'a> Hands<'a> {
    /// Hands of a two-player game; the seed determines all cards and samples.
    pub(crate) fn new(def: &'a Arc<GameDef>, seed: u64) -> Hands<'a> {
        // No limit on the boards of an all-in: two hands of hold'em are cheap, smaller games have
        // few boards.
        Hands { def, seed, dealer: Dealer::new(def, seed), all_in: AllIn::new(u64::MAX) }
    }

    /// The cards of a deal.
    pub(crate) fn deal(&mut self, deal: u64) -> Deal {
        self.dealer.deal(deal)
    }

    /// Plays a hand and returns the payoffs, of an all-in the expected ones. `act` is called with
    /// the information set and two numbers from 0 to 1 to sample with, which depend on the deal and
    /// the decision's number in the hand.
    pub(crate) fn play(
        &mut self,
        cards: &Deal,
        deal: u64,
        mut act: impl FnMut(&InfoSet, [f64; 2]) -> Action,
    ) -> BySeat<Payoff> {
        let public = PublicState::new(self.def);
        match self.advance(cards, deal, public, |infoset, points| Some(act(infoset, points))) {
            Reached::End(payoffs) => payoffs,
            Reached::Decision(_) => unreachable!("every decision is made"),
        }
    }

    /// Continues a hand as [`play`](Self::play) does, up to a decision for which `act` returns
    /// `None`.
    pub(crate) fn advance(
        &mut self,
        cards: &Deal,
        deal: u64,
        mut public: PublicState,
        mut act: impl FnMut(&InfoSet, [f64; 2]) -> Option<Action>,
    ) -> Reached {
        loop {
            match public.turn() {
                Turn::Over => return Reached::End(self.payoffs(cards, deal, public)),
                Turn::Deal(_) => public.deal_from(&cards.board).expect("a deal has a whole board"),
                Turn::Act(seat) => {
                    let index = public.history().len() as u64;
                    let mut rng = decision_rng(self.seed, deal, index);
                    let points = [rng.random(), rng.random()];
                    let infoset = InfoSet { public, seat, hole: cards.hole[seat] };
                    let Some(action) = act(&infoset, points) else {
                        return Reached::Decision(Box::new(infoset));
                    };
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

/// The policy's strategy, made legal and in the order fold, call, raises from small to large.
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
    strategy.actions.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
    strategy
}
