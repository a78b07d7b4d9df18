//! `cardroom solve simple`: what strategies that are easy to play give away, on a river or at one
//! decision.

use std::path::PathBuf;

use cards::Combo;
use game::PublicState;
use matches::runner::Stop;
use readable::simple_decision::{Adapt, menu_words};
use readable::simplicity::{Plan, Simplicity};
use solvers::Player;
use solvers::showdown::{Equilibria, River};
use solvers::subgame::{RequestedSpot, Solver, Spot, read_spot};

use super::spot_args::{SpotArgs, misread};
use crate::exit::Failure;
use crate::interrupt::Aborting;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;

/// Find the price of simplicity: what easy strategies give away, against how much there is to
/// remember.
///
/// On a river, for one player: the best strategies that are found without mixing, with mixing in
/// quarters, with one size of bets, and in a few questions about the hand. On a flop or a turn, and
/// on a river with --at, the same for one decision, everything else being played as solved. Each
/// has its exact price: to a best response, and to the solution. docs/solve.md has examples.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    spot: SpotArgs,
    /// The player whose strategy is simplified, 1 or 2 [default: the one who acts at --at, and on a
    /// river without it 1]
    #[arg(long, value_name = "1|2", value_parser = clap::value_parser!(u8).range(1..=2))]
    player: Option<u8>,
    /// The decision: what leads there from the beginning, as in "x b66" or "x b66 c Kd" (`f` fold,
    /// `x` check, `c` call, `b66` bet 66, `r198` raise to 198, `Kd` the next card); on flops and
    /// turns the first decision unless given
    #[arg(long, value_name = "WORDS")]
    at: Option<String>,
    /// Also solve the spot again around each strategy of a decision that none is simpler and
    /// cheaper than: what it gives away when all other decisions are adapted to it
    #[arg(long)]
    adapt: bool,
    /// The most leaves of a tree of questions
    #[arg(long, value_name = "N", default_value_t = 6,
        value_parser = clap::value_parser!(u8).range(1..=32))]
    leaves: u8,
    /// Draw the curve into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
}

impl Report for Simplicity {
    const SCHEMA: &'static str = "cardroom-simplicity/1";
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let _aborting = Aborting::begin()?;
    let found = args.spot.threads.pool()?.run(|| {
        let posed = args.spot.pose()?;
        let (mut solver, _) = posed.prepare()?;
        let whole = args.at.is_none() && posed.problem.root.board().len() == 5;
        let river = if whole { Some(River::new(solver.subgame())?) } else { None };
        if whole && args.adapt {
            return Err(Failure::usage(
                "--adapt is for one decision: name it with --at, or leave --adapt out",
            ));
        }
        // Nothing is solved for a decision that is not there.
        let decision = if whole { None } else { Some(args.decision(&solver)?) };
        posed.solve(&mut solver, None, &Stop::default());
        let mut progress: Option<Progress> = None;
        let mut shown = |done: usize, all: usize| {
            let progress = progress.get_or_insert_with(|| {
                Progress::patient(all as u64, "strategies", args.spot.quiet)
            });
            progress.show(done as u64, "");
            true
        };
        let leaves = args.leaves.into();
        let found = match (river, decision) {
            (Some(river), _) => {
                let player = Player::BOTH[usize::from(args.player.unwrap_or(1) - 1)];
                let averages = river.averages(&solver)?;
                let equilibria = Equilibria::solve(&river.game, averages.each_ref())?;
                let plan = Plan { leaves, ..Plan::default() };
                Simplicity::find(&river, &equilibria, player, &plan, &mut shown)?
            }
            (None, Some(at)) => {
                let mut solve = |state: &PublicState, strategy: &dyn Fn(Combo) -> Vec<f64>| {
                    let mut other = posed.problem.solver(posed.problem.subgame()?)?;
                    other.set_strategy(state, strategy)?;
                    other.lock(state, &|_| true)?;
                    posed.solve(&mut other, None, &Stop::default());
                    Ok(other.evaluate())
                };
                let adapt: Option<Adapt<'_>> = if args.adapt { Some(&mut solve) } else { None };
                Simplicity::of_decision(&mut solver, &at, &menu_words, leaves, adapt, &mut shown)?
            }
            (None, None) => unreachable!("a river or a decision"),
        };
        progress.iter_mut().for_each(|progress| progress.finish());
        Ok::<_, Failure>(found)
    })?;
    if let Some(path) = &args.svg {
        report::write(path, &found.chart().file())?;
    }
    Output::report(&found, args.json)
}

impl Args {
    /// The decision that is made simpler.
    fn decision(&self, solver: &Solver) -> Result<RequestedSpot, Failure> {
        let at = read_spot(solver, self.at.as_deref().unwrap_or_default()).map_err(misread)?;
        let spot = Spot::at_state(solver, &at.state).map_err(Failure::input)?;
        let acts = spot.player().map_or(0, |player| player.index() as u8 + 1);
        if let Some(player) = self.player.filter(|&player| player != acts) {
            return Err(Failure::usage(format!(
                "--player {player}: player {acts} acts there; name a decision of player {player} \
                 with --at, as in --at x"
            )));
        }
        // A strategy that cannot be changed is refused before anything is solved.
        solver.equivalent_hands(&at.state)?;
        Ok(at)
    }
}
