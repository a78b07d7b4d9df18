//! What the commands of the study have printed.

use super::steps::{FIGURE_1, Files};
use crate::read::Document;
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    pub(super) mean: f64,
    pub(super) half_width: f64,
}

/// A game of Figure 1.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) value: f64,
    pub(super) exploitability: f64,
    pub(super) svg: String,
}

/// The database.
pub(super) struct Summary {
    pub(super) games: u64,
    pub(super) value: Mean,
    pub(super) deviation: f64,
    pub(super) worst: f64,
    pub(super) several: u64,
}

/// What was learned.
pub(super) struct Learned {
    pub(super) train: u64,
    pub(super) test: u64,
    /// Games that optimal trees learned from.
    pub(super) optimal_games: u64,
    pub(super) representations: Vec<Representation>,
    pub(super) neighbours: Vec<(u64, Score)>,
    pub(super) baselines: Vec<(String, Score)>,
}

/// A representation with its trees by depth.
pub(super) struct Representation {
    pub(super) number: u64,
    pub(super) name: String,
    pub(super) trees: Vec<Depth>,
    /// Greedy and optimal trees of the same games.
    pub(super) optimal: Vec<[Depth; 2]>,
}

/// A tree of some depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Depth {
    pub(super) depth: u64,
    pub(super) nodes: u64,
    pub(super) score: Score,
}

/// How near strategies are to equilibria.
#[derive(Debug, Clone, Copy, PartialEq)]
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
pub(super) struct Leaf {
    pub(super) published: f64,
    pub(super) asked: String,
    pub(super) size: f64,
    pub(super) holds: bool,
    pub(super) rows: u64,
    pub(super) error: f64,
}

/// Rules by their price.
pub(super) struct Rules {
    pub(super) found_on: u64,
    pub(super) priced_on: u64,
    pub(super) rules: Vec<Rule>,
}

/// A rule.
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) words: u64,
    /// It says how to bet, not how to call.
    pub(super) bets: bool,
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
        let read = |name: &str| Document::read(&files.at(&format!("{name}.json")));
        let svg = |name: &str| {
            let path = files.at(&format!("{name}.svg"));
            std::fs::read_to_string(&path)
                .map_err(|error| ReadError::File { path: path.display().to_string(), error })
        };
        let figure = |(name, ..): (&'static str, &str, &str)| {
            let document = read(name)?;
            let of = |seat: usize| document.number(&format!("/exploitability/{seat}"));
            let exploitability = of(0)?.max(of(1)?).max(0.0);
            let value = document.number("/value")?;
            Ok(Figure { name, value, exploitability, svg: own_ids(&svg(name)?, name) })
        };
        let figure_1 = FIGURE_1.into_iter().map(figure).collect::<Result<_, ReadError>>()?;
        let tree = |share: &str| {
            let name = format!("tree-{share}");
            tree(&read(&name)?, own_ids(&svg(&name)?, &name))
        };
        Ok(Results {
            figure_1,
            summary: summary(&read("summary")?)?,
            learned: learned(&read("learn")?)?,
            trees: [tree("beaten")?, tree("own")?],
            rules: rules(&read("rules")?)?,
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
        all.find(|(known, _)| known.contains(name)).map(|(_, score)| *score)
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

fn mean(document: &Document, place: &str) -> Result<Mean, ReadError> {
    let number = |name: &str| document.number(&format!("{place}/{name}"));
    Ok(Mean { mean: number("mean")?, half_width: number("half_width")? })
}

fn summary(document: &Document) -> Result<Summary, ReadError> {
    Ok(Summary {
        games: document.number("/games")? as u64,
        value: mean(document, "/value")?,
        deviation: document.number("/value/deviation")?,
        worst: document.number("/worst_exploitability")?,
        several: document.number("/several_equilibria")? as u64,
    })
}

fn score(document: &Document, place: &str) -> Result<Score, ReadError> {
    Ok(Score {
        distance: mean(document, &format!("{place}/distance"))?,
        exploitability: mean(document, &format!("{place}/exploitability"))?,
    })
}

fn depth(document: &Document, place: &str) -> Result<Depth, ReadError> {
    let number = |name: &str| document.number(&format!("{place}/{name}"));
    let (depth, nodes) = (number("depth")? as u64, number("nodes")? as u64);
    Ok(Depth { depth, nodes, score: score(document, place)? })
}

fn learned(document: &Document) -> Result<Learned, ReadError> {
    let places = |place: &str| {
        let count = document.list(place)?.len();
        let place = place.to_owned();
        Ok::<_, ReadError>((0..count).map(move |at| format!("{place}/{at}")))
    };
    let representation = |place: String| {
        let trees = places(&format!("{place}/trees"))?;
        let pairs = places(&format!("{place}/optimal"))?;
        let pair = |place: String| {
            let of = |kind: &str| depth(document, &format!("{place}/{kind}"));
            Ok([of("greedy")?, of("optimal")?])
        };
        Ok(Representation {
            number: document.number(&format!("{place}/number"))? as u64,
            name: document.text(&format!("{place}/name"))?.to_owned(),
            trees: trees.map(|place| depth(document, &place)).collect::<Result<_, _>>()?,
            optimal: pairs.map(pair).collect::<Result<_, ReadError>>()?,
        })
    };
    let neighbours = places("/neighbours")?.map(|place| {
        Ok((document.number(&format!("{place}/k"))? as u64, score(document, &place)?))
    });
    let baselines = places("/baselines")?.map(|place| {
        Ok((document.text(&format!("{place}/name"))?.to_owned(), score(document, &place)?))
    });
    Ok(Learned {
        train: document.number("/train")? as u64,
        test: document.number("/test")? as u64,
        optimal_games: document.number("/optimal_games")? as u64,
        representations: places("/representations")?
            .map(representation)
            .collect::<Result<_, ReadError>>()?,
        neighbours: neighbours.collect::<Result<_, ReadError>>()?,
        baselines: baselines.collect::<Result<_, ReadError>>()?,
    })
}

fn tree(document: &Document, svg: String) -> Result<Tree, ReadError> {
    let leaf = |at: usize| {
        let place = format!("/published/{at}");
        let node = document.number(&format!("{place}/node"))?;
        let nodes = document.list("/nodes")?;
        let own = nodes.iter().position(|found| found["node"].as_f64() == Some(node));
        let number =
            |name: &str| document.number(&format!("/nodes/{}/{name}", own.unwrap_or(nodes.len())));
        Ok(Leaf {
            published: document.number(&format!("{place}/published"))?,
            asked: document.text(&format!("{place}/asked"))?.to_owned(),
            size: document.number(&format!("{place}/size"))?,
            holds: document.truth(&format!("{place}/holds"))?,
            rows: number("rows")? as u64,
            error: number("squared_error")?,
        })
    };
    let leaves = (0..document.list("/published")?.len()).map(leaf);
    Ok(Tree { leaves: leaves.collect::<Result<_, ReadError>>()?, svg })
}

fn rules(document: &Document) -> Result<Rules, ReadError> {
    let rule = |at: usize| {
        let place = |name: &str| format!("/rules/{at}/{name}");
        Ok(Rule {
            name: document.text(&place("name"))?.to_owned(),
            text: document.text(&place("rules"))?.to_owned(),
            words: document.number(&place("words"))? as u64,
            bets: document.truth(&place("bets"))?,
            price: Mean {
                mean: document.number(&place("exploitability"))?,
                half_width: document.number(&place("half_width"))?,
            },
        })
    };
    let rules = (0..document.list("/rules")?.len()).map(rule);
    Ok(Rules {
        found_on: document.number("/found_on")? as u64,
        priced_on: document.number("/priced_on")? as u64,
        rules: rules.collect::<Result<_, ReadError>>()?,
    })
}
