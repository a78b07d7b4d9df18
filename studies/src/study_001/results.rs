//! The results of the study's commands.

use serde::Deserialize;

use super::steps::{FIGURE_1, Files};
use crate::read::{read, text};
use crate::{Options, ReadError};

/// All results.
pub(super) struct Results {
    /// The games of Figure 1.
    pub(super) figure_1: Vec<Figure>,
    pub(super) summary: Summary,
    pub(super) learned: Learned,
    /// The trees of a single size, with the share of the other player's cards that are beaten, and
    /// with the player's own cdf.
    pub(super) trees: [Tree; 2],
    pub(super) rules: Rules,
}

/// A mean with half the width of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Mean {
    /// Named `exploitability` in rules.
    #[serde(alias = "exploitability")]
    pub(super) mean: f64,
    pub(super) half_width: f64,
}

/// The output of solving a game.
#[derive(Deserialize)]
struct Solved {
    value: f64,
    exploitability: [f64; 2],
}

/// A game of Figure 1.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) value: f64,
    pub(super) exploitability: f64,
    pub(super) svg: String,
}

/// The summary of the database.
#[derive(Deserialize)]
pub(super) struct Summary {
    pub(super) games: u64,
    pub(super) value: Spread,
    #[serde(rename = "worst_exploitability")]
    pub(super) worst: f64,
    #[serde(rename = "several_equilibria")]
    pub(super) several: u64,
}

/// A mean with the standard deviation of the numbers.
#[derive(Deserialize)]
pub(super) struct Spread {
    #[serde(flatten)]
    pub(super) mean: Mean,
    pub(super) deviation: f64,
}

/// The results of learning.
#[derive(Deserialize)]
pub(super) struct Learned {
    pub(super) train: u64,
    pub(super) test: u64,
    /// The number of games that optimal trees are trained on.
    pub(super) optimal_games: u64,
    pub(super) representations: Vec<Representation>,
    pub(super) neighbours: Vec<Neighbours>,
    pub(super) baselines: Vec<Baseline>,
}

/// The score of the `k` nearest neighbours.
#[derive(Deserialize)]
pub(super) struct Neighbours {
    pub(super) k: u64,
    #[serde(flatten)]
    pub(super) score: Score,
}

/// The score of a baseline.
#[derive(Deserialize)]
pub(super) struct Baseline {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) score: Score,
}

/// The scores of a representation's trees, by depth.
#[derive(Deserialize)]
pub(super) struct Representation {
    pub(super) number: u64,
    pub(super) name: String,
    pub(super) trees: Vec<Depth>,
    pub(super) optimal: Vec<Comparison>,
}

/// The scores of a greedy and an optimal tree from the same games.
#[derive(Deserialize)]
pub(super) struct Comparison {
    pub(super) greedy: Depth,
    pub(super) optimal: Depth,
}

/// The score of a tree of some depth.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Depth {
    pub(super) depth: u64,
    pub(super) nodes: u64,
    #[serde(flatten)]
    pub(super) score: Score,
}

/// The scores of predicted strategies.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Score {
    /// The distance to the equilibrium (Algorithm 2).
    pub(super) distance: Mean,
    /// The exploitability (Algorithm 3).
    pub(super) exploitability: Mean,
}

/// The tree of Figure 5.
pub(super) struct Tree {
    pub(super) leaves: Vec<Leaf>,
    pub(super) svg: String,
}

/// A published leaf and the nearest leaf here.
#[derive(Deserialize)]
pub(super) struct Leaf {
    pub(super) published: f64,
    pub(super) asked: String,
    node: u64,
    pub(super) size: f64,
    pub(super) holds: bool,
    /// The rows and the error of the node, filled in later.
    #[serde(skip)]
    pub(super) rows: u64,
    #[serde(skip)]
    pub(super) error: f64,
}

/// The output of a tree's command.
#[derive(Deserialize)]
struct Grown {
    published: Vec<Leaf>,
    nodes: Vec<Node>,
}

/// A node of a tree.
#[derive(Deserialize)]
struct Node {
    node: u64,
    rows: u64,
    squared_error: f64,
}

/// The rules with their exploitabilities.
#[derive(Deserialize)]
pub(super) struct Rules {
    pub(super) found_on: u64,
    pub(super) priced_on: u64,
    pub(super) rules: Vec<Rule>,
}

/// A rule with its exploitability.
#[derive(Deserialize)]
pub(super) struct Rule {
    pub(super) name: String,
    #[serde(rename = "rules")]
    pub(super) text: String,
    pub(super) words: u64,
    /// Whether it is a rule for betting rather than calling.
    pub(super) bets: bool,
    #[serde(flatten)]
    pub(super) price: Mean,
}

impl Rule {
    /// The lines joined to one, without `else check`.
    pub(super) fn line(&self) -> String {
        let lines = self.text.lines().filter(|line| *line != "else check");
        let line = lines.collect::<Vec<_>>().join("; ");
        if line.is_empty() { "check".to_owned() } else { line }
    }
}

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let files = Files(options);
        let json = |name: &str| files.at(&format!("{name}.json"));
        let svg =
            |name: &str| text(&files.at(&format!("{name}.svg"))).map(|svg| own_ids(&svg, name));
        let figure = |(name, ..): (&'static str, &str, &str)| {
            let Solved { value, exploitability: [one, other] } = read(&json(name))?;
            let exploitability = one.max(other).max(0.0);
            Ok(Figure { name, value, exploitability, svg: svg(name)? })
        };
        let tree = |name: &str| {
            let Grown { published: mut leaves, nodes } = read(&json(name))?;
            for leaf in &mut leaves {
                let node = nodes.iter().find(|node| node.node == leaf.node);
                let node = node.ok_or_else(|| {
                    ReadError::damaged(&json(name), format!("there is no node {}", leaf.node))
                })?;
                (leaf.rows, leaf.error) = (node.rows, node.squared_error);
            }
            Ok::<_, ReadError>(Tree { leaves, svg: svg(name)? })
        };
        Ok(Results {
            figure_1: FIGURE_1.into_iter().map(figure).collect::<Result<_, ReadError>>()?,
            summary: read(&json("summary"))?,
            learned: read(&json("learn"))?,
            trees: [tree("tree-beaten")?, tree("tree-own")?],
            rules: read(&json("rules"))?,
        })
    }

    /// The score of a representation at a depth.
    pub(super) fn at(&self, number: u64, depth: u64) -> Option<Depth> {
        let all = &self.learned.representations;
        let of = all.iter().find(|representation| representation.number == number)?;
        of.trees.iter().copied().find(|tree| tree.depth == depth)
    }

    /// The score of the baseline whose name contains `name`.
    pub(super) fn baseline(&self, name: &str) -> Option<Score> {
        let mut all = self.learned.baselines.iter();
        all.find(|known| known.name.contains(name)).map(|known| known.score)
    }

    /// The rule with this name.
    pub(super) fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.rules.iter().find(|rule| rule.name == name)
    }
}

/// A picture with ids that are unique on a page.
fn own_ids(svg: &str, name: &str) -> String {
    let Some((_, rest)) = svg.split_once("class=\"") else { return svg.to_owned() };
    let Some((class, _)) = rest.split_once('"') else { return svg.to_owned() };
    let ids = ["title", "text"].map(|id| (format!("{class}-{id}"), format!("{name}-{id}")));
    ids.iter().fold(svg.to_owned(), |svg, (from, to)| svg.replace(from, to))
}
