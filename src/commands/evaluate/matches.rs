//! `cardroom evaluate AGENT --by match`, `--by exploiters` and `--by panel`: duplicate matches of
//! the agent against another agent, against simple bots, each of which plays one idea, and in a
//! panel against some other agents, too.

use evaluation::exploiters::{
    ExploiterSettings, ExploitersError, ExploitersReport, Outcome, PanelReport,
    Progress as Position, Won, ideas, panel, run as measure,
};
use evaluation::folder::{MANIFEST, model_sha256};
use matches::plan::MatchPlan;
use matches::play::{Settings, default_folder};
use show::number::{counted, whole};

use super::{Args, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::{play_shown, provenance, stopped, strict_match, usual_level};
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::report;

/// Runs the command: plays the match and prints its report.
pub(super) fn run_match(args: &Args) -> Result<Output, Failure> {
    let data = args.named.load()?.config.server.data;
    let registry = args.named.registry()?;
    let against = args.against.as_deref().unwrap_or_default();
    let entrants = [args.agent.as_str(), against]
        .into_iter()
        .map(|name| registry.resolve(name))
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

/// The default number of hands against each opponent of a panel.
const PANEL_HANDS: u64 = 2_000;

/// Runs the command: plays the matches and prints the results.
pub(super) fn run_exploiters(args: &Args, in_panel: bool) -> Result<Output, Failure> {
    let registry = args.named.registry()?;
    let agent = registry.resolve(&args.agent)?;
    let def = args.game.load()?;
    let plan = ExploiterSettings {
        game_name: args.game.name().to_owned(),
        model_sha256: model_sha256(&agent)?,
        agent,
        hands: if in_panel { args.hands.unwrap_or(PANEL_HANDS) } else { args.hands() },
        seed: args.seed,
        shard: args.shard,
        opponents: if in_panel { panel(&def, &registry) } else { ideas(&def).to_vec() },
        def,
    };
    let folder = args.folder(&plan.name())?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    if args.quiet {
        matches::waiting::only_failures();
    }
    let all = plan.ideas().len();
    let total = plan.hands * all as u64;
    let mut progress = Progress::new(total, "hands", args.quiet);
    let mut show = |position: &Position| progress.show(position.hands, position.idea.words);
    let found = measure(&plan, &registry, &folder, provenance(), args.threads(), &stop, &mut show);
    progress.finish();
    let found = found.map_err(failure)?;
    let kept = args.kept_in(&folder);
    let shown = if in_panel {
        Output::report(&PanelReport::new(&plan, &found, kept), args.json)?
    } else {
        Output::report(&ExploitersReport::new(&plan, &found, kept), args.json)?
    };
    Ok(shown.then(end(args, &found, all)))
}

/// The end of the command: how to resume, an agent that never answers, or what `--strict` says.
fn end(args: &Args, found: &Outcome, all: usize) -> Result<(), Failure> {
    let Outcome { won, silent } = found;
    let name = &args.agent;
    if silent.is_some() {
        return Err(Failure::claim(format!(
            "`{name}` never answered; the other matches were not played"
        )));
    }
    if won.len() < all {
        return Err(interrupted(won.len(), all, "matches"));
    }
    let faults = |won: &&Won| won.decisions.fallbacks + won.decisions.corrected > 0;
    match won.iter().find(faults).filter(|_| args.strict) {
        Some(Won { idea, decisions, .. }) => Err(Failure::claim(format!(
            "--strict: of {} in the match of {name} against `{}`, {} were made for it and {} \
             corrected",
            counted(decisions.decisions, "decision"),
            idea.words,
            whole(decisions.fallbacks),
            whole(decisions.corrected)
        ))),
        None => Ok(()),
    }
}

fn failure(error: ExploitersError) -> Failure {
    match error {
        ExploitersError::Plan(_) | ExploitersError::Rate(_) => Failure::usage(error),
        error => Failure::input(error),
    }
}

impl Report for ExploitersReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-exploiters/1";
}

impl Report for PanelReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-panel/1";
}
