//! A solved spot in numbers: its place, the strategy and the values of the hands.

use game::{Chips, PublicState, Turn};
use serde_json::{Value, json};
use solvers::Player;
use solvers::subgame::{HandValue, Solver, Spot};

use super::spots::RequestedSpot;
use crate::chart::{Chart, Choice, Hand};
use crate::exit::Failure;

/// A spot where a player acts.
pub(super) struct View {
    /// The path from the root; empty for the root.
    pub(super) path: String,
    pub(super) board: String,
    pub(super) pot: u64,
    pub(super) to_call: Chips,
    pub(super) player: Player,
    /// The strategy of the hands with which the player reaches the spot, in the order of the chart.
    pub(super) chart: Chart,
    /// The chips of the pot that each player gets from here on, less those that it puts in from
    /// here on.
    pub(super) gets: [f64; 2],
}

impl View {
    pub(super) fn new(solver: &mut Solver, asked: &RequestedSpot) -> Result<View, Failure> {
        let values = solver.values_at(&asked.state).map_err(Failure::input)?;
        let spot = Spot::at(solver, &asked.state).map_err(Failure::input)?;
        let player = spot.player().ok_or_else(|| Failure::usage("nobody acts there"))?;
        let state = spot.state();
        let committed = state.committed().as_slice();
        let sunk = [0, 1].map(|seat: usize| f64::from(committed[seat]));
        let mut hands: Vec<Hand> = spot
            .strategies()
            .into_iter()
            .map(|(combo, strategy)| {
                let worth = values[player.index()].iter().find(|worth| worth.combo == combo);
                let gets = worth.filter(|worth| worth.unblocked_weight > 0.0);
                Hand {
                    combo,
                    weight: spot.range(player).weight(combo),
                    strategy,
                    gets: gets.map(|worth| worth.value + sunk[player.index()]),
                }
            })
            .filter(|hand| hand.weight > 0.0)
            .collect();
        hands.sort_by_key(|hand| (hand.combo.starting_hand(), std::cmp::Reverse(hand.combo)));
        let means = Player::BOTH.map(|player| mean(&spot, player, &values[player.index()]));
        Ok(View {
            path: asked.path.clone(),
            board: state.board().to_string(),
            pot: state.pot(),
            to_call: owed(state),
            player,
            chart: Chart::new(state, spot.actions(), hands),
            gets: [0, 1].map(|p: usize| means[p] + sunk[p]),
        })
    }

    /// The spot as JSON.
    pub(super) fn json(&self) -> Value {
        let action = |choice: &Choice| {
            json!({
                "action": choice.word,
                "name": choice.name,
                "share_of_pot": choice.of_pot,
                "frequency": choice.frequency,
                "combos": choice.combos,
            })
        };
        let hand = |hand: &Hand| {
            json!({
                "hand": hand.combo.to_string(),
                "weight": hand.weight,
                "strategy": hand.strategy,
                "gets": hand.gets,
            })
        };
        json!({
            "at": self.path,
            "board": self.board,
            "pot": self.pot,
            "to_call": self.to_call,
            "player": self.player.index() + 1,
            "gets": self.gets,
            "combos": self.chart.combos,
            "actions": self.chart.actions.iter().map(action).collect::<Vec<_>>(),
            "hands": self.chart.hands.iter().map(hand).collect::<Vec<_>>(),
        })
    }
}

/// The mean value of a player's hands at a spot, over all pairs of hands that can be held there.
fn mean(spot: &Spot<'_>, player: Player, values: &[HandValue]) -> f64 {
    let weight =
        |value: &HandValue| spot.range(player).weight(value.combo) * value.unblocked_weight;
    let (sum, all) = values.iter().fold((0.0, 0.0), |(sum, all), value| {
        (sum + weight(value) * value.value, all + weight(value))
    });
    if all > 0.0 { sum / all } else { 0.0 }
}

/// The cost of a call; less than the bet if the stack is smaller.
fn owed(state: &PublicState) -> Chips {
    let Turn::Act(seat) = state.turn() else { return 0 };
    (state.highest() - state.committed()[seat]).min(state.stack(seat))
}
