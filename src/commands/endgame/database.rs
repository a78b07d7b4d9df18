//! `cardroom endgame database`: makes a file of random endgames with their equilibria.

use std::path::Path;

use learners::database::Card;
use learners::endgames::database::Deck;
use serde_json::json;
use show::number::whole;

use super::deck;
use crate::config::units::Count;
use crate::database::Making;
use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::threads::Threads;

/// Solve random endgames and store them with their equilibria in a file.
///
/// Both players' card distributions are drawn uniformly from all distributions. The file is the
/// same for any number of threads. The same command resumes a run that was interrupted or killed
/// (the file is FILE.partial until it is complete). --merge joins shards.
///
/// Examples:
///   cardroom endgame database --games 100000 --out endgames
///   cardroom endgame database --games 100000 --shard 1/4 --out part1
///   cardroom endgame database --merge part1,part2,part3,part4 --out endgames
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Number of games, as in 100000 or 100k
    #[arg(long, value_name = "N", default_value = "100k", conflicts_with = "merge")]
    games: Count,
    #[command(flatten)]
    making: Making,
    #[command(flatten)]
    deck: deck::Deck,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command: makes the database.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let deck = || Ok(Deck::new(args.deck.cards()?, &args.deck.bets()?));
    let card = args.making.make(args.games.0, deck, &args.threads, args.quiet)?;
    Output::of(&Made { card, out: &args.making.out }, args.json)
}

/// The outcome of making a database.
struct Made<'a> {
    card: Card<Deck>,
    out: &'a Path,
}

impl Shown for Made<'_> {
    fn text(&self) -> String {
        let Card { content: Deck { cards, sizes }, games, seed, first, sha256, .. } = &self.card;
        let bytes = std::fs::metadata(self.out).map_or(0, |file| file.len());
        format!(
            "{}: {} games of seed {seed} from number {first}, {cards} cards, {} sizes, {}\n\
             SHA-256 of the games {sha256}\n",
            self.out.display(),
            whole(*games),
            sizes.len() - 1,
            indicatif::HumanBytes(bytes),
        )
    }

    fn document(&self) -> impl serde::Serialize {
        json!({
            "schema": "cardroom-endgame-database/1",
            "file": self.out,
            "games": self.card.games,
            "first": self.card.first,
            "seed": self.card.seed,
            "cards": self.card.content.cards,
            "sizes": self.card.content.sizes,
            "sha256": self.card.sha256,
        })
    }
}
