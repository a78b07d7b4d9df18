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
    let equalities = program.equalities;
    let mut cost = vec![0.0; program.columns];
    cost[game.len(Player::Second)] = 1.0;
    let optimum = program.minimise(&cost, &Tolerance::default())?;
    let second = &optimum.variables[..game.len(Player::Second)];
    let first = &optimum.duals[equalities..][..game.len(Player::First)];
    // The solver may leave probabilities slightly negative, and sequences that are never played
    // with smaller sums than this.
    let behaviour = |player, reach: &[f64]| game.in_proportion(player, reach, 1e-9);
    let profile = Profile([behaviour(Player::First, first), behaviour(Player::Second, second)]);
    Ok(Equilibrium { value: optimum.variables[game.len(Player::Second)], profile })
}

/// When an optimum is near enough.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance {
    /// Of the objective, and of the constraints.
    pub(crate) within: f64,
    /// Whether a program that ends short of it is taken as it is, by callers who check what they
    /// get.
    pub(crate) checked: bool,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { within: 1e-11, checked: false }
    }
}

/// The optimum of a linear program.
#[derive(Debug, Clone)]
pub(crate) struct Optimum {
    pub(crate) variables: Vec<f64>,
    /// By constraint.
    pub(crate) duals: Vec<f64>,
}

/// The entries of a row of a matrix: column and number.
pub(crate) type Row = Vec<(usize, f64)>;

/// Constraints in the solver's form: matrix · variables + slack = bound, with zero slack in the
/// first rows and nonnegative slack in the others.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    row: Vec<usize>,
    column: Vec<usize>,
    value: Vec<f64>,
    pub(crate) bound: Vec<f64>,
    pub(crate) columns: usize,
    pub(crate) equalities: usize,
    pub(crate) inequalities: usize,
}

impl Program {
    /// The variables that cost least. All of them are free unless constraints say otherwise.
    ///
    /// # Errors
    /// When the solver finds no optimum.
    pub(crate) fn minimise(self, cost: &[f64], tolerance: &Tolerance) -> Result<Optimum, Error> {
        let settings = DefaultSettings::<f64> {
            verbose: false,
            tol_gap_abs: tolerance.within,
            tol_gap_rel: tolerance.within,
            tol_feas: tolerance.within,
            ..DefaultSettings::default()
        };
        let (rows, columns) = (self.rows(), self.columns);
        let matrix = CscMatrix::new_from_triplets(rows, columns, self.row, self.column, self.value);
        let nothing = CscMatrix::zeros((columns, columns));
        let cones = [ZeroConeT(self.equalities), NonnegativeConeT(self.inequalities)];
        let mut solver = DefaultSolver::new(&nothing, cost, &matrix, &self.bound, &cones, settings)
            .map_err(|error| Error::new(format!("the linear program is not valid: {error}")))?;
        solver.solve();
        let solution = &mut solver.solution;
        match solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => {}
            SolverStatus::InsufficientProgress | SolverStatus::MaxIterations
                if tolerance.checked => {}
            status => {
                let text = format!("the linear program ended without an optimum: {status:?}");
                return Err(Error::new(text));
            }
        }
        let (variables, duals) = (std::mem::take(&mut solution.x), std::mem::take(&mut solution.z));
        Ok(Optimum { variables, duals })
    }

    /// The program of a game. Variables: y by sequence, then p by information set.
    fn new(game: &Sequences) -> Program {
        let (first, second) = (game.len(Player::First), game.len(Player::Second));
        let mut program = Program::with(
            second + game.choices(Player::First).len() + 1,
            game.choices(Player::Second).len() + 1,
            first + second,
        );
        program.bound[0] = 1.0;
        program.realization(game);
        program.responses(game, second);
        // y ≥ 0
        for sequence in 0..second {
            program.set(program.equalities + first + sequence, sequence, -1.0);
        }
        program
    }

    /// A program of so many variables and constraints, all of them 0.
    pub(crate) fn with(columns: usize, equalities: usize, inequalities: usize) -> Program {
        let bound = vec![0.0; equalities + inequalities];
        Program { bound, columns, equalities, inequalities, ..Program::default() }
    }

    /// The entries of each equality, and of each inequality with its bound.
    pub(crate) fn by_row(&self) -> (Vec<Row>, Vec<(Row, f64)>) {
        let mut equal = vec![Row::new(); self.equalities];
        let bounds = self.bound[self.equalities..].iter();
        let mut other: Vec<(Row, f64)> = bounds.map(|&bound| (Row::new(), bound)).collect();
        for ((&row, &column), &value) in self.row.iter().zip(&self.column).zip(&self.value) {
            match row.checked_sub(self.equalities) {
                None => equal[row].push((column, value)),
                Some(row) => other[row].0.push((column, value)),
            }
        }
        (equal, other)
    }

    pub(crate) fn rows(&self) -> usize {
        self.equalities + self.inequalities
    }

    /// Sets an entry of the matrix; one that is set twice is the sum.
    pub(crate) fn set(&mut self, row: usize, column: usize, value: f64) {
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
