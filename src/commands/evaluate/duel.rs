//! `cardroom evaluate duel AGENT --against OTHER`: two strategies compared by their values at
//! sampled spots.

use std::fmt;
use std::sync::Arc;

use agents::AgentChoice;
use evaluation::duel::{Duel, DuelSettings, Valued, run as measure};
use evaluation::folder::model_sha256;
use logs::Rate;
use serde::Serialize;
use show::number::{signed, whole};
use solvers::holdem::is_holdem;

use super::{Common, FromStreet, Sampling, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Value both strategies over all hands and cards, at spots that the opponent reaches by playing
/// itself.
///
/// For two-player hold'em; both agents are asked for their strategies.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    /// The opponent
    #[arg(long, value_name = "AGENT")]
    pub(super) against: String,
    /// The street on which the strategies are valued (before the flop that takes hours)
    #[arg(long, value_enum, default_value = "turn")]
    from: FromStreet,
    #[command(flatten)]
    sampling: Sampling,
    /// Hands of the opponent against itself
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    hands: u64,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
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
    let against = args.against.as_str();
    let agents = [args.common.asked(&args.common.agent)?, args.common.asked(against)?];
    let policy = |agent: &AgentChoice| -> Result<_, Failure> {
        agent.prepare(&def, args.hands);
        Ok(agent.policy(&def)?.expect("it has one"))
    };
    let (one, other) = (policy(&agents[0])?, policy(&agents[1])?);
    let plan = DuelSettings {
        model_sha256: [model_sha256(&agents[0])?, model_sha256(&agents[1])?],
        agents,
        game_name: args.common.game.name().to_owned(),
        shard: args.common.shard,
        duel: Duel {
            def,
            policies: [one, Arc::clone(&other)],
            before: other,
            street: args.from.street(),
            sampled,
            hands: args.hands,
            seed: args.common.seed,
        },
    };
    let folder = args.common.folder(&plan.name())?;
    let stop = interrupt::listen("stopping after the current hands; the values so far are shown")?;
    let hands = plan.hands();
    let mut progress = Progress::new(hands, "hands", args.common.quiet);
    let mut seen = |hands| progress.show(hands, "");
    let valued =
        measure(&plan, &folder, provenance(), args.common.threads.count(), &stop, &mut seen);
    progress.finish();
    let Valued { hands: valued_hands, spots, rate, at_spots } = valued?;
    let report = DuelReport {
        agent: &args.common.agent,
        against,
        game: args.common.game.name(),
        from: args.from.street().to_string(),
        sample_below: sampled.below,
        cards: sampled.cards,
        seed: args.common.seed,
        hands: valued_hands,
        spots,
        rate,
        big_blinds_a_spot: at_spots,
        kept: args.common.kept_in(&folder),
    };
    let shown = Output::report(&report, args.common.json)?;
    if valued_hands < hands {
        return Ok(shown.then(Err(interrupted(whole(valued_hands), whole(hands), "hands"))));
    }
    Ok(shown)
}

/// The result of a duel.
#[derive(Serialize)]
struct DuelReport<'a> {
    agent: &'a str,
    against: &'a str,
    game: &'a str,
    from: String,
    sample_below: f64,
    cards: u32,
    seed: u64,
    hands: u64,
    /// The number of hands that were valued.
    spots: u64,
    rate: Option<Rate>,
    big_blinds_a_spot: f64,
    /// Where the results are kept, for the text.
    #[serde(skip)]
    kept: String,
}

impl Report for DuelReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-duel/1";
}

impl fmt::Display for DuelReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DuelReport { agent, against, from, .. } = self;
        let rate = match self.rate {
            Some(rate) => format!(
                "{} mbb/hand, 95 % interval {} to {}",
                signed(rate.mbb, 1),
                signed(rate.interval.low, 1),
                signed(rate.interval.high, 1)
            ),
            None => "nothing: an interval needs two hands".to_owned(),
        };
        write!(
            f,
            "{agent} wins from {against} on the {from} and later: {rate}\n{} hands of {against} \
             against itself, {} of them valued over all hands there ({} big blinds each)\n{}",
            whole(self.hands),
            whole(self.spots),
            signed(self.big_blinds_a_spot, 4),
            self.kept,
        )
    }
}
