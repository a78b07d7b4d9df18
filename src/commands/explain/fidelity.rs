//! `cardroom explain fidelity`: the likeness of a student to its teacher, and what the difference
//! costs.

use std::fmt;

use clap::value_parser;
use evaluation::Settings;
use evaluation::fidelity::{Compared, Fidelity, Likeness, compare};
use game::{Chips, Policy, Street};
use logs::Rate;
use logs::stats::Sums;
use serde::Serialize;
use show::Table;
use show::number::{self, whole};

use super::player;
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
        let note = rate(&sofar.lost_in_all, def.big_blind()).map_or_else(String::new, |rate| {
            format!("loses {:.0} ± {:.0} mbb/hand", rate.mbb, rate.half_width())
        });
        progress.show(2 * sofar.deals, &note);
    };
    let found = compare(&def, teacher, student, settings, &stop, &mut show);
    progress.finish();
    let found = found.map_err(|error| {
        let usage = error.is_usage();
        if usage { Failure::usage(format!("--hands: {error}")) } else { Failure::input(error) }
    })?;
    let hands = 2 * found.deals;
    let report = FidelityReport::new(args, def.streets, def.big_blind(), &found);
    let end = if hands == args.hands {
        Ok(())
    } else {
        Err(Failure::interrupted(format!(
            "stopped after {hands} of {} hands; the figures cover those, and none are kept",
            args.hands
        )))
    };
    Ok(Output::report(&report, args.json)?.then(end))
}

fn rate(sums: &Sums, big_blind: Chips) -> Option<Rate> {
    Rate::of(sums, big_blind).ok()
}

/// The comparison of a student with its teacher.
#[derive(Serialize)]
struct FidelityReport<'a> {
    student: &'a str,
    teacher: &'a str,
    game: &'a str,
    seed: u64,
    hands: u64,
    planned: u64,
    streets: Vec<StreetRow>,
    all: StreetRow,
}

/// The comparison on a street, or on all: the likeness of the decisions, and the student's loss.
#[derive(Serialize)]
struct StreetRow {
    street: &'static str,
    decisions: u64,
    same_likeliest: Option<f64>,
    distance: Option<f64>,
    divergence: Option<f64>,
    log_loss: Option<f64>,
    teacher: Option<ActionShares>,
    student: Option<ActionShares>,
    lost: Option<Rate>,
}

/// How often each kind of action is taken.
#[derive(Serialize)]
struct ActionShares {
    fold: f64,
    call: f64,
    raise: f64,
}

impl StreetRow {
    fn new(street: &'static str, likeness: &Likeness, lost: Option<Rate>) -> StreetRow {
        let shares = |[fold, call, raise]: [f64; 3]| ActionShares { fold, call, raise };
        StreetRow {
            street,
            decisions: likeness.decisions,
            same_likeliest: likeness.same(),
            distance: likeness.distance(),
            divergence: likeness.divergence(),
            log_loss: likeness.log_loss(),
            teacher: likeness.teacher().map(shares),
            student: likeness.student().map(shares),
            lost,
        }
    }

    /// The cells on the likeness of the decisions.
    fn likeness_cells(&self) -> Vec<String> {
        let nats = |nats: Option<f64>| nats.map_or_else(none, |nats| format!("{nats:.4}"));
        vec![
            self.street.to_owned(),
            whole(self.decisions),
            percent(self.same_likeliest),
            percent(self.distance),
            nats(self.divergence),
            nats(self.log_loss),
        ]
    }

    /// The cells on what both do, and on what is lost.
    fn loss_cells(&self) -> Vec<String> {
        let both = |share: fn(&ActionShares) -> f64| match (&self.teacher, &self.student) {
            (Some(teacher), Some(student)) => {
                let student = number::percent(share(student), 1);
                format!("{:.1} → {student}", 100.0 * share(teacher))
            }
            _ => none(),
        };
        let lost = self.lost.map_or_else(none, |rate| {
            format!("{:.1} ± {:.1}", positive(rate.mbb), rate.half_width())
        });
        let [fold, call] = [both(|shares| shares.fold), both(|shares| shares.call)];
        vec![self.street.to_owned(), fold, call, both(|shares| shares.raise), lost]
    }
}

impl<'a> FidelityReport<'a> {
    fn new(args: &'a Args, streets: usize, big_blind: Chips, found: &Fidelity) -> Self {
        let streets = Street::ALL.into_iter().take(streets).map(|street| {
            let index = street.index();
            let lost = rate(&found.lost[index], big_blind);
            StreetRow::new(street.name(), &found.streets[index], lost)
        });
        FidelityReport {
            student: &args.student,
            teacher: &args.teacher,
            game: args.game.name(),
            seed: args.seed,
            hands: 2 * found.deals,
            planned: args.hands,
            streets: streets.collect(),
            all: StreetRow::new("all", &found.in_all(), rate(&found.lost_in_all, big_blind)),
        }
    }
}

impl Report for FidelityReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-fidelity/1";
}

impl fmt::Display for FidelityReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FidelityReport { student, teacher, game, seed, hands, .. } = self;
        let rows = || self.streets.iter().chain([&self.all]);
        let alike = rows().map(StreetRow::likeness_cells);
        let lost = rows().map(StreetRow::loss_cells);
        writeln!(
            f,
            "{student} compared with its teacher {teacher}: {game}, seed {seed}, {} deals that \
             {teacher} plays against itself\n\n{}\n\n\
             What both do there ({teacher} → {student}), and what is lost against {teacher} in {} \
             hands where\n\
             {student} decides on this street only, with 95 % intervals\n\n{}",
            whole(hands / 2),
            table(&["", "decisions", "same", "distance", "KL, nats", "log-loss, nats"], alike),
            whole(*hands),
            table(&["", "fold", "call or check", "raise or bet", "loses, mbb/hand"], lost),
        )
    }
}

/// The cell for a missing value.
fn none() -> String {
    "-".to_owned()
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(none, |share| number::percent(share, 1))
}

/// The number without the sign of a negative zero.
fn positive(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number }
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new(head.iter().copied()).right(1..);
    rows.for_each(|row| table.row(row));
    table.to_string()
}
