//! `cardroom evaluate AGENT --by duel --against OTHER`: two strategies compared by their values at
//! sampled spots.

use std::path::Path;
use std::sync::Arc;

use agents::AgentChoice;
use evaluation::Sampled;
use evaluation::duel::{Duel, DuelSettings, Valued, run as measure};
use evaluation::folder::model_sha256;
use serde_json::json;
use show::number::{signed, whole};
use solvers::response::in_tree::is_holdem;

use super::Args;
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::Output;
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
        Ok(agent.policy(&def).map_err(Failure::input)?.expect("it has one"))
    };
    let (one, other) = (policy(&agents[0])?, policy(&agents[1])?);
    let model = |agent| model_sha256(agent).map_err(Failure::input);
    let plan = DuelSettings {
        model_sha256: [model(&agents[0])?, model(&agents[1])?],
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
    let data = args.named.load()?.config.server.data;
    let folder = args.out.clone().unwrap_or_else(|| data.join("evaluations").join(plan.name()));
    let stop = interrupt::listen("stopping after the current hands; the values so far are shown")?;
    let hands = plan.hands();
    let mut progress = Progress::new(hands, "hands", args.quiet);
    let mut seen = |hands| progress.show(hands, "");
    let valued = measure(&plan, &folder, provenance(), args.threads(), &stop, &mut seen);
    progress.finish();
    let valued = valued.map_err(Failure::input)?;
    let shown = shown(args, sampled, against, &folder, &valued)?;
    match valued.hands < hands {
        true => Ok(shown.then(Err(Failure::interrupted(format!(
            "stopped after {} of {} hands; resume with: {}",
            whole(valued.hands),
            whole(hands),
            interrupt::command_line()
        ))))),
        false => Ok(shown),
    }
}

fn shown(
    args: &Args,
    sampled: Sampled,
    against: &str,
    folder: &Path,
    valued: &Valued,
) -> Result<Output, Failure> {
    let Valued { hands, spots, rate, at_spots } = *valued;
    let street = args.street();
    if args.json {
        let document = json!({
            "schema": "cardroom-evaluate-duel/1",
            "agent": args.agent,
            "against": against,
            "game": args.game.name(),
            "from": street.to_string(),
            "sample_below": sampled.below,
            "cards": sampled.cards,
            "seed": args.seed,
            "hands": hands,
            "spots": spots,
            "rate": rate,
            "big_blinds_a_spot": at_spots,
        });
        return Output::json(&document);
    }
    let rate = match rate {
        Some(rate) => format!(
            "{} mbb/hand, 95 % interval {} to {}",
            signed(rate.mbb, 1),
            signed(rate.interval.low, 1),
            signed(rate.interval.high, 1)
        ),
        None => "nothing: an interval needs two hands".to_owned(),
    };
    Ok(Output::from(format!(
        "{} wins from {against} on the {street} and later: {rate}\n{} hands of {against} against \
         itself, {} of them valued over all hands there ({} big blinds each)\n{}",
        args.agent,
        whole(hands),
        whole(spots),
        signed(at_spots, 4),
        args.kept_in(folder),
    )))
}
