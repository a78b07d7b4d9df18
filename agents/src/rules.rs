//! `rules`: plays the river by a list of rules in words, and asks another agent elsewhere.
//!
//! The list (see [`readable::rules`]) refers to the share of the other player's hands that a hand
//! beats, and to the best and the worst hands of a player. Both are computed exactly over all
//! hands possible on the board, ties counting half ([`RiverPlan`]). The hands are either equally
//! likely, whatever was played before, or weighted by the probability that another agent would have
//! reached the river with them (`reach.rs`).
//!
//! The list decides on the river of heads-up no-limit hold'em if no bet has been made or if the
//! other player has bet first. Elsewhere, where the list has no rule, and against raises, which
//! lists do not cover, the other agent decides.

use std::sync::Arc;

use cards::{Combo, HoleCards, Showdown, ShowdownSums, Ties};
use game::{
    Action, Betting, Chips, GameDef, InfoSet, Policy, PublicState, Raises, Seat, Strategy, Street,
};
use readable::rules::{Bet, Betting as BettingRule, Calling, Hands, RuleList, Size};
use serde::Deserialize;
use show::number::percent;
use solvers::holdem::is_holdem;

use crate::fallback::{PartialAgent, PartialPolicy};
use crate::random_hands::combo;
use crate::reach::ActionMatching;
use crate::{
    AgentChoice, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver,
    fallback, reach,
};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "rules",
    summary: "plays the river by a list of rules in words; another agent decides elsewhere",
    example: "rules:fallback=call",
    argument: None,
    options: &[
        AgentOption {
            name: "model",
            default: "shipped",
            help: "a file with a list of rules (docs/rules.md), or a built-in one: `one-size`, \
                   `two-sizes`, `three-sizes` or `shipped`, which is the last; `cardroom agents \
                   describe rules:model=one-size` prints it",
        },
        AgentOption {
            name: "ranges",
            default: "any",
            help: "the ranges of both players: `any`, all hands equally likely, or an agent, whose \
                   probabilities of reaching the river are used, with raises of all sizes treated \
                   alike (some 5 ms per decision)",
        },
        AgentOption {
            name: "fallback",
            default: "equity",
            help: "the agent that decides before the river, against raises and in other games",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

/// The value of `ranges` for equally likely hands.
const ANY: &str = "any";
/// The value of `model` for the last of the lists inside the program.
const SHIPPED: &str = "shipped";
/// The lists inside the program, by name.
const LISTS: [(&str, &str); 3] = [
    ("one-size", include_str!("../models/rules/one-size.rules")),
    ("two-sizes", include_str!("../models/rules/two-sizes.rules")),
    ("three-sizes", include_str!("../models/rules/three-sizes.rules")),
];

#[derive(Deserialize)]
struct Options {
    model: String,
    ranges: String,
    fallback: String,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let Options { model, ranges, fallback } = resolver.options()?;
    let name = if model == SHIPPED { LISTS[LISTS.len() - 1].0 } else { &model };
    let (list, path) = match LISTS.into_iter().find(|(list, _)| *list == name) {
        Some((_, text)) => {
            (RuleList::parse(text).expect("a test reads the lists that are shipped"), None)
        }
        None => {
            let path = resolver.file(&model)?;
            let list = RuleList::parse(&resolver.read(&path)?)
                .map_err(|error| AgentError::bad_file(&path, error))?;
            (list, Some(path))
        }
    };
    let about = format!("A list of rules for the river\n  {}", lines(&list).join("\n  "));
    let other = resolver.resolve(&fallback, resolver.folder())?;
    let holds =
        (ranges != ANY).then(|| resolver.resolve(&ranges, resolver.folder())).transpose()?;
    if holds.as_ref().is_some_and(|holds| !holds.has_policy()) {
        let reason = format!(
            "`ranges` is {ranges}, which cannot be asked about all hands; name `any`, or an agent \
             that `cardroom explain chart` draws"
        );
        return Err(resolver.bad_option(reason));
    }
    let source = Source { list: Arc::new(list), ranges: holds.clone() };
    let mut recipe = fallback::recipe(&other, move |def| source.build(def)).about(about);
    if let Some(holds) = &holds {
        recipe = recipe.asking(holds);
        // Over a thousand hands are evaluated for every decision before the river.
        recipe.cost = Cost::Worker;
    }
    recipe.files.extend(path);
    Ok(recipe)
}

/// The sources of the agents of one choice.
struct Source {
    list: Arc<RuleList>,
    ranges: Option<AgentChoice>,
}

impl Source {
    /// Returns `None` for games that the list does not cover.
    fn build(&self, def: &Arc<GameDef>) -> Result<Option<Play>, AgentError> {
        if !applies(def) {
            return Ok(None);
        }
        let ranges = self.ranges.as_ref().map(|ranges| ranges.policy(def)).transpose()?.flatten();
        Ok(Some(Play { list: Arc::clone(&self.list), ranges }))
    }
}

/// A list, and the policy that determines both players' ranges; `None` for equally likely hands.
struct Play {
    list: Arc<RuleList>,
    ranges: Option<Arc<dyn Policy>>,
}

fn lines(list: &RuleList) -> Vec<String> {
    list.to_string().lines().map(str::to_owned).collect()
}

/// Whether the game is heads-up no-limit hold'em with the full deck.
fn applies(def: &GameDef) -> bool {
    is_holdem(def) && def.betting == Betting::NoLimit
}

impl PartialAgent for Option<Play> {
    fn decide(&self, infoset: &InfoSet, cx: &mut Context) -> Option<Decision> {
        let plan = RiverPlan::for_seat(self.as_ref()?, &infoset.public, infoset.seat)?;
        let (strategy, note) = plan.play(infoset.hole)?;
        let action = cx.draw(&strategy);
        Some(Decision { strategy: Some(strategy), note: Some(note), ..action.into() })
    }
}

impl PartialPolicy for Option<Play> {
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>> {
        let plan = self.as_ref().and_then(|play| RiverPlan::for_seat(play, public, seat));
        hands.iter().map(|&hole| plan.as_ref()?.strategy(hole)).collect()
    }
}

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
        let free = Combo::all().filter_map(|combo| Some((combo, showdown.equity(combo)?)));
        let Some(policy) = &play.ranges else {
            return Some(River::sorted(
                free.map(|(combo, rate)| (rate.value(Ties::Half), 1.0, combo)),
            ));
        };
        let other = public.def().seats().find(|&other| other != seat)?;
        let came = |seat| {
            reach::at_street(
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
            let beats = sums[combo.index()].equity(Ties::Half).unwrap_or(0.5);
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
        self.index[combo(hole)?.index()].map(usize::from)
    }
}

/// The strategies of all hands at a decision.
struct RiverPlan<'a> {
    river: River,
    rule: ApplicableRule<'a>,
    /// The actions: the columns of `chances`.
    actions: Vec<Action>,
    /// The probability of each action, one row per hand, worst hand first.
    chances: Vec<f64>,
}

/// The part of the list that applies to the decision.
enum ApplicableRule<'a> {
    Betting(&'a BettingRule),
    /// With the size of the bet as a share of the pot.
    Calling(Calling, f64),
}

impl RiverPlan<'_> {
    /// The plan where this seat is to act; `None` if the list does not cover the decision.
    fn for_seat<'a>(play: &'a Play, public: &PublicState, seat: Seat) -> Option<RiverPlan<'a>> {
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
        betting.probabilities(river.hands(), &grid, &mut chances);
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
        calling.probabilities(river.hands(), bet, &mut calls);
        let chances = calls.iter().flat_map(|&call| [1.0 - call, call]).collect();
        let actions = vec![Action::Fold, Action::Call];
        Some(RiverPlan { river, rule: ApplicableRule::Calling(calling, bet), actions, chances })
    }

    /// The strategy of a hand; `None` if it is not possible on this river.
    fn strategy(&self, hole: HoleCards) -> Option<Strategy> {
        let at = self.river.index(hole)?;
        let row = &self.chances[at * self.actions.len()..][..self.actions.len()];
        let actions = self.actions.iter().copied().zip(row.iter().copied());
        Some(Strategy { actions: actions.filter(|&(_, p)| p > 0.0).collect() })
    }

    /// The strategy of a hand, with the rule that led to it in words.
    fn play(&self, hole: HoleCards) -> Option<(Strategy, String)> {
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
                let does =
                    if calls > 0.0 { format!("calls{}", often(calls)) } else { "folds".to_owned() };
                format!("{does} against a bet of {bet:.2} pots: {calling}")
            }
        }
    }
}
