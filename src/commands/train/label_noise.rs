//! `cardroom train label-noise`: the differences between two solutions of the same situations.

use std::path::{Path, PathBuf};

use learners::situations::Database;
use learners::values::{Errors, between_solutions};
use serde_json::json;
use show::Table;
use show::number::whole;

use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::threads::Threads;

/// Compare the values in two files of the same situations, solved differently: the error that no
/// network can avoid.
///
/// Example:
///   cardroom train situations --count 100 --iterations 60 --out turns-60
///   cardroom train situations --count 100 --iterations 600 --out turns-600
///   cardroom train label-noise turns-60 turns-600
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A file of `cardroom train situations`
    #[arg(value_name = "FILE")]
    one: PathBuf,
    /// Another one, with the same seed, street, stack and pots
    #[arg(value_name = "FILE")]
    other: PathBuf,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// The mean, median and maximum over situations.
type Spread = [f64; 3];

/// Runs the command: compares the two files.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let open = |path: &Path| Database::open(path).map_err(Failure::input);
    let databases = [open(&args.one)?, open(&args.other)?];
    let found = args.threads.pool()?.run(|| between_solutions(&databases[0], &databases[1]));
    let Some(all) = found.filter(|all| !all.is_empty()) else {
        return Err(Failure::input(anyhow::anyhow!(
            "{} and {} hold different situations: compare files of the same seed, street, stack \
             and span of pots",
            args.one.display(),
            args.other.display()
        )));
    };
    let over = |of: fn(&Errors) -> f64| -> Spread {
        let mut values: Vec<f64> = all.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        [mean, values[values.len() / 2], values[values.len() - 1]]
    };
    let noise = Noise {
        files: [&args.one, &args.other],
        situations: all.len(),
        iterations: databases.each_ref().map(|database| database.card().content.iterations),
        spreads: [
            over(|errors| errors.huber),
            over(|errors| errors.squares),
            over(|errors| errors.weighted_huber),
            over(|errors| errors.weighted_squares),
        ],
    };
    Output::of(&noise, args.json)
}

/// The differences between two solutions.
struct Noise<'a> {
    files: [&'a Path; 2],
    situations: usize,
    iterations: [u32; 2],
    /// Huber loss and mean square over all hands, then both weighted by the ranges.
    spreads: [Spread; 4],
}

impl Shown for Noise<'_> {
    fn text(&self) -> String {
        let names = [
            "over all hands: Huber loss",
            "mean square",
            "by the range: Huber loss",
            "mean square",
        ];
        let mut table = Table::new(["", "mean", "median", "most"]).right(1..4);
        for (name, spread) in names.iter().zip(self.spreads) {
            let cells = spread.map(|number| format!("{number:.5}"));
            table.row(std::iter::once((*name).to_owned()).chain(cells));
        }
        format!(
            "{} situations solved by {} and by {} iterations: how far apart their values \
             are\n{table}\n",
            whole(self.situations as u64),
            self.iterations[0],
            self.iterations[1]
        )
    }

    fn document(&self) -> impl serde::Serialize {
        let [huber, squares, weighted_huber, weighted_squares] = self
            .spreads
            .map(|[mean, median, most]| json!({ "mean": mean, "median": median, "most": most }));
        json!({
            "schema": "cardroom-label-noise/1",
            "files": self.files,
            "situations": self.situations,
            "iterations": self.iterations,
            "huber": huber,
            "mean_square": squares,
            "weighted_huber": weighted_huber,
            "weighted_mean_square": weighted_squares,
        })
    }
}
