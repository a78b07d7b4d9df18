//! `linear`: all-in or fold before the flop, heads-up, by a linear score of the hand.
//!
//! The small blind moves all-in or folds. The big blind calls an all-in or folds; it treats a raise
//! of more than a third of the effective stack as all-in. The weights are from a file of
//! `cardroom train linear` ([`readable::linear`]); for stacks between those of the file they are
//! interpolated from the nearest two. All other decisions, such as with more chips than the file
//! has weights for, after a limp, or in a game that is not heads-up no-limit hold'em, are made by
//! the fallback agent.

use std::sync::Arc;

use cards::HoleCards;
use game::{Action, Betting, GameDef, InfoSet, PublicState, Seat, Strategy, Street};
use readable::linear::LinearModel;
use readable::shove_fold::Blind;
use serde::Deserialize;
use solvers::holdem::is_holdem;

use crate::fallback::{PartialAgent, PartialPolicy};
use crate::random_hands::combo;
use crate::{
    AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Recipe, Resolver, fallback,
};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "linear",
    summary: "moves all-in or folds before the flop, heads-up, by a few weights of the hand",
    example: "linear",
    argument: None,
    options: &[
        AgentOption {
            name: "model",
            default: "shipped",
            help: "a file of `cardroom train linear`, or `shipped`: the built-in one, for 1 to 20 \
                   big blinds",
        },
        AgentOption {
            name: "fallback",
            default: "equity",
            help: "the agent for all other decisions: with larger stacks, after a limp or a small \
                   raise, and in other games",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

/// The model inside the program: `cardroom train linear --stack 1..20 --method search --weights own
/// --evaluations 40k`.
const SHIPPED: &str = include_str!("../models/shove-fold.toml");

#[derive(Debug, Deserialize)]
struct Options {
    model: String,
    fallback: String,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.options()?;
    let mut files = Vec::new();
    let model: LinearModel = match options.model.as_str() {
        "shipped" => SHIPPED.parse().expect("a test reads it"),
        file => {
            let path = resolver.file(file)?;
            let text = resolver.read(&path)?;
            files.push(path.clone());
            text.parse().map_err(|error: readable::Error| AgentError::bad_file(&path, error))?
        }
    };
    let other = resolver.resolve(&options.fallback, resolver.folder())?;
    let about = format!("all-in or fold: {}, by {}", model.method, model.made_by);
    let model = Arc::new(model);
    let mut recipe = fallback::recipe(&other, move |def| Ok(Rule::new(&model, def))).about(about);
    recipe.files.extend(files);
    Ok(recipe)
}

/// The model for a game.
struct Rule {
    model: Arc<LinearModel>,
    /// Whether the game is heads-up no-limit hold'em with different blinds.
    fits: bool,
}

impl Rule {
    fn new(model: &Arc<LinearModel>, def: &GameDef) -> Rule {
        let blinds = &def.spec().blinds;
        let fits = is_holdem(def) && def.betting == Betting::NoLimit && blinds[0] != blinds[1];
        Rule { model: Arc::clone(model), fits }
    }

    /// The action, the reason for it, and whether the stack is less than those of the weights;
    /// `None` where the fallback decides.
    fn action(
        &self,
        public: &PublicState,
        seat: Seat,
        hole: HoleCards,
    ) -> Option<(Action, String, bool)> {
        if !self.fits || public.street() != Street::Preflop {
            return None;
        }
        let legal = public.legal();
        let def = public.def();
        let other = def.seats().find(|&other| other != seat)?;
        let whole = |seat: Seat| public.stack(seat) + public.committed()[seat];
        let effective = whole(seat).min(whole(other));
        let is_small = def.spec().blinds[seat.index()] < def.spec().blinds[other.index()];
        let blind = match (is_small, public.history().len()) {
            (true, 0) => Blind::Small,
            (false, 1) if legal.to_call > 0 && 3 * public.highest() > effective => Blind::Big,
            _ => return None,
        };
        let hand = combo(hole)?.starting_hand();
        let stack = f64::from(effective) / f64::from(def.big_blind());
        let nearest = self.model.nearest(stack);
        if nearest < stack {
            // All-in or fold is not the game to play with more chips.
            return None;
        }
        let advantage = self.model.at_stack(stack).advantage(hand, blind);
        let plays = advantage > 0.0;
        let action = match legal.raise {
            Some(raise) if plays => Action::RaiseTo(raise.max),
            None if plays => Action::Call,
            _ if legal.fold => Action::Fold,
            _ => Action::Call,
        };
        let played = if plays { "played" } else { "not played" };
        let mut note =
            format!("{hand} with {stack:.1} big blinds: score {advantage:+.3}, {played}");
        if nearest != stack {
            note += &format!(", by the weights for {nearest} big blinds, the nearest there are");
        }
        Some((action, note, nearest != stack))
    }
}

impl PartialAgent for Rule {
    fn decide(&self, infoset: &InfoSet, _: &mut Context) -> Option<Decision> {
        let (action, note, beyond_model) =
            self.action(&infoset.public, infoset.seat, infoset.hole)?;
        let strategy = Some(Strategy::pure(action));
        Some(Decision { strategy, note: Some(note), beyond_model, ..action.into() })
    }
}

impl PartialPolicy for Rule {
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>> {
        let strategy = |&hole| Some(Strategy::pure(self.action(public, seat, hole)?.0));
        hands.iter().map(strategy).collect()
    }
}
