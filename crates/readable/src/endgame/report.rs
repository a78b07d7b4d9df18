//! An endgame with its equilibrium, as a document, as text and as a picture.

use std::fmt;

use serde::Serialize;
use show::Table;
use show::number::{percent, signed};
use show::svg::{Colour, Head, Letters, Picture};

use super::{Endgame, Size, Solution, print_strategy};
use solvers::Player;

/// An endgame with its equilibrium.
#[derive(Debug, Serialize)]
pub struct EndgameReport<'a> {
    cards: usize,
    sizes: &'a [f64],
    first: &'a [f64],
    second: &'a [f64],
    value: f64,
    net_of_ante: f64,
    exploitability: [f64; 2],
    strategy: Vec<&'a [f64]>,
    calls: Vec<&'a [f64]>,
    bets: Vec<SizeReport>,
    /// A strategy of the first player that was given, with its price.
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<Given>,
    #[serde(skip)]
    game: &'a Endgame,
    #[serde(skip)]
    solution: &'a Solution,
}

/// A strategy of the first player, and what it gets.
#[derive(Debug, Serialize)]
struct Given {
    /// The text of the strategy.
    text: String,
    /// What it gets of the pot against a best response.
    wins: f64,
    /// How much less that is than the value.
    exploitability: f64,
}

/// A bet size with the cards that bet it.
#[derive(Debug, Serialize)]
struct SizeReport {
    size: f64,
    value_bets: Vec<CardProbability>,
    bluffs: Vec<CardProbability>,
    called: f64,
}

#[derive(Debug, Serialize)]
struct CardProbability {
    card: usize,
    probability: f64,
}

impl<'a> EndgameReport<'a> {
    /// The report of a solved endgame.
    pub fn new(game: &'a Endgame, solution: &'a Solution) -> EndgameReport<'a> {
        let sizes = game.bets().sizes();
        let card =
            |&(card, probability): &(usize, f64)| CardProbability { card: card + 1, probability };
        let bet = |size: &Size| SizeReport {
            size: sizes[size.bet],
            value_bets: size.value.iter().map(card).collect(),
            bluffs: size.bluffs.iter().map(card).collect(),
            called: size.called,
        };
        EndgameReport {
            cards: game.cards(),
            sizes,
            first: game.shares(Player::First),
            second: game.shares(Player::Second),
            value: solution.value,
            net_of_ante: solution.value - 0.5,
            exploitability: game.exploitabilities(solution),
            strategy: solution.strategy.chunks_exact(sizes.len()).collect(),
            calls: solution.calls.chunks_exact(sizes.len()).collect(),
            bets: solution.sizes.iter().map(bet).collect(),
            given: None,
            game,
            solution,
        }
    }

    /// The report with the price of a strategy of the first player: the probabilities of all sizes
    /// for each card.
    pub fn with_price_of(mut self, strategy: &[f64]) -> EndgameReport<'a> {
        let wins = self.game.against(Player::First, strategy);
        let exploitability = self.value - wins;
        let text = print_strategy(strategy, self.game.bets());
        self.given = Some(Given { text, wins, exploitability });
        self
    }

    fn text(&self) -> String {
        let (game, solution) = (self.game, self.solution);
        let sizes = game.bets().sizes();
        let [first, second] = game.exploitabilities(solution);
        let mut text = format!(
            "{} cards, {} to bet\nThe first player gets {:.9} of the pot, {} net of the ante.\n\
             Exploitability: {:.1e} of the pot (first), {:.1e} (second).\n\n",
            game.cards(),
            choices(sizes),
            solution.value,
            signed(solution.value - 0.5, 9),
            first.max(0.0),
            second.max(0.0),
        );
        let mut table =
            Table::new(["card", "first", "second", "beats", "first player"]).right(1..4);
        let rows = solution.strategy.chunks_exact(sizes.len());
        for (card, row) in rows.enumerate().rev() {
            let held = Player::BOTH.map(|player| game.shares(player)[card]);
            let [one, other] = held.map(|share| percent(share, 1));
            let plays = if held[0] > 0.0 { mix(row, sizes) } else { String::new() };
            let beats = game.beats(card).map_or_else(|| "–".to_owned(), |share| percent(share, 1));
            table.row([(card + 1).to_string(), one, other, beats, plays]);
        }
        text += &format!("{table}\n");
        if let Some(Given { text: strategy, wins, exploitability }) = &self.given {
            text += &format!(
                "\nThe given strategy gets {wins:.9} of the pot against a best response, \
                 {exploitability:.2e} less than the value:\n{strategy}"
            );
        }
        if solution.sizes.is_empty() {
            return text + "\nNo card bets.\n";
        }
        let heads =
            ["bet", "for value with", "as a bluff with", "bluffs to value bets", "called by"];
        let mut table = Table::new(heads);
        for size in &solution.sizes {
            let bet = sizes[size.bet];
            table.row([
                short(bet),
                cards(&size.value),
                cards(&size.bluffs),
                format!("{:.3} = b/(1+b)", bet / (1.0 + bet)),
                called(game, solution, size),
            ]);
        }
        text + &format!("\n{table}\n")
    }
}

impl fmt::Display for EndgameReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// The sizes with a positive probability in a row of a strategy, in words.
pub(super) fn mix(row: &[f64], sizes: &[f64]) -> String {
    let shown = row.iter().zip(sizes).filter(|(share, _)| **share > 5e-7);
    let words = shown.map(|(&share, &size)| {
        let what = if size == 0.0 { "check".to_owned() } else { format!("bet {}", short(size)) };
        if share > 1.0 - 5e-7 { what } else { format!("{what} {}", percent(share, 1)) }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// A size with at most three decimals, without trailing zeros.
pub(super) fn short(size: f64) -> String {
    let text = format!("{size:.3}");
    let text = text.trim_end_matches('0');
    if text.ends_with('.') { format!("{text}0") } else { text.to_owned() }
}

/// The range of bet sizes in words.
pub(super) fn choices(sizes: &[f64]) -> String {
    match sizes {
        [_, only] => format!("{} pots", short(*only)),
        [_, least, .., most] => {
            let count = sizes.len() - 1;
            format!("{} to {} pots in {count} sizes", short(*least), short(*most))
        }
        _ => "nothing".to_owned(),
    }
}

/// Cards with their probabilities in words, the best card first.
fn cards(list: &[(usize, f64)]) -> String {
    let words =
        list.iter().rev().map(|(card, mass)| format!("{} ({})", card + 1, percent(*mass, 2)));
    words.collect::<Vec<_>>().join(", ")
}

/// The cards that call a size in words, the best first.
fn called(game: &Endgame, solution: &Solution, size: &Size) -> String {
    let (held, sizes) = (game.shares(Player::Second), game.bets().len());
    let call = |card: usize| solution.calls[card * sizes + size.bet];
    let calling = (0..game.cards()).rev().filter(|&card| held[card] > 0.0 && call(card) > 5e-7);
    let words = calling.map(|card| match call(card) {
        share if share > 1.0 - 5e-7 => (card + 1).to_string(),
        share => format!("{} ({})", card + 1, percent(share, 1)),
    });
    words.collect::<Vec<_>>().join(", ")
}

const LETTERS: Letters = Letters::regular(12.0);
const EDGE: f64 = 14.0;
const TOP: f64 = 78.0;
const ROW: f64 = 24.0;
/// Length of the longest bar.
const BAR: f64 = 130.0;
/// Width of the column of cards between the bars.
const MIDDLE: f64 = 40.0;

/// A picture of an endgame in the form of Figure 1 of Ganzfried & Yusuf: the first player's cards
/// on the left, the second's on the right, the best on top; and the first player's strategy.
pub fn picture(game: &Endgame, solution: &Solution) -> String {
    let sizes = game.bets().sizes();
    let plays: Vec<String> = solution
        .strategy
        .chunks_exact(sizes.len())
        .zip(game.shares(Player::First))
        .map(|(row, &held)| if held > 0.0 { mix(row, sizes) } else { String::new() })
        .collect();
    let wide = plays.iter().map(|plays| LETTERS.wide(plays)).fold(160.0, f64::max);
    let number = LETTERS.wide("100.0 %") + 8.0;
    let left = EDGE + number + BAR;
    let right = left + MIDDLE;
    let words = right + BAR + number + 16.0;
    let height = TOP + ROW * game.cards() as f64 + EDGE;
    let size = [words + wide + EDGE, height];
    let shown = size.map(|size| format!("{size:.0}"));
    let mut svg = Picture::new(&Head {
        name: "endgame",
        size,
        shown: Some([&shown[0], &shown[1]]),
        title: "An endgame of one bet",
        description: "",
        letters: 12.0,
        colours: &[(" .first", "fill", Colour::Felt), (" .second", "fill", Colour::Mark)],
        style: "",
    });
    let head = format!("The first player gets {} of the pot", short(solution.value));
    svg.text([EDGE, 24.0], "font-size=\"14\" font-weight=\"bold\"", &head);
    let heading = |svg: &mut Picture, x: f64, anchor: &str, text: &str| {
        svg.text([x, TOP - 14.0], &format!("text-anchor=\"{anchor}\" opacity=\"0.8\""), text);
    };
    heading(&mut svg, left, "end", "first player");
    heading(&mut svg, left + MIDDLE / 2.0, "middle", "card");
    heading(&mut svg, right, "start", "second player");
    heading(&mut svg, words, "start", "what the first player does");
    let most = Player::BOTH.into_iter().flat_map(|player| game.shares(player)).copied();
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    for (line, card) in (0..game.cards()).rev().enumerate() {
        let top = TOP + ROW * line as f64;
        let base = top + ROW / 2.0 + 3.0;
        let anchored = |anchor: &str| format!("text-anchor=\"{anchor}\"");
        svg.text([left + MIDDLE / 2.0, base], &anchored("middle"), &(card + 1).to_string());
        for (player, class) in [(Player::First, "first"), (Player::Second, "second")] {
            let share = game.shares(player)[card];
            if share == 0.0 {
                continue;
            }
            let long = BAR * share / most;
            let is_first = player == Player::First;
            let x = if is_first { left - long } else { right };
            svg.add(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"{:.1}\" rx=\"2\" \
                 class=\"{class}\"/>",
                top + 3.0,
                ROW - 8.0
            ));
            let (at, anchor) = if is_first { (x - 6.0, "end") } else { (x + long + 6.0, "start") };
            svg.text([at, base], &anchored(anchor), &percent(share, 1));
        }
        svg.text([words, base], "", &plays[card]);
    }
    svg.finish()
}
