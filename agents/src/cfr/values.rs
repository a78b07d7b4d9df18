//! Value functions of blueprints: the value of hands when both sides play the blueprint.

use std::path::Path;
use std::sync::Arc;

use abstraction::buckets::Buckets;
use game::{GameDef, Policy, ValueFunction};
use models::blueprint::Blueprint;
use solvers::blueprint::{BlueprintValues, StrategyQuery};

use super::shipped;
use crate::AgentError;

/// Returns the value function of the blueprint inside the program for this game, if there is one.
/// It is unpacked on first use and kept.
pub fn shipped_values(def: &GameDef) -> Option<Arc<dyn ValueFunction>> {
    let values = shipped::values(def)?;
    Some(values)
}

/// Like [`shipped_values`], but for a match between these strategies. An entrant without a policy
/// is taken to play the blueprint. `names` are the names of the two entrants. With
/// [`StrategyQuery::Cards`] a hand takes some milliseconds.
pub fn values_between(
    def: &GameDef,
    policies: [Option<Arc<dyn Policy>>; 2],
    names: [&str; 2],
    query: StrategyQuery,
) -> Option<Arc<dyn ValueFunction>> {
    let known = |k: usize| if policies[k].is_some() { names[k] } else { "the blueprint" };
    let cards = if query == StrategyQuery::Cards { " by their cards" } else { "" };
    let what = format!("agents {} and {}{cards}", known(0), known(1));
    Some(Arc::new(shipped::values(def)?.between(policies, query, &what)))
}

/// Returns the value function of the blueprint in a file.
///
/// # Errors
/// [`AgentError::BadFile`] if the file cannot be read or is not a complete blueprint for hold'em.
pub fn values_of_file(path: &Path) -> Result<Arc<dyn ValueFunction>, AgentError> {
    let bad = |reason: String| AgentError::BadFile { path: path.to_path_buf(), reason };
    let blueprint = Blueprint::open(path).map_err(|error| bad(error.to_string()))?;
    blueprint.verify().map_err(|error| bad(error.to_string()))?;
    Ok(Arc::new(values(&blueprint).map_err(bad)?))
}

/// Computes the value function of a blueprint, or returns what is wrong with the blueprint.
pub(super) fn values(blueprint: &Blueprint) -> Result<BlueprintValues, String> {
    let tree = blueprint.tree().map_err(|error| error.to_string())?;
    let buckets = Buckets::read(blueprint.buckets()).map_err(|error| error.to_string())?;
    let shares = |tree: &_, node, bucket| blueprint.shares(tree, node, bucket);
    BlueprintValues::new(tree, buckets, shares).map_err(|error| error.to_string())
}
