//! Solving a game that is small enough to be solved whole: the algorithms by name, and the
//! measurements on the way.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use show::Table;
use show::number::{counted, signed_minus, whole};
use show::svg::tree::{BoxKind, TreeBox, TreePicture};

use super::{
    Cfr, Player, Profile, Sampling, SamplingOptions, Scheme, Sequences, Tree, TreeNode, linear,
};
use crate::{Error, Variant};

/// An algorithm that can be named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Algorithm {
    /// A member of the CFR family, over the whole tree.
    Cfr(Variant),
    /// CFR on sampled parts of the tree.
    Sampling(Scheme),
    /// A linear program, which is exact.
    LinearProgram,
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(name: &str) -> Result<Algorithm, Error> {
        match name {
            "external" => Ok(Algorithm::Sampling(Scheme::External)),
            "outcome" => Ok(Algorithm::Sampling(Scheme::Outcome { exploration: 0.6 })),
            "linear-program" => Ok(Algorithm::LinearProgram),
            _ => name.parse().map(Algorithm::Cfr),
        }
    }
}

/// Where a run ends, and the seed of its samples.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most iterations.
    pub iterations: u32,
    /// The exploitability to reach, in chips.
    pub until: Option<f64>,
    /// The seed of the sampling algorithms.
    pub seed: u64,
}

/// A game's solution: a measurement after each of some numbers of iterations.
#[derive(Debug, Serialize)]
pub struct SolveReport<'a> {
    game: &'a str,
    algorithm: &'a str,
    nodes: usize,
    infosets: [usize; 2],
    points: Vec<Point>,
}

/// A measurement after this many iterations, a row of the table.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Point {
    /// The iterations done.
    pub iterations: u32,
    /// The exploitability of the average strategies, in chips.
    pub exploitability: f64,
    /// The first player's value when both play their strategies.
    value: f64,
    /// Bounds of the game's value, from the best responses to each strategy.
    value_at_least: f64,
    value_at_most: f64,
}

impl<'a> SolveReport<'a> {
    /// The report of a game of this name, solved by the algorithm of this name.
    pub fn new(
        game: &'a str,
        algorithm: &'a str,
        tree: &Tree,
        points: Vec<Point>,
    ) -> SolveReport<'a> {
        let infosets = Player::BOTH.map(|player| tree.infosets(player).len());
        SolveReport { game, algorithm, nodes: tree.nodes().len(), infosets, points }
    }
}

impl fmt::Display for SolveReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["iterations", "exploitability", "first player wins", "value of the game"];
        let mut table = Table::new(header).right(..3).at_the_margin();
        for point in &self.points {
            table.row([
                point.iterations.to_string(),
                format!("{:.9}", point.exploitability),
                format!("{:.9}", point.value),
                format!("{:.9} … {:.9}", point.value_at_least, point.value_at_most),
            ]);
        }
        let SolveReport { game, algorithm, infosets: [first, second], .. } = self;
        let nodes = whole(self.nodes as u64);
        writeln!(
            f,
            "{game}: {nodes} nodes, {first} + {second} information sets, {algorithm}\n\n{table}"
        )
    }
}

/// Runs the algorithm; measures at 1, 2, 5, 10, 20, 50, … iterations and at the end, or until the
/// exploitability is at most `until`. `seen` is called with each measurement.
///
/// # Errors
/// When the linear program cannot be solved.
pub fn solve(
    tree: &Tree,
    game: &Sequences,
    algorithm: Algorithm,
    limits: Limits,
    seen: &mut dyn FnMut(&Point),
) -> Result<(Vec<Point>, Profile), Error> {
    let mut stepper: Box<dyn FnMut(u32) -> Profile + '_> = match algorithm {
        Algorithm::LinearProgram => {
            let exact = linear::solve(game)?;
            return Ok((vec![measure(game, &exact.profile, 1)], exact.profile));
        }
        Algorithm::Cfr(variant) => {
            let mut cfr = Cfr::new(game, variant, limits.iterations);
            Box::new(move |iterations| {
                cfr.run(iterations);
                cfr.average()
            })
        }
        Algorithm::Sampling(scheme) => {
            let options = SamplingOptions { scheme, ..SamplingOptions::default() };
            let mut sampling = Sampling::new(tree, game, options, limits.seed);
            Box::new(move |iterations| {
                sampling.run(iterations.into());
                sampling.average()
            })
        }
    };
    let mut points: Vec<Point> = Vec::new();
    let mut done = 0;
    loop {
        let next = stops().find(|&stop| stop > done).unwrap_or(limits.iterations);
        let next = next.min(limits.iterations);
        let profile = stepper(next - done);
        done = next;
        let point = measure(game, &profile, done);
        seen(&point);
        let near = limits.until.is_some_and(|until| point.exploitability <= until);
        points.push(point);
        if near || done == limits.iterations {
            return Ok((points, profile));
        }
    }
}

/// The iterations to measure at: 1, 2, 5, 10, 20, 50, …
fn stops() -> impl Iterator<Item = u32> {
    (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u32.pow(power)))
}

fn measure(game: &Sequences, profile: &Profile, iterations: u32) -> Point {
    let [first, second] = Player::BOTH.map(|player| profile.best_response_value(game, player));
    Point {
        iterations,
        // Rounding may take it below zero.
        exploitability: ((first + second) / 2.0).max(0.0),
        value: profile.value(game),
        value_at_least: -second,
        value_at_most: first,
    }
}

/// An information set with the probability of each action.
#[derive(Debug, Serialize)]
pub struct InfosetStrategy<'a> {
    infoset: &'a str,
    actions: BTreeMap<&'a str, f64>,
}

/// A player's information sets with the probability of every action.
pub fn strategies<'a>(
    tree: &'a Tree,
    game: &Sequences,
    profile: &Profile,
    player: Player,
) -> Vec<InfosetStrategy<'a>> {
    let infosets = tree.infosets(player).iter().zip(game.choices(player));
    let infoset = infosets.map(|(infoset, choice)| {
        let probabilities = &profile.0[player.index()][choice.sequences()];
        let actions = infoset.actions.iter().map(String::as_str);
        let actions = actions.zip(probabilities.iter().copied()).collect();
        InfosetStrategy { infoset: &infoset.name, actions }
    });
    infoset.collect()
}

/// The most nodes of a tree that is drawn.
pub const DRAWN_NODES: usize = 200;

/// The probability with which strategies come to a node, by whose choices it is.
#[derive(Debug, Clone, Copy)]
struct Reach {
    players: [f64; 2],
    chance: f64,
}

impl Reach {
    fn all(self) -> f64 {
        self.players[0] * self.players[1] * self.chance
    }
}

/// The tree as a picture: at each node the information set and its number of nodes, the strategy
/// there, and the probability with which the profile comes to the node, as the part of the player
/// who acts times that of the other one and of chance; at each end what the first player wins.
/// Larger trees than [`DRAWN_NODES`] have no readable picture.
pub fn picture(name: &str, tree: &Tree, game: &Sequences, profile: &Profile) -> TreePicture {
    let mut members: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for node in tree.nodes() {
        if let TreeNode::Decision { player, infoset, .. } = node {
            *members.entry((player.index(), *infoset)).or_default() += 1;
        }
    }
    let colours =
        |action: usize| format!("class=\"amount\" opacity=\"{}\"", [1.0, 0.55, 0.3][action % 3]);
    let mut nodes: Vec<TreeBox> = Vec::new();
    // Depth first, so that branches are drawn one below the other: the node, the index of its
    // parent's box, what leads to it, and its reach.
    let start = Reach { players: [1.0; 2], chance: 1.0 };
    let mut open = vec![(0_u32, None, String::new(), start)];
    while let Some((node, parent, condition, reach)) = open.pop() {
        let index = nodes.len();
        let mut drawn = TreeBox {
            parent,
            title: condition.clone(),
            condition,
            place: String::new(),
            done: format!("π {:.3}", reach.all()),
            bar: Vec::new(),
            kind: BoxKind::Plain,
        };
        let mut below = Vec::new();
        match tree.nodes()[node as usize] {
            TreeNode::End(won) => {
                drawn.place = format!("the first player wins {}", signed_minus(won, 0));
                drawn.kind = BoxKind::Leaf;
            }
            TreeNode::Chance { first, count } => {
                if drawn.condition.is_empty() {
                    "the dealer".clone_into(&mut drawn.condition);
                }
                for child in first..first + count {
                    let chance = tree.chance(child);
                    let reach = Reach { chance: reach.chance * chance, ..reach };
                    below.push((child, Some(index), format!("dealt: {chance:.3}"), reach));
                }
            }
            TreeNode::Decision { player, infoset, first, .. } => {
                let at = player.index();
                let set = &tree.infosets(player)[infoset as usize];
                let choice = game.choices(player)[infoset as usize];
                let strategy = &profile.0[at][choice.sequences()];
                let count = members.get(&(at, infoset)).copied().unwrap_or_default();
                drawn.place = format!(
                    "player {}, set {} ({})",
                    at + 1,
                    set.name,
                    counted(count as u64, "node")
                );
                let own = reach.players[at];
                let others = reach.players[1 - at] * reach.chance;
                drawn.done = format!("π {:.3}: own {own:.3} × others {others:.3}", reach.all());
                let actions = set.actions.iter().zip(strategy).zip(first..).enumerate();
                for (number, ((action, &probability), child)) in actions {
                    drawn.bar.push((colours(number), probability));
                    let mut reach = reach;
                    reach.players[at] *= probability;
                    let condition = format!("{action}: {probability:.3}");
                    below.push((child, Some(index), condition, reach));
                }
            }
        }
        nodes.push(drawn);
        open.extend(below.into_iter().rev());
    }
    TreePicture {
        head: format!("The tree of {name}"),
        about: vec![
            "Each box is a node; what leads to it is in bold, with its probability. Nodes of one \
             information set look the same to the player who acts. π is the probability with \
             which the strategies come to the node: the part of the player who acts there times \
             that of the other player and the dealer."
                .to_owned(),
        ],
        key: Vec::new(),
        nodes,
    }
}
