//! How often hands win in heads-up hold'em, as documents, texts and pictures: a hand against any
//! hand, with its distributions on later streets; known hands; hands and ranges against ranges; the
//! 169 starting hands.

use std::fmt;

use abstraction::features::Quantiles;
use cards::{
    CardSet, Combo, Distribution, Equity, HandEquity, Range, RiverTable, Share, ShowdownSums,
    StartingHand, Ties, all_in, all_in_multiway, equity, grid,
};
use serde::Serialize;
use show::Table;
use show::number::{counted, percent, plural, whole};
use show::svg::{Colour, Head, Heading, Letters, Picture};

use crate::Error;

/// A hand with its text.
#[derive(Debug, Clone)]
pub struct Hand {
    /// The cards as they were written.
    pub text: String,
    /// The hand.
    pub combo: Combo,
}

/// A board with its text.
#[derive(Debug, Clone)]
pub struct Board {
    /// The cards as they were written.
    pub text: String,
    /// The board.
    pub cards: CardSet,
}

/// What a tie counts, as the end of a sentence.
pub fn ties_words(ties: Ties) -> &'static str {
    match ties {
        Ties::Half => "ties count half",
        Ties::WinOnly => "ties count nothing",
    }
}

fn serialize_ties<S: serde::Serializer>(ties: &Ties, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match ties {
        Ties::Half => "half",
        Ties::WinOnly => "win-only",
    })
}

/// The name of the street with this board.
fn street_name(board: CardSet) -> &'static str {
    match board.len() {
        0 => "preflop",
        3 => "flop",
        4 => "turn",
        _ => "river",
    }
}

/// The board in words, for sentences.
pub fn on_board(board: &str) -> String {
    if board.is_empty() { "before the flop".to_owned() } else { format!("on {board}") }
}

/// How the distributions on later streets are shown.
#[derive(Debug)]
pub struct Distributions {
    /// What a tie counts.
    pub ties: Ties,
    /// How quantiles are computed.
    pub method: Quantiles,
    /// Percentages from 0 to 100.
    pub quantiles: Vec<f64>,
    /// The number of bars.
    pub bins: usize,
}

impl Distributions {
    /// The quantile of a distribution at a percentage.
    fn quantile(&self, distribution: &Distribution, percentage: f64) -> f64 {
        match self.method {
            Quantiles::Nearest => distribution.quantile(percentage / 100.0),
            Quantiles::Linear => distribution.quantile_linear(percentage / 100.0),
        }
    }
}

/// One hand against a random hand: its equity now, and its distribution over the boards to come.
#[derive(Debug, Serialize)]
pub struct HandReport {
    kind: &'static str,
    hand: String,
    board: String,
    street: &'static str,
    #[serde(serialize_with = "serialize_ties")]
    ties_count: Ties,
    quantile_method: &'static str,
    wins: u64,
    ties: u64,
    losses: u64,
    total: u64,
    equity: f64,
    later: Vec<LaterStreet>,
    /// The percentages of the quantiles.
    #[serde(skip)]
    percentages: Vec<f64>,
}

/// The distribution on a later street.
#[derive(Debug, Serialize)]
struct LaterStreet {
    street: &'static str,
    boards: u32,
    quantiles: Vec<Quantile>,
    histogram: Vec<u32>,
    /// The quantiles at 10, 50 and 90 %.
    #[serde(skip)]
    spread: [f64; 3],
}

#[derive(Debug, Serialize)]
struct Quantile {
    percent: f64,
    equity: f64,
}

/// The length of the longest bar, in characters.
const BAR: usize = 44;

impl HandReport {
    /// Counts all boards. Takes half a second before the flop, a few milliseconds later.
    ///
    /// # Errors
    /// If the cards do not fit together.
    pub fn new(hand: &Hand, board: &Board, shown: &Distributions) -> Result<Self, Error> {
        let rate = equity(hand.combo, board.cards)?;
        let ties = shown.ties;
        let hand_equity = if board.cards.is_empty() {
            RiverTable::shared(ties).hand_equity(hand.combo, board.cards)?
        } else {
            HandEquity::new(hand.combo, board.cards, ties)?
        };
        let streets = &["flop", "turn", "river"][3 - hand_equity.later().len()..];
        let later = streets.iter().zip(hand_equity.later()).map(|(&street, distribution)| {
            let quantile = |percent| shown.quantile(distribution, percent);
            let quantiles = shown.quantiles.iter();
            LaterStreet {
                street,
                boards: distribution.boards(),
                quantiles: quantiles
                    .map(|&percent| Quantile { percent, equity: quantile(percent) })
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
            quantile_method: match shown.method {
                Quantiles::Nearest => "nearest",
                Quantiles::Linear => "linear",
            },
            wins: rate.wins,
            ties: rate.ties,
            losses: rate.losses(),
            total: rate.total,
            equity: rate.value(ties),
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
                for Quantile { equity, .. } in &later.quantiles[chunk.clone()] {
                    write!(f, "{:>7.2}", 100.0 * equity)?;
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
        write!(f, "\nequity on the {}, {boards} boards\n\n", self.street)?;
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
        let (rate, words) = (percent(self.equity, 4), ties_words(self.ties_count));
        writeln!(f, "{:<9}{:>16}{rate:>12}   {words}", "equity", "")?;
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
#[derive(Debug, Serialize)]
pub struct ShowdownReport {
    kind: &'static str,
    board: String,
    street: &'static str,
    #[serde(serialize_with = "serialize_ties")]
    ties_count: Ties,
    total: u64,
    hands: Vec<HandShare>,
}

#[derive(Debug, Serialize)]
struct HandShare {
    hand: String,
    wins: u64,
    ties: u64,
    losses: u64,
    equity: f64,
}

impl ShowdownReport {
    /// Counts all boards.
    ///
    /// # Errors
    /// If the cards do not fit together, or hands are fewer than two or more than ten.
    pub fn new(hands: &[Hand], board: &Board, ties: Ties) -> Result<Self, Error> {
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
                all_in_multiway(&combos, board.cards)?
            }
        };
        let equity = |share: &Share| match ties {
            Ties::Half => share.equity(),
            Ties::WinOnly => share.wins as f64 / share.total as f64,
        };
        let hand = |(hand, share): (&Hand, &Share)| HandShare {
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
        let mut table = Table::new(header).right(1..).at_the_margin();
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
            Ties::WinOnly => writeln!(f, "\nties count nothing"),
            Ties::Half => Ok(()),
        }
    }
}

/// The results of all pairs of hands, each weighed by both ranges.
#[derive(Debug, Serialize)]
struct Counts {
    wins: f64,
    ties: f64,
    losses: f64,
    total: f64,
    equity: f64,
}

impl Counts {
    /// `None` if no hands meet.
    fn new(sums: ShowdownSums, ties: Ties) -> Option<Counts> {
        let equity = sums.equity(ties)?;
        let ShowdownSums { wins, ties, total } = sums;
        Some(Counts { wins, ties, losses: sums.losses(), total, equity })
    }

    /// The lines of wins, ties, losses and the equity.
    fn text(&self, ties_count: Ties) -> String {
        let mut text = String::from("\n");
        for (name, count) in [("wins", self.wins), ("ties", self.ties), ("losses", self.losses)] {
            let share = percent(count / self.total, 4);
            text.push_str(&format!("{name:<9}{:>20}{share:>12}\n", number(count)));
        }
        let (rate, words) = (percent(self.equity, 4), ties_words(ties_count));
        text.push_str(&format!("{:<9}{:>20}{rate:>12}   {words}\n", "equity", ""));
        text
    }
}

/// A hand against a range, over all boards.
#[derive(Debug, Serialize)]
pub struct HandVsRange {
    kind: &'static str,
    hand: String,
    board: String,
    street: &'static str,
    #[serde(serialize_with = "serialize_ties")]
    ties_count: Ties,
    /// The range as given.
    range: String,
    /// The combos of the range that use no known card.
    combos: usize,
    weight: f64,
    #[serde(flatten)]
    counts: Counts,
}

impl HandVsRange {
    /// Counts all boards for every hand of the range.
    ///
    /// # Errors
    /// If the cards do not fit together, or no hand of the range is left.
    pub fn new(hand: &Hand, board: &Board, range: Range, ties: Ties) -> Result<HandVsRange, Error> {
        let asked = range.to_string();
        let range = range.without(hand.combo.set() | board.cards);
        let sums = range.showdown_sums(hand.combo, board.cards)?;
        let Some(counts) = Counts::new(sums, ties) else {
            let asked: String = asked.chars().take(60).collect();
            return Err(Error::new(format!(
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
#[derive(Debug, Serialize)]
pub struct RangeVsRange {
    kind: &'static str,
    board: String,
    street: &'static str,
    #[serde(serialize_with = "serialize_ties")]
    ties_count: Ties,
    /// Both ranges as given.
    ranges: [String; 2],
    /// The combos of each range that use no card of the board.
    combos: [usize; 2],
    weights: [f64; 2],
    #[serde(flatten)]
    counts: Counts,
}

impl RangeVsRange {
    /// Counts all boards for every pair of hands.
    ///
    /// # Errors
    /// If the cards do not fit together, or no hands can meet.
    pub fn new(ranges: [Range; 2], board: &Board, ties: Ties) -> Result<RangeVsRange, Error> {
        let asked = ranges.each_ref().map(ToString::to_string);
        let ranges = ranges.map(|range| range.without(board.cards));
        let sums = ranges[0].sums_against(&ranges[1], board.cards)?;
        let Some(counts) = Counts::new(sums, ties) else {
            let [one, other] = asked.each_ref().map(|text| text.chars().take(60).collect());
            let (one, other): (String, String) = (one, other);
            return Err(Error::new(format!(
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

/// The exact equities of the 169 starting hands, row by row from the aces down.
#[derive(Debug, Serialize)]
pub struct PreflopReport {
    kind: &'static str,
    #[serde(serialize_with = "serialize_ties")]
    ties_count: Ties,
    total: u64,
    hands: Vec<StartingHandRate>,
}

#[derive(Debug, Serialize)]
struct StartingHandRate {
    hand: String,
    combos: usize,
    wins: u64,
    ties: u64,
    losses: u64,
    equity: f64,
}

impl PreflopReport {
    /// The equities of all starting hands.
    pub fn new(ties: Ties) -> PreflopReport {
        let rate = |hand: StartingHand| -> Equity {
            let combo = hand.combos().next().expect("every kind of hand has combos");
            equity(combo, CardSet::EMPTY).expect("any hand can be held before the flop")
        };
        let rates: Vec<_> = StartingHand::all().map(|hand| (hand, rate(hand))).collect();
        let hand = |&(hand, rate): &(StartingHand, Equity)| StartingHandRate {
            hand: hand.to_string(),
            combos: hand.combos().count(),
            wins: rate.wins,
            ties: rate.ties,
            losses: rate.losses(),
            equity: rate.value(ties),
        };
        PreflopReport {
            kind: "chart",
            ties_count: ties,
            total: rates[0].1.total,
            hands: rates.iter().map(hand).collect(),
        }
    }

    /// The chart of starting hands; a greener cell has a higher win rate.
    pub fn picture(&self) -> String {
        const CELL: f64 = 52.0;
        const TALL: f64 = 40.0;
        let title =
            format!("Equities before the flop against any hand; {}", ties_words(self.ties_count));
        let text = "Pairs on the diagonal, suited hands above it, offsuit hands below; in percent.";
        let [width, height] = grid::size([CELL, TALL]);
        let heading = Heading::new(&title, "", width);
        let head = HEAD + heading.extra_height();
        let mut picture = open([width + 2.0 * EDGE, height + head + EDGE], &title, text);
        heading.draw(&mut picture, [EDGE, 20.0]);
        let corners = grid::corners([EDGE, head], [CELL, TALL]);
        for (hand, [x, y]) in self.hands.iter().zip(corners) {
            let value = hand.equity;
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
        let cell = |number: usize| format!("{:>6.2}", 100.0 * self.hands[number].equity);
        let grid = grid::text(|rank| format!("{:>6}", rank.to_char()), cell);
        writeln!(
            f,
            "equities {} against any hand, in percent; {}\nsuited above the diagonal, offsuit \
             below\n\n{grid}",
            on_board(""),
            ties_words(self.ties_count)
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
    pub fn picture(&self) -> String {
        let panels = self.later.len();
        let title = format!(
            "{} {} against any hand: equity {}",
            self.hand,
            on_board(&self.board),
            percent(self.equity, 2)
        );
        let mut text = String::from("Histograms of the equity over the boards that may come.");
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
            panel(&mut picture, self.equity, later, head + PANEL * at as f64);
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

fn panel(picture: &mut Picture, equity: f64, later: &LaterStreet, top: f64) {
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
    for Quantile { percent: percentage, equity } in &later.quantiles {
        let at = x(*equity);
        picture.add(format_args!(
            "<path d=\"M{at:.1} {:.1}l-4 9h8z\" opacity=\"0.7\"><title>{percentage} %: \
             {}</title></path>",
            base + 3.0,
            percent(*equity, 2)
        ));
    }
    let mean = x(equity);
    picture.add(format_args!(
        "<path d=\"M{mean:.1} {:.1}V{base:.1}\" class=\"mean\"/>",
        top + PANEL_TOP - 14.0
    ));
    let (left, anchor) = if mean > 0.5 * WIDTH {
        (mean - 5.0, "text-anchor=\"end\"")
    } else {
        (mean + 5.0, "text-anchor=\"start\"")
    };
    let words = format!("mean {}", percent(equity, 2));
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
