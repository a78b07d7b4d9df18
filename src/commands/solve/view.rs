//! A solved spot in numbers: what its actions are called, how often they are taken, by which hands, and what
//! the hands win.

use cards::{Combo, StartingHand};
use game::{Action, Chips, PublicState, Turn};
use serde_json::{Value, json};
use solvers::Player;
use solvers::subgame::{HandValue, Solver, Spot};

use super::spots::{Asked, before_street, word};
use crate::exit::Failure;

/// A spot where a player acts.
pub(super) struct View {
    /// How it is reached; empty for the beginning.
    pub(super) path: String,
    pub(super) board: String,
    pub(super) pot: u64,
    pub(super) to_call: Chips,
    pub(super) player: Player,
    pub(super) actions: Vec<Choice>,
    /// The hands with which the player gets there, in the order of the chart.
    pub(super) hands: Vec<Hand>,
    /// The sum of their weights.
    pub(super) combos: f64,
    /// The chips that each player gets of the pot from here on, those that it pays from here on taken off.
    pub(super) gets: [f64; 2],
}

/// An action of the menu.
pub(super) struct Choice {
    /// As in --at.
    pub(super) word: String,
    /// In full: `bet 66`.
    pub(super) name: String,
    /// In one letter, different from those of the spot's other actions.
    pub(super) letter: char,
    pub(super) kind: Kind,
    /// Bets and raises: by how much, as a share of the pot after a call.
    pub(super) of_pot: Option<f64>,
    /// How much of the range takes it, from 0 to 1, and how many combos that is.
    pub(super) frequency: f64,
    pub(super) combos: f64,
}

/// What an action is, for its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Fold,
    /// Check or call.
    Call,
    /// A bet or raise: which one from the smallest.
    Raise(usize),
    AllIn,
}

/// A hand of the range.
pub(super) struct Hand {
    pub(super) combo: Combo,
    pub(super) weight: f64,
    /// How often it takes each action.
    pub(super) strategy: Vec<f64>,
    /// Chips that it gets of the pot from here on; `None` when the other has no hand it can meet.
    pub(super) gets: Option<f64>,
}

/// A cell of the chart: the combos of one starting hand together.
pub(super) struct Class {
    pub(super) hand: StartingHand,
    /// The sum of their weights; 0 when none gets there.
    pub(super) combos: f64,
    /// Combos that the board leaves.
    pub(super) most: usize,
    /// How often each action is taken; empty without combos.
    pub(super) mix: Vec<f64>,
    /// The mean of what they get.
    pub(super) gets: Option<f64>,
}

impl View {
    pub(super) fn new(solver: &mut Solver, asked: &Asked) -> Result<View, Failure> {
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
                let gets = worth.filter(|worth| worth.met > 0.0);
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
        let combos = hands.iter().map(|hand| hand.weight).sum();
        let actions = choices(state, spot.actions(), &hands, combos);
        let means = Player::BOTH.map(|player| mean(&spot, player, &values[player.index()]));
        Ok(View {
            path: asked.path.clone(),
            board: state.board().to_string(),
            pot: state.pot(),
            to_call: owed(state),
            player,
            actions,
            hands,
            combos,
            gets: [0, 1].map(|p: usize| means[p] + sunk[p]),
        })
    }

    /// The 169 cells of the chart, row by row.
    pub(super) fn classes(&self) -> Vec<Class> {
        let board: cards::Board = self.board.parse().expect("printed by a board");
        let class = |kind: StartingHand| {
            let hands: Vec<&Hand> =
                self.hands.iter().filter(|hand| hand.combo.starting_hand() == kind).collect();
            let combos: f64 = hands.iter().map(|hand| hand.weight).sum();
            let share = |action: usize| {
                hands.iter().map(|hand| hand.weight * hand.strategy[action]).sum::<f64>() / combos
            };
            let mix = if combos > 0.0 {
                (0..self.actions.len()).map(share).collect()
            } else {
                Vec::new()
            };
            let paid = hands.iter().filter_map(|hand| Some((hand.weight, hand.gets?)));
            let (weight, sum) = paid.fold((0.0, 0.0), |(weights, sum), (weight, gets)| {
                (weights + weight, sum + weight * gets)
            });
            let free = kind.combos().filter(|combo| !combo.set().intersects(board.set()));
            Class {
                hand: kind,
                combos,
                most: free.count(),
                mix,
                gets: (weight > 0.0).then(|| sum / weight),
            }
        };
        StartingHand::all().map(class).collect()
    }

    /// Everything.
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
            "combos": self.combos,
            "actions": self.actions.iter().map(action).collect::<Vec<_>>(),
            "hands": self.hands.iter().map(hand).collect::<Vec<_>>(),
        })
    }
}

/// The mean of what a player's hands win at a spot, over all pairs of hands that can be held there.
fn mean(spot: &Spot<'_>, player: Player, values: &[HandValue]) -> f64 {
    let weight = |value: &HandValue| spot.range(player).weight(value.combo) * value.met;
    let (sum, all) = values.iter().fold((0.0, 0.0), |(sum, all), value| {
        (sum + weight(value) * value.value, all + weight(value))
    });
    if all > 0.0 { sum / all } else { 0.0 }
}

/// The actions with their names and frequencies.
fn choices(state: &PublicState, actions: &[Action], hands: &[Hand], combos: f64) -> Vec<Choice> {
    let bet_before = state.highest() > before_street(state);
    let most = state.legal().raise.map(|raise| raise.max);
    let sizes = |action: &&Action| matches!(action, Action::RaiseTo(total) if Some(*total) != most);
    let several = actions.iter().filter(sizes).count() > 1;
    let mut raises = 0;
    let mut choice = |number: usize, action: Action| {
        let word = word(state, action);
        let chips = |total: Chips| total - before_street(state);
        let (kind, letter, name) = match action {
            Action::Fold => (Kind::Fold, 'F', "fold".to_owned()),
            Action::Call if word == "x" => (Kind::Call, 'X', "check".to_owned()),
            Action::Call => (Kind::Call, 'C', "call".to_owned()),
            Action::RaiseTo(total) if Some(total) == most => {
                (Kind::AllIn, 'A', format!("all-in {}", chips(total)))
            }
            Action::RaiseTo(total) => {
                raises += 1;
                let letter = match (several, bet_before) {
                    // A menu has 32 sizes at most.
                    (true, _) => char::from_digit(raises as u32, 36).unwrap_or('?'),
                    (false, true) => 'R',
                    (false, false) => 'B',
                };
                let verb = if bet_before { "raise to" } else { "bet" };
                (Kind::Raise(raises - 1), letter, format!("{verb} {}", chips(total)))
            }
        };
        let taken: f64 = hands.iter().map(|hand| hand.weight * hand.strategy[number]).sum();
        let frequency = if combos > 0.0 { taken / combos } else { 0.0 };
        Choice { word, name, letter, kind, of_pot: of_pot(state, action), frequency, combos: taken }
    };
    actions.iter().enumerate().map(|(number, &action)| choice(number, action)).collect()
}

/// What a call costs; less than the bet where the stack is.
fn owed(state: &PublicState) -> Chips {
    let Turn::Act(seat) = state.turn() else { return 0 };
    (state.highest() - state.committed()[seat]).min(state.stack(seat))
}

/// By how much a bet or raise raises, as a share of the pot after a call.
fn of_pot(state: &PublicState, action: Action) -> Option<f64> {
    let (Action::RaiseTo(total), Turn::Act(seat)) = (action, state.turn()) else {
        return None;
    };
    let owed = state.highest() - state.committed()[seat];
    Some(f64::from(total - state.highest()) / (state.pot() as f64 + f64::from(owed)))
}
