//! `cardroom solve endgame`: endgames with one bet: solves them exactly, collects them and learns
//! from them.

mod database;
mod learn;
mod play;
mod rules;
mod solve;
mod tree;

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use readable::endgame::database::{Database, Share};
use readable::endgame::{Bets, Endgame};

use crate::exit::Failure;
use crate::output::Output;

/// Solve, play and learn endgames of one bet: both players hold a card of a small deck, the first
/// bets one of many sizes or checks, the second calls or folds.
///
/// The game of Ganzfried and Yusuf, "Computing human-understandable strategies" (2017). The pot is
/// 1. docs/endgame.md is a walkthrough.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

/// What is done with endgames.
#[derive(Subcommand)]
enum Command {
    Solve(solve::Args),
    Play(play::Args),
    Database(database::Args),
    Summary(database::SummaryArgs),
    Learn(learn::Args),
    Tree(tree::Args),
    Rules(rules::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<Output, Failure> {
    match &args.command {
        Command::Solve(args) => solve::run(args),
        Command::Play(args) => play::run(args).map(Output::printed),
        Command::Database(args) => database::run(args),
        Command::Summary(args) => database::summary(args),
        Command::Learn(args) => learn::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Rules(args) => rules::run(args),
    }
}

/// Which share stands for a card, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ShareArg {
    /// The share of the second player's cards that it beats
    #[default]
    Beaten,
    /// The share of the first player's cards that are not better
    Own,
}

impl ShareArg {
    fn share(self) -> Share {
        match self {
            ShareArg::Beaten => Share::Beaten,
            ShareArg::Own => Share::Own,
        }
    }
}

/// The default number of games, as published.
const GAMES: usize = 80_000;

/// Opens the database. Also returns how many of its games are used, and how many of those are for
/// training: four fifths.
fn games(path: &Path, asked: Option<usize>) -> Result<(Database, usize, usize), Failure> {
    let database = Database::open(path)?;
    let games = asked.unwrap_or(GAMES.min(database.games()));
    if games > database.games() {
        let words = format!("it has {} games, and --games asks for {games}", database.games());
        return Err(Failure::file(path, words));
    }
    if games < 10 {
        let words = format!("{games} games: at least 10 are needed, 8 to learn from");
        return Err(Failure::file(path, words));
    }
    Ok((database, games, games * 4 / 5))
}

/// An endgame.
#[derive(clap::Args)]
struct Weights {
    /// Weights of the first player's cards, 1 is the worst: `1:0.5,10:0.5` or `3-6`; missing cards
    /// have weight 0 [default: all equal]
    #[arg(long, value_name = "CARDS")]
    first: Option<String>,
    /// Weights of the second player's cards
    #[arg(long, value_name = "CARDS")]
    second: Option<String>,
    #[command(flatten)]
    deck: Deck,
}

impl Weights {
    fn game(&self) -> Result<Endgame, Failure> {
        let first = self.deck.weights("--first", self.first.as_deref())?;
        let second = self.deck.weights("--second", self.second.as_deref())?;
        Ok(Endgame::new(&first, &second, self.deck.bets()?)?)
    }
}

/// The deck and the sizes.
#[derive(clap::Args)]
struct Deck {
    /// Number of cards in the deck
    #[arg(long, value_name = "N", default_value_t = 10)]
    cards: usize,
    /// Stack of each player, in pots
    #[arg(long, value_name = "POTS", default_value_t = 3.0, allow_negative_numbers = true)]
    stack: f64,
    /// Bets are multiples of this, in pots, up to the stack
    #[arg(long, value_name = "POTS", default_value_t = 0.1, allow_negative_numbers = true)]
    step: f64,
    /// Bet sizes in pots, instead of steps: `0.5,1,3`
    #[arg(long, value_name = "SIZES", value_delimiter = ',', allow_negative_numbers = true)]
    sizes: Vec<f64>,
}

impl Deck {
    /// The number of cards; an error if no endgame has so many or so few.
    fn cards(&self) -> Result<usize, Failure> {
        Endgame::check_cards(self.cards)?;
        Ok(self.cards)
    }

    /// The bet sizes.
    fn bets(&self) -> Result<Bets, Failure> {
        if self.sizes.is_empty() {
            return Ok(Bets::steps(self.step, self.stack)?);
        }
        if let Some(size) = self.sizes.iter().find(|&&size| size > self.stack) {
            return Err(Failure::input(anyhow::anyhow!(
                "--sizes: {size} pots are more than the stack of {}; give a larger --stack",
                self.stack
            )));
        }
        Ok(Bets::new(&self.sizes)?)
    }

    /// The weights of a player's cards, read from a text such as `1:0.5,10:0.5`, `3-6` or `2,9:3`.
    /// Cards that are not named have weight 0; without a text all cards weigh the same.
    fn weights(&self, option: &str, text: Option<&str>) -> Result<Vec<f64>, Failure> {
        let cards = self.cards()?;
        let Some(text) = text else { return Ok(vec![1.0; cards]) };
        let mut weights = vec![0.0; cards];
        for part in text.split(',').map(str::trim) {
            let wrong = |why: &str| {
                let hint = "write cards with their weights, as in 1:0.5,10:0.5 or 3-6";
                Failure::input(anyhow::anyhow!("{option}: `{part}`: {why}; {hint}"))
            };
            let (named, weight) = part.split_once(':').unwrap_or((part, "1"));
            let weight: f64 = weight.trim().parse().map_err(|_| wrong("no weight"))?;
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(wrong("a weight is a number of at least 0"));
            }
            let (from, to) = named.split_once('-').unwrap_or((named, named));
            let card = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong("no card"));
            let (from, to) = (card(from)?, card(to)?);
            if from < 1 || to > cards || from > to {
                return Err(wrong(&format!("cards go from 1 to {cards}")));
            }
            weights[from - 1..to].fill(weight);
        }
        Ok(weights)
    }
}
