//! `cardroom endgame summary`: statistics of a database of endgames, which are solved again to
//! check it.

use std::path::PathBuf;

use learners::endgames::database::{Database, endgame};
use serde_json::json;
use show::number::whole;

use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::progress::Progress;

/// Solve every game of a database again: values, exploitabilities, and whether the stored
/// strategies are the same.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The database
    #[arg(value_name = "FILE")]
    data: PathBuf,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
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
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let database = Database::open(&args.data).map_err(Failure::input)?;
    let bets = database.bets();
    let of = |place: usize| {
        let stored = database.game(place);
        let game = endgame(stored.first, stored.second, &bets).map_err(Failure::input)?;
        let solution = game.solve();
        let worst = game.exploitabilities(&solution).into_iter().fold(0.0, f64::max);
        let pairs = solution.strategy.iter().zip(stored.strategy);
        let differs = pairs.map(|(a, b)| (a - f64::from(*b)).abs()).fold(0.0, f64::max);
        let extreme = game.extreme(solvers::endgame::Pivots::Best);
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
    Output::of(&Summary { args, database, sums }, args.json)
}

/// A database with the totals over its games.
struct Summary<'a> {
    args: &'a Args,
    database: Database,
    sums: Sums,
}

impl Summary<'_> {
    /// The mean value with the half-width of its 95 % interval, and the standard deviation.
    fn value(&self) -> [f64; 3] {
        let values = &self.sums.values;
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let deviation = (spread / (count - 1.0).max(1.0)).sqrt();
        [mean, 1.96 * deviation / count.sqrt(), deviation]
    }
}

impl Shown for Summary<'_> {
    fn text(&self) -> String {
        let [mean, half_width, deviation] = self.value();
        format!(
            "{}: {} games\n\
             value to the first player     {mean:.5} ± {half_width:.5} of the pot, standard \
             deviation {deviation:.5}\n\
             exploitability                {:.1e} of the pot at most, solved again\n\
             difference to the file        {:.1e} at most, in one probability\n\
             more than one equilibrium     in {} games at least\n",
            self.args.data.display(),
            whole(self.database.games() as u64),
            self.sums.worst,
            self.sums.differs,
            whole(self.sums.many),
        )
    }

    fn document(&self) -> impl serde::Serialize {
        let [mean, half_width, deviation] = self.value();
        json!({
            "schema": "cardroom-endgame-summary/1",
            "file": self.args.data,
            "games": self.database.games(),
            "seed": self.database.card().seed,
            "sha256": self.database.card().sha256,
            "value": { "mean": mean, "half_width": half_width, "deviation": deviation },
            "worst_exploitability": self.sums.worst,
            "largest_difference": self.sums.differs,
            "several_equilibria": self.sums.many,
        })
    }
}
