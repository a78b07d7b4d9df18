//! Games in sequence form: a player's sequence is a list of own choices, and payoffs are a sparse
//! matrix over pairs of sequences (von Stengel, "Efficient computation of behavior strategies",
//! Games and Economic Behavior 14, 1996).
//!
//! All full-width algorithms on small games (counterfactual regret minimisation, best responses,
//! linear programs) run on it: one product with the matrix, and one sweep over the information
//! sets. A [`Profile`] has both players' strategies, with value, best responses and exploitability.

use crate::{Player, Tree, TreeNode};

/// A game in sequence form.
///
/// A player's sequence 0 is the empty one; each action of each information set is one more. The
/// actions of an information set are consecutive.
#[derive(Debug, Clone)]
pub struct Sequences {
    choices: [Vec<Choice>; 2],
    sizes: [usize; 2],
    /// Chance-weighted winnings of the first player, with a row for each of its sequences.
    rows: Matrix,
    /// Chance-weighted winnings of the second player, with a row for each of its sequences.
    columns: Matrix,
}

/// An information set as a choice between sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The parent sequence.
    pub parent: u32,
    /// The sequence of the first action.
    pub first: u32,
    /// Number of actions.
    pub count: u32,
}

impl Choice {
    /// The range of the actions' sequences.
    #[inline]
    pub fn sequences(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A sparse matrix in compressed row form.
#[derive(Debug, Clone, Default)]
struct Matrix {
    /// The start of each row's entries, and the number of all entries at the end.
    starts: Vec<u32>,
    /// Column and value of each entry.
    entries: Vec<(u32, f64)>,
}

impl Matrix {
    /// Builds it from (row, column, value), with duplicates added up.
    fn new(rows: usize, mut triples: Vec<(u32, u32, f64)>) -> Matrix {
        triples.sort_by_key(|&(row, column, _)| (row, column));
        let mut matrix = Matrix { starts: Vec::with_capacity(rows + 1), entries: Vec::new() };
        let mut last = None;
        for (row, column, value) in triples {
            if last == Some((row, column)) {
                matrix.entries.last_mut().expect("the place just written").1 += value;
                continue;
            }
            while matrix.starts.len() <= row as usize {
                matrix.starts.push(matrix.entries.len() as u32);
            }
            matrix.entries.push((column, value));
            last = Some((row, column));
        }
        matrix.starts.resize(rows + 1, matrix.entries.len() as u32);
        matrix
    }

    fn multiply(&self, vector: &[f64], out: &mut [f64]) {
        for (bounds, out) in self.starts.windows(2).zip(out) {
            let row = &self.entries[bounds[0] as usize..bounds[1] as usize];
            *out = row.iter().map(|&(column, value)| value * vector[column as usize]).sum();
        }
    }
}

impl Sequences {
    /// The sequence form of a tree.
    pub fn new(tree: &Tree) -> Sequences {
        let mut choices: [Vec<Choice>; 2] = Default::default();
        let mut sizes = [1; 2];
        for player in Player::BOTH {
            let p = player.index();
            for infoset in tree.infosets(player) {
                let parent = infoset
                    .parent
                    .map_or(0, |(before, action)| choices[p][before as usize].first + action);
                let count = infoset.actions.len() as u32;
                choices[p].push(Choice { parent, first: sizes[p] as u32, count });
                sizes[p] += infoset.actions.len();
            }
        }
        let payoffs = payoffs(tree, &choices);
        let turned = payoffs.iter().map(|&(row, column, value)| (column, row, -value)).collect();
        Sequences {
            rows: Matrix::new(sizes[0], payoffs),
            columns: Matrix::new(sizes[1], turned),
            choices,
            sizes,
        }
    }

    /// A player's information sets as choices, parents before children, numbered as in the tree.
    pub fn choices(&self, player: Player) -> &[Choice] {
        &self.choices[player.index()]
    }

    /// Number of sequences of a player, including the empty one.
    pub fn len(&self, player: Player) -> usize {
        self.sizes[player.index()]
    }

    /// The entries of the payoff matrix as (first player's sequence, second player's, winnings of
    /// the first).
    pub fn payoffs(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.rows.starts.windows(2).enumerate().flat_map(|(row, bounds)| {
            let entries = &self.rows.entries[bounds[0] as usize..bounds[1] as usize];
            entries.iter().map(move |&(column, value)| (row, column as usize, value))
        })
    }

    /// Computes each sequence's winnings at the terminal nodes that follow it directly, given the
    /// reach probabilities of the other player's sequences.
    pub fn gains(&self, player: Player, others: &[f64], out: &mut [f64]) {
        match player {
            Player::First => self.rows.multiply(others, out),
            Player::Second => self.columns.multiply(others, out),
        }
    }

    /// Computes the reach probability of each sequence under a behaviour strategy: the product of
    /// its choices.
    pub fn realize(&self, player: Player, strategy: &[f64], out: &mut [f64]) {
        out[0] = 1.0;
        for choice in self.choices(player) {
            let reach = out[choice.parent as usize];
            for sequence in choice.sequences() {
                out[sequence] = reach * strategy[sequence];
            }
        }
    }

    /// The behaviour strategy in proportion to the positive parts of a number for each sequence;
    /// uniform at information sets where these sum to at most `least`.
    pub(crate) fn in_proportion(&self, player: Player, numbers: &[f64], least: f64) -> Vec<f64> {
        let mut strategy = self.uniform(player);
        for choice in self.choices(player) {
            let sum: f64 = choice.sequences().map(|s| numbers[s].max(0.0)).sum();
            if sum > least {
                for s in choice.sequences() {
                    strategy[s] = numbers[s].max(0.0) / sum;
                }
            }
        }
        strategy
    }

    /// The uniform behaviour strategy. Entry 0 is 1.
    pub fn uniform(&self, player: Player) -> Vec<f64> {
        let mut strategy = vec![1.0; self.len(player)];
        for choice in self.choices(player) {
            strategy[choice.sequences()].fill(1.0 / f64::from(choice.count));
        }
        strategy
    }
}

/// The terminal nodes of a tree as (first player's sequence, second player's, chance-weighted
/// winnings).
fn payoffs(tree: &Tree, choices: &[Vec<Choice>; 2]) -> Vec<(u32, u32, f64)> {
    let mut payoffs = Vec::new();
    // For each node: the probability of chance's moves to it, and each player's last sequence.
    let mut ways = vec![(1.0, [0u32; 2]); tree.nodes().len()];
    for (at, node) in tree.nodes().iter().enumerate() {
        let (reach, last) = ways[at];
        match *node {
            TreeNode::End(utility) => payoffs.push((last[0], last[1], reach * utility)),
            TreeNode::Chance { first, count } => {
                for child in first..first + count {
                    ways[child as usize] = (reach * tree.chance(child), last);
                }
            }
            TreeNode::Decision { player, infoset, first, count } => {
                let sequence = choices[player.index()][infoset as usize].first;
                for action in 0..count {
                    let mut next = last;
                    next[player.index()] = sequence + action;
                    ways[(first + action) as usize] = (reach, next);
                }
            }
        }
    }
    payoffs
}

/// Both players' behaviour strategies: the probability of every sequence's last action, indexed as
/// the [`Sequences`] of the game; entry 0 is unused (1).
#[derive(Debug, Clone, PartialEq)]
pub struct Profile(pub [Vec<f64>; 2]);

impl Profile {
    /// Uniform strategies of both players.
    pub fn uniform(game: &Sequences) -> Profile {
        Profile(Player::BOTH.map(|player| game.uniform(player)))
    }

    /// The first player's expected winnings.
    pub fn value(&self, game: &Sequences) -> f64 {
        let [first, second] = Player::BOTH.map(|player| realized(game, player, self));
        game.payoffs().map(|(row, column, value)| first[row] * value * second[column]).sum()
    }

    /// The value of this player's best response to the other's strategy.
    pub fn best_response_value(&self, game: &Sequences, player: Player) -> f64 {
        self.best_response(game, player).0
    }

    /// A best response to the other's strategy: its value, and the response as a pure behaviour
    /// strategy (the first among equal actions).
    ///
    /// One product with the payoff matrix and one sweep over the information sets.
    pub fn best_response(&self, game: &Sequences, player: Player) -> (f64, Vec<f64>) {
        let others = realized(game, player.other(), self);
        let mut gains = vec![0.0; game.len(player)];
        game.gains(player, &others, &mut gains);
        let mut response = vec![0.0; game.len(player)];
        response[0] = 1.0;
        for choice in game.choices(player).iter().rev() {
            let mut best = choice.first as usize;
            for sequence in choice.sequences() {
                if gains[sequence] > gains[best] {
                    best = sequence;
                }
            }
            response[best] = 1.0;
            gains[choice.parent as usize] += gains[best];
        }
        (gains[0], response)
    }

    /// The exploitability: a best responder's winnings beyond the value of the game, averaged over
    /// both players (half of "NashConv"). Zero exactly in an equilibrium.
    pub fn exploitability(&self, game: &Sequences) -> f64 {
        let sum: f64 =
            Player::BOTH.iter().map(|&player| self.best_response_value(game, player)).sum();
        sum / 2.0
    }
}

fn realized(game: &Sequences, player: Player, profile: &Profile) -> Vec<f64> {
    let mut reach = vec![0.0; game.len(player)];
    game.realize(player, &profile.0[player.index()], &mut reach);
    reach
}
