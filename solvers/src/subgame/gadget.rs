//! A player who may take an offer instead of coming to the subgame.
//!
//! With what each of its hands was worth before, such a subgame has equilibria in which the other
//! player gives nothing away by playing anew, whatever hands this one comes with: the re-solving
//! game of Burch, Johanson and Bowling, "Solving imperfect information games using decomposition",
//! AAAI 2014, section 4. Between that and a subgame that it must come to lies a gadget that leaves
//! the choice to a share of its hands.

use cards::Combo;

use super::boards::Board;
use super::rows::Discount;
use super::vector;
use crate::Player;

/// What a player may take instead of coming to a subgame.
#[derive(Debug, Clone, PartialEq)]
pub struct Gadget {
    /// Who may.
    pub player: Player,
    /// The chips that each combo, by its number, wins in the whole hand if it does not come.
    pub offers: Vec<f64>,
    /// The share of each hand that comes without a choice, 0 to 1: 0 is safe, 1 as without a
    /// gadget.
    pub forced: f64,
}

/// A gadget at work: a decision in front of the subgame's first, to come or to leave.
#[derive(Debug)]
pub(super) struct Entrance {
    pub(super) player: Player,
    forced: f32,
    /// What each of the player's hands gets for leaving: chips times weights of the opponent's
    /// hands that it meets.
    offers: Vec<f32>,
    /// For coming, then for leaving.
    regrets: Vec<f32>,
    averages: Vec<f32>,
}

impl Entrance {
    /// For the hands on the subgame's board, which meet so much weight each.
    pub(super) fn new(gadget: &Gadget, board: &Board, met: &[f64]) -> Entrance {
        let hands = &board.hands[gadget.player.index()];
        let row = hands.row();
        let offer = |(combo, met): (Combo, &f64)| (gadget.offers[combo.index()] * met) as f32;
        let mut offers: Vec<f32> = hands.all().zip(met).map(offer).collect();
        offers.resize(row, 0.0);
        Entrance {
            player: gadget.player,
            forced: gadget.forced.clamp(0.0, 1.0) as f32,
            offers,
            regrets: vec![0.0; 2 * row],
            averages: vec![0.0; 2 * row],
        }
    }

    /// Of these hands those that come with the current strategy, which is added to the average if a
    /// factor for what is there already is given.
    pub(super) fn come(&mut self, weights: &mut [f32], average: Option<f32>) {
        let row = self.offers.len();
        let mut reach = weights.to_vec();
        reach.resize(row, 0.0);
        let mut children = vec![0.0; 2 * row];
        match average {
            Some(factor) => {
                let averages = &mut self.averages;
                vector::split(&self.regrets, &reach, &mut children, averages, factor, row);
            }
            None => vector::split_by(&self.regrets, &reach, &mut children, row),
        }
        for (weight, come) in weights.iter_mut().zip(children) {
            *weight = self.forced * *weight + (1.0 - self.forced) * come;
        }
    }

    /// Learns from what the player's hands get for coming.
    pub(super) fn learn(&mut self, come: &[f32], discount: Discount) {
        let row = self.offers.len();
        let mut values = come.to_vec();
        values.resize(row, 0.0);
        values.extend_from_slice(&self.offers);
        let mut value = vec![0.0; row];
        vector::learn(&mut self.regrets, &values, &mut value, discount, row);
    }

    /// How much of a hand comes on average.
    pub(super) fn coming(&self, hand: usize) -> f64 {
        let forced = f64::from(self.forced);
        forced + (1.0 - forced) * self.choosing(hand)
    }

    /// How much of what has the choice comes.
    fn choosing(&self, hand: usize) -> f64 {
        super::rows::average_share(&self.averages, hand, 2)(0)
    }

    /// What a hand gets by the average strategy or, with a best response, at best, from what it
    /// gets for coming.
    pub(super) fn gets(&self, hand: usize, come: f64, best: bool) -> f64 {
        let (forced, offer) = (f64::from(self.forced), f64::from(self.offers[hand]));
        let chosen = match best {
            true => come.max(offer),
            false => {
                let choosing = self.choosing(hand);
                choosing * come + (1.0 - choosing) * offer
            }
        };
        forced * come + (1.0 - forced) * chosen
    }

    /// What a hand gets by leaving as often as it does on average.
    pub(super) fn left(&self, hand: usize) -> f64 {
        (1.0 - self.coming(hand)) * f64::from(self.offers[hand])
    }
}
