//! `cardroom evaluate AGENT --by duel --against OTHER`: two strategies compared by their values at
//! sampled spots.

use std::sync::Arc;

use agents::AgentChoice;
use evaluation::duel::{Duel, DuelReport, DuelSettings, run as measure};
use evaluation::folder::model_sha256;
use show::number::whole;
use solvers::holdem::is_holdem;

use super::{Args, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    if args.hands() < 2 {
        return Err(Failure::usage("--hands must be at least 2: an interval needs two"));
    }
    let sampled = args.sampled()?;
    let def = args.game.load()?;
    if !is_holdem(&def) {
        return Err(Failure::input(anyhow::anyhow!(
            "{} is not two-player hold'em with all cards, which a duel is for",
            args.game.name()
        )));
    }
    let against = args.against.as_deref().unwrap_or_default();
    let agents =
        [args.named.resolve_with_policy(&args.agent)?, args.named.resolve_with_policy(against)?];
    let policy = |agent: &AgentChoice| -> Result<_, Failure> {
        agent.prepare(&def, args.hands());
        Ok(agent.policy(&def)?.expect("it has one"))
    };
    let (one, other) = (policy(&agents[0])?, policy(&agents[1])?);
    let plan = DuelSettings {
        model_sha256: [model_sha256(&agents[0])?, model_sha256(&agents[1])?],
        agents,
        game_name: args.game.name().to_owned(),
        shard: args.shard,
        duel: Duel {
            def,
            policies: [one, Arc::clone(&other)],
            before: other,
            street: args.street(),
            sampled,
            hands: args.hands(),
            seed: args.seed,
        },
    };
    let folder = args.folder(&plan.name())?;
    let stop = interrupt::listen("stopping after the current hands; the values so far are shown")?;
    let hands = plan.hands();
    let mut progress = Progress::new(hands, "hands", args.quiet);
    let mut seen = |hands| progress.show(hands, "");
    let valued = measure(&plan, &folder, provenance(), args.threads(), &stop, &mut seen);
    progress.finish();
    let valued = valued?;
    let report = DuelReport::new(&plan, &valued, args.kept_in(&folder));
    let shown = Output::report(&report, args.json)?;
    if valued.hands < hands {
        return Ok(shown.then(Err(interrupted(whole(valued.hands), whole(hands), "hands"))));
    }
    Ok(shown)
}

impl Report for DuelReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-duel/1";
}
