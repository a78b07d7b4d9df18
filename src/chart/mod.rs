//! A chart of hands: the strategy of the 169 starting hands at a spot, with the actions' names and
//! totals.
//!
//! Solved spots and the strategies of agents are shown in the same way: as text ([`text`]) and as a
//! picture ([`picture`]).

use cards::{CardSet, Combo, StartingHand};
use game::{Action, Betting, Chips, PublicState, Turn};
use show::number::percent;

pub(crate) mod grid;
pub(crate) mod picture;
pub(crate) mod text;

/// The strategy of a range at a spot.
pub(crate) struct Chart {
    /// The board; hands with its cards are missing.
    board: CardSet,
    pub(crate) actions: Vec<Choice>,
    /// The hands of the player's range.
    pub(crate) hands: Vec<Hand>,
    /// The sum of the hands' weights.
    pub(crate) combos: f64,
}

/// An action of the spot with its frequency over the range.
pub(crate) struct Choice {
    /// The short name: `x`, `b66`, or `r250` with the total on the street.
    pub(crate) word: String,
    /// The full name: `bet 66`.
    pub(crate) name: String,
    /// A letter that no other action of the spot has.
    pub(crate) letter: char,
    pub(crate) kind: Kind,
    /// For bets and raises, the raise as a share of the pot after a call.
    pub(crate) of_pot: Option<f64>,
    /// The share of the range that takes it, from 0 to 1, and the number of combos.
    pub(crate) frequency: f64,
    pub(crate) combos: f64,
}

/// The kind of an action, which determines its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Fold,
    /// Check or call.
    Call,
    /// A bet or raise, with its index from the smallest.
    Raise(usize),
    AllIn,
}

/// A hand of the range.
pub(crate) struct Hand {
    pub(crate) combo: Combo,
    pub(crate) weight: f64,
    /// The probability of each action.
    pub(crate) strategy: Vec<f64>,
    /// The expected chips from the pot from here on; `None` when the other range has no hand it can
    /// meet.
    pub(crate) gets: Option<f64>,
}

/// A cell of the chart: all combos of one starting hand.
pub(crate) struct Class {
    pub(crate) hand: StartingHand,
    /// The sum of their weights; 0 if none is in the range.
    pub(crate) combos: f64,
    /// The number of combos that the board allows.
    pub(crate) most: usize,
    /// The mean probability of each action; empty without combos.
    pub(crate) mix: Vec<f64>,
    /// The mean of the expected chips.
    pub(crate) gets: Option<f64>,
}

impl Chart {
    /// The chart of a spot with these actions, where each hand has as many probabilities.
    pub(crate) fn new(state: &PublicState, actions: &[Action], hands: Vec<Hand>) -> Chart {
        let combos = hands.iter().map(|hand| hand.weight).sum();
        let actions = choices(state, actions, &hands, combos);
        Chart { board: state.board().set(), actions, hands, combos }
    }

    /// The 169 cells of the chart, row by row.
    pub(crate) fn classes(&self) -> Vec<Class> {
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
            let free = kind.combos().filter(|combo| !combo.set().intersects(self.board));
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
}

/// The actions with names and frequencies.
fn choices(state: &PublicState, actions: &[Action], hands: &[Hand], combos: f64) -> Vec<Choice> {
    let bet_before = state.highest() > before_street(state);
    // A limit game has one size, which is all-in only by chance.
    let no_limit = state.def().betting == Betting::NoLimit;
    let most = state.legal().raise.filter(|_| no_limit).map(|raise| raise.max);
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
                    // A menu has at most 32 sizes.
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

/// The raise of a bet or raise as a share of the pot after a call.
fn of_pot(state: &PublicState, action: Action) -> Option<f64> {
    let (Action::RaiseTo(total), Turn::Act(seat)) = (action, state.turn()) else {
        return None;
    };
    let owed = state.highest() - state.committed()[seat];
    Some(f64::from(total - state.highest()) / (state.pot() as f64 + f64::from(owed)))
}

/// The short name of an action.
pub(crate) fn word(state: &PublicState, action: Action) -> String {
    let Turn::Act(seat) = state.turn() else { return String::new() };
    match action {
        Action::Fold => "f".to_owned(),
        Action::Call if state.committed()[seat] == state.highest() => "x".to_owned(),
        Action::Call => "c".to_owned(),
        Action::RaiseTo(total) => {
            let letter = if state.highest() > before_street(state) { 'r' } else { 'b' };
            format!("{letter}{}", total - before_street(state))
        }
    }
}

/// An action of the player to act in words, in chips of the street, with a bet's share of the pot:
/// `check`, `call 50`, `raise to 250 (75 % of the pot)`.
pub(crate) fn action_words(state: &PublicState, action: Action) -> String {
    let legal = state.legal();
    match action {
        Action::Fold => "fold".to_owned(),
        Action::Call if !legal.fold => "check".to_owned(),
        Action::Call => format!("call {}", legal.to_call),
        Action::RaiseTo(total) => {
            let before = before_street(state);
            let verb = if state.highest() > before { "raise to" } else { "bet" };
            let share = of_pot(state, action)
                .map_or_else(String::new, |share| format!(" ({} of the pot)", percent(share, 0)));
            let no_limit = state.def().betting == Betting::NoLimit;
            let all_in = no_limit && legal.raise.is_some_and(|raise| raise.max == total);
            let all_in = if all_in { "all-in, " } else { "" };
            format!("{all_in}{verb} {}{share}", total - before)
        }
    }
}

/// The chips each player had put in before this street.
pub(crate) fn before_street(state: &PublicState) -> u32 {
    let Turn::Act(seat) = state.turn() else { return 0 };
    state.committed()[seat] - state.committed_street(seat)
}
