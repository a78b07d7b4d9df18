//! The response's choices for many of its hands at once.

use cards::{Combo, HoleCards, range_margins, unblocked};
use game::{Action, PublicState, Seat};

use super::{LocalBestResponse, Stakes, other};

/// A number for each combo.
type ByCombo = Box<[f64; Combo::COUNT]>;

/// A smaller share of the agent's hands is what rounding leaves of none.
const EMPTY: f64 = 1e-9;

impl LocalBestResponse<'_> {
    /// The choice of [`choose`](LocalBestResponse::choose) with each of these hands, when the
    /// agent's hand is one of the combos of positive weight that share no card with it. No hand may
    /// hold a card of the board.
    ///
    /// Costs one query of the agent for each bet, and a showdown of all hands for each board that
    /// can follow, 1,176 on the flop, instead of one for each hand.
    pub fn choose_each(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[Combo],
        against: &[f64; Combo::COUNT],
    ) -> Vec<Action> {
        let stakes = Stakes::of(public, seat);
        let raises = self.moves.raises(public);
        let mut ranges = vec![Box::new(*against)];
        for &total in &raises {
            let mut after = public.clone();
            after.apply_unchecked(Action::RaiseTo(total));
            ranges.push(self.staying(&after, other(seat), against));
        }
        let ranges: Vec<&[f64; Combo::COUNT]> = ranges.iter().map(|range| &**range).collect();
        let margins = range_margins(public.board().set(), &ranges).expect("at most five cards");
        let weights: Vec<ByCombo> = ranges.iter().map(|range| unblocked(range)).collect();
        let may_fold = public.legal().fold;
        let choose = |hand: &Combo| {
            let at = hand.index();
            // The win-rate against a range, and its share of the agent's hands.
            let against = |range: usize| {
                let (left, all) = (weights[range][at], weights[0][at]);
                match left > EMPTY * all {
                    true => (0.5 + 0.5 * margins[range][at] / left, left / all),
                    false => (0.0, 0.0),
                }
            };
            let call = stakes.called(public.highest(), against(0).0);
            let mut best = match may_fold && call <= 0.0 {
                true => (Action::Fold, 0.0),
                false => (Action::Call, call),
            };
            for (number, &total) in raises.iter().enumerate() {
                let (win_rate, called) = against(1 + number);
                let value = (1.0 - called) * stakes.pot() + called * stakes.called(total, win_rate);
                if value > best.1 {
                    best = (Action::RaiseTo(total), value);
                }
            }
            best.0
        };
        hands.iter().map(choose).collect()
    }

    /// The weights of the agent's hands times the probability that it does not fold them at
    /// `public`.
    fn staying(&self, public: &PublicState, agent: Seat, weights: &[f64; Combo::COUNT]) -> ByCombo {
        let held: Vec<Combo> = Combo::all().filter(|combo| weights[combo.index()] > 0.0).collect();
        let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("room for two cards");
        let holes: Vec<HoleCards> = held.iter().map(hole).collect();
        let mut staying = Box::new(*weights);
        self.agent.strategies(public, agent, &holes, &mut |number, strategy| {
            staying[held[number].index()] *= 1.0 - strategy.probability(Action::Fold);
        });
        staying
    }
}
