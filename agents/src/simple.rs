//! `call`, `fold`, `raise` and `random`: the reference points of every table of results.
//!
//! - `call` checks or calls, always.
//! - `fold` folds whenever there is something to call, else checks.
//! - `raise` raises whenever it may, else calls. Against it, an agent that always folds loses
//!   exactly the blinds: heads-up with blinds 50 and 100 that is 750 mbb/hand.
//! - `random` plays a random legal action. Each kind of action that is allowed (fold, call or
//!   check, raise) is equally likely; the total of a raise is then uniform between the smallest and
//!   the largest allowed. It never folds for free.
//!
//! In games with discards `random` puts away any card, the others the first one.

use abstraction::menu::BetSize;
use cards::HoleCards;
use game::{Action, InfoSet, Policy, PublicState, Raises, Seat, Strategy};
use rand::RngExt;
use serde::Deserialize;

use crate::{Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver};

/// The registry's entry of `call`.
pub(crate) const CALL: AgentSpec = AgentSpec {
    kind: "call",
    summary: "always checks or calls",
    example: "call",
    argument: None,
    options: &[],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        resolver.no_options()?;
        Ok(Recipe::new(|_| Ok(AlwaysCall)).discards().with_policy(|_| Ok(AlwaysCall)))
    },
};

struct AlwaysCall;

impl Agent for AlwaysCall {
    fn act(&mut self, _: &InfoSet, _: &mut Context) -> Decision {
        Action::Call.into()
    }
}

impl Policy for AlwaysCall {
    fn strategy(&self, _: &InfoSet) -> Strategy {
        Strategy::pure(Action::Call)
    }
}

/// The registry's entry of `fold`.
pub(crate) const FOLD: AgentSpec = AgentSpec {
    kind: "fold",
    summary: "folds to any bet, else checks",
    example: "fold",
    argument: None,
    options: &[],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        resolver.no_options()?;
        Ok(Recipe::new(|_| Ok(AlwaysFold)).discards().with_policy(|_| Ok(AlwaysFold)))
    },
};

struct AlwaysFold;

impl Agent for AlwaysFold {
    fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
        fold_or_check(infoset).into()
    }
}

impl Policy for AlwaysFold {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        Strategy::pure(fold_or_check(infoset))
    }
}

fn fold_or_check(infoset: &InfoSet) -> Action {
    if infoset.legal().fold { Action::Fold } else { Action::Call }
}

/// The registry's entry of `raise`.
pub(crate) const RAISE: AgentSpec = AgentSpec {
    kind: "raise",
    summary: "raises whenever it can, else calls",
    example: "raise:pot",
    argument: Some("size"),
    options: &[AgentOption {
        name: "size",
        default: "min",
        help: "raise size: `min`, the smallest legal; `half-pot`, `pot` or `75%`, of the pot after \
               calling; `3x`, times the bet; `allin`",
    }],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        let RaiseOptions { size } = resolver.options()?;
        let size = raise_size(resolver, &size)?;
        let raise = move |_: &_| Ok(AlwaysRaise { size });
        Ok(Recipe::new(raise).discards().with_policy(raise))
    },
};

#[derive(Deserialize)]
struct RaiseOptions {
    size: String,
}

/// The raise size of the option `size`.
pub(crate) fn raise_size(resolver: &Resolver<'_>, text: &str) -> Result<BetSize, AgentError> {
    text.parse().map_err(|()| {
        let sizes = "`min`, `10x` (times the bet), `75%` (of the pot after a call), `half-pot`, \
                     `pot` or `allin`";
        resolver.bad_option(format!("`size` is {text}, but must be {sizes}"))
    })
}

/// A raise of this size; the smallest if it is a multiple of a bet and there is none.
pub(crate) fn raise(size: BetSize, infoset: &InfoSet, raises: Raises) -> Action {
    let total = size.total(&infoset.public, infoset.seat, raises);
    Action::RaiseTo(total.unwrap_or(raises.min))
}

struct AlwaysRaise {
    size: BetSize,
}

impl Agent for AlwaysRaise {
    fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
        self.action(infoset).into()
    }
}

impl Policy for AlwaysRaise {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        Strategy::pure(self.action(infoset))
    }
}

impl AlwaysRaise {
    fn action(&self, infoset: &InfoSet) -> Action {
        infoset.legal().raise.map_or(Action::Call, |raises| raise(self.size, infoset, raises))
    }
}

/// The registry's entry of `random`.
pub(crate) const RANDOM: AgentSpec = AgentSpec {
    kind: "random",
    summary: "folds, calls or raises with equal probability, raises to any legal size",
    example: "random",
    argument: None,
    options: &[],
    cost: Cost::Inline,
    repeatable: true,
    prepare: |resolver| {
        resolver.no_options()?;
        Ok(Recipe::new(|_| Ok(Random)).discards().with_policy(|_| Ok(Random)))
    },
};

pub(crate) struct Random;

impl Agent for Random {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let legal = infoset.legal();
        let kinds = 1 + u32::from(legal.fold) + u32::from(legal.raise.is_some());
        // Kinds in the order call, fold, raise, without those that are not legal.
        let mut drawn = cx.rng.random_range(0..kinds);
        if drawn > 0 && !legal.fold {
            drawn += 1;
        }
        match (drawn, legal.raise) {
            (1, _) => Action::Fold,
            (2, Some(raise)) => Action::RaiseTo(cx.rng.random_range(raise.min..=raise.max)),
            _ => Action::Call,
        }
        .into()
    }

    fn discard(&mut self, infoset: &InfoSet, cx: &mut Context) -> Result<u8, Decision> {
        Ok(cx.rng.random_range(0..infoset.hole.len().max(1)) as u8)
    }
}

impl Policy for Random {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let legal = infoset.legal();
        let kinds = 1 + u32::from(legal.fold) + u32::from(legal.raise.is_some());
        let each = 1.0 / f64::from(kinds);
        let sizes = legal.raise.map_or(1.0, |raise| f64::from(raise.max - raise.min) + 1.0);
        let weight = |action| match action {
            Action::RaiseTo(_) => (action, each / sizes),
            Action::Fold | Action::Call => (action, each),
        };
        Strategy { actions: legal.all().map(weight).collect() }
    }

    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        // The strategy is the same for all hands, and there may be thousands of raise sizes.
        let Some(&hole) = hands.first() else { return };
        let strategy = self.strategy(&InfoSet { public: public.clone(), seat, hole });
        (0..hands.len()).for_each(|number| visit(number, &strategy));
    }
}
