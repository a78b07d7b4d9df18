//! The exact value of a spot over all hands of both players.
//!
//! Every action of either player is followed, with the weights of all hands that take it. Only the
//! cards still to come are sampled and, if wanted, which of the unlikely lines are followed. Both
//! samples are used with checking down as a control variate, which is computed over all cards.

use cards::{Card, CardSet, Combo, HoleCards, range_margins, unblocked};
use game::{Action, Policy, PublicState, Seat, Strategy, Turn};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use solvers::lbr::LocalBestResponse;

/// Reach probabilities of all combos.
type Weights = Vec<f64>;

/// Lines whose weight is below this share of the spot's are not followed.
const MIN_WEIGHT: f64 = 1e-9;

/// The sampling below a spot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// Cards that are followed wherever one is dealt: their mean counts. All of them from 48 on.
    pub cards: u32,
    /// Lines whose weight is below this share of the spot's are sampled: followed with a
    /// probability proportional to their weight, and scaled up accordingly. 0 follows all of them.
    pub below: f64,
}

/// The way in which a seat plays.
#[derive(Clone, Copy)]
pub(crate) enum Player<'a> {
    /// A strategy.
    Policy(&'a dyn Policy),
    /// Local best response to the strategy of the other seat.
    Response(&'a LocalBestResponse<'a>),
}

/// The winnings of seat 0 at a spot, in chips: the mean over all pairs of hands, by their weights.
/// The deck is in the order in which it is dealt.
pub(crate) fn value(
    spot: &PublicState,
    ranges: &[Weights; 2],
    players: [Player<'_>; 2],
    sampled: Sampled,
    deck: &[Card],
    rng: Pcg64Mcg,
) -> f64 {
    let pairs = pairs(&ranges[0], &ranges[1]);
    if pairs <= 0.0 {
        return 0.0;
    }
    let mut walk = Walk {
        players,
        least: MIN_WEIGHT * pairs,
        drawn: sampled.below * pairs,
        deck,
        followed: sampled.cards as usize,
        rng,
    };
    walk.value(spot, ranges) / pairs
}

/// The evaluation of one seating, from the view of seat 0.
struct Walk<'a> {
    players: [Player<'a>; 2],
    /// Lines with less weight are left out.
    least: f64,
    /// Lines with less weight are sampled.
    drawn: f64,
    /// The deck in the order in which it is dealt.
    deck: &'a [Card],
    /// Cards of these that are followed wherever one is dealt.
    followed: usize,
    rng: Pcg64Mcg,
}

impl Walk<'_> {
    /// The sum over all pairs of hands of their weight times what seat 0 wins, in chips.
    fn value(&mut self, public: &PublicState, reach: &[Weights; 2]) -> f64 {
        match public.turn() {
            Turn::Over => ended(public, reach),
            Turn::Deal(_) => self.deal(public, reach),
            Turn::Act(seat) => self.decide(public, reach, seat),
        }
    }

    fn decide(&mut self, public: &PublicState, reach: &[Weights; 2], seat: Seat) -> f64 {
        let after = match self.players[seat.index()] {
            Player::Policy(policy) => by_strategy(policy, public, reach, seat),
            Player::Response(response) => by_response(response, public, reach, seat),
        };
        let mut sum = 0.0;
        for (action, weights) in after {
            let mut next = reach.clone();
            next[seat.index()] = weights;
            let weight = pairs(&next[0], &next[1]);
            if weight <= self.least {
                continue;
            }
            let mut state = public.clone();
            state.apply_unchecked(action);
            if weight < self.drawn && !matches!(state.turn(), Turn::Over) {
                // A line that is not followed counts as checked down. One that is adds its
                // difference to that, scaled up.
                let followed = weight / self.drawn;
                let checked = checked_down(&state, &next);
                sum += checked;
                if self.rng.random::<f64>() >= followed {
                    continue;
                }
                sum -= checked / followed;
                next.iter_mut().for_each(|weights| scale(weights, followed.sqrt().recip()));
            }
            sum += self.value(&state, &next);
        }
        sum
    }

    /// Deals the first cards of the deck that are not on the board, each by itself. The value of
    /// checking down over all cards corrects for the choice of cards.
    fn deal(&mut self, public: &PublicState, reach: &[Weights; 2]) -> f64 {
        let board = public.board();
        let free = self.deck.iter().copied().filter(|&card| !board.set().contains(card));
        let free: Vec<Card> = free.collect();
        let checked = checked_down(public, reach);
        if public.able().len() < 2 {
            return checked;
        }
        let cards = &free[..self.followed.min(free.len())];
        let mut beyond = 0.0;
        for &card in cards {
            let Some((state, next)) = dealt(public, reach, card) else { continue };
            beyond += self.value(&state, &next) - checked_down(&state, &next);
        }
        // Each pair of hands leaves four cards fewer.
        let times = free.len() as f64 / (free.len() - 4) as f64;
        checked + times * beyond / cards.len() as f64
    }
}

/// Each action that a seat takes, with the weights of its hands after it.
type Taken = Vec<(Action, Weights)>;

/// The actions by a strategy.
fn by_strategy(
    policy: &dyn Policy,
    public: &PublicState,
    reach: &[Weights; 2],
    seat: Seat,
) -> Taken {
    let own = &reach[seat.index()];
    let combos = held(own);
    let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("room for two cards");
    let holes: Vec<HoleCards> = combos.iter().map(hole).collect();
    let mut after = Taken::new();
    let mut visit = |number: usize, strategy: &Strategy| {
        let combo = combos[number].index();
        for &(action, chance) in strategy.actions.iter().filter(|(_, chance)| *chance > 0.0) {
            weights_of(&mut after, action)[combo] += own[combo] * chance;
        }
    };
    policy.strategies(public, seat, &holes, &mut visit);
    after
}

/// The actions by local best response, which knows the weights of the other seat's hands.
fn by_response(
    response: &LocalBestResponse<'_>,
    public: &PublicState,
    reach: &[Weights; 2],
    seat: Seat,
) -> Taken {
    let own = &reach[seat.index()];
    let against = by_combo(&reach[1 - seat.index()]);
    let combos = held(own);
    let mut after = Taken::new();
    for (combo, action) in combos.iter().zip(response.choose_each(public, seat, &combos, against)) {
        weights_of(&mut after, action)[combo.index()] = own[combo.index()];
    }
    after
}

/// The combos that have a weight.
fn held(weights: &Weights) -> Vec<Combo> {
    Combo::all().filter(|combo| weights[combo.index()] > 0.0).collect()
}

/// The weights after an action.
fn weights_of(taken: &mut Taken, action: Action) -> &mut Weights {
    let at = taken.iter().position(|(known, _)| *known == action);
    let at = at.unwrap_or_else(|| {
        taken.push((action, vec![0.0; Combo::COUNT]));
        taken.len() - 1
    });
    &mut taken[at].1
}

fn scale(weights: &mut Weights, by: f64) {
    weights.iter_mut().for_each(|weight| *weight *= by);
}

/// The state and the reach probabilities after a card.
fn dealt(
    public: &PublicState,
    reach: &[Weights; 2],
    card: Card,
) -> Option<(PublicState, [Weights; 2])> {
    let mut state = public.clone();
    state.deal(&[card]).ok()?;
    let mut next = reach.clone();
    for combo in Combo::all().filter(|combo| combo.set().contains(card)) {
        next.iter_mut().for_each(|weights| weights[combo.index()] = 0.0);
    }
    Some((state, next))
}

/// The winnings of seat 0 if nobody bets any more, summed over all pairs of hands and averaged over
/// the cards to come.
fn checked_down(public: &PublicState, reach: &[Weights; 2]) -> f64 {
    let board = public.board();
    if board.len() == public.def().full_board_len() || !public.folded().is_empty() {
        return ended(public, reach);
    }
    let stakes = f64::from(public.committed().as_slice().iter().copied().min().unwrap_or(0));
    stakes * showdowns(board.set(), reach)
}

/// The winnings of seat 0 at showdowns for one chip, summed over all pairs of hands and averaged
/// over the cards to come.
fn showdowns(board: CardSet, reach: &[Weights; 2]) -> f64 {
    let margins = range_margins(board, &[by_combo(&reach[1])]).expect("at most five cards");
    reach[0].iter().zip(&*margins[0]).map(|(own, margin)| own * margin).sum()
}

/// The winnings of seat 0 in a finished hand, summed over all pairs of hands.
fn ended(public: &PublicState, reach: &[Weights; 2]) -> f64 {
    let paid = public.committed();
    let folded =
        (0..2).find(|&seat| Seat::new(seat).is_some_and(|seat| public.folded().contains(seat)));
    let [first, second] = [0, 1].map(|at: usize| f64::from(paid.as_slice()[at]));
    match folded {
        Some(0) => -first * pairs(&reach[0], &reach[1]),
        Some(_) => second * pairs(&reach[0], &reach[1]),
        None => first.min(second) * showdowns(public.board().set(), reach),
    }
}

/// The weight of all pairs of hands without a common card.
fn pairs(one: &Weights, other: &Weights) -> f64 {
    let left = unblocked(by_combo(other));
    let held = one.iter().zip(&*left).filter(|(weight, _)| **weight > 0.0);
    held.map(|(weight, left)| weight * left).sum()
}

fn by_combo(weights: &Weights) -> &[f64; Combo::COUNT] {
    weights.first_chunk().expect("a weight for each combo")
}
