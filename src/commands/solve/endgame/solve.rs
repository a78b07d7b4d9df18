//! `cardroom solve endgame solve`: the equilibrium of one endgame, as text, JSON and a picture.

use std::path::PathBuf;

use readable::endgame::{EndgameReport, parse_strategy, picture};

use super::Weights;
use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::report;

/// Solve an endgame exactly: the strategies, the value, and each size with its value bets and
/// bluffs.
///
/// Shows the central equilibrium: it bluffs with every card that may bluff, and does not depend on
/// the algorithm.
///
/// Examples:
///   cardroom solve endgame solve
///   cardroom solve endgame solve --first 1:0.5,10:0.5 --second 5 --svg polarised.svg
///   cardroom solve endgame solve --strategy "1: bet 1 50 %, check 50 %; 2-9: check; 10: bet 1"
///   cardroom solve endgame solve --cards 20 --stack 2 --sizes 0.5,1,2 --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    weights: Weights,
    /// Also price this strategy of the first player: every card with what it does, as in
    /// `1: check 25 %, bet 3 75 %; 2-9: check; 10: bet 3`
    #[arg(long, value_name = "STRATEGY")]
    strategy: Option<String>,
    /// Draw both distributions and the strategy into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: solves the endgame, and draws it if asked to.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let game = args.weights.game()?;
    let given = args.strategy.as_ref().map(|text| {
        parse_strategy(text, game.cards(), game.bets())
            .map_err(|error| Failure::input(anyhow::anyhow!("--strategy: {error}")))
    });
    let given = given.transpose()?;
    let solution = game.solve();
    if let Some(path) = &args.svg {
        report::write(path, &picture(&game, &solution))?;
    }
    let report = EndgameReport::new(&game, &solution);
    let report = match given {
        Some(strategy) => report.with_price_of(&strategy),
        None => report,
    };
    Output::report(&report, args.json)
}

impl Report for EndgameReport<'_> {
    const SCHEMA: &'static str = "cardroom-endgame/1";
}
