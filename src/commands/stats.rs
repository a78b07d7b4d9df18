//! `cardroom stats`: the results of a match, with confidence intervals.

use std::path::PathBuf;

use clap::ValueEnum;
use logs::stats::{FIRST_CHECK, winnings_curve};
use matches::estimates::{Extent, Keeper, Values, Wanted};
use matches::source::Source;

use crate::arguments::Given;
use crate::exit::Failure;
use crate::match_options::provenance;
use crate::output::{self, Output, warn};
use crate::report::{self, Effort};
use crate::resolve_names::Named;

/// Analyse a match: win rates with 95 % intervals, splits, luck-adjusted results.
///
/// Reads a match folder, a ledger, or the log of any ACPC dealer. Intervals are by normal theory on
/// duplicate groups and by bootstrap, with a note when they disagree; another interval is valid at
/// any time. docs/statistics.md explains each figure, docs/report.md the JSON document.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    given: Given,
    /// A match folder, a ledger, or an ACPC log
    #[arg(value_name = "MATCH")]
    source: PathBuf,
    #[arg(from_global)]
    json: bool,
    /// Also report how many hands an interval of ±X mbb/hand needs
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    half_width: Option<f64>,
    /// Also report how many hands these agents need, by the measured spread: for intervals, for
    /// separating a rate from zero, and for --sprt
    #[arg(long)]
    plan: bool,
    /// Exact expected value of hands that were all-in before the last street
    #[arg(long, value_enum, default_value_t = AllInMode::Auto)]
    allin: AllInMode,
    /// Estimates of the first entrant's rate with less variance, for heads-up hold'em only: `auto`
    /// takes about a second, corrects as many deals as that allows, drawn at random, and says what
    /// more time would give; N corrects about N deals, `all` every deal, on all processors. They
    /// are kept in the match's folder, in `estimates.json`
    #[arg(long, value_name = "auto|all|off|N", default_value_t = Extent::Second)]
    estimates: Extent,
    /// The value function of the estimates: `blueprint`, as if both sides played the game's shipped
    /// blueprint; `agents`, as if both played on with their own strategies, each asked with three
    /// hands of each bucket; `cards`, the same with the exact cards; `equity`, by shares of the
    /// pot, for any game and ten times as fast; or FILE, a blueprint of `cardroom train cfr`.
    /// `auto` is the one that narrows the interval most in a second, tried on a few deals; with
    /// `--estimates all` or N, `agents` if both can be asked, else `blueprint`, else `equity`
    #[arg(long, value_name = "VALUES", default_value = "auto",
        value_parser = |text: &str| Ok::<_, String>(Values::named(text)))]
    values: Values,
    /// Also list the first entrant's N worst hands
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: u16,
    /// Also list the N hands with the biggest pots
    #[arg(long, value_name = "N", default_value_t = 0)]
    biggest: u16,
    /// Also list the N hands in which the first entrant gained most by the luck of the cards, of
    /// those that the estimates correct
    #[arg(long, value_name = "N", default_value_t = 0)]
    luckiest: u16,
    #[command(flatten)]
    named: Named,
    /// The game of an ACPC log, if its first line does not identify it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Also draw the winnings of the first entrant into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[arg(from_global)]
    quiet: bool,
}

/// The number of boards for all-ins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AllInMode {
    /// As many as possible in some seconds; reports what is left out
    Auto,
    /// All of them: up to 1,370,754 for each new all-in of three hands before the flop
    Exact,
    /// None
    Off,
}

/// Runs the command: reads the match and prints its report.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    if args.half_width.is_some_and(|wanted| !(0.001..=1e6).contains(&wanted)) {
        return Err(Failure::usage("--half-width must be from 0.001 to 1000000"));
    }
    if args.estimates == Extent::None {
        let why = "it is for estimates, which are off";
        args.given.refuse(&["values", "luckiest"], why)?;
    }
    let source = Source::open(&args.source, args.game.as_deref(), warn)?;
    let boards = match args.allin {
        AllInMode::Auto => Effort::AUTO_BOARDS,
        AllInMode::Exact => u64::MAX,
        AllInMode::Off => 0,
    };
    let estimates = Wanted {
        extent: args.estimates,
        values: args.values.clone(),
        luckiest: args.luckiest.into(),
    };
    let listed = [args.worst, args.biggest].map(usize::from);
    let effort = Effort { boards, estimates, listed };
    let asked = args.estimates != Extent::None;
    let registry = asked.then(|| args.named.registry()).transpose()?;
    let ledger = source.ledger();
    let record = ledger.map(|ledger| report::integrity(ledger, args.quiet)).transpose()?;
    let keeper = record.as_ref().filter(|_| asked && args.source.is_dir()).and_then(|record| {
        let program = provenance();
        Keeper::for_folder(&args.source, record, source.info(), registry.as_ref(), &program)
    });
    let added = report::add_up(&source, &effort, registry.as_ref(), keeper.as_ref(), args.quiet)?;
    if let Some(path) = &args.svg {
        report::write(path, &winnings_curve(source.info(), &added.tally, 0).file())?;
    }
    let mut report = added.report(&source, args.half_width)?.with_record(record);
    if args.plan {
        report = report.with_plan(args.half_width);
        if report.plan.is_empty() {
            return Err(Failure::input(anyhow::anyhow!(
                "{} gives nothing to plan with: {FIRST_CHECK} deals with different results are \
                 needed",
                args.source.display()
            )));
        }
    }
    report::output(&report, args.json)
}
