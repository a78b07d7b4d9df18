//! `cardroom endgame solve`: the equilibrium of one endgame.

use std::path::PathBuf;

use serde_json::{Value, json};
use show::Table;
use show::number::{percent, signed};
use solvers::Player;
use solvers::endgame::{Endgame, Size, Solution};

use super::deck::Weights;
use super::picture;
use crate::exit::Failure;
use crate::output::{self, Output, Shown};
use crate::report;

/// Solve an endgame exactly: the strategies, the value, and each size with its value bets and
/// bluffs.
///
/// Shows the central equilibrium: it bluffs with every card that may bluff, and does not depend on
/// the algorithm.
///
/// Examples:
///   cardroom endgame solve
///   cardroom endgame solve --first 1:0.5,10:0.5 --second 5 --svg polarised.svg
///   cardroom endgame solve --cards 20 --stack 2 --sizes 0.5,1,2 --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    weights: Weights,
    /// Draw both distributions and the strategy into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command: solves the endgame, and draws it if asked to.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let game = args.weights.game()?;
    let solution = game.solve();
    if let Some(path) = &args.svg {
        report::write(path, &picture::picture(&game, &solution))?;
    }
    Output::of(&Solved { game, solution }, args.json)
}

/// An endgame with its equilibrium.
struct Solved {
    game: Endgame,
    solution: Solution,
}

impl Shown for Solved {
    fn text(&self) -> String {
        text(&self.game, &self.solution)
    }

    fn document(&self) -> impl serde::Serialize {
        document(&self.game, &self.solution)
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

fn text(game: &Endgame, solution: &Solution) -> String {
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
    let mut table = Table::new(["card", "first", "second", "beats", "first player"]).right(1..4);
    let rows = solution.strategy.chunks_exact(sizes.len());
    for (card, row) in rows.enumerate().rev() {
        let held = Player::BOTH.map(|player| game.shares(player)[card]);
        let [one, other] = held.map(|share| percent(share, 1));
        let plays = if held[0] > 0.0 { mix(row, sizes) } else { String::new() };
        let beats = game.beats(card).map_or_else(|| "–".to_owned(), |share| percent(share, 1));
        table.row([(card + 1).to_string(), one, other, beats, plays]);
    }
    text += &format!("{table}\n");
    if solution.sizes.is_empty() {
        return text + "\nNo card bets.\n";
    }
    let heads = ["bet", "for value with", "as a bluff with", "bluffs to value bets", "called by"];
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

fn document(game: &Endgame, solution: &Solution) -> Value {
    let sizes = game.bets().sizes();
    let rows = |strategy: &[f64]| -> Vec<Vec<f64>> {
        strategy.chunks_exact(sizes.len()).map(<[f64]>::to_vec).collect()
    };
    let listed = |cards: &[(usize, f64)]| -> Vec<Value> {
        let card = |(card, mass): &(usize, f64)| json!({ "card": card + 1, "probability": mass });
        cards.iter().map(card).collect()
    };
    let bet = |size: &Size| {
        json!({
            "size": sizes[size.bet],
            "value_bets": listed(&size.value),
            "bluffs": listed(&size.bluffs),
            "called": size.called,
        })
    };
    json!({
        "schema": "cardroom-endgame/1",
        "cards": game.cards(),
        "sizes": sizes,
        "first": game.shares(Player::First),
        "second": game.shares(Player::Second),
        "value": solution.value,
        "net_of_ante": solution.value - 0.5,
        "exploitability": game.exploitabilities(solution),
        "strategy": rows(&solution.strategy),
        "calls": rows(&solution.calls),
        "bets": solution.sizes.iter().map(bet).collect::<Vec<_>>(),
    })
}
