//! `cardroom show equity`: exact win-rates of hands, as text, JSON and pictures.

use std::fmt;
use std::path::PathBuf;

use cards::{
    CardSet, Distribution, Outlook, Range, RiverTable, Share, ShowdownSums, StartingHand, Ties,
    WinRate, all_in, all_in_multiway, win_rate,
};
use serde::Serialize;
use show::number::{counted, percent, plural, whole};
use show::svg::{Colour, Head, Heading, Letters, Picture};

use crate::chart::grid;
use crate::exit::Failure;
use crate::hand_args::{
    BoardArg, HandArg, Method, TiesArg, check_disjoint, is_range, on_board, parse_board,
    parse_hand, parse_quantiles, parse_range, street_name,
};
use crate::output::{self, Output, Report};
use crate::report;

/// The largest number of bars: a picture of 80 columns has no room for more.
const MAX_BINS: usize = 1_000;

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
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: computes the win-rates and prints them.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    if args.preflop {
        let chart = PreflopReport::new(args.ties);
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
            let one = HandReport::new(hand, &board, &Distributions::new(args)?)?;
            finish(args, || one.picture(), &one)
        }
        ([hand], Some(range)) => {
            let range = parse_range(range, "of --against")?;
            finish(args, String::new, &HandVsRange::new(hand, &board, range, args.ties)?)
        }
        (_, Some(_)) => {
            Err(Failure::usage(format!("--against is for one hand, and {} are given", hands.len())))
        }
        _ => finish(args, String::new, &ShowdownReport::new(&hands, &board, args.ties)?),
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
    finish(args, String::new, &RangeVsRange::new([first, second], &board, args.ties)?)
}

/// How the distributions on later streets are shown.
struct Distributions {
    ties: TiesArg,
    method: Method,
    /// Percentages from 0 to 100.
    quantiles: Vec<f64>,
    /// The number of bars.
    bins: usize,
}

impl Distributions {
    fn new(args: &Args) -> Result<Distributions, Failure> {
        let quantiles = match &args.quantiles {
            Some(text) => parse_quantiles(text)?,
            None => (1..=10).map(|tenth| f64::from(10 * tenth)).collect(),
        };
        let bins = args.bins.unwrap_or(20);
        if !(1..=MAX_BINS).contains(&bins) {
            return Err(Failure::usage(format!(
                "--bins is {bins}, but must be from 1 to {MAX_BINS}"
            )));
        }
        let (ties, method) = (args.ties, args.method.unwrap_or_default());
        Ok(Distributions { ties, method, quantiles, bins })
    }

    /// The quantile of a distribution at a percentage.
    fn quantile(&self, distribution: &Distribution, percentage: f64) -> f64 {
        match self.method {
            Method::Nearest => distribution.quantile(percentage / 100.0),
            Method::Linear => distribution.quantile_linear(percentage / 100.0),
        }
    }
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

/// One hand against a random hand: its win-rate now, and its distribution over the boards to come.
#[derive(Serialize)]
struct HandReport {
    kind: &'static str,
    hand: String,
    board: String,
    street: &'static str,
    ties_count: TiesArg,
    quantile_method: Method,
    wins: u64,
    ties: u64,
    losses: u64,
    total: u64,
    win_rate: f64,
    later: Vec<LaterStreet>,
    /// The percentages of the quantiles.
    #[serde(skip)]
    percentages: Vec<f64>,
}

/// The distribution on a later street.
#[derive(Serialize)]
struct LaterStreet {
    street: &'static str,
    boards: u32,
    quantiles: Vec<Quantile>,
    histogram: Vec<u32>,
    /// The quantiles at 10, 50 and 90 %.
    #[serde(skip)]
    spread: [f64; 3],
}

#[derive(Serialize)]
struct Quantile {
    percent: f64,
    win_rate: f64,
}

impl Report for HandReport {
    const SCHEMA: &'static str = "cardroom-equity/1";
}

/// The length of the longest bar, in characters.
const BAR: usize = 44;

impl HandReport {
    /// Counts all boards. Takes half a second before the flop, a few milliseconds later.
    fn new(hand: &HandArg, board: &BoardArg, shown: &Distributions) -> Result<Self, Failure> {
        let rate = win_rate(hand.combo, board.cards)?;
        let ties = shown.ties.ties();
        let outlook = if board.cards.is_empty() {
            RiverTable::shared(ties).outlook(hand.combo, board.cards)?
        } else {
            Outlook::new(hand.combo, board.cards, ties)?
        };
        let streets = &["flop", "turn", "river"][3 - outlook.later().len()..];
        let later = streets.iter().zip(outlook.later()).map(|(&street, distribution)| {
            let quantile = |percent| shown.quantile(distribution, percent);
            let quantiles = shown.quantiles.iter();
            LaterStreet {
                street,
                boards: distribution.boards(),
                quantiles: quantiles
                    .map(|&percent| Quantile { percent, win_rate: quantile(percent) })
                    .collect(),
                histogram: distribution.histogram(shown.bins),
                spread: [10.0, 50.0, 90.0].map(quantile),
            }
        });
        Ok(HandReport {
            kind: "any",
            hand: hand.text.clone(),
            board: board.text.clone(),
            street: street_name(board.cards),
            ties_count: shown.ties,
            quantile_method: shown.method,
            wins: rate.wins,
            ties: rate.ties,
            losses: rate.losses(),
            total: rate.total,
            win_rate: rate.value(ties),
            later: later.collect(),
            percentages: shown.quantiles.clone(),
        })
    }

    /// Writes a table of quantiles, ten in a row.
    fn write_quantiles(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.later.first() else { return Ok(()) };
        let count = first.quantiles.len();
        for chunk in (0..count).step_by(10).map(|start| start..(start + 10).min(count)) {
            write!(f, "\n{:<9}", "quantile")?;
            for Quantile { percent, .. } in &first.quantiles[chunk.clone()] {
                write!(f, "{:>7}", format!("{percent} %"))?;
            }
            writeln!(f)?;
            for later in &self.later {
                write!(f, "{:<9}", later.street)?;
                for Quantile { win_rate, .. } in &later.quantiles[chunk.clone()] {
                    write!(f, "{:>7.2}", 100.0 * win_rate)?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl LaterStreet {
    /// Writes a bar for each interval from the first to the last that has boards.
    fn write_bars(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.histogram;
        let filled = |count: &u32| *count > 0;
        let (Some(first), Some(last)) =
            (counts.iter().position(filled), counts.iter().rposition(filled))
        else {
            return Ok(());
        };
        let boards = whole(u64::from(self.boards));
        write!(f, "\nwin-rate on the {}, {boards} boards\n\n", self.street)?;
        let most = counts.iter().copied().max().unwrap_or(1);
        for (bin, &count) in counts.iter().enumerate().take(last + 1).skip(first) {
            let bar = bar(f64::from(count) / f64::from(most));
            let share = percent(f64::from(count) / f64::from(self.boards), 1);
            let count = whole(u64::from(count));
            // The interval, such as `55–60 %`.
            let edge = |bin: usize| (1e4 * bin as f64 / counts.len() as f64).round() / 100.0;
            let label = format!("{}–{} %", edge(bin), edge(bin + 1));
            let line = format!("{label:>13}  {bar:<BAR$} {count:>9} {share:>7}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl fmt::Display for HandReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (board, total) = (on_board(&self.board), whole(self.total));
        write!(f, "{} {board} against any hand: {total} endings\n\n", self.hand)?;
        for (name, count) in [("wins", self.wins), ("ties", self.ties), ("losses", self.losses)] {
            let share = percent(count as f64 / self.total as f64, 4);
            writeln!(f, "{name:<9}{:>16}{share:>12}", whole(count))?;
        }
        let (rate, words) = (percent(self.win_rate, 4), self.ties_count.words());
        writeln!(f, "{:<9}{:>16}{rate:>12}   {words}", "win-rate", "")?;
        self.write_quantiles(f)?;
        self.later.iter().try_for_each(|later| later.write_bars(f))
    }
}

/// A bar in eighths of a character; a positive share always shows.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * (8 * BAR) as f64).round() as usize;
    let eighths = eighths.max(usize::from(share > 0.0));
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

/// Known hands against each other, over all boards.
#[derive(Serialize)]
struct ShowdownReport {
    kind: &'static str,
    board: String,
    street: &'static str,
    ties_count: TiesArg,
    total: u64,
    hands: Vec<HandShare>,
}

#[derive(Serialize)]
struct HandShare {
    hand: String,
    wins: u64,
    ties: u64,
    losses: u64,
    equity: f64,
}

impl Report for ShowdownReport {
    const SCHEMA: &'static str = "cardroom-equity/1";
}

impl ShowdownReport {
    /// Counts all boards.
    fn new(hands: &[HandArg], board: &BoardArg, ties: TiesArg) -> Result<Self, Failure> {
        let shares = match hands {
            [one, other] => {
                let rate = all_in(one.combo, other.combo, board.cards)?;
                let share = |wins| Share {
                    wins,
                    ties: rate.ties,
                    total: rate.total,
                    parts: 2_520 * wins + 1_260 * rate.ties,
                };
                vec![share(rate.wins), share(rate.losses())]
            }
            _ => {
                let combos: Vec<_> = hands.iter().map(|hand| hand.combo).collect();
                let hands_are_fit = (2..=10).contains(&combos.len());
                all_in_multiway(&combos, board.cards).map_err(|error| {
                    if hands_are_fit { Failure::input(error) } else { Failure::usage(error) }
                })?
            }
        };
        let equity = |share: &Share| match ties.ties() {
            Ties::Half => share.equity(),
            Ties::WinOnly => share.wins as f64 / share.total as f64,
        };
        let hand = |(hand, share): (&HandArg, &Share)| HandShare {
            hand: hand.text.clone(),
            wins: share.wins,
            ties: share.ties,
            losses: share.total - share.wins - share.ties,
            equity: equity(share),
        };
        Ok(ShowdownReport {
            kind: "hands",
            board: board.text.clone(),
            street: street_name(board.cards),
            ties_count: ties,
            total: shares[0].total,
            hands: hands.iter().zip(&shares).map(hand).collect(),
        })
    }
}

impl fmt::Display for ShowdownReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.hands.iter().map(|hand| hand.hand.as_str()).collect();
        let header = ["hand", "wins", "", "ties", "", "equity"];
        let mut table = show::Table::new(header).right(1..).at_the_margin();
        for hand in &self.hands {
            let of_all = |count: u64| percent(count as f64 / self.total as f64, 3);
            table.row([
                hand.hand.clone(),
                whole(hand.wins),
                of_all(hand.wins),
                whole(hand.ties),
                of_all(hand.ties),
                percent(hand.equity, 4),
            ]);
        }
        let boards = counted(self.total, "board");
        writeln!(f, "{} {}: {boards}\n\n{table}", names.join(" v "), on_board(&self.board))?;
        match self.ties_count {
            TiesArg::WinOnly => writeln!(f, "\nties count nothing"),
            TiesArg::Half => Ok(()),
        }
    }
}

/// The results of all pairs of hands, each weighed by both ranges.
#[derive(Serialize)]
struct Counts {
    wins: f64,
    ties: f64,
    losses: f64,
    total: f64,
    win_rate: f64,
}

impl Counts {
    /// `None` if no hands meet.
    fn new(sums: ShowdownSums, ties: TiesArg) -> Option<Counts> {
        let win_rate = sums.win_rate(ties.ties())?;
        let ShowdownSums { wins, ties, total } = sums;
        Some(Counts { wins, ties, losses: sums.losses(), total, win_rate })
    }

    /// The lines of wins, ties, losses and the win-rate.
    fn text(&self, ties_count: TiesArg) -> String {
        let mut text = String::from("\n");
        for (name, count) in [("wins", self.wins), ("ties", self.ties), ("losses", self.losses)] {
            let share = percent(count / self.total, 4);
            text.push_str(&format!("{name:<9}{:>20}{share:>12}\n", number(count)));
        }
        let (rate, words) = (percent(self.win_rate, 4), ties_count.words());
        text.push_str(&format!("{:<9}{:>20}{rate:>12}   {words}\n", "win-rate", ""));
        text
    }
}

/// A hand against a range, over all boards.
#[derive(Serialize)]
struct HandVsRange {
    kind: &'static str,
    hand: String,
    board: String,
    street: &'static str,
    ties_count: TiesArg,
    /// The range as given.
    range: String,
    /// The combos of the range that use no known card.
    combos: usize,
    weight: f64,
    #[serde(flatten)]
    counts: Counts,
}

impl Report for HandVsRange {
    const SCHEMA: &'static str = "cardroom-equity/1";
}

impl HandVsRange {
    /// Counts all boards for every hand of the range.
    fn new(
        hand: &HandArg,
        board: &BoardArg,
        range: Range,
        ties: TiesArg,
    ) -> Result<HandVsRange, Failure> {
        let asked = range.to_string();
        let range = range.without(hand.combo.set() | board.cards);
        let sums = range.showdown_sums(hand.combo, board.cards)?;
        let Some(counts) = Counts::new(sums, ties) else {
            let asked: String = asked.chars().take(60).collect();
            return Err(Failure::input(anyhow::anyhow!(
                "the range `{asked}` of --against is empty: every hand in it holds a card of {} or \
                 the board, or weighs nothing; give a range with other hands",
                hand.text
            )));
        };
        Ok(HandVsRange {
            kind: "range",
            hand: hand.text.clone(),
            board: board.text.clone(),
            street: street_name(board.cards),
            ties_count: ties,
            range: asked,
            combos: range.combos().count(),
            weight: range.total(),
            counts,
        })
    }
}

impl fmt::Display for HandVsRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} against\n\n", self.hand, on_board(&self.board))?;
        for line in wrapped(&self.range, 76) {
            writeln!(f, "  {line}")?;
        }
        let (hands, weighing) = hands_in_words(self.combos, self.weight);
        writeln!(f, "\n{hands} left{weighing}")?;
        f.write_str(&self.counts.text(self.ties_count))
    }
}

/// A range against a range, over all boards.
#[derive(Serialize)]
struct RangeVsRange {
    kind: &'static str,
    board: String,
    street: &'static str,
    ties_count: TiesArg,
    /// Both ranges as given.
    ranges: [String; 2],
    /// The combos of each range that use no card of the board.
    combos: [usize; 2],
    weights: [f64; 2],
    #[serde(flatten)]
    counts: Counts,
}

impl Report for RangeVsRange {
    const SCHEMA: &'static str = "cardroom-equity/1";
}

impl RangeVsRange {
    /// Counts all boards for every pair of hands.
    fn new(ranges: [Range; 2], board: &BoardArg, ties: TiesArg) -> Result<RangeVsRange, Failure> {
        let asked = ranges.each_ref().map(ToString::to_string);
        let ranges = ranges.map(|range| range.without(board.cards));
        let sums = ranges[0].sums_against(&ranges[1], board.cards)?;
        let Some(counts) = Counts::new(sums, ties) else {
            let [one, other] = asked.each_ref().map(|text| text.chars().take(60).collect());
            let (one, other): (String, String) = (one, other);
            return Err(Failure::input(anyhow::anyhow!(
                "no hand of the range `{one}` can meet one of `{other}`: they share cards with \
                 each other or the board, or weigh nothing; give ranges with other hands"
            )));
        };
        Ok(RangeVsRange {
            kind: "ranges",
            board: board.text.clone(),
            street: street_name(board.cards),
            ties_count: ties,
            ranges: asked,
            combos: ranges.each_ref().map(|range| range.combos().count()),
            weights: ranges.each_ref().map(Range::total),
            counts,
        })
    }
}

impl fmt::Display for RangeVsRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, range) in self.ranges.iter().enumerate() {
            if number > 0 {
                f.write_str("\nagainst\n\n")?;
            }
            for line in wrapped(range, 76) {
                writeln!(f, "  {line}")?;
            }
            let (hands, weighing) = hands_in_words(self.combos[number], self.weights[number]);
            writeln!(f, "  ({hands}{weighing})")?;
        }
        writeln!(f, "\n{}, every pair of hands on every board", on_board(&self.board))?;
        f.write_str(&self.counts.text(self.ties_count))
    }
}

/// The number of a range's hands in words, and what they weigh where that is less.
fn hands_in_words(combos: usize, weight: f64) -> (String, String) {
    let weighing = if weight == combos as f64 {
        String::new()
    } else {
        format!(" that weigh {}", number(weight))
    };
    (format!("{} {}", whole(combos as u64), plural(combos as u64, "hand")), weighing)
}

/// A count, with a fraction if weights make one.
fn number(count: f64) -> String {
    let thousandths = (1e3 * count).round() as u64;
    let fraction = format!(".{:03}", thousandths % 1000);
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{}{fraction}", whole(thousandths / 1000))
}

/// A comma-separated list in lines of at most `width` characters.
fn wrapped(list: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for item in list.split_inclusive(',') {
        let last = lines.last_mut().expect("there is always one");
        if !last.is_empty() && last.len() + item.len() > width {
            lines.push(item.to_owned());
        } else {
            last.push_str(item);
        }
    }
    lines
}

/// The exact win-rates of the 169 starting hands, row by row from the aces down.
#[derive(Serialize)]
struct PreflopReport {
    kind: &'static str,
    ties_count: TiesArg,
    total: u64,
    hands: Vec<StartingHandRate>,
}

#[derive(Serialize)]
struct StartingHandRate {
    hand: String,
    combos: usize,
    wins: u64,
    ties: u64,
    losses: u64,
    win_rate: f64,
}

impl Report for PreflopReport {
    const SCHEMA: &'static str = "cardroom-equity/1";
}

impl PreflopReport {
    fn new(ties: TiesArg) -> PreflopReport {
        let rate = |hand: StartingHand| -> WinRate {
            let combo = hand.combos().next().expect("every kind of hand has combos");
            win_rate(combo, CardSet::EMPTY).expect("any hand can be held before the flop")
        };
        let rates: Vec<_> = StartingHand::all().map(|hand| (hand, rate(hand))).collect();
        let hand = |&(hand, rate): &(StartingHand, WinRate)| StartingHandRate {
            hand: hand.to_string(),
            combos: hand.combos().count(),
            wins: rate.wins,
            ties: rate.ties,
            losses: rate.losses(),
            win_rate: rate.value(ties.ties()),
        };
        PreflopReport {
            kind: "chart",
            ties_count: ties,
            total: rates[0].1.total,
            hands: rates.iter().map(hand).collect(),
        }
    }

    /// The chart of starting hands; a greener cell has a higher win rate.
    fn picture(&self) -> String {
        const CELL: f64 = 52.0;
        const TALL: f64 = 40.0;
        let title =
            format!("Win-rates before the flop against any hand; {}", self.ties_count.words());
        let text = "Pairs on the diagonal, suited hands above it, offsuit hands below; in percent.";
        let [width, height] = grid::size([CELL, TALL]);
        let heading = Heading::new(&title, "", width);
        let head = HEAD + heading.extra_height();
        let mut picture = open([width + 2.0 * EDGE, height + head + EDGE], &title, text);
        heading.draw(&mut picture, [EDGE, 20.0]);
        let corners = grid::corners([EDGE, head], [CELL, TALL]);
        for (hand, [x, y]) in self.hands.iter().zip(corners) {
            let value = hand.win_rate;
            let shade = ((value - 0.3) / 0.56).clamp(0.03, 1.0);
            picture.add(format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" class=\"bar\" \
                 opacity=\"{:.2}\"/>",
                x + 1.0,
                y + 1.0,
                CELL - 2.0,
                TALL - 2.0,
                0.75 * shade
            ));
            let middle = x + 0.5 * CELL;
            let bold = "text-anchor=\"middle\" font-weight=\"bold\"";
            picture.text([middle, y + 17.0], bold, &hand.hand);
            let value = format!("{:.2}", 100.0 * value);
            picture.text([middle, y + 32.0], "text-anchor=\"middle\"", &value);
        }
        picture.finish()
    }
}

impl fmt::Display for PreflopReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |number: usize| format!("{:>6.2}", 100.0 * self.hands[number].win_rate);
        let grid = grid::text(|rank| format!("{:>6}", rank.to_char()), cell);
        writeln!(
            f,
            "win-rates {} against any hand, in percent; {}\nsuited above the diagonal, offsuit \
             below\n\n{grid}",
            on_board(""),
            self.ties_count.words()
        )
    }
}

const WIDTH: f64 = 720.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
/// The height of a histogram with its title and axis.
const PANEL: f64 = 246.0;
const PANEL_TOP: f64 = 50.0;
const PLOT: f64 = 150.0;
const HEAD: f64 = 34.0;
const EDGE: f64 = 12.0;

impl HandReport {
    /// The distributions of later streets as histograms, one below the other.
    fn picture(&self) -> String {
        let panels = self.later.len();
        let title = format!(
            "{} {} against any hand: win-rate {}",
            self.hand,
            on_board(&self.board),
            percent(self.win_rate, 2)
        );
        let mut text = String::from("Histograms of the win-rate over the boards that may come.");
        for LaterStreet { street, spread, .. } in &self.later {
            let [low, middle, high] = spread.map(|rate| percent(rate, 1));
            text +=
                &format!(" On the {street}: 10th percentile {low}, median {middle}, 90th {high}.");
        }
        let quantiles = format!("▲ {}", percentages(&self.percentages));
        let quantiles_width = Letters::regular(12.0).wide(&quantiles);
        let width = (WIDTH - RIGHT - quantiles_width - 2.0 * EDGE).max(0.4 * WIDTH);
        let heading = Heading::new(&title, "", width);
        let head = HEAD + heading.extra_height();
        let mut picture = open([WIDTH, head + PANEL * panels as f64], &title, &text);
        heading.draw(&mut picture, [EDGE, 20.0]);
        picture.text([WIDTH - RIGHT, 20.0], "text-anchor=\"end\"", &quantiles);
        for (at, later) in self.later.iter().enumerate() {
            panel(&mut picture, self.win_rate, later, head + PANEL * at as f64);
        }
        picture.finish()
    }
}

/// The quantiles in words, at most five of them.
fn percentages(quantiles: &[f64]) -> String {
    let shown: Vec<String> = quantiles.iter().take(5).map(ToString::to_string).collect();
    let more = if quantiles.len() > shown.len() { " …" } else { "" };
    format!("quantiles at {}{more} %", shown.join(", "))
}

fn panel(picture: &mut Picture, win_rate: f64, later: &LaterStreet, top: f64) {
    let counts = &later.histogram;
    let boards = f64::from(later.boards);
    let most = f64::from(counts.iter().copied().max().unwrap_or(1)) / boards;
    let step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5].into_iter().find(|step| most <= 5.0 * step);
    let step = step.unwrap_or(0.5);
    let ceiling = (most / step).ceil() * step;
    let base = top + PANEL_TOP + PLOT;
    let x = |share: f64| LEFT + share * (WIDTH - LEFT - RIGHT);
    let y = |share: f64| base - share / ceiling * PLOT;
    let total = whole(u64::from(later.boards));
    let words = format!("On the {}: {total} boards", later.street);
    picture.text([LEFT, top + 24.0], "font-weight=\"bold\"", &words);
    for line in 0..=(ceiling / step).round() as u32 {
        let share = f64::from(line) * step;
        let (at, opacity) = (y(share), if line == 0 { 0.7 } else { 0.2 });
        picture.add(format_args!(
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"currentColor\" opacity=\"{opacity}\"/>",
            WIDTH - RIGHT
        ));
        picture.text([LEFT - 8.0, at + 4.0], "text-anchor=\"end\"", &percent(share, 0));
    }
    let width = 1.0 / counts.len() as f64;
    for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (x(bin as f64 * width), x((bin + 1) as f64 * width));
        let height = f64::from(count) / boards / ceiling * PLOT;
        picture.add(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"bar\"/>",
            from + 0.5,
            base - height.max(0.5),
            to - from - 1.0,
            height.max(0.5)
        ));
    }
    for tenth in 0..=10 {
        let share = f64::from(tenth) / 10.0;
        let label = percent(share, 0);
        picture.text([x(share), base + 30.0], "text-anchor=\"middle\"", &label);
    }
    // Triangles under the axis mark the requested quantiles.
    for Quantile { percent: percentage, win_rate } in &later.quantiles {
        let at = x(*win_rate);
        picture.add(format_args!(
            "<path d=\"M{at:.1} {:.1}l-4 9h8z\" opacity=\"0.7\"><title>{percentage} %: \
             {}</title></path>",
            base + 3.0,
            percent(*win_rate, 2)
        ));
    }
    let mean = x(win_rate);
    picture.add(format_args!(
        "<path d=\"M{mean:.1} {:.1}V{base:.1}\" class=\"mean\"/>",
        top + PANEL_TOP - 14.0
    ));
    let (left, anchor) = if mean > 0.5 * WIDTH {
        (mean - 5.0, "text-anchor=\"end\"")
    } else {
        (mean + 5.0, "text-anchor=\"start\"")
    };
    let words = format!("mean {}", percent(win_rate, 2));
    picture.text([left, top + PANEL_TOP - 6.0], anchor, &words);
}

/// Begins a picture.
fn open(size: [f64; 2], title: &str, description: &str) -> Picture {
    Picture::new(&Head {
        name: "odds",
        size,
        shown: None,
        title,
        description,
        letters: 12.0,
        colours: &[(" .bar", "fill", Colour::Felt), (" .mean", "stroke", Colour::Mark)],
        style: ".mean{stroke-width:1.5;stroke-dasharray:4 3}",
    })
}
