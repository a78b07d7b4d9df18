//! What one hand contributes: its result, and corrections whose mean is zero whatever the agents
//! do.

use cards::CardSet;
use game::{Action, Policy, PublicState, Seat, Strategy, Turn};

use super::equity::{share, strengths};
use super::next::{Effort, Next};
use super::value::{COEFFICIENTS, FEATURES, Spot, features};
use crate::{DecisionRecord, HandRecord};

/// Number of terms of a hand.
pub(super) const COUNT: usize = BASELINE + 1;
/// The result.
pub(super) const RESULT: usize = 0;
/// The first of the terms for the deal of each street, one for each feature of the value function.
pub(super) const DEAL: usize = 1;
/// The first of two terms, before and after the flop, for the choices of the entrant itself.
pub(super) const OWN: usize = DEAL + 4 * FEATURES;
/// The same for the choices of the other one.
pub(super) const OTHER: usize = OWN + 2;
/// What the baseline's owner won against itself with the same cards.
pub(super) const BASELINE: usize = OTHER + 2;

/// The terms of a hand from the entrant's point of view, in big blinds.
pub(super) type Terms = [f64; COUNT];

/// A step of a hand: cards on the board, or an action.
enum Step {
    /// This street's cards were dealt, with so much matched in the pot and behind the smaller
    /// stack.
    Deal { street: usize, pot: f64, behind: f64 },
    /// Somebody acted.
    Act(Box<Act>),
}

pub(super) struct Act {
    /// What was to be seen before the action.
    pub(super) public: PublicState,
    /// Whether the entrant acted, and not the other.
    pub(super) own: bool,
    pub(super) action: Action,
    pub(super) strategy: Option<Strategy>,
    street: usize,
    /// Of the acting side and the other.
    committed: [f64; 2],
    stacks: [f64; 2],
}

/// A hand taken apart, seen from the entrant's seat.
pub(super) struct Line {
    pub(super) seat: Seat,
    pub(super) hole: CardSet,
    pub(super) other: CardSet,
    /// The board of each street dealt, none before the flop.
    pub(super) boards: Vec<CardSet>,
    /// Whether chips were behind when the street was dealt.
    open: Vec<bool>,
    /// Seeds all draws.
    pub(super) deal: u64,
    steps: Vec<Step>,
    showdown: bool,
    matched: f64,
    result: f64,
    baseline: f64,
}

/// What the cards of both sides are worth on each street dealt.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Worth {
    /// The entrant's share of the pot.
    pub(super) share: [f64; 4],
    /// How strong the entrant's hand and the other's look.
    pub(super) strength: [[f64; 2]; 4],
}

impl Line {
    /// Takes a finished heads-up hand apart; `None` when not all its hole cards are known.
    pub(super) fn new(
        record: &HandRecord,
        of: u8,
        decisions: &[DecisionRecord],
        policies: [Option<&dyn Policy>; 2],
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
        // The hole cards come with the big blind to call.
        let stack = |s: Seat| f64::from(def.stacks[s.index()]) * unit;
        let depth = stack(seat).min(stack(other));
        let mut steps = vec![Step::Deal {
            street: 0,
            pot: 2.0_f64.min(2.0 * depth),
            behind: (depth - 1.0).max(0.0),
        }];
        let (mut boards, mut open) = (vec![CardSet::EMPTY], vec![true]);
        loop {
            let committed = |s: Seat| f64::from(public.committed()[s]) * unit;
            match public.turn() {
                Turn::Over => break,
                Turn::Deal(street) => {
                    let matched = committed(seat).min(committed(other));
                    let behind = (depth - matched).max(0.0);
                    steps.push(Step::Deal { street: street.index(), pot: 2.0 * matched, behind });
                    open.push(behind > 0.0);
                    let dealt = def.board_len(street);
                    public.deal(board.get(public.board().len()..dealt)?).ok()?;
                    boards.push(public.board().set());
                }
                Turn::Act(actor) => {
                    let index = public.history().len();
                    let action = record.public.history().get(index)?.action;
                    let own = actor == seat;
                    let sides = if own { [seat, other] } else { [other, seat] };
                    let policy = policies[usize::from(!own)];
                    steps.push(Step::Act(Box::new(Act {
                        own,
                        action,
                        strategy: known_strategy(record, &public, actor, decisions, policy),
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
            hole: record.hole[seat].set(),
            other: record.hole[other].set(),
            boards,
            open,
            deal: record.deal,
            steps,
            showdown: public.is_showdown(),
            matched: f64::from(matched) * unit,
            result: record.payoffs[seat].chips() * unit,
            baseline: baseline.unwrap_or_default() * unit,
        })
    }

    /// Drops the strategies of the side, the entrant's own or the other, that is not to be known.
    pub(super) fn forget(&mut self, known: [bool; 2]) {
        for step in &mut self.steps {
            if let Step::Act(act) = step
                && !known[usize::from(!act.own)]
            {
                act.strategy = None;
            }
        }
    }

    /// The decisions of the hand in order.
    pub(super) fn acts(&self) -> impl Iterator<Item = &Act> {
        self.steps.iter().filter_map(|step| match step {
            Step::Act(act) => Some(&**act),
            Step::Deal { .. } => None,
        })
    }

    /// What the cards are worth that the two sides held.
    pub(super) fn worth(&self) -> Worth {
        let shares: Vec<f64> =
            self.boards.iter().map(|&board| share(self.hole, self.other, board)).collect();
        self.worth_of(self.hole, &shares)
    }

    /// What these cards of the entrant would be worth, with these shares of the pot on each street.
    pub(super) fn worth_of(&self, hole: CardSet, shares: &[f64]) -> Worth {
        let mut worth = Worth::default();
        for (street, (&share, &board)) in shares.iter().zip(&self.boards).enumerate() {
            worth.share[street] = share;
            // After an all-in nobody looks at strength any more.
            if self.open[street] {
                worth.strength[street] = strengths(hole, self.other, board);
            }
        }
        worth
    }

    /// The terms of the hand, had the entrant held `hole`, its cards been worth this and its
    /// strategies been these (one for each of [`acts`](Self::acts)).
    pub(super) fn terms<'a>(
        &'a self,
        hole: CardSet,
        worth: &Worth,
        strategies: impl IntoIterator<Item = Option<&'a Strategy>>,
        effort: Effort,
    ) -> Terms {
        let mut terms = [0.0; COUNT];
        terms[RESULT] = match self.showdown {
            true => (2.0 * worth.share[3] - 1.0) * self.matched,
            false => self.result,
        };
        terms[BASELINE] = self.baseline;
        let mut strategies = strategies.into_iter();
        let mut next = Next::new(hole, self.other, self.deal, effort);
        for step in &self.steps {
            match step {
                &Step::Deal { street, pot, behind } => {
                    let now = features(worth.share[street], worth.strength[street], pot, behind);
                    let mean = match street.checked_sub(1) {
                        // Each deal is as likely with the hands exchanged.
                        None => [0.0; FEATURES],
                        Some(before) => {
                            let share = worth.share[before];
                            next.features(share, self.boards[before], street, pot, behind)
                        }
                    };
                    for (i, (now, mean)) in now.iter().zip(mean).enumerate() {
                        terms[DEAL + FEATURES * street + i] = now - mean;
                    }
                }
                Step::Act(act) => {
                    let Some(strategy) = strategies.next().flatten() else { continue };
                    let first = if act.own { OWN } else { OTHER };
                    let sign = if act.own { 1.0 } else { -1.0 };
                    terms[first + usize::from(act.street > 0)] += sign * act.luck(worth, strategy);
                }
            }
        }
        terms
    }
}

impl Act {
    /// By how much the action taken is worth more to the acting side than its strategy on average.
    fn luck(&self, worth: &Worth, strategy: &Strategy) -> f64 {
        if !is_mixed(strategy) {
            return 0.0;
        }
        let share = worth.share[self.street];
        let [ours, theirs] = worth.strength[self.street];
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

/// Whether the strategy leaves anything to chance.
fn is_mixed(strategy: &Strategy) -> bool {
    strategy.actions.iter().filter(|&&(_, p)| p > 0.0).count() > 1
}

/// The distribution from which an action was drawn, where it is known: as recorded, or as the
/// policy gives it where no decision was recorded.
fn known_strategy(
    record: &HandRecord,
    public: &PublicState,
    actor: Seat,
    decisions: &[DecisionRecord],
    policy: Option<&dyn Policy>,
) -> Option<Strategy> {
    let index = public.history().len();
    let decision = decisions.iter().find(|decision| decision.index as usize == index);
    let hole = record.hole[actor];
    let asked = || {
        let infoset = game::InfoSet { public: public.clone(), seat: actor, hole };
        Some(policy?.strategy(&infoset))
    };
    let drawn = match decision {
        // What stands in for an answer was not drawn at all.
        Some(decision) if decision.fallback.is_some() => None,
        Some(decision) => decision.strategy.clone().or_else(asked),
        // A side whose other decisions are recorded did not make this one.
        None if decisions.iter().any(|decision| decision.seat == actor) => None,
        None => asked(),
    };
    // What was asked for was made legal before it was played.
    let legal = public.legal();
    drawn.and_then(|mut strategy| {
        strategy.actions.iter_mut().for_each(|(action, _)| *action = legal.nearest(*action));
        let total: f64 = strategy.actions.iter().map(|&(_, p)| p).sum();
        ((total - 1.0).abs() < 1e-6).then_some(strategy)
    })
}

/// The coefficients of the value function for all terms but the result and the baseline.
pub(super) fn fixed() -> Terms {
    let mut fixed = [0.0; COUNT];
    fixed[DEAL..OWN].copy_from_slice(COEFFICIENTS.as_flattened());
    fixed[OWN..BASELINE].fill(1.0);
    fixed
}
