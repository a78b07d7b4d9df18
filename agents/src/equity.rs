//! `equity`: plays by the equity against uniform hands and the pot odds.
//!
//! Let `w` be the equity against `k` opponents with random cards (see
//! [`random_hands`](crate::random_hands)). The *advantage* is `k * w / (1 - w)`: the odds of
//! winning relative
//! to those of a fair share. It is 1 for an average hand at any table size; heads-up, 2 is an
//! equity of 2/3 and 3 is one of 3/4. The rule:
//!
//! 1. Nothing to call: bet if the advantage is at least `bet`. If it is below 1/2, bet anyway with
//!    probability `bluff`. Otherwise check.
//! 2. A bet to call: raise if the advantage is at least `raise`, times 1.5 for every raise made on
//!    this street after the first. Otherwise call if `w` times the pot that can be won, including
//!    the call, is at least the price of the call. Otherwise fold.
//! 3. Bets and raises are `size` times the pot after calling, as far as the rules allow.
//!
//! This nearly always plays a single action and is easy to read. With `mix` above 0 the thresholds
//! are soft: the probability of betting, raising or calling rises linearly from 0 to 1 while the
//! logarithm of the odds in question (the advantage, or the odds of winning relative to those that
//! the price requires) goes from `mix` below its threshold to `mix` above. With `spread` above 0
//! the size is one of three with equal probabilities: `size`, `size` times
//! `1 + spread`, and `size` divided by `1 + spread`.
//!
//! In games with discards it puts away the card that leaves the best equity: its own cards count in
//! any case, so that this is the card that helps the other player least.

use cards::{Board, HoleCards};
use game::{Action, Chips, InfoSet, LegalActions, Policy, PublicState, Raises, Seat, Strategy};
use serde::Deserialize;
use show::number::percent;

use crate::random_hands::{Effort, discard_equities, equities, equity};
use crate::{Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "equity",
    summary: "plays by its equity against random hands and the pot odds",
    example: "equity:samples=500",
    argument: None,
    options: &[
        AgentOption {
            name: "bet",
            default: "2.0",
            help: "minimum advantage for a bet: its odds of winning, as a multiple of an average \
                   hand's",
        },
        AgentOption {
            name: "raise",
            default: "3.0",
            help: "minimum advantage for a raise; times 1.5 for each raise of the street after the \
                   first",
        },
        AgentOption {
            name: "size",
            default: "0.75",
            help: "size of bets and raises as a share of the pot, above 0 (no-limit)",
        },
        AgentOption {
            name: "bluff",
            default: "0.1",
            help: "probability of betting a hand with an advantage below 1/2 when there is no bet, \
                   0 to 1",
        },
        AgentOption {
            name: "mix",
            default: "0",
            help: "softness of the thresholds, 0 to 3: with 0.5 it mixes actions when the odds are \
                   within a factor of 1.65 of a threshold",
        },
        AgentOption {
            name: "spread",
            default: "0",
            help: "if above 0, up to 10: three sizes with equal probability, `size` and that times \
                   and divided by 1 + `spread`",
        },
        AgentOption {
            name: "samples",
            default: "2000",
            help: "samples for an estimated equity, 1 to 1000000: against several opponents, or \
                   with another deck; heads-up hold'em is exact",
        },
        AgentOption {
            name: "exact",
            default: "2000",
            help: "heads-up with another deck: enumerate up to this many endings instead of \
                   sampling",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

#[derive(Debug, Clone, Deserialize)]
struct Options {
    bet: f64,
    raise: f64,
    size: f64,
    bluff: f64,
    mix: f64,
    spread: f64,
    samples: u32,
    exact: u64,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.options()?;
    let positive = |name: &str, value: f64| {
        let fine = value.is_finite() && value > 0.0;
        let error = || resolver.bad_option(format!("`{name}` is {value}, but must be above 0"));
        fine.then_some(()).ok_or_else(error)
    };
    positive("bet", options.bet)?;
    positive("raise", options.raise)?;
    positive("size", options.size)?;
    resolver.within("bluff", options.bluff, 0.0..=1.0)?;
    resolver.within("mix", options.mix, 0.0..=3.0)?;
    resolver.within("spread", options.spread, 0.0..=10.0)?;
    resolver.within("samples", options.samples, 1..=1_000_000)?;
    let rule = Rule { options };
    let equity = Equity { rule: rule.clone(), last: None };
    let recipe = Recipe::new(move |_| Ok(equity.clone())).with_equities().discards();
    Ok(recipe.with_policy(move |_| Ok(rule.clone())))
}

/// The arguments that determine an equity.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Situation {
    hole: HoleCards,
    board: Board,
    opponents: usize,
}

/// The rule with its options: a pure function of the information set.
#[derive(Debug, Clone)]
struct Rule {
    options: Options,
}

#[derive(Debug, Clone)]
struct Equity {
    rule: Rule,
    /// The last equity: later decisions on the same street need the same one.
    last: Option<(Situation, f64)>,
}

impl Agent for Equity {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let situation = Situation::new(infoset);
        let rate = match self.last {
            Some((last, rate)) if last == situation => rate,
            _ => self.rule.equity(infoset, situation),
        };
        self.last = Some((situation, rate));
        let strategy = self.rule.strategy_at(infoset, situation.opponents, rate);
        let action = cx.draw(&strategy);
        let price = price(infoset, infoset.legal());
        let whom = match situation.opponents {
            1 => "a random hand".to_owned(),
            several => format!("{several} random hands"),
        };
        let mut note = format!("equity {} against {whom}", percent(rate, 1));
        if price > 0.0 {
            note += &format!(", a call needs {}", percent(price, 1));
        }
        Decision { strategy: Some(strategy), note: Some(note), ..action.into() }
    }

    fn discard(&mut self, infoset: &InfoSet, _: &mut Context) -> Result<u8, Decision> {
        let def = infoset.public.def();
        let (hole, board) = (infoset.hole, infoset.public.board());
        let rates = discard_equities(def, hole, board, self.rule.options.samples);
        // The first of equals.
        let best = (0..rates.len()).rev().max_by(|&a, &b| rates[a].total_cmp(&rates[b]));
        Ok(best.unwrap_or_default() as u8)
    }
}

impl Policy for Rule {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let situation = Situation::new(infoset);
        let rate = self.equity(infoset, situation);
        self.strategy_at(infoset, situation.opponents, rate)
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        let mut infoset = InfoSet { public: public.clone(), seat, hole: HoleCards::EMPTY };
        let Situation { board, opponents, .. } = Situation::new(&infoset);
        let rates = equities(public.def(), hands, board, opponents, self.effort());
        for (number, (&hole, rate)) in hands.iter().zip(rates).enumerate() {
            infoset.hole = hole;
            visit(number, &self.strategy_at(&infoset, opponents, rate));
        }
    }
}

impl Situation {
    fn new(infoset: &InfoSet) -> Situation {
        let opponents = infoset.public.remaining().len() as usize - 1;
        Situation { hole: infoset.hole, board: infoset.public.board(), opponents }
    }
}

impl Rule {
    fn equity(&self, infoset: &InfoSet, situation: Situation) -> f64 {
        let Situation { hole, board, opponents } = situation;
        equity(infoset.public.def(), hole, board, opponents, self.effort())
    }

    fn effort(&self) -> Effort {
        Effort { exact: self.options.exact, samples: self.options.samples }
    }

    fn strategy_at(&self, infoset: &InfoSet, opponents: usize, rate: f64) -> Strategy {
        let options = &self.options;
        let legal = infoset.legal();
        let odds = rate / (1.0 - rate).max(1e-9);
        let advantage = opponents as f64 * odds;
        let earlier = infoset.public.raises().saturating_sub(1).min(64);
        let needed = match legal.to_call {
            0 => options.bet,
            _ => options.raise * 1.5f64.powi(earlier as i32),
        };
        let mut aggression = options.chance(advantage / needed);
        if legal.to_call == 0 && advantage < 0.5 {
            aggression = aggression.max(options.bluff);
        }
        let price = price(infoset, legal);
        let call = match legal.fold {
            true if options.mix > 0.0 => options.chance(odds * (1.0 - price) / price.max(1e-9)),
            true if rate < price => 0.0,
            _ => 1.0,
        };
        let raises = legal.raise.map(|raises| raises_to(infoset, legal, raises, options));
        let raises = raises.unwrap_or_default();
        if raises.is_empty() {
            aggression = 0.0;
        }
        let rest = 1.0 - aggression;
        let mut strategy = Strategy { actions: Vec::with_capacity(2 + raises.len()) };
        let mut add = |action, p: f64| {
            if p > 0.0 {
                strategy.actions.push((action, p));
            }
        };
        add(Action::Fold, rest * (1.0 - call));
        add(Action::Call, rest * call);
        for &(action, p) in &raises {
            add(action, aggression * p);
        }
        strategy
    }
}

impl Options {
    /// The probability of an action whose ratio to its threshold is `ratio`.
    fn chance(&self, ratio: f64) -> f64 {
        if self.mix > 0.0 {
            (0.5 + 0.5 * ratio.max(1e-9).ln() / self.mix).clamp(0.0, 1.0)
        } else if ratio >= 1.0 {
            1.0
        } else {
            0.0
        }
    }
}

/// The share of the pot that a call must win to break even; 0 for a check.
fn price(infoset: &InfoSet, legal: LegalActions) -> f64 {
    if legal.to_call == 0 {
        return 0.0;
    }
    let committed = infoset.public.committed();
    // Chips beyond what this seat can put in are contested by others only.
    let total = committed[infoset.seat].saturating_add(legal.to_call);
    let others = committed.iter().filter(|&(seat, _)| seat != infoset.seat);
    let winnable: u64 = others.map(|(_, &chips)| u64::from(chips.min(total))).sum();
    f64::from(legal.to_call) / (winnable + u64::from(total)) as f64
}

/// The distinct raises to choose from, with their probabilities.
fn raises_to(
    infoset: &InfoSet,
    legal: LegalActions,
    raises: Raises,
    options: &Options,
) -> Vec<(Action, f64)> {
    let (size, factor) = (options.size, 1.0 + options.spread);
    let sizes = [size / factor, size, size * factor];
    let sizes = if options.spread > 0.0 { &sizes[..] } else { &sizes[1..2] };
    let mut chosen: Vec<(Action, f64)> = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let raise = raise_to(infoset, legal, raises, size);
        let p = 1.0 / sizes.len() as f64;
        match chosen.iter_mut().find(|(known, _)| *known == raise) {
            Some((_, known)) => *known += p,
            None => chosen.push((raise, p)),
        }
    }
    chosen
}

fn raise_to(infoset: &InfoSet, legal: LegalActions, raises: Raises, size: f64) -> Action {
    let public = &infoset.public;
    let after_call = public.pot() + u64::from(legal.to_call);
    let total = f64::from(public.highest()) + size * after_call as f64;
    // Saturates; the clamp below keeps it legal.
    Action::RaiseTo((total as Chips).clamp(raises.min, raises.max))
}
