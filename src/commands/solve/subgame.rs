//! Hold'em subgames from a board on, range against range: parsing and solving.

use std::path::PathBuf;
use std::time::Instant;

use abstraction::menu::BetMenu;
use cards::{Board, Range};
use game::{Chips, PublicState};
use indicatif::HumanBytes;
use matches::stop::Stop;
use show::number::{percent, whole};
use solvers::Variant;
use solvers::subgame::{Options as SolverOptions, Precision, Solver, Subgame, SubgameError, start};

use super::checkpoint::Checkpoint;
use super::outcome::{Solved, sizes};
use super::spots::{self, RequestedSpot};
use super::view::View;
use super::{Args, Goal};
use crate::config::units;
use crate::exit::Failure;
use crate::interrupt;
use crate::odds::input;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::resolve_names::bet_menu;
use crate::threads::{pool, threads};

/// What only subgames have.
#[derive(clap::Args)]
#[command(next_help_heading = "Hold'em from a board on")]
#[group(skip)]
pub(super) struct Options {
    /// Board cards: three, four or five, as in Td9d6hQc2s
    #[arg(long, value_name = "CARDS", requires_all = ["pot", "stack", "ranges"])]
    pub(super) board: Option<String>,
    /// Chips in the pot, half from each player
    #[arg(long, value_name = "CHIPS", requires = "board")]
    pot: Option<Chips>,
    /// Chips left to each player; a second number is for the second player
    #[arg(long, value_name = "CHIPS", num_args = 1..=2, requires = "board")]
    stack: Vec<Chips>,
    /// Ranges of the first and the second player, as in `QQ+,AKs,A5s-A2s,KQo:0.5,AhKh` (the number
    /// after `:` is a weight); `random` is every hand
    #[arg(long, value_name = "RANGE", num_args = 2, value_names = ["RANGE", "RANGE"],
        requires = "board")]
    ranges: Vec<String>,
    /// Actions on this street before the subgame starts, on the menu or not, as in "x b66" (words
    /// as in --at); the pot and the stacks are those before these actions, the ranges those after
    #[arg(long, value_name = "WORDS", requires = "board")]
    after: Option<String>,
    /// The bets: a shipped menu (fc, fcpa, ladder, limit, overbet, reraise, small, standard), a
    /// file, or menu lines separated by `;`, as in "every 1: 50% allin; every 2+: allin"
    #[arg(long, value_name = "NAME|FILE|TEXT", default_value = "standard", requires = "board")]
    menu: String,
    /// The smallest bet, in chips
    #[arg(long, value_name = "CHIPS", default_value_t = 1, requires = "board")]
    pub(super) smallest_bet: Chips,
    /// Precision of stored numbers: half takes half the memory
    #[arg(long, value_enum, default_value = "single", requires = "board")]
    pub(super) precision: Bits,
    /// Memory limit for solving
    #[arg(long, value_name = "SIZE", default_value = "8GiB", requires = "board")]
    memory: units::Size,
    /// Threads, at most 1024 [default: one per processor; more are not used]
    #[arg(long, value_name = "N", requires = "board",
        value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Only report the size of the tree and the memory for it
    #[arg(long, requires = "board", conflicts_with_all = ["at", "hands", "svg", "strategy",
        "keep", "no_keep", "checkpoint", "iterations", "until"])]
    dry_run: bool,
    /// Show the spot after these actions and cards, as in "x b66 c Kd": f(old), x (check), c(all),
    /// bN and rN (bet and raise to N chips on the street), a(ll-in), cards as they are dealt. May
    /// be given several times
    #[arg(long, value_name = "WORDS", requires = "board")]
    at: Vec<String>,
    /// List every hand with its strategy and expected value
    #[arg(long, requires = "board")]
    pub(super) hands: bool,
    /// Draw the chart of the spot into this SVG file
    #[arg(long, value_name = "FILE", requires = "board")]
    pub(super) svg: Option<PathBuf>,
    /// Keep the checkpoint in this file, even after the solution: the same command continues from
    /// it, also with other --at, more --iterations or a lower --until [default: a file under
    /// data/solves, named after what is solved and removed when that is done; none in the first
    /// seconds]
    #[arg(long, value_name = "FILE", requires = "board")]
    pub(super) keep: Option<PathBuf>,
    /// Write no checkpoint
    #[arg(long, requires = "board", conflicts_with_all = ["keep", "checkpoint"])]
    pub(super) no_keep: bool,
    /// Time between checkpoints; at least ten times as long as the last one took
    #[arg(long, value_name = "TIME", default_value = "1min", requires = "board")]
    pub(super) checkpoint: units::Time,
    /// No progress display
    #[arg(long, short, requires = "board")]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Bits {
    /// 8 bytes for each hand and action
    Single,
    /// 4 bytes, a little slower
    Half,
}

impl Bits {
    fn precision(self) -> Precision {
        match self {
            Bits::Single => Precision::Full,
            Bits::Half => Precision::Half,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Bits::Single => "single",
            Bits::Half => "half",
        }
    }
}

/// Runs the command on a thread pool: solves the subgame and prints the result.
pub(super) fn run(args: &Args, board: &str) -> Result<(), Failure> {
    output::check(args.subgame.svg.as_deref())?;
    let pool = pool(threads(args.subgame.threads))?;
    pool.run(|| Problem::new(args, board)?.run())
}

/// A subgame to solve, and its options.
pub(super) struct Problem<'a> {
    pub(super) args: &'a Args,
    pub(super) options: &'a Options,
    pub(super) root: PublicState,
    pub(super) ranges: [Range; 2],
    pub(super) menu: BetMenu,
    pub(super) variant: Variant,
}

impl<'a> Problem<'a> {
    fn new(args: &'a Args, board: &str) -> Result<Problem<'a>, Failure> {
        let options = &args.subgame;
        let variant = args.algorithm.as_deref().map_or(Ok(Variant::SUBGAMES), str::parse);
        let variant = variant.map_err(|error| Failure::usage(format!("--algorithm: {error}")))?;
        if options.svg.is_some() && options.at.len() > 1 {
            return Err(Failure::usage("--svg draws one spot: give --at once, or leave it out"));
        }
        let board: Board = input::board(Some(board))?.text.parse().map_err(Failure::usage)?;
        let pot = options.pot.unwrap_or_default();
        let first = options.stack.first().copied().unwrap_or_default();
        let stacks = [first, options.stack.get(1).copied().unwrap_or(first)];
        let root = start(&board, pot, stacks, options.smallest_bet).map_err(Failure::input)?;
        let root = match &options.after {
            Some(words) => spots::after(root, words)?,
            None => root,
        };
        let range = |number: usize| {
            let text = options.ranges.get(number).map_or("", String::as_str);
            text.parse().map_err(|error| {
                Failure::usage(format!(
                    "the range of the {} player: {error}",
                    ["first", "second"][number]
                ))
            })
        };
        let (ranges, menu) = ([range(0)?, range(1)?], bet_menu(&options.menu)?);
        Ok(Problem { args, options, root, ranges, menu, variant })
    }

    fn run(&self) -> Result<(), Failure> {
        let actions = |state: &PublicState| self.menu.actions(state).to_vec();
        let subgame =
            Subgame::new(&self.root, self.ranges.each_ref(), &actions).map_err(Failure::input)?;
        let size = subgame.size(&self.solver_options());
        if self.options.dry_run {
            return match self.args.json {
                true => Output::json(&self.document(&size, &[]))?.print(),
                false => output::print(&format!("{}\n", sizes(&size))),
            };
        }
        let stop = interrupt::listen("stopping after this iteration; press Ctrl-C again to abort")?;
        if !self.options.quiet {
            say(&sizes(&size));
        }
        let solver =
            Solver::new(subgame, self.solver_options()).map_err(|error| self.refused(&error))?;
        let asked = self.asked(&solver)?;
        let (mut solver, mut checkpoint) = Checkpoint::open(self, solver)?;
        let solved = self.solve(&mut solver, checkpoint.as_mut(), &stop);
        let views = asked.iter().map(|asked| View::new(&mut solver, asked));
        let views = views.collect::<Result<Vec<_>, _>>()?;
        self.show(&size, &solved, &views)?;
        if !solved.interrupted {
            checkpoint.iter_mut().for_each(Checkpoint::remove);
            return Ok(());
        }
        let rest = match checkpoint.as_ref().and_then(Checkpoint::place) {
            Some(place) => format!(", kept in {place}; resume with"),
            None => "; to begin again".to_owned(),
        };
        Err(Failure::interrupted(format!(
            "stopped after {} iterations{rest}: {}",
            solved.iterations,
            interrupt::command_line()
        )))
    }

    /// The parameters of the problem that the solver does not know, in words.
    pub(super) fn words(&self) -> Vec<(&'static str, String)> {
        let menu = self.menu.to_string().trim_end().replace('\n', "; ");
        vec![("smallest bet", self.options.smallest_bet.to_string()), ("menu", menu)]
    }

    fn solver_options(&self) -> SolverOptions {
        SolverOptions {
            variant: self.variant,
            horizon: self.args.iterations,
            precision: self.options.precision.precision(),
            memory: self.options.memory.0,
        }
    }

    /// The solver's refusal in terms of the command line.
    fn refused(&self, error: &SubgameError) -> Failure {
        match error {
            SubgameError::Memory { needed, cells, .. } => Failure::input(anyhow::anyhow!(
                "solving takes {} for {} pairs of hand and action, and --memory allows {}: offer \
                 fewer sizes with --menu, start on a later street, use --precision half, or raise \
                 --memory",
                HumanBytes(*needed),
                whole(*cells),
                self.options.memory
            )),
            SubgameError::Variant(_) => Failure::usage(format!("--algorithm: {error}")),
            error => Failure::input(error.clone()),
        }
    }

    /// The spots to show; the root if none is named.
    fn asked(&self, solver: &Solver) -> Result<Vec<RequestedSpot>, Failure> {
        match self.options.at.is_empty() {
            true => Ok(vec![spots::read(solver, "")?]),
            false => self.options.at.iter().map(|text| spots::read(solver, text)).collect(),
        }
    }

    /// The exploitability to reach, in chips.
    pub(super) fn goal(&self) -> f64 {
        match self.args.until.unwrap_or(Goal::ShareOfPot(0.005)) {
            Goal::Chips(chips) => chips,
            Goal::ShareOfPot(share) => share * self.root.pot() as f64,
        }
    }

    /// Iterates until the goal or the last iteration is reached, or until it is interrupted.
    fn solve(
        &self,
        solver: &mut Solver,
        mut checkpoint: Option<&mut Checkpoint>,
        stop: &Stop,
    ) -> Solved {
        let (most, goal) = (self.args.iterations, self.goal());
        let begun = Instant::now();
        let mut progress = Progress::patient(most.into(), "iterations", self.options.quiet);
        progress.go_on(solver.iterations().into());
        let mut note = String::new();
        // After resuming from a checkpoint, what it has is checked first.
        let resumed = solver.iterations();
        let near = loop {
            let done = solver.iterations();
            if done >= solver.next_check() || done >= most || done > 0 && done == resumed {
                let (exploitability, expected) = solver.check(goal);
                progress.expect(expected.min(most).max(done).into());
                let share = percent(exploitability / self.root.pot() as f64, 3);
                note = format!("exploitability {exploitability:.4} chips, {share} of the pot");
            }
            progress.show(done.into(), &note);
            let near = solver.best_check().is_some_and(|best| best <= goal);
            if near || done >= most || stop.asked() {
                break near;
            }
            if let Some(checkpoint) =
                checkpoint.as_mut().filter(|checkpoint| done > 0 && checkpoint.due())
                && let Some(line) = checkpoint.write(solver)
            {
                progress.say(&line);
            }
            solver.step();
        };
        progress.finish();
        let interrupted = !near && solver.iterations() < most;
        if let Some(checkpoint) = &mut checkpoint {
            checkpoint.end(solver, interrupted);
        }
        if !interrupted {
            solver.return_to_best();
        }
        let evaluation = solver.evaluate();
        Solved {
            iterations: solver.iterations(),
            reached: evaluation.exploitability() <= goal,
            interrupted,
            seconds: checkpoint
                .map_or(begun.elapsed().as_secs_f64(), |checkpoint| checkpoint.seconds()),
            evaluation,
        }
    }
}

pub(super) fn say(line: &str) {
    use std::io::Write;
    // Nothing can be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}
