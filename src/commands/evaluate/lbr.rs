//! `cardroom evaluate lbr AGENT`: local best response.

use evaluation::folder::model_sha256;
use evaluation::lbr::{LbrReport, LbrSettings, Progress as Position, run as measure};
use solvers::lbr::Moves;

use super::{Common, FromStreet, Planned, Sampling, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Compute local best response, which knows the agent's strategy and looks one action ahead.
///
/// A lower bound on what can be won from the agent, for two-player hold'em (Lisý and Bowling 2017).
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    /// Actions of local best response: fc (fold, call), fcr (also raise, limit games), fcpa (also
    /// bet the pot or all-in), 56 (also 56 bets from 1/20 of the pot to all-in) [default: fcpa, fcr
    /// in limit games]
    #[arg(long, value_name = "MOVES")]
    actions: Option<Moves>,
    /// The first street on which local best response uses --actions (it checks and calls before)
    #[arg(long, value_enum, default_value = "turn")]
    from: FromStreet,
    #[command(flatten)]
    sampling: Sampling,
    /// Hands to play, two per deal
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    hands: u64,
}

/// Runs the command: measures the agent and prints the result.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let plan = plan(args)?;
    let folder = args.common.folder(&plan.name())?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let hands = plan.wanted();
    let mut progress = Progress::new(hands, "hands", args.common.quiet);
    let mut show = |position: &Position| progress.show(position.hands, &note(position, hands));
    let outcome =
        measure(&plan, &folder, provenance(), args.common.threads.count(), &stop, &mut show);
    progress.finish();
    let outcome = outcome.map_err(failure)?;
    let shown = Output::report(
        &LbrReport::new(&plan, &outcome, &args.common.kept_in(&folder)),
        args.common.json,
    )?;
    if outcome.complete {
        return Ok(shown);
    }
    Ok(shown.then(Err(interrupted(outcome.hands, hands, "hands"))))
}

/// What will be measured.
pub(super) fn planned(args: &Args) -> Result<Planned, Failure> {
    let plan = plan(args)?;
    args.common.planned(&plan.name(), plan.wanted())
}

fn plan(args: &Args) -> Result<LbrSettings, Failure> {
    let def = args.common.game.load()?;
    let agent = args.common.asked(&args.common.agent)?;
    let all_hands = match (args.sampling.cards, args.sampling.sample_below) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(Failure::usage(
                "--sample-below is for valuing all hands: give --cards, too",
            ));
        }
        (Some(_), _) => Some(args.sampling.sampled()?),
    };
    Ok(LbrSettings {
        moves: args.actions.unwrap_or_else(|| Moves::usual(def.betting)),
        def,
        game_name: args.common.game.name().to_owned(),
        model_sha256: model_sha256(&agent)?,
        agent,
        from: args.from.street(),
        all_hands,
        hands: args.hands,
        seed: args.common.seed,
        shard: args.common.shard,
    })
}

fn failure(error: evaluation::Error) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::input(error) }
}

/// The rate so far and the half-width expected at the end, for the progress display.
fn note(position: &Position, hands: u64) -> String {
    position.rate.map_or_else(String::new, |rate| {
        format!(
            "{:+.0} ± {:.0} mbb/hand, ± {:.0} expected at the end",
            rate.mbb,
            rate.half_width(),
            rate.expected_half_width(hands)
        )
    })
}

impl Report for LbrReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-lbr/1";
}
