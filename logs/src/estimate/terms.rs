//! The terms of one hand: its result, and corrections whose mean is zero whatever the agents do.

use cards::{Card, CardSet, HoleCards};
use game::{Action, DealValues, PublicState, Seat, Strategy, Turn, ValueFunction};

use super::equity::{share, strengths};
use super::next::Next;
use super::value::{COEFFICIENTS, FEATURES, Spot, features};
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
pub(super) const VALUED: usize = BASELINE + 1;
/// First index of four terms for the entrant's own choices by a given value function.
pub(super) const VALUED_OWN: usize = VALUED + 4;
/// First index of four terms for the other one's choices by a given value function.
pub(super) const VALUED_OTHER: usize = VALUED_OWN + 4;

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
        let equities = self.equities();
        let mut terms = [0.0; COUNT];
        terms[RESULT] = match self.showdown {
            true => (2.0 * equities.share[3] - 1.0) * self.matched,
            false => self.result,
        };
        terms[BASELINE] = self.baseline;
        let mut next = Next::new(self.hole, self.other, self.deal);
        let mut valued = values.map(|values| Valued::new(values, self));
        for step in &self.steps {
            match step {
                &Step::Deal { street, pot, behind, ref states } => {
                    if let Some(valued) = &mut valued {
                        terms[VALUED + street] = valued.dealt(street, states);
                    }
                    let now =
                        features(equities.share[street], equities.strength[street], pot, behind);
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
                    terms[first + usize::from(act.street > 0)] +=
                        sign * act.luck(&equities, strategy);
                    if let Some(valued) = &mut valued {
                        let first = if act.own { VALUED_OWN } else { VALUED_OTHER };
                        terms[first + act.street] += valued.chosen(act, strategy);
                    }
                }
            }
        }
        terms
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

    /// The value of the dealt cards minus the mean value over possible ones.
    fn dealt(&mut self, street: usize, [before, after]: &[PublicState; 2]) -> f64 {
        let now = self.values.value(after);
        // Swapping the hands gives an equally likely deal.
        let lead = match street {
            0 => 0.5 * (now - self.exchanged.value(after)),
            _ => now - self.values.value(before),
        };
        self.unit * lead
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
