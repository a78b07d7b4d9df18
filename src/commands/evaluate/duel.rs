//! `cardroom evaluate duel AGENT --against OTHER`: two strategies compared by their values at
//! sampled spots.

use std::sync::Arc;

use evaluation::duel::{Duel, DuelReport, DuelSettings, Opponent, Other, run as measure};
use evaluation::folder::model_sha256;
use show::number::whole;
use solvers::holdem::is_holdem;

use super::{Common, FromStreet, Planned, Sampling, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Value both strategies over all hands and cards, at spots that the opponent reaches by playing
/// itself.
///
/// For two-player hold'em; the agents are asked for their strategies. With --compared-with, two
/// agents that play the streets before alike are valued against the opponent, where one of them
/// and the opponent get to.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    /// The opponent
    #[arg(long, value_name = "AGENT")]
    pub(super) against: String,
    /// Value what the agent wins from the opponent beyond what this agent wins
    #[arg(long, value_name = "AGENT")]
    pub(super) compared_with: Option<String>,
    /// The street on which the strategies are valued (before the flop that takes hours)
    #[arg(long, value_enum, default_value = "turn")]
    from: FromStreet,
    #[command(flatten)]
    sampling: Sampling,
    /// Hands of the opponent against itself
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    hands: u64,
}

/// What will be measured.
pub(super) fn planned(args: &Args) -> Result<Planned, Failure> {
    let plan = plan(args)?;
    args.common.planned(&plan.name(), plan.hands())
}

fn plan(args: &Args) -> Result<DuelSettings, Failure> {
    if args.hands < 2 {
        return Err(Failure::usage("--hands must be at least 2: an interval needs two"));
    }
    let sampled = args.sampling.sampled()?;
    let def = args.common.game.load()?;
    if !is_holdem(&def) {
        return Err(Failure::input(anyhow::anyhow!(
            "{} is not two-player hold'em with all cards, which a duel is for",
            args.common.game.name()
        )));
    }
    let asked = |name: &str| -> Result<_, Failure> {
        let agent = args.common.asked(name)?;
        agent.prepare(&def, args.hands);
        let policy = agent.policy(&def)?.expect("it has one");
        Ok((agent, policy))
    };
    let (agent, one) = asked(&args.common.agent)?;
    let (against, other) = asked(&args.against)?;
    let compared_with = args.compared_with.as_deref().map(asked).transpose()?;
    let (second, opponent) = match &compared_with {
        None => (other, None),
        Some((_, policy)) => (Arc::clone(policy), Some(Opponent::Strategy(other))),
    };
    Ok(DuelSettings {
        model_sha256: model_sha256(&agent)?,
        agent,
        against: Other::new(&against)?,
        compared_with: compared_with.map(|(agent, _)| Other::new(&agent)).transpose()?,
        game_name: args.common.game.name().to_owned(),
        shard: args.common.shard,
        duel: Duel {
            def,
            before: Arc::clone(&second),
            policies: [one, second],
            opponent,
            street: args.from.street(),
            sampled,
            hands: args.hands,
            seed: args.common.seed,
        },
    })
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let plan = plan(args)?;
    let folder = args.common.folder(&plan.name())?;
    let stop = interrupt::listen("stopping after the current hands; the values so far are shown")?;
    let hands = plan.hands();
    let mut progress = Progress::new(hands, "hands", args.common.quiet);
    let mut seen = |hands| progress.show(hands, "");
    let valued =
        measure(&plan, &folder, provenance(), args.common.threads.count(), &stop, &mut seen);
    progress.finish();
    let valued = valued?;
    let report = DuelReport::new(&plan, &valued, args.common.kept_in(&folder));
    let shown = Output::report(&report, args.common.json)?;
    if valued.hands < hands {
        return Ok(shown.then(Err(interrupted(whole(valued.hands), whole(hands), "hands"))));
    }
    Ok(shown)
}

impl Report for DuelReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-duel/1";
}
