//! `cardroom solve endgame learn`: trees and nearest neighbours that predict equilibria of
//! endgames, measured on held-out games.

use std::path::PathBuf;
use std::str::FromStr;

use readable::endgame::comparison::{Comparison, ComparisonPlan};
use readable::endgame::database::Representation;

use super::ShareArg;
use crate::exit::Failure;
use crate::output::{Output, Report};
use crate::progress::Progress;
use clap::ValueEnum;
use readable::endgame::trees::Deviation;

/// The default numbers of neighbours; those above the number of training games are left out.
const NEIGHBOURS: [usize; 3] = [1, 5, 20];

/// Learn to predict equilibria from a database and measure the predictions.
///
/// Four fifths of the games are for training, the others for testing. Each of the ten published
/// representations gives a greedy tree, truncated at every depth. Baselines are the mean strategies
/// of the nearest games, always checking, and betting every size with equal probability. The
/// distance to the equilibrium and the exploitability, in pots, are means over the test games with
/// 95 % intervals.
#[derive(clap::Args)]
pub struct Args {
    /// The database of solved endgames
    #[arg(value_name = "DATABASE")]
    data: PathBuf,
    /// Number of games to use, from the first [default: all, at most 80000]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Depths of the trees, as in 3..20 or 3,5,8
    #[arg(long, value_name = "DEPTHS", default_value = "3..20")]
    depths: Numbers,
    /// The representations, as in 1..10 or 3,9
    #[arg(long, value_name = "NUMBERS", default_value = "1..10")]
    representations: Numbers,
    /// The share that represents a card in representations 5, 6, 9 and 10
    #[arg(long, value_enum, default_value_t)]
    share: ShareArg,
    /// What greedy trees reduce
    #[arg(long, value_enum, default_value_t)]
    error: ErrorArg,
    /// Numbers of nearest games to average, as in 1,5,20 [default: 1,5,20]
    #[arg(long, value_name = "NUMBERS")]
    neighbours: Option<Numbers>,
    /// Also remember only so many games, as in 10,100, and predict card by card
    #[arg(long, value_name = "NUMBERS")]
    remember: Option<Numbers>,
    /// Also search for optimal trees of depths 3 to 5, trained on N games
    #[arg(long, value_name = "N")]
    optimal: Option<usize>,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// What trees reduce, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ErrorArg {
    /// The squared error of the probabilities; nodes answer means
    #[default]
    Squared,
    /// The absolute error of the cumulated probabilities, which is the distance to the equilibrium;
    /// nodes answer medians
    Absolute,
}

/// A list of numbers, parsed from `3..20`, `3,5,8`, or a mix.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Numbers(Vec<usize>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Numbers, String> {
        let wrong = || format!("`{text}` is not a list of numbers: write it as in 3..20 or 3,5,8");
        let mut numbers = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let [first, last] = [first, last].map(|end| end.trim().parse::<usize>().ok());
            match (first, last) {
                (Some(first), Some(last)) if first <= last && last - first <= 1000 => {
                    numbers.extend(first..=last);
                }
                _ => return Err(wrong()),
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Numbers(numbers))
    }
}

impl Report for Comparison<'_> {
    const SCHEMA: &'static str = "cardroom-endgame-learn/1";
}

/// Runs the command: learns the trees, tests them and returns the results.
pub fn run(args: &Args) -> Result<Output, Failure> {
    let depths = &args.depths.0;
    let deepest = depths.last().copied().unwrap_or_default();
    if deepest > models::tree::DEEPEST {
        let most = models::tree::DEEPEST;
        return Err(Failure::usage(format!("--depths has {deepest}: trees have at most {most}")));
    }
    let chosen = args.representations.0.iter().map(|&number| {
        Representation::published(number).ok_or_else(|| {
            let count = Representation::COUNT;
            Failure::usage(format!("--representations has {number}: there are 1 to {count}"))
        })
    });
    let chosen = chosen.collect::<Result<Vec<_>, _>>()?;
    let (database, games, train) = super::games(&args.data, args.games)?;
    let ks: Vec<usize> = match &args.neighbours {
        None => NEIGHBOURS.into_iter().filter(|&k| k <= train).collect(),
        Some(Numbers(ks)) => ks.clone(),
    };
    if let Some(k) = ks.iter().find(|k| !(1..=train).contains(*k)) {
        return Err(Failure::input(anyhow::anyhow!(
            "--neighbours has {k}: there are {train} games of {} to learn from",
            args.data.display()
        )));
    }
    let remembered = args.remember.as_ref().map_or_else(Vec::new, |Numbers(games)| games.clone());
    if let Some(games) = remembered.iter().find(|games| !(1..train).contains(*games)) {
        return Err(Failure::input(anyhow::anyhow!(
            "--remember has {games}: there are {train} games of {} to learn from; name fewer, from \
             1 on",
            args.data.display()
        )));
    }
    let plan = ComparisonPlan {
        data: &args.data,
        depths,
        representations: chosen,
        share: args.share.share(),
        deviation: match args.error {
            ErrorArg::Squared => Deviation::Squared,
            ErrorArg::Absolute => Deviation::Absolute,
        },
        neighbours: ks,
        remembered,
        optimal: args.optimal.unwrap_or(0),
        games,
        train,
    };
    let mut progress = Progress::new(plan.steps(), "steps", args.quiet);
    let report = plan.compare(&database, &mut |done, note| progress.show(done, note))?;
    progress.finish();
    Output::report(&report, args.json)
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn numbers_are_read_as_ranges_and_lists() {
        let read = |text: &str| text.parse::<Numbers>().map(|Numbers(numbers)| numbers);
        assert_eq!(read("3..6"), Ok(vec![3, 4, 5, 6]));
        assert_eq!(read("9,3, 5..6,3"), Ok(vec![3, 5, 6, 9]));
        for wrong in ["", "3..", "6..3", "a", "1,,2", "-1", "0..1000000000"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
