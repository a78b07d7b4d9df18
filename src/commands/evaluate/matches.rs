//! `cardroom evaluate match`, `exploiters` and `panel`: duplicate matches of the agent against
//! another agent, against simple bots, each of which plays one idea, and in a panel against some
//! other agents, too.

use std::path::PathBuf;

use agents::Registry;
use evaluation::exploiters::{
    ExploiterSettings, ExploitersReport, Outcome, Progress as Position, Won, ideas, run as measure,
};
use evaluation::folder::{MANIFEST, model_sha256};
use evaluation::panel::{PanelReport, opponents};
use matches::plan::MatchPlan;
use matches::play::{Settings, default_folder};
use show::number::{counted, whole};

use super::{Common, Planned, interrupted};
use crate::commands::tournament::can_play;
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::{play_shown, provenance, stopped, strict_match, usual_level};
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::report;

/// Play a duplicate match against another agent.
///
/// `cardroom match` plays the same match, with more options.
#[derive(clap::Args)]
pub(super) struct MatchArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// The opponent
    #[arg(long, value_name = "AGENT")]
    pub(super) against: String,
    /// Hands to play, two per deal
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    hands: u64,
    #[command(flatten)]
    faults: Faults,
}

/// What happens when an agent does not play as it should.
#[derive(clap::Args)]
pub(super) struct Faults {
    /// Exit with 5 if a decision was made for an agent that gave no answer, or its action was not
    /// legal
    #[arg(long)]
    pub(super) strict: bool,
}

/// The options of matches against several opponents.
#[derive(clap::Args)]
pub(super) struct ExploitersArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Hands against each opponent, two per deal [default: 10000; 2000 in a panel]
    #[arg(long, value_name = "N")]
    pub(super) hands: Option<u64>,
    #[command(flatten)]
    pub(super) faults: Faults,
}

/// The match, and the folder that it is kept in.
fn match_plan(args: &MatchArgs) -> Result<(MatchPlan, PathBuf), Failure> {
    let data = args.common.named.load()?.config.server.data;
    let registry = args.common.named.registry()?;
    let entrants = [args.common.agent.as_str(), args.against.as_str()]
        .into_iter()
        .map(|name| registry.resolve(name))
        .collect::<Result<_, _>>()?;
    let plan = MatchPlan {
        def: args.common.game.load()?,
        game_name: args.common.game.name().to_owned(),
        entrants,
        given_names: Vec::new(),
        hands: args.hands,
        seed: args.common.seed,
        duplicate: true,
        shard: args.common.shard,
        deadline: None,
        rule: None,
    };
    let folder = args.common.out.clone().unwrap_or_else(|| default_folder(&data, &plan));
    Ok((plan, folder))
}

/// What will be played.
pub(super) fn planned_match(args: &MatchArgs) -> Result<Planned, Failure> {
    let (plan, folder) = match_plan(args)?;
    plan.check().map_err(Failure::usage)?;
    can_play(&plan, &plan.entrants)?;
    Ok(Planned { kept: Some(folder), hands: plan.hands, threads: true })
}

/// Runs the command: plays the match and prints its report.
pub(super) fn run_match(args: &MatchArgs) -> Result<Output, Failure> {
    let (plan, folder) = match_plan(args)?;
    if folder.join(MANIFEST).exists() {
        return Err(Failure::input(anyhow::anyhow!(
            "{} holds another measurement; choose another folder with --out",
            folder.display()
        )));
    }
    let settings = Settings {
        level: usual_level(plan.hands),
        folder: folder.clone(),
        jobs: args.common.threads.count(),
        provenance: provenance(),
    };
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let played = play_shown(&plan, &settings, "", args.common.quiet, &stop)?;
    let end = match played.outcome.complete {
        true if args.faults.strict => strict_match(&played),
        true => Ok(()),
        false => Err(stopped(played.outcome.hands, args.hands, settings.level)),
    };
    Ok(report::show(&played, Some(&folder), args.common.json)?.then(end))
}

/// The default numbers of hands against each exploiter, and against each opponent of a panel.
const HANDS: u64 = 10_000;
const PANEL_HANDS: u64 = 2_000;

fn exploiters_plan(
    args: &ExploitersArgs,
    registry: &Registry,
    in_panel: bool,
) -> Result<ExploiterSettings, Failure> {
    let agent = registry.resolve(&args.common.agent)?;
    let def = args.common.game.load()?;
    Ok(ExploiterSettings {
        game_name: args.common.game.name().to_owned(),
        model_sha256: model_sha256(&agent)?,
        agent,
        hands: args.hands.unwrap_or(if in_panel { PANEL_HANDS } else { HANDS }),
        seed: args.common.seed,
        shard: args.common.shard,
        opponents: if in_panel { opponents(&def, registry) } else { ideas(&def).to_vec() },
        def,
    })
}

/// What will be played.
pub(super) fn planned_exploiters(
    args: &ExploitersArgs,
    in_panel: bool,
) -> Result<Planned, Failure> {
    let plan = exploiters_plan(args, &args.common.named.registry()?, in_panel)?;
    args.common.planned(&plan.name(), plan.hands.saturating_mul(plan.ideas().len() as u64))
}

/// Runs the command: plays the matches and prints the results.
pub(super) fn run_exploiters(args: &ExploitersArgs, in_panel: bool) -> Result<Output, Failure> {
    let registry = args.common.named.registry()?;
    let plan = exploiters_plan(args, &registry, in_panel)?;
    let folder = args.common.folder(&plan.name())?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    if args.common.quiet {
        matches::waiting::only_failures();
    }
    let all = plan.ideas().len();
    let total = plan.hands * all as u64;
    let mut progress = Progress::new(total, "hands", args.common.quiet);
    let mut show = |position: &Position| progress.show(position.hands, position.idea.words);
    let found = measure(
        &plan,
        &registry,
        &folder,
        provenance(),
        args.common.threads.count(),
        &stop,
        &mut show,
    );
    progress.finish();
    let found = found.map_err(failure)?;
    let kept = args.common.kept_in(&folder);
    let shown = if in_panel {
        Output::report(&PanelReport::new(&plan, &found, kept), args.common.json)?
    } else {
        Output::report(&ExploitersReport::new(&plan, &found, kept), args.common.json)?
    };
    Ok(shown.then(end(args, &found, all)))
}

/// The end of the command: how to resume, an agent that never answers, or what `--strict` says.
fn end(args: &ExploitersArgs, found: &Outcome, all: usize) -> Result<(), Failure> {
    let Outcome { won, silent } = found;
    let name = &args.common.agent;
    if silent.is_some() {
        return Err(Failure::claim(format!(
            "`{name}` never answered; the other matches were not played"
        )));
    }
    if won.len() < all {
        return Err(interrupted(won.len(), all, "matches"));
    }
    let faults = |won: &&Won| won.decisions.fallbacks + won.decisions.corrected > 0;
    match won.iter().find(faults).filter(|_| args.faults.strict) {
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

pub(super) fn failure(error: evaluation::Error) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::input(error) }
}

impl Report for ExploitersReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-exploiters/1";
}

impl Report for PanelReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-panel/1";
}
