//! Small games as linear programs, solved by the simplex method.
//!
//! Koller, Megiddo, von Stengel, "Fast algorithms for finding randomized strategies in game trees",
//! STOC 1994: a player maximises what it wins from a best response, max q₀ subject to Eᵀq ≤ Aᵀx,
//! Fx = f, x ≥ 0, where A is the payoff matrix over sequences, and E and F express that the
//! probabilities of an information set's actions sum to that of its parent sequence. One program
//! for each player.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOptions, Variable};

use crate::{Player, Profile, Sequences};

/// An equilibrium.
#[derive(Debug, Clone)]
pub struct Equilibrium {
    /// The first player's expected winnings.
    pub value: f64,
    /// Both players' strategies. Where the equilibrium is not unique, a corner of the set of
    /// solutions.
    pub profile: Profile,
}

/// The linear program ended without an optimum.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the linear program ended without an optimum: {0}")]
pub struct LinearError(String);

/// Solves a game of at most some ten thousand sequences.
pub fn solve(game: &Sequences) -> Result<Equilibrium, LinearError> {
    let (value, first) = maximin(game, Player::First)?;
    let (_, second) = maximin(game, Player::Second)?;
    Ok(Equilibrium { value, profile: Profile([first, second]) })
}

/// What a player wins at least, and its behaviour strategy.
fn maximin(game: &Sequences, player: Player) -> Result<(f64, Vec<f64>), LinearError> {
    let other = player.other();
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let reach: Vec<Variable> =
        (0..game.len(player)).map(|_| problem.add_var(0.0, (0.0, 1.0))).collect();
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let value = problem.add_var(1.0, free);
    let values: Vec<Variable> =
        game.choices(other).iter().map(|_| problem.add_var(0.0, free)).collect();

    // Fx = f
    problem.add_constraint([(reach[0], 1.0)], ComparisonOp::Eq, 1.0);
    for choice in game.choices(player) {
        let mut sum = LinearExpr::empty();
        sum.add(reach[choice.parent as usize], -1.0);
        for sequence in choice.sequences() {
            sum.add(reach[sequence], 1.0);
        }
        problem.add_constraint(sum, ComparisonOp::Eq, 0.0);
    }
    // Eᵀq − Aᵀx ≤ 0, one row for each sequence of the other player.
    let mut responses = vec![LinearExpr::empty(); game.len(other)];
    responses[0].add(value, 1.0);
    for (choice, &value) in game.choices(other).iter().zip(&values) {
        responses[choice.parent as usize].add(value, -1.0);
        for sequence in choice.sequences() {
            responses[sequence].add(value, 1.0);
        }
    }
    for (first, second, winnings) in game.payoffs() {
        match player {
            Player::First => responses[second].add(reach[first], -winnings),
            Player::Second => responses[first].add(reach[second], winnings),
        }
    }
    for response in responses {
        problem.add_constraint(response, ComparisonOp::Le, 0.0);
    }

    let mut options = SolveOptions::default();
    // The least that is allowed.
    options.tolerances.feasibility = 1e-10;
    let solution = problem
        .solve_with(options)
        .map_err(|error| LinearError(error.to_string()))?
        .into_solution()
        .map_err(|unfinished| LinearError(format!("{:?}", unfinished.termination_reason())))?;
    let reach: Vec<f64> = reach.iter().map(|&sequence| solution.var_value(sequence)).collect();
    Ok((solution.objective(), behaviour(game, player, &reach)))
}

/// The behaviour strategy of sequence probabilities, which the solver may leave slightly negative.
fn behaviour(game: &Sequences, player: Player, reach: &[f64]) -> Vec<f64> {
    let mut strategy = game.uniform(player);
    for choice in game.choices(player) {
        let sum: f64 = choice.sequences().map(|s| reach[s].max(0.0)).sum();
        // Smaller sums are noise: the sequence is never played.
        if sum > 1e-9 {
            for s in choice.sequences() {
                strategy[s] = reach[s].max(0.0) / sum;
            }
        }
    }
    strategy
}
