//! `cardroom match`: agents play each other in this process.

use std::path::PathBuf;

use clap::ValueEnum;
use logs::Shard;
use logs::stats::{Sprt, StopRule};
use matches::plan::Plan;
use matches::play::default_folder;
use matches::runner::Level;
use matches::stop::Stop;

use crate::exit::Failure;
use crate::interrupt;
use crate::playing::{PlayArgs, play_shown, stopped};
use crate::report;

/// Play a match between agents and say who wins, with intervals.
///
/// Duplicate by default: each deal is played once with every rotation of the seats. The match is
/// kept in a folder (data/matches/… unless --out says otherwise); the same command goes on with a
/// match that was interrupted, and shows a finished one again; with more --hands in the same --out
/// a finished match goes on as the longer one it would have been. Ctrl-C finishes the hands in
/// play; a second one aborts. Ends with 0 when all hands were played or --until, --sprt or --preset has
/// ended the match, 130 when interrupted, 3 on bad input.
#[derive(clap::Args)]
pub struct Args {
    /// The agents, one for each player of the game: kinds, `KIND:ARGUMENT`, or names of the
    /// configuration
    #[arg(value_name = "AGENT", required = true, num_args = 1..)]
    agents: Vec<String>,
    #[command(flatten)]
    play: PlayArgs,
    /// The folder of this match
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// End as soon as every rate stands to ±X mbb/hand, by the 95 % interval that may be looked at
    /// at any time
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["sprt", "preset"])]
    until: Option<f64>,
    /// End as soon as the first agent's rate is known to be HIGH mbb/hand or more rather than LOW
    /// or less, or the reverse: each is wrongly said in 5 of 100 matches at most
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, conflicts_with = "preset")]
    sprt: Option<String>,
    /// A usual rule to end by, and the most hands that go with it
    #[arg(long, value_enum)]
    preset: Option<Preset>,
    /// Play only part i of N; join the parts with `cardroom merge`
    #[arg(long, value_name = "i/N")]
    shard: Option<Shard>,
}

/// Usual rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// A first look: --until 500 --hands 20000
    Quick,
    /// Whether a change is worth keeping: --sprt 0,50 --hands 1000000
    Ship,
    /// A figure to be quoted: --until 20 --hands 10000000
    Publish,
}

impl Preset {
    fn rule(self) -> Result<StopRule, Failure> {
        match self {
            Preset::Quick => StopRule::until(500.0),
            Preset::Ship => Sprt::new(0.0, 50.0).map(StopRule::Sprt),
            Preset::Publish => StopRule::until(20.0),
        }
        .map_err(Failure::usage)
    }

    fn hands(self) -> u64 {
        match self {
            Preset::Quick => 20_000,
            Preset::Ship => MOST,
            Preset::Publish => 10_000_000,
        }
    }
}

/// The most hands of a match that ends by a rule, unless --hands says so.
const MOST: u64 = 1_000_000;

/// The rule that the options name.
fn rule(until: Option<f64>, sprt: Option<&str>) -> Result<Option<StopRule>, Failure> {
    let until = until.map(StopRule::until);
    let sprt = sprt.map(|text| text.parse().map(StopRule::Sprt));
    until.or(sprt).transpose().map_err(Failure::usage)
}

/// Plays the match and prints its report.
pub fn run(args: Args) -> Result<(), Failure> {
    let Args { agents, mut play, out, until, sprt, preset, shard } = args;
    let rule = match preset {
        Some(preset) => Some(preset.rule()?),
        None => rule(until, sprt.as_deref())?,
    };
    let usual = rule.is_some() && play.hands.is_none();
    if usual {
        play.hands = Some(preset.map_or(MOST, Preset::hands));
    }
    let loaded = play.named.load()?;
    let mut plan = Plan { rule, ..play.plan(play.agents(&agents)?, shard)? };
    if usual {
        // Whole groups in games for any number of players.
        plan.hands -= plan.hands % plan.tally().group_size() as u64;
    }
    let folder = out.unwrap_or_else(|| default_folder(&loaded.config.server.data, &plan));
    let settings = play.settings(&folder, &plan.entrants);
    let stop = Stop::new();
    interrupt::listen(&stop)?;
    let played = play_shown(&plan, &settings, "", play.quiet, &stop)?;
    let kept = (settings.level > Level::Nothing).then_some(folder.as_path());
    report::show(&played, kept, play.json)?;
    if !played.outcome.complete {
        let range = plan.shard_hands();
        return Err(stopped(played.outcome.hands, range.end - range.start, settings.level));
    }
    Ok(())
}
