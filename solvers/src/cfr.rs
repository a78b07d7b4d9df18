//! Counterfactual regret minimisation over a whole game, every variant (see [`Variant`]).
//!
//! Zinkevich, Johanson, Bowling, Piccione, "Regret minimization in games with incomplete
//! information", NIPS 2007. An iteration costs, for each player, one product with the payoff matrix
//! and one sweep over the player's information sets; memory is five numbers a sequence.

use crate::variant::Factors;
use crate::{Order, Player, Profile, Sequences, Updates, Variant};

/// A game being solved.
///
/// Deterministic: the same game, variant and iterations give the same strategies to the bit.
#[derive(Debug, Clone)]
pub struct Cfr<'game> {
    game: &'game Sequences,
    variant: Variant,
    /// Planned iterations; only schedules that look ahead use it.
    horizon: u32,
    iterations: u32,
    sides: [Side; 2],
}

/// What is kept of one player, by sequence.
#[derive(Debug, Clone)]
struct Side {
    strategy: Vec<f64>,
    /// Probability of each sequence under `strategy`.
    reach: Vec<f64>,
    regrets: Vec<f64>,
    /// Gains of the sequences, then the regrets of this iteration.
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

    /// Adds the current strategy to the average.
    fn remember(&mut self, factor: f64) {
        for (average, reach) in self.average.iter_mut().zip(&self.reach) {
            *average = *average * factor + reach;
        }
    }

    /// Turns gains into this iteration's regrets.
    fn look(&mut self, game: &Sequences, player: Player, others: &[f64]) {
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

    /// Adds this iteration's regrets and makes the next strategy.
    fn learn(
        &mut self,
        game: &Sequences,
        player: Player,
        variant: Variant,
        now: Factors,
        before: Factors,
    ) {
        for (regret, instant) in self.regrets.iter_mut().zip(&self.instant) {
            *regret = match variant.order {
                Order::AddThenDiscount => discounted(*regret + instant, now),
                Order::DiscountThenAdd => discounted(*regret, before) + instant,
            };
        }
        for choice in game.choices(player) {
            let range = choice.sequences();
            let mut sum = 0.0;
            for s in range.clone() {
                let predicted = if variant.predictive { self.instant[s] } else { 0.0 };
                let positive = (self.regrets[s] + predicted).max(0.0);
                self.strategy[s] = positive;
                sum += positive;
            }
            let strategy = &mut self.strategy[range];
            if sum > 0.0 {
                strategy.iter_mut().for_each(|share| *share /= sum);
            } else {
                strategy.fill(1.0 / f64::from(choice.count));
            }
        }
        game.realize(player, &self.strategy, &mut self.reach);
    }
}

#[inline]
fn discounted(regret: f64, factors: Factors) -> f64 {
    if regret > 0.0 { regret * factors.positive } else { regret * factors.negative }
}

impl<'game> Cfr<'game> {
    /// Begins with uniform strategies. `horizon` is how many iterations are planned.
    pub fn new(game: &'game Sequences, variant: Variant, horizon: u32) -> Cfr<'game> {
        let sides = Player::BOTH.map(|player| Side::new(game, player));
        Cfr { game, variant, horizon, iterations: 0, sides }
    }

    /// Iterations done.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// One iteration: both players learn once.
    pub fn step(&mut self) {
        self.iterations += 1;
        let t = self.iterations;
        let now = self.variant.schedule.factors(t, self.horizon);
        let before = match t {
            1 => Factors { positive: 1.0, negative: 1.0, average: 1.0 },
            _ => self.variant.schedule.factors(t - 1, self.horizon),
        };
        let (game, variant) = (self.game, self.variant);
        let [first, second] = &mut self.sides;
        first.remember(now.average);
        first.look(game, Player::First, &second.reach);
        match variant.updates {
            Updates::Alternating => {
                first.learn(game, Player::First, variant, now, before);
                second.remember(now.average);
                second.look(game, Player::Second, &first.reach);
            }
            Updates::Simultaneous => {
                second.remember(now.average);
                second.look(game, Player::Second, &first.reach);
                first.learn(game, Player::First, variant, now, before);
            }
        }
        second.learn(game, Player::Second, variant, now, before);
    }

    /// So many iterations.
    pub fn run(&mut self, iterations: u32) {
        (0..iterations).for_each(|_| self.step());
    }

    /// The average strategy, which approaches an equilibrium; uniform where nothing has arrived yet.
    pub fn average(&self) -> Profile {
        Profile(Player::BOTH.map(|player| {
            let average = &self.sides[player.index()].average;
            let mut strategy = self.game.uniform(player);
            for choice in self.game.choices(player) {
                let sum: f64 = average[choice.sequences()].iter().sum();
                if sum > 0.0 {
                    for s in choice.sequences() {
                        strategy[s] = average[s] / sum;
                    }
                }
            }
            strategy
        }))
    }

    /// The strategies of the last iteration, which need not approach anything.
    pub fn current(&self) -> Profile {
        Profile(self.sides.each_ref().map(|side| side.strategy.clone()))
    }

    /// The greatest regret a player has per iteration: with plain CFR, the mean over players of
    /// these, summed over information sets, bounds the exploitability.
    pub fn greatest_regret(&self, player: Player) -> f64 {
        let regrets = &self.sides[player.index()].regrets;
        let sum: f64 = self
            .game
            .choices(player)
            .iter()
            .map(|choice| regrets[choice.sequences()].iter().copied().fold(0.0, f64::max))
            .sum();
        sum / f64::from(self.iterations.max(1))
    }
}
