//! `cardroom solve river`: what the equilibria of a river have in common, and what the other player
//! must do for a hand's action to be right.

use std::fmt;

use cards::Range;
use matches::runner::Stop;
use serde::Serialize;
use solvers::showdown::{Equilibria, River};
use solvers::subgame::{Spot, read_spot};

use super::spot_args::{SpotArgs, misread};
use crate::exit::Failure;
use crate::interrupt::Aborting;
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::river::{DecisionView, EquilibriaView, Question};
use crate::subgame::Parameters;

/// Show which frequencies of a solved river are real: how often over all equilibria.
///
/// Equilibria are not unique, and a solver shows one. For the range and for chosen hands this shows
/// the least and the most that any equilibrium has of each action, and what the other player must
/// do for the action to be right. docs/solve.md has an example.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    spot: SpotArgs,
    /// The decision after these actions, as in "x b66": f(old), x (check), c(all), bN and rN (bet
    /// and raise to N chips on the street), a(ll-in)
    #[arg(long, value_name = "WORDS", default_value = "")]
    at: String,
    /// The hands to show, as a range: AhKd, AJo, random for all
    #[arg(long, value_name = "RANGE")]
    hands: Option<Range>,
    #[arg(from_global)]
    json: bool,
}

/// A river over all equilibria.
#[derive(Serialize)]
struct RiverReport {
    #[serde(flatten)]
    parameters: Parameters,
    equilibria: EquilibriaView,
    decision: DecisionView,
}

impl Report for RiverReport {
    const SCHEMA: &'static str = "cardroom-river/1";
}

impl fmt::Display for RiverReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parameters { board, pot, .. } = &self.parameters;
        let behind = self.parameters.behind();
        write!(f, "{board}: pot {pot}, {behind} behind\n{}\n{}", self.equilibria, self.decision)
    }
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let _aborting = Aborting::begin()?;
    args.spot.threads.pool()?.run(|| {
        let posed = args.spot.pose()?;
        let (mut solver, _) = posed.prepare()?;
        let river = River::new(solver.subgame())?;
        let asked = read_spot(&solver, &args.at).map_err(misread)?;
        let found = Spot::at_state(&solver, &asked.state)?;
        let Some((player, decision)) = river.decision(&found) else {
            return Err(Failure::usage("nobody acts there"));
        };
        posed.solve(&mut solver, None, &Stop::default());
        let averages = river.averages(&solver)?;
        let equilibria = Equilibria::solve(&river.game, averages.each_ref())?;
        let none = Range::empty();
        let hands = args.hands.as_ref().unwrap_or(&none);
        let question = Question { player, decision, hands, range: true, ends: true };
        let mut progress: Option<Progress> = None;
        let mut decision = DecisionView::new(&river, &equilibria, &question, &mut |done, all| {
            let progress = progress
                .get_or_insert_with(|| Progress::patient(all as u64, "hands", args.spot.quiet));
            progress.show(done as u64, "");
            true
        })?;
        progress.iter_mut().for_each(|progress| progress.finish());
        decision.add_needs(&mut solver, &asked.state)?;
        let report = RiverReport {
            parameters: posed.problem.parameters(),
            equilibria: EquilibriaView::new(&river, &equilibria),
            decision,
        };
        Output::report(&report, args.json)
    })
}
