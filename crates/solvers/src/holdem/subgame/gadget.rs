//! A gadget: a player may take an offer instead of entering the subgame.
//!
//! When the offer to each hand is what it was worth before, the subgame has equilibria in which the
//! other player gives nothing away by re-solving, whatever hands this player enters with. This is
//! the re-solving game of Burch, Johanson and Bowling, "Solving imperfect information games using
//! decomposition", AAAI 2014, section 4; with [`EntryChoice::OneHand`], the max-margin game of
//! Moravčík, Schmid, Ha, Hladík and Gaukrodger, "Refining subgames in large imperfect information
//! games", AAAI 2016.
//!
//! The hands with a choice have the weights with which they are dealt, whatever the range: the
//! offer is to hold for each of them, also for those with which the player is hardly expected. With
//! `forced` above 0, the range enters as well, without a choice. A small share of it decides among
//! the strategies that are all equally good against the hands with a choice, of which there are
//! infinitely many where each hand prefers its offer: Kubíček, Lisý and Sandholm, "Equilibrium
//! refinements improve subgame solving in imperfect-information games", 2026, call for such a
//! refinement.

use cards::Combo;

use super::boards::Board;
use super::rows::Discount;
use super::vector;
use crate::Player;
use crate::regret::Weight;

/// An offer that a player may take instead of entering a subgame.
#[derive(Debug, Clone, PartialEq)]
pub struct Gadget {
    /// The player with the choice.
    pub player: Player,
    /// The chips that each combo, by its index, wins in the whole hand if it takes the offer.
    pub offers: Vec<f64>,
    /// The weight of each combo that has a choice, up to a factor: that with which it is dealt.
    pub dealt: Vec<f64>,
    /// The share of the weight with which the player enters by its range, without a choice, 0 to 1:
    /// 0 is safe, 1 is the same as no gadget.
    pub forced: f64,
    /// The choice of the rest.
    pub choice: EntryChoice,
}

/// The choice that a gadget gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryChoice {
    /// Each hand enters or takes its offer.
    EachHand,
    /// The player enters with one hand, and wins what that hand wins beyond its offer: the other
    /// player makes the most that any hand wins beyond its offer as small as possible.
    OneHand,
}

/// The state of a gadget during solving: a decision before the subgame's first.
#[derive(Debug)]
pub(crate) struct GadgetState {
    pub(crate) player: Player,
    forced: f64,
    /// The weight of each of the player's hands in its range.
    range: Vec<f64>,
    /// The weight of the opponent's hands that each meets.
    unblocked: Vec<f64>,
    /// The weight of each hand with a choice: in all, the pairs of hands have the same as by the
    /// ranges.
    each: Vec<f64>,
    /// The total weight of all pairs of hands.
    deals: f64,
    /// The chips of each hand for leaving.
    offers: Vec<f64>,
    decision: Decision,
}

/// What is learnt about the choice.
#[derive(Debug)]
enum Decision {
    /// For each hand, in rows: entering, then leaving.
    EachHand { regrets: Vec<f32>, averages: Vec<f32> },
    /// For each hand the regret for not choosing it.
    OneHand { regrets: Vec<f32>, averages: Vec<f32> },
}

impl GadgetState {
    /// Creates the state for the hands on the subgame's board. `range` has the weight of each, and
    /// `unblocked` that of the opponent's hands that it meets.
    pub(crate) fn new(
        gadget: &Gadget,
        board: &Board,
        range: Vec<f64>,
        mut unblocked: Vec<f64>,
    ) -> GadgetState {
        let hands = &board.hands[gadget.player.index()];
        let (row, count) = (hands.row(), range.len());
        unblocked.truncate(count);
        let pairs = |weights: &[f64]| -> f64 {
            weights.iter().zip(&unblocked).map(|(weight, met)| weight * met).sum()
        };
        let deals = pairs(&range);
        let mut each: Vec<f64> =
            hands.all().map(|combo: Combo| gadget.dealt[combo.index()]).collect();
        let factor = deals / pairs(&each);
        each.iter_mut().for_each(|weight| *weight *= factor);
        let decision = match gadget.choice {
            EntryChoice::EachHand => {
                Decision::EachHand { regrets: vec![0.0; 2 * row], averages: vec![0.0; 2 * row] }
            }
            EntryChoice::OneHand => {
                Decision::OneHand { regrets: vec![0.0; count], averages: vec![0.0; count] }
            }
        };
        GadgetState {
            player: gadget.player,
            forced: gadget.forced.clamp(0.0, 1.0),
            range,
            unblocked,
            each,
            deals,
            offers: hands.all().map(|combo: Combo| gadget.offers[combo.index()]).collect(),
            decision,
        }
    }

    /// Forgets what was learnt.
    pub(crate) fn clear(&mut self) {
        let (Decision::EachHand { regrets, averages } | Decision::OneHand { regrets, averages }) =
            &mut self.decision;
        regrets.fill(0.0);
        averages.fill(0.0);
    }

    /// The weights with which the hands enter by the current strategy. With `average`, adds the
    /// current strategy to the averages with this weight.
    pub(crate) fn entry_weights(&mut self, average: Option<Weight>) -> Vec<f32> {
        let shares = match &mut self.decision {
            Decision::EachHand { regrets, averages } => {
                let row = regrets.len() / 2;
                let reach = vec![1.0; row];
                let mut children = vec![0.0; 2 * row];
                match average {
                    Some(weight) => {
                        vector::split(regrets, &reach, &mut children, averages, weight, row);
                    }
                    None => vector::split_by(regrets, &reach, &mut children, row),
                }
                children
            }
            Decision::OneHand { regrets, averages } => {
                let shares = one_hand(regrets, &self.unblocked);
                if let Some(Weight { factor, weight }) = average {
                    for (average, share) in averages.iter_mut().zip(&shares) {
                        *average = *average * factor + *share * weight;
                    }
                }
                shares
            }
        };
        let weight = |hand: usize| self.weight(hand, f64::from(shares[hand])) as f32;
        (0..self.range.len()).map(weight).collect()
    }

    /// The weight with which a hand enters, given its share of the choice: the probability that it
    /// enters, or that it is the one chosen.
    fn weight(&self, hand: usize, share: f64) -> f64 {
        let chosen = match self.decision {
            Decision::EachHand { .. } => self.each[hand] * share,
            Decision::OneHand { .. } if self.unblocked[hand] > 0.0 => {
                self.deals * share / self.unblocked[hand]
            }
            Decision::OneHand { .. } => 0.0,
        };
        self.forced * self.range[hand] + (1.0 - self.forced) * chosen
    }

    /// Updates the regrets from what the player's hands get for entering: chips times the weight of
    /// the opponent's hands that they meet.
    pub(crate) fn update_regrets(&mut self, come: &[f32], discount: Discount) {
        match &mut self.decision {
            Decision::EachHand { regrets, .. } => {
                let row = regrets.len() / 2;
                let mut values = vec![0.0; 2 * row];
                values[..come.len()].copy_from_slice(come);
                let leave = self.offers.iter().zip(&self.unblocked);
                for (value, (offer, met)) in values[row..].iter_mut().zip(leave) {
                    *value = (offer * met) as f32;
                }
                let mut value = vec![0.0; row];
                vector::learn(regrets, &values, &mut value, discount, row);
            }
            Decision::OneHand { regrets, .. } => {
                let shares = one_hand(regrets, &self.unblocked);
                let won = come.iter().zip(&self.unblocked).zip(&self.offers);
                let gains: Vec<f32> = won
                    .map(|((&come, &met), &offer)| gain(come.into(), met, offer) as f32)
                    .collect();
                let mean: f32 = shares.iter().zip(&gains).map(|(share, gain)| share * gain).sum();
                for ((regret, gain), met) in regrets.iter_mut().zip(gains).zip(&self.unblocked) {
                    if *met > 0.0 {
                        *regret = discount.add(*regret, gain - mean);
                    }
                }
            }
        }
    }

    /// The weights with which the hands enter on average.
    pub(crate) fn average_weights(&self) -> Vec<f64> {
        self.shares().enumerate().map(|(hand, share)| self.weight(hand, share)).collect()
    }

    /// The average of each hand's share of the choice.
    fn shares(&self) -> impl Iterator<Item = f64> {
        let of: Box<dyn Fn(usize) -> f64> = match &self.decision {
            Decision::EachHand { averages, .. } => {
                Box::new(|hand| super::rows::average_share(averages, hand, 2)(0))
            }
            Decision::OneHand { averages, .. } => {
                let sum: f64 = averages.iter().copied().map(f64::from).sum();
                let divisor = if sum > 0.0 { sum } else { 1.0 };
                Box::new(move |hand| f64::from(averages[hand]) / divisor)
            }
        };
        (0..self.range.len()).map(of)
    }

    /// What the player wins in all with the average strategy, or with the best choice if `best`:
    /// chips times weights. `come` are the values of its hands for entering, chips times the
    /// weights of the opponent's hands. With [`EntryChoice::OneHand`] the share with a choice
    /// counts what it wins beyond its offers.
    pub(crate) fn total(&self, come: &[f64], best: bool) -> f64 {
        let forced: f64 = self.range.iter().zip(come).map(|(weight, come)| weight * come).sum();
        let won = come.iter().zip(&self.unblocked).zip(&self.offers).zip(self.shares());
        let chosen = match self.decision {
            Decision::EachHand { .. } => {
                let of = |(((&come, met), offer), share): (((&f64, &f64), &f64), f64)| {
                    let leave = offer * met;
                    if best { come.max(leave) } else { share * come + (1.0 - share) * leave }
                };
                won.map(of).zip(&self.each).map(|(won, weight)| won * weight).sum::<f64>()
            }
            Decision::OneHand { .. } => {
                let met = won.filter(|(((_, met), _), _)| **met > 0.0);
                let gains =
                    met.map(|(((&come, &met), &offer), share)| (gain(come, met, offer), share));
                self.deals
                    * if best {
                        gains.map(|(gain, _)| gain).fold(f64::MIN, f64::max)
                    } else {
                        gains.map(|(gain, share)| gain * share).sum()
                    }
            }
        };
        self.forced * forced + (1.0 - self.forced) * chosen
    }

    /// What the player wins by its average strategy beyond what its hands that enter win: chips
    /// times weights.
    pub(crate) fn beyond(&self) -> f64 {
        let hands = self.shares().zip(&self.offers).zip(&self.unblocked);
        let chosen: f64 = match self.decision {
            Decision::EachHand { .. } => hands
                .zip(&self.each)
                .map(|(((share, offer), met), weight)| weight * (1.0 - share) * offer * met)
                .sum(),
            Decision::OneHand { .. } => {
                -self.deals * hands.map(|((share, offer), _)| share * offer).sum::<f64>()
            }
        };
        (1.0 - self.forced) * chosen
    }
}

/// What a hand wins beyond its offer, in chips, given its value for entering and the weight of the
/// hands that it meets; 0 if it meets none.
fn gain(come: f64, unblocked: f64, offer: f64) -> f64 {
    if unblocked > 0.0 { come / unblocked - offer } else { 0.0 }
}

/// The probability that each hand is the one chosen: in proportion to its regret, or all of those
/// that meet a hand alike if none is positive.
fn one_hand(regrets: &[f32], unblocked: &[f64]) -> Vec<f32> {
    let mut shares: Vec<f32> = regrets.iter().map(|regret| regret.max(0.0)).collect();
    if shares.iter().all(|share| *share == 0.0) {
        shares = unblocked.iter().map(|met| f32::from(u8::from(*met > 0.0))).collect();
    }
    crate::regret::normalise(&mut shares);
    shares
}
