//! Monte Carlo counterfactual regret minimisation, which samples a few lines of play per iteration.
//!
//! Lanctot, Waugh, Zinkevich, Bowling, "Monte Carlo sampling for regret minimization in extensive
//! games", NIPS 2009: external sampling (section 4.2) explores all of the learning player's actions
//! and samples everything else; outcome sampling (section 4.1) samples one line of play.

use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::regret::{drawn, normalise};
use crate::{Player, Profile, Sequences, Tree, TreeNode};

/// The sampling scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// All actions of the learning player, one of chance and of the opponent.
    External,
    /// One line; the learning player deviates from its strategy to a uniform choice with this
    /// probability (more than 0, at most 1).
    Outcome {
        /// Probability of a uniform choice.
        exploration: f64,
    },
}

/// Options of sampling, weighting and pruning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingOptions {
    /// The sampling scheme.
    pub scheme: Scheme,
    /// Exponent γ of the weights tᵞ of iterations in regrets and averages: 0 plain, 1 linear.
    pub gamma: f64,
    /// Number of iterations between two discounts, which share one weight.
    pub period: u32,
    /// Regret below which external sampling skips an action, except one time in twenty and before a
    /// terminal node. `None`: never. In units of winnings times iterations.
    pub prune_below: Option<f64>,
    /// Whether regrets are clamped at 0. Pruning then has no effect.
    pub floor: bool,
}

impl Default for SamplingOptions {
    /// External sampling with linear weights, in steps of 1,000 iterations, without pruning.
    fn default() -> SamplingOptions {
        SamplingOptions {
            scheme: Scheme::External,
            gamma: 1.0,
            period: 1000,
            prune_below: None,
            floor: false,
        }
    }
}

/// The probability that a pruned action is explored nevertheless.
const REVISITS: f64 = 0.05;

/// A Monte Carlo CFR solver of a tree.
///
/// The same seed and iterations give the same strategies. The time of an iteration is proportional
/// to the sampled lines, not to the game.
#[derive(Debug, Clone)]
pub struct Sampling<'game> {
    tree: &'game Tree,
    game: &'game Sequences,
    options: SamplingOptions,
    rng: Pcg64Mcg,
    iterations: u64,
    nodes: u64,
    regrets: [Vec<f64>; 2],
    averages: [Vec<f64>; 2],
}

impl<'game> Sampling<'game> {
    /// Starts from uniform strategies. `game` is the sequence form of `tree`.
    pub fn new(
        tree: &'game Tree,
        game: &'game Sequences,
        options: SamplingOptions,
        seed: u64,
    ) -> Sampling<'game> {
        let zeros = || Player::BOTH.map(|player| vec![0.0; game.len(player)]);
        Sampling {
            tree,
            game,
            options,
            rng: Pcg64Mcg::seed_from_u64(seed),
            iterations: 0,
            nodes: 0,
            regrets: zeros(),
            averages: zeros(),
        }
    }

    /// Number of iterations done.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Number of nodes visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Runs one iteration: each player learns once.
    pub fn step(&mut self) {
        for player in Player::BOTH {
            match self.options.scheme {
                Scheme::External => {
                    self.external(0, player);
                }
                Scheme::Outcome { exploration } => {
                    let line = Line { mine: 1.0, others: 1.0, sample: 1.0 };
                    self.outcome(0, player, exploration, line);
                }
            }
        }
        self.iterations += 1;
        let period = u64::from(self.options.period.max(1));
        if self.options.gamma != 0.0 && self.iterations.is_multiple_of(period) {
            let step = (self.iterations / period) as f64;
            let factor = (step / (step + 1.0)).powf(self.options.gamma);
            let tables = self.regrets.iter_mut().chain(&mut self.averages);
            tables.flatten().for_each(|value| *value *= factor);
        }
    }

    /// Runs `iterations` iterations.
    pub fn run(&mut self, iterations: u64) {
        (0..iterations).for_each(|_| self.step());
    }

    /// The average strategy; uniform where it has no weight yet.
    pub fn average(&self) -> Profile {
        Profile(
            Player::BOTH
                .map(|player| self.game.in_proportion(player, &self.averages[player.index()], 0.0)),
        )
    }

    /// The current strategy at an information set, by regret matching.
    fn strategy(&self, player: Player, range: &Range<usize>) -> Vec<f64> {
        let mut strategy = self.regrets[player.index()][range.clone()].to_vec();
        normalise(&mut strategy);
        strategy
    }

    /// Draws an action from a strategy; gives its index.
    fn draw(&mut self, strategy: &[f64]) -> usize {
        let point = self.rng.random();
        drawn(point, strategy.iter().copied()).unwrap_or(strategy.len() - 1)
    }

    fn draw_chance(&mut self, first: u32, count: u32) -> u32 {
        let point = self.rng.random();
        let index = drawn(point, (first..first + count).map(|child| self.tree.chance(child)));
        index.map_or(first + count - 1, |index| first + index as u32)
    }

    fn add(&mut self, player: Player, sequence: usize, regret: f64) {
        let entry = &mut self.regrets[player.index()][sequence];
        *entry += regret;
        if self.options.floor {
            *entry = entry.max(0.0);
        }
    }

    /// External sampling below a node for `learner`; returns the sampled winnings of that player.
    fn external(&mut self, node: u32, learner: Player) -> f64 {
        self.nodes += 1;
        match self.tree.nodes()[node as usize] {
            TreeNode::End(utility) => winnings(learner, utility),
            TreeNode::Chance { first, count } => {
                let child = self.draw_chance(first, count);
                self.external(child, learner)
            }
            TreeNode::Decision { player, infoset, first, .. } if player != learner => {
                let range = self.game.choices(player)[infoset as usize].sequences();
                let strategy = self.strategy(player, &range);
                let averages = &mut self.averages[player.index()][range];
                averages.iter_mut().zip(&strategy).for_each(|(sum, share)| *sum += share);
                let action = self.draw(&strategy) as u32;
                self.external(first + action, learner)
            }
            TreeNode::Decision { player, infoset, first, .. } => {
                let range = self.game.choices(player)[infoset as usize].sequences();
                self.all_actions(player, range, first)
            }
        }
    }

    /// Explores every action of the learner that is not pruned, and updates its regrets.
    fn all_actions(&mut self, player: Player, range: Range<usize>, first: u32) -> f64 {
        let shares = self.strategy(player, &range);
        let everything = self.rng.random::<f64>() < REVISITS;
        let mut value = 0.0;
        let mut seen = Vec::with_capacity(shares.len());
        for ((child, sequence), &share) in (first..).zip(range).zip(&shares) {
            let ends = matches!(self.tree.nodes()[child as usize], TreeNode::End(_));
            let low = self
                .options
                .prune_below
                .is_some_and(|least| self.regrets[player.index()][sequence] < least);
            if low && !ends && !everything {
                continue;
            }
            let won = self.external(child, player);
            value += share * won;
            seen.push((sequence, won));
        }
        for (sequence, won) in seen {
            self.add(player, sequence, won - value);
        }
        value
    }

    /// Outcome sampling along one line; returns the learner's winnings divided by the sampling
    /// probability of the rest of the line, times the probability of the learner's own choices
    /// there.
    fn outcome(&mut self, node: u32, learner: Player, exploration: f64, line: Line) -> f64 {
        self.nodes += 1;
        match self.tree.nodes()[node as usize] {
            TreeNode::End(utility) => winnings(learner, utility) * line.others / line.sample,
            TreeNode::Chance { first, count } => {
                let child = self.draw_chance(first, count);
                let chance = self.tree.chance(child);
                let next =
                    Line { others: line.others * chance, sample: line.sample * chance, ..line };
                self.outcome(child, learner, exploration, next)
            }
            TreeNode::Decision { player, infoset, first, .. } => {
                let range = self.game.choices(player)[infoset as usize].sequences();
                if player == learner {
                    self.own_action(player, range, first, exploration, line)
                } else {
                    let strategy = self.strategy(player, &range);
                    let action = self.draw(&strategy);
                    let share = strategy[action];
                    let next =
                        Line { others: line.others * share, sample: line.sample * share, ..line };
                    self.outcome(first + action as u32, learner, exploration, next)
                }
            }
        }
    }

    /// Samples one action of the learner, and updates its regrets.
    fn own_action(
        &mut self,
        player: Player,
        range: Range<usize>,
        first: u32,
        exploration: f64,
        line: Line,
    ) -> f64 {
        let explore = self.rng.random::<f64>() < exploration;
        let shares = self.strategy(player, &range);
        let action =
            if explore { self.rng.random_range(0..range.len()) } else { self.draw(&shares) };
        let tried = exploration / shares.len() as f64 + (1.0 - exploration) * shares[action];
        for (sequence, share) in range.clone().zip(&shares) {
            self.averages[player.index()][sequence] += line.mine * share / line.sample;
        }
        let next = Line {
            mine: line.mine * shares[action],
            others: line.others,
            sample: line.sample * tried,
        };
        // Counterfactual winnings of the sampled action, with the strategy's choices below.
        let won = self.outcome(first + action as u32, player, exploration, next);
        let value = shares[action] * won;
        for (at, sequence) in range.enumerate() {
            let gain = if at == action { won } else { 0.0 };
            self.add(player, sequence, gain - value);
        }
        value
    }
}

/// Probabilities of the line so far.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// Of the learner's choices under its strategy.
    mine: f64,
    /// Of the choices of chance and the opponent.
    others: f64,
    /// Of sampling the line.
    sample: f64,
}

fn winnings(player: Player, utility: f64) -> f64 {
    match player {
        Player::First => utility,
        Player::Second => -utility,
    }
}
