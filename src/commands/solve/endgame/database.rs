//! `cardroom solve endgame database`: makes a file of random endgames with their equilibria; and
//! `cardroom solve endgame summary`: its statistics, with all games solved again to check it.

use std::fmt;
use std::path::{Path, PathBuf};

use learners::database::Card;
use readable::endgame::database::{Database, Deck, Summary};
use serde::Serialize;
use show::number::whole;

use crate::arguments::Threads;
use crate::config::units::Count;
use crate::database::Making;
use crate::exit::Failure;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// Solve random endgames and store them with their equilibria in a file.
///
/// Both players' card distributions are drawn uniformly from all distributions. The file is the
/// same for any number of threads. The same command resumes a run that was interrupted or killed
/// (the file is FILE.partial until it is complete). --merge joins shards.
///
/// Examples:
///   cardroom solve endgame database --games 100000 --out endgames
///   cardroom solve endgame database --games 100000 --shard 1/4 --out part1
///   cardroom solve endgame database --merge part1,part2,part3,part4 --out endgames
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Number of games, as in 100000 or 100k
    #[arg(long, value_name = "N", default_value = "100k", conflicts_with = "merge")]
    games: Count,
    #[command(flatten)]
    making: Making,
    #[command(flatten)]
    deck: super::Deck,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: makes the database.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let deck = || Ok(Deck::new(args.deck.cards()?, &args.deck.bets()?));
    let card = args.making.make(args.games.0, deck, &args.threads, args.quiet)?;
    let Card { content: Deck { cards, sizes }, games, first, seed, sha256, .. } = card;
    let file = &args.making.out;
    let bytes = std::fs::metadata(file).map_or(0, |file| file.len());
    let report = DatabaseReport { file, games, first, seed, cards, sizes, sha256, bytes };
    Output::report(&report, args.json)
}

/// A database that was made.
#[derive(Serialize)]
struct DatabaseReport<'a> {
    file: &'a Path,
    games: u64,
    first: u64,
    seed: u64,
    cards: usize,
    sizes: Vec<f64>,
    sha256: String,
    /// The size of the file.
    #[serde(skip)]
    bytes: u64,
}

impl Report for DatabaseReport<'_> {
    const SCHEMA: &'static str = "cardroom-endgame-database/1";
}

impl fmt::Display for DatabaseReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DatabaseReport { seed, first, cards, sha256, .. } = self;
        writeln!(
            f,
            "{}: {} games of seed {seed} from number {first}, {cards} cards, {} sizes, {}\n\
             SHA-256 of the games {sha256}",
            self.file.display(),
            whole(self.games),
            self.sizes.len() - 1,
            indicatif::HumanBytes(self.bytes),
        )
    }
}

/// Solve every game of a database again: values, exploitabilities, and whether the stored
/// strategies are the same.
#[derive(clap::Args)]
pub(super) struct SummaryArgs {
    /// The database
    #[arg(value_name = "DATABASE")]
    data: PathBuf,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: reads the games and solves them again.
pub(super) fn summary(args: &SummaryArgs) -> Result<Output, Failure> {
    let database = Database::open(&args.data)?;
    let mut progress = Progress::patient(database.games() as u64, "games", args.quiet);
    let summary = Summary::new(&args.data, &database, &mut |done| progress.show(done, ""))?;
    progress.finish();
    Output::report(&summary, args.json)
}

impl Report for Summary<'_> {
    const SCHEMA: &'static str = "cardroom-endgame-summary/1";
}
