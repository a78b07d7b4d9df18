//! `fft`: plays heads-up hold'em by fast-and-frugal trees, one list `if … then …; else …` per
//! street.
//!
//! The lists (see [`models::heuristic`]) are read from a file. A fold without a bet to call becomes
//! a check, and a raise where none is legal becomes a call. Bet sizes are shares of the pot after
//! the call, as far as the rules and the stack allow. If a list draws at random, the decision's
//! random source is used, and the policy has the probabilities.
//!
//! The fallback agent plays games that are not heads-up hold'em and, if one is given, streets
//! without a list.

mod play;
mod shipped;

use std::sync::Arc;

use game::{GameDef, Street};
use models::heuristic::Rulebook;
use serde::Deserialize;
use solvers::response::in_tree::is_holdem;

pub use self::play::{HeuristicPlayer, StatementEffect, act_made_legal, situation};
pub use self::shipped::{named_heuristics, shipped_heuristics};

use crate::{AgentError, AgentOption, AgentSpec, Cost, Recipe, Resolver, fallback};

/// The registry's entry.
pub(crate) const SPEC: AgentSpec = AgentSpec {
    kind: "fft",
    summary: "plays a short list of if-then rules for each street",
    example: "fft",
    argument: None,
    options: &[
        AgentOption {
            name: "model",
            default: "shipped",
            help: "a file with a list for each street (docs/heuristics.md), or built-in lists: \
                   paper, limit, no-limit, no-limit-3, no-limit-5, no-limit-8, no-limit-12; \
                   `shipped` is paper in limit games and no-limit in others",
        },
        AgentOption {
            name: "fallback",
            default: "equity",
            help: "the agent for games other than heads-up hold'em and, if given, for streets \
                   without a list; otherwise the file must have a list for every street",
        },
    ],
    cost: Cost::Inline,
    repeatable: true,
    prepare,
};

#[derive(Deserialize)]
#[serde(default)]
struct Options {
    model: String,
    fallback: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { model: shipped::SHIPPED.to_owned(), fallback: None }
    }
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let Options { model, fallback } = resolver.options()?;
    let named = named_heuristics().find(|(name, _)| *name == model);
    let inside = named.is_some() || model == shipped::SHIPPED;
    let path = (!inside).then(|| resolver.file(&model));
    let own = match &path {
        None => named.map(|(name, book)| (Arc::new(book.clone()), name.into())),
        Some(path) => {
            let bad = |error: models::heuristic::HeuristicError| AgentError::BadFile {
                path: path.clone(),
                reason: error.to_string(),
            };
            let book = Rulebook::parse(&resolver.read(path)?).map_err(bad)?;
            if fallback.is_none() {
                book.require(&Street::ALL).map_err(bad)?;
            }
            Some((Arc::new(book), path.clone()))
        }
    };
    let about = match &own {
        Some((book, _)) => about("Lists for each street", book),
        None => shipped::about(),
    };
    let other = resolver.resolve(fallback.as_deref().unwrap_or("equity"), resolver.folder())?;
    let mut recipe = fallback::recipe(&other, move |def: &Arc<GameDef>| {
        if !is_holdem(def) {
            return Ok(None);
        }
        match &own {
            Some((book, path)) => {
                book.check(def.betting).map_err(|error| AgentError::BadFile {
                    path: path.clone(),
                    reason: error.to_string(),
                })?;
                Ok(Some(HeuristicPlayer::new(book)))
            }
            None => Ok(Some(HeuristicPlayer::new(shipped_heuristics(def.betting)))),
        }
    });
    recipe.files.extend(path);
    Ok(recipe.about(about).with_win_rates())
}

fn about(title: &str, book: &Rulebook) -> String {
    let lines: Vec<String> = book.to_string().lines().map(|line| format!("  {line}")).collect();
    let lines = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    format!("{title}\n{lines}")
}
