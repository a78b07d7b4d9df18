//! The comparison of models that predict equilibria of endgames: trees of each representation at
//! every depth, nearest neighbours, and strategies without learning, on games that were held out.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use show::Table;
use show::number::whole;

use super::database::{Database, Representation, Share};
use super::neighbours::{Neighbours, Prediction};
use super::rules::{Mean, Score, baselines};
use super::trees::{AtDepth, Deviation, Predictor};
use crate::Error;

/// The depth of the published table.
const TABLE_DEPTH: usize = 5;

/// The depths of optimal trees.
const OPTIMAL_DEPTHS: [usize; 3] = [3, 4, 5];

/// What is compared.
#[derive(Debug)]
pub struct ComparisonPlan<'a> {
    /// The file of the database.
    pub data: &'a Path,
    /// The depths of the trees, in increasing order.
    pub depths: &'a [usize],
    /// The representations that trees see.
    pub representations: Vec<Representation>,
    /// The share that stands for a card.
    pub share: Share,
    /// What greedy trees reduce.
    pub deviation: Deviation,
    /// The numbers of nearest games.
    pub neighbours: Vec<usize>,
    /// Numbers of games that are remembered, below those to learn from; for each of them, and for
    /// all, neighbours are also searched card by card. If there are none, all games are remembered
    /// and predicted as wholes only.
    pub remembered: Vec<usize>,
    /// The games that optimal trees are searched over; none if there are no such trees.
    pub optimal: usize,
    /// The games that are used, from the first.
    pub games: usize,
    /// The games of these that are learned from; the others are tested on.
    pub train: usize,
}

impl ComparisonPlan<'_> {
    /// The number of steps.
    pub fn steps(&self) -> u64 {
        let each = if self.optimal > 0 { 1 + OPTIMAL_DEPTHS.len() } else { 1 };
        (self.representations.len() * each) as u64 + 1
    }

    /// Learns and tests everything. `seen` is called with the steps begun and the next one.
    ///
    /// # Errors
    /// When the games cannot be learned from.
    pub fn compare<'a>(
        &'a self,
        database: &'a Database,
        seen: &mut dyn FnMut(u64, &str),
    ) -> Result<Comparison<'a>, Error> {
        let ComparisonPlan { games, train, share, deviation, depths, .. } = *self;
        let (searched, test) = (self.optimal.min(train), train..games);
        let deepest = depths.last().copied().unwrap_or_default();
        let mut done = 0;
        seen(done, "nearest neighbours");
        let baselines = baselines(database, test.clone())?;
        let neighbours = self.neighbourhoods(database, test.clone())?;
        let mut learned = Vec::new();
        for &representation in &self.representations {
            let mut show = |what: &str| {
                done += 1;
                let number = representation.number;
                seen(done, &format!("representation {number}, {what}"));
            };
            show("the greedy tree");
            let greedy = |games: usize, depth: usize| {
                Predictor::greedy(representation, share, deviation, database, 0..games, depth)
            };
            let scored =
                |tree: Predictor, depths: &[usize]| tree.at_depths(database, test.clone(), depths);
            let trees = scored(greedy(train, deepest)?, depths)?;
            let mut optimal = Vec::new();
            for depth in OPTIMAL_DEPTHS.into_iter().filter(|_| searched > 0) {
                show(&format!("the optimal tree of depth {depth}"));
                let tree = Predictor::optimal(representation, share, database, 0..searched, depth)?;
                optimal.push(TreePair {
                    greedy: scored(greedy(searched, depth)?, &[depth])?[0],
                    optimal: scored(tree, &[depth])?[0],
                });
            }
            let (number, name) = (representation.number, representation.name());
            learned.push(Learned { number, name, trees, optimal });
        }
        let card = database.card();
        Ok(Comparison {
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
            share,
            deviation,
            optimal_games: searched,
            representations: learned,
            neighbours,
            baselines: baselines
                .into_iter()
                .map(|(name, score)| Baseline { name, score })
                .collect(),
            plan: self,
        })
    }

    /// The scores of nearest neighbours, those of all games first.
    fn neighbourhoods(
        &self,
        database: &Database,
        test: Range<usize>,
    ) -> Result<Vec<Neighbourhood>, Error> {
        let by: &[Prediction] = match self.remembered.as_slice() {
            [] => &[Prediction::Game],
            _ => &Prediction::ALL,
        };
        let mut all = Vec::new();
        for games in std::iter::once(self.train).chain(self.remembered.iter().copied()) {
            let ks: Vec<usize> = self.neighbours.iter().copied().filter(|&k| k <= games).collect();
            let scores = Neighbours::new(database, 0..games).scores(test.clone(), by, &ks)?;
            let kinds = by.iter().flat_map(|&by| ks.iter().map(move |&k| (by, k)));
            all.extend(kinds.zip(scores).map(|((by, k), score)| Neighbourhood {
                games,
                by,
                k,
                score,
            }));
        }
        Ok(all)
    }
}

/// The scores of trees, nearest neighbours and baselines.
#[derive(Debug, Serialize)]
pub struct Comparison<'a> {
    data: DataReport<'a>,
    games: usize,
    train: usize,
    test: usize,
    share: Share,
    deviation: Deviation,
    /// Number of games that optimal trees are searched over.
    optimal_games: usize,
    representations: Vec<Learned>,
    neighbours: Vec<Neighbourhood>,
    baselines: Vec<Baseline>,
    #[serde(skip)]
    plan: &'a ComparisonPlan<'a>,
}

/// The database.
#[derive(Debug, Serialize)]
struct DataReport<'a> {
    sha256: &'a str,
    seed: u64,
    first: u64,
    cards: usize,
    sizes: &'a [f64],
}

/// The trees of a representation.
#[derive(Debug, Serialize)]
struct Learned {
    number: usize,
    name: String,
    trees: Vec<AtDepth>,
    /// Trees grown from the same games.
    optimal: Vec<TreePair>,
}

#[derive(Debug, Serialize)]
struct TreePair {
    greedy: AtDepth,
    optimal: AtDepth,
}

/// The mean of the `k` nearest games or cards among some games.
#[derive(Debug, Serialize)]
struct Neighbourhood {
    games: usize,
    by: Prediction,
    k: usize,
    #[serde(flatten)]
    score: Score,
}

#[derive(Debug, Serialize)]
struct Baseline {
    name: &'static str,
    #[serde(flatten)]
    score: Score,
}

impl Comparison<'_> {
    fn text(&self) -> String {
        let Comparison { plan, games, train, test, .. } = *self;
        let [all, train, test] = [games, train, test].map(|games| whole(games as u64));
        let mut text = format!(
            "{}: {all} games, {train} to learn from, {test} to test on.\nDistance to the \
             equilibrium (0 to 1) and exploitability (in pots): means with 95 % intervals.\nGreedy \
             trees reduce {}.\n",
            plan.data.display(),
            match self.deviation {
                Deviation::Squared => "squared errors and answer means",
                Deviation::Absolute => "absolute errors and answer medians",
            },
        );
        let shown = plan.depths.iter().find(|&&depth| depth == TABLE_DEPTH);
        let shown = shown.or(plan.depths.first()).copied().unwrap_or(TABLE_DEPTH);
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
        for Neighbourhood { games, by, k, score } in &self.neighbours {
            let (one, more) = match by {
                Prediction::Game => ("game", "games"),
                Prediction::Number => ("card by number", "cards by number"),
                Prediction::Share => ("card by share", "cards by share"),
            };
            let name = match k {
                1 => format!("the nearest {one}"),
                k => format!("the {k} nearest {more}"),
            };
            let of = if *games == self.train { String::new() } else { format!(" of {games}") };
            table.row(std::iter::once(name + &of).chain(cells(score)));
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

impl fmt::Display for Comparison<'_> {
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
