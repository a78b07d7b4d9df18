//! `cardroom solve subgame`: hold'em subgames from a board on, range against range: reading the
//! problem and the spots to show, solving, and the result as text, JSON and a picture.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use abstraction::menu::BetMenu;
use cards::{Board, Range};
use game::{Chips, PublicState, Turn};
use indicatif::HumanBytes;
use matches::runner::Stop;
use models::chart::{self, Chart, Hand};
use serde::Serialize;
use show::number::{percent, whole};
use solvers::subgame::{
    Evaluation, HandValue, Options as SolverOptions, Precision, RequestedSpot, Size, Solver, Spot,
    Subgame, after, read_spot, start,
};
use solvers::{Player, Variant};

use super::Goal;
use super::checkpoint::Checkpoint;
use crate::arguments::Threads;
use crate::config::units;
use crate::exit::Failure;
use crate::hand_args::parse_board;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::{Progress, say_line};
use crate::report;
use crate::resolve_names::{Named, bet_menu};

/// Solve heads-up no-limit hold'em from a flop, turn or river on, range against range.
///
/// Cards are exact, bets are those of a menu. The first player acts first on every street. The
/// strategy is shown for the start, or with --at for any other point: `--at "x b66 c Kd"`.
#[derive(clap::Args)]
pub(super) struct Args {
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
    /// Write the strategies that are shown to this JSON file
    #[arg(long, value_name = "FILE")]
    strategy: Option<PathBuf>,
    /// Actions on this street before the subgame starts, on the menu or not, as in "x b66" (words
    /// as in --at); the pot and the stacks are those before these actions, the ranges those after
    #[arg(long, value_name = "WORDS")]
    after: Option<String>,
    /// The bets: a shipped menu (fc, fcpa, ladder, limit, overbet, reraise, small, standard), a
    /// file, or menu lines separated by `;`, as in "every 1: 50% allin; every 2+: allin"
    #[arg(long, value_name = "NAME|FILE|TEXT", default_value = "standard")]
    menu: String,
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
    threads: Threads,
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
    #[arg(from_global)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Bits {
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
}

/// Runs the command on a thread pool: solves the subgame and prints the result.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    output::check(args.strategy.as_deref())?;
    output::check(args.svg.as_deref())?;
    args.threads.pool()?.run(|| Problem::new(args)?.run())
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
        args.threads
            .pool()?
            .run(|| {
                let problem = Problem::new(&args)?;
                let (mut solver, size) = problem.prepare()?;
                let result = problem.solve(&mut solver, None, stop);
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
        args.threads.pool()?.run(|| {
            let problem = Problem::new(args)?;
            let spots = problem.spots(solver)?;
            Output::report(&problem.report(size, Some(Solved { result, spots })), true)
        })
    }
}

/// A subgame to solve, and its options.
pub(super) struct Problem<'a> {
    pub(super) options: &'a Args,
    pub(super) root: PublicState,
    ranges: [Range; 2],
    menu: BetMenu,
    variant: Variant,
}

impl<'a> Problem<'a> {
    fn new(options: &'a Args) -> Result<Problem<'a>, Failure> {
        let variant = options.algorithm.as_deref().map_or(Ok(Variant::SUBGAMES), str::parse);
        let variant = variant.map_err(|error| Failure::usage(format!("--algorithm: {error}")))?;
        if options.svg.is_some() && options.at.len() > 1 {
            return Err(Failure::usage("--svg draws one spot: give --at once, or leave it out"));
        }
        let board: Board =
            parse_board(Some(&options.board))?.text.parse().map_err(Failure::usage)?;
        let first = options.stack.first().copied().unwrap_or_default();
        let stacks = [first, options.stack.get(1).copied().unwrap_or(first)];
        let root = start(&board, options.pot, stacks, options.smallest_bet)?;
        let root = match &options.after {
            Some(words) => after(root, words).map_err(misread)?,
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
        Ok(Problem { options, root, ranges, menu, variant })
    }

    fn subgame(&self) -> Result<Subgame, Failure> {
        let actions = |state: &PublicState| self.menu.actions(state).to_vec();
        Ok(Subgame::new(&self.root, self.ranges.each_ref(), &actions)?)
    }

    fn solver(&self, subgame: Subgame) -> Result<Solver, Failure> {
        Solver::new(subgame, self.solver_options()).map_err(|error| self.refused(&error))
    }

    /// A solver that has not begun, and the size of the problem.
    fn prepare(&self) -> Result<(Solver, Size), Failure> {
        let subgame = self.subgame()?;
        let size = subgame.size(&self.solver_options());
        Ok((self.solver(subgame)?, size))
    }

    /// The spots to show.
    fn spots(&self, solver: &mut Solver) -> Result<Vec<SolvedSpot>, Failure> {
        let asked = self.asked(solver)?;
        asked.iter().map(|asked| SolvedSpot::new(solver, asked)).collect()
    }

    fn run(&self) -> Result<(), Failure> {
        let subgame = self.subgame()?;
        let size = subgame.size(&self.solver_options());
        if self.options.dry_run {
            return Output::report(&self.report(&size, None), self.options.json)?.print();
        }
        let stop = interrupt::listen("stopping after this iteration; press Ctrl-C again to abort")?;
        if !self.options.quiet {
            say_line(&self.report(&size, None).size.to_string());
        }
        let solver = self.solver(subgame)?;
        // A spot that is not there is found before the work begins.
        self.asked(&solver)?;
        let (mut solver, mut checkpoint) = Checkpoint::open(self, solver)?;
        let result = self.solve(&mut solver, checkpoint.as_mut(), &stop);
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

    /// The parameters of the problem that the solver does not know, in words.
    pub(super) fn words(&self) -> Vec<(&'static str, String)> {
        let menu = self.menu.to_string().trim_end().replace('\n', "; ");
        vec![("smallest bet", self.options.smallest_bet.to_string()), ("menu", menu)]
    }

    fn solver_options(&self) -> SolverOptions {
        SolverOptions {
            variant: self.variant,
            horizon: self.options.iterations,
            precision: self.options.precision.precision(),
            memory: self.options.memory.0,
        }
    }

    /// The solver's refusal in terms of the command line.
    fn refused(&self, error: &solvers::Error) -> Failure {
        match error.memory() {
            Some((needed, cells)) => Failure::input(anyhow::anyhow!(
                "solving takes {} for {} pairs of hand and action, and --memory allows {}: offer \
                 fewer sizes with --menu, start on a later street, use --precision half, or raise \
                 --memory",
                HumanBytes(needed),
                whole(cells),
                self.options.memory
            )),
            None if error.is_algorithm() => Failure::usage(format!("--algorithm: {error}")),
            None => Failure::input(error.clone()),
        }
    }

    /// The spots to show; the root if none is named.
    fn asked(&self, solver: &Solver) -> Result<Vec<RequestedSpot>, Failure> {
        let root = [String::new()];
        let at = if self.options.at.is_empty() { &root } else { self.options.at.as_slice() };
        at.iter().map(|text| read_spot(solver, text).map_err(misread)).collect()
    }

    /// The exploitability to reach, in chips.
    fn goal(&self) -> f64 {
        match self.options.until.unwrap_or(Goal::ShareOfPot(0.005)) {
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
    ) -> SolveResult {
        let (most, goal) = (self.options.iterations, self.goal());
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
        let Evaluation { values, best, committed, .. } = evaluation;
        let pot = evaluation.pot();
        let players = [0, 1].map(|player: usize| {
            let gets = values[player] + committed[player];
            PlayerResult {
                gets,
                share_of_pot: gets / pot,
                wins: values[player],
                with_a_best_response: best[player],
            }
        });
        SolveResult {
            iterations: solver.iterations(),
            seconds: checkpoint
                .map_or(begun.elapsed().as_secs_f64(), |checkpoint| checkpoint.seconds()),
            exploitability: evaluation.exploitability(),
            share_of_pot: evaluation.share_of_pot(),
            until: goal,
            reached: evaluation.exploitability() <= goal,
            interrupted,
            players,
        }
    }
}

/// The state that a solve ended in.
#[derive(Clone, Serialize)]
struct SolveResult {
    iterations: u32,
    seconds: f64,
    exploitability: f64,
    share_of_pot: f64,
    /// The requested exploitability.
    until: f64,
    /// Whether the requested exploitability was reached.
    reached: bool,
    interrupted: bool,
    players: [PlayerResult; 2],
}

/// The result of a player, in chips.
#[derive(Clone, Serialize)]
struct PlayerResult {
    /// The chips of the pot that the player gets.
    gets: f64,
    share_of_pot: f64,
    /// What the player wins from here on.
    wins: f64,
    with_a_best_response: f64,
}

/// A solved subgame: the result and the requested spots.
#[derive(Serialize)]
struct Solved {
    result: SolveResult,
    spots: Vec<SolvedSpot>,
}

/// The parameters of a subgame.
#[derive(Serialize)]
struct Parameters {
    board: String,
    pot: u64,
    stacks: [Chips; 2],
    smallest_bet: Chips,
    ranges: [String; 2],
    menu: String,
    algorithm: String,
    precision: Bits,
}

/// The size of a subgame.
#[derive(Serialize)]
struct SizeReport {
    nodes: usize,
    hands: [usize; 2],
    cells: u64,
    bytes: u64,
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

impl Problem<'_> {
    fn report(&self, size: &Size, solved: Option<Solved>) -> SubgameReport {
        let (stacks, committed) = (&self.root.def().stacks, self.root.committed().as_slice());
        let parameters = Parameters {
            board: self.root.board().to_string(),
            pot: self.root.pot(),
            stacks: [0, 1].map(|seat: usize| stacks[seat] - committed[seat]),
            smallest_bet: self.options.smallest_bet,
            ranges: self.ranges.each_ref().map(Range::to_string),
            menu: self.menu.to_string(),
            algorithm: self.variant.to_string(),
            precision: self.options.precision,
        };
        let &Size { nodes, hands, cells, bytes, .. } = size;
        let size = SizeReport { nodes, hands, cells, bytes };
        SubgameReport { parameters, size, solved, each_hand: self.options.hands }
    }

    /// Prints the result, then writes the files: the result may have taken long, and a path may be
    /// wrong.
    fn show(&self, size: &Size, solved: Solved) -> Result<(), Failure> {
        let report = self.report(size, Some(solved));
        Output::report(&report, self.options.json)?.print()?;
        let SubgameReport { parameters, solved: Some(Solved { result, spots }), .. } = &report
        else {
            return Ok(());
        };
        if let Some(path) = &self.options.strategy {
            let schema = "cardroom-subgame-strategy/1";
            super::write_json(path, &StrategyFile { schema, parameters, spots })?;
        }
        if let (Some(path), [spot]) = (&self.options.svg, spots.as_slice()) {
            let title = spot.title(parameters, result);
            report::write(path, &spot.chart.picture(&title))?;
        }
        Ok(())
    }
}

impl Parameters {
    /// The chips behind, in words.
    fn behind(&self) -> String {
        let [first, second] = self.stacks;
        if first == second { first.to_string() } else { format!("{first} and {second}") }
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
        spots.iter().try_for_each(|spot| write!(f, "\n{}", spot.text(self.each_hand)))
    }
}

impl fmt::Display for SizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} nodes of betting, {} x {} hands, {} pairs of hand and action over all boards: {}",
            whole(self.nodes as u64),
            self.hands[0],
            self.hands[1],
            whole(self.cells),
            HumanBytes(self.bytes)
        )
    }
}

/// A solved spot where a player acts: the strategy and the values of the hands.
#[derive(Serialize)]
struct SolvedSpot {
    /// The path from the root; empty for the root.
    #[serde(rename = "at")]
    path: String,
    board: String,
    pot: u64,
    to_call: Chips,
    /// 1 or 2.
    player: usize,
    /// The strategy of the hands with which the player reaches the spot, in the order of the chart.
    #[serde(flatten)]
    chart: Chart,
    /// The chips of the pot that each player gets from here on, less those that it puts in from
    /// here on.
    gets: [f64; 2],
}

impl SolvedSpot {
    fn new(solver: &mut Solver, asked: &RequestedSpot) -> Result<SolvedSpot, Failure> {
        let values = solver.values_at(&asked.state)?;
        let spot = Spot::at_state(solver, &asked.state)?;
        let player = spot.player().ok_or_else(|| Failure::usage("nobody acts there"))?;
        let state = spot.state();
        let committed = state.committed().as_slice();
        let sunk = [0, 1].map(|seat: usize| f64::from(committed[seat]));
        let mut hands: Vec<Hand> = spot
            .strategies()
            .into_iter()
            .map(|(combo, strategy)| {
                let value = values[player.index()].iter().find(|value| value.combo == combo);
                let gets = value.filter(|value| value.unblocked_weight > 0.0);
                Hand {
                    combo,
                    weight: spot.range(player).weight(combo),
                    strategy,
                    gets: gets.map(|value| value.value + sunk[player.index()]),
                }
            })
            .filter(|hand| hand.weight > 0.0)
            .collect();
        hands.sort_by_key(|hand| (hand.combo.starting_hand(), std::cmp::Reverse(hand.combo)));
        let means = Player::BOTH.map(|player| mean(&spot, player, &values[player.index()]));
        Ok(SolvedSpot {
            path: asked.path.clone(),
            board: state.board().to_string(),
            pot: state.pot(),
            to_call: cost_of_call(state),
            player: player.index() + 1,
            chart: Chart::new(state, spot.actions(), hands),
            gets: [0, 1].map(|p: usize| means[p] + sunk[p]),
        })
    }

    fn title(&self, parameters: &Parameters, result: &SolveResult) -> chart::Title {
        let after =
            if self.path.is_empty() { String::new() } else { format!(" after {}", self.path) };
        chart::Title {
            head: format!("Player {} on {}{after}", self.player, self.board),
            about: format!(
                "Pot {}, {} behind at the beginning; exploitability {} of the pot",
                self.pot,
                parameters.behind(),
                percent(result.share_of_pot, 3)
            ),
        }
    }

    /// The spot's place, its actions and the chart, and each hand if requested.
    fn text(&self, each_hand: bool) -> String {
        let place = if self.path.is_empty() {
            "At the beginning".to_owned()
        } else {
            format!("After {}", self.path)
        };
        let owed =
            if self.to_call > 0 { format!(", {} to call", self.to_call) } else { String::new() };
        let [first, second] = self.gets;
        let colours = output::colours();
        let mut text = format!(
            "{place} on {}: player {} acts, pot {}{owed}\n\
             from here on player 1 gets {first:.2} and player 2 {second:.2} chips of the pot\n\n",
            self.board, self.player, self.pot,
        );
        text += &self.chart.actions_text(colours);
        text += &format!("\n{}", self.chart.text(colours));
        if each_hand {
            text += &format!("\n{}", self.chart.hands_text());
        }
        text
    }
}

/// The mean value of a player's hands at a spot, over all pairs of hands that can be held there.
fn mean(spot: &Spot<'_>, player: Player, values: &[HandValue]) -> f64 {
    let weight =
        |value: &HandValue| spot.range(player).weight(value.combo) * value.unblocked_weight;
    let (sum, all) = values.iter().fold((0.0, 0.0), |(sum, all), value| {
        (sum + weight(value) * value.value, all + weight(value))
    });
    if all > 0.0 { sum / all } else { 0.0 }
}

/// The cost of a call; less than the bet if the stack is smaller.
fn cost_of_call(state: &PublicState) -> Chips {
    let Turn::Act(seat) = state.turn() else { return 0 };
    (state.highest() - state.committed()[seat]).min(state.stack(seat))
}

fn misread(error: solvers::Error) -> Failure {
    if error.is_word() { Failure::usage(error) } else { Failure::input(error) }
}
