//! `cardroom train situations`: makes random situations with the values of all hands.

use std::path::Path;

use learners::database::{Card, Database};
use learners::situations::Situations;
use serde_json::json;
use show::number::{percent, whole};

use crate::config::units::Count;
use crate::database::Making;
use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::resolve_names;
use crate::threads::Threads;

/// Solve random situations of no-limit hold'em and store the value of every hand: training data for
/// counterfactual value networks.
///
/// Board, pot and both ranges are random, as in DeepStack's training data. Each situation is solved
/// to the end of the hand, with exact hands and cards. The file is the same for any number of
/// threads. The same command resumes a run that was interrupted or killed (the file is FILE.partial
/// until it is complete). --merge joins shards.
///
/// Examples:
///   cardroom train situations --count 1000 --out turns
///   cardroom train situations --street river --count 10k --iterations 150 --out rivers
///   cardroom train situations --street flop --pots 2,300 --count 3000 --out flops
///   cardroom train situations --count 20k --shard 1/8 --out part1
///   cardroom train situations --merge part1,part2 --out turns
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The street at whose start the situations are: turn or river; or flop: turns whose ranges do
    /// not depend on the turn card
    #[arg(long, value_name = "STREET", default_value = "turn", conflicts_with = "merge")]
    street: String,
    /// Number of situations, as in 1000 or 10k
    #[arg(long, value_name = "N", default_value = "1000", conflicts_with = "merge")]
    count: Count,
    /// Stack of each player at the beginning of the hand, in big blinds
    #[arg(long, value_name = "BB", default_value_t = 200.0, conflicts_with = "merge")]
    stack: f64,
    /// The smallest and the largest pot in big blinds; its logarithm is uniformly distributed
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        num_args = 1,
        default_value = "8,200",
        conflicts_with = "merge"
    )]
    pots: Vec<f64>,
    /// Bets: a shipped menu, a file, or menu lines separated by `;`
    #[arg(long, value_name = "MENU", default_value = "fcpa", conflicts_with = "merge")]
    menu: String,
    /// Iterations of DCFR+
    #[arg(long, value_name = "N", default_value_t = 100, conflicts_with = "merge")]
    iterations: u32,
    #[command(flatten)]
    making: Making,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command: makes the situations.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let content = || {
        let &[least, most] = args.pots.as_slice() else {
            return Err(Failure::usage("--pots: give the smallest and the largest, as in 8,200"));
        };
        Ok(Situations {
            street: args.street.clone(),
            stack: args.stack,
            pots: [least, most],
            menu: resolve_names::bet_menu(&args.menu)?.to_string(),
            iterations: args.iterations,
        })
    };
    let card = args.making.make(args.count.0, content, &args.threads, args.quiet)?;
    let out = args.making.out.as_path();
    Output::of(&Made { card, distance: distance(out)?, out }, args.json)
}

/// The exploitability of the solutions as a share of the pot: mean and maximum.
struct Distance {
    mean: f64,
    most: f64,
}

fn distance(path: &Path) -> Result<Distance, Failure> {
    let database = Database::<Situations>::open(path).map_err(Failure::input)?;
    let all = (0..database.games()).map(|at| f64::from(database.situation(at).exploitability));
    let (sum, most) = all.fold((0.0, 0.0_f64), |(sum, most), one| (sum + one, most.max(one)));
    Ok(Distance { mean: sum / database.games() as f64, most })
}

/// The outcome of making situations.
struct Made<'a> {
    card: Card<Situations>,
    distance: Distance,
    out: &'a Path,
}

impl Shown for Made<'_> {
    fn text(&self) -> String {
        let Card { content, games, seed, first, sha256, .. } = &self.card;
        let bytes = std::fs::metadata(self.out).map_or(0, |file| file.len());
        format!(
            "{}: {} situations of the {}, seed {seed} from number {first}, pots of {} to {} big \
             blinds, {}\n\
             solved by {} iterations to {} of the pot in the mean, {} at most\n\
             SHA-256 of the situations {sha256}\n",
            self.out.display(),
            whole(*games),
            content.street,
            content.pots[0],
            content.pots[1],
            indicatif::HumanBytes(bytes),
            content.iterations,
            percent(self.distance.mean, 2),
            percent(self.distance.most, 2),
        )
    }

    fn document(&self) -> impl serde::Serialize {
        let Card { content, games, seed, first, sha256, .. } = &self.card;
        json!({
            "schema": "cardroom-situations/1",
            "file": self.out,
            "situations": games,
            "first": first,
            "seed": seed,
            "street": content.street,
            "stack": content.stack,
            "pots": content.pots,
            "menu": content.menu,
            "iterations": content.iterations,
            "exploitability": { "mean": self.distance.mean, "most": self.distance.most },
            "sha256": sha256,
        })
    }
}
