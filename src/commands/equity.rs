//! `cardroom equity`: exact win-rates of hands.

use std::path::PathBuf;

use cards::Range;

use crate::exit::Failure;
use crate::odds::against::{HandVsRange, RangeVsRange};
use crate::odds::chart::Chart;
use crate::odds::hands::Showdown;
use crate::odds::outlook::{Prospect, Show};
use crate::odds::{Method, TiesArg, input, svg};
use crate::output::{self, Output, Shown};
use crate::report;

/// The largest number of bars: a picture of 80 columns has no room for more.
const BINS: usize = 1_000;

/// Compute how often hands win in heads-up hold'em: exact counts, no sampling.
///
/// Two to ten hands are compared on every possible board. A single hand is compared with every hand
/// the opponent can hold, or with the range of --against; its win-rate on later streets is shown
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
    /// Number of bars for later streets, from win-rate 0 to 1 [default: 20]
    #[arg(long, value_name = "N")]
    bins: Option<usize>,
    /// Also draw the distributions, or the chart, into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command: computes the win-rates and prints them.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    if args.preflop {
        let chart = Chart::new(args.ties);
        return finish(args, || svg::chart(&chart), &chart);
    }
    if args.hands.iter().any(|text| input::is_range(text)) {
        return ranges(args);
    }
    let hands = args.hands.iter().map(|text| input::hand(text)).collect::<Result<Vec<_>, _>>()?;
    let board = input::board(args.board.as_deref())?;
    input::disjoint(&hands, &board)?;
    if hands.len() > 1 || args.against.is_some() {
        refuse_distribution(args, hands.len())?;
    }
    let mut one = hands.iter();
    match (one.next(), one.next(), &args.against) {
        (Some(hand), None, None) => {
            let prospect = Prospect::new(hand.clone(), board, show(args)?)?;
            finish(args, || svg::histograms(&prospect), &prospect)
        }
        (Some(hand), None, Some(range)) => {
            let against = HandVsRange::new(
                hand.clone(),
                board,
                input::range(range, "of --against")?,
                args.ties,
            )?;
            finish(args, String::new, &against)
        }
        (_, _, Some(_)) => {
            Err(Failure::usage(format!("--against is for one hand, and {} are given", hands.len())))
        }
        _ => {
            let showdown = Showdown::new(hands, board, args.ties)?;
            finish(args, String::new, &showdown)
        }
    }
}

/// A range against another, by default every hand.
fn ranges(args: &Args) -> Result<Output, Failure> {
    let (texts, given) = (&args.hands, args.hands.len());
    let what = |text: &str| format!("`{}`", text.chars().take(60).collect::<String>());
    let range = |text: &String| input::range(text, &what(text));
    let [first, second] = match (&texts[..], &args.against) {
        ([one], None) => [range(one)?, Range::uniform()],
        ([one], Some(other)) => [range(one)?, input::range(other, "of --against")?],
        ([one, other], None) => [range(one)?, range(other)?],
        (_, Some(_)) => {
            return Err(Failure::usage(format!(
                "--against is for one range, and {given} are given"
            )));
        }
        _ => return Err(Failure::usage(format!("{given} ranges are given: give one or two"))),
    };
    refuse_distribution(args, 1)?;
    let against =
        RangeVsRange::new([first, second], input::board(args.board.as_deref())?, args.ties)?;
    finish(args, String::new, &against)
}

fn show(args: &Args) -> Result<Show, Failure> {
    let quantiles = match &args.quantiles {
        Some(text) => input::quantiles(text)?,
        None => (1..=10).map(|tenth| f64::from(10 * tenth)).collect(),
    };
    let bins = args.bins.unwrap_or(20);
    if !(1..=BINS).contains(&bins) {
        return Err(Failure::usage(format!("--bins is {bins}, but must be from 1 to {BINS}")));
    }
    let (ties, method) = (args.ties, args.method.unwrap_or_default());
    Ok(Show { ties, method, quantiles, bins })
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
    result: &impl Shown,
) -> Result<Output, Failure> {
    if let Some(path) = &args.svg {
        report::write(path, &picture())?;
    }
    Output::of(result, args.json)
}
