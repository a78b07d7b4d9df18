//! `cardroom evaluate lbr AGENT`: local best response.

use std::fmt;

use evaluation::folder::model_sha256;
use evaluation::lbr::published::{ALWAYS_FOLD, OTHERS, ROWS, SETTINGS};
use evaluation::lbr::{LbrSettings, Outcome, Progress as Position, run as measure};
use game::{Betting, Street};
use logs::Rate;
use logs::stats::{NoRate, Sums};
use serde::Serialize;
use show::Table;
use show::number::whole;
use solvers::lbr::Moves;

use super::{Common, FromStreet, Sampling, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Compute local best response, which knows the agent's strategy and looks one action ahead.
///
/// A lower bound on what can be won from the agent, for two-player hold'em (Lisý and Bowling 2017).
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    /// Actions of local best response: fc (fold, call), fcr (also raise, limit games), fcpa (also
    /// bet the pot or all-in), 56 (also 56 bets from 1/20 of the pot to all-in) [default: fcpa, fcr
    /// in limit games]
    #[arg(long, value_name = "MOVES")]
    actions: Option<Moves>,
    /// The first street on which local best response uses --actions (it checks and calls before)
    #[arg(long, value_enum, default_value = "turn")]
    from: FromStreet,
    #[command(flatten)]
    sampling: Sampling,
    /// Hands to play, two per deal
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    hands: u64,
}

/// Runs the command: measures the agent and prints the result.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let plan = plan(args)?;
    let folder = args.common.folder(&plan.name())?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let hands = plan.wanted();
    let mut progress = Progress::new(hands, "hands", args.common.quiet);
    let mut show = |position: &Position| progress.show(position.hands, &note(position, hands));
    let outcome =
        measure(&plan, &folder, provenance(), args.common.threads.count(), &stop, &mut show);
    progress.finish();
    let outcome = outcome.map_err(failure)?;
    let shown = Output::report(
        &LbrReport::new(&plan, &outcome, &args.common.kept_in(&folder)),
        args.common.json,
    )?;
    if outcome.complete {
        return Ok(shown);
    }
    Ok(shown.then(Err(interrupted(outcome.hands, hands, "hands"))))
}

fn plan(args: &Args) -> Result<LbrSettings, Failure> {
    let def = args.common.game.load()?;
    let usual = match def.betting {
        Betting::Limit => Moves::FoldCallRaise,
        Betting::NoLimit => Moves::FoldCallPotAllIn,
    };
    let agent = args.common.asked(&args.common.agent)?;
    let all_hands = match (args.sampling.cards, args.sampling.sample_below) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(Failure::usage(
                "--sample-below is for valuing all hands: give --cards, too",
            ));
        }
        (Some(_), _) => Some(args.sampling.sampled()?),
    };
    Ok(LbrSettings {
        def,
        game_name: args.common.game.name().to_owned(),
        model_sha256: model_sha256(&agent)?,
        agent,
        moves: args.actions.unwrap_or(usual),
        from: args.from.street(),
        all_hands,
        hands: args.hands,
        seed: args.common.seed,
        shard: args.common.shard,
    })
}

fn failure(error: evaluation::Error) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::input(error) }
}

/// The rate so far and the half-width expected at the end, for the progress display.
fn note(position: &Position, hands: u64) -> String {
    position.rate.map_or_else(String::new, |rate| {
        format!(
            "{:+.0} ± {:.0} mbb/hand, ± {:.0} expected at the end",
            rate.mbb,
            rate.half_width(),
            rate.expected_half_width(hands)
        )
    })
}

/// Each way of counting, with its name and its sums: over all hands, then by the response's seat.
fn rows(plan: &LbrSettings, outcome: &Outcome) -> Vec<(String, Sums)> {
    let figures = &outcome.figures;
    let seat = |at: usize| {
        let seat = game::Seat::new(at).expect("a seat of two players");
        format!("response in seat {at}, {}", plan.def.position(seat))
    };
    let dealt = ("as dealt", figures.dealt, figures.dealt_seats);
    let expected = |name| (name, figures.expected, figures.expected_seats);
    let counted = match plan.all_hands {
        None => vec![dealt, expected("averaged over the agent's hands")],
        Some(_) => vec![expected("valued over all hands")],
    };
    let rows = counted.into_iter().flat_map(|(name, all, [zero, one])| {
        [(name.to_owned(), all), (format!("  {}", seat(0)), zero), (format!("  {}", seat(1)), one)]
    });
    rows.collect()
}

fn rate(plan: &LbrSettings, sums: &Sums) -> Result<Rate, NoRate> {
    Rate::of(sums, plan.def.big_blind())
}

/// Rounds as the papers number them: the turn is the third.
fn street_words(from: Street) -> String {
    match from {
        Street::Preflop => from.to_string(),
        _ => format!("the {from}"),
    }
}

fn rounds(from: Street) -> String {
    match from {
        Street::River => "round 4".to_owned(),
        _ => format!("rounds {}-4", from.index() + 1),
    }
}

/// The result of local best response.
#[derive(Serialize)]
struct LbrReport<'a> {
    agent: &'a str,
    game: &'a str,
    actions: String,
    from: &'static str,
    seed: u64,
    hands: u64,
    hands_planned: u64,
    complete: bool,
    cards: Option<u32>,
    sample_below: Option<f64>,
    dealt: RateOrReason,
    dealt_by_seat: [RateOrReason; 2],
    expected: RateOrReason,
    expected_by_seat: [RateOrReason; 2],
    published: Vec<PublishedRow>,
    #[serde(skip)]
    plan: &'a LbrSettings,
    #[serde(skip)]
    outcome: &'a Outcome,
    /// Where the results are kept, for the text.
    #[serde(skip)]
    kept: &'a str,
}

/// A rate, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
enum RateOrReason {
    Rate(Rate),
    None { reason: NoRate },
}

/// The published results against an agent.
#[derive(Serialize)]
struct PublishedRow {
    agent: &'static str,
    won: Vec<PublishedRate>,
}

#[derive(Serialize)]
struct PublishedRate {
    actions: &'static str,
    from: &'static str,
    mbb: i32,
    half_width: u32,
}

impl<'a> LbrReport<'a> {
    fn new(plan: &'a LbrSettings, outcome: &'a Outcome, kept: &'a str) -> LbrReport<'a> {
        let of = |sums: &Sums| match rate(plan, sums) {
            Ok(rate) => RateOrReason::Rate(rate),
            Err(reason) => RateOrReason::None { reason },
        };
        let figures = &outcome.figures;
        let published = ROWS.map(|row| {
            let won = SETTINGS.iter().zip(row.won).filter_map(|(&(actions, from), won)| {
                let (mbb, half_width) = won?;
                Some(PublishedRate { actions, from: from.name(), mbb, half_width })
            });
            PublishedRow { agent: row.agent, won: won.collect() }
        });
        LbrReport {
            agent: plan.agent.name(),
            game: &plan.game_name,
            actions: plan.moves.to_string(),
            from: plan.from.name(),
            seed: plan.seed,
            hands: outcome.hands,
            hands_planned: plan.wanted(),
            complete: outcome.complete,
            cards: plan.all_hands.map(|sampled| sampled.cards),
            sample_below: plan.all_hands.map(|sampled| sampled.below),
            dealt: of(&figures.dealt),
            dealt_by_seat: figures.dealt_seats.each_ref().map(of),
            expected: of(&figures.expected),
            expected_by_seat: figures.expected_seats.each_ref().map(of),
            published: published.into(),
            plan,
            outcome,
            kept,
        }
    }
}

impl Report for LbrReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-lbr/1";
}

impl fmt::Display for LbrReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LbrReport { plan, outcome, .. } = *self;
        write!(
            f,
            "{}, local best response {} from {} ({}), {}, seed {}\n{} of {} hands\n\n",
            plan.agent.name(),
            plan.moves,
            street_words(plan.from),
            rounds(plan.from),
            plan.game_name,
            plan.seed,
            whole(outcome.hands),
            whole(plan.wanted()),
        )?;
        let header = ["what it wins", "mbb/hand", "±", "95 % interval"];
        let mut table = Table::new(header).right(1..3).at_the_margin();
        for (name, sums) in rows(plan, outcome) {
            let [mbb, half, interval] = match rate(plan, &sums) {
                Ok(rate) => [
                    format!("{:+.1}", rate.mbb),
                    format!("{:.1}", rate.half_width()),
                    format!("{:+.1} to {:+.1}", rate.interval.low, rate.interval.high),
                ],
                Err(reason) => ["-".to_owned(), String::new(), reason.to_string()],
            };
            table.row([name, mbb, half, interval]);
        }
        writeln!(f, "{table}")?;
        f.write_str(match plan.all_hands {
        None => {
            "\nBoth count the same hands; averaged, what the agent held and the boards after the \
             last decision are\nnot left to chance. "
        }
        Some(_) => "\nAt each spot, both players have all hands they may hold there. ",
    })?;
        f.write_str(
            "A high rate shows that much could be won from the agent; a low one proves nothing.\n",
        )?;
        if plan.def.betting == Betting::NoLimit {
            f.write_str(&published(plan, outcome))?;
        }
        f.write_str(self.kept)
    }
}

/// The published table, with this measurement in its column.
fn published(plan: &LbrSettings, outcome: &Outcome) -> String {
    let column = |(moves, from): (&str, Street)| format!("{moves} {}-4", from.index() + 1);
    let header = ["mbb/hand, no-limit, 200 big blinds".to_owned()];
    let header = header.into_iter().chain(SETTINGS.map(column));
    let mut table = Table::new(header).right(1..).at_the_margin();
    let mut line = |name: &str, cells: [String; SETTINGS.len()]| {
        table.row([name.to_owned()].into_iter().chain(cells));
    };
    let ours = rate(plan, &outcome.figures.expected).ok();
    let here = (plan.moves.to_string(), plan.from);
    line(
        plan.agent.name(),
        SETTINGS.map(|(moves, from)| {
            let ours = ours.filter(|_| (moves, from) == (here.0.as_str(), here.1));
            ours.map_or_else(String::new, |rate| {
                format!("{:.0} ± {:.0}", rate.mbb, rate.half_width())
            })
        }),
    );
    for row in ROWS {
        let cell = |won: Option<(i32, u32)>| won.map(|(won, half)| format!("{won} ± {half}"));
        line(row.agent, row.won.map(|won| cell(won).unwrap_or_default()));
    }
    line(
        "always fold",
        SETTINGS.map(
            |(moves, _)| {
                if moves == "fc" { String::new() } else { ALWAYS_FOLD.to_string() }
            },
        ),
    );
    let others = OTHERS.map(|(agent, won, half)| {
        let half = half.map(|half| format!(" ± {half}")).unwrap_or_default();
        [agent.to_owned(), format!("{won}{half}")]
    });
    let others = Table::of(others).right(1..).at_the_margin();
    format!("\n{table}\n\nin one figure, moves as in their papers\n{others}\n")
}
