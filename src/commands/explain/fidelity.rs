//! `cardroom explain fidelity`: the likeness of a student to its teacher, and what the difference
//! costs.

use clap::value_parser;
use evaluation::fidelity::{Compared, Fidelity, Likeness, compare};
use evaluation::{Settings, SettingsError};
use game::{Chips, Policy, Street};
use logs::Rate;
use logs::stats::Sums;
use serde_json::json;
use show::Table;
use show::number::{self, whole};

use super::tree_source::player;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{Output, Shown};
use crate::progress::Progress;
use crate::resolve_names::{Game, Named};
use crate::threads::threads;

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
    /// Threads, at most 1024; the result does not depend on their number [default: one per
    /// processor; more are not used]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    named: Named,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command: compares both and prints the result.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let def = args.game.load()?;
    let policies = |name: &str| {
        let agent = player(&args.named, name)?;
        agent.prepare(&def, args.hands);
        let plays = agent.policy(&def).map_err(Failure::input)?;
        let says = agent.student().map(|student| agents::model_policy(&student));
        Ok::<_, Failure>((plays.expect("only agents with a policy are let through"), says))
    };
    let (student, teacher) = (policies(&args.student)?, policies(&args.teacher)?);
    let [teacher, student] = [&teacher, &student].map(|(plays, says)| Compared {
        plays: &**plays,
        says: says.as_ref().map(|says| says as &dyn Policy),
    });
    let jobs = threads(args.jobs);
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
    let found = found.map_err(|error| match error {
        SettingsError::Hands(_) => Failure::usage(format!("--hands: {error}")),
        error @ SettingsError::Players(_) => Failure::input(error),
    })?;
    let beside =
        Comparison { args, streets: def.streets, big_blind: def.big_blind(), found: &found };
    let hands = 2 * found.deals;
    let end = match hands == args.hands {
        true => Ok(()),
        false => Err(Failure::interrupted(format!(
            "stopped after {hands} of {} hands; the figures cover those, and none are kept",
            args.hands
        ))),
    };
    Ok(Output::of(&beside, args.json)?.then(end))
}

fn rate(sums: &Sums, big_blind: Chips) -> Option<Rate> {
    Rate::of(sums, big_blind).ok()
}

/// The comparison of a student with its teacher.
struct Comparison<'a> {
    args: &'a Args,
    /// The number of streets of the game.
    streets: usize,
    big_blind: Chips,
    found: &'a Fidelity,
}

impl Comparison<'_> {
    /// A row for each street and one for all: name, likeness of the decisions, loss of the student.
    fn rows(&self) -> Vec<(&'static str, Likeness, Option<Rate>)> {
        let found = self.found;
        let lost = |sums: &Sums| rate(sums, self.big_blind);
        let streets = Street::ALL.into_iter().take(self.streets).map(|street| {
            let at = street.index();
            (street.name(), found.streets[at], lost(&found.lost[at]))
        });
        streets.chain([("all", found.in_all(), lost(&found.lost_in_all))]).collect()
    }
}

impl Shown for Comparison<'_> {
    fn text(&self) -> String {
        let (student, teacher) = (&self.args.student, &self.args.teacher);
        let rows = self.rows();
        let alike = rows.iter().map(|(name, likeness, _)| {
            vec![
                (*name).to_owned(),
                whole(likeness.decisions),
                percent(likeness.same()),
                percent(likeness.distance()),
                likeness.divergence().map_or_else(none, |nats| format!("{nats:.4}")),
                likeness.log_loss().map_or_else(none, |nats| format!("{nats:.4}")),
            ]
        });
        let lost = rows.iter().map(|(name, likeness, rate)| {
            let [taught, learned] = [likeness.teacher(), likeness.student()];
            let both = |at: usize| match (taught, learned) {
                (Some(taught), Some(learned)) => {
                    format!("{:.1} → {}", 100.0 * taught[at], number::percent(learned[at], 1))
                }
                _ => none(),
            };
            let lost = rate.map_or_else(none, |rate| {
                format!("{:.1} ± {:.1}", positive(rate.mbb), rate.half_width())
            });
            vec![(*name).to_owned(), both(0), both(1), both(2), lost]
        });
        format!(
            "{student} compared with its teacher {teacher}: {}, seed {}, {} deals that {teacher} \
             plays against itself\n\n{}\n\n\
             What both do there ({teacher} → {student}), and what is lost against {teacher} in {} \
             hands where\n\
             {student} decides on this street only, with 95 % intervals\n\n{}\n",
            self.args.game.name(),
            self.args.seed,
            whole(self.found.deals),
            table(&["", "decisions", "same", "distance", "KL, nats", "log-loss, nats"], alike),
            whole(2 * self.found.deals),
            table(&["", "fold", "call or check", "raise or bet", "loses, mbb/hand"], lost),
        )
    }

    fn document(&self) -> impl serde::Serialize {
        let shares = |shares: Option<[f64; 3]>| {
            shares.map(|[fold, call, raise]| json!({ "fold": fold, "call": call, "raise": raise }))
        };
        let row = |(name, likeness, lost): &(&str, Likeness, Option<Rate>)| {
            json!({
                "street": name,
                "decisions": likeness.decisions,
                "same_likeliest": likeness.same(),
                "distance": likeness.distance(),
                "divergence": likeness.divergence(),
                "log_loss": likeness.log_loss(),
                "teacher": shares(likeness.teacher()),
                "student": shares(likeness.student()),
                "lost": lost,
            })
        };
        let rows = self.rows();
        let (all, streets) = rows.split_last().expect("there is a row for all streets");
        json!({
            "schema": "cardroom-explain-fidelity/1",
            "student": self.args.student,
            "teacher": self.args.teacher,
            "game": self.args.game.name(),
            "seed": self.args.seed,
            "hands": 2 * self.found.deals,
            "planned": self.args.hands,
            "streets": streets.iter().map(row).collect::<Vec<_>>(),
            "all": row(all),
        })
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
