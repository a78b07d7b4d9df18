//! The traversal of external-sampling MCCFR, with one learning seat.
//!
//! Lanctot, Waugh, Zinkevich, Bowling, "Monte Carlo sampling for regret minimization in extensive
//! games", NIPS 2009, section 4.2. Chance and the other seat are sampled, all of the learner's
//! actions are explored. Pruning of actions with very negative regret, and the lower bound of
//! regrets: Brown and Sandholm, "Superhuman AI for multiplayer poker", Science 2019, supplement.

use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::deals::Deal;
use super::tables::Store;
use super::tree::{Layout, Node};

/// Parameters that are constant in a block of iterations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    /// The weight of regrets in these iterations; below, of strategies.
    pub(crate) regrets: f32,
    pub(crate) average: f32,
    /// Actions with a regret below this are skipped; −∞ for none.
    pub(crate) skip_below: f32,
    /// Lower bound of regrets.
    pub(crate) floor: f32,
}

/// The state of a thread's traversal of one deal.
pub(crate) struct Walker<'a, S> {
    layout: &'a Layout,
    store: S,
    pub(crate) weights: Weights,
    pub(crate) rng: Pcg64Mcg,
    /// Number of decisions visited.
    pub(crate) visits: u64,
    /// The deal's showdown result; below, each seat's row on each street.
    shown: f32,
    rows: [[usize; 4]; 2],
    /// The seat whose actions are all explored; below, the sign of its winnings relative to seat
    /// 0's.
    learner: usize,
    sign: f32,
    /// `skip_below` of this traversal.
    skip_below: f32,
}

/// One traversal in this many explores everything, so that skipped actions can recover.
pub(super) const UNPRUNED_INTERVAL: u64 = 20;

/// Calls a generic function with the number of actions as a compile-time constant.
macro_rules! by_actions {
    ($actions:expr, $self:ident.$name:ident($($argument:expr),*)) => {
        match $actions {
            1 => $self.$name::<1>($($argument),*),
            2 => $self.$name::<2>($($argument),*),
            3 => $self.$name::<3>($($argument),*),
            4 => $self.$name::<4>($($argument),*),
            5 => $self.$name::<5>($($argument),*),
            6 => $self.$name::<6>($($argument),*),
            7 => $self.$name::<7>($($argument),*),
            8 => $self.$name::<8>($($argument),*),
            9 => $self.$name::<9>($($argument),*),
            10 => $self.$name::<10>($($argument),*),
            11 => $self.$name::<11>($($argument),*),
            _ => $self.$name::<12>($($argument),*),
        }
    };
}

pub(super) use by_actions;

impl<'a, S: Store> Walker<'a, S> {
    pub(crate) fn new(
        layout: &'a Layout,
        store: S,
        weights: Weights,
        rng: Pcg64Mcg,
    ) -> Walker<'a, S> {
        Walker {
            layout,
            store,
            weights,
            rng,
            visits: 0,
            shown: 0.0,
            rows: [[0; 4]; 2],
            learner: 0,
            sign: 1.0,
            skip_below: weights.skip_below,
        }
    }

    /// One iteration: each seat learns once from the deal.
    #[inline]
    pub(crate) fn iterate(&mut self, deal: &Deal) {
        self.shown = f32::from(deal.shown);
        for (seat, rows) in self.rows.iter_mut().enumerate() {
            for (street, row) in rows.iter_mut().enumerate() {
                *row = self.layout.row(seat, street, deal.buckets[seat][street]);
            }
        }
        for (learner, sign) in [(0, 1.0), (1, -1.0)] {
            (self.learner, self.sign) = (learner, sign);
            if self.weights.skip_below > f32::NEG_INFINITY {
                let all = self.rng.next_u64().is_multiple_of(UNPRUNED_INTERVAL);
                self.skip_below = if all { f32::NEG_INFINITY } else { self.weights.skip_below };
            }
            self.walk(0);
        }
    }

    /// The learner's sampled winnings from this node on.
    fn walk(&mut self, mut at: u32) -> f32 {
        loop {
            let node = self.layout.nodes[at as usize];
            if node.is_end() {
                return self.sign * node.won(self.shown);
            }
            self.visits += 1;
            let slot = self.rows[node.seat()][node.street()] + node.offset();
            if node.seat() == self.learner {
                return by_actions!(node.actions(), self.explore_all(node, slot));
            }
            at = node.first_child() + by_actions!(node.actions(), self.draw(slot));
        }
    }

    /// Explores every action of the learner that is not skipped, and updates its regrets.
    fn explore_all<const N: usize>(&mut self, node: Node, slot: usize) -> f32 {
        let regrets = self.store.regrets::<N>(slot);
        let (positive, sum) = positive(&regrets);
        let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        let mut gains = [0.0; N];
        let mut skipped = [false; N];
        let mut value = 0.0;
        for action in 0..N {
            let child = node.first_child() + action as u32;
            if regrets[action] < self.skip_below && !self.layout.nodes[child as usize].is_end() {
                skipped[action] = true;
                continue;
            }
            let won = self.walk(child);
            gains[action] = won;
            value += won * if sum > 0.0 { positive[action] * scale } else { 1.0 / N as f32 };
        }
        learn(self.store, slot, gains, skipped, value, self.weights, &mut self.rng);
        value
    }

    /// Draws an action of the other seat, and adds its strategy to the average.
    #[inline]
    fn draw<const N: usize>(&mut self, slot: usize) -> u32 {
        draw_and_add::<N, S>(self.store, slot, self.weights, &mut self.rng)
    }
}

/// Updates regrets by what the actions won, but for those skipped.
#[inline]
pub(super) fn learn<const N: usize, S: Store>(
    store: S,
    slot: usize,
    mut gains: [f32; N],
    skipped: [bool; N],
    value: f32,
    weights: Weights,
    rng: &mut Pcg64Mcg,
) {
    for action in 0..N {
        let gain = (gains[action] - value) * weights.regrets;
        gains[action] = if skipped[action] { 0.0 } else { gain };
    }
    let noise = if S::NOISY { rng.next_u64() } else { 0 };
    store.add_to_regrets(slot, &gains, weights.floor, noise);
}

/// Draws an action from the present strategy, and adds that to the average.
#[inline]
pub(super) fn draw_and_add<const N: usize, S: Store>(
    store: S,
    slot: usize,
    weights: Weights,
    rng: &mut Pcg64Mcg,
) -> u32 {
    let regrets = store.regrets::<N>(slot);
    let (positive, sum) = positive(&regrets);
    let random = rng.next_u64();
    let mut shares = [1.0 / N as f32; N];
    if sum > 0.0 {
        let scale = 1.0 / sum;
        shares.iter_mut().zip(positive).for_each(|(share, regret)| *share = regret * scale);
    }
    // 24 bits: the precision of a single-precision number below 1.
    let point = (random >> 40) as f32 / (1 << 24) as f32;
    let mut drawn = 0;
    let mut below = 0.0;
    for share in &shares[..N - 1] {
        below += share;
        drawn += u32::from(point >= below);
    }
    let mut weighed = shares;
    weighed.iter_mut().for_each(|share| *share *= weights.average);
    store.add_to_sums(slot, &weighed, random);
    drawn
}

/// The positive parts of regrets, and their sum.
#[inline]
pub(super) fn positive<const N: usize>(regrets: &[f32; N]) -> ([f32; N], f32) {
    let mut positive = *regrets;
    positive.iter_mut().for_each(|regret| *regret = regret.max(0.0));
    (positive, positive.iter().sum())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use abstraction::buckets::Buckets;
    use cards::{PreflopTable, StartingHand};
    use rand::SeedableRng;

    use super::*;
    use crate::abstracted::blueprint::tables::{SinglePrecision, Table};
    use crate::blueprint::{Deals, HoldemDeals, Precision};
    use crate::games::ShoveFold;
    use crate::{Player, Profile, Sequences, Tree};

    const ITERATIONS: u32 = 1_000_000;
    const KINDS: u32 = StartingHand::COUNT as u32;

    /// The small blind (seat 0) moves ten big blinds in or folds; the big blind calls or folds.
    /// Cards are real: a learner that received wrong hands or boards would miss the known values.
    #[test]
    fn moving_all_in_or_folding_is_learned_from_real_deals() {
        let recipe = "preflop=169 flop=category turn=category river=category".parse();
        let buckets = Buckets::make(&recipe.expect("a recipe"), |_| ()).expect("a few buckets");
        let def = game::games::nolimit_holdem();
        let deals = HoldemDeals::new(&def, Arc::new(buckets)).expect("hold'em");
        let nodes = vec![
            Node::decision(0, 2, 1, 0),
            Node::end(-0.5, 0.0),
            Node::decision(1, 2, 3, 0),
            Node::end(1.0, 0.0),
            Node::end(0.0, 10.0),
        ];
        let (small, big) = (nodes[0], nodes[2]);
        let layout = Layout::two_decisions(nodes, KINDS);
        let mut table = Table::new(Precision::Single, layout.slots).expect("a small table");
        let store = SinglePrecision(table.words_mut());
        let weights = Weights {
            regrets: 1.0,
            average: 1.0,
            skip_below: f32::NEG_INFINITY,
            floor: f32::NEG_INFINITY,
        };
        let mut walker = Walker::new(&layout, store, weights, Pcg64Mcg::seed_from_u64(1));
        for _ in 0..ITERATIONS {
            let deal = deals.deal(&mut walker.rng);
            walker.iterate(&deal);
            walker.weights.regrets += 1e-4;
            walker.weights.average += 1e-4;
        }
        let visits = walker.visits;
        assert!(visits > u64::from(2 * ITERATIONS));

        let matrix = PreflopTable::embedded().matrix();
        let pairs = StartingHand::all().flat_map(|a| StartingHand::all().map(move |b| (a, b)));
        let all_in: Vec<_> = pairs.map(|(a, b)| matrix.get(a, b)).collect();
        let game = ShoveFold::new(10.0, &all_in).expect("a stack");
        let tree = Tree::new(&game, 200_000).expect("small");
        let game = Sequences::new(&tree);
        let mut profile = Profile::uniform(&game);
        for (player, node) in Player::BOTH.into_iter().zip([small, big]) {
            for (infoset, choice) in tree.infosets(player).iter().zip(game.choices(player)) {
                let hand: StartingHand = infoset.name.parse().expect("a starting hand");
                let mut sums = [0.0; 2];
                table.sums_into(layout.first_slot(node, hand.index() as u32), &mut sums);
                for (sequence, sum) in choice.sequences().zip(sums) {
                    profile.0[player.index()][sequence] = f64::from(sum / (sums[0] + sums[1]));
                }
            }
        }
        let known = -0.045_370_75;
        let [first, second] = Player::BOTH.map(|player| profile.best_response_value(&game, player));
        assert!(first - known < 0.03 && second + known < 0.03, "{first} {second}");
        assert!((profile.value(&game) - known).abs() < 0.01, "{}", profile.value(&game));
    }
}
