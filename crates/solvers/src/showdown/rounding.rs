//! Strategies that are easy to play: deterministic ones, and those whose probabilities are parts
//! such as quarters.
//!
//! The price of a strategy is what it gives away to a best response, computed exactly. The best
//! rounded strategy is searched for: mixed hands are rounded so that each action keeps its share of
//! the range, then one hand after another is changed wherever that lowers the price. What is found
//! need not be the best there is; its price is that of the strategy that was found.

use super::{Equilibria, Mixed, ShowdownGame};
use crate::Player;

/// A rounded strategy.
#[derive(Debug, Clone)]
pub struct Rounded {
    /// The strategy.
    pub strategy: Mixed,
    /// What it costs.
    pub price: Price,
    /// Strategies that were looked at.
    pub looked_at: u64,
}

/// What a strategy costs, in chips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// What it gives away to a best response: the value of the game minus what it gets against one.
    /// This is its exploitability, of this player alone.
    pub exploited: f64,
    /// What it loses when the other player goes on with the equilibrium: at most the above, as a
    /// best response takes at least as much as the equilibrium.
    pub unnoticed: f64,
}

/// The price of a strategy in a game whose equilibria are known.
pub fn price(equilibria: &Equilibria<'_>, player: Player, strategy: &Mixed) -> Price {
    let game = equilibria.game();
    let other = player.other();
    let value = equilibria.value_for(player);
    let exploited = value + game.best_response_value(other, strategy);
    let mut strategies = equilibria.strategies();
    strategies[player.index()] = strategy;
    let gets = game.value(strategies) * if player == Player::First { 1.0 } else { -1.0 };
    // Rounding may leave a little less than nothing.
    Price { exploited: exploited.max(0.0), unnoticed: (value - gets).max(0.0) }
}

/// The best strategy that was found with probabilities in so many `parts`: 1 for a deterministic
/// one. Looks at no more than `most` strategies, and stops early when `go_on` says no; it is told
/// how many were looked at.
pub fn rounded(
    equilibria: &Equilibria<'_>,
    player: Player,
    parts: u32,
    most: u64,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Rounded {
    let game = equilibria.game();
    let mut best: Option<(f64, Mixed)> = None;
    let mut looked_at = 0;
    // Rounding begins at different shares, so that it ends in different strategies.
    let starts = [0.5, 0.25, 0.75];
    for (number, start) in starts.into_iter().enumerate() {
        let strategy = carried(equilibria, player, parts, start);
        let mut search = Search::new(equilibria, player, parts, strategy);
        looked_at += 1;
        let until = most * (number as u64 + 1) / starts.len() as u64;
        let going = search.improve(&mut looked_at, until, go_on);
        if best.as_ref().is_none_or(|(total, _)| search.total < *total) {
            best = Some((search.total, search.strategy));
        }
        if !going {
            break;
        }
    }
    let strategy = best.map_or_else(|| Mixed::uniform(game, player), |(_, strategy)| strategy);
    let price = price(equilibria, player, &strategy);
    Rounded { strategy, price, looked_at }
}

/// The equilibrium rounded hand by hand from the first to the last, what is rounded off being
/// carried on to the next hand that mixes.
fn carried(equilibria: &Equilibria<'_>, player: Player, parts: u32, start: f64) -> Mixed {
    let game = equilibria.game();
    let exact = equilibria.strategies()[player.index()];
    let mut strategy = exact.clone();
    for choice in game.choices(player) {
        let count = choice.count as usize;
        let mut carry = vec![start; count];
        for hand in 0..game.hands(player) {
            let shares = exact.shares(*choice, hand);
            let pure = shares.iter().any(|&share| share > 1.0 - 1e-6);
            let wanted: Vec<f64> = shares
                .iter()
                .zip(&carry)
                .map(|(share, carry)| {
                    share * f64::from(parts) + if pure { 0.0 } else { *carry - 0.5 }
                })
                .collect();
            let mut given: Vec<f64> = wanted.iter().map(|wanted| wanted.round().max(0.0)).collect();
            // Actions that the hand never takes are not given to it.
            for (given, &share) in given.iter_mut().zip(&shares) {
                if share < 1e-6 {
                    *given = 0.0;
                }
            }
            loop {
                let sum: f64 = given.iter().sum();
                let over = sum > f64::from(parts) + 0.5;
                if !over && sum > f64::from(parts) - 0.5 {
                    break;
                }
                let off = |&action: &usize| {
                    let off = wanted[action] - given[action];
                    if over { -off } else { off }
                };
                let can = |&action: &usize| {
                    if over { given[action] > 0.5 } else { shares[action] >= 1e-6 }
                };
                let Some(action) = (0..count).filter(can).max_by(|a, b| off(a).total_cmp(&off(b)))
                else {
                    break;
                };
                given[action] += if over { -1.0 } else { 1.0 };
            }
            for (action, sequence) in choice.sequences().enumerate() {
                strategy.set(sequence, hand, given[action] / f64::from(parts));
                if !pure {
                    carry[action] = (wanted[action] - given[action] + 0.5).clamp(-1.0, 2.0);
                }
            }
        }
    }
    strategy
}

/// A strategy that is improved, with what the other's sequences get against it.
struct Search<'a> {
    equilibria: &'a Equilibria<'a>,
    game: &'a ShowdownGame,
    player: Player,
    parts: f64,
    strategy: Mixed,
    /// By sequence and hand of the other player.
    gains: Vec<f64>,
    /// What the other's best response wins.
    total: f64,
    scratch: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(
        equilibria: &'a Equilibria<'a>,
        player: Player,
        parts: u32,
        strategy: Mixed,
    ) -> Search<'a> {
        let game = equilibria.game();
        let reach = game.reach(player, &strategy);
        let gains = game.gains(player.other(), &reach);
        let scratch = Vec::with_capacity(gains.len());
        let mut search = Search {
            equilibria,
            game,
            player,
            parts: f64::from(parts),
            strategy,
            gains,
            total: 0.0,
            scratch,
        };
        search.scratch.clone_from(&search.gains);
        search.total = search.sum();
        search
    }

    /// What the other's best response wins against the gains in the scratch space.
    fn sum(&mut self) -> f64 {
        let other = self.player.other();
        let hands = self.game.hands(other);
        for choice in self.game.choices(other).iter().rev() {
            let (before, after) = self.scratch.split_at_mut(choice.first as usize * hands);
            let (first, rest) = after[..choice.count as usize * hands].split_at_mut(hands);
            for row in rest.chunks(hands) {
                first.iter_mut().zip(row).for_each(|(most, &gain)| *most = most.max(gain));
            }
            let parent = &mut before[choice.parent as usize * hands..][..hands];
            parent.iter_mut().zip(first).for_each(|(sum, most)| *sum += *most);
        }
        self.scratch[..hands].iter().sum()
    }

    /// The probability with which a hand plays each sequence.
    fn reach_of(&self, hand: usize) -> Vec<f64> {
        let mut reach: Vec<f64> = (0..self.game.sequences(self.player))
            .map(|sequence| self.strategy.share(sequence, hand))
            .collect();
        for choice in self.game.choices(self.player) {
            for sequence in choice.sequences() {
                reach[sequence] *= reach[choice.parent as usize];
            }
        }
        reach
    }

    /// What the other's best response wins when a hand plays these instead of those; the gains are
    /// in the scratch space.
    fn try_out(&mut self, hand: usize, before: &[f64], after: &[f64]) -> f64 {
        let (p, o) = (self.player.index(), self.player.other().index());
        let hands = self.game.hands(self.player.other());
        self.scratch.clone_from(&self.gains);
        // The first player's winnings are the second's losses.
        let sign = if o == 0 { 1.0 } else { -1.0 };
        for end in self.game.ends() {
            let more = after[end.sequences[p]] - before[end.sequences[p]];
            if more == 0.0 {
                continue;
            }
            let row = &mut self.scratch[end.sequences[o] * hands..][..hands];
            for (held, gain) in row.iter_mut().enumerate() {
                let (i, j) = if p == 0 { (hand, held) } else { (held, hand) };
                *gain += sign * more * self.game.won(end, i, j);
            }
        }
        let changed = self.scratch.clone();
        let total = self.sum();
        self.scratch = changed;
        total
    }

    /// Changes hands as long as that helps. Returns whether it may go on.
    fn improve(
        &mut self,
        looked_at: &mut u64,
        until: u64,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        let value = self.equilibria.value_for(self.player.other());
        let chances = self.game.chances(self.player).to_vec();
        let mut order: Vec<usize> =
            (0..chances.len()).filter(|&hand| chances[hand] > 0.0).collect();
        order.sort_by(|&a, &b| chances[b].total_cmp(&chances[a]));
        loop {
            let begun = self.total;
            for &hand in &order {
                for choice in self.game.choices(self.player).to_vec() {
                    let before = self.reach_of(hand);
                    if before[choice.parent as usize] < 1e-9 {
                        continue;
                    }
                    let shares = self.strategy.shares(choice, hand);
                    let mut best: Option<(f64, usize, usize)> = None;
                    for from in 0..shares.len() {
                        for to in 0..shares.len() {
                            // What an action loses against the equilibrium it gives away at least.
                            let sequence = choice.first as usize + to;
                            let loses = self.equilibria.loss(self.player, sequence, hand)
                                * chances[hand]
                                * before[choice.parent as usize]
                                / self.parts;
                            let hopeless = loses > self.total - value;
                            if from == to || shares[from] < 0.5 / self.parts || hopeless {
                                continue;
                            }
                            if *looked_at >= until {
                                return true;
                            }
                            if looked_at.is_multiple_of(64) && !go_on(*looked_at) {
                                return false;
                            }
                            *looked_at += 1;
                            self.move_share(choice.first as usize, hand, from, to, 1.0);
                            let after = self.reach_of(hand);
                            let total = self.try_out(hand, &before, &after);
                            self.move_share(choice.first as usize, hand, from, to, -1.0);
                            let least = best.map_or(self.total - 1e-12, |(total, ..)| total);
                            if total < least {
                                best = Some((total, from, to));
                            }
                        }
                    }
                    if let Some((_, from, to)) = best {
                        self.move_share(choice.first as usize, hand, from, to, 1.0);
                        let after = self.reach_of(hand);
                        self.total = self.try_out(hand, &before, &after);
                        std::mem::swap(&mut self.gains, &mut self.scratch);
                    }
                }
            }
            if self.total > begun - 1e-9 * self.game.pot() {
                return true;
            }
        }
    }

    fn move_share(&mut self, first: usize, hand: usize, from: usize, to: usize, sign: f64) {
        let part = sign / self.parts;
        for (action, part) in [(from, -part), (to, part)] {
            let share = self.strategy.share(first + action, hand) + part;
            // Parts of halves and quarters are exact; others are rounded off.
            let share = (share * self.parts).round() / self.parts;
            self.strategy.set(first + action, hand, share);
        }
    }
}
