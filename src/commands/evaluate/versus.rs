//! `cardroom evaluate AGENT --by match`: a duplicate match against another agent.

use evaluation::folder::MANIFEST;
use matches::plan::MatchPlan;
use matches::play::Settings;
use matches::play::default_folder;

use super::Args;
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::{play_shown, provenance, stopped, strict_match, usual_level};
use crate::output::Output;
use crate::report;

/// Runs the command: plays the match and prints its report.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let data = args.named.load()?.config.server.data;
    let registry = args.named.registry()?;
    let against = args.against.as_deref().unwrap_or_default();
    let entrants = [args.agent.as_str(), against]
        .map(|name| registry.resolve(name).map_err(Failure::input))
        .into_iter()
        .collect::<Result<_, _>>()?;
    let plan = MatchPlan {
        def: args.game.load()?,
        game_name: args.game.name().to_owned(),
        entrants,
        given_names: Vec::new(),
        hands: args.hands(),
        seed: args.seed,
        duplicate: true,
        shard: args.shard,
        deadline: None,
        rule: None,
    };
    let folder = args.out.clone().unwrap_or_else(|| default_folder(&data, &plan));
    if folder.join(MANIFEST).exists() {
        return Err(Failure::input(anyhow::anyhow!(
            "{} holds another measurement; choose another folder with --out",
            folder.display()
        )));
    }
    let settings = Settings {
        level: usual_level(plan.hands),
        folder: folder.clone(),
        jobs: args.threads(),
        provenance: provenance(),
    };
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let played = play_shown(&plan, &settings, "", args.quiet, &stop)?;
    let end = match played.outcome.complete {
        true if args.strict => strict_match(&played),
        true => Ok(()),
        false => Err(stopped(played.outcome.hands, args.hands(), settings.level)),
    };
    Ok(report::show(&played, Some(&folder), args.json)?.then(end))
}
