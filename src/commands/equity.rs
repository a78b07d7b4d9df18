//! `cardroom show equity`: exact equities of hands, as text, JSON and pictures.

use std::path::PathBuf;

use cards::Range;
use models::equity::{
    Distributions, HandReport, HandVsRange, PreflopReport, RangeVsRange, ShowdownReport,
};

use crate::exit::Failure;
use crate::hand_args::{
    Method, TiesArg, check_disjoint, is_range, parse_board, parse_hand, parse_quantiles,
    parse_range,
};
use crate::output::{self, Output, Report};
use crate::report;

/// The largest number of bars: a picture of 80 columns has no room for more.
const MAX_BINS: usize = 1_000;

/// Compute how often hands win in heads-up hold'em: exact counts, no sampling.
///
/// Two to ten hands are compared on every possible board. A single hand is compared with every hand
/// the opponent can hold, or with the range of --against; its equity on later streets is shown
/// with quantiles and bars. Two ranges are compared hand by hand, each pair weighed by both.
///
/// A range has the usual notation: `QQ+,AKs,A5s-A2s,KQo:0.5,AhKh` (the number after `:` is a
/// weight).
#[derive(clap::Args)]
pub struct Args {
    /// Hands of two cards, as in AcKd, or one or two ranges
    #[arg(value_name = "HAND", required_unless_present = "preflop")]
    hands: Vec<String>,
    /// Board cards: three, four or five, as in Ks3hJc
    #[arg(long, value_name = "CARDS")]
    board: Option<String>,
    /// The opponent's range [default: every hand]
    #[arg(long, value_name = "RANGE")]
    against: Option<String>,
    /// Show the chart of all 169 starting hands
    #[arg(long, conflicts_with_all = ["hands", "board", "against", "quantiles", "method", "bins"])]
    preflop: bool,
    /// What a tie counts
    #[arg(long, value_enum, default_value_t)]
    ties: TiesArg,
    /// Quantiles for later streets, in percent [default: 10,20,…,100]
    #[arg(long, value_name = "PERCENT,…")]
    quantiles: Option<String>,
    /// How quantiles are computed [default: nearest]
    #[arg(long, value_enum)]
    method: Option<Method>,
    /// Number of bars for later streets, from equity 0 to 1 [default: 20]
    #[arg(long, value_name = "N")]
    bins: Option<usize>,
    /// Also draw the distributions, or the chart, into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: computes the equities and prints them.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    if args.preflop {
        let chart = PreflopReport::new(args.ties.ties());
        return finish(args, || chart.picture(), &chart);
    }
    if args.hands.iter().any(|text| is_range(text)) {
        return ranges(args);
    }
    let hands = args.hands.iter().map(|text| parse_hand(text)).collect::<Result<Vec<_>, _>>()?;
    let board = parse_board(args.board.as_deref())?;
    check_disjoint(&hands, &board)?;
    if hands.len() > 1 || args.against.is_some() {
        refuse_distribution(args, hands.len())?;
    }
    match (hands.as_slice(), &args.against) {
        ([hand], None) => {
            let one = HandReport::new(hand, &board, &distributions(args)?)?;
            finish(args, || one.picture(), &one)
        }
        ([hand], Some(range)) => {
            let range = parse_range(range, "of --against")?;
            finish(args, String::new, &HandVsRange::new(hand, &board, range, args.ties.ties())?)
        }
        (_, Some(_)) => {
            Err(Failure::usage(format!("--against is for one hand, and {} are given", hands.len())))
        }
        _ => {
            let report = ShowdownReport::new(&hands, &board, args.ties.ties());
            let report = report.map_err(|error| match hands.len() {
                2..=10 => Failure::input(error),
                _ => Failure::usage(error),
            })?;
            finish(args, String::new, &report)
        }
    }
}

/// A range against another, by default every hand.
fn ranges(args: &Args) -> Result<Output, Failure> {
    let (texts, given) = (&args.hands, args.hands.len());
    let what = |text: &str| format!("`{}`", text.chars().take(60).collect::<String>());
    let range = |text: &String| parse_range(text, &what(text));
    let [first, second] = match (&texts[..], &args.against) {
        ([one], None) => [range(one)?, Range::uniform()],
        ([one], Some(other)) => [range(one)?, parse_range(other, "of --against")?],
        ([one, other], None) => [range(one)?, range(other)?],
        (_, Some(_)) => {
            return Err(Failure::usage(format!(
                "--against is for one range, and {given} are given"
            )));
        }
        _ => return Err(Failure::usage(format!("{given} ranges are given: give one or two"))),
    };
    refuse_distribution(args, 1)?;
    let board = parse_board(args.board.as_deref())?;
    finish(args, String::new, &RangeVsRange::new([first, second], &board, args.ties.ties())?)
}

/// How the distributions on later streets are shown.
fn distributions(args: &Args) -> Result<Distributions, Failure> {
    let quantiles = match &args.quantiles {
        Some(text) => parse_quantiles(text)?,
        None => (1..=10).map(|tenth| f64::from(10 * tenth)).collect(),
    };
    let bins = args.bins.unwrap_or(20);
    if !(1..=MAX_BINS).contains(&bins) {
        return Err(Failure::usage(format!("--bins is {bins}, but must be from 1 to {MAX_BINS}")));
    }
    let method = args.method.unwrap_or_default().quantiles();
    Ok(Distributions { ties: args.ties.ties(), method, quantiles, bins })
}

/// Refuses options that apply only to one hand against every hand.
fn refuse_distribution(args: &Args, hands: usize) -> Result<(), Failure> {
    let given = [
        ("--quantiles", args.quantiles.is_some()),
        ("--method", args.method.is_some()),
        ("--bins", args.bins.is_some()),
        ("--svg", args.svg.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) if hands > 1 => Err(Failure::usage(format!(
            "{option} is about one hand's distributions, and {hands} hands are given"
        ))),
        Some((option, _)) => Err(Failure::usage(format!(
            "{option} is about distributions against every hand: leave it away, or give one hand"
        ))),
        None => Ok(()),
    }
}

/// Writes the picture if requested, then returns the result.
fn finish(
    args: &Args,
    picture: impl FnOnce() -> String,
    result: &impl Report,
) -> Result<Output, Failure> {
    if let Some(path) = &args.svg {
        report::write(path, &picture())?;
    }
    Output::report(result, args.json)
}

impl Report for HandReport {
    const SCHEMA: &'static str = "cardroom-equity/2";
}

impl Report for ShowdownReport {
    const SCHEMA: &'static str = "cardroom-equity/2";
}

impl Report for HandVsRange {
    const SCHEMA: &'static str = "cardroom-equity/2";
}

impl Report for RangeVsRange {
    const SCHEMA: &'static str = "cardroom-equity/2";
}

impl Report for PreflopReport {
    const SCHEMA: &'static str = "cardroom-equity/2";
}
