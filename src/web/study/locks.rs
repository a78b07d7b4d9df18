//! Locked decisions of a spot: hands whose strategy is given and not learnt, so that what the other
//! player wins by it, and how it plays against it, is seen.

use cards::{Combo, Range};
use game::PublicState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solvers::subgame::{Solver, Spot, walk};

/// The probabilities of an order may add up to one more or less by this much.
const ROUNDED: f64 = 1e-3;

/// The most locks of a spot.
pub(super) const MOST: usize = 32;

/// A lock: at this place these hands play this strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    /// The actions and cards that lead to the decision, as in `x b66 c Kd`; empty for the
    /// beginning.
    #[serde(default)]
    line: String,
    /// The hands, as a range whose weights do not matter; `random`, every hand, unless given. Where
    /// several locks of a decision name a hand, the last one counts.
    #[serde(default = "every_hand")]
    hands: String,
    /// The probability of each action by its word, as in `x` or `b66`; together they are 1.
    strategy: Vec<(String, f64)>,
}

fn every_hand() -> String {
    "random".to_owned()
}

/// A decision with what is locked there.
struct Decision {
    /// The number of the last lock of it.
    lock: usize,
    /// The words that lead there.
    line: String,
    state: PublicState,
    /// For each hand the strategy that it keeps, by [`Combo::index`].
    given: Vec<Option<Vec<f64>>>,
}

/// Locks decisions of a solver that has not begun. An error has the number of the lock that cannot
/// be, and the reason.
pub(super) fn apply(solver: &mut Solver, locks: &[Lock]) -> Result<(), (usize, String)> {
    let mut decisions: Vec<Decision> = Vec::new();
    for (number, lock) in locks.iter().enumerate() {
        add(solver, &mut decisions, (number, lock)).map_err(|error| (number, error))?;
    }
    for Decision { lock, state, given, .. } in &decisions {
        let at = |error: solvers::Error| (*lock, error.to_string());
        let spot = Spot::at_state(solver, state);
        let spot = spot.map_err(|error| (*lock, error.to_string()))?;
        let mut now = vec![Vec::new(); Combo::COUNT];
        for (combo, strategy) in spot.strategies() {
            now[combo.index()] = strategy;
        }
        let strategy = |combo: Combo| {
            let kept = || now[combo.index()].clone();
            given[combo.index()].clone().unwrap_or_else(kept)
        };
        solver.set_strategy(state, &strategy).map_err(at)?;
        solver.lock(state, &|combo| given[combo.index()].is_some()).map_err(at)?;
    }
    Ok(())
}

fn add(
    solver: &Solver,
    decisions: &mut Vec<Decision>,
    (number, lock): (usize, &Lock),
) -> Result<(), String> {
    let places = walk(solver, &lock.line).map_err(|error| error.to_string())?;
    let spot = places.last().map_or_else(|| solver.spot(), |(_, spot)| spot.clone());
    let state = spot.state().clone();
    let words: Vec<String> =
        spot.actions().iter().map(|&action| state.action_word(action)).collect();
    if words.is_empty() {
        return Err(format!("nobody acts at `{}`: only decisions can be locked", lock.line));
    }
    let mut strategy = vec![0.0; words.len()];
    for (word, share) in &lock.strategy {
        let at = words.iter().position(|other| other == word);
        let at = at.ok_or_else(|| {
            let offered = words.join(" ");
            format!(
                "`{}` is not on the menu there, which has {offered}",
                game::escape::excerpt(word)
            )
        })?;
        strategy[at] += share;
    }
    let sum: f64 = strategy.iter().sum();
    if !strategy.iter().all(|share| (0.0..=1.0).contains(share)) || (sum - 1.0).abs() > ROUNDED {
        return Err(format!("the probabilities add up to {sum}, and not to 1"));
    }
    strategy.iter_mut().for_each(|share| *share /= sum);
    let hands: Range = lock.hands.parse().map_err(|error: cards::Error| error.to_string())?;
    let line: Vec<&str> = places.iter().map(|(word, _)| word.as_str()).collect();
    let line = line.join(" ").trim_start().to_owned();
    let at = decisions.iter().position(|decision| decision.line == line).unwrap_or_else(|| {
        decisions.push(Decision { lock: number, line, state, given: vec![None; Combo::COUNT] });
        decisions.len() - 1
    });
    decisions[at].lock = number;
    for (combo, _) in hands.combos() {
        decisions[at].given[combo.index()] = Some(strategy.clone());
    }
    Ok(())
}
