//! `cardroom solve endgame learn`: trees and nearest neighbours that predict equilibria of
//! endgames, measured on held-out games.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use readable::endgame::database::Representation;
use readable::endgame::rules::{Mean, Score, baselines};
use readable::endgame::trees::{AtDepth, Neighbours, Predictor};
use serde::Serialize;
use show::Table;
use show::number::whole;

use super::ShareArg;
use crate::exit::Failure;
use crate::output::{Output, Report};
use crate::progress::Progress;

/// The depth of the published table.
const TABLE_DEPTH: usize = 5;

/// The default numbers of neighbours; those above the number of training games are left out.
const NEIGHBOURS: [usize; 3] = [1, 5, 20];

/// The depths of optimal trees.
const OPTIMAL_DEPTHS: [usize; 3] = [3, 4, 5];

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
    /// Numbers of nearest games to average, as in 1,5,20 [default: 1,5,20]
    #[arg(long, value_name = "NUMBERS")]
    neighbours: Option<Numbers>,
    /// Also search for optimal trees of depths 3 to 5, trained on N games
    #[arg(long, value_name = "N")]
    optimal: Option<usize>,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
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
                (Some(first), Some(last)) if first <= last && last <= 1000 => {
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

/// All results.
#[derive(Serialize)]
struct LearnReport<'a> {
    data: DataReport<'a>,
    games: usize,
    train: usize,
    test: usize,
    share: ShareArg,
    /// Number of games that optimal trees are searched over.
    optimal_games: usize,
    representations: Vec<Learned>,
    neighbours: Vec<Neighbourhood>,
    baselines: Vec<Baseline>,
    #[serde(skip)]
    args: &'a Args,
}

/// The database.
#[derive(Serialize)]
struct DataReport<'a> {
    sha256: &'a str,
    seed: u64,
    first: u64,
    cards: usize,
    sizes: &'a [f64],
}

/// The trees of a representation.
#[derive(Serialize)]
struct Learned {
    number: usize,
    name: String,
    trees: Vec<AtDepth>,
    /// Trees grown from the same games.
    optimal: Vec<TreePair>,
}

#[derive(Serialize)]
struct TreePair {
    greedy: AtDepth,
    optimal: AtDepth,
}

/// The mean of the `k` nearest games.
#[derive(Serialize)]
struct Neighbourhood {
    k: usize,
    #[serde(flatten)]
    score: Score,
}

#[derive(Serialize)]
struct Baseline {
    name: &'static str,
    #[serde(flatten)]
    score: Score,
}

impl Report for LearnReport<'_> {
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
    let searched = args.optimal.unwrap_or(0).min(train);
    let (test, share) = (train..games, args.share.share());
    let steps = chosen.len() * if searched > 0 { 1 + OPTIMAL_DEPTHS.len() } else { 1 };
    let mut progress = Progress::new(steps as u64 + 1, "steps", args.quiet);
    let mut done = 0;
    progress.show(done, "nearest neighbours");
    let baselines = baselines(&database, test.clone())?;
    let neighbours = Neighbours::new(&database, 0..train).scores(test.clone(), &ks);
    let neighbours = ks.into_iter().zip(neighbours?);
    let mut learned = Vec::new();
    for representation in chosen {
        let mut show = |what: &str| {
            done += 1;
            let number = representation.number;
            progress.show(done, &format!("representation {number}, {what}"));
        };
        show("the greedy tree");
        let greedy = |games: usize, depth: usize| {
            Predictor::greedy(representation, share, &database, 0..games, depth)
        };
        let scored =
            |tree: Predictor, depths: &[usize]| tree.at_depths(&database, test.clone(), depths);
        let trees = scored(greedy(train, deepest)?, depths)?;
        let mut optimal = Vec::new();
        for depth in OPTIMAL_DEPTHS.into_iter().filter(|_| searched > 0) {
            show(&format!("the optimal tree of depth {depth}"));
            let tree = Predictor::optimal(representation, share, &database, 0..searched, depth)?;
            optimal.push(TreePair {
                greedy: scored(greedy(searched, depth)?, &[depth])?[0],
                optimal: scored(tree, &[depth])?[0],
            });
        }
        let (number, name) = (representation.number, representation.name());
        learned.push(Learned { number, name, trees, optimal });
    }
    progress.finish();
    let card = database.card();
    let report = LearnReport {
        data: DataReport {
            sha256: &card.sha256,
            seed: card.seed,
            first: card.first,
            cards: card.content.cards,
            sizes: &card.content.sizes,
        },
        games,
        train,
        test: games - train,
        share: args.share,
        optimal_games: searched,
        representations: learned,
        neighbours: neighbours.map(|(k, score)| Neighbourhood { k, score }).collect(),
        baselines: baselines.into_iter().map(|(name, score)| Baseline { name, score }).collect(),
        args,
    };
    Output::report(&report, args.json)
}

impl LearnReport<'_> {
    fn text(&self) -> String {
        let LearnReport { args, games, train, test, .. } = *self;
        let [all, train, test] = [games, train, test].map(|games| whole(games as u64));
        let mut text = format!(
            "{}: {all} games, {train} to learn from, {test} to test on.\nDistance to the \
             equilibrium (0 to 1) and exploitability (in pots): means with 95 % intervals.\n",
            args.data.display()
        );
        let shown = args.depths.0.iter().find(|&&depth| depth == TABLE_DEPTH);
        let shown = shown.or(args.depths.0.first()).copied().unwrap_or(TABLE_DEPTH);
        let mut table = Table::new(["", "representation", "nodes", "distance", "exploitability"])
            .right(2..)
            .at_the_margin();
        for Learned { number, name, trees, .. } in &self.representations {
            for tree in trees.iter().filter(|tree| tree.depth == shown) {
                let nodes = whole(tree.nodes as u64);
                let start = [number.to_string(), name.clone(), nodes];
                table.row(start.into_iter().chain(cells(&tree.score)));
            }
        }
        text += &format!("\nTrees of depth {shown}\n{table}\n");
        text += &self.by_depth("Distance at each depth", |tree| three(tree.score.distance.mean));
        text += &self
            .by_depth("Exploitability at each depth", |tree| three(tree.score.exploitability.mean));
        text += &self.by_depth("Nodes at each depth", |tree| whole(tree.nodes as u64));
        if self.optimal_games > 0 {
            text += &self.optimal_text();
        }
        let header = ["without a tree", "distance", "exploitability"];
        let mut table = Table::new(header).right(1..).at_the_margin();
        for Neighbourhood { k, score } in &self.neighbours {
            let name = match k {
                1 => "the nearest game".to_owned(),
                k => format!("the {k} nearest games"),
            };
            table.row(std::iter::once(name).chain(cells(score)));
        }
        for Baseline { name, score } in &self.baselines {
            table.row(std::iter::once((*name).to_owned()).chain(cells(score)));
        }
        text + &format!("\n{table}\n")
    }

    /// A table with a row for each depth and a column for each representation.
    fn by_depth(&self, title: &str, cell: impl Fn(&AtDepth) -> String) -> String {
        let numbers = self.representations.iter().map(|learned| learned.number.to_string());
        let header = std::iter::once("depth".to_owned()).chain(numbers);
        let mut table = Table::new(header).right(..).at_the_margin();
        let depths = self.representations.first().map_or(&[][..], |learned| &learned.trees);
        for (at, AtDepth { depth, .. }) in depths.iter().enumerate() {
            let cells = self.representations.iter().map(|learned| cell(&learned.trees[at]));
            table.row(std::iter::once(depth.to_string()).chain(cells));
        }
        format!("\n{title}\n{table}\n")
    }

    fn optimal_text(&self) -> String {
        let header =
            ["", "depth", "greedy distance", "optimal", "greedy exploitability", "optimal"];
        let mut table = Table::new(header).right(..).at_the_margin();
        for Learned { number, optimal: pairs, .. } in &self.representations {
            for TreePair { greedy, optimal } in pairs {
                let [number, depth] = [*number, greedy.depth].map(|n| n.to_string());
                let [a, b] = [cells(&greedy.score), cells(&optimal.score)];
                let ([a, c], [b, d]) = (a, b);
                table.row([number, depth, a, b, c, d]);
            }
        }
        let games = whole(self.optimal_games as u64);
        format!("\nOptimal and greedy trees, both from {games} games\n{table}\n")
    }
}

impl fmt::Display for LearnReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Distance and exploitability with their confidence intervals.
fn cells(score: &Score) -> [String; 2] {
    let cell = |Mean { mean, half_width }: Mean| format!("{mean:.4} ± {half_width:.4}");
    [cell(score.distance), cell(score.exploitability)]
}

fn three(number: f64) -> String {
    format!("{number:.3}")
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
