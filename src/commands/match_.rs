//! `cardroom match`: plays a match between agents in this process.

use std::path::PathBuf;

use matches::plan::MatchPlan;
use matches::play::default_folder;
use matches::runner::Level;

use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::{PlayArgs, play_shown, stopped, strict_match};
use crate::output::Output;
use crate::report;
use crate::stop_rules::RuleArgs;

/// Play a match between agents and report win rates with intervals.
///
/// Duplicate by default: each deal is played once with every rotation of the seats. The match is
/// kept in a folder (data/matches/… unless --out is given). The same command resumes an interrupted
/// match and shows a finished one again; with the same --out and more --hands it extends a finished
/// match to the longer one. Ctrl-C finishes the hands in play; a second Ctrl-C aborts. Exit codes:
/// 0 when all hands were played or --until, --sprt or --preset ended the match, 3 on bad input, 5
/// as --strict says, 130 when interrupted.
#[derive(clap::Args)]
pub struct Args {
    /// The agents, one for each player of the game: kinds, `KIND:ARGUMENT` or names from the
    /// configuration
    #[arg(value_name = "AGENT", required = true, num_args = 1..)]
    pub(super) agents: Vec<String>,
    #[command(flatten)]
    pub(super) play: PlayArgs,
    /// The folder for this match
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
}

/// Runs the command: plays the match and prints its report.
pub fn run(args: Args) -> Result<Output, Failure> {
    let Args { agents, mut play, out, rules } = args;
    let rule = rules.of(&mut play)?;
    let loaded = play.named.load()?;
    let plan = MatchPlan { rule, ..play.plan(play.agents(&agents)?)? };
    let folder = out.unwrap_or_else(|| default_folder(&loaded.config.server.data, &plan));
    let settings = play.settings(&folder, &plan.entrants);
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let played = play_shown(&plan, &settings, "", play.quiet, &stop)?;
    let kept_in = (settings.level > Level::Nothing).then_some(folder.as_path());
    let end = match played.outcome.complete {
        true if play.strict => strict_match(&played),
        true => Ok(()),
        false => {
            let range = plan.shard_hands();
            Err(stopped(played.outcome.hands, range.end - range.start, settings.level))
        }
    };
    Ok(report::show(&played, kept_in, play.json)?.then(end))
}
