//! `cardroom evaluate panel`: an agent against many opponents, by matches or compared with another
//! agent by duels.

use evaluation::panel::{ComparedReport, PanelSettings, opponents, run as measure};
use show::number::whole;
use solvers::holdem::is_holdem;

use super::matches::{ExploitersArgs, planned_exploiters, run_exploiters};
use super::{FromStreet, Planned, Sampling, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Play a panel of opponents: simple ones, players of one style each, exploiters and blueprints
///
/// By duplicate matches; with more than two players one opponent is at a table of copies of the
/// agent. With --compared-with by duels, for two-player hold'em: what the agent wins from each
/// opponent beyond what the other agent wins, where both play the earlier streets alike; the
/// opponents are those that can be asked for their strategy, and local best response.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) matches: ExploitersArgs,
    /// Value what the agent wins beyond what this agent wins, such as its blueprint
    #[arg(long, value_name = "AGENT")]
    pub(super) compared_with: Option<String>,
    /// With --compared-with: the street on which both are valued [default: river]
    #[arg(long, value_enum, requires = "compared_with")]
    from: Option<FromStreet>,
    #[command(flatten)]
    sampling: Sampling,
}

/// The default number of hands against each opponent, with `--compared-with`.
const HANDS: u64 = 2_000;

/// What will be measured.
pub(super) fn planned(args: &Args) -> Result<Planned, Failure> {
    let Some(plan) = plan(args)? else { return planned_exploiters(&args.matches, true) };
    let registry = args.matches.common.named.registry()?;
    let opponents = opponents(&plan.def, &registry).len() as u64;
    args.matches.common.planned(&plan.name()?, plan.hands.saturating_mul(opponents))
}

/// The duels; `None` where the panel is played by matches.
fn plan(args: &Args) -> Result<Option<PanelSettings>, Failure> {
    let Some(compared_with) = &args.compared_with else {
        if args.sampling.cards.is_some() || args.sampling.sample_below.is_some() {
            return Err(Failure::usage(
                "--cards and --sample-below are for duels: give --compared-with, too",
            ));
        }
        return Ok(None);
    };
    let common = &args.matches.common;
    if common.shard.is_some() {
        return Err(Failure::usage(
            "--shard: a panel with --compared-with has a folder for each opponent and no parts; \
             `cardroom evaluate duel --compared-with` measures one opponent, in parts too",
        ));
    }
    if args.matches.faults.strict {
        return Err(Failure::usage(
            "--strict is for matches: with --compared-with no decision is made for an agent",
        ));
    }
    let hands = args.matches.hands.unwrap_or(HANDS);
    if hands < 2 {
        return Err(Failure::usage("--hands must be at least 2: an interval needs two"));
    }
    let def = common.game.load()?;
    if !is_holdem(&def) {
        return Err(Failure::input(anyhow::anyhow!(
            "{} is not two-player hold'em with all cards, which --compared-with is for",
            common.game.name()
        )));
    }
    Ok(Some(PanelSettings {
        def,
        game_name: common.game.name().to_owned(),
        agent: common.asked(&common.agent)?,
        compared_with: common.asked(compared_with)?,
        street: args.from.unwrap_or(FromStreet::River).street(),
        sampled: args.sampling.sampled()?,
        hands,
        seed: common.seed,
    }))
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let Some(plan) = plan(args)? else { return run_exploiters(&args.matches, true) };
    let (common, hands) = (&args.matches.common, plan.hands);
    let registry = common.named.registry()?;
    let folder = common.folder(&plan.name()?)?;
    let stop = interrupt::listen("stopping after the current hands; the values so far are shown")?;
    let mut progress: Option<Progress> = None;
    let threads = common.threads.count();
    let seen = |words: &'static str, opponents: u64, done: u64| {
        let quiet = common.quiet;
        let shown =
            progress.get_or_insert_with(|| Progress::new(opponents * hands, "hands", quiet));
        shown.show(done, words);
    };
    let found = measure(&plan, &registry, &folder, &provenance(), threads, &stop, seen);
    if let Some(progress) = &mut progress {
        progress.finish();
    }
    let found = found.map_err(super::matches::failure)?;
    let report = ComparedReport::new(&plan, &found, common.kept_in(&folder));
    let shown = Output::report(&report, common.json)?;
    if !found.complete {
        let done: u64 = found.differences.iter().map(|row| row.hands).sum();
        return Ok(shown.then(Err(interrupted(whole(done), "all", "hands"))));
    }
    Ok(shown)
}

impl Report for ComparedReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-panel-compared/1";
}
