//! `cardroom solve endgame database`: makes a file of random endgames with their equilibria; and
//! `cardroom solve endgame summary`: its statistics, with all games solved again to check it.

use std::fmt;
use std::path::{Path, PathBuf};

use learners::database::Card;
use readable::endgame::database::{Database, Deck, bets, endgame};
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

/// Totals over the games.
#[derive(Default)]
struct Sums {
    values: Vec<f64>,
    /// The largest exploitability of either player.
    worst: f64,
    /// The largest difference between a probability and the file's.
    differs: f64,
    /// Number of games in which the simplex method ends at another strategy than the central one.
    many: u64,
}

/// Number of games between updates of the progress display.
const CHUNK: usize = 2048;

/// Runs the command: reads the games and solves them again.
pub(super) fn summary(args: &SummaryArgs) -> Result<Output, Failure> {
    let database = Database::open(&args.data)?;
    let bets = bets(&database);
    let of = |place: usize| {
        let stored = database.game(place);
        let game = endgame(stored.first, stored.second, &bets)?;
        let solution = game.solve();
        let worst = game.exploitabilities(&solution).into_iter().fold(0.0, f64::max);
        let pairs = solution.strategy.iter().zip(stored.strategy);
        let differs = pairs.map(|(a, b)| (a - f64::from(*b)).abs()).fold(0.0, f64::max);
        let extreme = game.extreme(readable::endgame::Pivots::Best);
        let pairs = solution.strategy.iter().zip(&extreme.strategy);
        let many = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) > 1e-6;
        Ok((solution.value, worst, differs, many))
    };
    let mut progress = Progress::patient(database.games() as u64, "games", args.quiet);
    let mut sums = Sums::default();
    for start in (0..database.games()).step_by(CHUNK) {
        let end = (start + CHUNK).min(database.games());
        let games = parallel::map(start..end, of);
        let games: Vec<_> = games.into_iter().collect::<Result<_, Failure>>()?;
        for (value, worst, differs, many) in games {
            sums.values.push(value);
            sums.worst = sums.worst.max(worst);
            sums.differs = sums.differs.max(differs);
            sums.many += u64::from(many);
        }
        progress.show(end as u64, "");
    }
    progress.finish();
    let card = database.card();
    let report = Summary {
        file: &args.data,
        games: database.games(),
        seed: card.seed,
        sha256: &card.sha256,
        value: Spread::new(&sums.values),
        worst_exploitability: sums.worst,
        largest_difference: sums.differs,
        several_equilibria: sums.many,
    };
    Output::report(&report, args.json)
}

/// The totals over the games of a database.
#[derive(Serialize)]
struct Summary<'a> {
    file: &'a Path,
    games: usize,
    seed: u64,
    sha256: &'a str,
    value: Spread,
    worst_exploitability: f64,
    largest_difference: f64,
    several_equilibria: u64,
}

/// The mean with the half-width of its 95 % interval, and the standard deviation.
#[derive(Serialize)]
struct Spread {
    mean: f64,
    half_width: f64,
    deviation: f64,
}

impl Spread {
    fn new(values: &[f64]) -> Spread {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let deviation = (spread / (count - 1.0).max(1.0)).sqrt();
        Spread { mean, half_width: 1.96 * deviation / count.sqrt(), deviation }
    }
}

impl Report for Summary<'_> {
    const SCHEMA: &'static str = "cardroom-endgame-summary/1";
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { mean, half_width, deviation } = self.value;
        writeln!(
            f,
            "{}: {} games\n\
             value to the first player     {mean:.5} ± {half_width:.5} of the pot, standard \
             deviation {deviation:.5}\n\
             exploitability                {:.1e} of the pot at most, solved again\n\
             difference to the file        {:.1e} at most, in one probability\n\
             more than one equilibrium     in {} games at least",
            self.file.display(),
            whole(self.games as u64),
            self.worst_exploitability,
            self.largest_difference,
            whole(self.several_equilibria),
        )
    }
}
