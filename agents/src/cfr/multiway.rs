//! Playing with more than two players: the place of a hand in a blueprint whose places are joined.
//!
//! The place is found anew at each decision ([`abstraction::multiway::places`]), so the strategy is
//! a function of the information set. A blueprint for more players than there are plays as if the
//! first to act had folded, and shares of the pot make its bets those of any chips and stacks.

use std::collections::HashMap;

use abstraction::multiway::{Place, places};
use cards::HoleCards;
use game::{Betting, GameDef, InfoSet, PublicState, Strategy};
use models::blueprint::Blueprint;
use smallvec::SmallVec;

use super::Style;
use super::model::{Hand, MAX_READINGS, Model, Weights};
use crate::random_hands::by_odds;

/// A decision with more than two players.
pub(super) struct Decided {
    pub(super) strategy: Strategy,
    pub(super) note: String,
    /// Whether it is not the blueprint's, which has no place or was not trained there.
    pub(super) beyond: bool,
}

/// Whether a blueprint for more than two players plays this game: hold'em of as many or fewer
/// players, with up to a quarter more chips and any unit of them.
pub(super) fn plays(blueprint: &Blueprint, def: &GameDef) -> bool {
    let theirs = &blueprint.head().game;
    let deepest = |stacks: &[u32], big: u32| {
        f64::from(stacks.iter().copied().max().unwrap_or_default()) / f64::from(big.max(1))
    };
    let [small, big, others @ ..] = def.blinds.as_slice() else { return false };
    def.players > 2
        && theirs.players >= def.players
        && theirs.betting == Betting::NoLimit
        && def.betting == Betting::NoLimit
        && def.differs_from_holdem_of(def.players).is_none()
        && def.first_to_act == theirs.first_to_act
        && (1..=*big).contains(small)
        && others.iter().all(|&blind| blind == 0)
        && deepest(&def.stacks, *big) <= 1.25 * deepest(&theirs.stacks, theirs.blinds[1])
}

/// The places that stand for the betting of a hand.
type Places = SmallVec<[Place; MAX_READINGS]>;

impl Model {
    /// The decision with more than two players.
    pub(super) fn decide_multiway(&self, infoset: &InfoSet, style: &Style) -> Decided {
        let InfoSet { public, hole, .. } = infoset;
        let places = self.places(public, style);
        let street = public.street();
        let bucket = self.bucket(&Hand::new(public, *hole), street);
        let likeliest =
            places.iter().max_by(|one, other| one.probability.total_cmp(&other.probability));
        let note = match (likeliest, bucket) {
            (Some(place), Some(bucket)) => self.note_of(place, bucket, street),
            _ => "by pot odds: the blueprint has no such betting".to_owned(),
        };
        match self.trained(public, &places, bucket, style) {
            (Some(strategy), _) => Decided { strategy, note, beyond: false },
            (None, known) => {
                let note = if known == 0.0 && !places.is_empty() {
                    format!("by pot odds, never reached in training: {note}")
                } else {
                    note
                };
                Decided { strategy: by_odds(public, *hole), note, beyond: true }
            }
        }
    }

    /// The strategies of many hands with more than two players: the places are the same for all of
    /// them, and the strategy for all of a bucket.
    pub(super) fn strategies_multiway(
        &self,
        public: &PublicState,
        hands: &[HoleCards],
        style: &Style,
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        let places = self.places(public, style);
        let mut known: HashMap<u32, Option<Strategy>> = HashMap::new();
        for (number, &hole) in hands.iter().enumerate() {
            let bucket = self.bucket(&Hand::new(public, hole), public.street());
            let trained = bucket.and_then(|bucket| {
                let trained = || self.trained(public, &places, Some(bucket), style).0;
                known.entry(bucket).or_insert_with(trained).as_ref()
            });
            match trained {
                Some(strategy) => visit(number, strategy),
                None => visit(number, &by_odds(public, hole)),
            }
        }
    }

    fn places(&self, public: &PublicState, style: &Style) -> Places {
        let readings = match style.translation {
            super::Translation::Likelier => 1,
            super::Translation::Random => MAX_READINGS,
        };
        places(self.tree(), public, readings).into_iter().collect()
    }

    /// The strategy of a bucket as it was trained in these places, if it was, and the probability
    /// of those in which it was.
    fn trained(
        &self,
        public: &PublicState,
        places: &[Place],
        bucket: Option<u32>,
        style: &Style,
    ) -> (Option<Strategy>, f64) {
        let mut weights: Weights = SmallVec::new();
        let mut known = 0.0;
        for place in places {
            let shares = bucket.and_then(|bucket| self.probabilities(place.node, bucket));
            let Some(shares) = shares.filter(|shares| shares.iter().any(|&share| share > 0)) else {
                continue;
            };
            known += place.probability;
            for (&action, &share) in self.tree().actions(place.node).iter().zip(shares) {
                let action = place.answer(self.tree(), public, action);
                let weight = place.probability * f64::from(share);
                match weights.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, sum)) => *sum += weight,
                    None => weights.push((action, weight)),
                }
            }
        }
        style.keep(&mut weights);
        let played = weights.into_iter().filter(|&(_, weight)| weight > 0.0);
        (Strategy::from_weights(played), known)
    }

    /// The bucket and the betting that stands for that of the hand.
    fn note_of(&self, place: &Place, bucket: u32, street: game::Street) -> String {
        let of = self.buckets().count(street);
        let betting = match self.tree().betting(place.node) {
            betting if betting.is_empty() => "at the start".to_owned(),
            betting => format!("as after {betting}"),
        };
        let read = match place.off_tree {
            0 => String::new(),
            1 => "; one bet read as another".to_owned(),
            more => format!("; {more} bets read as others"),
        };
        let likely = match place.probability {
            sure if sure > 0.999 => String::new(),
            some => format!(", {:.0} % likely to be read so", 100.0 * some),
        };
        format!("{street} bucket {} of {of} {betting}{read}{likely}", bucket + 1)
    }
}
