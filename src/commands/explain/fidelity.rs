//! `cardroom explain fidelity`: the likeness of a student to its teacher, and what the difference
//! costs.

use clap::value_parser;
use evaluation::Settings;
use evaluation::fidelity::{Compared, Fidelity, FidelityReport, compare};
use game::Policy;
use logs::Rate;

use super::{end_after, player, settings_failure};
use crate::arguments::Threads;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::resolve_names::{Game, Named};

/// Compare a student with its teacher, by street: agreement, and what differences cost.
///
/// The teacher plays itself. At each of its decisions the student's strategy is compared:
///   same      decisions at which both have the same likeliest action
///   distance  mean of half the sum of the absolute differences of their probabilities
///   KL        mean Kullback-Leibler divergence of the student's probabilities from the teacher's,
///             in nats
/// and how often each folds, calls (or checks), raises (or bets). Distances use the student's
/// model, even if the student only plays the likeliest action. Then duplicate matches against the
/// teacher measure what the student loses when it decides on one street only, and on all. Both
/// hands of a deal use the same random numbers, which reduces the variance, and all-ins count with
/// their expected value.
///
/// Examples:
///   cardroom explain fidelity oct
///   cardroom explain fidelity my-students/cart --teacher cfr --hands 200000 --json
///
/// Works for all agents that can be asked for their strategy, in two-player games. Ctrl-C shows
/// the results so far. Exit codes: 2 when --hands is odd, 3 when an agent cannot be asked or does
/// not play the game, 130 when interrupted.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The student: an agent such as `oct` or `mlp:model=FOLDER`, a name from the configuration, or
    /// a folder made by `cardroom train`
    #[arg(value_name = "AGENT|FOLDER")]
    student: String,
    /// The teacher
    #[arg(long, value_name = "AGENT", default_value = "cfr")]
    teacher: String,
    /// Hands per match, two per deal; the teacher plays itself for half as many
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    hands: u64,
    /// Seed for cards and decisions, at most 2^63 − 1
    #[arg(long, value_name = "SEED", default_value_t = 0,
        value_parser = value_parser!(u64).range(..1 << 63))]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    named: Named,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: compares both and prints the result.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let def = args.game.load()?;
    let policies = |name: &str| {
        let agent = player(&args.named, name)?;
        agent.prepare(&def, args.hands);
        let plays = agent.policy(&def)?;
        let says = agent.student().map(|student| agents::model_policy(&student));
        Ok::<_, Failure>((plays.expect("only agents with a policy are let through"), says))
    };
    let (student, teacher) = (policies(&args.student)?, policies(&args.teacher)?);
    let [teacher, student] = [&teacher, &student].map(|(plays, says)| Compared {
        plays: &**plays,
        says: says.as_ref().map(|says| says as &dyn Policy),
    });
    let jobs = args.threads.count();
    let settings = Settings { hands: args.hands, seed: args.seed, jobs };
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let mut progress = Progress::new(args.hands, "hands", args.quiet);
    let mut show = |sofar: &Fidelity| {
        let note = Rate::from_sums(&sofar.lost_in_all, def.big_blind()).map_or_else(
            |_| String::new(),
            |rate| format!("loses {:.0} ± {:.0} mbb/hand", rate.mbb, rate.half_width()),
        );
        progress.show(2 * sofar.deals, &note);
    };
    let found = compare(&def, teacher, student, settings, &stop, &mut show);
    progress.finish();
    let found = found.map_err(settings_failure)?;
    let report = FidelityReport::new(
        [&args.student, &args.teacher],
        (args.game.name(), &def),
        settings,
        &found,
    );
    Ok(Output::report(&report, args.json)?.then(end_after(2 * found.deals, args.hands)))
}

impl Report for FidelityReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-fidelity/1";
}
