//! A gadget: a player may take an offer instead of entering the subgame.
//!
//! When the offer to each hand is what it was worth before, the subgame has equilibria in which the
//! other player gives nothing away by re-solving, whatever hands this player enters with. This is
//! the re-solving game of Burch, Johanson and Bowling, "Solving imperfect information games using
//! decomposition", AAAI 2014, section 4. With `forced` between 0 and 1, only a share of each hand
//! has the choice; the rest must enter.

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
    /// The share of each hand that enters without a choice, 0 to 1: 0 is safe, 1 is the same as no
    /// gadget.
    pub forced: f64,
}

/// The state of a gadget during solving: a decision before the subgame's first, to enter or to
/// leave.
#[derive(Debug)]
pub(crate) struct GadgetState {
    pub(crate) player: Player,
    forced: f32,
    /// The value of each of the player's hands for leaving: chips times the weight of the
    /// opponent's hands that it meets.
    offers: Vec<f32>,
    /// The row for entering, then the row for leaving.
    regrets: Vec<f32>,
    averages: Vec<f32>,
}

impl GadgetState {
    /// Creates the state for the hands on the subgame's board; `unblocked` is the weight that each
    /// meets.
    pub(crate) fn new(gadget: &Gadget, board: &Board, unblocked: &[f64]) -> GadgetState {
        let hands = &board.hands[gadget.player.index()];
        let row = hands.row();
        let offer =
            |(combo, unblocked): (Combo, &f64)| (gadget.offers[combo.index()] * unblocked) as f32;
        let mut offers: Vec<f32> = hands.all().zip(unblocked).map(offer).collect();
        offers.resize(row, 0.0);
        GadgetState {
            player: gadget.player,
            forced: gadget.forced.clamp(0.0, 1.0) as f32,
            offers,
            regrets: vec![0.0; 2 * row],
            averages: vec![0.0; 2 * row],
        }
    }

    /// Forgets what was learnt.
    pub(crate) fn clear(&mut self) {
        self.regrets.fill(0.0);
        self.averages.fill(0.0);
    }

    /// Multiplies the weights by the probability that the hand enters by the current strategy. With
    /// `average`, adds the current strategy to the averages with this weight.
    pub(crate) fn apply_entry(&mut self, weights: &mut [f32], average: Option<Weight>) {
        let row = self.offers.len();
        let mut reach = weights.to_vec();
        reach.resize(row, 0.0);
        let mut children = vec![0.0; 2 * row];
        match average {
            Some(weight) => {
                let averages = &mut self.averages;
                vector::split(&self.regrets, &reach, &mut children, averages, weight, row);
            }
            None => vector::split_by(&self.regrets, &reach, &mut children, row),
        }
        for (weight, come) in weights.iter_mut().zip(children) {
            *weight = self.forced * *weight + (1.0 - self.forced) * come;
        }
    }

    /// Updates the regrets from what the player's hands get for entering.
    pub(crate) fn update_regrets(&mut self, come: &[f32], discount: Discount) {
        let row = self.offers.len();
        let mut values = come.to_vec();
        values.resize(row, 0.0);
        values.extend_from_slice(&self.offers);
        let mut value = vec![0.0; row];
        vector::learn(&mut self.regrets, &values, &mut value, discount, row);
    }

    /// The share of a hand that enters on average.
    pub(crate) fn entry_share(&self, hand: usize) -> f64 {
        let forced = f64::from(self.forced);
        forced + (1.0 - forced) * self.entry_choice(hand)
    }

    /// The average probability of entering for the share of a hand that has the choice.
    fn entry_choice(&self, hand: usize) -> f64 {
        super::rows::average_share(&self.averages, hand, 2)(0)
    }

    /// The value of a hand with the average strategy, or with the best choice if `best`; `come` is
    /// its value for entering.
    pub(crate) fn hand_value(&self, hand: usize, come: f64, best: bool) -> f64 {
        let (forced, offer) = (f64::from(self.forced), f64::from(self.offers[hand]));
        let chosen = if best {
            come.max(offer)
        } else {
            let entry_choice = self.entry_choice(hand);
            entry_choice * come + (1.0 - entry_choice) * offer
        };
        forced * come + (1.0 - forced) * chosen
    }

    /// The share of a hand's value that comes from leaving, by the average strategy.
    pub(crate) fn leaving_value(&self, hand: usize) -> f64 {
        (1.0 - self.entry_share(hand)) * f64::from(self.offers[hand])
    }
}
