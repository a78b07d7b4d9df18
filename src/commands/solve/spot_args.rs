//! The arguments of a spot to solve, which all commands for one share: reading them, and solving.

use std::time::Instant;

use cards::Board;
use game::Chips;
use indicatif::HumanBytes;
use matches::runner::Stop;
use show::number::{percent, whole};
use solvers::Variant;
use solvers::subgame::{Options, Size, Solver, after, start};

use super::checkpoint::Checkpoint;
use crate::arguments::Threads;
use crate::config::units;
use crate::exit::Failure;
use crate::hand_args::parse_board;
use crate::progress::Progress;
use crate::resolve_names::bet_menu;
use crate::subgame::{Bits, Checked, Goal, Limits, Problem, SolveResult};

/// A spot of heads-up no-limit hold'em, and how far it is solved.
#[derive(clap::Args)]
pub(super) struct SpotArgs {
    /// Board cards: three, four or five, as in Td9d6hQc2s
    #[arg(long, value_name = "CARDS")]
    board: String,
    /// Chips in the pot, half from each player
    #[arg(long, value_name = "CHIPS")]
    pot: Chips,
    /// Chips left to each player; a second number is for the second player
    #[arg(long, value_name = "CHIPS", num_args = 1..=2, required = true)]
    stack: Vec<Chips>,
    /// Ranges of the first and the second player, as in `QQ+,AKs,A5s-A2s,KQo:0.5,AhKh` (the number
    /// after `:` is a weight); `random` is every hand
    #[arg(long, num_args = 2, value_names = ["RANGE", "RANGE"], required = true)]
    ranges: Vec<String>,
    /// The algorithm: cfr, cfr+, cfr+quadratic, lcfr, dcfr, dcfr(ALPHA,BETA,GAMMA), dcfr+, pcfr+,
    /// pdcfr+, dcfr-restarting, dcfr-restarting(ALPHA,BETA,GAMMA), hs-dcfr(START), optionally with
    /// `,predictive`, `,second-first` or `,discount-then-add`
    /// [default: dcfr(1.5,0.4,3),second-first]
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Stop at this exploitability, in chips or as a share of the pot such as 0.5% [default: 0.5%]
    #[arg(long, value_name = "CHIPS|SHARE")]
    until: Option<Goal>,
    /// Actions on this street before the subgame starts, on the menu or not, as in "x b66" (words
    /// as in --at); the pot and the stacks are those before these actions, the ranges those after
    #[arg(long, value_name = "WORDS")]
    after: Option<String>,
    /// The bets: a shipped menu (fc, fcpa, ladder, limit, overbet, reraise, six, small, standard,
    /// three), a file, or menu lines separated by `;`, as in "every 1: 50% allin; every 2+: allin";
    /// a second one is for the second player
    #[arg(long, value_name = "NAME|FILE|TEXT", num_args = 1..=2, default_value = "standard")]
    menu: Vec<String>,
    /// The smallest bet, in chips
    #[arg(long, value_name = "CHIPS", default_value_t = 1)]
    smallest_bet: Chips,
    /// Precision of stored numbers: half takes half the memory
    #[arg(long, value_enum, default_value = "single")]
    precision: Bits,
    /// Memory limit for solving
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: units::Size,
    #[command(flatten)]
    pub(super) threads: Threads,
    #[arg(from_global)]
    pub(super) quiet: bool,
}

/// A spot that was read.
pub(super) struct Posed<'a> {
    args: &'a SpotArgs,
    pub(super) problem: Problem,
}

impl SpotArgs {
    /// Reads the spot.
    ///
    /// # Errors
    /// When it is not one.
    pub(super) fn pose(&self) -> Result<Posed<'_>, Failure> {
        let variant = self.algorithm.as_deref().map_or(Ok(Variant::SUBGAMES), str::parse);
        let variant = variant.map_err(|error| Failure::usage(format!("--algorithm: {error}")))?;
        let board: Board = parse_board(Some(&self.board))?.text.parse().map_err(Failure::usage)?;
        let first = self.stack.first().copied().unwrap_or_default();
        let stacks = [first, self.stack.get(1).copied().unwrap_or(first)];
        let root = start(&board, self.pot, stacks, self.smallest_bet)?;
        let root = match &self.after {
            Some(words) => after(root, words).map_err(misread)?,
            None => root,
        };
        let range = |number: usize| {
            let text = self.ranges.get(number).map_or("", String::as_str);
            text.parse().map_err(|error| {
                Failure::usage(format!(
                    "the range of the {} player: {error}",
                    ["first", "second"][number]
                ))
            })
        };
        let ranges = [range(0)?, range(1)?];
        let first = bet_menu(self.menu.first().map_or("standard", String::as_str))?;
        let second = self.menu.get(1).map_or_else(|| Ok(first.clone()), |name| bet_menu(name))?;
        let options = Options {
            variant,
            horizon: self.iterations,
            precision: self.precision.precision(),
            memory: self.memory.0,
        };
        let (menus, smallest_bet) = ([first, second], self.smallest_bet);
        Ok(Posed { args: self, problem: Problem { root, ranges, menus, smallest_bet, options } })
    }
}

impl Posed<'_> {
    /// A solver that has not begun, and the size of the problem.
    pub(super) fn prepare(&self) -> Result<(Solver, Size), Failure> {
        let subgame = self.problem.subgame()?;
        let size = subgame.size(&self.problem.options);
        let solver = self.problem.solver(subgame).map_err(|error| self.refused(&error))?;
        Ok((solver, size))
    }

    /// The solver's refusal in terms of the command line.
    pub(super) fn refused(&self, error: &solvers::Error) -> Failure {
        match error.memory() {
            Some((needed, cells)) => Failure::input(anyhow::anyhow!(
                "solving takes {} for {} pairs of hand and action, and --memory allows {}: offer \
                 fewer sizes with --menu, start on a later street, use --precision half, or raise \
                 --memory",
                HumanBytes(needed),
                whole(cells),
                self.args.memory
            )),
            None if error.is_algorithm() => Failure::usage(format!("--algorithm: {error}")),
            None => Failure::input(error.clone()),
        }
    }

    /// Iterates until the goal or the last iteration is reached, or until it is interrupted.
    pub(super) fn solve(
        &self,
        solver: &mut Solver,
        mut checkpoint: Option<&mut Checkpoint>,
        stop: &Stop,
    ) -> SolveResult {
        let pot = self.problem.root.pot();
        let goal = self.args.until.unwrap_or(Goal::USUAL).chips(pot);
        let limits = Limits { most: self.args.iterations, goal, resumed: solver.iterations() };
        let begun = Instant::now();
        let mut progress = Progress::patient(limits.most.into(), "iterations", self.args.quiet);
        progress.go_on(solver.iterations().into());
        let mut note = String::new();
        loop {
            if let Some(Checked { exploitability, expected }) = limits.check(solver) {
                progress.expect(expected.into());
                let share = percent(exploitability / pot as f64, 3);
                note = format!("exploitability {exploitability:.4} chips, {share} of the pot");
            }
            let done = solver.iterations();
            progress.show(done.into(), &note);
            if limits.are_reached(solver) || stop.asked() {
                break;
            }
            if let Some(checkpoint) =
                checkpoint.as_mut().filter(|checkpoint| done > 0 && checkpoint.due())
                && let Some(line) = checkpoint.write(solver)
            {
                progress.say(&line);
            }
            solver.step();
        }
        progress.finish();
        if let Some(checkpoint) = &mut checkpoint {
            checkpoint.end(solver, !limits.are_reached(solver));
        }
        let result = SolveResult::new(solver, &limits, 0.0);
        let seconds =
            checkpoint.map_or(begun.elapsed().as_secs_f64(), |checkpoint| checkpoint.seconds());
        SolveResult { seconds, ..result }
    }
}

/// A mistake in words is one of the command line.
pub(super) fn misread(error: solvers::Error) -> Failure {
    if error.is_word() { Failure::usage(error) } else { Failure::input(error) }
}
