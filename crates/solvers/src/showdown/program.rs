//! The linear program of a game of one street, for the hands that have a choice.
//!
//! As in [`small::linear`](crate::small::linear), a player's plan x maximises what the other's best
//! response leaves, and that response's plan is the dual solution. Each hand (or group of hands
//! that play alike) has some *allowed* sequences. Where only one action of a decision is allowed,
//! it is as probable as what leads there, so that it needs no variable: a hand without a choice is
//! a constant. What is left are the hands that mix, and the matrix of what they win against each
//! other.

use super::ShowdownGame;
use crate::linear::{Optimum, Program, Row, Tolerance};
use crate::{Error, Player};

/// Marks a sequence that its hand does not play.
const NEVER: u32 = u32::MAX;

/// A player's hands, in units that play alike, and the sequences that each unit may play.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) player: Player,
    /// The unit of each hand.
    pub(super) unit_of: Vec<u32>,
    pub(super) units: usize,
    /// By sequence and unit. At each decision at least one action is allowed.
    pub(super) allowed: Vec<bool>,
}

/// What is left of a player's plan: variables for the actions of decisions with a choice.
#[derive(Debug, Clone)]
pub(super) struct Reduced {
    /// For each sequence and unit: 0 where it is always played, the number of the variable plus one
    /// that is its probability, or [`NEVER`].
    aliases: Vec<u32>,
    branches: Vec<Branch>,
    /// The sequence and unit of each variable.
    pub(super) variables: Vec<(usize, usize)>,
}

/// A decision of a unit with a choice.
#[derive(Debug, Clone, Copy)]
struct Branch {
    /// The alias of the sequence that leads there.
    parent: u32,
    /// The variables of its allowed actions.
    first: usize,
    count: usize,
}

impl Reduced {
    pub(super) fn new(game: &ShowdownGame, side: &Side) -> Reduced {
        let units = side.units;
        let mut reduced = Reduced {
            aliases: vec![NEVER; game.sequences(side.player) * units],
            branches: Vec::new(),
            variables: Vec::new(),
        };
        reduced.aliases[..units].fill(0);
        for choice in game.choices(side.player) {
            for unit in 0..units {
                let parent = reduced.aliases[choice.parent as usize * units + unit];
                if parent == NEVER {
                    continue;
                }
                let allowed =
                    choice.sequences().filter(|sequence| side.allowed[sequence * units + unit]);
                let count = allowed.clone().count();
                if count > 1 {
                    let first = reduced.variables.len();
                    reduced.branches.push(Branch { parent, first, count });
                }
                for sequence in allowed {
                    let alias = if count > 1 {
                        reduced.variables.push((sequence, unit));
                        reduced.variables.len() as u32
                    } else {
                        parent
                    };
                    reduced.aliases[sequence * units + unit] = alias;
                }
            }
        }
        reduced
    }

    /// The variable that is the probability of a sequence; `Err` with 1 or 0 where it is fixed.
    pub(super) fn variable(
        &self,
        sequence: usize,
        unit: usize,
        units: usize,
    ) -> Result<usize, f64> {
        match self.aliases[sequence * units + unit] {
            NEVER => Err(0.0),
            0 => Err(1.0),
            alias => Ok(alias as usize - 1),
        }
    }

    /// The probability of each sequence and unit, given the variables.
    pub(super) fn plan(&self, variables: &[f64]) -> Vec<f64> {
        let number = |&alias: &u32| match alias {
            NEVER => 0.0,
            0 => 1.0,
            alias => variables[alias as usize - 1].max(0.0),
        };
        self.aliases.iter().map(number).collect()
    }
}

/// The program of one player's plans against allowed sequences of the other.
#[derive(Debug, Clone)]
pub(super) struct Face {
    own: Reduced,
    other: Reduced,
    /// What the player wins, a row for each variable of the other and for what it always plays
    /// (first), with a column for each of the own in the same order.
    won: Vec<f64>,
    columns: usize,
}

/// A weighted sum of own sequences: (sequence, unit, weight).
pub(super) type Terms = [(usize, usize, f64)];

/// Directions in which a number changes less than this leave it as it is.
const NO_STEP: f64 = 1e-9;

/// The plans that are as good as one: all those to which directions lead, within limits.
#[derive(Debug, Clone)]
pub(super) struct Space {
    /// The plan's variables, then the values of the other's decisions.
    base: Vec<f64>,
    free: Vec<Vec<f64>>,
    /// What may be gone along each direction, all together: sums and their bounds.
    limits: Vec<(Vec<f64>, f64)>,
}

impl Space {
    /// The number of independent directions.
    pub(super) fn directions(&self) -> usize {
        self.free.len()
    }
}

/// What comes out of a program: the probabilities of own sequences and units, and, where the other
/// player's are asked for, of its.
pub(super) struct Plans {
    pub(super) own: Vec<f64>,
    pub(super) other: Vec<f64>,
}

impl Face {
    pub(super) fn new(game: &ShowdownGame, own: &Side, other: &Side) -> Face {
        let sides = [own, other];
        let reduced = sides.map(|side| Reduced::new(game, side));
        let columns = reduced[0].variables.len() + 1;
        let rows = reduced[1].variables.len() + 1;
        let mut won = vec![0.0; rows * columns];
        // Numbers of pots and mean pairs instead of chips and chances.
        let pairs = game.hands(Player::First) * game.hands(Player::Second);
        let (first, second) = if own.player == Player::First { (0, 1) } else { (1, 0) };
        let scale = pairs as f64 / game.pot() * if first == 0 { 1.0 } else { -1.0 };
        let mut aliases = [Vec::new(), Vec::new()];
        for end in game.ends() {
            for (at, side) in sides.iter().enumerate() {
                let sequence = end.sequences[side.player.index()];
                let of = &reduced[at].aliases[sequence * side.units..][..side.units];
                aliases[at].clear();
                aliases[at].extend(side.unit_of.iter().map(|&unit| of[unit as usize]));
            }
            for (i, &of_first) in aliases[first].iter().enumerate() {
                if of_first == NEVER {
                    continue;
                }
                for (j, &of_second) in aliases[second].iter().enumerate() {
                    if of_second == NEVER {
                        continue;
                    }
                    let (column, row) =
                        if first == 0 { (of_first, of_second) } else { (of_second, of_first) };
                    won[row as usize * columns + column as usize] += scale * game.won(end, i, j);
                }
            }
        }
        let [own, other] = reduced;
        Face { own, other, won, columns }
    }

    /// The number of variables of both players.
    pub(super) fn size(&self) -> [usize; 2] {
        [self.own.variables.len(), self.other.variables.len()]
    }

    /// An equilibrium of the game with allowed sequences only.
    ///
    /// # Errors
    /// When the solver finds no optimum.
    pub(super) fn equilibrium(&self) -> Result<Plans, Error> {
        let (own, other) = (self.own.variables.len(), self.other.variables.len());
        if own + other == 0 {
            return Ok(Plans { own: self.own.plan(&[]), other: self.other.plan(&[]) });
        }
        let program = self.program(&|_| false);
        // Minimise the negative of what is won.
        let mut cost = vec![0.0; program.columns];
        for (cost, won) in cost[..own].iter_mut().zip(&self.won[1..]) {
            *cost = -won;
        }
        for (number, branch) in self.other.branches.iter().enumerate() {
            if branch.parent == 0 {
                cost[own + number] = -1.0;
            }
        }
        let start = self.own.branches.len();
        let tolerance = Tolerance { within: 1e-11, checked: true };
        let Optimum { variables, duals } = program.minimise(&cost, &tolerance)?;
        Ok(Plans {
            own: self.own.plan(&variables[..own]),
            other: self.other.plan(&duals[start..][..other]),
        })
    }

    /// The plans around this one (by sequence and unit) against which the other's `tight` sequences
    /// stay as good as its best.
    pub(super) fn around(
        &self,
        plan: &[f64],
        units: usize,
        tight: &dyn Fn((usize, usize)) -> bool,
    ) -> Space {
        let own = self.own.variables.len();
        let mut base = vec![0.0; own + self.other.branches.len()];
        for (number, &(sequence, unit)) in base.iter_mut().zip(&self.own.variables) {
            *number = plan[sequence * units + unit];
        }
        // The values of the other's decisions, the last first.
        let mut leaves: Vec<f64> = (0..self.other.variables.len())
            .map(|variable| {
                let won = &self.won[(variable + 1) * self.columns..][..self.columns];
                won[0] + won[1..].iter().zip(&base).map(|(won, own)| won * own).sum::<f64>()
            })
            .collect();
        for (number, branch) in self.other.branches.iter().enumerate().rev() {
            let all = &leaves[branch.first..branch.first + branch.count];
            let value = all.iter().copied().fold(f64::INFINITY, f64::min);
            base[own + number] = value;
            if branch.parent > 0 {
                leaves[branch.parent as usize - 1] += value;
            }
        }
        let program = self.program(tight);
        let (equal, other) = program.by_row();
        let free = null_space(equal, base.len());
        // Rows that are not equalities, as far as they depend on the directions that are left.
        let mut limits = Vec::new();
        for (row, bound) in other {
            let slack = bound - row.iter().map(|&(at, number)| number * base[at]).sum::<f64>();
            let along: Vec<f64> = (0..free.len())
                .map(|direction| row.iter().map(|&(at, number)| number * free[direction][at]).sum())
                .collect();
            if along.iter().any(|number| f64::abs(*number) > NO_STEP) {
                limits.push((along, slack.max(0.0)));
            }
        }
        Space { base, free, limits }
    }

    /// The constraints. Variables: the own plan, then the value of each of the other's decisions
    /// with a choice.
    fn program(&self, tight: &dyn Fn((usize, usize)) -> bool) -> Program {
        let own = self.own.variables.len();
        let kept: Vec<bool> = self.other.variables.iter().map(|&of| tight(of)).collect();
        let equal = kept.iter().filter(|&&kept| kept).count();
        let mut program = Program::with(
            own + self.other.branches.len(),
            self.own.branches.len() + equal,
            kept.len() - equal + own,
        );
        // The actions of a decision are together as probable as what leads there.
        for (row, branch) in self.own.branches.iter().enumerate() {
            for variable in branch.first..branch.first + branch.count {
                program.set(row, variable, 1.0);
            }
            match branch.parent {
                0 => program.bound[row] = 1.0,
                parent => program.set(row, parent as usize - 1, -1.0),
            }
        }
        // The value of a decision of the other is at most what each of its actions leaves.
        let (mut next_equal, mut next_other) = (self.own.branches.len(), program.equalities);
        let mut row_of = vec![0; kept.len()];
        for (number, branch) in self.other.branches.iter().enumerate() {
            for variable in branch.first..branch.first + branch.count {
                let next = if kept[variable] { &mut next_equal } else { &mut next_other };
                row_of[variable] = *next;
                *next += 1;
                program.set(row_of[variable], own + number, 1.0);
            }
        }
        for (number, branch) in self.other.branches.iter().enumerate() {
            if branch.parent > 0 {
                program.set(row_of[branch.parent as usize - 1], own + number, -1.0);
            }
        }
        for (variable, &row) in row_of.iter().enumerate() {
            let won = &self.won[(variable + 1) * self.columns..][..self.columns];
            program.bound[row] = won[0];
            for (column, &won) in won[1..].iter().enumerate() {
                if won != 0.0 {
                    program.set(row, column, -won);
                }
            }
        }
        for variable in 0..own {
            program.set(next_other + variable, variable, -1.0);
        }
        program
    }

    /// A weighted sum of own sequences as numbers by variable, and a constant.
    fn by_variable(&self, terms: &Terms, units: usize) -> (Vec<f64>, f64) {
        let (mut numbers, mut constant) = (vec![0.0; self.own.variables.len()], 0.0);
        for &(sequence, unit, weight) in terms {
            match self.own.variable(sequence, unit, units) {
                Ok(variable) => numbers[variable] += weight,
                Err(fixed) => constant += weight * fixed,
            }
        }
        (numbers, constant)
    }

    /// The plan in a space for which the ratio of two sums of sequences is largest or smallest, by
    /// sequence and unit; `None` if the ratio is the same for all.
    ///
    /// Charnes, Cooper, "Programming with linear fractional functionals", Naval Research Logistics
    /// Quarterly 9, 1962: steps are divided by the sum below, which makes the program linear.
    ///
    /// # Errors
    /// When the solver finds no optimum.
    pub(super) fn extreme(
        &self,
        space: &Space,
        [of, whole]: [&Terms; 2],
        units: usize,
        sign: f64,
    ) -> Result<Option<Vec<f64>>, Error> {
        let sums = [of, whole].map(|terms| {
            let (numbers, constant) = self.by_variable(terms, units);
            let product = |with: &[f64]| -> f64 {
                numbers.iter().zip(with).map(|(number, with)| number * with).sum()
            };
            let along: Vec<f64> = space.free.iter().map(|free| product(free)).collect();
            (along, constant + product(&space.base))
        });
        let [(of, of_base), (whole, whole_base)] = sums;
        // The ratio changes with of - ratio * whole.
        let ratio = of_base / whole_base.max(1e-300);
        let moves = |(of, whole): (&f64, &f64)| (of - ratio * whole).abs() > NO_STEP;
        if !of.iter().zip(&whole).any(moves) {
            return Ok(None);
        }
        let divided = whole.iter().any(|along| along.abs() > NO_STEP);
        // Variables: steps along each direction, and one divided by the sum below.
        let count = space.free.len();
        let mut program = Program::with(count + 1, 1, space.limits.len() + 1);
        if divided {
            for (direction, &along) in whole.iter().enumerate() {
                program.set(0, direction, along);
            }
            program.set(0, count, whole_base);
        } else {
            program.set(0, count, 1.0);
        }
        program.bound[0] = 1.0;
        for (row, (along, slack)) in space.limits.iter().enumerate() {
            for (direction, &number) in along.iter().enumerate() {
                if number != 0.0 {
                    program.set(row + 1, direction, number);
                }
            }
            program.set(row + 1, count, -slack);
        }
        program.set(space.limits.len() + 1, count, -1.0);
        let mut cost: Vec<f64> = of.iter().map(|along| -sign * along).collect();
        cost.push(-sign * of_base);
        let tolerance = Tolerance { within: 1e-10, checked: true };
        let Optimum { variables, .. } = program.minimise(&cost, &tolerance)?;
        let unit = variables[count].max(1e-12);
        let mut plan = space.base.clone();
        for (free, step) in space.free.iter().zip(&variables) {
            for (number, along) in plan.iter_mut().zip(free) {
                *number += along * step / unit;
            }
        }
        Ok(Some(self.own.plan(&plan[..self.own.variables.len()])))
    }
}

/// Directions along which none of some sums changes: a basis, by elimination with the largest
/// number left as the next pivot.
fn null_space(rows: Vec<Row>, columns: usize) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = rows
        .into_iter()
        .map(|row| {
            let mut dense = vec![0.0; columns];
            row.into_iter().for_each(|(at, number)| dense[at] += number);
            let most = dense.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
            if most > 0.0 {
                dense.iter_mut().for_each(|number| *number /= most);
            }
            dense
        })
        .collect();
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    let mut open: Vec<usize> = (0..rows.len()).collect();
    while !open.is_empty() {
        let largest =
            |row: &usize| {
                let numbers = rows[*row].iter().enumerate();
                numbers.fold((0, 0.0), |best: (usize, f64), (at, number)| {
                    if number.abs() > best.1 { (at, number.abs()) } else { best }
                })
            };
        let best = open.iter().enumerate().map(|(place, row)| (place, largest(row)));
        let Some((place, (column, size))) = best.max_by(|a, b| a.1.1.total_cmp(&b.1.1)) else {
            break;
        };
        if size < NO_STEP {
            break;
        }
        let pivot = open.swap_remove(place);
        let number = rows[pivot][column];
        rows[pivot].iter_mut().for_each(|other| *other /= number);
        let by = std::mem::take(&mut rows[pivot]);
        for row in &mut rows {
            let times = row.get(column).copied().unwrap_or(0.0);
            if times != 0.0 {
                row.iter_mut().zip(&by).for_each(|(number, by)| *number -= times * by);
                row[column] = 0.0;
            }
        }
        rows[pivot] = by;
        pivots.push((pivot, column));
    }
    let mut is_free = vec![true; columns];
    pivots.iter().for_each(|&(_, column)| is_free[column] = false);
    let free = (0..columns).filter(|&column| is_free[column]);
    free.map(|column| {
        let mut direction = vec![0.0; columns];
        direction[column] = 1.0;
        for &(row, pivot) in &pivots {
            direction[pivot] = -rows[row][column];
        }
        direction
    })
    .collect()
}
