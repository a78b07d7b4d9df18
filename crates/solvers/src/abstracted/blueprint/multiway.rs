//! External sampling with more than two players: the traversal, and sampled matches.
//!
//! As in the [traversal](super::walk) for two, one seat learns from a deal at a time, all of its
//! actions are explored, and those of the others are drawn. Where a node joins another one
//! ([`abstraction::multiway`]), the traversal goes on there: with the players in its seats, and all
//! that is won after it scaled by the ratio of the pots.

use abstraction::betting::BettingTree;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::deals::{Deals, MultiwayDeal, each_block, mixed};
use super::head_to_head::{Estimate, HANDS, Sums, draw};
use super::tables::Store;
use super::tree::{Layout, Multiway, Node, buckets_of};
use super::walk::{UNPRUNED_INTERVAL, Weights, by_actions, draw_and_add, learn, positive};
use crate::Error;
use crate::strategy::AbstractStrategy;

/// The largest number of players.
pub const MAX_PLAYERS: usize = 10;

/// Who sits where in the tree's place of the deal, and what the learner's winnings there are worth.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The player in each seat of the tree.
    players: [u8; MAX_PLAYERS],
    /// The learner's seat in the tree.
    seat: usize,
    /// The learner wins `offset` plus `scale` times what it wins in the tree.
    offset: f32,
    scale: f32,
}

impl Frame {
    fn new(learner: usize) -> Frame {
        let players = std::array::from_fn(|seat| seat as u8);
        Frame { players, seat: learner, offset: 0.0, scale: 1.0 }
    }

    /// Goes on at the node that this one joins.
    #[inline]
    fn join(&mut self, nodes: &[Node], multiway: &Multiway, node: u32, target: u32) {
        let before = multiway.chips(node, self.seat);
        let ratio = multiway.pot(node) / multiway.pot(target);
        let from = multiway.from[node as usize].into();
        let to = nodes[target as usize].place();
        let (players, seat) = (self.players, self.seat);
        for (mine, theirs) in multiway.around(node, from).zip(multiway.around(target, to)) {
            self.players[theirs] = players[mine];
            if mine == seat {
                self.seat = theirs;
            }
        }
        self.offset += self.scale * (ratio * multiway.chips(target, self.seat) - before);
        self.scale *= ratio;
    }

    /// The learner's winnings if it folds here.
    #[inline]
    fn lost(&self, multiway: &Multiway, node: u32) -> f32 {
        self.offset - self.scale * multiway.chips(node, self.seat)
    }

    /// Its winnings at the end of a hand that it did not fold.
    #[inline]
    fn won(&self, multiway: &Multiway, node: u32, deal: &MultiwayDeal) -> f32 {
        let mine = deal.ranks[usize::from(self.players[self.seat])];
        let mut winners = 0u32;
        for seat in multiway.around(node, 0) {
            let other = deal.ranks[usize::from(self.players[seat])];
            if other > mine {
                return self.lost(multiway, node);
            }
            winners += u32::from(other == mine);
        }
        self.lost(multiway, node) + self.scale * multiway.pot(node) / winners as f32
    }
}

/// The state of a thread's traversal of one deal.
pub(crate) struct MultiwayWalker<'a, S> {
    layout: &'a Layout,
    multiway: &'a Multiway,
    store: S,
    weights: Weights,
    pub(crate) rng: Pcg64Mcg,
    /// Number of decisions visited.
    pub(crate) visits: u64,
    deal: MultiwayDeal,
    /// Each player's row on each street.
    rows: [[usize; 4]; MAX_PLAYERS],
    learner: usize,
    /// `skip_below` of this traversal.
    skip_below: f32,
}

impl<'a, S: Store> MultiwayWalker<'a, S> {
    pub(crate) fn new(
        layout: &'a Layout,
        multiway: &'a Multiway,
        store: S,
        weights: Weights,
        rng: Pcg64Mcg,
    ) -> MultiwayWalker<'a, S> {
        MultiwayWalker {
            layout,
            multiway,
            store,
            weights,
            rng,
            visits: 0,
            deal: MultiwayDeal::default(),
            rows: [[0; 4]; MAX_PLAYERS],
            learner: 0,
            skip_below: weights.skip_below,
        }
    }

    /// One iteration: each seat learns once from the deal.
    pub(crate) fn iterate(&mut self, deal: &MultiwayDeal) {
        self.deal = *deal;
        for (rows, buckets) in self.rows[..self.multiway.players].iter_mut().zip(&deal.buckets) {
            for (street, row) in rows.iter_mut().enumerate() {
                *row = self.layout.row(0, street, buckets[street]);
            }
        }
        for learner in 0..self.multiway.players {
            self.learner = learner;
            if self.weights.skip_below > f32::NEG_INFINITY {
                let all = self.rng.next_u64().is_multiple_of(UNPRUNED_INTERVAL);
                self.skip_below = if all { f32::NEG_INFINITY } else { self.weights.skip_below };
            }
            self.walk(0, Frame::new(learner));
        }
    }

    /// The learner's sampled winnings from this node on.
    fn walk(&mut self, mut at: u32, mut frame: Frame) -> f32 {
        loop {
            let target = self.multiway.targets[at as usize];
            if target != at {
                frame.join(&self.layout.nodes, self.multiway, at, target);
                at = target;
            }
            let node = self.layout.nodes[at as usize];
            if node.is_end() {
                return frame.won(self.multiway, at, &self.deal);
            }
            self.visits += 1;
            let player = usize::from(frame.players[node.place()]);
            let slot = self.rows[player][node.street()] + node.offset();
            if player == self.learner {
                return by_actions!(node.actions(), self.explore_all(node, slot, &frame));
            }
            at = node.first_child() + by_actions!(node.actions(), self.draw(slot));
        }
    }

    /// Explores every action of the learner that is not skipped, and updates its regrets.
    fn explore_all<const N: usize>(&mut self, node: Node, slot: usize, frame: &Frame) -> f32 {
        let regrets = self.store.regrets::<N>(slot);
        let (positive, sum) = positive(&regrets);
        let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        let mut gains = [0.0; N];
        let mut skipped = [false; N];
        let mut value = 0.0;
        for action in 0..N {
            let child = node.first_child() + action as u32;
            let folds = !self.multiway.has(child, frame.seat);
            let over = folds || self.multiway.is_end(&self.layout.nodes, child);
            if regrets[action] < self.skip_below && !over {
                skipped[action] = true;
                continue;
            }
            // What the others do after a fold changes nothing.
            let won =
                if folds { frame.lost(self.multiway, child) } else { self.walk(child, *frame) };
            gains[action] = won;
            value += won * if sum > 0.0 { positive[action] * scale } else { 1.0 / N as f32 };
        }
        learn(self.store, slot, gains, skipped, value, self.weights, &mut self.rng);
        value
    }

    #[inline]
    fn draw<const N: usize>(&mut self, slot: usize) -> u32 {
        draw_and_add::<N, S>(self.store, slot, self.weights, &mut self.rng)
    }
}

/// What one player of the first strategy wins at a table of the second, in big blinds per hand.
/// Each deal is played once with it in each seat.
///
/// # Errors
/// When the tree has decisions with too many actions, or is for two players.
pub fn against_others<D: Deals>(
    tree: &BettingTree,
    deals: &D,
    [one, others]: [&dyn AbstractStrategy; 2],
    hands: u64,
    threads: usize,
    seed: u64,
) -> Result<Estimate, Error> {
    let layout = Layout::new(tree, buckets_of(tree, |street| deals.buckets(street)), [false; 2])?;
    let Some(multiway) = layout.multiway.as_deref() else {
        return Err(Error::new("a table of others needs more than two players"));
    };
    let pieces = 0..(hands / multiway.players as u64).div_ceil(HANDS);
    let (_, sums) = each_block(
        pieces,
        threads,
        || false,
        |piece| {
            let mut rng = Pcg64Mcg::seed_from_u64(mixed(seed, piece));
            let (mut sums, mut deal) = (Sums::default(), [MultiwayDeal::default()]);
            for _ in 0..HANDS {
                deals.deal_many(&mut rng, &mut deal);
                let seats = 0..multiway.players;
                let won = seats
                    .map(|seat| hand(&layout, multiway, &deal[0], seat, [one, others], &mut rng));
                sums.add(f64::from(won.sum::<f32>()) / multiway.players as f64);
            }
            sums
        },
    );
    Ok(Sums::estimate(&sums))
}

/// The winnings of the first strategy in a seat, with the others in the others.
fn hand(
    layout: &Layout,
    multiway: &Multiway,
    deal: &MultiwayDeal,
    seat: usize,
    [one, others]: [&dyn AbstractStrategy; 2],
    rng: &mut Pcg64Mcg,
) -> f32 {
    let (mut at, mut frame) = (0, Frame::new(seat));
    loop {
        let target = multiway.targets[at as usize];
        if target != at {
            frame.join(&layout.nodes, multiway, at, target);
            at = target;
        }
        let node = layout.nodes[at as usize];
        if node.is_end() {
            return frame.won(multiway, at, deal);
        }
        let player = usize::from(frame.players[node.place()]);
        let bucket = deal.buckets[player][node.street()];
        let strategy = if player == seat { one } else { others };
        at = node.first_child() + draw(strategy, node, at, bucket, rng);
        if !multiway.has(at, frame.seat) {
            return frame.lost(multiway, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use abstraction::menu::BetMenu;
    use cards::HoleCards;
    use game::{BySeat, GameDef, GameSpec, Seat};

    use super::super::deals::draw_many;
    use super::*;

    fn layout(players: usize, stack: u32) -> (BettingTree, Layout) {
        let usual = game::games::nolimit_holdem();
        let mut blinds = vec![0; players];
        blinds[..2].copy_from_slice(&[50, 100]);
        let (stacks, first_to_act) = (vec![stack; players], vec![2, 0, 0, 0]);
        let spec = GameSpec { players, stacks, blinds, first_to_act, ..usual.spec().clone() };
        let def = Arc::new(GameDef::new(spec).expect("a game"));
        let menu: BetMenu = "every 1: pot allin\nevery 2+: allin".parse().expect("a menu");
        let tree = BettingTree::new(&def, &menu, 5_000_000).expect("a tree");
        let layout = Layout::new(&tree, [1; 4], [true; 2]).expect("few actions");
        (tree, layout)
    }

    /// Random hands from the root to their ends: where no place was joined, all win what the rules
    /// give them; where some were, all together win nothing.
    #[test]
    fn winnings_are_those_of_the_rules_and_no_chip_is_lost_where_places_are_joined() {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        let (mut exact, mut joined) = (0, 0);
        for (players, stack) in [(3, 20_000), (4, 2_000), (6, 20_000)] {
            let (tree, layout) = layout(players, stack);
            let multiway = layout.multiway.as_deref().expect("more than two");
            for _ in 0..2_000 {
                let (holes, board) = draw_many(&mut rng, players);
                let mut deal = MultiwayDeal::default();
                let on_board: cards::CardSet = board.iter().copied().collect();
                let strength = |seat: usize| cards::evaluate(holes[seat].set() | on_board);
                for seat in 0..players {
                    let worse = (0..players).filter(|&k| strength(k) < strength(seat));
                    deal.ranks[seat] = worse.count() as u8;
                }
                let mut frames: Vec<Frame> = (0..players).map(Frame::new).collect();
                let mut won: Vec<Option<f32>> = vec![None; players];
                let (mut at, mut joins) = (0, 0);
                loop {
                    let target = multiway.targets[at as usize];
                    if target != at {
                        joins += 1;
                        for (frame, _) in
                            frames.iter_mut().zip(&won).filter(|(_, won)| won.is_none())
                        {
                            frame.join(&layout.nodes, multiway, at, target);
                        }
                        at = target;
                    }
                    let node = layout.nodes[at as usize];
                    if node.is_end() {
                        break;
                    }
                    // Folds are rare, so that many get far.
                    let action = match rng.next_u64() % 12 {
                        0 => 0,
                        1..8 => {
                            (node.actions() > 1 && tree.actions(at)[0] == game::Action::Fold).into()
                        }
                        drawn => drawn as usize % node.actions(),
                    };
                    at = node.first_child() + action as u32;
                    for (player, frame) in frames.iter().enumerate() {
                        if won[player].is_none() && !multiway.has(at, frame.seat) {
                            won[player] = Some(frame.lost(multiway, at));
                        }
                    }
                }
                let won: Vec<f64> = won
                    .iter()
                    .zip(&frames)
                    .map(|(won, frame)| {
                        won.unwrap_or_else(|| frame.won(multiway, at, &deal)).into()
                    })
                    .collect();
                let size: f64 = won.iter().map(|won| won.abs()).sum();
                assert!(won.iter().sum::<f64>().abs() < 1e-4 * (1.0 + size), "{won:?}");
                if joins > 0 {
                    joined += 1;
                    continue;
                }
                exact += 1;
                let state = tree.state_on(at, &board);
                let hole = BySeat::from_fn(players, |seat: Seat| {
                    HoleCards::new(&holes[seat.index()].cards()).expect("two cards")
                });
                let payoffs = state.payoffs(&hole);
                for (player, won) in won.iter().enumerate() {
                    let seat = Seat::new(player).expect("a seat");
                    let real = payoffs[seat].chips() / 100.0;
                    assert!((real - won).abs() < 1e-3, "{player}: {real} and {won}");
                }
            }
        }
        assert!(exact > 200 && joined > 2_000, "{exact} {joined}");
    }
}
