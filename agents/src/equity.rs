//! `equity`: win-rate against uniform hands, set against pot odds.
//!
//! With `w` the win-rate against `k` opponents of any cards (see [`winrate`](crate::winrate)), the
//! *advantage* is `k * w / (1 - w)`: the odds of winning as a multiple of a fair share's, 1 for an
//! average hand at any table size; heads-up, 2 is a win-rate of 2/3 and 3 one of 3/4. The rule:
//!
//! 1. Nothing to call: bet when the advantage is at least `bet`. When it is below 1/2, bet all the
//!    same with probability `bluff`. Otherwise check.
//! 2. A bet to call: raise when the advantage is at least `raise`, times 1.5 for every raise made on
//!    this street after the first. Otherwise call when `w` times the pot that can be won, the call
//!    included, is at least the price of the call. Otherwise fold.
//! 3. Bets and raises put in `size` times the pot after calling, as far as the rules allow.

use cards::{Board, HoleCards};
use game::{Action, Chips, InfoSet, LegalActions, Raises, Strategy};
use rand::RngExt;
use serde::Deserialize;

use crate::winrate::{Effort, win_rate};
use crate::{Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "equity",
    summary: "plays its win-rate against uniform hands and the pot odds",
    example: "equity:samples=500",
    argument: None,
    options: &[
        AgentOption {
            name: "bet",
            default: "2.0",
            help: "advantage from which it bets unasked: its odds of winning, as a multiple of an \
                   average hand's",
        },
        AgentOption {
            name: "raise",
            default: "3.0",
            help: "advantage from which it raises; times 1.5 for each raise of the street after the first",
        },
        AgentOption {
            name: "size",
            default: "0.75",
            help: "bets and raises as a share of the pot, above 0 (no-limit)",
        },
        AgentOption {
            name: "bluff",
            default: "0.1",
            help: "chance of betting a hand with an advantage below 1/2 when nobody has bet, 0 to 1",
        },
        AgentOption {
            name: "samples",
            default: "2000",
            help: "draws of an estimated win-rate, 1 to 1000000",
        },
        AgentOption {
            name: "exact",
            default: "2000",
            help: "heads-up, enumerate when there are at most this many endings: 990 on the river of \
                   hold'em, 45540 on the turn",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
struct Options {
    bet: f64,
    raise: f64,
    size: f64,
    bluff: f64,
    samples: u32,
    exact: u64,
}

impl Default for Options {
    fn default() -> Options {
        let Effort { exact, samples } = Effort::default();
        Options { bet: 2.0, raise: 3.0, size: 0.75, bluff: 0.1, samples, exact }
    }
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
    if !(0.0..=1.0).contains(&options.bluff) {
        let reason = format!("`bluff` is {}, but must be from 0 to 1", options.bluff);
        return Err(resolver.bad_option(reason));
    }
    if !(1..=1_000_000).contains(&options.samples) {
        let reason = format!("`samples` is {}, but must be from 1 to 1000000", options.samples);
        return Err(resolver.bad_option(reason));
    }
    Ok(Recipe::new(move |_| Ok(Equity { options: options.clone(), last: None })))
}

/// What a win-rate depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Situation {
    hole: HoleCards,
    board: Board,
    opponents: usize,
}

struct Equity {
    options: Options,
    /// The win-rate computed last: a street's later decisions ask for the same one.
    last: Option<(Situation, f64)>,
}

impl Agent for Equity {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let legal = infoset.legal();
        let opponents = infoset.public.remaining().len() as usize - 1;
        let rate = self.win_rate(infoset, opponents);
        let advantage = opponents as f64 * rate / (1.0 - rate).max(1e-9);
        let strategy = self.strategy(infoset, legal, rate, advantage);
        let action = match strategy.actions.as_slice() {
            &[(action, _)] => action,
            _ => strategy.sample(cx.rng.random()),
        };
        let price = price(infoset, legal);
        let note = format!("win-rate {rate:.3} against {opponents}, needs {price:.3} to call");
        Decision { strategy: Some(strategy), note: Some(note), ..action.into() }
    }
}

impl Equity {
    fn win_rate(&mut self, infoset: &InfoSet, opponents: usize) -> f64 {
        let board = infoset.public.board();
        let situation = Situation { hole: infoset.hole, board, opponents };
        if let Some((last, rate)) = self.last
            && last == situation
        {
            return rate;
        }
        let effort = Effort { exact: self.options.exact, samples: self.options.samples };
        let rate = win_rate(infoset.public.def(), infoset.hole, board, opponents, effort);
        self.last = Some((situation, rate));
        rate
    }

    fn strategy(
        &self,
        infoset: &InfoSet,
        legal: LegalActions,
        rate: f64,
        advantage: f64,
    ) -> Strategy {
        let options = &self.options;
        let raise = legal.raise.map(|raises| raise_to(infoset, legal, raises, options.size));
        let earlier = infoset.public.raises().saturating_sub(1).min(64);
        let needed = match legal.to_call {
            0 => options.bet,
            _ => options.raise * 1.5f64.powi(earlier as i32),
        };
        match raise {
            Some(raise) if advantage >= needed => Strategy::pure(raise),
            Some(raise) if legal.to_call == 0 && advantage < 0.5 && options.bluff > 0.0 => {
                let weights = [(Action::Call, 1.0 - options.bluff), (raise, options.bluff)];
                Strategy::from_weights(weights).unwrap_or_else(|| Strategy::pure(Action::Call))
            }
            _ if !legal.fold || rate >= price(infoset, legal) => Strategy::pure(Action::Call),
            _ => Strategy::pure(Action::Fold),
        }
    }
}

/// The share of the pot that a call must win to pay for itself: 0 for a check.
fn price(infoset: &InfoSet, legal: LegalActions) -> f64 {
    if legal.to_call == 0 {
        return 0.0;
    }
    let committed = infoset.public.committed();
    // Chips beyond what this seat can put in are played for by others.
    let total = committed[infoset.seat].saturating_add(legal.to_call);
    let others = committed.iter().filter(|&(seat, _)| seat != infoset.seat);
    let winnable: u64 = others.map(|(_, &chips)| u64::from(chips.min(total))).sum();
    f64::from(legal.to_call) / (winnable + u64::from(total)) as f64
}

fn raise_to(infoset: &InfoSet, legal: LegalActions, raises: Raises, size: f64) -> Action {
    let public = &infoset.public;
    let after_call = public.pot() + u64::from(legal.to_call);
    let total = f64::from(public.highest()) + size * after_call as f64;
    // Saturates; the clamp below keeps it legal.
    Action::RaiseTo((total as Chips).clamp(raises.min, raises.max))
}
