//! Counterfactual regret minimisation over a whole game, for every [`Variant`].
//!
//! Zinkevich, Johanson, Bowling, Piccione, "Regret minimization in games with incomplete
//! information", NIPS 2007. An iteration costs, for each player, one product with the payoff matrix
//! and one sweep over the player's information sets; memory is five numbers per sequence.

use crate::regret::{Discount, Updates, normalise};
use crate::{Player, Profile, Sequences, Variant};

/// A CFR solver of a game in sequence form.
///
/// Deterministic: the same game, variant and iterations give bit-identical strategies.
#[derive(Debug, Clone)]
pub struct Cfr<'game> {
    game: &'game Sequences,
    variant: Variant,
    /// Number of planned iterations; only schedules that depend on it use it.
    horizon: u32,
    iterations: u32,
    sides: [Side; 2],
}

/// The state of one player, by sequence.
#[derive(Debug, Clone)]
struct Side {
    strategy: Vec<f64>,
    /// Reach probability of each sequence under `strategy`.
    reach: Vec<f64>,
    regrets: Vec<f64>,
    /// Counterfactual values of the sequences, then this iteration's instantaneous regrets.
    instant: Vec<f64>,
    /// Discounted sum of reach-weighted strategies.
    average: Vec<f64>,
}

impl Side {
    fn new(game: &Sequences, player: Player) -> Side {
        let zeros = vec![0.0; game.len(player)];
        let strategy = game.uniform(player);
        let mut reach = zeros.clone();
        game.realize(player, &strategy, &mut reach);
        Side { strategy, reach, regrets: zeros.clone(), instant: zeros.clone(), average: zeros }
    }

    /// Adds the current strategy to the average, discounted by `factor`.
    fn update_average(&mut self, factor: f64) {
        for (average, reach) in self.average.iter_mut().zip(&self.reach) {
            *average = *average * factor + reach;
        }
    }

    /// Computes this iteration's instantaneous regrets.
    fn regrets(&mut self, game: &Sequences, player: Player, others: &[f64]) {
        game.gains(player, others, &mut self.instant);
        for choice in game.choices(player).iter().rev() {
            let range = choice.sequences();
            let value: f64 = range.clone().map(|s| self.strategy[s] * self.instant[s]).sum();
            for gain in &mut self.instant[range] {
                *gain -= value;
            }
            self.instant[choice.parent as usize] += value;
        }
    }

    /// Adds this iteration's regrets and computes the next strategy.
    fn learn(&mut self, game: &Sequences, player: Player, predictive: bool, discount: Discount) {
        for (regret, instant) in self.regrets.iter_mut().zip(&self.instant) {
            *regret = discount.add(*regret, *instant);
        }
        for choice in game.choices(player) {
            let range = choice.sequences();
            let strategy = &mut self.strategy[range.clone()];
            strategy.copy_from_slice(&self.regrets[range.clone()]);
            if predictive {
                let predicted = strategy.iter_mut().zip(&self.instant[range]);
                predicted.for_each(|(regret, instant)| *regret += instant);
            }
            normalise(strategy);
        }
        game.realize(player, &self.strategy, &mut self.reach);
    }
}

impl<'game> Cfr<'game> {
    /// Starts from uniform strategies. `horizon` is the number of planned iterations.
    pub fn new(game: &'game Sequences, variant: Variant, horizon: u32) -> Cfr<'game> {
        let sides = Player::BOTH.map(|player| Side::new(game, player));
        Cfr { game, variant, horizon, iterations: 0, sides }
    }

    /// Number of iterations done.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Runs one iteration: both players learn once.
    pub fn step(&mut self) {
        self.iterations += 1;
        let t = self.iterations;
        let Cfr { game, variant, horizon, .. } = *self;
        let average = variant.schedule.factors(t, horizon).average;
        let discount = variant.discount(t, horizon);
        let learn = |side: &mut Side, player: Player| {
            side.learn(game, player, variant.predictive, discount);
        };
        let [first, second] = &mut self.sides;
        match variant.updates {
            Updates::Alternating => {
                first.update_average(average);
                first.regrets(game, Player::First, &second.reach);
                learn(first, Player::First);
                second.update_average(average);
                second.regrets(game, Player::Second, &first.reach);
                learn(second, Player::Second);
            }
            Updates::SecondFirst => {
                first.update_average(average);
                second.regrets(game, Player::Second, &first.reach);
                learn(second, Player::Second);
                second.update_average(average);
                first.regrets(game, Player::First, &second.reach);
                learn(first, Player::First);
            }
            Updates::Simultaneous => {
                first.update_average(average);
                second.update_average(average);
                first.regrets(game, Player::First, &second.reach);
                second.regrets(game, Player::Second, &first.reach);
                learn(first, Player::First);
                learn(second, Player::Second);
            }
        }
    }

    /// Runs `iterations` iterations.
    pub fn run(&mut self, iterations: u32) {
        (0..iterations).for_each(|_| self.step());
    }

    /// The average strategy, which converges to an equilibrium; uniform where it has no weight yet.
    pub fn average(&self) -> Profile {
        Profile(Player::BOTH.map(|player| {
            self.game.in_proportion(player, &self.sides[player.index()].average, 0.0)
        }))
    }

    /// The strategies of the last iteration, which need not converge.
    pub fn current(&self) -> Profile {
        Profile(self.sides.each_ref().map(|side| side.strategy.clone()))
    }
}
