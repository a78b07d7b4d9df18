//! A blueprint with all that is needed to look a decision up in it.

use std::sync::Arc;

use abstraction::betting::BettingTree;
use abstraction::buckets::Buckets;
use abstraction::translate::{Followed, Place, follow};
use cards::HoleCards;
use game::{Action, PublicState, Seat, Strategy};
use models::blueprint::Blueprint;

use super::{Play, Style, Translation};
use crate::winrate::{Effort, win_rate};

/// A blueprint, its betting tree and its buckets.
#[derive(Debug)]
pub(super) struct Model {
    blueprint: Arc<Blueprint>,
    tree: BettingTree,
    buckets: Buckets,
}

impl Model {
    /// Lays the tree out and reads the buckets.
    pub(super) fn new(blueprint: Arc<Blueprint>) -> Result<Model, String> {
        let tree = blueprint.tree().map_err(|error| error.to_string())?;
        let buckets = Buckets::read(blueprint.buckets()).map_err(|error| error.to_string())?;
        let (stated, found) = (&blueprint.head().buckets.sha256, buckets.hash());
        if stated != found {
            return Err(format!(
                "it was trained with buckets {stated}, but holds {found}: train it again"
            ));
        }
        Ok(Model { blueprint, tree, buckets })
    }

    /// Where a hand stands in the tree for the seat that is to act.
    pub(super) fn find(&self, public: &PublicState, seat: Seat, style: &Style) -> Followed {
        follow(&self.tree, public, seat, &mut |index| match style.translation {
            Translation::Likelier => 0.5,
            Translation::Random => point(public, index),
        })
    }

    /// What to do there with these hole cards, and their bucket, where the tree has an answer.
    pub(super) fn strategy(
        &self,
        public: &PublicState,
        place: &Followed,
        hole: HoleCards,
        style: &Style,
    ) -> (Strategy, Option<u32>) {
        let node = match place.place {
            Place::At(node) => node,
            Place::Ahead(node) => {
                let stacks = self.tree.def().stacks.iter().min().copied().unwrap_or_default();
                let all_in = self.tree.committed(node).iter().all(|&chips| chips >= stacks);
                let strategy =
                    if all_in { Strategy::pure(Action::Call) } else { by_odds(public, hole) };
                return (strategy, None);
            }
        };
        let Ok(bucket) = self.buckets.bucket(hole, &public.board()) else {
            return (by_odds(public, hole), None);
        };
        let actions = self.tree.actions(node);
        let mut weights: Vec<(Action, f64)> = Vec::with_capacity(actions.len());
        for (&action, weight) in actions.iter().zip(self.weights(node, bucket, style)) {
            if weight == 0.0 {
                continue;
            }
            let action = place.answer(&self.tree, public, action);
            // Two sizes of the tree may be one in the hand.
            match weights.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((action, weight)),
            }
        }
        let strategy = Strategy::from_weights(weights);
        (strategy.unwrap_or_else(|| by_odds(public, hole)), Some(bucket))
    }

    /// What the actions of a decision weigh; all 0 where training has never been.
    pub(super) fn weights(
        &self,
        node: u32,
        bucket: u32,
        style: &Style,
    ) -> impl Iterator<Item = f64> + '_ {
        let Style { play, threshold, .. } = *style;
        let shares = self.blueprint.shares(&self.tree, node, bucket).unwrap_or_default();
        let likeliest = shares.iter().copied().max().unwrap_or_default();
        let first = shares.iter().position(|&share| share == likeliest);
        shares.iter().enumerate().map(move |(at, &share)| {
            let kept = match play {
                Play::Purify => Some(at) == first,
                Play::Sample => share == likeliest || f64::from(share) / 255.0 >= threshold,
            };
            if kept { f64::from(share) } else { 0.0 }
        })
    }

    /// The betting tree.
    pub(super) fn tree(&self) -> &BettingTree {
        &self.tree
    }

    /// The buckets.
    pub(super) fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// Why: the bucket and the betting in the tree.
    pub(super) fn note(
        &self,
        public: &PublicState,
        place: &Followed,
        bucket: Option<u32>,
    ) -> String {
        let read = match place.off_tree {
            0 => String::new(),
            1 => "; one bet read as another".to_owned(),
            more => format!("; {more} bets read as others"),
        };
        match (place.place, bucket) {
            (Place::At(node), Some(bucket)) => {
                let street = public.street();
                let of = self.buckets.count(street);
                let betting = match self.tree.betting(node) {
                    betting if betting.is_empty() => "at the start".to_owned(),
                    betting => format!("after {betting}"),
                };
                let reached = self.blueprint.shares(&self.tree, node, bucket);
                let known = reached.is_some_and(|shares| shares.iter().any(|&share| share > 0));
                let untrained = if known { "" } else { "; never reached in training" };
                format!("{street} bucket {} of {of} {betting}{read}{untrained}", bucket + 1)
            }
            (Place::Ahead(node), _) => {
                let betting = self.tree.betting(node);
                format!("the blueprint's betting was over after {betting}{read}")
            }
            (Place::At(_), None) => "these cards are in no bucket".to_owned(),
        }
    }
}

/// What to do where the blueprint says nothing: check, or call what pays against any hand, or else fold.
fn by_odds(public: &PublicState, hole: HoleCards) -> Strategy {
    let legal = public.legal();
    if !legal.fold {
        return Strategy::pure(Action::Call);
    }
    let rate = win_rate(public.def(), hole, public.board(), 1, Effort::default());
    let price = f64::from(legal.to_call);
    let pays = rate >= price / (public.pot() as f64 + price);
    Strategy::pure(if pays { Action::Call } else { Action::Fold })
}

/// What a blueprint is, in a few lines.
pub(super) fn about(blueprint: &Blueprint) -> String {
    let head = blueprint.head();
    let [tables, reached] =
        [&head.tables, &blueprint.reached()].map(|counts| counts.iter().sum::<u64>());
    let menu = head.menu.trim().replace('\n', "; ");
    let mut text = format!(
        "A blueprint for {}\n  bets      {menu}\n  buckets   {}\n  size      {:.1} MB, {tables} probabilities, \
         {reached} information sets reached in training\n  made by   {}",
        blueprint.game(),
        head.buckets.recipe,
        blueprint.len() as f64 / 1e6,
        head.made_by,
    );
    for (name, value) in &head.training {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("\n  {} {value}", name.replace('_', " ")));
    }
    text
}

/// A point in `[0, 1)` that depends on the betting up to an action and on the board it was made on, and on
/// nothing else.
fn point(public: &PublicState, index: usize) -> f64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut mix = |value: u64| {
        hash = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    };
    let history = public.history();
    for played in &history[..=index.min(history.len() - 1)] {
        mix(match played.action {
            Action::Fold => 0,
            Action::Call => 1,
            Action::RaiseTo(total) => 2 + u64::from(total),
        });
    }
    if let Some(played) = history.get(index) {
        let seen = public.def().board_len(played.street);
        public.board().iter().take(seen).for_each(|card| mix(u64::from(card.index()) + 1));
    }
    // The last step spreads what the last action changed.
    mix(0x51);
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}
