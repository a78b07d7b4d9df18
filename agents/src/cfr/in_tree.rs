//! A blueprint's strategy in its own betting tree, for all hands at once. It is the strategy that
//! the agent plays.

use std::sync::{Arc, OnceLock};

use abstraction::betting::{BettingTree, NodeKind};
use cards::{Board, Combo, HoleCards};
use game::Action;
use solvers::blueprint::AbstractStrategy;
use solvers::response::in_tree::{BoardStrategy, InBuckets, ResponseError, TreeStrategy};

use super::Style;
use super::model::Model;
use crate::winrate::{Effort, win_rates};

/// The strategy of a blueprint by node.
pub(super) struct InTree {
    model: Arc<Model>,
    /// Entries by node index; empty at terminal nodes.
    decisions: Vec<Shares>,
}

/// The strategy at a decision, by bucket.
#[derive(Default)]
struct Shares {
    buckets: usize,
    /// One row per action: its probability for each bucket.
    rows: Vec<f32>,
    /// At decisions that face a bet: the buckets that training never reached, if any.
    unknown: Option<Unknown>,
}

/// Buckets without a trained strategy, which call or fold by pot odds.
struct Unknown {
    buckets: Vec<bool>,
    /// The indices of fold and call, and the lowest win-rate that calls.
    fold: usize,
    call: usize,
    least: f64,
}

impl InTree {
    /// Reads the strategy of every node.
    pub(super) fn new(model: Arc<Model>, style: Style) -> InTree {
        let nodes = 0..model.tree().nodes().len() as u32;
        let decisions = nodes.map(|node| Shares::new(&model, node, &style)).collect();
        InTree { model, decisions }
    }
}

impl Shares {
    fn new(model: &Model, node: u32, style: &Style) -> Shares {
        let tree = model.tree();
        let NodeKind::Decision { seat, .. } = tree.node(node).kind else {
            return Shares::default();
        };
        let actions = tree.actions(node);
        let index = |action| actions.iter().position(|&known| known == action);
        let call = index(Action::Call).unwrap_or_default();
        let buckets = model.buckets().count(tree.street(node)) as usize;
        let mut shares =
            Shares { buckets, rows: vec![0.0; actions.len() * buckets], unknown: None };
        let mut unknown = vec![false; buckets];
        for (bucket, unknown) in unknown.iter_mut().enumerate() {
            let known = model.shares(node, bucket as u32).unwrap_or_default();
            let known = known.iter().map(|&share| f64::from(share));
            let mut weights: Vec<(Action, f64)> = actions.iter().copied().zip(known).collect();
            style.keep(&mut weights);
            let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
            for (action, (_, weight)) in weights.iter().enumerate() {
                let share = if sum > 0.0 { weight / sum } else { f64::from(action == call) };
                shares.rows[action * buckets + bucket] = share as f32;
            }
            *unknown = sum == 0.0;
        }
        let committed = tree.committed(node);
        let (own, highest) = (committed[usize::from(seat)], committed[0].max(committed[1]));
        let owed = highest.min(tree.def().stacks[usize::from(seat)]).saturating_sub(own);
        if let Some(fold) = index(Action::Fold).filter(|_| unknown.contains(&true)) {
            let (pot, price) = (committed.map(f64::from).iter().sum::<f64>(), f64::from(owed));
            let least = price / (pot + price);
            shares.unknown = Some(Unknown { buckets: unknown, fold, call, least });
        }
        shares
    }
}

impl TreeStrategy for InTree {
    fn tree(&self) -> &BettingTree {
        self.model.tree()
    }

    fn on_board<'a>(&'a self, board: &Board, hands: &[Combo]) -> Box<dyn BoardStrategy + 'a> {
        let all = self.model.buckets().on_board(board.set());
        let all = all.expect("boards have as many cards as a street");
        let buckets = hands.iter().map(|hand| all[hand.index()]).collect();
        let hands = hands.to_vec();
        Box::new(OnBoard { of: self, board: *board, hands, buckets, rates: OnceLock::new() })
    }

    fn in_buckets(&self) -> Option<InBuckets<'_>> {
        let unknown = self.decisions.iter().filter_map(|decision| decision.unknown.as_ref());
        let guessed = unknown.flat_map(|unknown| &unknown.buckets).filter(|&&unknown| unknown);
        let guessed = guessed.count() as u64;
        Some(InBuckets { buckets: self.model.buckets(), strategy: self, guessed })
    }
}

/// In untrained buckets, where play would follow pot odds, the abstract strategy calls.
impl AbstractStrategy for InTree {
    fn shares(&self, node: u32, bucket: u32, shares: &mut [f32]) {
        let Shares { buckets, rows, .. } = &self.decisions[node as usize];
        for (share, row) in shares.iter_mut().zip(rows.chunks(*buckets)) {
            *share = row[bucket as usize];
        }
    }
}

/// The strategy of the given hands on one board.
struct OnBoard<'a> {
    of: &'a InTree,
    board: Board,
    hands: Vec<Combo>,
    buckets: Vec<u16>,
    /// Win-rate of each hand, computed on first use.
    rates: OnceLock<Vec<f64>>,
}

impl OnBoard<'_> {
    fn rates(&self) -> &[f64] {
        self.rates.get_or_init(|| {
            let hole = |hand: &Combo| HoleCards::new(&hand.cards()).expect("two different cards");
            let holes: Vec<HoleCards> = self.hands.iter().map(hole).collect();
            win_rates(self.of.tree().def(), &holes, self.board, 1, Effort::default())
        })
    }
}

impl BoardStrategy for OnBoard<'_> {
    fn shares(&self, node: u32, row: usize, shares: &mut [f32]) -> Result<(), ResponseError> {
        let decision = &self.of.decisions[node as usize];
        if decision.buckets == 0 {
            return Ok(());
        }
        for (shares, of_bucket) in
            shares.chunks_mut(row).zip(decision.rows.chunks(decision.buckets))
        {
            for (share, &bucket) in shares.iter_mut().zip(&self.buckets) {
                *share = of_bucket[usize::from(bucket)];
            }
        }
        let Some(unknown) = &decision.unknown else { return Ok(()) };
        for (hand, &bucket) in self.buckets.iter().enumerate() {
            if unknown.buckets[usize::from(bucket)] {
                let calls = self.rates()[hand] >= unknown.least;
                shares[unknown.call * row + hand] = f32::from(calls);
                shares[unknown.fold * row + hand] = f32::from(!calls);
            }
        }
        Ok(())
    }
}
