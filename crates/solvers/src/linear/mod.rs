//! Small games as linear programs, solved up to the solver's tolerance, in builds with the feature
//! `linear-program`.
//!
//! Koller, Megiddo, von Stengel, "Fast algorithms for finding randomized strategies in game trees",
//! STOC 1994: the second player minimises a best response's winnings, min p₀ subject to Eᵀp ≥ Ay,
//! Fy = f, y ≥ 0, where A is the payoff matrix over sequences, and E and F express that the
//! probabilities of an information set's actions sum to that of its parent sequence. The first
//! player's strategy is the dual solution.

#[cfg(feature = "linear-program")]
mod program;

use crate::{Profile, Sequences};

/// An equilibrium.
#[derive(Debug, Clone)]
pub struct Equilibrium {
    /// The first player's expected winnings.
    pub value: f64,
    /// Both players' strategies. Where the equilibrium is not unique, an interior point of the set
    /// of solutions.
    pub profile: Profile,
}

/// Error of solving the linear program.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LinearError {
    /// This build has no solver of linear programs.
    #[error("this build solves no linear programs")]
    NotBuilt,
    /// The program could not be set up.
    #[error("the linear program is not valid: {0}")]
    Setup(String),
    /// The solver ended without an optimum.
    #[error("the linear program ended without an optimum: {0}")]
    NoOptimum(String),
}

/// Whether this build solves linear programs.
pub const BUILT: bool = cfg!(feature = "linear-program");

/// Solves a game of at most some ten thousand sequences.
///
/// # Errors
/// See [`LinearError`].
pub fn solve(game: &Sequences) -> Result<Equilibrium, LinearError> {
    #[cfg(feature = "linear-program")]
    return program::solve(game);
    #[cfg(not(feature = "linear-program"))]
    {
        let _ = game;
        Err(LinearError::NotBuilt)
    }
}
