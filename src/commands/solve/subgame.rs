//! `cardroom solve subgame`: hold'em subgames from a board on, range against range: reading the
//! problem and the spots to show, solving with checkpoints, and the result as text, JSON and a
//! picture.

use std::fmt;
use std::path::PathBuf;

use matches::runner::Stop;
use models::chart;
use serde::Serialize;
use show::number::{percent, whole};
use solvers::subgame::{RequestedSpot, Size, Solver, read_spot};

use super::checkpoint::Checkpoint;
use super::spot_args::{Posed, SpotArgs, misread};
use crate::config::units;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::say_line;
use crate::report;
use crate::resolve_names::Named;
use crate::subgame::{Parameters, SizeReport, SolveResult, SolvedSpot};

/// Solve heads-up no-limit hold'em from a flop, turn or river on, range against range.
///
/// Cards are exact, bets are those of a menu. The first player acts first on every street. The
/// strategy is shown for the start, or with --at for any other point: `--at "x b66 c Kd"`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) spot: SpotArgs,
    /// Write the strategies that are shown to this JSON file
    #[arg(long, value_name = "FILE")]
    strategy: Option<PathBuf>,
    /// Only report the size of the tree and the memory for it
    #[arg(long, conflicts_with_all = ["at", "hands", "svg", "strategy",
        "keep", "no_keep", "checkpoint", "iterations", "until"])]
    dry_run: bool,
    /// Show the spot after these actions and cards, as in "x b66 c Kd": f(old), x (check), c(all),
    /// bN and rN (bet and raise to N chips on the street), a(ll-in), cards as they are dealt. May
    /// be given several times
    #[arg(long, value_name = "WORDS")]
    at: Vec<String>,
    /// List every hand with its strategy and expected value
    #[arg(long)]
    hands: bool,
    /// Draw the chart of the spot into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Keep the checkpoint in this file, even after the solution: the same command continues from
    /// it, also with other --at, more --iterations or a lower --until [default: a file under
    /// data/solves, named after what is solved and removed when that is done; none in the first
    /// seconds]
    #[arg(long, value_name = "FILE")]
    pub(super) keep: Option<PathBuf>,
    /// Write no checkpoint
    #[arg(long, conflicts_with_all = ["keep", "checkpoint"])]
    pub(super) no_keep: bool,
    #[command(flatten)]
    pub(super) named: Named,
    /// Time between checkpoints; at least ten times as long as the last one took
    #[arg(long, value_name = "TIME", default_value = "1min")]
    pub(super) checkpoint: units::Time,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command on a thread pool: solves the subgame and prints the result.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    output::check(args.strategy.as_deref())?;
    output::check(args.svg.as_deref())?;
    args.spot.threads.pool()?.run(|| Task::new(args)?.run())
}

/// A solved subgame that is kept, so that one spot after another can be looked at.
pub(crate) struct SolvedSubgame {
    args: Box<Args>,
    size: Size,
    solver: Solver,
    result: SolveResult,
}

impl SolvedSubgame {
    /// Solves what these arguments describe, until it is asked to stop.
    ///
    /// # Errors
    /// As the command's.
    pub(super) fn solve(args: Box<Args>, stop: &Stop) -> Result<SolvedSubgame, Failure> {
        args.spot
            .threads
            .pool()?
            .run(|| {
                let task = Task::new(&args)?;
                let (mut solver, size) = task.posed.prepare()?;
                let result = task.posed.solve(&mut solver, None, stop);
                Ok((solver, size, result))
            })
            .map(|(solver, size, result)| SolvedSubgame { args, size, solver, result })
    }

    /// The document of the command with these spots; the root without any.
    ///
    /// # Errors
    /// When there is no such spot.
    pub(crate) fn document(&mut self, at: Vec<String>) -> Result<Output, Failure> {
        self.args.at = at;
        let Self { args, size, solver, result } = self;
        let (args, result) = (&*args, result.clone());
        args.spot.threads.pool()?.run(|| {
            let task = Task::new(args)?;
            let spots = task.spots(solver)?;
            Output::report(&task.report(size, Some(Solved { result, spots })), true)
        })
    }
}

/// A subgame to solve, and the options of the command.
pub(super) struct Task<'a> {
    pub(super) args: &'a Args,
    pub(super) posed: Posed<'a>,
}

impl<'a> Task<'a> {
    fn new(args: &'a Args) -> Result<Task<'a>, Failure> {
        if args.svg.is_some() && args.at.len() > 1 {
            return Err(Failure::usage("--svg draws one spot: give --at once, or leave it out"));
        }
        Ok(Task { args, posed: args.spot.pose()? })
    }

    /// The spots to show.
    fn spots(&self, solver: &mut Solver) -> Result<Vec<SolvedSpot>, Failure> {
        let asked = self.asked(solver)?;
        let spot = |asked: &RequestedSpot| {
            let spot = SolvedSpot::new(solver, &asked.state, &asked.path)?;
            spot.ok_or_else(|| Failure::usage("nobody acts there"))
        };
        asked.iter().map(spot).collect()
    }

    fn run(&self) -> Result<(), Failure> {
        let subgame = self.posed.problem.subgame()?;
        let size = subgame.size(&self.posed.problem.options);
        if self.args.dry_run {
            return Output::report(&self.report(&size, None), self.args.json)?.print();
        }
        let stop = interrupt::listen("stopping after this iteration; press Ctrl-C again to abort")?;
        if !self.args.spot.quiet {
            say_line(&self.report(&size, None).size.to_string());
        }
        let solver =
            self.posed.problem.solver(subgame).map_err(|error| self.posed.refused(&error))?;
        // A spot that is not there is found before the work begins.
        self.asked(&solver)?;
        let (mut solver, mut checkpoint) = Checkpoint::open(self, solver)?;
        let result = self.posed.solve(&mut solver, checkpoint.as_mut(), &stop);
        let spots = self.spots(&mut solver)?;
        let (interrupted, iterations) = (result.interrupted, result.iterations);
        self.show(&size, Solved { result, spots })?;
        if !interrupted {
            checkpoint.iter_mut().for_each(Checkpoint::remove);
            return Ok(());
        }
        let rest = match checkpoint.as_ref().and_then(Checkpoint::place) {
            Some(place) => format!(", kept in {place}; resume with"),
            None => "; to begin again".to_owned(),
        };
        Err(Failure::interrupted(format!(
            "stopped after {iterations} iterations{rest}: {}",
            interrupt::command_line()
        )))
    }

    /// The spots to show; the root if none is named.
    fn asked(&self, solver: &Solver) -> Result<Vec<RequestedSpot>, Failure> {
        let root = [String::new()];
        let at = if self.args.at.is_empty() { &root } else { self.args.at.as_slice() };
        at.iter().map(|text| read_spot(solver, text).map_err(misread)).collect()
    }
}

/// A solved subgame: the result and the requested spots.
#[derive(Serialize)]
struct Solved {
    result: SolveResult,
    spots: Vec<SolvedSpot>,
}

/// A subgame with its size and, unless only that is asked for, its solution.
#[derive(Serialize)]
struct SubgameReport {
    #[serde(flatten)]
    parameters: Parameters,
    size: SizeReport,
    #[serde(flatten)]
    solved: Option<Solved>,
    /// Whether the text lists every hand.
    #[serde(skip)]
    each_hand: bool,
}

/// The strategies at the spots, as a file.
#[derive(Serialize)]
struct StrategyFile<'a> {
    schema: &'static str,
    #[serde(flatten)]
    parameters: &'a Parameters,
    spots: &'a [SolvedSpot],
}

impl Report for SubgameReport {
    const SCHEMA: &'static str = "cardroom-solve-subgame/1";
}

impl Task<'_> {
    fn report(&self, size: &Size, solved: Option<Solved>) -> SubgameReport {
        let (parameters, size) = (self.posed.problem.parameters(), size.into());
        SubgameReport { parameters, size, solved, each_hand: self.args.hands }
    }

    /// Prints the result, then writes the files: the result may have taken long, and a path may be
    /// wrong.
    fn show(&self, size: &Size, solved: Solved) -> Result<(), Failure> {
        let report = self.report(size, Some(solved));
        Output::report(&report, self.args.json)?.print()?;
        let SubgameReport { parameters, solved: Some(Solved { result, spots }), .. } = &report
        else {
            return Ok(());
        };
        if let Some(path) = &self.args.strategy {
            let schema = "cardroom-subgame-strategy/1";
            super::write_json(path, &StrategyFile { schema, parameters, spots })?;
        }
        if let (Some(path), [spot]) = (&self.args.svg, spots.as_slice()) {
            let title = title(spot, parameters, result);
            report::write(path, &spot.chart.picture(&title))?;
        }
        Ok(())
    }
}

impl fmt::Display for SubgameReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Solved { result, spots }) = &self.solved else {
            return writeln!(f, "{}", self.size);
        };
        let Parameters { board, pot, algorithm, .. } = &self.parameters;
        let [first, second] = self.size.hands;
        write!(
            f,
            "{board}: pot {pot}, {} behind, {first} x {second} hands, {algorithm}\n\
             {} iterations in {:.2} s: exploitability {:.4} chips, {} of the pot{}\n\n",
            self.parameters.behind(),
            whole(result.iterations.into()),
            result.seconds,
            result.exploitability,
            percent(result.share_of_pot, 3),
            if result.reached { "" } else { ", more than was asked for" }
        )?;
        f.write_str(
            "            gets of the pot     share of it     wins  with a best response\n",
        )?;
        for (number, player) in (1..).zip(&result.players) {
            writeln!(
                f,
                "player {number}  {:>17.3}  {:>12.2} % {:>+8.3}  {:>+20.3}",
                player.gets,
                100.0 * player.gets / *pot as f64,
                player.wins,
                player.with_a_best_response
            )?;
        }
        spots.iter().try_for_each(|spot| write!(f, "\n{}", text(spot, self.each_hand)))
    }
}

/// The title of a spot's picture.
fn title(spot: &SolvedSpot, parameters: &Parameters, result: &SolveResult) -> chart::Title {
    let after = if spot.path.is_empty() { String::new() } else { format!(" after {}", spot.path) };
    chart::Title {
        head: format!("Player {} on {}{after}", spot.player, spot.board),
        about: format!(
            "Pot {}, {} behind at the beginning; exploitability {} of the pot",
            spot.pot,
            parameters.behind(),
            percent(result.share_of_pot, 3)
        ),
    }
}

/// The spot's place, its actions and the chart, and each hand if requested.
fn text(spot: &SolvedSpot, each_hand: bool) -> String {
    let place = if spot.path.is_empty() {
        "At the beginning".to_owned()
    } else {
        format!("After {}", spot.path)
    };
    let owed = if spot.to_call > 0 { format!(", {} to call", spot.to_call) } else { String::new() };
    let [first, second] = spot.gets;
    let colours = output::colours();
    let mut text = format!(
        "{place} on {}: player {} acts, pot {}{owed}\n\
             from here on player 1 gets {first:.2} and player 2 {second:.2} chips of the pot\n\n",
        spot.board, spot.player, spot.pot,
    );
    text += &spot.chart.actions_text(colours);
    text += &format!("\n{}", spot.chart.text(colours));
    if each_hand {
        text += &format!("\n{}", spot.chart.hands_text());
    }
    text
}
