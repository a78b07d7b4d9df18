//! An agent's strategy, mapped to the betting tree of a blueprint.
//!
//! The strategy is queried after the betting that leads to a node of the tree, either for a bucket
//! or for the actual cards. A few hands on a board represent each bucket, the same in every run;
//! the strategy of a bucket is the average over these. A strategy that treats all hands of a bucket
//! alike is not queried for the actual cards, which is slower.

use std::sync::Arc;

use abstraction::buckets::{Buckets, DealtCards};
use abstraction::translate::{pseudo_harmonic, translate};
use cards::{Card, Combo, HoleCards};
use game::{Action, InfoSet, Policy, PublicState, Seat, Strategy, Street, Turn};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::super::deals::draw;
use super::super::layout::MAX_ACTIONS;
use super::super::trainer::mixed;
use super::{Tables, WHOLE};

/// Number of hands that represent a bucket.
const HANDS: usize = 3;

/// Number of deals sampled to find them.
const DEALS: usize = 20_000;

/// Number of situations in which a strategy is tested for dependence on buckets only.
const TRIED: u64 = 500;

/// A hand and a complete board.
type RepresentativeHand = (Combo, [Card; 5]);

/// The hands that represent each bucket, by street and bucket.
pub(super) type Representatives = [Vec<Vec<RepresentativeHand>>; 4];

/// The hands that represent each of these buckets: the first of a fixed sequence of deals.
pub(super) fn representatives(buckets: &Buckets) -> Representatives {
    let mut held = Street::ALL.map(|street| vec![Vec::new(); buckets.count(street) as usize]);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let dealt: Vec<DealtCards> = (0..DEALS).map(|_| draw(&mut rng)).collect();
    buckets.deal(&dealt, |number, buckets| {
        let DealtCards { holes, board } = dealt[number];
        for (hole, buckets) in holes.into_iter().zip(buckets) {
            for (held, bucket) in held.iter_mut().zip(buckets) {
                let held = &mut held[bucket as usize];
                if held.len() < HANDS {
                    held.push((hole, board));
                }
            }
        }
    });
    held
}

/// A strategy with the hands that represent each bucket.
pub(super) struct AgentStrategy {
    policy: Arc<dyn Policy>,
    held: Arc<Representatives>,
}

impl AgentStrategy {
    pub(super) fn new(tables: &Tables, policy: Arc<dyn Policy>) -> AgentStrategy {
        let held = tables.held.get_or_init(|| Arc::new(representatives(&tables.buckets)));
        AgentStrategy { policy, held: Arc::clone(held) }
    }

    /// The action probabilities of a decision for a bucket, in 255ths.
    pub(super) fn shares(&self, tables: &Tables, node: u32, bucket: u32, shares: &mut [u8]) {
        let mut weights = vec![0.0; shares.len()];
        for &(hole, board) in &self.held[tables.tree.street(node).index()][bucket as usize] {
            self.add_weights(tables, node, hole, &board, &mut weights);
        }
        round(&weights, tables.tree.actions(node), shares);
    }

    /// The action probabilities of a decision for these hole cards, in 255ths; of `board` only the
    /// cards dealt at the node are used.
    pub(super) fn shares_of(
        &self,
        tables: &Tables,
        node: u32,
        hole: Combo,
        board: &[Card; 5],
        shares: &mut [u8],
    ) {
        let mut weights = [0.0; MAX_ACTIONS];
        let weights = &mut weights[..shares.len()];
        self.add_weights(tables, node, hole, board, weights);
        round(weights, tables.tree.actions(node), shares);
    }

    /// Adds the strategy with these cards to weights of the decision's actions.
    fn add_weights(
        &self,
        tables: &Tables,
        node: u32,
        hole: Combo,
        board: &[Card; 5],
        weights: &mut [f64],
    ) {
        let Some(public) = at(tables, node, board) else { return };
        let (Some(hole), Turn::Act(seat)) = (HoleCards::new(&hole.cards()), public.turn()) else {
            return;
        };
        let strategy = self.policy.strategy(&InfoSet { public: public.clone(), seat, hole });
        add(&public, seat, tables.tree.actions(node), &strategy, weights);
    }

    /// Whether the strategy was the same for all hands of a bucket in all tested situations.
    pub(super) fn depends_on_buckets_only(&self, tables: &Tables) -> bool {
        let tree = &tables.tree;
        let nodes = tree.nodes().len() as u64;
        (0..TRIED).all(|number| {
            let drawn = mixed(number, nodes);
            let node = (drawn % nodes) as u32;
            let actions = tree.actions(node);
            let held = &self.held[tree.street(node).index()];
            let (false, held) = (actions.is_empty(), &held[(drawn >> 32) as usize % held.len()])
            else {
                return true;
            };
            let mut first = None;
            held.iter().all(|&(hole, board)| {
                let mut weights = vec![0.0; actions.len()];
                self.add_weights(tables, node, hole, &board, &mut weights);
                *first.get_or_insert_with(|| weights.clone()) == weights
            })
        })
    }
}

/// The state at a node, with this board.
fn at(tables: &Tables, node: u32, board: &[Card; 5]) -> Option<PublicState> {
    let tree = &tables.tree;
    let mut steps = Vec::new();
    let mut below = node;
    while let Some(parent) = tree.parent(below) {
        let index = below - tree.node(parent).children().start;
        steps.push(tree.actions(parent)[index as usize]);
        below = parent;
    }
    let mut public = PublicState::new(tree.def());
    public.deal_from(board).ok()?;
    for action in steps.into_iter().rev() {
        public.apply(action).ok()?;
        public.deal_from(board).ok()?;
    }
    Some(public)
}

/// Adds a strategy over the hand's actions to weights of the tree's actions.
fn add(
    public: &PublicState,
    seat: Seat,
    actions: &[Action],
    strategy: &Strategy,
    weights: &mut [f64],
) {
    let (highest, own) = (f64::from(public.highest()), f64::from(public.committed()[seat]));
    let pot = public.pot() as f64 + highest - own;
    // A call is a raise of size zero.
    let size = |action: &Action| match action {
        Action::RaiseTo(total) => (f64::from(*total) - highest) / pot,
        Action::Fold | Action::Call => 0.0,
    };
    let call = actions.iter().position(|&action| action == Action::Call).unwrap_or_default();
    let sizes: Vec<f64> = actions[call..].iter().map(size).collect();
    let legal = public.legal();
    for &(action, p) in &strategy.actions {
        let action = legal.nearest(action);
        match actions.iter().position(|&known| known == action) {
            Some(index) => weights[index] += p,
            None if matches!(action, Action::RaiseTo(_)) => {
                let bet = size(&action);
                let smaller = translate(&sizes, bet, 0.0);
                let share = sizes
                    .get(smaller + 1)
                    .map_or(1.0, |&larger| pseudo_harmonic(sizes[smaller], larger, bet));
                weights[call + smaller] += p * share;
                if share < 1.0 {
                    weights[call + smaller + 1] += p * (1.0 - share);
                }
            }
            None => weights[call] += p,
        }
    }
}

/// Rounds weights to shares that sum to 255; a call where there are no weights.
fn round(weights: &[f64], actions: &[Action], shares: &mut [u8]) {
    let total: f64 = weights.iter().sum();
    shares.fill(0);
    if total > 0.0 {
        for (share, weight) in shares.iter_mut().zip(weights) {
            *share = (f64::from(WHOLE) * weight / total) as u8;
        }
    }
    let given: u32 = shares.iter().map(|&share| u32::from(share)).sum();
    let call = actions.iter().position(|&action| action == Action::Call).unwrap_or_default();
    let most = (0..shares.len()).rev().max_by_key(|&index| shares[index]).unwrap_or_default();
    let rest = if total > 0.0 { most } else { call };
    shares[rest] += (WHOLE - given) as u8;
}
