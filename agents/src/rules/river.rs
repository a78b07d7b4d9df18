//! The strategy of a rule list on one river, for all hands at once.

use cards::{Combo, HoleCards, Showdown, ShowdownSums, Ties};
use game::{Action, Chips, PublicState, Raises, Seat, Strategy, Street};
use models::rules::{Bet, Betting, Calling, Hands, Size};
use show::number::percent;

use super::Play;
use crate::reach::{self, ActionMatching};

/// Minimum probability of an action before the river when a range is computed.
const MIN_PROBABILITY: f64 = 0.01;

/// All hands of one river, sorted by strength.
struct River {
    /// The share of the other player's hands that each hand beats, ties counting half; worst first.
    beats: Vec<f64>,
    /// The weight of each hand in the range.
    weights: Vec<f64>,
    /// The index of each combo in the order; `None` for combos that share a card with the board.
    index: Vec<Option<u16>>,
}

impl River {
    /// Sorts the hands that this seat may hold by the share of the other's range that they beat;
    /// `None` if the board is not complete.
    fn new(play: &Play, public: &PublicState, seat: Seat) -> Option<River> {
        let showdown = Showdown::new(public.board().set()).ok()?;
        let free = Combo::all().filter_map(|combo| Some((combo, showdown.win_rate(combo)?)));
        let Some(policy) = &play.ranges else {
            return Some(River::sorted(
                free.map(|(combo, rate)| (rate.value(Ties::Half), 1.0, combo)),
            ));
        };
        let other = public.def().seats().find(|&other| other != seat)?;
        let came = |seat| {
            reach::on(
                Street::River,
                &**policy,
                public,
                seat,
                (ActionMatching::Kinds, MIN_PROBABILITY),
            )
        };
        let (own, theirs) = (came(seat), came(other));
        let mut sums = vec![ShowdownSums::default(); Combo::COUNT];
        showdown.sums_against(theirs.first_chunk()?, sums.first_chunk_mut()?);
        Some(River::sorted(free.map(|(combo, _)| {
            // No hand has a weight of 0, so every hand meets others.
            let beats = sums[combo.index()].win_rate(Ties::Half).unwrap_or(0.5);
            (beats, own[combo.index()], combo)
        })))
    }

    fn sorted(hands: impl Iterator<Item = (f64, f64, Combo)>) -> River {
        let mut hands: Vec<(f64, f64, Combo)> = hands.collect();
        hands.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let mut index = vec![None; Combo::COUNT];
        for (at, (.., combo)) in hands.iter().enumerate() {
            index[combo.index()] = Some(at as u16);
        }
        let beats = hands.iter().map(|&(beats, ..)| beats).collect();
        let weights = hands.iter().map(|&(_, weight, _)| weight).collect();
        River { beats, weights, index }
    }

    fn hands(&self) -> Hands<'_> {
        Hands::new(&self.beats, &self.weights)
    }

    fn index(&self, hole: HoleCards) -> Option<usize> {
        let &[a, b] = hole.as_slice() else { return None };
        self.index[Combo::new(a, b)?.index()].map(usize::from)
    }
}

/// The strategies of all hands at a decision.
pub(super) struct RiverPlan<'a> {
    river: River,
    rule: ApplicableRule<'a>,
    /// The actions: the columns of `chances`.
    actions: Vec<Action>,
    /// The probability of each action, one row per hand, worst hand first.
    chances: Vec<f64>,
}

/// The part of the list that applies to the decision.
enum ApplicableRule<'a> {
    Betting(&'a Betting),
    /// With the size of the bet as a share of the pot.
    Calling(Calling, f64),
}

impl RiverPlan<'_> {
    /// The plan where this seat is to act; `None` if the list does not cover the decision.
    pub(super) fn at<'a>(
        play: &'a Play,
        public: &PublicState,
        seat: Seat,
    ) -> Option<RiverPlan<'a>> {
        if public.street() != Street::River {
            return None;
        }
        let legal = public.legal();
        let pot = public.pot() as f64;
        match (legal.to_call, public.raises()) {
            (0, 0) => RiverPlan::bet(play, public, seat, legal.raise?),
            (to_call, 1) if to_call > 0 && legal.fold => {
                // The part of a bet beyond what can be called is not at stake.
                let raised = public.highest().saturating_sub(public.committed()[seat]);
                let pot = pot - f64::from(raised);
                (pot > 0.0).then_some(())?;
                RiverPlan::call(play, public, seat, f64::from(to_call) / pot)
            }
            _ => None,
        }
    }

    fn bet<'a>(
        play: &'a Play,
        public: &PublicState,
        seat: Seat,
        raises: Raises,
    ) -> Option<RiverPlan<'a>> {
        let betting = play.list.betting()?;
        let pot = public.pot() as f64;
        // Chips beyond the other player's stack are not at stake.
        let most = public.highest().saturating_add(public.effective_stack(seat));
        let most = raises.max.min(most).max(raises.min);
        let total = |bet: &Bet| match bet.size {
            Size::AllIn => most,
            // Saturates; the clamp keeps it legal.
            Size::Pots(pots) => {
                let total = f64::from(public.highest()) + (pots * pot).round();
                (total as Chips).clamp(raises.min, most)
            }
        };
        let mut totals: Vec<Chips> = betting.bets().iter().map(total).collect();
        totals.sort_unstable();
        totals.dedup();
        let pots = |&total: &Chips| f64::from(total - public.highest()) / pot;
        let grid: Vec<f64> = totals.iter().map(pots).collect();
        let river = River::new(play, public, seat)?;
        let mut chances = Vec::new();
        betting.chances(river.hands(), &grid, &mut chances);
        let raises = totals.into_iter().map(Action::RaiseTo);
        let actions = std::iter::once(Action::Call).chain(raises).collect();
        Some(RiverPlan { river, rule: ApplicableRule::Betting(betting), actions, chances })
    }

    fn call<'a>(
        play: &'a Play,
        public: &PublicState,
        seat: Seat,
        bet: f64,
    ) -> Option<RiverPlan<'a>> {
        let calling = play.list.calling()?;
        let river = River::new(play, public, seat)?;
        let mut calls = Vec::new();
        calling.chances(river.hands(), bet, &mut calls);
        let chances = calls.iter().flat_map(|&call| [1.0 - call, call]).collect();
        let actions = vec![Action::Fold, Action::Call];
        Some(RiverPlan { river, rule: ApplicableRule::Calling(calling, bet), actions, chances })
    }

    /// The strategy of a hand; `None` if it is not possible on this river.
    pub(super) fn strategy(&self, hole: HoleCards) -> Option<Strategy> {
        let at = self.river.index(hole)?;
        let row = &self.chances[at * self.actions.len()..][..self.actions.len()];
        let actions = self.actions.iter().copied().zip(row.iter().copied());
        Some(Strategy { actions: actions.filter(|&(_, p)| p > 0.0).collect() })
    }

    /// The strategy of a hand, with the rule that led to it in words.
    pub(super) fn play(&self, hole: HoleCards) -> Option<(Strategy, String)> {
        let strategy = self.strategy(hole)?;
        let beats = self.river.beats[self.river.index(hole)?];
        let note =
            format!("beats {} of hands, {}", percent(beats, 1), self.explanation(beats, &strategy));
        Some((strategy, note))
    }

    fn explanation(&self, beats: f64, strategy: &Strategy) -> String {
        let often = |p: f64| if p < 1.0 { format!(" {}", percent(p, 0)) } else { String::new() };
        match self.rule {
            ApplicableRule::Betting(betting) => {
                let bluffs = 1.0 - strategy.probability(Action::Call);
                match (betting.bet(beats), betting.bluffing()) {
                    (Some(bet), _) => format!("value bet: {bet}"),
                    (None, Some(line)) if bluffs > 0.0 => {
                        format!("bluffs{}: {line}", often(bluffs))
                    }
                    (None, _) => "checks: else check".to_owned(),
                }
            }
            ApplicableRule::Calling(calling, bet) => {
                let calls = strategy.probability(Action::Call);
                let does = match calls > 0.0 {
                    true => format!("calls{}", often(calls)),
                    false => "folds".to_owned(),
                };
                format!("{does} against a bet of {bet:.2} pots: {calling}")
            }
        }
    }
}
