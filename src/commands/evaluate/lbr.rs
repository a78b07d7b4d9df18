//! `cardroom evaluate AGENT --by lbr`: local best response.

use evaluation::folder::model_sha256;
use evaluation::lbr::{LbrReport, LbrSettings, MeasureError, Progress as Position, run as measure};
use game::Betting;
use solvers::lbr::Moves;

use super::{Args, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Runs the command: measures the agent and prints the result.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let plan = plan(args)?;
    let folder = args.folder(&plan.name())?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let hands = plan.wanted();
    let mut progress = Progress::new(hands, "hands", args.quiet);
    let mut show = |position: &Position| progress.show(position.hands, &note(position, hands));
    let outcome = measure(&plan, &folder, provenance(), args.threads(), &stop, &mut show);
    progress.finish();
    let outcome = outcome.map_err(failure)?;
    let shown =
        Output::report(&LbrReport::new(&plan, &outcome, &args.kept_in(&folder)), args.json)?;
    if outcome.complete {
        return Ok(shown);
    }
    Ok(shown.then(Err(interrupted(outcome.hands, hands, "hands"))))
}

fn plan(args: &Args) -> Result<LbrSettings, Failure> {
    let def = args.game.load()?;
    let usual = match def.betting {
        Betting::Limit => Moves::FoldCallRaise,
        Betting::NoLimit => Moves::FoldCallPotAllIn,
    };
    let agent = args.named.resolve_with_policy(&args.agent)?;
    let all_hands = match (args.cards, args.sample_below) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(Failure::usage(
                "--sample-below is for valuing all hands: give --cards, too",
            ));
        }
        (Some(_), _) => Some(args.sampled()?),
    };
    Ok(LbrSettings {
        def,
        game_name: args.game.name().to_owned(),
        model_sha256: model_sha256(&agent)?,
        agent,
        moves: args.actions.unwrap_or(usual),
        from: args.street(),
        all_hands,
        hands: args.hands(),
        seed: args.seed,
        shard: args.shard,
    })
}

fn failure(error: MeasureError) -> Failure {
    match error {
        MeasureError::Hands(_) | MeasureError::AllHands => Failure::usage(error),
        error => Failure::input(error),
    }
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
