//! The response's choices for many of its hands at once.

use cards::{Card, CardSet, Combo, HoleCards, Showdown};
use game::{Action, PublicState, Seat};

use super::{LocalBestResponse, Stakes, other};

/// A number for each combo.
type ByCombo = Box<[f64; Combo::COUNT]>;

/// A smaller share of the agent's hands is what rounding leaves of none.
const EMPTY: f64 = 1e-9;

impl LocalBestResponse<'_> {
    /// What [`choose`](LocalBestResponse::choose) chooses with each of these hands, when the
    /// agent's hand is one of the combos of positive weight that share no card with it. No hand
    /// may hold a card of the board.
    ///
    /// Costs one query of the agent for each bet, and a showdown of all hands for each board that
    /// can follow, 990 on the flop, instead of one for each hand.
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
        let margins = margins(public.board().set(), &ranges);
        let weights: Vec<ByCombo> = ranges.iter().map(|range| disjoint(range)).collect();
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

/// For each combo the weight of the hands in a range that share no card with it.
fn disjoint(range: &[f64; Combo::COUNT]) -> ByCombo {
    let mut all = 0.0;
    let mut holding = [0.0; Card::COUNT as usize];
    for combo in Combo::all() {
        let weight = range[combo.index()];
        all += weight;
        combo.cards().iter().for_each(|card| holding[usize::from(card.index())] += weight);
    }
    let mut left = Box::new([0.0; Combo::COUNT]);
    for combo in Combo::all() {
        let [a, b] = combo.cards().map(|card| holding[usize::from(card.index())]);
        left[combo.index()] = all - a - b + range[combo.index()];
    }
    left
}

/// For each range and each combo: the weight that the combo beats less the weight that beats it,
/// as a mean over the boards that both hands leave.
fn margins(board: CardSet, ranges: &[ByCombo]) -> Vec<ByCombo> {
    let mut sums: Vec<ByCombo> = ranges.iter().map(|_| Box::new([0.0; Combo::COUNT])).collect();
    let mut of_board = Box::new([0.0; Combo::COUNT]);
    let mut showdown: Option<Box<Showdown>> = None;
    let boards = complete(board);
    for &board in &boards {
        let showdown = match &mut showdown {
            Some(showdown) => showdown.deal(board).map(|()| showdown),
            none => Showdown::new(board).map(|made| none.insert(Box::new(made))),
        };
        let showdown = showdown.expect("boards of five cards");
        for (range, sums) in ranges.iter().zip(&mut sums) {
            showdown.margins::<f64>(range, &mut of_board);
            sums.iter_mut().zip(&*of_board).for_each(|(sum, margin)| *sum += margin);
        }
    }
    // The boards without the four cards of two hands: so many ways to draw the cards to come.
    let cards = f64::from(Card::COUNT) - f64::from(board.len()) - 4.0;
    let to_come = 5 - board.len();
    let left = (0..to_come).map(f64::from).map(|drawn| (cards - drawn) / (drawn + 1.0));
    let left: f64 = left.product();
    sums.iter_mut().flat_map(|sums| sums.iter_mut()).for_each(|sum| *sum /= left);
    sums
}

/// All complete boards that begin with these cards.
fn complete(board: CardSet) -> Vec<CardSet> {
    let mut boards = vec![(board, 0)];
    for _ in board.len()..5 {
        let longer = boards.iter().flat_map(|&(board, from)| {
            let cards =
                Card::all().filter(move |card| card.index() >= from && !board.contains(*card));
            cards.map(move |card| (board.with(card), card.index() + 1))
        });
        boards = longer.collect();
    }
    boards.into_iter().map(|(board, _)| board).collect()
}
