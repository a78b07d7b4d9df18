//! The terms of one hand: its result, and corrections whose mean is zero whatever the agents do;
//! and the built-in value function behind them, version `v1`.
//!
//! **Value function.** It estimates a seat's final result from both hands. It need not be accurate:
//! corrections are unbiased for any function that is fixed before the hands are played, and the
//! better it predicts the result, the more luck they remove. So its constants are fixed in code,
//! were fitted to matches between other agents than those evaluated, and change only together with
//! [`VALUE_FUNCTION`].
//!
//! On a street with pot shares `e` and `1 - e` of the two hands (exact, see [`share`]), strengths
//! `a` and `b` as their holders see them ([`strengths`]), a matched pot `p` and `r` chips behind
//! the smaller stack, all in big blinds, the situation is worth a sum of five [`features`] with a
//! coefficient for each street:
//!
//! 1. `(e - 1/2) p`: the pot as if all-in. Its coefficient is 1, so with nothing behind the value
//!    is exactly the expected result of the all-in.
//! 2. `(e - 1/2) min(4 p, r)`: the effect of later bets on the pot.
//! 3. `(2e - 1) √(p r) (a b)²` and
//! 4. `(2e - 1) √(p r) (a b)⁸`: the large pots between two good, or two very good, hands.
//! 5. `(a - b) √(p r)`: the winnings of an apparently strong hand without a showdown.
//!
//! All change sign when the hands are swapped, so over all deals of hole cards they sum to zero.
//! The value of a fold is its exact result, that of a call or check the value after the betting is
//! closed, that of a raise the mean of both, weighted by the probability that the other hand folds.
//!
//! **Means over the next street's cards.** Features linear in the pot share need no computation, as
//! it is a martingale. The others are averaged over next cards: over all 44 on the river; on flop
//! and turn over a random sample, whose seed does not depend on the cards that came. A sample mean
//! is unbiased, which is all that a correction needs; it adds the variance of a feature divided by
//! the sample size.

use cards::{Card, CardSet, Combo, HoleCards, Ties, all_in, equity, evaluate};
use game::{Action, DealValues, PublicState, Seat, Strategy, Turn, ValueFunction};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{DecisionRecord, HandRecord};

/// Number of terms of a hand.
pub(super) const COUNT: usize = VALUED_OTHER + 4;
/// Index of the result.
pub(super) const RESULT: usize = 0;
/// First index of the deal terms: by street, one for each feature of the value function.
pub(super) const DEAL: usize = 1;
/// First index of two terms, before and after the flop, for the entrant's own choices.
pub(super) const OWN: usize = DEAL + 4 * FEATURES;
/// First index of two terms for the other one's choices.
pub(super) const OTHER: usize = OWN + 2;
/// Index of the baseline: the result of its owner against itself with the same cards.
pub(super) const BASELINE: usize = OTHER + 2;

/// First index of four terms, one for each street, for the deal by a given value function.
const VALUED: usize = BASELINE + 1;
/// First index of four terms for the entrant's own choices by a given value function.
const VALUED_OWN: usize = VALUED + 4;
/// First index of four terms for the other one's choices by a given value function.
const VALUED_OTHER: usize = VALUED_OWN + 4;

/// The terms of a hand from the entrant's point of view, in big blinds.
pub(super) type Terms = [f64; COUNT];

/// A step of a hand: cards on the board, or an action.
enum Step {
    /// A deal of this street's cards, with the matched pot, the chips behind the smaller stack, and
    /// the states before and after.
    Deal { street: usize, pot: f64, behind: f64, states: Box<[PublicState; 2]> },
    /// An action.
    Act(Box<Act>),
}

pub(super) struct Act {
    /// The public state before the action.
    public: PublicState,
    /// Whether the entrant acted.
    pub(super) own: bool,
    action: Action,
    pub(super) strategy: Option<Strategy>,
    street: usize,
    /// Chips put in by the acting side and by the other; below, their stacks.
    committed: [f64; 2],
    stacks: [f64; 2],
}

/// The decomposition of a hand, from the entrant's seat.
pub(super) struct Line {
    pub(super) seat: Seat,
    /// The entrants by seat.
    entrants: [u8; 2],
    hole: CardSet,
    other: CardSet,
    /// The board of each street dealt, empty for preflop.
    boards: Vec<CardSet>,
    /// Whether chips were left behind when the street was dealt.
    open: Vec<bool>,
    /// The deal's number, which seeds all sampling.
    deal: u64,
    steps: Vec<Step>,
    /// Big blinds per chip.
    unit: f64,
    showdown: bool,
    matched: f64,
    result: f64,
    baseline: f64,
}

/// What the course of a hand was worth to the entrant street by street, in big blinds, by the value
/// function that counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Streets {
    /// Number of streets dealt.
    pub(super) dealt: usize,
    /// The value of the situation after each street's cards.
    pub(super) worth: [f64; 4],
    /// What the draws of both sides gave on each street.
    pub(super) own: [f64; 4],
    pub(super) other: [f64; 4],
}

/// Pot share and strength of both sides' cards on each street dealt.
#[derive(Debug, Clone, Copy, Default)]
struct HandEquities {
    /// The entrant's pot share.
    share: [f64; 4],
    /// The apparent strength of the entrant's hand and of the other's.
    strength: [[f64; 2]; 4],
}

impl Line {
    /// Decomposes a finished heads-up hand; `None` when hole cards are unknown.
    pub(super) fn new(
        record: &HandRecord,
        of: u8,
        decisions: &[DecisionRecord],
        baseline: Option<f64>,
    ) -> Option<Line> {
        let (seat, _) = record.entrants.iter().find(|&(_, &entrant)| entrant == of)?;
        let (other, _) = record.entrants.iter().find(|&(_, &entrant)| entrant != of)?;
        if record.hole[seat].len() != 2 || record.hole[other].len() != 2 {
            return None;
        }
        let def = record.public.def();
        let unit = 1.0 / f64::from(def.big_blind());
        let board = record.public.board();
        let mut public = PublicState::new(def);
        // The deal of the hole cards is valued with the big blind called.
        let stack = |s: Seat| f64::from(def.stacks[s.index()]) * unit;
        let depth = stack(seat).min(stack(other));
        let mut steps = vec![Step::Deal {
            street: 0,
            pot: 2.0_f64.min(2.0 * depth),
            behind: (depth - 1.0).max(0.0),
            states: Box::new([public.clone(), public.clone()]),
        }];
        let (mut boards, mut open) = (vec![CardSet::EMPTY], vec![true]);
        loop {
            let committed = |s: Seat| f64::from(public.committed()[s]) * unit;
            match public.turn() {
                Turn::Over => break,
                Turn::Deal(street) => {
                    let matched = committed(seat).min(committed(other));
                    let behind = (depth - matched).max(0.0);
                    open.push(behind > 0.0);
                    let dealt = def.board_len(street);
                    let before = public.clone();
                    public.deal(board.get(public.board().len()..dealt)?).ok()?;
                    boards.push(public.board().set());
                    let states = Box::new([before, public.clone()]);
                    let (street, pot) = (street.index(), 2.0 * matched);
                    steps.push(Step::Deal { street, pot, behind, states });
                }
                Turn::Act(actor) => {
                    let index = public.history().len();
                    let action = record.public.history().get(index)?.action;
                    let own = actor == seat;
                    let sides = if own { [seat, other] } else { [other, seat] };
                    steps.push(Step::Act(Box::new(Act {
                        own,
                        action,
                        strategy: known_strategy(&public, decisions),
                        street: public.street().index(),
                        committed: sides.map(committed),
                        stacks: sides.map(stack),
                        public: public.clone(),
                    })));
                    public.apply(action).ok()?;
                }
            }
        }
        let matched = public.committed()[seat].min(public.committed()[other]);
        Some(Line {
            seat,
            entrants: record.entrants.as_slice().try_into().ok()?,
            hole: record.hole[seat].set(),
            other: record.hole[other].set(),
            boards,
            open,
            deal: record.deal,
            steps,
            unit,
            showdown: public.is_showdown(),
            matched: f64::from(matched) * unit,
            result: record.payoffs[seat].chips() * unit,
            baseline: baseline.unwrap_or_default() * unit,
        })
    }

    /// The decisions of the hand in order.
    pub(super) fn acts(&self) -> impl Iterator<Item = &Act> {
        self.steps.iter().filter_map(|step| match step {
            Step::Act(act) => Some(&**act),
            Step::Deal { .. } => None,
        })
    }

    /// The pot shares and strengths of the hands.
    fn equities(&self) -> HandEquities {
        let mut equities = HandEquities::default();
        for (street, &board) in self.boards.iter().enumerate() {
            equities.share[street] = share(self.hole, self.other, board);
            // After an all-in strength has no effect.
            if self.open[street] {
                equities.strength[street] = strengths(self.hole, self.other, board);
            }
        }
        equities
    }

    /// The terms of the hand; by `values` too, if given.
    pub(super) fn terms(&self, values: Option<&dyn ValueFunction>) -> Terms {
        self.terms_and_streets(values).0
    }

    /// The terms, and the course of the hand by `values`, if given, else by v1.
    pub(super) fn terms_and_streets(&self, values: Option<&dyn ValueFunction>) -> (Terms, Streets) {
        let equities = self.equities();
        let mut terms = [0.0; COUNT];
        let mut streets = Streets { dealt: self.boards.len(), ..Streets::default() };
        terms[RESULT] = if self.showdown {
            (2.0 * equities.share[3] - 1.0) * self.matched
        } else {
            self.result
        };
        terms[BASELINE] = self.baseline;
        let mut next = Next::new(self.hole, self.other, self.deal);
        let mut valued = values.map(|values| Valued::new(values, self));
        for step in &self.steps {
            match step {
                &Step::Deal { street, pot, behind, ref states } => {
                    let now =
                        features(equities.share[street], equities.strength[street], pot, behind);
                    streets.worth[street] = match &mut valued {
                        Some(valued) => {
                            let (worth, lead) = valued.dealt(street, states);
                            terms[VALUED + street] = lead;
                            worth
                        }
                        None => now.iter().zip(COEFFICIENTS[street]).map(|(f, c)| f * c).sum(),
                    };
                    let mean = match street.checked_sub(1) {
                        // Swapping the hands gives an equally likely deal.
                        None => [0.0; FEATURES],
                        Some(before) => {
                            let share = equities.share[before];
                            next.features(share, self.boards[before], street, pot, behind)
                        }
                    };
                    for (i, (now, mean)) in now.iter().zip(mean).enumerate() {
                        terms[DEAL + FEATURES * street + i] = now - mean;
                    }
                }
                Step::Act(act) => {
                    let Some(strategy) = &act.strategy else { continue };
                    let first = if act.own { OWN } else { OTHER };
                    let sign = if act.own { 1.0 } else { -1.0 };
                    let mut drawn = sign * act.luck(&equities, strategy);
                    terms[first + usize::from(act.street > 0)] += drawn;
                    if let Some(valued) = &mut valued {
                        let first = if act.own { VALUED_OWN } else { VALUED_OTHER };
                        drawn = valued.chosen(act, strategy);
                        terms[first + act.street] += drawn;
                    }
                    let side = if act.own { &mut streets.own } else { &mut streets.other };
                    side[act.street] += drawn;
                }
            }
        }
        (terms, streets)
    }
}

/// A value function's values of a hand for the entrant, in big blinds.
struct Valued<'a> {
    values: Box<dyn DealValues + 'a>,
    /// The values of the same deal with the hands swapped.
    exchanged: Box<dyn DealValues + 'a>,
    /// Big blinds for the entrant for each chip of seat 0.
    unit: f64,
}

impl<'a> Valued<'a> {
    fn new(values: &'a dyn ValueFunction, line: &Line) -> Valued<'a> {
        let cards = |set: CardSet| {
            let cards: Vec<Card> = set.iter().collect();
            HoleCards::new(&cards).expect("hold'em hands have two cards")
        };
        let mut holes = [line.hole, line.other].map(cards);
        if line.seat.index() == 1 {
            holes.reverse();
        }
        let [first, second] = holes;
        let sign = if line.seat.index() == 0 { 1.0 } else { -1.0 };
        Valued {
            values: values.of_deal([first, second], line.entrants, line.deal),
            exchanged: values.of_deal([second, first], line.entrants, line.deal),
            unit: sign * line.unit,
        }
    }

    /// The value of the dealt cards, and that minus the mean value over possible ones.
    fn dealt(&mut self, street: usize, [before, after]: &[PublicState; 2]) -> (f64, f64) {
        let now = self.values.value(after);
        // Swapping the hands gives an equally likely deal.
        let lead = match street {
            0 => 0.5 * (now - self.exchanged.value(after)),
            _ => now - self.values.value(before),
        };
        (self.unit * now, self.unit * lead)
    }

    /// The value of the action taken minus the strategy's mean value.
    fn chosen(&mut self, act: &Act, strategy: &Strategy) -> f64 {
        if !is_mixed(strategy) {
            return 0.0;
        }
        let mut after = |action: Action| {
            let mut public = act.public.clone();
            // The strategy's actions are legal, and so is the one played.
            public.apply_unchecked(action);
            self.values.value(&public)
        };
        let taken = after(act.action);
        let mean: f64 = strategy
            .actions
            .iter()
            .filter(|&&(_, p)| p > 0.0)
            .map(|&(action, p)| p * if action == act.action { taken } else { after(action) })
            .sum();
        self.unit * (taken - mean)
    }
}

impl Act {
    /// The value, to the acting side, of the action taken minus the strategy's mean value.
    fn luck(&self, equities: &HandEquities, strategy: &Strategy) -> f64 {
        if !is_mixed(strategy) {
            return 0.0;
        }
        let share = equities.share[self.street];
        let [ours, theirs] = equities.strength[self.street];
        let spot = Spot {
            street: self.street,
            committed: self.committed,
            stacks: self.stacks,
            share: if self.own { share } else { 1.0 - share },
            strength: if self.own { [ours, theirs] } else { [theirs, ours] },
        };
        let unit = 1.0 / f64::from(self.public.def().big_blind());
        let value = |action: Action| match action {
            Action::Fold => spot.after_fold(),
            Action::Call => spot.after_call(),
            Action::RaiseTo(total) => spot.after_raise(f64::from(total) * unit),
        };
        let mean: f64 = strategy.actions.iter().map(|&(action, p)| p * value(action)).sum();
        value(self.action) - mean
    }
}

/// Whether the strategy randomises.
fn is_mixed(strategy: &Strategy) -> bool {
    strategy.actions.iter().filter(|&&(_, p)| p > 0.0).count() > 1
}

/// The recorded distribution from which an action was drawn, where known.
fn known_strategy(public: &PublicState, decisions: &[DecisionRecord]) -> Option<Strategy> {
    let index = public.history().len();
    let decision = decisions.iter().find(|decision| decision.index as usize == index)?;
    // A fallback was not drawn from a strategy.
    let drawn = decision.strategy.clone().filter(|_| decision.fallback.is_none());
    // Drawn actions were made legal before they were played.
    let legal = public.legal();
    drawn.and_then(|mut strategy| {
        strategy.actions.iter_mut().for_each(|(action, _)| *action = legal.nearest(*action));
        let total: f64 = strategy.actions.iter().map(|&(_, p)| p).sum();
        ((total - 1.0).abs() < 1e-6).then_some(strategy)
    })
}

/// The value function's coefficients for all terms but the result and the baseline: of the given
/// one, or else of v1.
pub(super) fn fixed(given: bool) -> Terms {
    let mut fixed = [0.0; COUNT];
    if given {
        fixed[VALUED..].fill(1.0);
    } else {
        fixed[DEAL..OWN].copy_from_slice(COEFFICIENTS.as_flattened());
        fixed[OWN..BASELINE].fill(1.0);
    }
    fixed
}

/// The deal terms of one street.
pub(super) fn street(street: usize, valued: bool) -> impl Iterator<Item = usize> {
    let first = DEAL + FEATURES * street;
    (first..first + FEATURES).chain(valued.then_some(VALUED + street))
}

/// The deal terms of all streets.
pub(super) fn deal(valued: bool) -> impl Iterator<Item = usize> {
    (0..4).flat_map(move |of| street(of, valued))
}

/// The choice terms of one side, whose first is [`OWN`] or [`OTHER`].
pub(super) fn chosen(first: usize, valued: bool) -> impl Iterator<Item = usize> {
    let from = if first == OWN { VALUED_OWN } else { VALUED_OTHER };
    let more = if valued { from..from + 4 } else { 0..0 };
    (first..first + 2).chain(more)
}

/// The exact average pot share of hand `a` against hand `b` over all boards that `board` (0, 3, 4
/// or 5 cards) can become; a tie is half.
///
/// It is a martingale: its mean over the next street's cards is the share before them. The
/// corrections for the luck of the board rely on that.
pub(super) fn share(a: CardSet, b: CardSet, board: CardSet) -> f64 {
    all_in(combo(a), combo(b), board).map_or(0.5, |counts| counts.value(Ties::Half))
}

/// A two-card set as a combo.
fn combo(hand: CardSet) -> Combo {
    let mut cards = hand.iter();
    let both = cards.next().zip(cards.next()).and_then(|(a, b)| Combo::new(a, b));
    both.expect("hold'em hands have two cards")
}

/// The apparent strength of each hand to its holder, from 0 to 1: before the flop its equity
/// against any two cards, later the share of all other hands that it beats on the present board,
/// ties half.
fn strengths(a: CardSet, b: CardSet, board: CardSet) -> [f64; 2] {
    if board.is_empty() {
        return [preflop_strength(a), preflop_strength(b)];
    }
    if board.len() == 5 {
        let rate = |hand| equity(combo(hand), board).map_or(0.5, |r| r.value(Ties::Half));
        return [rate(a), rate(b)];
    }
    let ranks = [evaluate(a | board), evaluate(b | board)];
    let rest: Vec<CardSet> = (CardSet::FULL - board).iter().map(CardSet::single).collect();
    let (mut halves, mut hands) = ([0u32; 2], [0u32; 2]);
    for (i, &one) in rest.iter().enumerate() {
        for &other in &rest[i + 1..] {
            let rank = evaluate(one | other | board);
            let set = one | other;
            for (k, mine) in [a, b].into_iter().enumerate() {
                let free = u32::from(!set.intersects(mine));
                halves[k] += free * (ranks[k].cmp(&rank) as i8 + 1) as u32;
                hands[k] += 2 * free;
            }
        }
    }
    [0, 1].map(|k| f64::from(halves[k]) / f64::from(hands[k]))
}

fn preflop_strength(hand: CardSet) -> f64 {
    f64::from(PREFLOP.as_flattened()[combo(hand).starting_hand().index()]) / 1e4
}

/// Preflop equities against any two cards in ten-thousandths, in the order of
/// [`StartingHand`](cards::StartingHand). They are only features of a value function, so their
/// rounding causes no bias.
const PREFLOP: [[u16; 13]; 13] = [
    [8527, 6704, 6620, 6543, 6463, 6281, 6194, 6092, 5990, 5993, 5895, 5827, 5738],
    [6531, 8240, 6337, 6258, 6175, 6002, 5836, 5763, 5662, 5587, 5487, 5402, 5316],
    [6439, 6150, 7994, 6033, 5938, 5770, 5600, 5437, 5361, 5279, 5177, 5111, 5020],
    [6355, 6054, 5812, 7739, 5751, 5571, 5407, 5227, 5062, 4990, 4909, 4822, 4741],
    [6269, 5974, 5732, 5528, 7497, 5395, 5240, 5067, 4889, 4725, 4650, 4571, 4485],
    [6083, 5772, 5554, 5324, 5161, 7205, 5074, 4911, 4745, 4570, 4384, 4323, 4234],
    [5987, 5611, 5366, 5148, 4968, 4812, 6913, 4790, 4624, 4455, 4274, 4091, 4023],
    [5881, 5517, 5173, 4971, 4791, 4634, 4502, 6632, 4532, 4368, 4188, 4006, 3817],
    [5774, 5420, 5099, 4780, 4600, 4449, 4318, 4230, 6329, 4316, 4133, 3954, 3763],
    [5773, 5332, 5014, 4720, 4426, 4274, 4139, 4051, 4001, 6036, 4151, 3971, 3783],
    [5677, 5232, 4913, 4608, 4351, 4064, 3948, 3860, 3791, 3819, 5701, 3860, 3688],
    [5583, 5146, 4825, 4526, 4250, 4003, 3747, 3659, 3604, 3626, 3515, 5366, 3599],
    [5489, 5050, 4730, 4427, 4158, 3919, 3684, 3464, 3414, 3435, 3318, 3227, 5033],
];

/// Number of boards to evaluate on flop, turn and river.
const BOARDS: [usize; 3] = [8, 12, 44];

/// A sampler of the cards to come for two hands.
struct Next {
    hands: [CardSet; 2],
    rng: Pcg64Mcg,
}

impl Next {
    /// A sampler for these two hands, with this seed.
    pub(super) fn new(hole: CardSet, other: CardSet, seed: u64) -> Next {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hole.bits() ^ other.bits() << 13;
        Next { hands: [hole, other], rng: Pcg64Mcg::seed_from_u64(seed) }
    }

    /// The first hand's mean features over the cards of `street`, where its pot share on the board
    /// before is `before_share`.
    fn features(
        &mut self,
        before_share: f64,
        before: CardSet,
        street: usize,
        pot: f64,
        behind: f64,
    ) -> [f64; FEATURES] {
        let mut mean = [0.0; FEATURES];
        if behind > 0.0 {
            let [a, b] = self.hands;
            let boards = self.boards(before, street);
            for &board in &boards {
                let now = features(share(a, b, board), strengths(a, b, board), pot, behind);
                mean.iter_mut().zip(now).for_each(|(mean, now)| *mean += now / boards.len() as f64);
            }
        }
        // The linear features are exact without sampling.
        let linear = features(before_share, [0.0; 2], pot, behind);
        mean[..2].copy_from_slice(&linear[..2]);
        mean
    }

    /// The next boards: all of them, or a uniform sample.
    fn boards(&mut self, before: CardSet, street: usize) -> Vec<CardSet> {
        let mut deck: Vec<Card> =
            (CardSet::FULL - self.hands[0] - self.hands[1] - before).iter().collect();
        let count = BOARDS[street - 1];
        let each = if street == 1 { 3 } else { 1 };
        if each == 1 && count >= deck.len() {
            return deck.into_iter().map(|card| before.with(card)).collect();
        }
        let mut boards = Vec::with_capacity(count);
        for number in 0..count {
            // Single cards are sampled without replacement, flops independently.
            let start = if each == 1 { number } else { 0 };
            let mut board = before;
            for at in start..start + each {
                let other = self.rng.random_range(at as u32..deck.len() as u32) as usize;
                deck.swap(at, other);
                board = board.with(deck[at]);
            }
            boards.push(board);
        }
        boards
    }
}

/// The name of this value function.
pub const VALUE_FUNCTION: &str = "v1";

/// Number of features of a situation.
const FEATURES: usize = 5;

/// The coefficients of the features, by street.
const COEFFICIENTS: [[f64; FEATURES]; 4] = [
    [1.0, 0.05, 5.5, 25.0, -0.3],
    [1.0, 1.0, 1.1, 5.0, -0.25],
    [1.0, 0.9, 1.0, 2.3, -0.2],
    [1.0, 0.2, 0.8, 2.1, -0.1],
];

/// Width of the strength range in which a fold changes from likely to unlikely.
const FOLD_WIDTH: f64 = 0.12;

/// The features of a situation for the hand with pot share `share`; `strength` is its own strength
/// and the other's.
fn features(share: f64, strength: [f64; 2], pot: f64, behind: f64) -> [f64; FEATURES] {
    let lead = share - 0.5;
    let growth = (pot * behind).sqrt();
    let good = (strength[0] * strength[1]).powi(2);
    [
        lead * pot,
        lead * behind.min(4.0 * pot),
        2.0 * lead * growth * good,
        2.0 * lead * growth * good.powi(4),
        (strength[0] - strength[1]) * growth,
    ]
}

/// A decision from the acting seat's view with both hands open, in big blinds.
#[derive(Debug, Clone, Copy)]
struct Spot {
    /// The street, 0 to 3.
    pub(super) street: usize,
    /// Chips put in by this seat and by the other.
    pub(super) committed: [f64; 2],
    /// Initial stacks of both.
    pub(super) stacks: [f64; 2],
    /// This seat's share of the pot.
    pub(super) share: f64,
    /// The apparent strength of its hand, and of the other's.
    pub(super) strength: [f64; 2],
}

impl Spot {
    /// This seat's expected net result when each side has `matched` in the pot and the street's
    /// betting is closed.
    fn closed(&self, matched: f64) -> f64 {
        let behind = (self.stacks[0].min(self.stacks[1]) - matched).max(0.0);
        // No bets follow on the river.
        let behind = if self.street == 3 { 0.0 } else { behind };
        let features = features(self.share, self.strength, 2.0 * matched, behind);
        features.iter().zip(COEFFICIENTS[self.street]).map(|(f, c)| f * c).sum()
    }

    /// The value after this seat's fold.
    fn after_fold(&self) -> f64 {
        -self.committed[0].min(self.committed[1])
    }

    /// The value after this seat's call or check.
    fn after_call(&self) -> f64 {
        self.closed(self.committed[1].min(self.stacks[0]))
    }

    /// The value after this seat's raise to `total`.
    fn after_raise(&self, total: f64) -> f64 {
        let matched = total.min(self.stacks[1]);
        let to_call = (matched - self.committed[1]).max(0.0);
        let fold = fold_probability(self.strength[1], to_call / (matched + self.committed[1]));
        fold * self.committed[1] + (1.0 - fold) * self.closed(matched)
    }
}

/// The probability that a hand of this strength folds to a raise of `bet` times the pot before the
/// call. It is one half where the strength equals the largest share of hands that may fold without
/// making a raise with any two cards profitable.
fn fold_probability(strength: f64, bet: f64) -> f64 {
    1.0 / (1.0 + ((strength - bet) / FOLD_WIDTH).exp())
}
