//! Small games as linear programs, solved up to the solver's tolerance, by clarabel.
//!
//! Koller, Megiddo, von Stengel, "Fast algorithms for finding randomized strategies in game trees",
//! STOC 1994: the second player minimises a best response's winnings, min p₀ subject to Eᵀp ≥ Ay,
//! Fy = f, y ≥ 0, where A is the payoff matrix over sequences, and E and F express that the
//! probabilities of an information set's actions sum to that of its parent sequence. The first
//! player's strategy is the dual solution.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};

use crate::{Error, Player, Profile, Sequences};

/// An equilibrium.
#[derive(Debug, Clone)]
pub struct Equilibrium {
    /// The first player's expected winnings.
    pub value: f64,
    /// Both players' strategies. Where the equilibrium is not unique, an interior point of the set
    /// of solutions.
    pub profile: Profile,
}

/// Solves a game of at most some ten thousand sequences.
///
/// # Errors
/// When the solver finds no optimum.
pub fn solve(game: &Sequences) -> Result<Equilibrium, Error> {
    let program = Program::new(game);
    let settings = DefaultSettings::<f64> {
        verbose: false,
        tol_gap_abs: 1e-11,
        tol_gap_rel: 1e-11,
        tol_feas: 1e-11,
        ..DefaultSettings::default()
    };
    let columns = program.columns;
    let matrix = CscMatrix::new_from_triplets(
        program.rows(),
        columns,
        program.row,
        program.column,
        program.value,
    );
    let mut cost = vec![0.0; columns];
    cost[game.len(Player::Second)] = 1.0;
    let nothing = CscMatrix::zeros((columns, columns));
    let cones = [ZeroConeT(program.equalities), NonnegativeConeT(program.inequalities)];
    let mut solver = DefaultSolver::new(&nothing, &cost, &matrix, &program.bound, &cones, settings)
        .map_err(|error| Error::new(format!("the linear program is not valid: {error}")))?;
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => {}
        status => {
            let text = format!("the linear program ended without an optimum: {status:?}");
            return Err(Error::new(text));
        }
    }
    let second = &solver.solution.x[..game.len(Player::Second)];
    let first = &solver.solution.z[program.equalities..][..game.len(Player::First)];
    // The solver may leave probabilities slightly negative, and sequences that are never played
    // with smaller sums than this.
    let behaviour = |player, reach: &[f64]| game.in_proportion(player, reach, 1e-9);
    let profile = Profile([behaviour(Player::First, first), behaviour(Player::Second, second)]);
    Ok(Equilibrium { value: solver.solution.x[game.len(Player::Second)], profile })
}

/// Constraints in the solver's form: matrix · variables + slack = bound, with zero slack in the
/// first rows and nonnegative slack in the others. Variables: y by sequence, then p by information
/// set.
struct Program {
    row: Vec<usize>,
    column: Vec<usize>,
    value: Vec<f64>,
    bound: Vec<f64>,
    columns: usize,
    equalities: usize,
    inequalities: usize,
}

impl Program {
    fn new(game: &Sequences) -> Program {
        let (first, second) = (game.len(Player::First), game.len(Player::Second));
        let mut program = Program {
            row: Vec::new(),
            column: Vec::new(),
            value: Vec::new(),
            bound: Vec::new(),
            columns: second + game.choices(Player::First).len() + 1,
            equalities: game.choices(Player::Second).len() + 1,
            inequalities: first + second,
        };
        program.bound.resize(program.rows(), 0.0);
        program.bound[0] = 1.0;
        program.realization(game);
        program.responses(game, second);
        // y ≥ 0
        for sequence in 0..second {
            program.set(program.equalities + first + sequence, sequence, -1.0);
        }
        program
    }

    fn rows(&self) -> usize {
        self.equalities + self.inequalities
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        self.row.push(row);
        self.column.push(column);
        self.value.push(value);
    }

    /// Fy = f
    fn realization(&mut self, game: &Sequences) {
        self.set(0, 0, 1.0);
        for (at, choice) in game.choices(Player::Second).iter().enumerate() {
            self.set(at + 1, choice.parent as usize, -1.0);
            for sequence in choice.sequences() {
                self.set(at + 1, sequence, 1.0);
            }
        }
    }

    /// Ay − Eᵀp ≤ 0, one row for each sequence of the first player.
    fn responses(&mut self, game: &Sequences, p: usize) {
        let start = self.equalities;
        for (row, column, value) in game.payoffs() {
            self.set(start + row, column, value);
        }
        self.set(start, p, -1.0);
        for (at, choice) in game.choices(Player::First).iter().enumerate() {
            self.set(start + choice.parent as usize, p + at + 1, 1.0);
            for sequence in choice.sequences() {
                self.set(start + sequence, p + at + 1, -1.0);
            }
        }
    }
}
