//! What the commands of the study have printed.

use serde::Deserialize;

use super::steps::{FIGURE_1, Files};
use crate::read::{read, text};
use crate::{Options, ReadError};

/// Everything that the report says.
pub(super) struct Results {
    /// The games of Figure 1.
    pub(super) figure_1: Vec<Figure>,
    pub(super) summary: Summary,
    pub(super) learned: Learned,
    /// The tree of one size by the share of the other player's cards that are beaten, and by the
    /// own distribution.
    pub(super) trees: [Tree; 2],
    pub(super) rules: Rules,
}

/// A mean with half of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Mean {
    /// Of a rule it is named for what it is the mean of.
    #[serde(alias = "exploitability")]
    pub(super) mean: f64,
    pub(super) half_width: f64,
}

/// What the command that solves a game prints.
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

/// The database.
#[derive(Deserialize)]
pub(super) struct Summary {
    pub(super) games: u64,
    pub(super) value: Spread,
    #[serde(rename = "worst_exploitability")]
    pub(super) worst: f64,
    #[serde(rename = "several_equilibria")]
    pub(super) several: u64,
}

/// A mean with the standard deviation of what it is of.
#[derive(Deserialize)]
pub(super) struct Spread {
    #[serde(flatten)]
    pub(super) mean: Mean,
    pub(super) deviation: f64,
}

/// What was learned.
#[derive(Deserialize)]
pub(super) struct Learned {
    pub(super) train: u64,
    pub(super) test: u64,
    /// Games that optimal trees learned from.
    pub(super) optimal_games: u64,
    pub(super) representations: Vec<Representation>,
    pub(super) neighbours: Vec<Neighbours>,
    pub(super) baselines: Vec<Baseline>,
}

/// The nearest games, so many.
#[derive(Deserialize)]
pub(super) struct Neighbours {
    pub(super) k: u64,
    #[serde(flatten)]
    pub(super) score: Score,
}

/// What needs no learning.
#[derive(Deserialize)]
pub(super) struct Baseline {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) score: Score,
}

/// A representation with its trees by depth.
#[derive(Deserialize)]
pub(super) struct Representation {
    pub(super) number: u64,
    pub(super) name: String,
    pub(super) trees: Vec<Depth>,
    pub(super) optimal: Vec<Beside>,
}

/// A greedy and an optimal tree of the same games.
#[derive(Deserialize)]
pub(super) struct Beside {
    pub(super) greedy: Depth,
    pub(super) optimal: Depth,
}

/// A tree of some depth.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Depth {
    pub(super) depth: u64,
    pub(super) nodes: u64,
    #[serde(flatten)]
    pub(super) score: Score,
}

/// How near strategies are to equilibria.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Score {
    /// Algorithm 2.
    pub(super) distance: Mean,
    /// Algorithm 3.
    pub(super) exploitability: Mean,
}

/// The tree of Figure 5.
pub(super) struct Tree {
    pub(super) leaves: Vec<Leaf>,
    pub(super) svg: String,
}

/// A published leaf and the one here that comes nearest.
#[derive(Deserialize)]
pub(super) struct Leaf {
    pub(super) published: f64,
    pub(super) asked: String,
    node: u64,
    pub(super) size: f64,
    pub(super) holds: bool,
    /// These two are told of the node.
    #[serde(skip)]
    pub(super) rows: u64,
    #[serde(skip)]
    pub(super) error: f64,
}

/// What a tree's command prints.
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

/// Rules by their price.
#[derive(Deserialize)]
pub(super) struct Rules {
    pub(super) found_on: u64,
    pub(super) priced_on: u64,
    pub(super) rules: Vec<Rule>,
}

/// A rule.
#[derive(Deserialize)]
pub(super) struct Rule {
    pub(super) name: String,
    #[serde(rename = "rules")]
    pub(super) text: String,
    pub(super) words: u64,
    /// It says how to bet, not how to call.
    pub(super) bets: bool,
    #[serde(flatten)]
    pub(super) price: Mean,
}

impl Rule {
    /// Its lines but for `else check`, in one.
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

    /// A representation at a depth.
    pub(super) fn at(&self, number: u64, depth: u64) -> Option<Depth> {
        let all = &self.learned.representations;
        let of = all.iter().find(|representation| representation.number == number)?;
        of.trees.iter().copied().find(|tree| tree.depth == depth)
    }

    /// A baseline whose name begins so.
    pub(super) fn baseline(&self, name: &str) -> Option<Score> {
        let mut all = self.learned.baselines.iter();
        all.find(|known| known.name.contains(name)).map(|known| known.score)
    }

    /// The rule of this name.
    pub(super) fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.rules.iter().find(|rule| rule.name == name)
    }
}

/// A picture whose ids are its own on a page with others of its kind.
fn own_ids(svg: &str, name: &str) -> String {
    let Some((_, rest)) = svg.split_once("class=\"") else { return svg.to_owned() };
    let Some((class, _)) = rest.split_once('"') else { return svg.to_owned() };
    let ids = ["title", "text"].map(|id| (format!("{class}-{id}"), format!("{name}-{id}")));
    ids.iter().fold(svg.to_owned(), |svg, (from, to)| svg.replace(from, to))
}
