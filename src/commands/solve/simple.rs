//! `cardroom solve simple`: what strategies of a river that are easy to play give away.

use std::path::PathBuf;

use matches::runner::Stop;
use readable::simplicity::{Plan, Simplicity};
use solvers::Player;
use solvers::showdown::{Equilibria, River};

use super::spot_args::SpotArgs;
use crate::exit::Failure;
use crate::interrupt::Aborting;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;

/// Find the price of simplicity on a river: what easy strategies give away, against how much there
/// is to remember.
///
/// For one player: the best strategies that are found without mixing, with mixing in quarters, with
/// one size of bets, and in a few questions about the hand. Each has its exact price: to a best
/// response, and to the equilibrium. docs/solve.md has an example.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    spot: SpotArgs,
    /// The player whose strategy is simplified, 1 or 2
    #[arg(long, value_name = "1|2", default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=2))]
    player: u8,
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
    let player = Player::BOTH[usize::from(args.player - 1)];
    let found = args.spot.threads.pool()?.run(|| {
        let posed = args.spot.pose()?;
        let (mut solver, _) = posed.prepare()?;
        let river = River::new(solver.subgame())?;
        posed.solve(&mut solver, None, &Stop::default());
        let averages = river.averages(&solver)?;
        let equilibria = Equilibria::solve(&river.game, averages.each_ref())?;
        let plan = Plan { leaves: args.leaves.into(), ..Plan::default() };
        let mut progress: Option<Progress> = None;
        let found = Simplicity::find(&river, &equilibria, player, &plan, &mut |done, all| {
            let progress = progress.get_or_insert_with(|| {
                Progress::patient(all as u64, "strategies", args.spot.quiet)
            });
            progress.show(done as u64, "");
            true
        })?;
        progress.iter_mut().for_each(|progress| progress.finish());
        Ok::<_, Failure>(found)
    })?;
    if let Some(path) = &args.svg {
        report::write(path, &found.chart().file())?;
    }
    Output::report(&found, args.json)
}
